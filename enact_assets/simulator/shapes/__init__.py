"""What a world is described by: surfaces, MJCF geoms, meshes, rotations and the world itself."""
