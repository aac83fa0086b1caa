"""A camera: every object is a stripe four pixels wide, unless ``Hidden`` holds of it."""

import json
import os
from pathlib import Path

import numpy as np
import omnigibson as og
from omnigibson import lazy
from omnigibson.sensors.sensor_base import BaseSensor


class _Tensor:
    def __init__(self, array):
        self._array = array

    def cpu(self):
        return self

    def numpy(self):
        return self._array


class VisionSensor(BaseSensor):
    def __init__(
        self,
        relative_prim_path,
        name,
        modalities=["rgb"],  # noqa: B006 - as the real one
        enabled=True,
        noise=None,
        load_config=None,
        image_height=128,
        image_width=128,
        focal_length=17.0,  # Default 17.0 since this is roughly the human eye focal length
        clipping_range=(0.001, 10000000.0),
        viewport_name=None,
    ):
        super().__init__(name)
        self.path, self.modalities = relative_prim_path, list(modalities)
        self.shape = (image_height, image_width)
        self.focal_length, self._aperture = focal_length, 20.955

    def mount(self, position, orientation, scene_path):
        """On its link, which stands upright."""
        link = og.sim.scenes[0].robots[0].links.get(scene_path.split("/")[-2])
        base = link.get_position_orientation()[0] if link else np.zeros(3)
        self.position = position
        self._position, self._orientation = (base + position).tolist(), orientation

    @property
    def horizontal_aperture(self):
        return self._aperture

    @horizontal_aperture.setter
    def horizontal_aperture(self, length):
        self._aperture = length

    def _get_obs(self):
        scene = og.sim.scenes[0]
        robot = scene.robots[0]
        colours = [
            m.diffuse_color_constant for m in robot.materials if len(m.shader_input_names) > 1
        ]
        seen = {
            "frame": scene.frame,
            "modalities": self.modalities,
            "n_renders": og.sim.n_renders,
            "path": self.path,
            "position": self.position,
            "aperture": self._aperture,
            "attributes": self.prim.attributes,
            "settings": lazy.SETTINGS,
            "colours": colours,
            "holding": [list(scene.facts[k]) for k in sorted(scene.holding)],
        }
        if "FAKE_OMNIGIBSON_LOG" in os.environ:
            with Path(os.environ["FAKE_OMNIGIBSON_LOG"]).open("a") as file:
                file.write(json.dumps(seen) + "\n")
        found, about = {}, {}
        if "rgb" in self.modalities:
            picture = np.zeros((*self.shape, 4), np.uint8)
            picture[..., 0] = scene.frame
            picture[..., 1] = int(255 * colours[0][0])
            picture[..., 3] = 255
            found["rgb"] = _Tensor(picture)
        if "seg_instance" in self.modalities:
            labels, names = np.zeros(self.shape, np.int32), {0: "background", 1: "unlabelled"}
            for k, name in enumerate(sorted({*scene.registry, *scene.systems})):
                if not scene.holds("Hidden", name, None) and not self._lags(scene, name):
                    labels[2:, 4 * k : 4 * k + 4] = k + 2
                    names[k + 2] = name
            found["seg_instance"], about["seg_instance"] = _Tensor(labels), names
        return found, about

    def _lags(self, scene, name):
        """Segmentation shows what ``Lags`` holds of after five renders only."""
        return scene.holds("Lags", name, None) and og.sim.n_renders < scene.loaded_at + 5
