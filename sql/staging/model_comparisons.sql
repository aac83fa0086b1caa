-- model_comparisons: one row per variant, kind, length, metric and pair of models.
-- Reads: lake_model_comparisons, the partitions of the lake in their order.
-- Rule:  each pair stands once, in the order of names; only questions scored for both count.
create table model_comparisons as
select * from lake_model_comparisons;
