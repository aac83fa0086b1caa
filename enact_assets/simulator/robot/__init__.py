"""The robot: its meshes, its arms by inverse kinematics, and where its base stands."""
