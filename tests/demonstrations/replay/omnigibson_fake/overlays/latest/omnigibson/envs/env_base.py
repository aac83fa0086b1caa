def _task(configs):
    """One scope per environment, of objects and systems themselves."""
    if configs.get("task", {}).get("type") != "BehaviorTask":
        return SimpleNamespace()
    scene, scene_file = og.sim.scenes[0], configs["scene"]["scene_file"]
    names = scene_file.get("fake_scope") or scene_file["objects_info"]["init_info"]
    there = {**scene.registry, **scene.systems}
    return SimpleNamespace(object_scopes=[{f"{name}.n.01_1": there.get(name) for name in names}])


class Environment:
    def step(self):
        og.sim.scenes[0].robots[0].apply_action(action)
        og.sim.scenes[0].maybe_wait()
        og.sim.scenes[0].maybe_crash()
        return [{}], [0.0], [False], [False], [{}]

    def get_obs(self):
        return [{}], [{}]

    @property
    def external_sensors(self):
        return [self._external_sensors]
