-- evaluation: one row per model, variant and question.
-- Reads: lake_evaluation, the partitions of the lake in their order.
-- Rule:  a missing answer has null scores. One that could not be parsed has zeros under profile
--        paper, and null scores under profile release, which leaves it out.
create table evaluation as
select * from lake_evaluation;
