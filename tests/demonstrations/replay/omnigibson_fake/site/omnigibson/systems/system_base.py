"""Particle systems: they have particles while the scene says ``Particles`` of them."""


class BaseSystem:
    def __init__(self, scene, name):
        self._scene, self._name = scene, name

    @property
    def name(self):
        return self._name

    @property
    def n_particles(self):
        return 12 if self._scene.holds("Particles", self.name, None) else 0
