-- evaluation: one row per model, variant and question.
-- Reads: lake_evaluation, the partitions of the lake in their order.
-- Rule:  a missing answer has null scores, one that could not be parsed has zeros.
create table evaluation as
select * from lake_evaluation;
