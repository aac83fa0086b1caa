"""What has a state can dump and load it, as a dictionary or as numbers."""


class Serializable:
    def dump_state(self, serialized=False):
        assert not serialized, "not needed so far"
        return self._dump_state()

    def load_state(self, state, serialized=False):
        if serialized:
            size = len(state)
            state, read = self.deserialize(state)
            assert read == size, (
                f"Invalid state deserialization occurred! Expected {size} total values to be "
                f"deserialized, only {read} were."
            )
        self._load_state(state)
