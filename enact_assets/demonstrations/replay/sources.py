"""The protocol of a source of demonstrations, and how one is found for a name.

The sources themselves are in ``demonstrations/pictures/demonstration_sources.py``: making pictures
is downstream of replaying.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import ReplayError, UnknownNameError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.settings.classes import Variant


@dataclass(frozen=True)
class PictureRequest:
    """Key frames of one demonstration that need a picture under ``variant``.

    ``demonstrations`` is its row of that table, ``wanted`` its rows of ``wanted_frames`` or
    ``segmented_frames``. ``read_states`` reads its table ``states``, which is large and of use to
    few sources. ``on_progress`` gets the number of pictures; ``workers`` processes may work at the
    same time.
    """

    demonstrations: pl.DataFrame
    wanted: pl.DataFrame
    variant: Variant
    store: ImageStore
    read_states: Callable[[], pl.DataFrame]
    on_progress: OnProgress = unheard
    workers: int = 1

    @property
    def demonstration(self) -> str:
        """Its name. Errors: :class:`ReplayError` unless exactly one is given."""
        if self.demonstrations.height != 1:
            raise ReplayError(
                f"expected one demonstration, the table has {self.demonstrations.height} rows"
            )
        return str(self.demonstrations.item(0, "demonstration"))


class ReplaySource(Protocol):
    """One kind of demonstrations: where they are, their replay tables, their pictures.

    A demonstration carries the ``name`` of its source in column ``source`` of table
    ``demonstrations``; that source makes its pictures later. Sources are asked from many processes:
    keep them small and without open files.
    """

    @property
    def name(self) -> str:
        """Value of column ``source``."""
        ...

    def demonstrations(self) -> list[str]:
        """Existing demonstrations, sorted; empty for a source that makes them on demand."""
        ...

    def has(self, demonstration: str) -> bool:
        """Whether it can replay ``demonstration``; raises no errors."""
        ...

    def explain(self, demonstration: str) -> str:
        """Why it has no such demonstration, and how to add one, in a sentence or two."""
        ...

    def replay(self, demonstration: str, on_progress: OnProgress) -> ReplayTables:
        """Its replay tables, which ``check_replay`` accepts.

        Errors: of :class:`EnactError`, saying where, what and what to do.
        """
        ...

    def pictures(self, request: PictureRequest) -> pl.DataFrame:
        """Table ``frame_images``: the picture of every wanted key frame, each put into the store.

        Asked only where ``is_shown`` says yes. Errors: :class:`RenderError` names demonstration
        and frame; pictures finished before are kept.
        """
        ...


@dataclass(frozen=True)
class Sources:
    """All sources, in the order in which they are asked for a name."""

    members: Sequence[ReplaySource]

    def find(self, demonstration: str) -> ReplaySource:
        """The first source that has ``demonstration``.

        Errors: :class:`UnknownNameError` with what each source says about it.
        """
        for source in self.members:
            if source.has(demonstration):
                return source
        raise UnknownNameError(
            " ".join(filter(None, (s.explain(demonstration) for s in reversed(self.members))))
        )

    def named(self, name: str) -> ReplaySource:
        """The source whose demonstrations say ``name``. Errors: :class:`UnknownNameError`."""
        for source in self.members:
            if source.name == name:
                return source
        raise UnknownNameError.of(
            "source",
            name,
            (source.name for source in self.members),
            "The lake holds a demonstration that another version made.",
        )


def replay(demonstration: str, sources: Sources, on_progress: OnProgress = unheard) -> ReplayTables:
    """Replay tables of ``demonstration``, by the first source that has it.

    Errors: :class:`UnknownNameError` for an unknown name, otherwise those of the source, such as
    :class:`RecordingError` or :class:`SimulationError`.
    """
    return sources.find(demonstration).replay(demonstration, on_progress)
