-- frame_images: one row per key frame and variant.
-- Reads: lake_frame_images, the partitions of the lake in their order.
-- Rule:  image_sha names a file that several rows may share; the pictures stay outside. Which key
--        frames have one, wanted_frames says.
create table frame_images as
select * from lake_frame_images;
