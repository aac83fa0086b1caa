-- leaderboard_kept: one row per question set that sets keep or without, kind and model.
-- Reads: kept_questions, evaluation.
-- Rule:  scores under the baseline on all questions of the set that the model answered, and on
--        those that it keeps (kept_questions). Reference baselines are here too. Of people, the
--        score on kept questions is that of persons who answered after those who decided: the
--        filter makes that of the deciding ones high by itself. Other annotators are not here.
create table leaderboard_kept as
with given as (
    select
        kept.question_set, kept.kind, evaluation.model, evaluation.question_id,
        coalesce(kept.is_kept, false) as is_kept,
        evaluation.is_accepted::double as accepted,
        regexp_extract(evaluation.model, '^(person|solver|simulated)_[1-9][0-9]*$', 1) as role
    from evaluation
    inner join kept_questions as kept using (question_id)
    where evaluation.variant = 'baseline'
),

people as (
    select
        question_set, kind,
        'people (' || count(distinct model) || ')' as model,
        count(distinct question_id) filter (accepted is not null) as n_scored,
        avg(accepted) as task_accuracy
    from given
    where role = 'person'
    group by question_set, kind
),

later as (
    select
        question_set, kind,
        count(*) filter (n_later > 0) as n_kept_scored,
        sum(n_later_solved) / nullif(sum(n_later), 0) as task_accuracy_kept
    from kept_questions
    where is_kept
    group by question_set, kind
),

counted as (
    select
        question_set, kind, count(*) as n_questions,
        count(*) filter (is_kept) as n_kept,
        count(*) filter (is_kept is null) as n_undecided
    from kept_questions
    group by question_set, kind
),

scored as (
    select
        question_set, kind, model,
        count(distinct question_id) filter (accepted is not null) as n_scored,
        avg(accepted) as task_accuracy,
        count(distinct question_id) filter (is_kept and accepted is not null) as n_kept_scored,
        avg(accepted) filter (is_kept) as task_accuracy_kept
    from given
    where role = ''
    group by question_set, kind, model
    union all by name
    select
        question_set, kind, model, n_scored, task_accuracy,
        coalesce(n_kept_scored, 0) as n_kept_scored, task_accuracy_kept
    from people
    left join later using (question_set, kind)
)

select
    question_set, kind, model, n_questions, n_kept, n_undecided,
    n_scored, task_accuracy, n_kept_scored, task_accuracy_kept
from scored
inner join counted using (question_set, kind)
order by question_set, kind, task_accuracy_kept desc nulls last, model;

comment on column leaderboard_kept.question_set is 'set that says which questions are kept';
comment on column leaderboard_kept.kind is 'forward (order images) or inverse (order actions)';
comment on column leaderboard_kept.model is 'model, reference baseline or people (n) who answered';
comment on column leaderboard_kept.n_questions is 'questions of the set';
comment on column leaderboard_kept.n_kept is 'of these: kept, see kept_questions';
comment on column leaderboard_kept.n_undecided is 'of these: too few persons have answered';
comment on column leaderboard_kept.n_scored is 'questions with a scored answer';
comment on column leaderboard_kept.task_accuracy is 'share of these answers accepted';
comment on column leaderboard_kept.n_kept_scored is
'kept questions with a scored answer; of people, with a later one';
comment on column leaderboard_kept.task_accuracy_kept is
'share of these answers accepted; of people, of later answers';
