-- qa: one row per question.
-- Reads: lake_qa, the partitions of the lake in their order.
-- Rule:  every question written stands here; question_set says which of them are asked.
create table qa as
select * from lake_qa;
