-- world_questions_have_their_candidates: four options of `length` places, one of them the plan.
select q.world_source, q.question_id, count(*) as n_candidates
from world_questions as q
left join world_candidates as c using (world_source, question_id)
group by q.world_source, q.question_id, q.length, q.answer, q.plan
having
    count(c.option) <> 4 * q.length
    or list(c.category order by c.place) filter (c.option = q.answer) <> q.plan;
