-- question_counts: one row per question set, source, kind and length.
-- Reads: question_set, published_question_counts.
-- Rule:  the paper's counts per length, 8,972 in all, beside ours. Theirs are the same for both
--        kinds. The paper asks under gating state about simulated demonstrations: other sets, and
--        recordings and videos, have none beside them.
create table question_counts as
with ours as (
    select
        question_set, gating, source, kind, length,
        count(*) filter (in_question_set) as n_in_question_set,
        count(*) filter (in_probe_set) as n_in_probe_set,
        count(distinct demonstration) as n_demonstrations
    from question_set
    group by all
),

published as (
    select
        'state' as question_set, 'state' as gating, 'embedded' as source,
        kind, length, n_questions
    from published_question_counts
    cross join (values ('forward'), ('inverse')) as kinds (kind)
)

select
    question_set, gating, source, kind, length,
    coalesce(n_in_question_set, 0) as n_in_question_set,
    coalesce(n_in_probe_set, 0) as n_in_probe_set,
    coalesce(n_demonstrations, 0) as n_demonstrations,
    n_questions as n_published
from ours
full join published using (question_set, gating, source, kind, length)
order by question_set, source, kind, length;

comment on column question_counts.question_set is 'named set of questions';
comment on column question_counts.gating is 'which predicates make key frames: state or contact';
comment on column question_counts.source is
'of the demonstrations: embedded, recorded, omnigibson or video';
comment on column question_counts.kind is 'forward (order images) or inverse (order actions)';
comment on column question_counts.length is 'key frames in the trajectory';
comment on column question_counts.n_in_question_set is
'of the question set, which the baseline asks';
comment on column question_counts.n_in_probe_set is
'of the probe set, which variants ask unless they say otherwise';
comment on column question_counts.n_demonstrations is 'demonstrations these are about';
comment on column question_counts.n_published is 'questions of the paper; null if it has none';
