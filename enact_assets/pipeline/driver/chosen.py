"""Selects partitions to make: the requested steps and names, and the inputs they need."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from enact_assets.answers.learned.training_scope import trained_activities
from enact_assets.demonstrations.replay.sources import Sources
from enact_assets.engine.errors import EnactError, UnknownNameError
from enact_assets.engine.graph import Follow, Names, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import NEVER, NEW_CODE, NO_PROVENANCE, Cause, Lineage
from enact_assets.pipeline.lineage.graph import (
    EXTERNAL,
    ROOTS,
    STEP_NAMED,
    STEPS,
    WHOLE,
    dimensions,
)
from enact_assets.settings.classes import Variant, world_source_of
from enact_assets.settings.registry import BASELINE, Registry

_FIXED = ("variant", BASELINE)
_COMPARING = tuple(
    step
    for step in STEPS
    if any(_FIXED in given.fixed and given.asset not in ROOTS for given in step.inputs)
)
"""Steps that read rows of the baseline for every variant."""
FOLLOWING = {"wanted_frames", "frame_images"}
"""Per-demonstration steps that depend on the questions about all demonstrations; a new
demonstration changes them.
"""
_QUESTION_SET, _ASKED = "question_set", "asked_questions"
_SHOWING = tuple(
    step
    for step in STEPS
    if step.name not in WHOLE | FOLLOWING
    and any(given.asset in STEP_NAMED["frame_images"].assets for given in step.inputs)
)
"""Steps that show pictures of all demonstrations to models."""
OLDER_REASONS = (NEVER, NEW_CODE, NO_PROVENANCE)
"""Reasons that do not depend on which demonstrations were selected."""


def check_assets(names: Iterable[str]) -> None:
    """Raise :class:`UnknownNameError` for the first of ``names`` that is not an asset or step."""
    known = {name for step in STEPS for name in (step.name, *step.assets)}
    for name in sorted(set(names) - known):
        raise UnknownNameError.of("asset", name, known)


class Chosen:
    """The selection of partitions that a plan lists and a run of the driver makes.

    A partition is *requested* if its step and its names were given. With given variants the
    baseline is selected, too, if a wanted step compares them with it. ``asking`` maps demonstration
    -> variants and gatings with questions about it, if only these are selected. :meth:`complete`
    adds the inputs that must be made.
    """

    def __init__(
        self, assets: Iterable[str] | None, only: Mapping[str, Iterable[str]] | None
    ) -> None:
        self._assets = None if assets is None else set(assets)
        check_assets(self._assets or ())
        self.only = {d: set(names) for d, names in (only or {}).items()}
        self.asking: dict[str, Mapping[str, set[str]]] = {}
        self.bystanders: frozenset[str] = frozenset()
        """Variants without questions about the requested demonstrations."""
        self._besides: dict[str, set[Partition]] = {}
        if "variant" in self.only and any(map(self.has, _COMPARING)):
            self.only["variant"].add(BASELINE)

    @property
    def is_everything(self) -> bool:
        """Whether no step and no name was given, so that everything is selected."""
        return self._assets is None and not self.only and not self.asking

    def has(self, step: StepSpec) -> bool:
        """Whether the step is wanted, by its own name or by the name of a table it makes."""
        return self._assets is None or not self._assets.isdisjoint((step.name, *step.assets))

    def is_asked_for(self, step: StepSpec, partition: Partition) -> bool:
        """Whether step and names of the partition were given."""
        return self.has(step) and self.matches(step, partition)

    def is_chosen(self, step: StepSpec, partition: Partition) -> bool:
        """Whether one partition of a step is made if it is missing or stale."""
        return partition in self._besides.get(step.name, ()) or self.is_asked_for(step, partition)

    def matches(self, step: StepSpec, partition: Partition, besides: str | None = None) -> bool:
        """Whether the names are wanted, in every dimension except ``besides``."""
        named = partition.as_dict(dimensions(step.assets[0]))
        named.pop(besides or "", None)
        asking = self.asking.get(named.get("demonstration", ""), {})
        return all(
            name in self.only.get(dimension, {name}) and name in asking.get(dimension, {name})
            for dimension, name in named.items()
        )

    def complete(self, lineage: Lineage) -> "Chosen":
        """Add everything upstream of the requested partitions, and pictures that change with them.

        Of an input that is read with all its partitions, only those with wanted names are added;
        the others are used without making them again. Pictures of other demonstrations are added if
        a wanted step shows them to models, if they were made before, and if only their inputs
        changed: new questions may need other frames. Returns itself.
        """
        if self._assets is None and not self.only:
            return self
        self._add_inputs(lineage)
        self._add_bystanders(lineage)
        if any(self.has(step) or step.name in self._besides for step in _SHOWING):
            for name in sorted(FOLLOWING):
                step = lineage.graph.step_named[name]
                suspects = lineage.may_be_stale(step).tolist()
                self._besides.setdefault(name, set()).update(
                    partition
                    for partition, may_be in zip(lineage.partitions(step), suspects, strict=True)
                    if self.matches(step, partition, besides="demonstration")
                    and not (may_be and not _may_follow(lineage.causes(step, partition)))
                )
        return self

    def _add_bystanders(self, lineage: Lineage) -> None:
        """Add the questions of variants that share a question set with requested ones. The set is
        made again, and their questions turn out the same. Without that, everything downstream of
        them would stay stale.
        """
        chosen_sets = lineage.graph.step_named[_QUESTION_SET]
        if not (self.has(chosen_sets) or _QUESTION_SET in self._besides):
            return
        step = lineage.graph.step_named[_ASKED]
        suspects = lineage.may_be_stale(step).tolist()
        self._besides.setdefault(_ASKED, set()).update(
            Partition.of(variant)
            for (variant,), may_be in zip(lineage.partitions(step), suspects, strict=True)
            if variant in self.bystanders
            and not (may_be and not _may_follow(lineage.causes(step, Partition.of(variant))))
        )

    def _add_inputs(self, lineage: Lineage) -> None:
        members: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[Partition]]] = {}
        left = [
            (step, partition)
            for step in lineage.steps
            if self.has(step)
            for partition in lineage.partitions(step)
            if self.matches(step, partition)
        ]
        while left:
            step, partition = left.pop()
            for follow in lineage.follows(step):
                above = lineage.graph.step_of.get(follow.asset)
                if above is None:
                    continue
                wanted: Iterable[Partition] = follow.groups(partition)
                if follow.is_rolled_up:
                    key = (follow.asset, follow.bound)
                    if key not in members:
                        members[key] = self._matching(lineage, above, follow)
                    wanted = [m for group in wanted for m in members[key].get(group, ())]
                found = self._besides.setdefault(above.name, set())
                for one in wanted:
                    if one not in found and not self.is_asked_for(above, one):
                        found.add(one)
                        left.append((above, one))

    def _matching(
        self, lineage: Lineage, step: StepSpec, follow: Follow
    ) -> dict[tuple[str, ...], list[Partition]]:
        """Names in the bound dimensions of an input -> its partitions with wanted names."""
        groups: dict[tuple[str, ...], list[Partition]] = {}
        for partition in lineage.partitions(step):
            if self.matches(step, partition):
                group = tuple([partition[i] for i in follow.bound_positions])
                groups.setdefault(group, []).append(partition)
        return groups


def asking_nothing(
    chosen: Chosen,
    only: Mapping[str, Iterable[str]] | None,
    names: Names,
    registry: Registry,
) -> list[str]:
    """Messages about variants in ``only`` that have no questions: no question file was imported, or
    (unless demonstrations were given, too) there is no demonstration of their sources.
    """
    # Not if demonstrations were given, nor if a recording is gone, as its source is then unknown.
    is_known = chosen.only.get("demonstration", set()) <= chosen.asking.keys()
    here = registry.with_questions(names.of["question_file"]).variants
    asking = {v for of in chosen.asking.values() for v in of["variant"]}
    notes = []
    for name in sorted(set((only or {}).get("variant", ()))):
        if world_source_of(name) is not None:
            continue
        if name not in here:
            why = "no question file was imported (`enact-assets import QA.zip`)"
        elif name not in asking and is_known:
            sources = " or ".join(registry.variant(name).sources)
            why = f"no demonstration is {sources} (`enact-assets import` takes recordings in)"
        else:
            continue
        notes.append(f"Variant {name} asks no question here: {why}.")
    return notes


def _may_follow(causes: Collection[Cause]) -> bool:
    """Whether a partition was made before, and only inputs from the pipeline make it stale."""
    return not any(
        cause.asset in EXTERNAL or cause.text.startswith(OLDER_REASONS) for cause in causes
    )


def choose(
    assets: Iterable[str] | None,
    only: Mapping[str, Iterable[str]] | None,
    names: Names,
    registry: Registry,
    sources: Sources,
) -> Chosen:
    """The requested part of ``names``; :meth:`Chosen.complete` adds the inputs to make.

    If only variants are given, they select the demonstrations that one of them has questions about,
    by source, each under the gatings and variants that do. A demonstration whose recording is gone,
    and whose source is therefore unknown, is selected, too; the step that reads it reports the
    problem. Demonstrations and models select the activities on which references are trained.
    Errors: :class:`UnknownNameError` for an unknown asset or variant.
    """
    chosen = Chosen(assets, only)
    named = [registry.variant(name) for name in (only or {}).get("variant", ())]
    if named and not chosen.only.get("demonstration"):
        _choose_demonstrations(chosen, named, names, registry, sources)
    if demonstrations := chosen.only.get("demonstration"):
        chosen.bystanders = _bystanders(demonstrations, registry, sources)
    if not {"demonstration", "model"}.isdisjoint(chosen.only):
        # An activity is trained for the selected models and the selected demonstrations.
        chosen.only["training_activity"] = trained_activities(
            *(chosen.only.get(d, names.of[d]) for d in ("demonstration", "model"))
        )
    return chosen


def _bystanders(
    demonstrations: Iterable[str], registry: Registry, sources: Sources
) -> frozenset[str]:
    found = set()
    for demonstration in demonstrations:
        with suppress(EnactError):  # its recording is gone
            found.add(sources.find(demonstration).name)
    return frozenset(n for n, v in registry.variants.items() if found.isdisjoint(v.sources))


def _choose_demonstrations(
    chosen: Chosen,
    named: Sequence[Variant],
    names: Names,
    registry: Registry,
    sources: Sources,
) -> None:
    """Select the demonstrations that one of the ``named`` variants has questions about."""
    variants = [registry.variant(name) for name in chosen.only["variant"]]
    wanted = set[str]()
    for demonstration in names.of["demonstration"]:
        try:
            source = sources.find(demonstration).name
        except EnactError:
            wanted.add(demonstration)
            continue
        if any(source in variant.sources for variant in named):
            wanted.add(demonstration)
            asking = [variant for variant in variants if source in variant.sources]
            chosen.asking[demonstration] = {
                "variant": {variant.name for variant in asking},
                "gating": {variant.gating for variant in asking},
            }
    chosen.only["demonstration"] = wanted
