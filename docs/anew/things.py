"""All generated pictures and pages of the documentation: the one list of them."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import make_pictures
from anew.declared import ROOT, CannotMakeError, Place, Shown, Thing
from anew.pages import annotation_pictures, dagster_pictures, report_pictures
from anew.rooms import draw_rooms

from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry
from enact_assets.simulator.activities import SHIPPED

ENACT = Path(sys.executable).with_name("enact-assets")
PICTURE_STEPS = ("replays", "segmentation", "frame_images")
DEMO_STEPS = (*PICTURE_STEPS, "qa", "predictions", "evaluation", "warehouse")
TABLE = re.compile(r"^Leaderboard .*?(?=^\S*: [\d,]+ questions|\Z)", re.MULTILINE | re.DOTALL)
IN_README = re.compile(r"(?<=```\n)Leaderboard \(baseline.*?(?=```)", re.DOTALL)


def run(command: Sequence[object], **environment: str) -> str:
    """What one of our own programs prints. Errors: :class:`CannotMakeError` with its last lines."""
    words = ["env", *(f"{name}={text}" for name, text in environment.items()), *map(str, command)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise CannotMakeError(f"`{' '.join(words[1:])}` ended with {done.returncode}:\n{last}")
    return done.stdout


def script(name: str, *arguments: str) -> Callable[[Place], None]:
    """By a script of docs/ that writes the files itself."""
    return lambda place: _ignore(run([sys.executable, ROOT / "docs" / name, *arguments]), place)


def written_by_test(path: str) -> Callable[[Place], None]:
    """By a test that otherwise compares."""
    pytest = [sys.executable, "-m", "pytest", "-n", "0", "-m", "slow or not slow", path]
    return lambda place: _ignore(run(pytest, ENACT_WRITE_DOCS="1"), place)


def _ignore(*_found: object) -> None:
    """What was printed says nothing more."""


def _lake(place: Place) -> tuple[Lake, ImageStore]:
    root = DataRoot(place.data)
    return Lake(root.lake), ImageStore(root.images)


def _key_frames(activity: str) -> Callable[[Place], None]:
    return lambda place: make_pictures.write_key_frames(activity, place.output)


def _settings(place: Place) -> None:
    registry = load_registry()
    lake, images = _lake(place)
    first = _demo(0)
    make_pictures.write_settings(
        lake, images, registry, demonstration=first, pair=None, output=place.output
    )


def _questions(place: Place) -> None:
    lake, images = _lake(place)
    for kind in ("forward", "inverse"):
        make_pictures.write_question(lake, images, kind, place.output)


def _demo(k: int) -> str:
    return load_registry().demo["demonstration"][k]


def _readme(place: Place) -> None:
    """The leaderboard in README.md."""
    found = TABLE.search(run([ENACT, "leaderboard", "--data", place.data], COLUMNS="86"))
    page = ROOT / "README.md"
    text = page.read_text(encoding="utf-8")
    if found is None or len(IN_README.findall(text)) != 1:
        raise CannotMakeError("no leaderboard was printed, or README.md has no place for one")
    page.write_text(IN_README.sub(lambda _: found[0].rstrip() + "\n", text), encoding="utf-8")


def _world(place: Place) -> None:
    import json

    asked = {"question_set": "world:embedded"}
    if not Lake(DataRoot(place.data).lake).exists("world_questions", asked):
        raise CannotMakeError(
            f"{place.data} has no WorldPrediction questions: `enact-assets world --data "
            f"{place.data}`, an hour or so the first time"
        )
    folder = place.scratch / "sheets"
    run([ENACT, "world", "--data", place.data, "--sheets", folder, "--per-task", "1"])
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    from PIL import Image

    for name, about in answers.items():
        task = str(about["task"]).lower()
        picture = Image.open(folder / f"{name}.png").convert("RGB")
        picture.save(place.output / f"world_question_{task}.jpg", quality=88)
        print(f"  {task}: answer {about['answer']}, {about['recording']}")


def _learning(place: Place) -> None:
    """The curve of docs/training.md, from demonstrations of its own."""
    folder = place.scratch / "learning"
    run([ENACT, "learn", folder])
    shutil.copy(folder / "learning.png", place.output / "learning.png")


AUTOMATION = (
    "a story of several minutes, in which a registry is edited and processes are killed while "
    "automation works: tests/pipeline/whole_graph/test_automation.py plays it, and a person took "
    "the pictures"
)
BUTTONS = (
    "a data root with fifty recordings: `write_tiny_recording` of benchmarks/tiny_root.py, "
    "`enact-assets ui`, *Materialize* on the asset `facts`, *Confirm*, *All*. For the failed run, "
    "change a byte of lake/facts/moving_cups-0.parquet, and *Materialize* `scene_graphs` of it"
)
BOARD = (
    "a demo with three made-up models, whose answers a script draws from the right ones, and three "
    "submissions of two, one with a wrong claim: `enact-assets site`, then chromium at 1280 and "
    "390 px"
)
INSPECT = (
    "Inspect and its viewer are in .venv-all only, and the page is theirs: run the two commands "
    "above the picture in docs/exports.md, and take it"
)
PAGE_FILES = (
    "enact_assets/answers/people/page/**/*.html",
    "enact_assets/answers/people/page/static/*",
)
REPORT_FILES = "enact_assets/results/report/templates/*"

THINGS = (
    Thing(
        "tables_and_constants",
        ("docs/tables.md", "docs/constants.md", "docs/faithfulness.md"),
        Shown(
            files=(
                "docs/make_tables.py",
                "enact_assets/**/*tables.py",
                "enact_assets/results/faithfulness/claims/*.yaml",
            ),
            has_graph=True,
        ),
        script("make_tables.py"),
        needs_data=False,
        look_at="effects of a new constant are measured by `python -m benchmarks constants`",
    ),
    Thing(
        "rooms",
        ("docs/rooms.png",),
        Shown(files=("docs/anew/rooms.py", "pyproject.toml")),
        draw_rooms,
        needs_data=False,
        look_at="its numbers of lines and imports are those of the day",
    ),
    Thing(
        "constructs",
        ("docs/activities.md",),
        Shown(steps=("replays", "segmentation")),
        script("make_activity_table.py", "--constructs"),
        needs_data=False,
        minutes=6,
    ),
    Thing(
        "lineage",
        ("docs/lineage.md",),
        Shown(files=("tests/pipeline/whole_graph/test_lineage_table.py",), has_graph=True),
        written_by_test("tests/pipeline/whole_graph/test_lineage_table.py"),
        needs_data=False,
        minutes=5,
    ),
    Thing(
        "first_hour",
        ("docs/first_hour.md",),
        Shown(steps=DEMO_STEPS, files=("tests/pipeline/whole_graph/test_first_hour.py",)),
        written_by_test("tests/pipeline/whole_graph/test_first_hour.py"),
        needs_data=False,
        minutes=5,
        look_at="its paragraph on seconds, which INTRODUCTION of the test holds",
    ),
    Thing(
        "learning",
        ("docs/learning.png",),
        Shown(steps=PICTURE_STEPS, files=("enact_assets/commands/training/*.py",)),
        _learning,
        needs_data=False,
        minutes=5,
        look_at="the table below it, which `enact-assets learn` prints",
    ),
    Thing(
        "sample_video",
        (
            "docs/annotated_video/picking_up_toys_1/external_sensor1.mp4",
            "docs/annotated_video/picking_up_toys_1/annotation.csv",
        ),
        Shown(
            steps=PICTURE_STEPS, activity="picking_up_toys", files=("docs/make_sample_video.py",)
        ),
        script("make_sample_video.py"),
        needs_data=False,
        minutes=3,
    ),
    *(
        Thing(
            f"key_frames_{name}",
            (f"docs/key_frames_{name}.jpg",),
            Shown(steps=PICTURE_STEPS, activity=name),
            _key_frames(name),
            needs_data=False,
            minutes=0.5,
        )
        for name in SHIPPED
    ),
    Thing(
        "settings",
        ("docs/settings.jpg",),
        Shown(steps=PICTURE_STEPS, activity=_demo(0).rpartition("-")[0], settings=("variants",)),
        _settings,
        minutes=3,
    ),
    Thing(
        "questions",
        ("docs/question_forward.jpg", "docs/question_inverse.jpg"),
        Shown(steps=(*PICTURE_STEPS, "qa"), settings=("demo", "questions")),
        _questions,
        look_at="README.md, A question, has the words and the answer of the forward one",
    ),
    Thing(
        "readme_leaderboard",
        ("README.md",),
        Shown(steps=DEMO_STEPS, settings=("demo", "models", "questions")),
        _readme,
    ),
    Thing(
        "report",
        ("docs/report_desktop.png", "docs/report_phone.png"),
        Shown(steps=(*DEMO_STEPS, "report"), files=(REPORT_FILES,)),
        report_pictures,
    ),
    Thing(
        "annotate",
        ("docs/annotation_desktop.jpg", "docs/annotation_phone.jpg"),
        Shown(steps=(*PICTURE_STEPS, "qa"), files=PAGE_FILES),
        annotation_pictures,
    ),
    Thing(
        "dagster",
        (
            "docs/dagster_asset_graph.png",
            "docs/dagster_leaderboard.png",
            "docs/dagster_leaderboard_lineage.png",
            "docs/dagster_timeline.png",
            "docs/dagster_question.jpg",
        ),
        Shown(
            files=(
                "sql/marts/leaderboard*.sql",
                "enact_assets/pipeline/steps/previews.py",
                "enact_assets/pipeline/dagster/warehouse_asset.py",
            ),
            libraries=("dagster",),
            has_graph=True,
        ),
        dagster_pictures,
        minutes=2,
        look_at="the runs of the demo are in the timeline if it was made in the last twelve hours",
    ),
    Thing(
        "dagster_buttons",
        ("docs/dagster_materialize.png", "docs/dagster_failed_run.png"),
        Shown(libraries=("dagster",)),
        by_hand=BUTTONS,
    ),
    Thing(
        "world_questions",
        ("docs/world_question_wm.jpg", "docs/world_question_pp.jpg"),
        Shown(steps=("replays", "frame_images", "world_questions", "clip_images")),
        _world,
        look_at="docs/world_prediction.md describes both questions and their answers in words",
    ),
    Thing(
        "board",
        ("docs/board.png", "docs/board_phone.png"),
        Shown(
            files=(
                "enact_assets/results/board/pages.py",
                "enact_assets/results/report/templates/*",
            )
        ),
        by_hand=BOARD,
    ),
    Thing(
        "inspect_view",
        ("docs/inspect_view.jpg",),
        Shown(steps=("qa",), files=("enact_assets/commands/harnesses/inspect*.py",)),
        by_hand=INSPECT,
    ),
    Thing(
        "automation",
        (
            *(
                f"docs/automation_{what}_{page}.png"
                for what in ("camera", "demonstration")
                for page in ("graph", "runs")
            ),
            "docs/up_to_date.png",
        ),
        Shown(libraries=("dagster",), has_graph=True),
        by_hand=AUTOMATION,
    ),
)
NAMES = tuple(thing.name for thing in THINGS)


def named(names: Sequence[str] | None) -> list[Thing]:
    """Things of these names, or all."""
    return [thing for thing in THINGS if not names or thing.name in names]
