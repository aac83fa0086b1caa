"""The robot of the BEHAVIOR challenge."""

from omnigibson.prims.rigid_prim import RigidPrim
from omnigibson.robots.manipulation_robot import ManipulationRobot


class R1Pro(ManipulationRobot):
    @staticmethod
    def head_links(name):
        return {"zed_link": RigidPrim(name, "zed_link", (1.0, 2.0, 1.5))}
