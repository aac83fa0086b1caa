"""Provenance of a running step, read when it begins and when it writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg

from enact_assets.engine.errors import DamagedFileError, EnactError, MaterializationError
from enact_assets.engine.graph import Names, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.damage import heal
from enact_assets.engine.planning.lineage import Cause, causes_now, inputs_now
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.system.contexts import holding
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.lineage.lake_states import LakeStates
from enact_assets.pipeline.lineage.vouching import refuse_unvouched
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.lost_runs import note_process
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import WHY_TAG
from enact_assets.settings.registry import load_registry

WHY_CHARACTERS = 1000
"""Most characters of a reason in a tag."""


@contextmanager
def said_first(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Within the block, an error of ours becomes the first paragraph of the run's page, and part of
    its ``enact/why``.

    Errors: ``dagster.Failure`` caused by the :class:`EnactError` of the block.
    """
    try:
        yield
    except EnactError as error:
        note_failed(context, str(error))
        raise dg.Failure(str(error), allow_retries=False) from error


def note_failed(context: dg.AssetExecutionContext, message: str) -> None:
    """Add the failure to the reason of a run, as "it was fresh" alone would contradict its page."""
    run = context.instance.get_run_by_id(context.run.run_id)
    why = run.tags.get(WHY_TAG) if run is not None else None
    half = WHY_CHARACTERS // 2
    text = f"{why[:half]}. It failed: {message[:half]}" if why else f"It failed: {message}"
    context.instance.add_run_tags(context.run.run_id, {WHY_TAG: text[:WHY_CHARACTERS]})


class Made:
    """The partition that a step is making, and the versions of its inputs when it began."""

    def __init__(
        self, spec: StepSpec, partition: Partition, states: LakeStates, names: Names
    ) -> None:
        self.names = names
        """Names that were current when the step began."""
        self._spec, self._partition, self._states = spec, partition, states
        self.inputs = self._read()
        """Versions of the step's inputs when it began."""

    def provenance(self, asset: str) -> Provenance:
        """Provenance of ``asset``: inputs and code version.

        Errors: :class:`MaterializationError` if an input changed since the step began, even one
        that another input vouches for.
        """
        now = self._read()
        changed = sorted(n for n in {*now, *self.inputs} if now.get(n) != self.inputs.get(n))
        if changed:
            raise MaterializationError(
                f"{self._spec.name} {'|'.join(self._partition)}: {changed[0]} changed while this "
                f"step ran; {asset} was not written. Materialize it again."
            )
        return Provenance(code_version(asset), self.inputs)

    def _read(self) -> dict[str, InputVersion]:
        # Settings are read again, as the step does: an edit can happen at any time.
        states = replace(self._states, registry=load_registry())
        refuse_unvouched(states, self.names, self._spec.name, self._partition)
        return inputs_now(states, self.names, self._spec.name, self._partition)


_made: ContextVar[Made] = ContextVar("enact_step")


def provenance_of(asset: str) -> Provenance:
    """Provenance of ``asset`` in the step that is running."""
    return _made.get().provenance(asset)


@dataclass(frozen=True)
class Found:
    """The state at the beginning of a run: current names, and the source of lineage."""

    names: Names
    states: LakeStates

    def causes(self, step: str, partition: Partition) -> tuple[Cause, ...]:
        """Why one partition is stale, from its inputs and code."""
        return causes_now(self.states, self.names, code_version, step, partition)

    def why(self, step: str, partition: Partition) -> str:
        """All causes in one line."""
        causes = "; ".join(map(str, self.causes(step, partition)))
        return causes or "it was fresh; requested by hand"


def found_now(context: dg.AssetExecutionContext, data: DataResource) -> Found:
    """The data root at the beginning of a run, which is tagged with its process."""
    registry = scoped_registry(Path(data.root))
    note_process(context)
    return Found(current_names(context.instance, registry), data.states(registry))


def partition_of_run(context: dg.AssetExecutionContext) -> Partition:
    """The partition in Dagster that the run makes; the first one of a range."""
    has_key = context.has_partition_key or context.has_partition_key_range
    return Partition.of_key(str(context.partition_keys[0]) if has_key else None)


def makes_several(context: dg.AssetExecutionContext) -> bool:
    """Whether the run makes a range of several partitions in Dagster."""
    return context.has_partition_key_range and len(context.partition_keys) > 1


def is_why_wanted(context: dg.AssetExecutionContext) -> bool:
    """Whether the tags of the run lack its reason."""
    return WHY_TAG not in context.run.tags or context.run.parent_run_id is not None


def note_why(context: dg.AssetExecutionContext, why: str) -> None:
    """Tag the run with its reason, unless it was planned and has the tag already.

    Dagster copies tags of a failed run to its retry, which gets a new reason.
    """
    if is_why_wanted(context):
        context.instance.add_run_tags(context.run.run_id, {WHY_TAG: why[:WHY_CHARACTERS]})


@contextmanager
def making(context: dg.AssetExecutionContext, data: DataResource, name: str) -> Iterator[Made]:
    """Within the block, written rows get provenance: step ``name`` and the current inputs.

    A file that the block finds damaged is set aside, so that its partition is made again. Errors:
    as :func:`said_first`.
    """
    with said_first(context):
        found, partition = found_now(context, data), partition_of_run(context)
        if is_why_wanted(context):
            note_why(context, found.why(name, partition))
        with making_partition(found, data, name, partition) as made:
            yield made


@contextmanager
def making_partition(
    found: Found, data: DataResource, name: str, partition: Partition
) -> Iterator[Made]:
    """As :func:`making`, for one of the partitions of a run."""
    made = Made(STEP_NAMED[name], partition, found.states, found.names)
    try:
        with holding(_made, made):
            yield made
    except DamagedFileError as error:
        raise heal(error, data.lake, data.images) from error
