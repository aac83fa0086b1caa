-- objects: one row per object of a demonstration.
-- Reads: lake_objects, the partitions of the lake in their order.
-- Rule:  object_name is unique in its demonstration only; category is what objects share.
create table objects as
select * from lake_objects;
