-- trajectories: one row per sampled key-frame trajectory.
-- Reads: lake_trajectories, the partitions of the lake in their order.
-- Rule:  rank is text, because ranks outgrow 64 bits: cast it to bignum.
create table trajectories as
select * from lake_trajectories;
