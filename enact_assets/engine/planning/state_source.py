"""Protocol of a source of states, and the current inputs of one partition."""

from collections.abc import Callable, Collection
from typing import Protocol

from enact_assets.engine.graph import Follow, Follows, Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Cause, CodeVersion, Lineage
from enact_assets.engine.planning.states import State, States
from enact_assets.engine.provenance import InputVersion


class StateSource(Protocol):
    """Lists existing partitions; planning reads stored data only through this protocol.

    The lake answers from its catalogue, and from the footers of files that are not catalogued.
    """

    def current(
        self, names: Names, on_progress: Callable[[float], None] = lambda _share: None
    ) -> States:
        """State of every current partition of every asset; ``on_progress`` gets the share done.

        Partitions whose names are not in ``names`` are left out.
        """
        ...

    def landed(self, asset: str, partition: Partition) -> State | None:
        """State of one partition of a table, of a whole or of an external input; None if it does
        not exist.
        """
        ...

    def members(
        self, names: Names, follow: Follow, groups: tuple[Partition, ...]
    ) -> dict[Partition, State]:
        """States of the partitions of one input in ``groups`` (``Follow.groups``)."""
        ...


def landed_states(
    source: StateSource, assets: Collection[str], partition: Partition
) -> dict[str, State | None]:
    """State of the partition that a step has just written: asset -> state, None if it does not
    exist.
    """
    return {asset: source.landed(asset, partition) for asset in assets}


def inputs_now(
    source: StateSource,
    names: Names,
    step: str,
    partition: Partition,
    only: Collection[str] | None = None,
) -> dict[str, InputVersion]:
    """Current version of each input of one partition, or of the inputs in ``only``.

    Versions are read before a step reads its inputs and again when it writes its tables. If an
    input changed in between, it is unknown which version the step read. A missing input is left
    out.
    """
    found = {}
    for follow in Follows(names, names.graph.steps).of(step):
        if only is not None and follow.asset not in only:
            continue
        states = States({follow.asset: source.members(names, follow, follow.groups(partition))})
        version = states.input_version(follow, partition)
        if version is not None:
            found[follow.asset] = version
    return found


def causes_now(
    source: StateSource, names: Names, code_version: CodeVersion, step: str, partition: Partition
) -> tuple[Cause, ...]:
    """Why one partition is stale, as in a plan. Reads only the states of its inputs."""
    spec = names.graph.step_named[step]
    follows = Follows(names, names.graph.steps).of(step)
    of = {f.asset: source.members(names, f, f.groups(partition)) for f in follows}
    for asset, state in landed_states(source, spec.assets, partition).items():
        of[asset] = {} if state is None else {partition: state}
    return Lineage(names, States(of), code_version, {}, [spec]).causes(spec, partition)
