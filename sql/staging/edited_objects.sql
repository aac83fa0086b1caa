-- edited_objects: one row per valid edge and object that its visible change names.
-- Reads: lake_edited_objects, the partitions of the lake in their order.
-- Rule:  pixels is what decides whether it can be seen; empty for gatings of profile release.
create table edited_objects as
select * from lake_edited_objects;
