-- qa_answers_are_permutations: one row per question whose answer is not an order of 1..length-1.
-- Reads: qa.
-- By:    demonstration.
-- Fix:   the questions were written wrongly: materialize qa of these demonstrations again.
select demonstration, gating, question_id, kind, length, answer
from qa
where
    list_sort(answer) is distinct from range(1, length)
    or len(actions) <> length - 1
    or len(action_components) <> length - 1
order by all;
