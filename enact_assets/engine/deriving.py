"""Derives the graph from the declared steps."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.graph import Graph, Input, StepSpec
from enact_assets.engine.parameters import DETERMINES, HANDLES, SETTINGS, Param
from enact_assets.engine.steps import STEPS, Step
from enact_assets.engine.tables import TABLES


def spec_of(step: Step) -> StepSpec:
    """The declared inputs of ``step``: tables, settings and external inputs.

    An input that another input vouches for is not listed. An asset that is read twice, by name and
    with a fixed name, is one input.
    """
    inputs: dict[str, Input] = {}
    for param in step.params:
        for given in _inputs(param):
            inputs[given.asset] = (
                _both(inputs[given.asset], given) if given.asset in inputs else given
            )
    assets = tuple(table.table_name() for table in step.outputs)
    return StepSpec(step.name, assets, tuple(inputs.values()), when=step.when)


def vouched_for(step: Step) -> frozenset[str]:
    """Assets that ``step`` reads and another input vouches for. The graph does not list them as
    inputs.
    """
    params = (p for p in step.params if p.rule.is_vouched)
    plain = (replace(p, rule=replace(p.rule, is_vouched=False)) for p in params)
    return frozenset(given.asset for param in plain for given in _inputs(param))


def derive_graph(
    external: Mapping[str, tuple[str, ...]],
    whole: Iterable[StepSpec],
    conditions: Mapping[str, str],
) -> Graph:
    """Graph of all declared steps, of the settings they ask for, and of ``whole``, which come last.

    ``external`` maps each external input -> its dimensions, ``conditions`` each condition of a rule
    -> the dimension it tests. Steps come after the steps they read. Beyond that they are sorted by
    module name and by order of declaration within a module.
    Errors: :class:`DeclarationError` for a table that two steps make or no step makes, for steps
    that read each other, and for undefined conditions.
    """
    roots = {s.root: (s.dimension,) if s.dimension else () for s in SETTINGS.values()}
    # The order of imports is not used, as it depends on the entry point.
    steps = sorted(STEPS.values(), key=lambda step: step.function.__module__)
    specs = [spec_of(step) for step in steps]
    makers: dict[str, str] = {}
    for spec in specs:
        for asset in spec.assets:
            if asset in makers:
                raise DeclarationError(
                    f"{asset} is made by two steps: {makers[asset]}, {spec.name}"
                )
            makers[asset] = spec.name
    lost = sorted(set(TABLES) - makers.keys())
    if lost:
        raise DeclarationError(f"no step makes {lost[0]} ({len(lost)} such tables)")
    named = tuple(whole)
    dimensions = {
        **{name: table.by for name, table in TABLES.items()},
        **roots,
        **external,
        **{asset: () for spec in named for asset in spec.assets},
    }
    specs = [_simplified(spec, dimensions, conditions) for spec in specs]
    settings = (StepSpec(root, (root,), ()) for root in roots)
    return Graph(
        (*settings, *_in_order(specs, roots, external), *named),
        dimensions,
        tuple(roots),
        tuple(external),
        tuple(spec.name for spec in named),
        dict(DETERMINES),
        conditions,
    )


def _inputs(param: Param) -> Iterable[Input]:
    rule = param.rule
    if rule.is_vouched:
        return
    for read in param.reads:
        yield read.input
    kinds = [kind for _, kind in param.settings]
    if param.kind == "settings":
        kinds.append(param.of)
    for kind in kinds:
        yield Input(SETTINGS[kind].root, fixed=rule.fixed)
    if param.kind == "handle":
        for asset in HANDLES[param.of].reads:
            yield Input(asset, when=rule.when)


def _both(first: Input, second: Input) -> Input:
    """One input for two of the same asset."""
    if first.fixed and second.fixed and first.fixed != second.fixed:
        raise DeclarationError(
            f"{first.asset} is read of two fixed names by one step: {first.fixed}, {second.fixed}. "
            "Let it read one of them, or All."
        )
    when = first.when if first.when == second.when else None
    is_also_own = first.is_also_own or second.is_also_own or first.fixed != second.fixed
    return Input(first.asset, first.fixed or second.fixed, is_also_own, when)


def _simplified(
    spec: StepSpec, dimensions: Mapping[str, tuple[str, ...]], conditions: Mapping[str, str]
) -> StepSpec:
    """Drop conditions that the input's own names do not decide: the input is then always read.

    Dagster has no mapping for such conditions, and the plan must agree with the UI. Where step and
    input share no dimension, and the step does not decide every dimension of the input, the mapping
    in Dagster has every partition. There the step's names may decide, too.
    """
    for condition in spec.when:
        if conditions.get(condition) not in dimensions[spec.assets[0]]:
            raise DeclarationError(
                f"step {spec.name!r} is made under condition {condition!r}, which its partitions "
                f"by {dimensions[spec.assets[0]]} do not decide"
            )
    unknown = [i for i in spec.inputs if i.when is not None and i.when not in conditions]
    if unknown:
        raise DeclarationError(
            f"step {spec.name!r} reads {unknown[0].asset} under condition {unknown[0].when!r}, "
            f"which is not defined: {sorted(conditions)}"
        )

    own = set(dimensions[spec.assets[0]])
    decided = set[str]()
    left = list(own)
    while left:
        if (dimension := DETERMINES.get(left.pop())) is not None:
            decided.add(dimension)
            left.append(dimension)

    def deciding(asset: str) -> set[str]:
        theirs = set(dimensions[asset])
        return theirs if theirs & own or theirs <= decided else theirs | own

    inputs = (
        replace(given, when=None)
        if given.when is not None and conditions[given.when] not in deciding(given.asset)
        else given
        for given in spec.inputs
    )
    return replace(spec, inputs=tuple(inputs))


def _in_order(
    specs: list[StepSpec], roots: Mapping[str, object], external: Mapping[str, object]
) -> list[StepSpec]:
    there, ordered, left = {*roots, *external}, list[StepSpec](), list(specs)
    while left:
        ready = next((s for s in left if all(i.asset in there for i in s.inputs)), None)
        if ready is None:
            names = ", ".join(sorted(spec.name for spec in left))
            raise DeclarationError(
                f"these steps read each other, or a table that no step makes: {names}"
            )
        left.remove(ready)
        ordered.append(ready)
        there.update(ready.assets)
    return ordered
