-- model_accuracies: one row per variant, kind, length, metric and model.
-- Reads: lake_model_accuracies, the partitions of the lake in their order.
-- Rule:  length is null for all lengths together; never add that row to the others. Being tied is
--        not transitive, so places of models overlap.
create table model_accuracies as
select * from lake_model_accuracies;
