-- question_orders: one row per question: how many orders are right, and what a random order scores.
-- Reads: lake_question_orders, the partitions of the lake in their order.
-- Rule:  counted over all orders, not sampled; every question written stands here.
create table question_orders as
select * from lake_question_orders;
