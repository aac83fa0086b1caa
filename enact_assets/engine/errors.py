"""The error tree. Catch a family or a leaf; messages say where, what, how many, what to do.

EnactError
|-- SettingsError                 the registry file or a setting in it is wrong
|   `-- UnknownNameError          an unknown activity, variant, gating, model or partition
|-- TableContractError            rows break the contract of their table
|-- LakeError                     a file of the lake cannot be used
|   |-- MissingPartitionError     it does not exist: something upstream was not materialized
|   |-- UnreadableFileError       the system refuses to read it, which is not damage
|   `-- DamagedFileError          its bytes changed since it was written: `files` lists them
|       `-- MisfitFileError       it is intact, but foreign, of another version or partition
|-- ReplayError                   a demonstration contradicts itself
|   |-- IntervalError             an interval ends before it starts, or overlaps its own fact
|   |-- ExistenceError            an object takes part in a fact while it does not exist
|   |-- RecordingError            a recorded replay cannot be read: names file, frame and field
|   |   |-- AnnotationError       an annotated video has problems: `problems` lists them
|   |   `-- StepFileError         a file of annotated steps cannot be read
|   `-- PlaybackError             OmniGibson could not play a demonstration back
|-- SimulationError               the embedded simulator could not produce a demonstration
|   |-- ActivityError             an activity cannot be loaded or built, or names unknown objects
|   |-- StageError                the objects and facts of a stage contradict each other
|   |-- PhysicsError              MuJoCo warned, or things flew apart: the state is unreliable
|   |-- PlanError                 a step of the plan could not be carried out
|   `-- GoalError                 the plan ran, but the goal was not reached
|-- RenderError                   a picture or a mask could not be made
|-- TrajectoryError               a rank or a length without a trajectory
|-- PairError                     profile `release` has no change between two key frames
|-- QuestionError                 a question cannot be written from the given data
|   `-- QuestionFileError         a file of questions or answers cannot be read
|-- PredictionError               a model could not be asked
|-- PeopleError                   the database of answers by people cannot be used
|-- EvaluationError               answers and questions do not belong together
|-- WarehouseError                the DuckDB file could not be built or read
|   `-- CheckError                its checks found offending rows: `checks` lists the results
|-- OutputError                   a file cannot be written, or would land outside its folder
|-- GivenTextError                a given file is not UTF-8 text: `line` and `found` say where
|-- DownloadError                 published data cannot be looked up or fetched
|-- MaterializationError          a partition failed, or could not start
|-- DeclarationError              a step, table or setting is declared wrongly
`-- UndeclaredReadError           the body of a step reads an undeclared input
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class EnactError(Exception):
    """Base of every error this package raises on purpose."""


class SettingsError(EnactError):
    """The registry file, or a setting in it, is wrong."""


class UnknownNameError(SettingsError):
    """An unknown activity, variant, gating, model or partition."""

    @classmethod
    def of(cls, what: str, name: str, known: object, advice: str = "") -> "UnknownNameError":
        """Message for an unknown ``name`` of kind ``what``, listing the ``known`` ones."""
        names = ", ".join(sorted(str(k) for k in known)) or "none"  # type: ignore[attr-defined]
        return cls(f"unknown {what} {name!r} (known: {names}).{' ' + advice if advice else ''}")


def entry_named(known: Mapping[str, T], name: str, what: str, advice: str = "") -> T:
    """The entry of ``known`` for ``name``, a ``what``; raises :class:`UnknownNameError`."""
    if name not in known:
        raise UnknownNameError.of(what, name, known, advice)
    return known[name]


class TableContractError(EnactError):
    """Rows break the contract of their table."""


class LakeError(EnactError):
    """A file of the lake cannot be used."""


class MissingPartitionError(LakeError):
    """A partition is not in the lake: something upstream was not materialized."""


class UnreadableFileError(LakeError):
    """The system refuses to read a file: missing rights, too many open files or a failing disk."""


class DamagedFile(NamedTuple):
    """A file that cannot be used, and why: a partition of a table, or the picture of a hash."""

    reason: str
    table: str = ""
    partition: Mapping[str, str] | None = None
    picture: str = ""


class DamagedFileError(LakeError):
    """A file of the lake or a picture was truncated or changed; ``files`` lists them, if known."""

    def __init__(self, message: str, files: tuple[DamagedFile, ...] = ()) -> None:
        super().__init__(message, files)
        self.files = files

    def __str__(self) -> str:
        return str(self.args[0])


class MisfitFileError(DamagedFileError):
    """A file is intact, but not the partition it is named after: foreign, misplaced or outdated."""


class ReplayError(EnactError):
    """A demonstration contradicts itself."""


class IntervalError(ReplayError):
    """An interval ends before it starts, leaves the replay, or overlaps another of its fact."""


class ExistenceError(ReplayError):
    """An object takes part in a fact while it does not exist."""


class RecordingError(ReplayError):
    """A recorded replay cannot be read; the message names file, frame and field."""


class AnnotationError(RecordingError):
    """An annotation contradicts itself or its video; ``problems`` are all of them, in order."""

    def __init__(self, message: str, problems: tuple[Any, ...]) -> None:
        super().__init__(message, problems)
        self.problems = problems

    def __str__(self) -> str:
        return str(self.args[0])

    @classmethod
    def of(cls, file: object, problems: Iterable[object]) -> "AnnotationError":
        """Message for the ``problems`` of ``file``, each with its position: how many, and the
        first.
        """
        found = tuple(problems)
        counted = f"{len(found)} problems, the first in " if len(found) > 1 else ""
        return cls(f"{file}: {counted}{found[0]} `enact-assets validate {file}` lists all.", found)


class StepFileError(RecordingError):
    """A file of annotated steps, or its list of recordings, cannot be read or used."""


class PlaybackError(ReplayError):
    """OmniGibson could not play a raw demonstration back, or cannot be started at all."""


class SimulationError(EnactError):
    """The embedded simulator could not produce a demonstration."""


class ActivityError(SimulationError):
    """An activity is broken: it cannot be built, has no plan, or its goal names unknown objects."""


class StageError(SimulationError):
    """The objects and facts of a stage contradict each other; the message lists how."""


class PhysicsError(SimulationError):
    """MuJoCo warned and may have reset the state, or things flew apart: nothing is kept."""


class PlanError(SimulationError):
    """A step of the task plan could not be carried out."""


class GoalError(SimulationError):
    """The plan ran to its end and the goal of the activity does not hold."""


class RenderError(EnactError):
    """A picture or an object mask could not be made."""


class TrajectoryError(EnactError):
    """A rank or a length for which no trajectory exists."""


class PairError(EnactError):
    """The public release fails on these two key frames, so profile ``release`` fails, too."""


class QuestionError(EnactError):
    """A question cannot be written from the given data."""


class QuestionFileError(QuestionError):
    """A file of questions or answers cannot be read; the message names file, line and field."""


class PredictionError(EnactError):
    """A model could not be asked."""


class PeopleError(EnactError):
    """The database of answers by people cannot be opened, read or written."""


class EvaluationError(EnactError):
    """Answers and questions do not belong together."""


class WarehouseError(EnactError):
    """The DuckDB file could not be built or read."""


class CheckError(WarehouseError):
    """Checks of the warehouse found offending rows; ``checks`` are the results of all of them."""

    def __init__(self, message: str, checks: tuple[Any, ...]) -> None:
        super().__init__(message, checks)
        self.checks = checks

    def __str__(self) -> str:
        return str(self.args[0])


class MaterializationError(EnactError):
    """A partition failed or could not start."""


class OutputError(EnactError):
    """A file cannot be written, or would land outside the folder it was meant for."""


class AlertError(EnactError):
    """A failure could not be reported to anyone."""


class GivenTextError(EnactError):
    """A given file is not UTF-8 text: ``found`` describes the content of ``line`` (from 1)."""

    def __init__(self, line: int, found: str) -> None:
        super().__init__(line, found)
        self.line, self.found = line, found

    def __str__(self) -> str:
        return f"line {self.line}: not UTF-8 text ({self.found})"


class DownloadError(EnactError):
    """Published data cannot be looked up or fetched."""


class DeclarationError(EnactError):
    """A step, table or setting is declared wrongly."""


class UndeclaredReadError(EnactError):
    """The body of a step reads an input that is not a parameter."""
