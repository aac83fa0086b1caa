-- published_error_shares: one row per model of the paper, kind and structural category of error.
-- Reads: lake_published_error_shares.
-- Rule:  published, not measured: the paper's figure 5, which is about wrong answers.
create table published_error_shares as
select * from lake_published_error_shares;
