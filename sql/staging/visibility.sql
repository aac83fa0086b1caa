-- visibility: one row per key frame and object in the baseline camera's picture.
-- Reads: lake_visibility, the partitions of the lake in their order.
-- Rule:  measured with the baseline camera, also for variants with another one.
create table visibility as
select * from lake_visibility;
