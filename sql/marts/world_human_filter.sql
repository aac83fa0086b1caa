-- world_human_filter: one row per question of WorldPrediction that a person answered.
-- Reads: world_human_evaluation.
-- Rule:  an old name, which leaves with the next version.
-- Successor: question_quality.
create view world_human_filter as
with said as (
    select
        *,
        row_number() over (
            partition by world_source, question_id order by received_at, annotator
        ) <= 2 as is_first
    from world_human_evaluation
    where role = 'person' and answer_status <> 'missing'
),

counted as (
    select
        world_source, question_id, task, condition, length, recording,
        count(*) filter (is_first) as n_deciding,
        count(*) filter (is_first and is_correct) as n_solved,
        count(*) filter (is_first and answer_status = 'unparsed') as n_cannot_tell,
        count(distinct answer) filter (is_first) as n_letters,
        count(*) filter (not is_first) as n_later,
        count(*) filter (not is_first and is_correct) as n_later_solved
    from said
    group by all
)

select
    world_source, question_id, task, condition, length, recording,
    case
        when n_deciding < 2 then 'undecided'
        when n_solved = 2 then 'kept'
        when n_solved > 0 then 'one_wrong'
        when n_cannot_tell = 2 then 'cannot_tell'
        when n_letters = 1 and n_cannot_tell = 0 then 'same_wrong'
        else 'both_wrong'
    end as outcome,
    case when n_deciding = 2 then n_solved = 2 end as is_kept,
    n_deciding, n_solved, n_cannot_tell, n_later, n_later_solved
from counted;
