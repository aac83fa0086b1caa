-- leaderboard_counts_add_up: one row per leaderboard_details row whose questions do not add up.
-- Reads: leaderboard_details, evaluation.
-- Rule:  parsed answers are scored, missing ones are not, unparsed ones all are or none. Models
--        whose evaluation is missing have no answers to count. Annotators of one role are one
--        model.
-- Fix:   an evaluation row has a status other than parsed, unparsed and missing, or scores that do
--        contradict it: materialize the evaluation of that model again.
with given as (
    select * replace (
        case regexp_extract(model, '^(person|solver|simulated)_[1-9][0-9]*$', 1)
            when 'person' then 'people'
            when 'solver' then 'solvers'
            when 'simulated' then 'simulated'
            else model
        end as model
    )
    from evaluation
),

board as (
    select * replace (
        regexp_replace(model, '^(people|solvers|simulated) [(][0-9]+[)]$', '\1') as model
    )
    from leaderboard_details
),

recount as (
    select
        variant, model, kind,
        count(distinct question_id) as n_questions,
        count(*) as n_answers,
        count(*) filter (answer_status = 'parsed') as n_parsed,
        count(*) filter (answer_status = 'unparsed') as n_unparsed,
        count(*) filter (answer_status = 'unparsed' and reason = 'refused') as n_refused,
        count(*) filter (answer_status = 'unparsed' and reason = 'cut') as n_cut,
        count(*) filter (answer_status = 'missing') as n_missing,
        count(is_accepted) as n_scored_answers,
        count(distinct question_id) filter (is_accepted is not null) as n_scored
    from given
    semi join leaderboard_details using (variant)
    group by all
),

all_lengths as (
    select * from board where length is null and state <> 'missing'
),

lengths_added as (
    select variant, model, kind, sum(n_questions) as n_questions
    from board
    where length is not null and state <> 'missing'
    group by all
)

select
    recount.*,
    all_lengths.n_questions as leaderboard_n_questions,
    all_lengths.n_answers as leaderboard_n_answers,
    all_lengths.n_scored as leaderboard_n_scored,
    all_lengths.n_parsed as leaderboard_n_parsed,
    all_lengths.n_unparsed as leaderboard_n_unparsed,
    all_lengths.n_refused as leaderboard_n_refused,
    all_lengths.n_cut as leaderboard_n_cut,
    all_lengths.n_missing as leaderboard_n_missing,
    lengths_added.n_questions as n_questions_over_lengths
from recount
full join all_lengths using (variant, model, kind)
full join lengths_added using (variant, model, kind)
where not coalesce(
    recount.n_parsed + recount.n_unparsed + recount.n_missing = recount.n_answers
    and all_lengths.n_answers = recount.n_answers
    and all_lengths.n_parsed = recount.n_parsed
    and all_lengths.n_unparsed = recount.n_unparsed
    and all_lengths.n_refused = recount.n_refused
    and all_lengths.n_cut = recount.n_cut
    and all_lengths.n_missing = recount.n_missing
    and all_lengths.n_scored = recount.n_scored
    and recount.n_scored_answers - recount.n_parsed in (0, recount.n_unparsed)
    and all_lengths.n_questions = recount.n_questions
    and lengths_added.n_questions = recount.n_questions,
    false
)
order by all;
