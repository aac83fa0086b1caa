-- published_mismatch_rates: one row per model of the paper and level.
-- Reads: lake_published_mismatch_rates.
-- Rule:  published, not measured: the paper's table 13, over both kinds.
create table published_mismatch_rates as
select * from lake_published_mismatch_rates;
