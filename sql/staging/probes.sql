-- probes: one row per model, variant, kind and length against the baseline.
-- Reads: lake_probes, the partitions of the lake in their order.
-- Rule:  length is null for all lengths together; never add that row to the others.
create table probes as
select * from lake_probes;
