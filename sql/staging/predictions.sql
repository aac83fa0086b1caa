-- predictions: one row per model, variant and question.
-- Reads: lake_predictions, the partitions of the lake in their order.
-- Rule:  raw_answer is null if the model never answered: missing, not wrong.
create table predictions as
select * from lake_predictions;
