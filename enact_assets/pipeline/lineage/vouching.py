"""Checks inputs that another input vouches for: that input must have been made from them.

Rows of ``question_set`` carry a hash of everything needed to verify them, so answers are not
evaluated again whenever a table changes that verification reads. That is correct only if the
question set, and the questions made from it, were made from the current versions of those tables. A
step that ran before they are made again would mix old and new rows, and its result would never
become stale.
"""

from functools import cache

from enact_assets.engine.deriving import vouched_for
from enact_assets.engine.errors import DeclarationError, MaterializationError
from enact_assets.engine.graph import Follows, Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import StateSource, inputs_now
from enact_assets.engine.steps import STEPS as DECLARED
from enact_assets.pipeline.lineage.graph import GRAPH, STEP_NAMED, STEP_OF, STEPS, dimensions


@cache
def vouchers(step: str) -> tuple[str, ...]:
    """A chain of assets that begins with an input of ``step``. Each is made from the next, and the
    last one from all vouched inputs. Empty for a step without vouched inputs.

    Errors: :class:`DeclarationError` if no asset upstream is made from all vouched inputs.
    """
    wanted = vouched_for(DECLARED[step]) if step in DECLARED else frozenset[str]()
    if not wanted:
        return ()
    paths: list[tuple[str, ...]] = [(given.asset,) for given in STEP_NAMED[step].inputs]
    seen = {path[0] for path in paths}
    for path in paths:  # the list grows in the loop: shorter paths come first
        given = [i.asset for i in STEP_OF[path[-1]].inputs] if path[-1] in STEP_OF else []
        if wanted <= set(given):
            return path
        given = [asset for asset in given if _is_one_partition(asset, path[-1])]
        paths += [(*path, asset) for asset in given if asset not in seen]
        seen.update(given)
    raise DeclarationError(
        f"step {step!r}: no input is made from all of {sorted(wanted)}, so none vouches for them. "
        "Declare them without is_vouched."
    )


def _is_one_partition(asset: str, of: str) -> bool:
    """Whether each partition of ``of`` can be made from one partition of ``asset`` alone."""
    own = dimensions(of)
    return set(dimensions(asset)) <= {*own, *(d for o in own for d in GRAPH.determined_by(o))}


def refuse_unvouched(source: StateSource, names: Names, step: str, partition: Partition) -> None:
    """Do nothing if the assets that vouch for inputs of a partition were made from their current
    versions.

    Errors: :class:`MaterializationError` names the input that changed since, and the assets to
    make.
    """
    path = vouchers(step)
    maker, where = step, partition
    for k, asset in enumerate(path):
        follow = next(f for f in Follows(names, STEPS).of(maker) if f.asset == asset)
        groups = follow.groups(where)
        if not groups:
            return  # questions of WorldPrediction are not chosen from others
        (where,) = groups
        maker = STEP_OF[asset].name
        state = source.landed(asset, where)
        if state is None or state.provenance is None:
            return  # the step's reading reports what is wrong
        is_last = k == len(path) - 1
        wanted = vouched_for(DECLARED[step]) if is_last else frozenset({path[k + 1]})
        made, now = state.provenance.inputs, inputs_now(source, names, maker, where, wanted)
        changed = sorted(name for name in wanted if made.get(name) != now.get(name))
        if changed:
            again = " and ".join(reversed(path[: k + 1]))
            raise MaterializationError(
                f"{step} {partition.key} was not made: {changed[0]} changed since "
                f"{asset} {where.key} was made from it, and {step} reads both. "
                f"Materialize {again} again first."
            )
