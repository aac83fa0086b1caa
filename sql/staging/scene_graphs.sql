-- scene_graphs: one row per fact that holds at a key frame (after smoothing).
-- Reads: lake_scene_graphs, the partitions of the lake in their order.
-- Rule:  only key frames have a graph, and Exists is a fact like any other.
create table scene_graphs as
select * from lake_scene_graphs;
