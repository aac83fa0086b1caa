-- qa_answers_are_permutations: one row per question whose answer is not an order of 1..length-1.
-- Reads: qa.
-- Rule:  imported questions may be unlabelled: their answer is empty.
-- By:    demonstration.
-- Fix:   the questions were written wrongly: materialize qa of these demonstrations again.
select demonstration, gating, question_id, kind, length, answer
from qa
where
    (
        list_sort(answer) is distinct from range(1, length)
        and (question_file is null or len(answer) > 0)
    )
    or len(actions) <> length - 1
    or len(action_components) <> length - 1
order by all;
