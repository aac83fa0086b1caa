"""A walk that cannot work leaves nothing behind; one that asks nothing says so (public K1)."""

from itertools import product
from pathlib import Path

import msgspec
import polars as pl
import pytest

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.cli import main
from enact_assets.commands.missing_answers import ASKED, nothing_asked
from enact_assets.commands.walking import _program
from enact_assets.demonstrations.replay.tables import LaterParents
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.tables import AskedQuestions, Qa, QuestionSet
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.classes import VIDEO
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry
from enact_assets.simulator.activities import SHIPPED

from reference.builders import build_demonstrations, build_facts, build_objects
from reference.household import asked_as_written, build_household

REFUSED = [
    ("--demonstration", "fly-0", "unknown activity 'fly'"),
    ("--asset", "qaa", "unknown asset "),
    ("--variant", "mirror", "unknown variant "),
    ("--model", "gpt-9000", "unknown model "),
    # References are trained on it.
    ("--demonstration", "setting_the_table-100", "-100': seeds 100 to 115 are reserved"),
]


@pytest.mark.parametrize(
    "words", [*product(["materialize", "demo"], REFUSED), ("world", REFUSED[0])], ids=str
)
def test_a_name_that_cannot_be_makes_no_data_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, tuple[str, str, str]]
) -> None:
    """Three databases of Dagster stood there after a typing error. `world` runs without the other
    options of materialize, and needs the default of each.
    """
    data, (command, (option, name, why)) = tmp_path / "data", words
    assert main([command, option, name, "--data", str(data)]) == 2
    assert why in capsys.readouterr().err
    assert not data.exists()


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (["--learned"], set(LEARNED)),
        (["--learned", "--model", "oracle"], {"oracle", *LEARNED}),
    ],
)
def test_learned_adds_references_and_their_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], asked: set[str]
) -> None:
    """It narrows nothing by itself: all other models of the demo are asked, too."""
    assert main(["plan", "--demo", "--json", *options, "--data", str(tmp_path)]) == 0
    plan = msgspec.json.decode(capsys.readouterr().out)
    made: dict[str, set[str]] = {}
    for step in plan["stale"]:
        made.setdefault(step["step"], set()).add((step["partition"] or "").partition("|")[0])
    assert made["training_statistics"] == set(SHIPPED)
    assert made["fact_reader"] == set(LEARNED)
    assert made["predictions"] >= asked
    assert ("random" in made["predictions"]) == ("--model" not in options)


def test_commands_are_printed_as_they_can_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`demo` printed the program's whole path in an activated environment."""
    program = tmp_path / "enact-assets"
    program.touch(0o755)
    monkeypatch.setattr("sys.argv", [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _program() == "enact-assets"
    monkeypatch.setenv("PATH", "")
    assert _program() == str(program)


N_FRAMES = 600
VARIANT = "real_world_video"
HOME = build_household(4, lengths=range(3, 5))


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    """In which the variants ask nothing."""
    found = DataRoot(tmp_path, None)
    for variant in (VARIANT, "recorded"):
        Lake(found.lake).write("asked_questions", AskedQuestions.empty(), {"variant": variant})
    for name in ("state", "contact"):
        Lake(found.lake).write("question_set", QuestionSet.empty(), {"question_set": name})
    return found


def film(root: DataRoot, predicate: str, *more: tuple) -> None:
    """Land an annotated film whose changes are of ``predicate``, and its key frames."""
    lake, name = Lake(root.lake), {"demonstration": "try-0"}
    demonstrations = build_demonstrations(N_FRAMES).with_columns(source=pl.lit(VIDEO))
    objects = build_objects(("jar", "jar"), ("lid", "lid"))
    facts = build_facts(
        *(("Exists", thing, None, [(0, N_FRAMES)]) for thing in ("jar", "lid")),
        (predicate, "lid", "jar", [(100, 200), (300, 400)]),
        *more,
    )
    lake.write("demonstrations", demonstrations, name)
    lake.write("facts", facts.sort("predicate", "subject", "frame_from"), name)
    lake.write("objects", objects, name)
    lake.write("later_parents", LaterParents.empty(), name)
    found = segment(demonstrations, facts, objects, load_registry().gating("state"))
    of_gating = name | {"gating": "state"}
    lake.write("segmented_frames", found.segmented_frames, of_gating)
    lake.write("qa", Qa.empty(), of_gating)


def said(root: DataRoot, *variants: str) -> list[str]:
    return nothing_asked(root, load_registry(), variants)


def test_no_demonstration_is_of_its_sources(root: DataRoot) -> None:
    (told,) = said(root, VARIANT, "recorded")
    assert told == (
        "Variants real_world_video, recorded ask no question here: no demonstration here is of "
        "such a source (`enact-assets import` takes recordings in)."
    )
    assert said(root) == said(root, "of_another_registry") == []


def test_its_changes_are_of_no_predicate_that_is_looked_at(root: DataRoot) -> None:
    film(root, "AttachedTo")
    (told,) = said(root, VARIANT)
    assert told.startswith(
        "Variant real_world_video asks no question here: try-0 has 1 key frame, and a question "
        "takes 3 or more. try-0: 4 of 4 changes are of AttachedTo (4, first at frame 100), which "
        "no gating that asks about this (state) looks at"
    )
    assert "docs/sources.md" in told


def test_no_key_frames_follow_each_other_in_sight(root: DataRoot) -> None:
    film(root, "OnTop")
    (told,) = said(root, VARIANT)
    assert told == (
        "Variant real_world_video asks no question here: no 3 key frames of try-0 follow each "
        "other with 1 to 5 visible changes from one to the next."
    )


def test_its_questions_are_not_among_those_chosen(root: DataRoot) -> None:
    film(root, "OnTop")
    questions = HOME.qa.with_columns(demonstration=pl.lit("try-0"))
    of_gating = {"demonstration": "try-0", "gating": "state"}
    Lake(root.lake).write("qa", questions, of_gating)
    (told,) = said(root, VARIANT)
    assert told.endswith(f"question set state has none of their {questions.height} questions.")


def test_what_cannot_be_read_ends_no_walk(root: DataRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk had ended well, and each variant's questions were read whole to count them."""
    file = root.lake / ASKED / f"{VARIANT}.parquet"
    assert file.is_file()
    read = Lake.read
    monkeypatch.setattr(Lake, "read", lambda *a: pytest.fail("read") if ASKED in a else read(*a))
    assert len(said(root, VARIANT)) == 1
    file.write_bytes(b"damaged")
    assert said(root, VARIANT) == []


def test_a_variant_that_asks_is_not_mentioned(root: DataRoot) -> None:
    rows = asked_as_written(HOME.qa, VARIANT)
    Lake(root.lake).write("asked_questions", rows, {"variant": VARIANT})
    assert said(root, VARIANT) == []
