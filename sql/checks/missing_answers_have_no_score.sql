-- missing_answers_have_no_score: one row per answer whose status and scores contradict each other.
-- Reads: evaluation, predictions.
-- Rule:  missing means that the model never answered, and then every score is null; an answer that
--        was given is scored, as zero if no order was found in it.
-- Fix:   materialize evaluation of that model and variant again.
select
    evaluation.model, evaluation.variant, evaluation.question_id, answer_status, raw_answer,
    is_accepted, n_steps_passed, pairwise_accuracy
from evaluation
left join predictions using (model, variant, question_id)
where not coalesce(
    case answer_status
        when 'missing' then
            raw_answer is null
            and is_exact is null and is_semantic is null and is_accepted is null
            and n_steps_passed is null and pairwise_accuracy is null and answer is null
        when 'unparsed' then
            raw_answer is not null
            and not is_accepted and n_steps_passed = 0 and pairwise_accuracy = 0
        when 'parsed' then
            raw_answer is not null
            and answer is not null
            and is_accepted = (is_exact or is_semantic)
            and n_steps_passed between 0 and n_steps
            and pairwise_accuracy is not null
    end,
    false
)
order by all;
