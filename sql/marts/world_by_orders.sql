-- world_by_orders: one row per source, condition and model of procedural planning.
-- Reads: evaluation, world_questions.
-- Rule:  usual orders give plans away. markov_right and markov_wrong are accuracies of questions
--        that the baseline `markov`, which sees no picture, answers right and wrong: the latter
--        shows what a model gains from pictures. In decidable questions every wrong plan breaks an
--        order that no recording ever reversed, of at least five; in others a wrong plan may be
--        right, too. Null where no such question was scored or nothing was measured.
create table world_by_orders as
with usual as (
    select question_id, is_accepted as is_usual
    from evaluation
    where model = 'markov'
)

select
    q.world_source,
    q.condition,
    e.model as world_model,
    count(e.is_accepted) as n_scored,
    round(avg(e.is_accepted::integer), 4) as accuracy,
    count(e.is_accepted) filter (u.is_usual) as n_markov_right,
    round(avg(e.is_accepted::integer) filter (u.is_usual), 4) as markov_right,
    count(e.is_accepted) filter (not u.is_usual) as n_markov_wrong,
    round(avg(e.is_accepted::integer) filter (not u.is_usual), 4) as markov_wrong,
    count(e.is_accepted) filter (q.is_decidable) as n_decidable,
    round(avg(e.is_accepted::integer) filter (q.is_decidable), 4) as decidable,
    count(e.is_accepted) filter (not q.is_decidable) as n_undecidable,
    round(avg(e.is_accepted::integer) filter (not q.is_decidable), 4) as undecidable
from evaluation as e
inner join world_questions as q using (question_id)
left join usual as u using (question_id)
where q.task = 'pp' and not regexp_full_match(e.model, '(person|solver|simulated)_[1-9][0-9]*')
group by q.world_source, q.condition, e.model
having count(e.is_accepted) > 0
order by q.world_source, q.condition, world_model;

comment on column world_by_orders.world_source is
'embedded, or the step file whose annotations the questions are made from';
comment on column world_by_orders.condition is 'where clips come from: same, view or equivalent';
comment on column world_by_orders.world_model is 'baseline or model that answered';
comment on column world_by_orders.n_scored is 'questions that the accuracy is about';
comment on column world_by_orders.accuracy is 'share of right answers; chance is 0.25';
comment on column world_by_orders.n_markov_right is 'questions that usual orders answer';
comment on column world_by_orders.markov_right is 'accuracy on them';
comment on column world_by_orders.n_markov_wrong is 'questions that usual orders answer wrong';
comment on column world_by_orders.markov_wrong is 'accuracy on them';
comment on column world_by_orders.n_decidable is
'questions all of whose wrong plans break an order that was never reversed';
comment on column world_by_orders.decidable is 'accuracy on them';
comment on column world_by_orders.n_undecidable is 'questions of which that is not so';
comment on column world_by_orders.undecidable is 'accuracy on them';
