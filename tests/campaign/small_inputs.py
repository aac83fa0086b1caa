"""Inputs of the roots of :mod:`campaign.small_roots`: files of a few kilobytes and registries, with
which (nearly) every table has rows. Called in forks alone.
"""

import json
from pathlib import Path

import yaml

from benchmarks import tiny_root
from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.content import ShownQuestion
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import k_each_plan
from enact_assets.answers.people.store import Store, Submission
from enact_assets.answers.people.variant_questions import shown_questions
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, DEFAULT_REGISTRY
from enact_assets.settings.world import world_name

from reference.official_questions import question_fields
from reference.small_step_files import three_kitchens
from reference.small_videos import write_video

RECORDED, FILE, KITCHENS = "cups-0", "few", "kitchens"
FRAMES_PER_MOVE = 40
"""With fewer, segmentation finds one key frame alone, and so nothing is asked."""
EMBEDDED = "outfit_a_basic_toolbox-0"
ASKED = "seer"
BEHAVES = "half-prose"
"""How the server answers: half of the questions in words that nobody can read an order from."""
PAIR = f"{ASKED}+{ASKED}"
IN_FLIGHT = 4
LATENCY_MS = 30
WORDED, MIRRORED = "symbolic_predicates", "mirrored"
ANNOTATORS = {"Ada": PERSON, "Bert": PERSON, "Cleo": PERSON}
N_DECIDING = 2
SMALLEST_DISTANCE = 1e-9
"""Measured so that distances are compared; hardly a question goes."""


def write_small(folder: Path, server: str, n_moves: int) -> None:
    """``inputs`` and ``registry.yaml`` in ``folder``: a recording of so many moves, films, a
    question file, and a model at ``server``.
    """
    tiny_root.FRAMES_PER_MOVE = FRAMES_PER_MOVE
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text(encoding="utf-8"))
    world = entries["worldprediction"]
    world["answered_by"] = ["first", "oracle", "markov", "clip_continuity", ASKED, PAIR]
    world["questions"] |= {"lengths": [3], "plans_per_length": 2}
    world["clips"] |= {"frames": 2, "size_px": 24}
    world["filters"] |= {"least_distance": SMALLEST_DISTANCE}
    kept = {"gating": "state", "keep": f"solved_by >= {N_DECIDING} of {N_DECIDING}"}
    tiny_root.write_small_registry(
        folder / "registry.yaml",
        variants=[BASELINE, WORDED, MIRRORED],
        models=["oracle", "pixel_continuity", ASKED],
        worldprediction=world,
        question_sets={"solved": kept},
    )
    inputs = folder / "inputs"
    tiny_root.write_tiny_recording(inputs / "recordings", RECORDED, n_moves, has_contacts=True)
    steps = three_kitchens(inputs / "step_files" / KITCHENS)
    for film in "abc":
        write_video(steps / f"videos/{film}.mp4", 60, rate=1)
    (inputs / "question_files").mkdir()
    questions = inputs / "question_files" / f"{FILE}.jsonl"
    questions.write_text(json.dumps(question_fields()) + "\n")
    write_models(inputs, f"{server}/x-{BEHAVES}-lat{LATENCY_MS}")


def write_models(root: Path, server: str, **options: object) -> None:
    """``models.yaml`` with the model that is asked at ``server``, and ``options`` of its entry."""
    model = options | {
        "id": "openrouter/seer-1",
        "base_url": f"{server}/v1",
        "price": {"in": 1, "out": 2},
        "picture_tokens": {"rule": "fixed", "numbers": [256]},
        "parameters": {"max_tokens": 60},
        "in_flight": IN_FLIGHT,
    }
    models = {"models": {ASKED: model}, "spending": {"max_usd": 100}}
    (root / "models.yaml").write_text(yaml.safe_dump(models))


def write_simulated(folder: Path) -> None:
    """The registry of a root without files, with an embedded demonstration."""
    tiny_root.write_small_registry(
        folder / "registry.yaml",
        demonstrations=[EMBEDDED],
        variants=[BASELINE],
        models=["oracle", "fact_reader", "learned_precedence"],
    )
    (folder / "inputs").mkdir()


def write_people(made: Path, people: Path) -> None:
    """Answers of people to what the root ``made`` asks, into the database ``people``.

    Each is right but for those of a pattern, so that agreement is not perfect; some cannot tell.
    """
    root, store = DataRoot(made, None), Store(str(people))
    asked = {v: shown_questions(root, v).questions for v in (BASELINE, world_name(KITCHENS))}
    questions: dict[str, ShownQuestion] = {}
    for variant, shown in asked.items():
        load_plan(store, k_each_plan(shown, len(ANNOTATORS), has_practice=False), variant)
        questions |= {question.question_id: question for question in shown}
    for number, (label, role) in enumerate(ANNOTATORS.items()):
        annotator = store.annotator(store.invite(label, role)[1])
        assert annotator is not None
        while store.draw(annotator):
            pass
        for place, row in enumerate(store.assignments(annotator.id)):
            right = list(questions[row["question_id"]].accepted[0])
            answer: list[int] | None = right
            if (place + number) % 5 == 0:
                answer = [*right[1:], right[0]] if len(right) > 1 else [right[0] % 4 + 1]
            elif (place + number) % 7 == 0:
                answer = None
            reason = None if answer else "unseen"
            store.save(row, Submission(f"{row['id']} 0", answer, reason, "", 1500))
    store.database.close()
