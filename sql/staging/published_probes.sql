-- published_probes: one row per model of the paper, panel, variant and kind.
-- Reads: lake_published_probes.
-- Rule:  published, not measured: the paper's figures 4 and 17, with two decimals: a p-value
--        of 0 is one below 0.005.
create table published_probes as
select * from lake_published_probes;
