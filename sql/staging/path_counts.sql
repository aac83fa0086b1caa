-- path_counts: one row per length and end key frame.
-- Reads: lake_path_counts, the partitions of the lake in their order.
-- Rule:  n_paths is text, because counts outgrow 64 bits: cast it to bignum.
create table path_counts as
select * from lake_path_counts;
