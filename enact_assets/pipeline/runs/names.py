"""Finds all names: names of the registry that are in scope, defined names of lists beside the data,
of recordings and of imported files, and names in the lake; without forgotten names.

Sensor and driver register the same names (:func:`names_found`). Registered names, with gatings and
variants of the registry, are the current names (:func:`current_names`). A name in the lake stays
current until it is forgotten, whichever database Dagster uses now. Names given to a command are
added to the scope.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import dagster as dg

from enact_assets.answers.baselines.references import WORLD_BASELINES
from enact_assets.answers.imported.answer_files import answered_names
from enact_assets.answers.models.subsets import subset_sizes
from enact_assets.answers.people.annotator_names import with_pooled
from enact_assets.demonstrations.behavior.definitions import canonical
from enact_assets.demonstrations.replay.embedded import (
    parse_demonstration,
    split_of_demonstration,
)
from enact_assets.engine.errors import EnactError, SettingsError, UnknownNameError
from enact_assets.engine.given_files import read_given
from enact_assets.engine.graph import Names
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.lineage.graph import names_now
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.scope import Scope, is_unused, read_scope, write_scope
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.files.imported import question_file_names
from enact_assets.questions.world.step_files import step_file_folder, step_file_names
from enact_assets.settings.classes import EMBEDDED, twins, world_source_of
from enact_assets.settings.paths import SUBSETS_FILE
from enact_assets.settings.registry import Registry, registry_path
from enact_assets.settings.splits import Split
from enact_assets.settings.world import EMBEDDED_WORLD

LISTS = {"demonstration": "demonstrations.txt", "model": "models.txt"}
"""Dimension -> file below the data root with one name per line."""
COMMENT = "#"
HELD_IN = {
    "demonstration": "demonstrations",
    "model": "predictions",
    "world_source": "world_questions",
}
"""Dimension -> table of the lake whose names stay until they are forgotten."""
MADE_IN = {**HELD_IN, "question_file": "official_questions"}
"""Dimension -> table that is made first for a new name."""
Named = Mapping[str, Iterable[str]]
"""Dimension -> names."""


def current_names(
    instance: dg.DagsterInstance,
    registry: Registry,
    added: Mapping[str, Collection[str]] = MappingProxyType({}),
    left_out: Collection[str] = (),
) -> Names:
    """The registry's gatings and variants, the dynamic partitions, and ``added``, without the
    demonstrations ``left_out``.
    """

    def of(dimension: str) -> set[str]:
        return {*instance.get_dynamic_partitions(dimension), *added.get(dimension, ())}

    demonstrations = of("demonstration").difference(left_out)
    files, sources = of("question_file"), of("world_source")
    return names_now(registry, demonstrations, of("model"), files, world_sources=sources)


def names_found(
    data: DataResource, registry: Registry | None
) -> tuple[dict[str, list[str]], list[str]]:
    """Dimension -> names that should be partitions, in the order found; and problems.

    Undefined names are ignored, each with a message that says where the name comes from. Without a
    ``registry``, the names of all other places are found.
    """
    dimensions = ("demonstration", "model", "question_file", "world_source")
    places: dict[str, dict[str, str]] = {dimension: {} for dimension in dimensions}
    problems: list[str] = []

    def add(dimension: str, names: Iterable[tuple[str, str]]) -> None:
        for name, place in names:
            places[dimension].setdefault(name, place)

    if registry is not None:
        add("demonstration", ((name, "registry") for name in registry.demonstrations))
        add("model", ((name, "registry") for name in registry.models))
    for dimension, file in LISTS.items():
        add(dimension, _listed(Path(data.root) / file, problems))
    add("demonstration", ((name, "recordings") for name in data.recordings.names()))
    # Files of forgotten names stay, as answers cost money or people's time.
    forgotten = Forgotten(data.data_root.root).of("model")
    answered = [*answered_names(data.data_root), *data.models.answered.annotators()]
    answered = [name for name in answered if name not in forgotten]
    add("model", ((name, "answers") for name in answered))
    problems += _wrong_parts(data)
    add("question_file", ((n, "question_files") for n in question_file_names(data.question_files)))
    steps = data.data_root.step_files
    add("world_source", ((name, f"{steps}") for name in step_file_names(steps)))
    if registry is not None:
        add("demonstration", _asked_about(data, registry, problems))
    found: dict[str, list[str]] = {}
    for dimension, named in places.items():
        found[dimension] = []
        for name, place in named.items():
            try:
                key = checked_name(dimension, name, registry, data)
            except EnactError as error:
                problems.append(f"{place}: {error}")
            else:
                found[dimension].append(key)
    made = names_in_lake(data)
    for dimension, names in made.items():
        # A name whose recording is gone is not reported again and again.
        found[dimension] += [
            name
            for name in names
            if name not in places[dimension] and _is_defined(dimension, name, data)
        ]
    for dimension, names in found.items():
        found[dimension], said = without_twins(dimension, names, made.get(dimension, ()))
        problems += said
    known = made.get("demonstration", ())
    found["demonstration"], said = of_one_purpose(found["demonstration"], known, data)
    problems += said
    if registry is not None:
        problems += add_worlds(found, registry, data)
    return found, problems


def _wrong_parts(data: DataResource) -> Iterator[str]:
    """What is wrong in the file of declared parts."""
    place = data.data_root.root / SUBSETS_FILE
    try:
        for name in sorted(subset_sizes(data.data_root.root)):
            try:
                called = data.models.partition_name(name)
            except UnknownNameError:
                yield f"{place}: no model is called {name!r}. Correct the name, or remove its line."
            else:
                if called != name:
                    yield f"{place}: {name!r} is called {called!r} here. Write that name."
    except SettingsError as error:
        yield str(error)


def publishable_names(names: Names, data: DataResource) -> dict[str, Collection[str]]:
    """Dimension -> names whose rows are published: the current ones; those of several annotators
    together; and recordings of step files, which are in column ``demonstration`` of questions of
    WorldPrediction, but for those that were forgotten as demonstrations.
    """
    recordings = set()
    for partition in data.lake.partitions("annotated_actions"):
        rows = data.lake.read("annotated_actions", partition)
        recordings |= set(rows.get_column("recording"))
    recordings -= Forgotten(data.data_root.root).of("demonstration")
    demonstrations = {*names.of["demonstration"], *recordings}
    models = with_pooled(names.of["model"])
    return {**names.of, "demonstration": demonstrations, "model": models}


def without_twins(
    dimension: str, names: Iterable[str], known: Iterable[str]
) -> tuple[list[str], list[str]]:
    """``names`` that are ``known`` or differ in more than case from earlier ones, and messages
    about the others.
    """
    named = list(names)
    found = twins(named)
    for name in known:
        found.pop(name, None)
    said = [
        f"{dimension} {name!r}: differs from {other!r} in case only, so some disks hold one file "
        "for both names. Rename it."
        for name, other in found.items()
    ]
    return [name for name in named if name not in found], said


def of_one_purpose(
    names: Iterable[str], known: Iterable[str], data: DataResource
) -> tuple[list[str], list[str]]:
    """The demonstrations ``names`` that are for training like the first of those that are ``known``
    or named, or not like it, and messages about the others: what one data root asks about is never
    trained on.
    """
    named, there = list(names), list(known)
    if not (there or named):
        return [], []
    of_root = _is_for_training((there or named)[0], data)
    others = {n for n in {*named}.difference(there) if _is_for_training(n, data) != of_root}
    said = [
        f"demonstration {name!r}: its seed is for {'tests' if of_root else 'training'}, and "
        f"this data root has demonstrations for {'training' if of_root else 'tests'}. Name another "
        "seed (from 1000 on they are for training), or another data root: --data FOLDER."
        for name in sorted(others)
    ]
    return [name for name in named if name not in others], said


def split_here(name: str, data: DataResource) -> Split:
    """The split of a demonstration of a data root; that of tests for a name without a source."""
    try:
        source = data.sources.find(name).name
    except UnknownNameError:
        return Split.TEST
    return split_of_demonstration(name, source)


def _is_for_training(name: str, data: DataResource) -> bool:
    return split_here(name, data) is Split.TRAINING


def add_worlds(found: dict[str, list[str]], registry: Registry, data: DataResource) -> list[str]:
    """Add the source ``embedded`` of WorldPrediction if a demonstration in ``found`` (dimension ->
    names) is an environment of it: without one there are no questions. With any world source, add
    the models that the registry names for it; returns problems with these.
    """
    if any(_is_environment(name, registry, data) for name in found["demonstration"]):
        found["world_source"] += [EMBEDDED_WORLD]
    problems = []
    for name in registry.world.models if found["world_source"] else ():
        try:
            found["model"] += [checked_name("model", name, registry, data)]
        except EnactError as error:
            problems.append(f"worldprediction.answered_by of the registry: {error}")
    return problems


def gone_with_environments(registry: Registry, data: DataResource) -> dict[str, list[str]]:
    """Dimension -> names in the lake that nothing asks about without an environment: the source
    ``embedded`` of WorldPrediction and, if it is the only one, models that answer nothing else and
    that no list names. Empty as long as an environment is left.
    """
    found, _ = names_found(data, registry)
    made = names_in_lake(data)
    is_left = any(_is_environment(name, registry, data) for name in found["demonstration"])
    if is_left or EMBEDDED_WORLD not in made["world_source"]:
        return {}
    gone = {"world_source": [EMBEDDED_WORLD]}
    if set(found["world_source"]) == {EMBEDDED_WORLD}:
        listed = {name for name, _ in _listed(Path(data.root) / LISTS["model"], [])}
        alone = WORLD_BASELINES.keys() - listed - set(registry.models)
        gone["model"] = [name for name in made["model"] if name in alone]
    return gone


def _is_environment(name: str, registry: Registry, data: DataResource) -> bool:
    environments = registry.world.environments
    try:
        _, seed = parse_demonstration(name)
        # For nearly all names the seed decides; finding the source would look for files.
        return environments.has(EMBEDDED, seed) and environments.has(
            data.sources.find(name).name, seed
        )
    except EnactError:
        return False


def _asked_about(
    data: DataResource, registry: Registry, problems: list[str]
) -> Iterator[tuple[str, str]]:
    """Demonstrations named by questions of a gating; files of forgotten ones stay."""
    forgotten = Forgotten(data.data_root.root).of("demonstration")
    files = data.asked.files()
    try:
        tasks = data.asked.tasks({n for g in registry.gatings.values() for n in g.takes(files)})
    except EnactError as error:
        problems.append(str(error))
        return
    yield from ((task, "question_files") for task in tasks if task not in forgotten)


def names_in_lake(data: DataResource) -> dict[str, list[str]]:
    """Dimension -> names in the lake, without forgotten ones, sorted."""
    forgotten = Forgotten(data.data_root.root)
    found = {}
    for dimension in HELD_IN:
        found[dimension] = sorted(_made(data, dimension) - forgotten.of(dimension))
    return found


def places_of(data: DataResource, registry: Registry, dimension: str, name: str) -> list[str]:
    """Descriptions of places that still contain ``name``, so that it would be added again."""
    registered = {"demonstration": registry.demonstrations, "model": registry.models}

    def is_meant(text: str) -> bool:
        try:
            return name == (data.models.called(text) if dimension == "model" else text)
        except EnactError:
            return False

    places = []
    if any(map(is_meant, registered.get(dimension, ()))):
        places.append(f"the registry {registry_path()}")
    asks_world = data.lake.partitions(MADE_IN["world_source"]) or step_file_names(
        data.data_root.step_files
    )
    if dimension == "model" and asks_world and any(map(is_meant, registry.world.models)):
        places.append(f"worldprediction.answered_by of the registry {registry_path()}")
    if dimension in LISTS:
        listed = _listed(Path(data.root) / LISTS[dimension], [])
        places += [place for found, place in listed if is_meant(found)]
    if dimension == "demonstration" and data.recordings.has(name):
        places.append(f"its recording {data.recordings.folder(name)}")
    if dimension == "question_file" and name in question_file_names(data.question_files):
        places.append(f"its file in {data.question_files}")
    return places


def undefined(
    dimension: str, names: Iterable[str], registry: Registry, data: DataResource
) -> dict[str, str]:
    """Those of ``names`` that are not defined anywhere, such as one typed into the UI, and why.

    A name is not listed if some place contains it, even wrongly, if the lake or answers have it, or
    if the files that define it cannot be read, as they may be readable later.
    """
    found = {}
    made = _made(data, dimension)
    for name in names:
        if name in made or places_of(data, registry, dimension, name):
            continue
        if dimension == "question_file":
            found[name] = f"no file in {data.question_files} has this name"
            continue
        try:
            checked_name(dimension, name, registry, data)
        except UnknownNameError as error:
            found[name] = str(error)
        except EnactError:
            continue
    return found


def _made(data: DataResource, dimension: str) -> set[str]:
    return names_of(dimension, data.lake.partitions(MADE_IN[dimension]))


def names_of(dimension: str, partitions: Iterable[Mapping[str, str]]) -> set[str]:
    """Names in ``dimension`` of ``partitions`` of the table that is made first for a new one."""
    if dimension == "world_source":
        named = (world_source_of(partition["question_set"]) for partition in partitions)
        return {source for source in named if source is not None}
    return {partition[dimension] for partition in partitions}


def _is_defined(dimension: str, name: str, data: DataResource) -> bool:
    try:
        checked_name(dimension, name, None, data)
    except EnactError:
        return False
    return True


def checked_name(dimension: str, name: str, registry: Registry | None, data: DataResource) -> str:
    """The name of the partition for ``name`` of ``dimension``, which may be the id of a model, or a
    definition's activity as people write it: bddl/bringing_water-0.

    Errors: :class:`UnknownNameError` if the name is not defined anywhere.
    """
    if dimension == "model":
        return data.models.partition_name(name)
    if dimension == "variant" and registry is not None:
        registry.variant(name)
        if (source := world_source_of(name)) is not None:
            checked_name("world_source", source, registry, data)
    elif dimension == "demonstration":
        name = canonical(name)
        data.sources.find(name)
    elif dimension == "world_source" and name != EMBEDDED_WORLD:
        step_file_folder(data.data_root.step_files, name)
    return name


def _listed(path: Path, problems: list[str]) -> Iterator[tuple[str, str]]:
    """Each name of a list, with its line."""
    try:
        lines = read_given(path).decode("utf-8").splitlines()
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", "not text")
        problems.append(f"{path}: cannot be read ({reason}). Write one name per line, in UTF-8.")
        return
    for number, line in enumerate(lines, start=1):
        name = line.partition(COMMENT)[0].strip()
        if name:
            yield name, f"{path}, line {number}"


def scope_with(
    data: DataResource, registry: Registry, named: Named, part: Named | None, *, is_whole: bool
) -> Scope:
    """The scope of a data root after a command with these names.

    ``named`` are the names that the command is limited to, ``part`` is a part of the registry that
    it makes (a first look). In an unused data root these names become the scope, and a dimension
    without names has all names of the registry. In a data root that was used before scopes existed,
    everything stays in scope. ``is_whole`` requests the whole registry.
    Errors: :class:`UnknownNameError` for an unknown variant.
    """
    names = {dimension: set(given) for dimension, given in named.items()}
    for variant in names.get("variant", ()):
        registry.variant(variant)
    # Those of WorldPrediction exist wherever their source does.
    names["variant"] = {n for n in names.get("variant", ()) if world_source_of(n) is None}
    limited = {"demonstration": "demonstration" in named, "variant": bool(names["variant"])}
    demonstrations = names.get("demonstration", set())
    names["demonstration"] = {n for n in demonstrations if _is_embedded(n, data)}
    kept = read_scope(data.data_root.root)
    if is_whole or (kept is None and not is_unused(data.data_root)):
        return Scope()
    if kept is None:
        first = part
        if first is None:
            first = {dimension: () for dimension, is_limited in limited.items() if is_limited}
        kept = Scope({dimension: frozenset(given) for dimension, given in first.items()})
    return kept.widened({d: set(given) for d, given in (part or {}).items()}).widened(names)


@dataclass(frozen=True)
class ScopeChange:
    """Change of the scope of a data root by a command."""

    scope: Scope
    is_first: bool
    """Whether the data root was unused before."""
    is_changed: bool
    has_new_variants: bool
    """Whether variants were added: Dagster knows only the variants at the time of loading the
    registry.
    """

    def words(self, names: Names, registry: Registry, assets: Collection[str] = ()) -> list[str]:
        """Messages to print before anything is made; ``names`` are the current names of the data
        root, ``assets`` those that the command is limited to.
        """
        notes = self.scope.unknown(registry)
        there = ", ".join(counted(len(names.of[d]), d) for d in ("demonstration", "variant"))
        if self.is_changed:
            is_known = self.is_first or not self.has_new_variants
            reload = "" if is_known else " Reload the code location in a Dagster UI that is open."
            notes.append(f"Now in this data root: {there}.{reload}")
        elif self.is_first and not self.scope.of:
            first = " `enact-assets demo` makes a first look." if registry.demo else ""
            made = f"The whole registry is made: {there}.{first}"
            if assets:
                made = (
                    f"Made now is only {' and '.join(sorted(assets))}, with what it is made from."
                )
            notes.append(f"This data root is new. {made}")
        return notes


def keep_scope(
    instance: dg.DagsterInstance, data: DataResource, registry: Registry, scope: Scope
) -> ScopeChange:
    """Write ``scope`` to the data root if it differs from the current one.

    Demonstrations of :func:`left_over` are removed from the partitions.
    """
    before, root = read_scope(data.data_root.root) or Scope(), data.data_root.root
    is_first = is_unused(data.data_root)
    if scope != before:
        write_scope(root, scope)
    for name in left_over(instance, data, registry, scope):
        instance.delete_dynamic_partition("demonstration", name)
    has_new_variants = scope.of.get("variant") != before.of.get("variant")
    return ScopeChange(scope, is_first, scope != before, has_new_variants)


def left_over(
    instance: dg.DagsterInstance, data: DataResource, registry: Registry, scope: Scope
) -> set[str]:
    """Demonstrations of ``registry`` that are partitions but not in ``scope``; empty if any
    demonstration was made.

    The UI makes all names of the registry partitions in a data root without a scope, before a first
    look or an import gives it one.
    """
    if "demonstration" not in scope.of or data.lake.partitions("demonstrations"):
        return set()
    known = set(instance.get_dynamic_partitions("demonstration"))
    return known.intersection(registry.demonstrations) - scope.of["demonstration"]


def _is_embedded(name: str, data: DataResource) -> bool:
    """Whether a demonstration is from our simulator. Only such names are written to the scope, as
    recordings are always in scope.
    """
    try:
        return data.sources.find(name).name == EMBEDDED
    except EnactError:
        return False  # reported where partitions are registered
