-- fact_intervals_are_ordered: one row per fact that ends before it starts or leaves its replay.
-- Reads: facts, demonstrations.
-- By:    demonstration.
-- Fix:   the recording contradicts itself: replay these demonstrations again.
select facts.demonstration, predicate, subject, object, frame_from, frame_to, n_frames
from facts
left join demonstrations using (demonstration)
where not coalesce(0 <= frame_from and frame_from < frame_to and frame_to <= n_frames, false)
order by all;
