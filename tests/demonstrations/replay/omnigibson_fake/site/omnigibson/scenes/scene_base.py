"""The scene: an object registry, and which facts hold by the states that were loaded."""

import json
import os
import signal
import time
from importlib import import_module
from pathlib import Path

import omnigibson as og
from omnigibson.macros import data_set, gm
from omnigibson.objects.stateful_object import StatefulObject
from omnigibson.systems.system_base import BaseSystem
from omnigibson.utils.python_utils import Serializable


class Registry(Serializable):
    def __init__(self, scene):
        self.scene = scene

    def _dump_state(self):
        scene = self.scene
        there = {*scene.registry, *scene.systems}
        facts = [(k, k in scene.holding) for k, f in enumerate(scene.facts) if f[1] in there]
        robots = {r.name: r._dump_state() for r in scene.robots}
        return {"frame": scene.frame, "facts": facts, **robots}


class Scene(Serializable):
    def __init__(self, scene_file):
        self._registry = Registry(self)
        self.restore(scene_file)

    def restore(self, scene_file):
        """As the real one: what is there already may be made anew."""
        self.facts = [tuple(fact) for fact in scene_file["fake_facts"]]
        self.frame = -1
        self.holding = set(scene_file["fake_state"])
        self.registry, self.systems = {}, {}
        for name, info in scene_file["objects_info"]["init_info"].items():
            self.add_object({**info, "args": {**info["args"], "name": name}})

    def add_object(self, info):
        name = info["args"]["name"]
        assert name not in self.registry, f"{name} is there already"
        args = info["args"]
        if info["class_module"].startswith("omnigibson.robots"):
            assert args["obs_modalities"] == [], "cameras of the robot cost time"
            kind = getattr(import_module(info["class_module"]), info["class_name"])
            mode = args.get("grasping_mode", "physical")
            model = {"model": args["model"]} if "model" in args else {}
            made = kind(self, name, args["arms"], mode, **model)
        else:
            kind, abilities = args.get("prim_type", 0), args.get("abilities", {})
            made = StatefulObject(self, name, args["category"], prim_type=kind)
            made.has_gpu_state = "particleRemover" in abilities and gm.USE_GPU_DYNAMICS
        made._position = list(args.get("fake_position", made._position))
        self.registry[name] = made

    def remove_object(self, name):
        del self.registry[name]
        self._forget(name)

    def _forget(self, name):
        self.holding -= {k for k, fact in enumerate(self.facts) if fact[1] == name}

    def _type_of(self, system):
        file = Path(data_set()) / "systems" / system / "metadata.json"
        return json.loads(file.read_text())["type"] if file.exists() else "fluid"

    def is_visual_particle_system(self, system_name):
        return self._type_of(system_name) == "macro_visual_particle"

    def add_system(self, name):
        if not self._type_of(name).startswith("macro_") and not gm.USE_GPU_DYNAMICS:
            raise ValueError(f"Failed to initialize {name} system.")
        self.systems[name] = BaseSystem(self, name)

    def clear_system(self, name):
        del self.systems[name]
        self._forget(name)

    def holds(self, predicate, subject, other):
        fact = (predicate, subject, other)
        return fact in self.facts and self.facts.index(fact) in self.holding

    def deserialize(self, state):
        return self.facts_in(state)

    def facts_in(self, state):
        """Frame, number of facts, then which and whether; one number more per object with a state
        that needs GPU dynamics.
        """
        frame, n_facts = int(state[0]), int(state[1])
        pairs = [(int(state[2 + 2 * k]), bool(state[3 + 2 * k])) for k in range(n_facts)]
        for k, _ in pairs:
            subject = self.facts[k][1]
            there = subject in self.registry or subject in self.systems
            assert there, f"Could not find object while deserializing: {subject}"
        n_more = sum(getattr(o, "has_gpu_state", False) for o in self.registry.values())
        return {"frame": frame, "facts": pairs}, 2 + 2 * n_facts + n_more

    def _load_state(self, state):
        self.load_facts(state)

    def load_facts(self, state):
        self.frame, self.loaded_at = state["frame"], og.sim.n_renders
        for k, value in state["facts"]:  # the others stay as they are
            (self.holding.add if value else self.holding.discard)(k)
        for robot in self.robots:
            robot._load_state(state.get(robot.name, {}))

    def _dump_state(self):
        return self._registry.dump_state()

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
