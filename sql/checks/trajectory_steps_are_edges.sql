-- trajectory_steps_are_edges: one row per step of a trajectory that its graph does not have.
-- Reads: trajectories, transition_graph.
-- By:    demonstration.
-- Fix:   materialize trajectories of these demonstrations again: their graph is newer, or older.
with steps as (
    select
        demonstration, gating, trajectory_id, length, key_frames,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to
    from trajectories
)

select demonstration, gating, trajectory_id, key_frame_from, key_frame_to
from steps
anti join transition_graph using (demonstration, gating, key_frame_from, key_frame_to)
union all
select demonstration, gating, trajectory_id, null, null
from trajectories
where len(key_frames) <> length or len(frames) <> length
order by all;
