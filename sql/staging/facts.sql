-- facts: one row per maximal interval in which an atomic fact holds.
-- Reads: lake_facts, the partitions of the lake in their order.
-- Rule:  intervals are half open: a fact holds from frame_from up to, not including, frame_to.
create table facts as
select * from lake_facts;
