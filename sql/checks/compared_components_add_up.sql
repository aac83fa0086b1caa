-- compared_components_add_up: one row per compared answer whose components do not add up.
-- Reads: compared_steps, compared_components.
-- Rule:  matched and missing are the true components, matched and hallucinated those said; a pair
--        takes one of each; and the components listed are those counted. Steps count from 1.
-- Fix:   materialize compared_steps and compared_components of that model and variant again.
with counted as (
    select
        model, variant, question_id, repetition,
        bool_and(
            n_matched + n_missing = n_reference
            and n_matched + n_hallucinated = n_predicted
            and n_polarity_inversions + n_predicate_substitutions + n_entity_substitutions
            + n_omissions = n_missing
            and n_polarity_inversions + n_predicate_substitutions + n_entity_substitutions
            + n_hallucinations = n_hallucinated
            and n_left_mixed <= n_left_reference - n_left_matched
            and n_right_mixed <= n_right_reference - n_right_matched
        ) as do_steps_add_up,
        max(step) - count(*) as n_steps_lacking,
        sum(n_reference) as n_reference,
        sum(n_predicted) as n_predicted,
        sum(n_matched) as n_matched,
        sum(n_polarity_inversions) as n_polarity_inversions,
        sum(n_predicate_substitutions) as n_predicate_substitutions,
        sum(n_entity_substitutions) as n_entity_substitutions
    from compared_steps
    group by all
),

listed as (
    select
        model, variant, question_id, repetition,
        count(reference) as n_reference,
        count(predicted) as n_predicted,
        count(*) filter (outcome = 'matched' and reference = predicted) as n_matched,
        count(*) filter (outcome = 'polarity_inversion') as n_polarity_inversions,
        count(*) filter (outcome = 'predicate_substitution') as n_predicate_substitutions,
        count(*) filter (outcome = 'entity_substitution') as n_entity_substitutions,
        count(*) filter ((outcome = 'omission') <> (predicted is null)) as n_not_omissions,
        count(*) filter ((outcome = 'hallucination') <> (reference is null)) as n_not_made_up
    from compared_components
    group by all
)

select
    model, variant, question_id, repetition,
    counted.* exclude (model, variant, question_id, repetition),
    listed.n_reference as n_reference_listed,
    listed.n_predicted as n_predicted_listed,
    listed.n_matched as n_matched_listed
from counted
full join listed using (model, variant, question_id, repetition)
where not coalesce(
    counted.do_steps_add_up
    and counted.n_steps_lacking = 0
    and counted.n_reference = coalesce(listed.n_reference, 0)
    and counted.n_predicted = coalesce(listed.n_predicted, 0)
    and counted.n_matched = coalesce(listed.n_matched, 0)
    and counted.n_polarity_inversions = coalesce(listed.n_polarity_inversions, 0)
    and counted.n_predicate_substitutions = coalesce(listed.n_predicate_substitutions, 0)
    and counted.n_entity_substitutions = coalesce(listed.n_entity_substitutions, 0)
    and coalesce(listed.n_not_omissions, 0) = 0
    and coalesce(listed.n_not_made_up, 0) = 0,
    false
)
order by all;
