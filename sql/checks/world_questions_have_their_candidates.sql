-- world_questions_have_their_candidates: one row per question whose options are not complete.
-- Reads: world_questions, world_candidates.
-- Rule:  four options of as many places as the plan has actions, and the right one is the plan.
-- Fix:   materialize world_questions again.
select
    q.world_source,
    q.question_id,
    q.task,
    q.length,
    count(c.option) as n_candidates
from world_questions as q
left join world_candidates as c using (world_source, question_id)
group by q.world_source, q.question_id, q.task, q.length, q.answer, q.plan
having
    count(c.option) <> 4 * q.length
    or list(c.category order by c.place) filter (c.option = q.answer) is distinct from q.plan
order by all;
