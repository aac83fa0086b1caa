"""As much of OmniGibson 1.1.1 as our player uses, over a world that is a list of facts.

``omnigibson_fakes.py`` makes a package of it for each row of ``versions.json``, which has modules,
parameters, what differs between versions, and what is not here: classes without a body, properties
that give the attribute of their name, functions that nobody calls.

The scene file of a demonstration lists objects and every fact that may hold; a row of ``state``
says which hold now. Habits of the real one that our player has to live with are kept.
FAKE_OMNIGIBSON_LOG names a file that hears what cameras saw, one JSON line each;
FAKE_OMNIGIBSON_CRASH is ``frame:times:file``: the process kills itself at that frame, that often;
FAKE_OMNIGIBSON_WAIT is ``frame:file``: it waits there until the file exists.
"""

import json
import os
import signal
import tempfile
import time
from enum import IntEnum
from hashlib import md5
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import omnigibson as og
from omnigibson import lazy, object_states  # noqa: F401 # in signatures

DIFFERS = {}  # what the row says that this version does
__version__ = DIFFERS["number"]
sim = None
tempdir = tempfile.mkdtemp()


class MacroDict(dict):
    """Switches, which cannot be set once read; reading one that is not there makes an empty one."""

    def __init__(self, values):
        super().__init__(values)
        self.__dict__["_read"] = set()

    def __getattr__(self, name):
        self._read.add(name)
        return self.setdefault(name, {})

    def __setattr__(self, name, value):
        if name in self._read:
            raise AttributeError(f"Cannot set attribute {name}: it has already been used.")
        self[name] = value


def data_paths():
    found = {name: os.environ.get(f"OMNIGIBSON_{name}", "") for name in DIFFERS["data"]}
    if "DATA_PATH" in found:
        assert os.path.exists(found["DATA_PATH"]), f"Data path {found} does not exist!"
    return found


gm = MacroDict(DIFFERS["switches"] | data_paths())
SETTINGS = {}
_settings = SimpleNamespace(set=SETTINGS.__setitem__)
carb = SimpleNamespace(settings=SimpleNamespace(get_settings=lambda: _settings))
_types = SimpleNamespace(Token="token", Float="float")  # noqa: S106 # no password
pxr = SimpleNamespace(Sdf=SimpleNamespace(ValueTypeNames=_types))


class PrimType(IntEnum):
    RIGID = 0
    CLOTH = 1


class IsGraspingState(IntEnum):
    TRUE = 1
    UNKNOWN = 0
    FALSE = -1


class ControllerGroups:
    """Controllers of all environments, in groups."""

    groups = {}  # noqa: RUF012 # as the real one

    @classmethod
    def get_controller(cls, group_key):
        return cls.groups[group_key]

    @classmethod
    def get_goal(cls, group_key, controller_idx):
        assert controller_idx == 0
        return cls.groups[group_key].goal


class UsdPrim(dict):
    def CreateAttribute(self, name, kind):  # noqa: N802 - USD's name
        assert kind in ("token", "float")
        return SimpleNamespace(Set=lambda value: self.update({name: value}))


class BasePrim:
    def __init__(self, name, position=(0.0, 0.0, 0.0)):
        self._name, self._prim = name, UsdPrim()
        self._position, self._orientation = list(position), [0.0, 0.0, 0.0, 1.0]

    def get_position_orientation(self):
        return np.array(self._position), np.array(self._orientation)


class RigidPrim(BasePrim):
    def __init__(self, owner, name, position=(0.0, 0.0, 0.0)):
        super().__init__(name, position)
        self.prim_path = f"/{owner}/{name}"


class MaterialPrim:
    """It takes a colour unless a texture hides it, and if it has such an input."""

    def __init__(self, **inputs):
        self.__dict__["_shader_input_names"] = set(inputs)
        for name, value in inputs.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        assert name.strip("_") in self._shader_input_names
        super().__setattr__(name, value)


CLASSES = {}  # name of a state -> its class


class BaseObjectState:
    """Whether a fact of the scene holds now."""

    def __init__(self, obj, scene):
        self.obj, self.scene = obj, scene

    def __init_subclass__(cls):
        CLASSES[cls.__name__] = cls

    def get_value(self):
        predicate, scene, (robot,) = type(self).__name__, self.scene, self.scene.robots
        if predicate == "ContactBodies":  # fingers of arms of which Touches:<arm> holds
            arms = [a for a in robot.arm_names if scene.holds(f"Touches:{a}", self.obj.name, None)]
            return {finger for arm in arms for finger in robot.finger_links[arm]}
        other = args[0] if args else None
        if predicate in ("Contains", "Covered") and other.n_particles == 0:
            return False
        if predicate == "Covered" and not scene.is_visual_particle_system(other.name):
            assert self.obj.prim_type != PrimType.CLOTH, "Cloth objects currently cannot be Covered"
        names = [self.obj.name, other and other.name]  # touching holds both ways
        back = predicate == "Touching" and scene.holds(predicate, *reversed(names))
        return back or scene.holds(predicate, *names)


class StatefulObject(BaseObject):
    """It has the states that all have, and every one that some fact names of it."""

    def __init__(self, scene, name, category, materials=(), prim_type=0):
        super().__init__(name)
        self.category, self._materials, self._prim_type = category, materials, PrimType(prim_type)
        self._links = {"base_link": RigidPrim(name, "base_link")}
        predicates = {p for p, subject, _ in scene.facts if subject == name}
        kinds = sorted((predicates | {"ContactBodies", "Covered", "Touching"}) & set(CLASSES))
        self._states = {CLASSES[kind]: CLASSES[kind](self, scene) for kind in kinds}


class BaseSystem:
    """A particle system, which has particles while the scene says ``Particles`` of it."""

    def __init__(self, scene, name):
        self._scene, self._name = scene, name

    @property
    def n_particles(self):
        return 12 if self._scene.holds("Particles", self.name, None) else 0


_AG_MAGIC = 1e8 + 123456
OPEN = 0.05


class ManipulationRobot(StatefulObject):
    """A robot with arms: facts ``Grasping:<arm>`` say what it holds by friction."""

    def __init__(self, scene, name, arms, grasping_mode, model=None):
        shell = MaterialPrim(diffuse_texture="shell.png", diffuse_color_constant=np.zeros(3))
        super().__init__(scene, name, "agent", materials=[shell, MaterialPrim(glass=1)])
        if (model or type(self).__name__).lower() == "r1pro":
            self._links["zed_link"] = RigidPrim(name, "zed_link", (1.0, 2.0, 1.5))
        self.scene, self._arm_names, self._mode = scene, arms, grasping_mode
        self._finger_links = {arm: [RigidPrim(name, f"{arm}_finger")] for arm in arms}
        self._goals = dict.fromkeys(arms, OPEN)
        self.hold({})

    def apply_action(self, action):
        self._goals = dict(zip(self._arm_names, map(float, action[2:])))

    @property
    def controllers(self):
        limits, found = (np.zeros(1, np.float32), np.full(1, OPEN, np.float32)), {}
        for arm, target in self._goals.items():
            goal = {"target": np.array([target], np.float32)}
            found[f"gripper_{arm}"] = SimpleNamespace(goal=goal, _command_output_limits=limits)
        return found

    def _paths_of(self, predicate):
        found = [o for o in self.scene.objects if self.scene.holds(predicate, o.name, None)]
        return {link.prim_path for thing in found for link in thing.links.values()}

    def _find_gripper_contacts(self):
        return self._paths_of(f"Touches:{arm}"), {}

    def _find_gripper_raycast_collisions(self):
        return self._paths_of(f"Hit:{arm}")

    def is_grasping(self):
        if self._mode != "physical":
            params = self._ag_obj_constraint_params[arm]
            return IsGraspingState(1 if params and params["target_obj"] is candidate_obj else -1)
        told = f"Grasping:{arm}", self.name
        held = [o for o in self.scene.objects if self.scene.holds(*told, o.name)]
        # As the real one: what the gripper feels, or a boolean about one object.
        return candidate_obj in held if held else IsGraspingState.UNKNOWN

    def hold(self, held):
        """By a fixed joint, as the state says from 3.9 on: arm -> object."""
        params = {arm: {"target_obj": thing} for arm, thing in held.items()}
        self._ag_obj_constraint_params = dict.fromkeys(self._arm_names) | params

    def held_in(self, row):
        """What a row says, and its length: whether, a hash, and sixteen numbers more per arm."""
        if not DIFFERS["grasps"] or self._mode == "physical" or row[:1] != [_AG_MAGIC]:
            return {}, 0
        things = {int(md5(o.name.encode()).hexdigest(), 16) % 10**8: o for o in self.scene.objects}
        by_hash = {float(np.float32(number)): thing for number, thing in things.items()}
        blocks = [row[1 + 18 * k :][:2] for k in range(len(self._arm_names))]
        arms = zip(self._arm_names, blocks)
        return {arm: by_hash[of] for arm, (is_held, of) in arms if is_held}, 1 + 18 * len(blocks)


class Scene:
    """Objects, and which facts hold by the states that were loaded."""

    def __init__(self, scene_file):
        self.facts = [tuple(fact) for fact in scene_file["fake_facts"]]
        self.frame, self.holding = -1, set(scene_file["fake_state"])
        self._objects, self._robots, self._active_systems = [], [], {}
        for name, info in scene_file["objects_info"]["init_info"].items():
            self.add_object({**info, "args": {**info["args"], "name": name}})

    restore = __init__  # as the real one: what is there already may be made anew

    def there(self):
        return {o.name: o for o in self._objects} | self._active_systems

    def add_object(self, info):
        args, name = info["args"], info["args"]["name"]
        assert name not in self.there(), f"{name} is there already"
        if info["class_module"].startswith("omnigibson.robots"):
            assert args["obs_modalities"] == [], "cameras of the robot cost time"
            kind = getattr(import_module(info["class_module"]), info["class_name"])
            mode, model = args.get("grasping_mode", "physical"), args.get("model")
            self._robots.append(made := kind(self, name, args["arms"], mode, model))
        else:
            made = StatefulObject(self, name, args["category"], prim_type=args.get("prim_type", 0))
        made.is_remover = "particleRemover" in args.get("abilities", {})
        made._position = args.get("fake_position", made._position)
        self._objects.append(made)

    def remove_object(self, name):
        self._objects.remove(self.there()[name])
        self.forget(name)

    def change_systems(self, add, remove):
        for name in add:
            if not self.type_of(name).startswith("macro_") and not gm.USE_GPU_DYNAMICS:
                raise ValueError(f"Failed to initialize {name} system.")
            self._active_systems[name] = BaseSystem(self, name)
        for name in remove:
            del self._active_systems[name]
            self.forget(name)

    def forget(self, name):
        self.holding -= {k for k, fact in enumerate(self.facts) if fact[1] == name}

    def type_of(self, system):
        folder = gm.get("DATASET_PATH") or f"{gm['DATA_PATH']}/behavior-1k-assets"
        file = Path(folder) / "systems" / system / "metadata.json"
        return json.loads(file.read_text())["type"] if file.exists() else "fluid"

    def is_visual_particle_system(self):
        return self.type_of(system_name) == "macro_visual_particle"

    def holds(self, *fact):
        return fact in self.facts and self.facts.index(fact) in self.holding

    def read(self, row):
        row = row[DIFFERS["pose"] :].tolist()  # then frame, number of facts, which and whether
        read = 2 + 2 * int(row[1])
        facts = [(int(k), bool(v)) for k, v in zip(row[2:read:2], row[3:read:2])]
        for k, _ in facts:
            assert self.facts[k][1] in self.there(), f"Could not find object of {self.facts[k]}"
        read += sum(o.is_remover for o in self._objects) if gm.USE_GPU_DYNAMICS else 0
        held, more = self._robots[0].held_in(row[read:])
        assert read + more == len(row), f"Invalid state deserialization occurred! {len(row)} values"
        return int(row[0]), facts, held

    def load(self, state):
        self.frame, facts, held = state
        for k, value in facts:  # what sleeps is not among them, and stays as it is
            (self.holding.add if value else self.holding.discard)(k)
        self._robots[0].hold(held)

    def dump(self):
        there, params = self.there(), self._robots[0]._ag_obj_constraint_params
        facts = [(k, k in self.holding) for k, f in enumerate(self.facts) if f[1] in there]
        return self.frame, facts, {arm: p["target_obj"] for arm, p in params.items() if p}

    def pause(self):
        """Wait or crash, if that is asked for."""
        frame, file = os.environ.get("FAKE_OMNIGIBSON_WAIT", "-1:").split(":", 1)
        deadline = time.monotonic() + 300
        while self.frame == int(frame) and not Path(file).exists():
            assert time.monotonic() < deadline, "nobody said to go on"
            time.sleep(0.02)
        frame, times, file = os.environ.get("FAKE_OMNIGIBSON_CRASH", "-1:0:").split(":", 2)
        done = Path(file).read_text() if Path(file).is_file() else ""
        if self.frame == int(frame) and len(done) < int(times):
            Path(file).write_text(f"{done}x")
            print("a crash of the fake", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)


class Tensor:
    def __init__(self, array):
        self.cpu, self.numpy = lambda: self, lambda: array


class VisionSensor(BaseSensor):
    """A camera: every object is a stripe four pixels wide, unless ``Hidden`` holds of it."""

    def __init__(self):
        super().__init__(name)
        self.path, self.modalities = relative_prim_path, list(modalities)
        self.shape, self._horizontal_aperture = (image_height, image_width), 20.955

    def get_position_orientation(self):
        """On its link, which stands upright."""
        link = og.sim.scenes[0].robots[0].links[self.path.split("/")[-2]]
        return np.add(link._position, self.position), np.array(self._orientation)

    def get_obs(self):
        scene = og.sim.scenes[0]
        colour = scene.robots[0].materials[0].diffuse_color_constant.tolist()
        seen = {
            "frame": scene.frame,
            "modalities": self.modalities,
            "n_renders": og.sim.n_renders,
            "path": self.path,
            "position": self.position,
            "aperture": self.horizontal_aperture,
            "attributes": self.prim,
            "settings": lazy.SETTINGS,
            "colours": [colour],
            "holding": [list(scene.facts[k]) for k in sorted(scene.holding)],
        }
        if "FAKE_OMNIGIBSON_LOG" in os.environ:
            with Path(os.environ["FAKE_OMNIGIBSON_LOG"]).open("a") as file:
                file.write(json.dumps(seen) + "\n")
        picture = np.full((*self.shape, 4), (scene.frame, int(255 * colour[0]), 0, 255), np.uint8)
        labels, names = np.zeros(self.shape, np.int32), {0: "background", 1: "unlabelled"}
        for k, name in enumerate(sorted(scene.there())):
            lags = scene.holds("Lags", name, None) and og.sim.n_renders < 5
            if not lags and not scene.holds("Hidden", name, None):
                labels[2:, 4 * k : 4 * k + 4] = k + 2
                names[k + 2] = name
        found = {"rgb": Tensor(picture), "seg_instance": Tensor(labels)}
        return {name: found[name] for name in self.modalities}, {"seg_instance": names}


def create_sensor():
    assert sensor_type == "VisionSensor"
    return VisionSensor(relative_prim_path, name, modalities, enabled, **(sensor_kwargs or {}))


class Simulator:
    def __init__(self, scene_file):
        self.scenes, self.n_renders = [Scene(scene_file)], 0
        is_on = dict.fromkeys(("reflections", "indirectDiffuse", "ambientOcclusion"), True)
        for effect, is_set in (is_on | {"directLighting/sampledLighting": False}).items():
            lazy.SETTINGS[f"/rtx/{effect}/enabled"] = is_set == gm.ENABLE_HQ_RENDERING

    def render(self):
        self.n_renders += 1

    def load_state(self):
        self.scenes[0].load(self.scenes[0].read(state) if serialized else state)
        self.n_renders = 0

    def dump_state(self, serialized):
        return self.scenes[0].dump()


class EnvironmentWrapper:
    """Wrappers hand on what they do not have, and set what the wrapped one has on it."""

    def __init__(self):
        self.env = env
        self.wrapped_obj = env

    def __getattr__(self, name):
        if name == "wrapped_obj":
            raise AttributeError("wrapped_obj attribute not initialized yet!")
        return getattr(self.wrapped_obj, name)

    def __setattr__(self, key, value):
        wrapped = self.__dict__.get("wrapped_obj")
        object.__setattr__(wrapped if hasattr(wrapped, key) else self, key, value)

    def step(self):
        return self.env.step(action)


class Environment:
    """One scene and its external sensors."""

    def __init__(self):
        assert gm.HEADLESS
        assert not configs["env"].get("automatic_reset")
        scene_file = configs["scene"]["scene_file"]
        og.sim = Simulator(scene_file)
        self._scene, self.task, sensors = og.sim.scenes[0], SimpleNamespace(), {}
        for given in map(dict, configs["env"]["external_sensors"]):
            pose = given.pop("position"), given.pop("orientation")
            assert (given.pop("pose_frame"), given.pop("include_in_obs")) == ("parent", False)
            sensors[given["name"]] = sensor = create_sensor(**given)
            sensor.position, sensor._orientation = pose
        self._external_sensors = [sensors] if DIFFERS["lists"] else sensors
        if configs.get("task", {}).get("type") == "BehaviorTask":
            names = scene_file.get("fake_scope") or scene_file["objects_info"]["init_info"]
            scope = {f"{name}.n.01_1": self._scene.there().get(name) for name in names}
            wrapped = {name: SimpleNamespace(wrapped_obj=of) for name, of in scope.items()}
            lists, plain = {"object_scopes": [scope]}, {"object_scope": wrapped}
            self.task = SimpleNamespace(**(lists if DIFFERS["lists"] else plain))

    def step(self):
        self.scene.robots[0].apply_action(action)
        self.scene.pause()
        answers = {}, 0.0, False, False, {}
        return [[one] for one in answers] if DIFFERS["lists"] else answers


NOTHING = {kind: {"add": [], "remove": []} for kind in ("systems", "objects")}


class DataPlaybackWrapper(EnvironmentWrapper):
    """Every episode begins with the scene file; objects come and go before their state."""

    @classmethod
    def create_from_hdf5(cls):
        assert cls.__name__ == DIFFERS["playback"], "abstract"
        assert not gm.ENABLE_TRANSITION_RULES
        data = h5py.File(input_path, "r")["data"]
        config, scene_file = (json.loads(data.attrs[name]) for name in ("config", "scene_file"))
        config["scene"]["scene_file"] = scene_file
        config["env"]["external_sensors"] = external_sensors_config
        made = cls(Environment(config))
        made.data, made.scene_file, made.n_render_iterations = data, scene_file, n_render_iterations
        return made

    def begun(self, episode_id, *groups):
        """What is read of an episode; from 3.7 on, nothing but a word if anything is missing."""
        demo = self.data[f"demo_{episode_id}"]
        try:
            transitions = json.loads(demo.attrs["transitions"])
            state, size, actions = (demo[name][:] for name in ("state", "state_size", "action"))
            more = [demo[name] for name in ("reward", "terminated", "truncated", *groups)]
        except KeyError as error:
            if not groups:
                raise
            print(f"Error: {error}")
            return [], [], [], []
        self.scene.restore(self.scene_file)
        for group in more[3:]:
            assert {len(values[:]) for values in group.values()} == {len(self.scene.objects)}
        og.sim.load_state(state[0, : int(size[0])], serialized=True)
        return transitions, state, size, actions

    def playback_episode(self):
        assert not record, "observations of all frames would be kept in memory"
        transitions, state, size, actions = self.begun(episode_id)
        for i, (action, s, ss) in enumerate(zip(actions, state[1:], size[1:])):
            change = transitions.get(str(i), NOTHING)
            self.scene.change_systems(**change["systems"])
            for info in change["objects"]["add"]:
                self.scene.add_object(info)
            for name in change["objects"]["remove"]:
                self.scene.remove_object(name)
            og.sim.load_state(s[: int(ss)], serialized=True)
            self.env.step(action=action, n_render_iterations=self.n_render_iterations)
