"""A graph with every rule in it, and states as if everything had just been made."""

from enact_assets.engine.graph import Names, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.states import State, States
from enact_assets.engine.provenance import Provenance
from enact_assets.pipeline.lineage.graph import EXTERNAL, GRAPH, ROOTS, STEPS
from enact_assets.pipeline.steps.inputs import (
    ANSWERS_ENACT,
    ASKS_ENACT,
    ASKS_WORLD,
    CAPTIONERS,
    HAS_KEY_FRAMES,
    IF_EMBEDDED_SET,
    IF_EMBEDDED_WORLD,
    LEARNED_MODELS,
    OF_ENACT,
    OF_WORLD,
)

EMBEDDED, FILMED = "world:embedded", "world:filmed"
NAMES = Names(
    GRAPH,
    {
        "training_activity": ("fold", "pour"),
        "demonstration": ("fold-0", "fold-1", "pour-0"),
        "gating": ("contact", "release", "state"),
        "model": ("fact_reader", "oracle", "random"),
        "question_file": ("official",),
        # One more than gatings: `probes` is of state, as the set of that name.
        "question_set": ("contact", "probes", "release", "state", EMBEDDED, FILMED),
        "variant": ("baseline", "contact", "high", "release", EMBEDDED, FILMED),
    },
    {
        "question_set": {
            "contact": "contact",
            "probes": "state",
            "release": "release",
            "state": "state",
            EMBEDDED: "state",
            FILMED: "state",
        },
        "variant": {
            "baseline": "state",
            "contact": "contact",
            "high": "probes",
            "release": "release",
            EMBEDDED: EMBEDDED,
            FILMED: FILMED,
        },
    },
    {
        "release": frozenset({"release"}),
        LEARNED_MODELS: frozenset({"fact_reader"}),
        CAPTIONERS: frozenset({"sees+reads"}),
        OF_ENACT: frozenset({"contact", "probes", "release", "state"}),
        OF_WORLD: frozenset({EMBEDDED, FILMED}),
        str(IF_EMBEDDED_SET.when): frozenset({EMBEDDED}),
        str(IF_EMBEDDED_WORLD.when): frozenset({EMBEDDED}),
        ANSWERS_ENACT: frozenset({"fact_reader", "oracle", "random"}),
        ASKS_ENACT: frozenset({"baseline", "contact", "high", "release"}),
        ASKS_WORLD: frozenset({EMBEDDED, FILMED}),
        HAS_KEY_FRAMES: frozenset({"baseline", "contact", "high", "release", EMBEDDED}),
    },
)


def code_of(versions: dict[str, str]):
    return lambda asset: versions.get(asset, "code")


class World:
    """Everything made once; a version is the asset, the partition and a counter of changes."""

    def __init__(self, names: Names = NAMES) -> None:
        self.code: dict[str, str] = {}
        of = {asset: {p: State("0") for p in names.partitions(asset)} for asset in EXTERNAL}
        of |= {root: {p: State(f"{root} {p} 0") for p in names.partitions(root)} for root in ROOTS}
        of |= {asset: {} for step in STEPS for asset in step.assets if asset not in ROOTS}
        reported = {root: {p: s.version for p, s in of[root].items()} for root in ROOTS}
        self.lineage = Lineage(names, States(of), code_of(self.code), reported)
        for step in STEPS:
            if step.name not in ROOTS:
                for partition in self.lineage.partitions(step):
                    self.make(step, partition, "0")

    def make(self, step: StepSpec, partition: Partition, content: str) -> None:
        """As if ``step`` had run, with rows that ``content`` tells apart."""
        inputs = self.lineage.inputs(step, partition)
        for asset in step.assets:
            made = Provenance(self.code.get(asset, "code"), inputs)
            version = f"{asset} {'|'.join(partition)} {content}"
            self.lineage.states.set(asset, partition, State(version, made))

    def stale(self) -> set[tuple[str, Partition]]:
        """Every (step, partition) that has a cause now."""
        lineage = self.lineage
        return {(s.name, p) for s in STEPS for p in lineage.partitions(s) if lineage.causes(s, p)}
