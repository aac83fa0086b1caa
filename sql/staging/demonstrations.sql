-- demonstrations: one row per demonstration.
-- Reads: lake_demonstrations, the partitions of the lake in their order.
-- Rule:  a demonstration stands here as soon as it is replayed, with or without questions.
create table demonstrations as
select * from lake_demonstrations;
