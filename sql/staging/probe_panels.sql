-- probe_panels: one row per model, panel, variant, kind and length, with p-values corrected.
-- Reads: lake_probe_panels, the partitions of the lake in their order.
-- Rule:  a family are the variants and kinds of a panel, of one model at one length; length null
--        (all lengths) is a family of its own. Cells without a p-value do not count as tests.
create table probe_panels as
select * from lake_probe_panels;
