"""A robot of a class of its own."""

from omnigibson.robots.manipulation_robot import ManipulationRobot


class R1(ManipulationRobot):
    pass
