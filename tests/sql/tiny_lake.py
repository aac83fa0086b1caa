"""A whole lake by hand: two demonstrations, five questions, two models, one probed variant.

``tiny_rows()`` gives plain rows that a test may change or break; ``write_lake`` lands them through
the contracts. What happens in ``setting_the_table-0``: the fridge opens, the hand takes the cup,
the cup goes on the table. In ``boil_water-1`` a burner is switched on and a kettle taken.
"""

import atexit
import hashlib
import math
import pickle
import re
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from duckdb import DuckDBPyConnection

from enact_assets.engine.lake.lake import Lake, file_name
from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.sql_files import STAGES, SqlFile, read_sql_files, sql_folder
from enact_assets.engine.publishing.warehouse import PublishReport, publish
from enact_assets.engine.publishing.warehouse_seal import SEAL
from enact_assets.engine.tables import TABLES, table
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.results.errors.tables import ComparedSteps, RandomOrders
from enact_assets.results.findings.of_models import findings_of_models
from enact_assets.results.findings.of_published_models import findings_of_published_models
from enact_assets.results.paper.results import published_table
from enact_assets.results.probes.panels import correct_within_panels
from enact_assets.results.probes.tables import Probes
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.predicates import CATALOGUE
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry
from enact_assets.settings.world import set_columns

from reference.builders import build_demonstrations
from reference.error_analysis import compare_step

Rows = dict[str, list[dict[str, Any]]]

TABLE, BOIL = "setting_the_table-0", "boil_water-1"
CHANGES = {
    TABLE: [
        ["+Open(fridge)"],
        ["+RightGrasping(robot, cup)"],
        ["+OnTop(cup, table)", "-RightGrasping(robot, cup)"],
    ],
    BOIL: [["+ToggledOn(burner)"], ["+LeftGrasping(robot, kettle)"]],
}
"""Per demonstration, the change from each key frame to the next."""

Question = tuple[str, str, str, list[int], list[int]]

QUESTIONS: list[Question] = [
    # id, demonstration, kind, key frames, order in which next states or actions are shown (from 1)
    ("f1", TABLE, "forward", [0, 1, 2], [2, 1]),
    ("f2", TABLE, "forward", [1, 2, 3], [1, 2]),
    ("f3", TABLE, "forward", [0, 1, 2, 3], [3, 1, 2]),
    ("f4", BOIL, "forward", [0, 1, 2], [2, 1]),
    ("i1", TABLE, "inverse", [0, 1, 2, 3], [2, 3, 1]),
]


def image_sha(demonstration: str, variant: str, key_frame: int) -> str:
    return hashlib.sha256(f"{demonstration} {variant} {key_frame}".encode()).hexdigest()


def tiny_rows() -> Rows:
    """A copy of its own for each who asks: statistics are computed once."""
    rows: Rows = pickle.loads(_tiny_rows())  # noqa: S301 - our own
    return rows


@cache
def _tiny_rows() -> bytes:
    """Pickled: five times as fast to copy as by :mod:`copy`."""
    rows: Rows = {}
    for demonstration, changes in CHANGES.items():
        _demonstration(rows, demonstration, changes)
    for question in QUESTIONS:
        _question(rows, question)
    _asked(rows)
    _answers(rows)
    _world(rows)
    add_settings(rows)
    asked = {row["variant"] for row in rows["asked_questions"]}
    rows["variant_settings"] = [r for r in rows["variant_settings"] if r["variant"] in asked]
    add_statistics(rows)
    for name, contract in TABLES.items():
        if name == "paper_findings":
            rows[name] = findings_of_published_models().to_dicts()
        elif name.startswith("published_"):
            rows[name] = published_table(contract).to_dicts()
    return pickle.dumps(rows)


_FILES: dict[str, tuple[str, bytes]] = {}
"""Name and content of every file written before, by its table and rows: checked and hashed once."""


def write_lake(root: Path | str, rows: Rows) -> Lake:
    """Land ``rows`` through the contracts; ``root`` is a folder or an address."""
    lake = Lake(root)
    for name, table_rows in rows.items():
        contract = table(name)
        partitions = dict.fromkeys(tuple(row[d] for d in contract.by) for row in table_rows)
        for values in partitions:
            mine = [r for r in table_rows if tuple(r[d] for d in contract.by) == values]
            partition = dict(zip(contract.by, values, strict=True))
            known = repr((name, mine))
            if known in _FILES:
                file, content = _FILES[known]
                with lake.place.publishing(file) as out:
                    out.write(content)
                continue
            lake.write(name, contract.build(mine), partition)
            file = file_name(contract, partition)
            _FILES[known] = file, lake.place.read(file)
    return lake


def _add(rows: Rows, name: str, **row: Any) -> None:
    rows.setdefault(name, []).append(row)


BOX = {"x_min_px": 0, "y_min_px": 0, "x_max_px": 9, "y_max_px": 9}


def _demonstration(rows: Rows, demonstration: str, changes: list[list[str]]) -> None:
    seed = int(demonstration.rsplit("-", 1)[1])
    rows.setdefault("demonstrations", [])
    rows["demonstrations"] += build_demonstrations(300, demonstration, seed=seed).to_dicts()
    named = {"demonstration": demonstration}
    here = {**named, "gating": "state"}
    for name, category in (("robot", "agent"), ("cup_0", "cup")):
        thing = {"object_name": name, "category": category, "parents": []}
        _add(rows, "objects", **named, **thing, is_particle_system=False)
        fact = {"predicate": "Exists", "subject": name, "object": None}
        _add(rows, "facts", **named, **fact, frame_from=0, frame_to=300)
    for key_frame, components in enumerate([[], *changes]):
        frame = 20 + 60 * key_frame
        at = {**here, "key_frame": key_frame}
        framed = {**at, "frame": frame}
        since = {"change_frame": frame - 20 if key_frame else None}
        since |= {"similarity": 0.25 if key_frame > 1 else None}
        _add(rows, "segmented_frames", **framed, **since, frame_id=frame, changes=components)
        for name, pixels in (("robot", 0), ("cup_0", 100 - 10 * key_frame)):
            fact = {"predicate": "Exists", "subject": name, "object": None}
            _add(rows, "scene_graphs", **at, **fact)
            seen = {"object_name": name, "pixels": pixels, "fraction": pixels / 512**2}
            _add(rows, "visibility", **framed, **seen, **BOX)
        for variant in ("baseline", "aperture_80"):
            picture = {"image_sha": image_sha(demonstration, variant, key_frame)}
            picture |= {"render_sha": "1" * 64, "width_px": 512, "height_px": 512}
            _add(rows, "frame_images", **framed, **picture, variant=variant)
            _add(rows, "wanted_frames", **framed, variant=variant, frame_id=frame)
    for step, components in enumerate(changes):
        between = {**here, "key_frame_from": step, "key_frame_to": step + 1}
        _add(rows, "transition_graph", **between, n_changes=len(components), changes=components)
        before, after = 100 - 10 * step, 90 - 10 * step
        seen = {"pixels_from": before, "pixels_to": after, "pixels": after}
        _add(rows, "edited_objects", **between, **seen, object_name="cup_0", in_transition=False)
        for ambiguity in (("small", "untold"), ("untold",), ())[step]:
            _add(rows, "ambiguous_changes", **between, ambiguity=ambiguity, object="cup")
    for length in (3, 4):
        for key_frame in range(length - 1, len(changes) + 1):
            count = str(10**40 + key_frame)  # far beyond 128 bits
            _add(rows, "path_counts", **here, length=length, key_frame=key_frame, n_paths=count)
    _rule_effects(rows, here, n_edges=len(changes))


def _rule_effects(rows: Rows, here: dict[str, Any], n_edges: int) -> None:
    """One rule that decides something, one that is not in force, one without numbers."""
    numbers = {
        f"n_{what}_{where}": n
        for what, ns in (("key_frames", (4, 6, 1, 3)), ("edges", (n_edges, n_edges + 2, 1, 3)))
        for where, n in zip(("with", "without", "only_with", "only_without"), ns, strict=True)
    }
    numbers |= {"n_paths_with": str(10**40), "n_paths_without": str(3 * 10**40)}
    numbers["n_edges_changed"] = 1
    decided = {"is_in_force": True, "n_frames_decided": 7, "n_questions": 2}
    _add(rows, "rule_effects", **here, **numbers, **decided, rule="persistence")
    _add(rows, "rule_effects", **here, **numbers, is_in_force=False, rule="similarity_of_states")
    reason = "the release ends"
    _add(rows, "rule_effects", **here, is_in_force=True, rule="settle", reason=reason)


def _question(rows: Rows, question: Question) -> None:
    name, demonstration, kind, key_frames, shown = question
    here = {"demonstration": demonstration, "gating": "state"}
    length = len(key_frames)
    trajectory_id = f"{demonstration}:{'-'.join(map(str, key_frames))}"
    path = {"trajectory_id": trajectory_id, "length": length, "key_frames": key_frames}
    if trajectory_id not in {t["trajectory_id"] for t in rows.get("trajectories", [])}:
        frames = [20 + 60 * k for k in key_frames]
        _add(rows, "trajectories", **here, **path, rank=str(2**70), frames=frames)
    steps = [CHANGES[demonstration][i] for i, _ in pairwise(key_frames)]
    is_forward = kind == "forward"
    in_order = [key_frames[0], *(key_frames[s] for s in shown)]
    of_kind = {"question_id": name, "kind": kind}
    _add(
        rows,
        "qa",
        **here,
        **path,
        **of_kind,
        shown_key_frames=in_order if is_forward else key_frames,
        actions=[f"Something happens ({s})." for s in shown],
        action_components=steps if is_forward else [steps[s - 1] for s in shown],
        answer=[shown.index(step) + 1 for step in range(1, length)],
        draw=0,
        wording="natural",
        prompt=f"Put the pictures of {name} in order.",
    )
    n_orders = math.factorial(length - 1)
    n_accepted = 2 if name == "f1" else 1
    orders = {"n_orders": n_orders, "n_accepted_orders": n_accepted}
    orders |= {"is_ambiguous": n_accepted > 1, "expected_task_accuracy": n_accepted / n_orders}
    orders |= {"expected_pairwise_accuracy": 0.25}
    _add(rows, "question_orders", **here, **of_kind, length=length, **orders)


def _random_order(question: dict[str, Any], variant: str) -> dict[str, Any]:
    """What a random order might be expected to show: half of everything, and no hands."""
    n = question["length"] - 1
    found = dict.fromkeys(RandomOrders.schema(), 0.5) | {"n_steps": n, "n_steps_passed": 0.25 * n}
    found |= {f"n_{side}reference": 1 for side in ("", "left_", "right_")}
    found |= {f"n_{side}_{of}": 0.0 for side in ("left", "right") for of in ("matched", "mixed")}
    same = ("question_id", "demonstration", "kind", "length")
    return found | {name: question[name] for name in same} | {"variant": variant}


def _asked(rows: Rows) -> None:
    for question in rows["qa"]:
        _add(rows, "random_orders", **_random_order(question, "baseline"))
        shared = {c: question[c] for c in ("question_id", "demonstration", "gating", "kind")}
        shared |= {"length": question["length"], "evidence_sha": "2" * 64}
        shared["question_set"] = shared["gating"]
        is_probe = question["question_id"] in ("f1", "f4")
        shared["place"] = 1 if is_probe else 9
        shared["source"] = "embedded"
        _add(rows, "question_set", **shared, in_question_set=True, in_probe_set=is_probe)
        told = ("key_frames", "shown_key_frames", "actions", "action_components", "answer")
        shared |= {c: question[c] for c in (*told, "wording", "prompt")}
        shared |= {"told_components": question["action_components"]}
        shared |= {"noise_rate": 0.0, "n_perturbed": 0}
        _add(rows, "asked_questions", **shared, variant="baseline", in_probe_set=is_probe)
        if is_probe:
            _add(rows, "asked_questions", **shared, variant="aperture_80", in_probe_set=True)
            _add(rows, "random_orders", **_random_order(question, "aperture_80"))


def _answers(rows: Rows) -> None:
    references = {q["question_id"]: q["answer"] for q in rows["qa"]}
    for name, reference in references.items():
        answer(rows, "oracle", "baseline", name, parsed=reference, passed=len(reference))
    # The guesser: one right, one without an order in it, one never obtained, one a third right.
    answer(rows, "guesser", "baseline", "f1", parsed=references["f1"], passed=2)
    answer(rows, "guesser", "baseline", "f2", raw="I would rather not.")
    answer(rows, "guesser", "baseline", "f3", parsed=[2, 1, 3], passed=1)
    answer(rows, "guesser", "baseline", "f4")
    answer(rows, "guesser", "baseline", "i1", parsed=[1, 2, 3], passed=0)
    answer(rows, "guesser", "aperture_80", "f1", parsed=[1, 2], passed=0)
    answer(rows, "guesser", "aperture_80", "f4", parsed=references["f4"], passed=2)
    for scores in list(rows["evaluation"]):
        if scores["answer_status"] == "parsed":
            compared(rows, scores)
    probe = {"model": "guesser", "variant": "aperture_80", "baseline": "baseline"}
    probe |= {"kind": "forward", "length": None, "panel": "camera_fov"}
    probe |= {"n_variant": 2, "n_baseline": 1, "n_missing": 1, "n_paired": 1, "n_demonstrations": 1}
    probe |= {"mean_variant": 0.5, "mean_baseline": 1.0, "delta": -0.5, "standard_error": 0.5}
    probe |= {"welch_p": 0.5, "paired_delta": -1.0}
    probe |= {"unpaired_reason": "one_demonstration", "paired_reason": "one_demonstration"}
    _add(rows, "probes", **probe)


def _world(rows: Rows) -> None:
    """WorldPrediction: which of four actions takes the cup, and in which order three are done."""
    cup, others = "pick_up cup", ["open fridge", "pick_up kettle", "turn_on burner"]
    plan = [*others[:2], cup]
    orders = ([1, 0, 2], [0, 1, 2], [0, 2, 1], [2, 1, 0])
    _world_question(rows, "wm-1", [[c] for c in (*plan, others[2])], [cup])
    _world_question(rows, "pp-1", [[plan[i] for i in order] for order in orders], plan)


def _world_question(rows: Rows, name: str, options: list[list[str]], plan: list[str]) -> None:
    """A question and its candidates. Each category has one clip."""
    here = {**set_columns("embedded"), "question_id": name}
    about = {"task": name[:2], "condition": "same", "length": len(plan), "n_videos": 1}
    letter, pool = "ABCD"[options.index(plan)], sorted({c for option in options for c in option})
    shown = {"recording": TABLE, "first_action": 1, "plan": plan, "answer": letter}
    shown |= {"key_frame_before": 0, "key_frame_after": len(plan), "evidence_sha": "5" * 64}
    shown |= {"set_id": "set-1" if len(plan) == 1 else None}
    shown |= {"classes": ["truth" if option == plan else "incompatible" for option in options]}
    _add(rows, "world_questions", **here, **about, **shown)
    for option, categories in zip("ABCD", options, strict=True):
        for place, category in enumerate(categories, 1):
            clip = pool.index(category) + 1
            at = {"option": option, "place": place, "pool": clip, "action": clip}
            at |= {"recording": TABLE, "view": "baseline", "category": category}
            _add(rows, "world_candidates", **here, **at)


def add_settings(rows: Rows, registry: Path | None = None) -> None:
    """The settings of all variants, of the shipped registry unless another one is given."""
    found = load_registry(registry or DEFAULT_REGISTRY)
    rows["variant_settings"] = [
        row
        for variant in found.variants.values()
        for row in variant_settings(variant, found.gating(variant.gating)).iter_rows(named=True)
    ]


def add_statistics(rows: Rows) -> None:
    """What the assets downstream make of the evaluation and the probes as they are now."""
    probes = Probes.build(rows["probes"])
    rows["probe_panels"] = correct_within_panels(probes).to_dicts()
    rows["model_accuracies"], rows["model_comparisons"] = [], []
    evaluation = Evaluation.build(rows["evaluation"])
    for (variant,), of_variant in evaluation.group_by("variant", maintain_order=True):
        accuracies, comparisons = compare_models(of_variant, str(variant))
        rows["model_accuracies"] += accuracies.to_dicts()
        rows["model_comparisons"] += comparisons.to_dicts()
    compared = ComparedSteps.build(rows["compared_steps"])
    orders = RandomOrders.build(rows["random_orders"])
    rows["model_findings"] = []
    for (variant,), of_variant in evaluation.group_by("variant", maintain_order=True):
        here = orders.filter(variant=variant)
        found = findings_of_models(compared.filter(variant=variant), of_variant, here)
        rows["model_findings"] += found.to_dicts()


def answer(
    rows: Rows,
    model: str,
    variant: str,
    question_id: str,
    *,
    parsed: list[int] | None = None,
    passed: int = 0,
    raw: str | None = None,
    repetition: int = 0,
    stop: str | None = None,
) -> None:
    """One prediction and its evaluation: parsed if there is an order, missing if there is no text.

    ``passed`` steps out of all are right; all of them means accepted. ``stop`` is why the model
    stopped, and then also why there is no order.
    """
    question = next(q for q in rows["qa"] if q["question_id"] == question_id)
    raw = str(parsed) if parsed is not None else raw
    status = "parsed" if parsed is not None else "missing" if raw is None else "unparsed"
    n_steps = question["length"] - 1
    is_scored = status != "missing"
    is_right = status == "parsed" and passed == n_steps
    error = None if is_scored else "the service was down"
    here = {"model": model, "variant": variant, "question_id": question_id}
    here |= {"repetition": repetition}
    said = {"request_sha": "3" * 64, "raw_answer": raw, "error": error, "stop": stop}
    _add(rows, "predictions", **here, **said)
    share = passed / n_steps if is_scored else None
    verdict = is_right if is_scored else None
    _add(
        rows,
        "evaluation",
        **here,
        **{c: question[c] for c in ("demonstration", "gating", "kind", "length")},
        answer_status=status,
        reason={"parsed": None, "unparsed": stop or "no_list", "missing": "no_answer"}[status],
        answer=parsed,
        is_exact=parsed == question["answer"] if is_scored else None,
        is_semantic=verdict,
        is_accepted=verdict,
        n_steps=n_steps,
        n_steps_passed=passed if is_scored else None,
        pairwise_accuracy=share,
        release_answer=parsed,
        is_accepted_as_release=verdict,
        pairwise_accuracy_as_release=share,
    )


def copy_variant(rows: Rows, variant: str, *tables: str, **values: object) -> None:
    """Rows of the probed variant once more under another name, with other ``values``."""
    for name in tables:
        probed = [row for row in rows[name] if row["variant"] == "aperture_80"]
        rows[name] += [{**row, "variant": variant, **values} for row in probed]


def compared_answers(
    rows: Rows, model: str, *given: tuple[str, list[int], int], repetition: int = 0
) -> None:
    """Answers of ``model`` under the baseline, as (question, order, steps passed), and what they
    say of each step.
    """
    for name, order, passed in given:
        told: dict[str, Any] = {"parsed": order, "passed": passed, "repetition": repetition}
        answer(rows, model, "baseline", name, **told)
        compared(rows, rows["evaluation"][-1])


BACKWARDS = {
    # The pictures of f3 in the order of the guesser: 0 1 3 2. Then those of f1: 0 2 1.
    (1, 3): ["+OnTop(cup, table)", "-LeftGrasping(robot, cup)"],
    (3, 2): ["+RightGrasping(robot, cup)", "-OnTop(cup, table)"],
    (0, 2): ["+RightGrasping(robot, cup)"],
    (2, 1): ["-RightGrasping(robot, cup)"],
}
"""Changes between key frames of the table that do not follow each other."""


def sha_of_prompt(prompt: str) -> str:
    """As ``comparable_with_published`` knows a prompt: without its actions."""
    text = re.sub(r"\s+", " ", re.sub(r"\[Action [0-9]+\][^\n]*", "", prompt))
    return hashlib.sha256(text.encode()).hexdigest()


THEIR_WORDS = "Their words.\n[Action 1] {}\n"


def ask_official(
    models: Iterable[str] = ("openai:gpt-5-mini", "glm-4.5v"),
    *,
    source: str = "recorded",
    prompt: str = THEIR_WORDS,
) -> Rows:
    """Variant ``official`` asks the five tiny questions, as if a file of the paper had them, and
    ``models`` answer all of them right.
    """
    rows = tiny_rows()
    add_settings(rows)
    for row in rows["published_settings"]:
        if row["setting"].startswith("prompt."):
            row["value"] = sha_of_prompt(THEIR_WORDS)
    for row in rows["qa"]:
        row["question_file"] = "asked"
    for row in rows["demonstrations"]:
        row["source"] = source
    asked = [row for row in rows["asked_questions"] if row["variant"] == "baseline"]
    probe = {**rows["probes"][0], "variant": "official", "panel": None}
    for name in ("asked_questions", "evaluation", "predictions", "probes"):
        rows[name] = []
    for model in models:
        rows["probes"].append({**probe, "model": model})
    for row in asked:
        name, n = row["question_id"], row["length"] - 1
        text = prompt.format(name)
        rows["asked_questions"].append({**row, "variant": "official", "prompt": text})
        for model in models:
            answer(rows, model, "official", name, parsed=row["answer"], passed=n)
    add_statistics(rows)
    return rows


def compared(rows: Rows, scores: dict[str, Any]) -> None:
    """What a parsed answer says of each step, beside what happened."""
    question = next(q for q in rows["qa"] if q["question_id"] == scores["question_id"])
    changes = CHANGES[question["demonstration"]]
    true = [changes[i] for i, _ in pairwise(question["key_frames"])]
    if question["kind"] == "inverse":
        said = [question["action_components"][label - 1] for label in scores["answer"]]
    else:
        shown = question["shown_key_frames"]
        order = [shown[0], *(shown[label] for label in scores["answer"])]
        said = [BACKWARDS.get((i, j)) or changes[i] for i, j in pairwise(order)]
    names = ("model", "variant", "question_id", "repetition", "demonstration")
    for step, (happened, told) in enumerate(zip(true, said, strict=True), start=1):
        here = {**{name: scores[name] for name in names}, "step": step}
        counts, listed = compare_step(set(happened), set(told))
        is_passed = step <= scores["n_steps_passed"]
        _add(rows, "compared_steps", **here, is_passed=is_passed, **counts)
        for place, (outcome, reference, predicted) in enumerate(listed, start=1):
            predicate = (reference or predicted or "")[1:].partition("(")[0]
            found = {"place": place, "outcome": outcome, "reference": reference}
            found |= {"predicted": predicted, "predicate": predicate}
            semantic_class = CATALOGUE[predicate].semantic_class
            _add(rows, "compared_components", **here, **found, semantic_class=semantic_class)


WORD = re.compile(r"\w+")
SQL_FILES = {file.name: file for file in read_sql_files(sql_folder())}


def sql_files_for(text: str) -> list[SqlFile]:
    """The SQL files that ``text`` names and what these read, in the order in which they run."""
    wanted: set[str] = set()
    left = [text]
    while left:
        words = set(WORD.findall(re.sub(r"--[^\n]*", "", left.pop())))
        more = words & SQL_FILES.keys() - wanted
        wanted |= more
        left += [SQL_FILES[name].text for name in more]
    return [file for name, file in SQL_FILES.items() if name in wanted]


class Relations:
    """Relations made of ``rows`` by the SQL files, each when it is asked for, in no file.

    Publishing takes twenty times as long, and has tests of its own.
    """

    def __init__(self, rows: Rows, stale: pl.DataFrame | None = None) -> None:
        self._rows = rows
        self._made: set[str] = set()
        self._connection = duckdb.connect(config={"threads": 1})
        listed = StalePartitions.empty() if stale is None else stale
        self._connection.register("given_stale_partitions", listed)

    def connection_for(self, text: str) -> DuckDBPyConnection:
        """A connection to a database with all that ``text`` names."""
        for file in sql_files_for(text):
            if file.stage == "checks" or file.name in self._made:
                continue
            self._made.add(file.name)
            if file.name in TABLES:
                built = table(file.name).build(self._rows.get(file.name, []))
                self._connection.register(f"lake_{file.name}", built)
            self._connection.execute(file.text)
        return self._connection


def query(relations: Relations, sql: str) -> pl.DataFrame:
    """Rows of a query, as of the function of the same name on a published file."""
    return relations.connection_for(sql).sql(sql).pl()


def contents(path: Path) -> dict[str, pl.DataFrame]:
    """All rows of every published relation, sorted: a view without an order has none, and several
    threads show it. A query each would open the file as often.
    """
    with duckdb.connect(str(path), read_only=True) as connection:
        listed = connection.execute("from (show tables)").fetchall()
        return {name: connection.sql(f"from {name} order by all").pl() for (name,) in listed}


@cache
def part_of_sql(*names: str) -> Path:
    """A ``sql`` folder with the files called ``names``, and with what these read."""
    folder = Path(tempfile.mkdtemp(prefix="enact-sql-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for stage in STAGES:
        (folder / stage).mkdir()
    for file in sql_files_for(" ".join(names)):
        if file.stage in STAGES:
            (folder / file.stage / f"{file.name}.sql").write_text(file.text)
    return folder


def few_sql() -> Path:
    """Three relations and two checks: enough where it matters how a file comes to be."""
    return part_of_sql("qa_answers_are_permutations", "fact_intervals_are_ordered")


def publish_few(lake: Lake, target: Path, sql: Path | None = None, **told: Any) -> PublishReport:
    """:func:`publish` with the SQL files of :func:`few_sql`."""
    return publish(lake, target, sql or few_sql(), **told)


def lean_sql() -> Path:
    """All relations of the lake and all checks, and few marts."""
    checks = [file.name for file in SQL_FILES.values() if file.stage == "checks"]
    return part_of_sql(*checks, "answers", "leaderboard", "question_ids")


def publish_lean(lake: Lake, target: Path, **told: Any) -> PublishReport:
    """:func:`publish` with the SQL files of :func:`lean_sql`."""
    return publish(lake, target, lean_sql(), **told)


def publish_on(lake: Lake, target: Path, sql: Path | None = None, **told: Any) -> PublishReport:
    """:func:`publish` from a copy of the file of :func:`tiny_rows`, made before in this process.

    A quarter of the time, for tests of those who read it: what differs from those rows is made
    again. ``test_published_again.py`` compares with files made from nothing.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    for suffix, content in _published(sql or sql_folder()).items():
        Path(f"{target}{suffix}").write_bytes(content)
    return publish(lake, target, sql, **told)


@cache
def _published(sql: Path) -> dict[str, bytes]:
    """The file and its seal."""
    # Not a folder for :mod:`atexit` to remove: processes of pytest-xdist end without it.
    with tempfile.TemporaryDirectory(prefix="enact-published-") as name:
        lake = write_lake(Path(name) / "lake", tiny_rows())
        path = publish(lake, Path(name) / "enact.duckdb", sql).path
        return {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", SEAL)}
