"""What ships with the package, as numbers for claims: models, prompts, plans, films of people."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import polars as pl

from enact_assets.answers.models.catalogue import Catalogue, load_catalogue
from enact_assets.answers.people.content import ShownQuestion
from enact_assets.answers.people.plans import paper_plan
from enact_assets.engine.ids import sha256_bytes
from enact_assets.questions.asked.templates import KINDS, load_template
from enact_assets.questions.world.action_labels import label_of
from enact_assets.questions.world.annotated_actions import annotated_actions, flawless_recordings
from enact_assets.questions.world.annotated_questions import (
    equivalents,
    flawless_plans,
    transition_questions,
)
from enact_assets.questions.world.captaincook4d import FOLDER as COOK_FOLDER
from enact_assets.questions.world.captaincook4d import NAME as COOK
from enact_assets.questions.world.plan_replay import Kinds, Replay, Situation
from enact_assets.questions.world.step_files import read_step_file
from enact_assets.results.faithfulness.claims import FOLDER
from enact_assets.results.findings.of_published_models import findings_of_published_models
from enact_assets.results.paper.results import published_table
from enact_assets.results.paper.tables import PublishedSettings
from enact_assets.settings.fisheye_lens import (
    CIRCLE_SHARE,
    RADIANS_PER_HALF_EDGE,
    RADIANS_PER_HALF_EDGE_SQUARED,
)
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

LENGTHS = range(3, 11)


def _catalogue() -> Catalogue:
    return load_catalogue(FOLDER)  # a folder without a file of the user


def models_by_weights() -> dict[str, int]:
    """Packaged models that the paper scored, by `proprietary` and `open` weights."""
    entries = _catalogue().models.values()
    return dict(sorted(Counter(str(e.weights) for e in entries if e.published).items()))


def models_by_temperature() -> dict[str, int]:
    """Packaged models that the paper scored, by temperature: `0` is sent; `greedy`, where this
    process samples nothing; `none`.
    """
    catalogue, found = _catalogue(), Counter[str]()
    for name, entry in catalogue.models.items():
        if entry.published:
            model = catalogue.find(name)
            given = model.parameters
            value = given.get("temperature", given.get("generationConfig", {}).get("temperature"))
            found["greedy" if model.channel == "local" else str(value).lower()] += 1
    return dict(sorted(found.items()))


def prompts_of_the_paper() -> dict[str, bool]:
    """Kind -> whether the shipped prompt has the words of figures 14 and 15 (by their hash)."""
    rows = published_table(PublishedSettings).filter(published_variant="baseline")
    theirs = dict(rows.select("setting", "value").iter_rows())
    return {kind: _prompt_sha(kind) == theirs[f"prompt.{kind}"] for kind in KINDS}


def _prompt_sha(kind: str) -> str:
    template = re.sub(r"\{actions\}|\{notation\}", "", load_template(kind))
    return sha256_bytes(re.sub(r"\s+", " ", template).encode())


def prompt_parts(kind: str) -> dict[str, bool]:
    """Whether the shipped prompt names the actions, the number of entries, a list, an example."""
    text = load_template(kind)
    has = {
        "actions": "{actions}",
        "entries": "{n_steps}",
        "python list": "Python list",
        "example": "Example",
    }
    return {what: words in text for what, words in has.items()}


def annotators_of_the_paper(n_per_stratum: int) -> list[int]:
    """The plan `paper` for three annotators and so many questions of each kind and length: how many
    all three answer, and how many only one does.
    """
    questions = [
        ShownQuestion(
            f"{kind}{length}-{k}", "baseline", "order", kind, length, f"d{k % 12}", {}, (), ((1,),),
            f"{kind}{length}-{k}",
        )
        for kind in KINDS
        for length in LENGTHS
        for k in range(n_per_stratum)
    ]  # fmt: skip
    plan = paper_plan(questions, ("A", "B", "C"), seed=0)
    times = Counter(q.question_id for part in plan.of_annotator.values() for q in part)
    of_times = Counter(times.values())
    return [of_times[3], of_times[1]]


def published_verdicts(finding: str) -> dict[str, dict[str, int]]:
    """Kind -> verdict on a finding of the paper, beside the smallest chance, -> the paper's models
    and people.
    """
    rows = findings_of_published_models().filter(finding=finding)
    counts = rows.with_columns(pl.col("kind").fill_null("both")).group_by("kind", "verdict").len()
    found: dict[str, dict[str, int]] = {}
    for kind, verdict, n in counts.sort("kind", "verdict").iter_rows():
        found.setdefault(kind, {})[verdict] = n
    return found


def activities() -> list[int]:
    """Activities of the registry's demonstrations, and demonstrations."""
    names = load_registry(DEFAULT_REGISTRY).demonstrations
    return [len({name.rpartition("-")[0] for name in names}), len(names)]


def trajectories_wanted() -> list[int]:
    """Trajectories per demonstration and length, those of all demonstrations together, and the most
    questions of a kind that a length asks for.
    """
    registry = load_registry(DEFAULT_REGISTRY)
    each = registry.questions.trajectories_per_length
    wanted = registry.questions.question_set_per_stratum
    most = wanted if isinstance(wanted, int) else max(wanted.values())
    return [each, each * len(registry.demonstrations), most]


def field_of_view_deg(aperture_mm: float, focal_length_mm: float) -> float:
    """Field of view of a pinhole, degrees."""
    return math.degrees(2 * math.atan(aperture_mm / (2 * focal_length_mm)))


def fisheye_angle_deg(share_of_circle: float) -> float:
    """Angle off the optical axis at a share of the radius of the fisheye's circle, degrees."""
    r = share_of_circle * CIRCLE_SHARE
    return math.degrees(RADIANS_PER_HALF_EDGE * r + RADIANS_PER_HALF_EDGE_SQUARED * r * r)


def order_class(labels: Sequence[str], order: Sequence[int]) -> str:
    """Class of an ``order`` (positions from 0) of a plan whose actions have these categories, by a
    replay of labels. The plan starts with a cup and a plate on a table, and a shut fridge.
    """
    start = Situation(Counter({("cup", "table"): 1, ("plate", "table"): 1}))
    kinds = Kinds({"cup": 1, "plate": 1}, openable=frozenset({"fridge"}))
    return Replay([label_of(label) for label in labels], kinds, start).class_of(order)


def captaincook4d() -> dict[str, int]:
    """Counts of the films of people whose annotations ship: recordings, those without an error,
    plans of 3 to 10 steps, WM questions, and categories of actions.
    """
    actions = annotated_actions(read_step_file(COOK_FOLDER, COOK), {}).rows
    return {
        "recordings": actions["recording"].n_unique(),
        "without an error": actions.filter(flawless_recordings())["recording"].n_unique(),
        "plans": len(flawless_plans(actions, LENGTHS)),
        "wm questions": sum(1 for _ in transition_questions(actions)),
        "categories": len(equivalents(actions)),
    }
