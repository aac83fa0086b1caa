"""As much of h5py as demonstrations need, kept in a pickle: tests must not need the real one."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np


class Dataset:
    """An array with the attributes and slices that are used."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        return self.array[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[key] = value


class Group(dict):
    """Groups and data sets by name, with attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.attrs: dict[str, Any] = {}

    def create_group(self, name: str) -> "Group":
        self[name] = Group()
        return self[name]

    def create_dataset(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        data: Any = None,
        compression: str | None = None,
    ) -> Dataset:
        self[name] = Dataset(np.zeros(shape, dtype) if data is None else data)
        return self[name]


class File(Group):
    """A pickled group."""

    def __init__(self, path: Any, mode: str = "r") -> None:
        super().__init__()
        self.path, self.mode = Path(path), mode
        if mode == "r":
            try:
                held, self.attrs = pickle.loads(self.path.read_bytes())
            except (pickle.UnpicklingError, EOFError, ValueError, TypeError) as error:
                raise OSError(f"unable to open {path}: {error}") from None
            self.update(held)

    def close(self) -> None:
        if self.mode == "w":
            self.path.write_bytes(pickle.dumps((dict(self), self.attrs)))

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
