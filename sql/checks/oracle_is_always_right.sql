-- oracle_is_always_right: one row per question that the oracle (the reference) did not pass.
-- Reads: evaluation.
-- Rule:  missing answers are allowed: the oracle is not asked where a picture is missing.
-- Fix:   verification contradicts the questions: materialize evaluation of the oracle again; if
--        that does not help, question and verification disagree about what changed.
select
    variant, demonstration, gating, kind, length, question_id, repetition, answer_status, reason,
    answer
from evaluation
where
    model = 'oracle'
    and answer_status <> 'missing'
    and not coalesce(
        answer_status = 'parsed'
        and is_accepted
        and (pairwise_accuracy = 1 or unverified is not null),
        false
    )
order by all;
