"""Nothing asked is never silence: what takes facts says what can be asked about them."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enact_assets.cli import main
from enact_assets.commands.release import prospects
from enact_assets.commands.release.prospects import asking, changes_by_predicate, remarks
from enact_assets.demonstrations.replay.annotated import read_annotated
from enact_assets.demonstrations.replay.annotation import PREDICATES
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Observability, States
from enact_assets.settings.classes import RECORDED, VIDEO, Gating
from enact_assets.settings.predicates import CATALOGUE, nearest
from enact_assets.settings.profile import RELEASE
from enact_assets.settings.registry import load_registry

from reference.builders import build_demonstrations, build_facts, build_objects
from reference.small_videos import write_video

N_FRAMES = 600
TIMES = [(100, 200), (300, 400), (500, N_FRAMES)]
RELEASED = Gating("released", RELEASE, ())


def replay_of(predicate: str, n_objects: int, *more: tuple, source: str = VIDEO) -> ReplayTables:
    """Five changes of ``predicate``."""
    other = "jar" if n_objects == 2 else None
    exist = [("Exists", name, None, [(0, N_FRAMES)]) for name in ("jar", "lid")]
    return ReplayTables(
        build_demonstrations(N_FRAMES).with_columns(source=pl.lit(source)),
        build_facts(*exist, (predicate, "lid", other, TIMES), *more),
        build_objects(("jar", "jar"), ("lid", "lid")),
        Observability.empty(),
        States.empty(),
    )


@pytest.mark.parametrize("predicate", sorted({*PREDICATES} - {"Exists"}))
def test_every_predicate_makes_key_frames_or_is_named(predicate: str) -> None:
    """public K1: 15 of 26 predicates that `validate` accepts lead to nothing, without a word."""
    registry = load_registry()
    tables = replay_of(predicate, CATALOGUE[predicate].arity)
    numbers, *others = remarks(tables, asking(registry, VIDEO))
    is_seen = registry.gating("state").looks_at(predicate)
    n, found = (5, "6 key frames") if is_seen else (0, "1 key frame")
    said = f"{n} of 5 changes can make a question and give {found} under gating state"
    assert numbers.text == said
    assert [r.is_warning for r in others] == ([] if is_seen else [True, True])
    if not is_seen:
        assert f"5 of 5 changes are of {predicate} (5, first at frame 100)" in others[0].text
        assert "0 questions under gating state: 1 key frame, and a question" in others[1].text


@pytest.mark.parametrize(
    ("word", "n_objects", "ours"),
    [
        ("OPEN", 1, "Open"), ("CLOSED", 1, "Open"), ("INSIDE", 2, "Inside"), ("ON", 2, "OnTop"),
        ("ON", 1, "ToggledOn"), ("OFF", 1, "ToggledOn"), ("HOLDS_RH", 2, "RightGrasping"),
        ("HOLDS_LH", 2, "LeftGrasping"), ("holding", 2, "Grasping"), ("in", 2, "Inside"),
        ("beside", 2, "NextTo"), ("on_top", 2, "OnTop"), ("attached_to", 2, "AttachedTo"),
        ("TOGGLED_ON", 1, "ToggledOn"), ("touching", 2, "Touching"), ("underneath", 2, "Under"),
        ("Graspping", 2, "Grasping"), ("FACING_xyz_q", 2, None),
    ],
)  # fmt: skip
def test_words_of_other_vocabularies_are_told_with_the_nearest_of_ours(
    word: str, n_objects: int, ours: str | None
) -> None:
    """public K1: VirtualHome's and OpenPVSG's relations were states of which nothing came."""
    assert nearest(word, n_objects) == ours
    tables = replay_of(word, n_objects, source=RECORDED)
    _, told, few = remarks(tables, asking(load_registry(), RECORDED))
    near = f", nearest: {ours}" * (ours is not None)
    assert f"5 of 5 changes are of {word} (5, first at frame 100{near})" in told.text
    assert told.is_warning
    assert "0 questions under gating state: 1 key frame" in few.text


@settings(max_examples=30)
@given(st.text(max_size=30))
def test_any_word_has_a_nearest_predicate_or_none(word: str) -> None:
    assert nearest(word) in {None, *CATALOGUE}


def test_a_part_that_is_not_looked_at_is_a_note() -> None:
    more = [("OnTop", "lid", "jar", TIMES)]
    numbers, told = remarks(replay_of("NextTo", 2, *more), asking(load_registry(), VIDEO))
    assert numbers.text.startswith("5 of 10 changes can make a question and give 6 key frames")
    assert (told.kind, told.text[:25]) == ("note", "5 of 10 changes are of Ne")


@pytest.mark.parametrize("predicate", ["AttachedTo", "OnTop"])
def test_profile_release_finds_nothing_after_a_graph_without_states(predicate: str) -> None:
    """public K1: 1 key frame there, too. The cosine with a graph without states is 1."""
    numbers, few = remarks(replay_of(predicate, 2), [RELEASED])
    assert numbers.text.startswith("5 of 5 changes can make a question and give 1 key frame")
    assert "No state holds at frame 59, where profile 'release' takes its first" in few.text
    held = ("Open", "jar", None, [(0, N_FRAMES)])
    numbers, *_ = remarks(replay_of(predicate, 2, held), [RELEASED])
    assert "give 1 key frame" not in numbers.text


def test_nothing_is_segmented_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """`segment` did, to say how many key frames it had found."""
    monkeypatch.setattr(prospects, "SEGMENT", None)
    found = remarks(replay_of("OnTop", 2), [RELEASED], {RELEASED.name: 1})
    assert found.numbers is not None
    assert found.numbers.text.endswith("give 1 key frame under gating released")
    assert [r.is_warning for r in found.others] == [True]


def test_a_source_that_no_variant_asks_about() -> None:
    (told,) = remarks(replay_of("OnTop", 2), [])
    assert told.is_warning
    assert told.text == "no variant of the registry asks about video demonstrations"


def test_changes_are_counted_by_predicate() -> None:
    """What holds at the first frame, or still at the last, did not change then."""
    more = [("Open", "jar", None, [(0, 50), (70, N_FRAMES)])]
    rows = changes_by_predicate(replay_of("OnTop", 2, *more)).rows()
    assert rows == [("OnTop", 2, 5, 100), ("Open", 1, 2, 50)]


def test_every_door_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """public K1: annotations, scene graphs and official replays, by their commands."""
    film = tmp_path / "films" / "attached_1"
    write_video(film / "external_sensor1.mp4", N_FRAMES)
    rows = ["frame,change,predicate,subject,object,category"]
    rows += [f",object,,{name},,{name}" for name in ("lid", "jar")]
    rows += [f"{f},{c},AttachedTo,lid,jar," for f, c in ((100, "add"), (200, "remove"))]
    (film / "annotation.csv").write_text("\n".join(rows))
    played = tmp_path / "replays" / "attached_2"
    played.mkdir(parents=True)
    tables = read_annotated(film / "annotation.csv", "attached_2")
    write_recorded(tables, played / "scene_graph_0.json")
    said = "2 of 2 changes are of AttachedTo (2, first at frame 100), which no gating"

    def out() -> str:
        return " ".join(capsys.readouterr().out.split())

    for folder, number in ((film, "100"), (played, "100")):
        for command in (["validate"], ["import", "--data", str(tmp_path / "data")]):
            main([command[0], str(folder), *command[1:]])
            told = out()
            assert said.replace("100", number) in told
            assert "0 questions under gating state: 1 key frame" in told
            assert "0 of 2 changes can make a question and give 1 key frame" in told
    main(["segment", str(played.parent), str(tmp_path / "out")])
    assert "0 questions under gating release: 1 key frame" in out()
