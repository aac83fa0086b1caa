-- segmented_frames: one row per key frame.
-- Reads: lake_segmented_frames, the partitions of the lake in their order.
-- Rule:  frame is when the picture is taken, some frames after change_frame.
create table segmented_frames as
select * from lake_segmented_frames;
