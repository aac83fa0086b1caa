"""The robot of the BEHAVIOR challenge."""

from omnigibson.robots.manipulation_robot import ManipulationRobot


class R1Pro(ManipulationRobot):
    pass
