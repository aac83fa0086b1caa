-- transition_graph: one row per valid edge between two key frames.
-- Reads: lake_transition_graph, the partitions of the lake in their order.
-- Rule:  changes name object labels, segmented_frames.changes object names.
create table transition_graph as
select * from lake_transition_graph;
