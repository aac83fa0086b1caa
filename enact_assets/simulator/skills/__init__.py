"""What the robot can do: motions of hands and base, and the skills made of them."""
