"""Playback that writes HDF5."""

from omnigibson.envs.data_wrapper import DataPlaybackWrapper


class HDF5PlaybackWrapper(DataPlaybackWrapper):
    def create_dataset(self):
        pass
