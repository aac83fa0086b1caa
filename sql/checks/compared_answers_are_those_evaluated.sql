-- compared_answers_are_those_evaluated: one row per compared answer unlike its evaluation.
-- Reads: compared_answers, evaluation, stale_partitions.
-- Rule:  all steps of the question were compared, and as many of them pass as were scored. A step
--        lost at the end would not show in the sums. Rows known to be older than their evaluation
--        are not compared, as scores stay current while errors are recomputed.
-- Fix:   materialize compared_steps and compared_components of that model and variant again.
select
    model, variant, question_id, repetition,
    compared_answers.n_steps, evaluation.n_steps as n_steps_evaluated,
    compared_answers.n_steps_passed, evaluation.n_steps_passed as n_steps_passed_evaluated
from compared_answers
inner join evaluation using (model, variant, question_id, repetition)
anti join stale_partitions
    on stale_partitions.asset = 'compared_steps'
    and stale_partitions.partition = model || '|' || variant
where
    compared_answers.n_steps <> evaluation.n_steps
    or compared_answers.n_steps_passed <> evaluation.n_steps_passed
order by all;
