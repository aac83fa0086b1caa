"""Noise in the changes that actions state: some are wrong, drawn from content and a seed.

The paper (B.4.5) perturbs the predicates of the deltas of each trajectory at random, over three
seeds, and asks both kinds of questions again; it names neither a rate nor the perturbations. Here:

- Each component of each action is perturbed with probability ``rate``, independently of all others.
- How, is drawn uniformly from what is possible, among the errors by which the paper sorts answers
  (C.1): its sign is turned round (*polarity*); another predicate of the same sort takes its place
  (*predicate*); another object of the demonstration takes the place of one of its objects
  (*entity*); it is left out (*omission*), unless the action would be empty; or it stays and the
  same with another object is added (*hallucination*).
- No action tells anything twice, nor a thing and its contrary, unless it did before.

Draws depend on the seed, the trajectory, the number of the step and the component: on no other
question, nor on the order of rows. Both questions of a trajectory are perturbed alike. What is
chosen at one rate is chosen at every higher one. At rate 0 nothing is.

What is shown is perturbed, what is right is not: verification compares with the true changes.
"""

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace

import polars as pl

from enact_assets.engine.ids import seed_from
from enact_assets.questions.asked.notation import is_robot
from enact_assets.settings.classes import NoiseSettings
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.predicates import label, predicate

KINDS = ("polarity", "predicate", "entity", "omission", "hallucination")

EXCHANGEABLE = (
    ("RightGrasping", "LeftGrasping"),
    ("OnTop", "Inside", "Under", "Touching"),
    ("Contains", "Covered"),
    ("Open", "ToggledOn", "Cooked"),
)
"""Predicates that take each other's place: they relate the same sorts of objects."""

_OPPOSITE: dict[Operation, Operation] = {"add": "remove", "remove": "add"}
_RANGE = 2**63
"""Draws are below it."""

Fact = tuple[str, frozenset[str] | tuple[str, str | None]]


@dataclass(frozen=True)
class Vocabulary:
    """What a perturbed change may name: labels of one demonstration, predicates of its gating."""

    things: tuple[str, ...]
    substances: tuple[str, ...]
    predicates: tuple[str, ...]

    @classmethod
    def of(cls, objects: pl.DataFrame, predicates: Collection[str]) -> "Vocabulary":
        """From the table ``objects`` of one demonstration. The robot is in no vocabulary."""
        labels: dict[bool, set[str]] = {True: set(), False: set()}
        columns = ("object_name", "category", "is_particle_system")
        for name, category, is_particle_system in objects.select(columns).iter_rows():
            if not is_robot(name) and not is_robot(category):
                labels[is_particle_system].add(label(category or name))
        return cls(
            tuple(sorted(labels[False] - labels[True])),
            tuple(sorted(labels[True])),
            tuple(sorted(predicates)),
        )

    def like(self, name: str) -> tuple[str, ...]:
        """Labels of the sort that ``name`` is: things, or substances that come in bulk."""
        return self.substances if name in self.substances else self.things


def perturb(
    steps: Sequence[Sequence[str]], trajectory_id: str, noise: NoiseSettings, words: Vocabulary
) -> tuple[list[list[str]], int]:
    """The components that the ``steps`` of a trajectory, in true order, state under noise.

    Also how many of the true ones were perturbed. A component without a possible perturbation stays
    as it is: a transition in a demonstration with no other object.
    """
    told, n_perturbed = [], 0
    for number, step in enumerate(steps, start=1):
        found, n = _perturb_step(step, (noise.seed, trajectory_id, number), noise.rate, words)
        told.append(found)
        n_perturbed += n
    return told, n_perturbed


def _perturb_step(
    step: Sequence[str], content: tuple[object, ...], rate: float, words: Vocabulary
) -> tuple[list[str], int]:
    components = [Component.parse(text) for text in sorted(step)]
    told: list[Component] = []
    n_perturbed = 0
    for place, true in enumerate(components):

        def draw(what: str, true: Component = true) -> int:
            return seed_from("noise", what, *content, true)

        possible = {}
        if draw("whether") < rate * _RANGE:
            others = components[:place] + components[place + 1 :]
            taken = {_fact(c) for c in (*others, *told)}
            possible = _possible(true, taken, words)
            if not told and place == len(components) - 1:
                possible.pop("omission", None)
        if not possible:
            told.append(true)
            continue
        kinds = [kind for kind in KINDS if kind in possible]
        kind = kinds[draw("kind") % len(kinds)]
        told += possible[kind][draw(kind) % len(possible[kind])]
        n_perturbed += 1
    return sorted(map(str, told)), n_perturbed


def _possible(
    true: Component, taken: Set[Fact], words: Vocabulary
) -> dict[str, list[tuple[Component, ...]]]:
    """Kind -> all that may replace ``true``, where ``taken`` is already stated."""
    free = {
        kind: [told for told in found if not taken & {_fact(c) for c in told if c != true}]
        for kind, found in _perturbations(true, words).items()
    }
    return {kind: found for kind, found in free.items() if found}


def _perturbations(true: Component, words: Vocabulary) -> dict[str, list[tuple[Component, ...]]]:
    """Kind -> what it may make of ``true``."""
    entities = _with_other_objects(true, words)
    found: dict[str, list[tuple[Component, ...]]] = {
        "entity": [(c,) for c in entities],
        "omission": [()],
        "hallucination": [(true, c) for c in entities],
    }
    if true.operation in _OPPOSITE:
        found["polarity"] = [(replace(true, operation=_OPPOSITE[true.operation]),)]
        alike = next((group for group in EXCHANGEABLE if true.predicate in group), ())
        found["predicate"] = [
            (replace(true, predicate=name),)
            for name in alike
            if name != true.predicate and name in words.predicates
        ]
    return found


def _with_other_objects(true: Component, words: Vocabulary) -> list[Component]:
    """``true`` with another subject, where it has one other than the robot, or another object."""
    named = {true.subject, true.object}
    is_transition = true.operation == "transition"
    found = []
    if not is_robot(true.subject) and not (is_transition and len(true.parents) > 1):
        for name in words.like(true.subject):
            if name not in named and is_transition:
                found.append(Component.transition((name,), str(true.object)))
            elif name not in named:
                found.append(replace(true, subject=name))
    if true.object is not None and not is_robot(true.object):
        others = words.like(true.object)
        found += [replace(true, object=name) for name in others if name not in named]
    return found


def _fact(component: Component) -> Fact:
    """What ``component`` says something about, whichever way it changed."""
    subject, other = component.subject, component.object
    if other is not None and predicate(component.predicate).is_symmetric:
        return component.predicate, frozenset((subject, other))
    return component.predicate, (subject, other)
