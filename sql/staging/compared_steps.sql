-- compared_steps: one row per step of an answer that could be compared with what happened.
-- Reads: lake_compared_steps, the partitions of the lake in their order.
-- Rule:  missing and hallucinated are sets, omissions and hallucinations what is left of them once
--        pairs are formed. Answers that are unparsed or missing have no rows; nor have orders of
--        another length.
create table compared_steps as
select * from lake_compared_steps;
