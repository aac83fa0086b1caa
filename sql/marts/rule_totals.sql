-- rule_totals: one row per gating, source and rule of segmentation and validation.
-- Reads: rule_effects, demonstrations, qa.
-- Rule:  sums over demonstrations; numbers that a demonstration lacks, with a reason, are in no
--        sum: all of them where nothing can be computed without the rule, those of edges and paths
--        of settling. n_paths is exact and therefore text. A rule that is not in force decides no
--        question.
create view rule_totals as
with written as (
    select demonstration, gating, count(*) as n_written
    from qa
    group by all
)

select
    rule_effects.gating,
    demonstrations.source,
    rule_effects.rule,
    bool_and(rule_effects.is_in_force) as is_in_force,
    count(*) filter (rule_effects.reason is null) as n_demonstrations,
    count(rule_effects.reason) as n_without_numbers,
    sum(n_frames_decided)::bigint as n_frames_decided,
    sum(n_key_frames_with)::bigint as n_key_frames_with,
    sum(n_key_frames_without)::bigint as n_key_frames_without,
    sum(n_key_frames_only_with)::bigint as n_key_frames_only_with,
    sum(n_key_frames_only_without)::bigint as n_key_frames_only_without,
    sum(n_edges_with)::bigint as n_edges_with,
    sum(n_edges_without)::bigint as n_edges_without,
    sum(n_edges_only_with)::bigint as n_edges_only_with,
    sum(n_edges_only_without)::bigint as n_edges_only_without,
    sum(n_edges_changed)::bigint as n_edges_changed,
    sum(n_paths_with::bignum)::varchar as n_paths_with,
    sum(n_paths_without::bignum)::varchar as n_paths_without,
    sum(n_questions)::bigint as n_questions,
    sum(n_questions) / nullif(sum(n_written) filter (n_questions is not null), 0)
        as share_of_questions
from rule_effects
inner join demonstrations using (demonstration)
left join written using (demonstration, gating)
group by rule_effects.gating, demonstrations.source, rule_effects.rule;

comment on column rule_totals.gating is 'which predicates make key frames: state or contact';
comment on column rule_totals.source is 'where the demonstrations come from';
comment on column rule_totals.rule is 'the rule; the comment of rule_effects.rule explains each';
comment on column rule_totals.is_in_force is
'whether the gating has it; if not, "with" is the gating with it';
comment on column rule_totals.n_demonstrations is 'demonstrations that have all numbers';
comment on column rule_totals.n_without_numbers is
'demonstrations that lack some or all of them; rule_effects.reason says why';
comment on column rule_totals.n_frames_decided is
'frames at which it changed a fact, or that it rejected; null for other rules';
comment on column rule_totals.n_key_frames_with is 'key frames with the rule';
comment on column rule_totals.n_key_frames_without is 'key frames without it';
comment on column rule_totals.n_key_frames_only_with is 'key frames that exist with it only';
comment on column rule_totals.n_key_frames_only_without is 'key frames that exist without it only';
comment on column rule_totals.n_edges_with is 'edges of the transition graph with it';
comment on column rule_totals.n_edges_without is 'edges without it';
comment on column rule_totals.n_edges_only_with is 'edges that exist with it only';
comment on column rule_totals.n_edges_only_without is 'edges that exist without it only';
comment on column rule_totals.n_edges_changed is 'edges of both whose visible changes differ';
comment on column rule_totals.n_paths_with is 'trajectories of all lengths with it; exact';
comment on column rule_totals.n_paths_without is 'trajectories without it; exact';
comment on column rule_totals.n_questions is
'questions with a step that exists with it only; null if it is not in force';
comment on column rule_totals.share_of_questions is 'their share of the questions written';
