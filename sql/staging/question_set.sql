-- question_set: one row per question asked.
-- Reads: lake_question_set, the partitions of the lake in their order.
-- Rule:  probe questions keep their text under every variant, only pictures change.
create table question_set as
select * from lake_question_set;
