class SceneGraphDataPlaybackWrapper(DataPlaybackWrapper):
    @classmethod
    def create_from_hdf5(cls):
        raise NotImplementedError("it asks its own scene graph in every step")

    def playback_episode(self):
        raise NotImplementedError
