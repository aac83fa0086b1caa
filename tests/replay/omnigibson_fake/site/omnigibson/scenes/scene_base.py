"""The scene: an object registry, and which facts the state says hold."""

import os
import signal
import time
from pathlib import Path

from omnigibson.objects.stateful_object import StatefulObject
from omnigibson.robots.manipulation_robot import ManipulationRobot
from omnigibson.systems.system_base import BaseSystem


class Scene:
    def __init__(self, scene_file):
        self.restore(scene_file)

    def restore(self, scene_file):
        """As the real one: what is there already may be made anew."""
        self.facts = [tuple(fact) for fact in scene_file["fake_facts"]]
        self.state = None
        self.registry, self.systems = {}, {}
        for name, info in scene_file["objects_info"]["init_info"].items():
            self.add(name, info)

    def add(self, name, info):
        assert name not in self.registry, f"{name} is there already"
        args = info["args"]
        if info["class_module"].startswith("omnigibson.robots"):
            assert args["obs_modalities"] == [], "cameras of the robot cost time"
            made = ManipulationRobot(self, name, args["arms"], args["grasping_mode"])
        else:
            made = StatefulObject(self, name, args["category"])
        self.registry[name] = made

    def remove(self, name):
        del self.registry[name]

    def add_system(self, name):
        self.systems[name] = BaseSystem(self, name)

    def clear_system(self, name):
        del self.systems[name]

    @property
    def frame(self):
        return int(self.state[0])

    def holds(self, predicate, subject, other):
        fact = (predicate, subject, other)
        return fact in self.facts and bool(self.state[1 + self.facts.index(fact)])

    def maybe_wait(self):
        frame, file = os.environ.get("FAKE_OMNIGIBSON_WAIT", "-1:").split(":", 1)
        deadline = time.monotonic() + 300
        while self.frame == int(frame) and not Path(file).exists():
            assert time.monotonic() < deadline, "nobody said to go on"
            time.sleep(0.02)

    def maybe_crash(self):
        frame, times, file = os.environ.get("FAKE_OMNIGIBSON_CRASH", "-1:0:").split(":", 2)
        if self.frame == int(frame):
            done = len(Path(file).read_text()) if Path(file).exists() else 0
            if done < int(times):
                Path(file).write_text("x" * (done + 1))
                print("a crash of the fake", flush=True)
                os.kill(os.getpid(), signal.SIGKILL)

    @property
    def objects(self):
        return list(self.registry.values())

    @property
    def robots(self):
        return [o for o in self.objects if o.category == "agent"]

    @property
    def active_systems(self):
        return dict(self.systems)
