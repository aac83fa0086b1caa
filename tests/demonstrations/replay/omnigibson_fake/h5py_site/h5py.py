"""As much of h5py as demonstrations need, kept in a pickle: tests must not need the real one."""

import pickle
from pathlib import Path

import numpy as np


class Dataset:
    """An array with the attributes and slices that are used."""

    def __init__(self, array):
        self.array = np.asarray(array)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)

    def __len__(self):
        return len(self.array)

    def __getitem__(self, key):
        return self.array[key].copy()

    def __setitem__(self, key, value):
        self.array[key] = value


class Group(dict):
    """Groups and data sets by name, with attributes."""

    def __init__(self):
        super().__init__()
        self.attrs = {}

    def create_group(self, name):
        return self.setdefault(name, Group())

    def create_dataset(self, name, shape=None, dtype=None, data=None, compression=None):
        self[name] = made = Dataset(np.zeros(shape, dtype) if data is None else data)
        return made


class File(Group):
    """A pickled group."""

    def __init__(self, path, mode="r"):
        super().__init__()
        self.path, self.mode = Path(path), mode
        if mode == "r":
            try:
                held, self.attrs = pickle.loads(self.path.read_bytes())
            except (pickle.UnpicklingError, EOFError, ValueError, TypeError) as error:
                raise OSError(f"unable to open {path}: {error}") from None
            self.update(held)

    def close(self):
        if self.mode == "w":
            self.path.write_bytes(pickle.dumps((dict(self), self.attrs)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
