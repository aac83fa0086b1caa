"""What a camera sees: projections, the pose of a logged frame, masks by casting rays."""
