"""Sensors are made from settings."""


def create_sensor(
    sensor_type,
    relative_prim_path,
    name,
    modalities="all",
    enabled=True,
    sensor_kwargs=None,
    noise_type=None,
    noise_kwargs=None,
):
    from omnigibson.sensors.vision_sensor import VisionSensor

    assert sensor_type == "VisionSensor"
    return VisionSensor(relative_prim_path, name, modalities, enabled, **(sensor_kwargs or {}))
