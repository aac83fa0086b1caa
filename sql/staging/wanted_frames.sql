-- wanted_frames: one row per key frame and variant that is to have a picture of it.
-- Reads: lake_wanted_frames, the partitions of the lake in their order.
-- Rule:  all key frames for the baseline, else those that the variant's questions show; a wanted
--        frame may have no picture yet (frame_images says).
create table wanted_frames as
select * from lake_wanted_frames;
