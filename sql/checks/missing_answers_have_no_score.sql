-- missing_answers_have_no_score: one row per answer whose status and scores contradict each other.
-- Reads: evaluation, predictions.
-- Rule:  missing means that the model never answered, and then every score is null; a parsed answer
--        has every score; without a replay only is_exact and, the same, is_accepted. Unparsed ones
--        have zeros (profile paper) or no score at all (release), the same for all of a model and
--        variant, which are evaluated together. Refused and cut are reasons only where the model
--        stopped so.
-- Fix:   materialize evaluation of that model and variant again.
with judged as (
    select
        *,
        coalesce(
            is_exact::integer, is_semantic::integer, is_accepted::integer, n_steps_passed,
            pairwise_accuracy
        ) is not null as has_scores
    from evaluation
),

judged_together as (
    select
        *,
        bool_or(has_scores and answer_status = 'unparsed') over (partition by model, variant)
            as unparsed_is_wrong
    from judged
)

select
    model, variant, question_id, repetition, answer_status, reason, stop, raw_answer,
    is_accepted, n_steps_passed, pairwise_accuracy
from judged_together
left join predictions using (model, variant, question_id, repetition)
where not coalesce(
    case answer_status
        when 'missing' then raw_answer is null and answer is null and not has_scores
        when 'unparsed' then
            raw_answer is not null
            and answer is null
            and (coalesce(reason, '') not in ('refused', 'cut') or reason = stop)
            and case
                when unparsed_is_wrong then
                    not is_exact and not is_semantic and not is_accepted
                    and n_steps_passed = 0 and pairwise_accuracy = 0
                else not has_scores
            end
        when 'parsed' then
            raw_answer is not null
            and answer is not null
            and is_accepted = (is_exact or coalesce(is_semantic, false))
            and case
                when unverified is null then
                    is_semantic is not null
                    and n_steps_passed between 0 and n_steps
                    and pairwise_accuracy is not null
                else coalesce(is_semantic::integer, n_steps_passed, pairwise_accuracy) is null
            end
    end,
    false
)
order by all;
