"""Annotated videos become replay tables: the documented examples, three formats, any facts."""

import dataclasses
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from enact_assets.demonstrations.replay.annotated import check_annotation, read_annotated
from enact_assets.demonstrations.replay.json_lines import member_lines
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Facts, Objects
from enact_assets.demonstrations.replay.validation import check_replay

from reference.annotations import EXAMPLES, as_csv, as_json
from reference.small_videos import write_video

NAME = "try_7"
WIDTH, HEIGHT = 48, 32


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of 300 evenly spaced frames, one of 40, and one whose pace changes."""
    folder = tmp_path_factory.mktemp("videos")
    write_video(folder / "long.mp4", 300)
    write_video(folder / "short.mp4", 40)
    write_video(folder / "uneven.mp4", 4, times_s=[0, 1.0, 1.1, 5.0])
    return folder


def read(folder: Path, video: Path, name: str, text: str) -> ReplayTables:
    link = folder / "external_sensor1.mp4"
    link.unlink(missing_ok=True)
    link.symlink_to(video)
    (folder / name).write_text(text, encoding="utf-8")
    tables = read_annotated(folder / name, NAME)
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    return tables


def example(folder: Path, videos: Path, name: str) -> ReplayTables:
    return read(folder, videos / "long.mp4", name, EXAMPLES[name])


def intervals(tables: ReplayTables, predicate: str) -> set[tuple[object, ...]]:
    columns = ("subject", "object", "frame_from", "frame_to")
    return set(tables.facts.filter(predicate=predicate).select(columns).rows())


def test_the_documented_csv_says_what_happens(tmp_path: Path, videos: Path) -> None:
    tables = example(tmp_path, videos, "annotation.csv")
    row = tables.demonstrations.row(0, named=True)
    assert (row["source"], row["activity"], row["n_frames"]) == ("video", "try", 300)
    assert row["frame_rate_hz"] == pytest.approx(30)
    assert intervals(tables, "OnTop") == {
        ("board", "table", 0, 300),
        ("bread", "table", 0, 45),
        ("bread", "board", 96, 150),
        ("slice_1", "board", 150, 300),
        ("slice_2", "board", 150, 300),
    }
    assert intervals(tables, "RightGrasping") == {("robot", "bread", 45, 96)}
    assert intervals(tables, "Open") == {("fridge", None, 210, 252)}
    exists = intervals(tables, "Exists")
    assert ("bread", None, 0, 150) in exists
    assert {s for s, _, start, _ in exists if start == 150} == {"slice_1", "slice_2"}
    assert len(exists) == 8
    seen = tables.observability.select("object_name", "frame_from", "frame_to", "pixels")
    of = {name: (start, stop, pixels) for name, start, stop, pixels in seen.rows()}
    assert of["butter"] == (210, 252, 5 * 3)
    assert of["bread"] == (0, 150, WIDTH * HEIGHT)
    assert of["slice_1"] == (150, 300, WIDTH * HEIGHT)


def test_the_documented_json_says_the_same(tmp_path: Path, videos: Path) -> None:
    by_csv = example(tmp_path, videos, "annotation.csv")
    by_json = example(tmp_path, videos, "annotation.json")
    assert by_json.demonstrations.item(0, "activity") == "buttering_bread"
    for name in ("facts", "objects", "observability"):
        assert_frame_equal(getattr(by_csv, name), getattr(by_json, name))


def test_the_documented_events_say_what_is_where(tmp_path: Path, videos: Path) -> None:
    tables = example(tmp_path, videos, "annotation.jsonl")
    assert intervals(tables, "OnTop") == {
        ("board", "work_surface", 0, 300),
        ("bread", "work_surface", 0, 45),
        ("bread", "board", 96, 300),
    }
    assert intervals(tables, "RightGrasping") == {("robot", "bread", 45, 96)}
    assert intervals(tables, "Inside") == {("butter", "fridge", 0, 300)}
    assert intervals(tables, "Open") == {("fridge", None, 210, 252)}
    categories = dict(tables.objects.select("object_name", "category").rows())
    assert categories["board"] == "cutting_board"
    assert categories["robot"] == "agent"


def test_what_is_closed_first_was_open(tmp_path: Path, videos: Path) -> None:
    lines = [
        {"time": 1, "action": "Turn-Off", "object": "Stove 2", "scene_graph": {}},
        {"time": 1, "action": "close", "object": "drawer", "scene_graph": {"drawer": ["cup#1"]}},
        {"time": 2, "action": "wipe", "object": "drawer", "scene_graph": {"left hand": ["cup#1"]}},
    ]
    text = "\n".join(map(json.dumps, lines))
    tables = read(tmp_path, videos / "long.mp4", "annotation.jsonl", text)
    assert intervals(tables, "ToggledOn") == {("stove_2", None, 0, 30)}
    assert intervals(tables, "Open") == {("drawer", None, 0, 30)}
    assert intervals(tables, "Inside") == {("cup#1", "drawer", 30, 60)}
    assert intervals(tables, "LeftGrasping") == {("robot", "cup#1", 60, 300)}
    assert dict(tables.objects.select("object_name", "category").rows())["cup#1"] == "cup"


def test_times_find_the_frame_that_is_shown(tmp_path: Path, videos: Path) -> None:
    """At an uneven pace: a mean rate would put 1.05 s on another frame."""
    text = (
        "time,change,predicate,subject,object,category\n,object,,cup,,cup\n"
        "1.05,add,Open,cup,\n0:04.9,remove,Open,cup,\n5.0,add,Open,cup,\n"
    )
    tables = read(tmp_path, videos / "uneven.mp4", "annotation.csv", text)
    assert intervals(tables, "Open") == {("cup", None, 1, 2), ("cup", None, 3, 4)}
    assert not check_annotation(tmp_path / "annotation.csv").video.is_even


def test_views_end_with_their_object_and_move(tmp_path: Path, videos: Path) -> None:
    text = (
        "frame,change,predicate,subject,object,category,box\n,object,,cup,,cup,\n"
        ",object,,lid,,lid,\n5,show,,cup,,,0 0 1 1\n9,show,,cup,,,2 2 3 3\n"
        "12,hide,,lid,,,\n20,remove,Exists,cup,,,\n"
    )
    tables = read(tmp_path, videos / "short.mp4", "annotation.csv", text)
    columns = ("object_name", "frame_from", "frame_to", "x_min_px", "x_max_px")
    assert tables.observability.select(columns).rows() == [
        ("cup", 5, 9, 0, 1),
        ("cup", 9, 20, 2, 3),
        ("lid", 0, 12, 0, WIDTH - 1),
    ]


def test_what_a_spreadsheet_adds_is_passed_over(tmp_path: Path, videos: Path) -> None:
    """A mark before the text, carriage returns, spaces, empty rows, capitals in the header."""
    text = (
        "\ufeffTime,Change,Predicate,Subject,Object,Category\r\n,,,,,\r\n"
        ' ,object,,"cup, red",, cup\r\n 1 ,ADD, Open,"cup, red",,\r\n\r\n'
    )
    tables = read(tmp_path, videos / "short.mp4", "annotation.csv", text)
    assert intervals(tables, "Open") == {("cup, red", None, 30, 40)}


def dialect(separator: str, ending: str = "\n") -> str:
    """What a spreadsheet writes whose comma is in use, with an empty column behind."""
    lines = [
        ["Time", "change", "predicate", "subject", "object", "category", "parents"],
        ["# cut; then eaten"],
        ["", "object", "", "table", "", "table"],
        ["", "object", "", "cup", "", "cup"],
        ["", "object", "", "lid", "", "lid"],
        ["", "object", "", "jar", "", "jar", '"cup;lid"'],
        ["0,5", "remove", "Exists", "cup"],
        ["0,5", "remove", "Exists", "lid"],
        ["0,5", "add", "Exists", "jar"],
        ["0:01,0", "add", "Open", "jar"],
    ]
    return "".join(separator.join(line + [""] * (9 - len(line))) + ending for line in lines)


@pytest.mark.parametrize("text", [dialect(";"), dialect("\t"), "\ufeff" + dialect(";", "\r\n")])
def test_what_spreadsheets_separate_otherwise_is_read(
    tmp_path: Path, videos: Path, text: str
) -> None:
    tables = read(tmp_path, videos / "short.mp4", "annotation.csv", text)
    assert intervals(tables, "Open") == {("jar", None, 30, 40)}
    assert {"cup", "lid"} == set(tables.objects.filter(object_name="jar")["parents"][0])
    assert ("jar", None, 15, 40) in intervals(tables, "Exists")


def test_empty_columns_behind_the_last_mean_nothing(tmp_path: Path, videos: Path) -> None:
    text = (
        "time,change,predicate,subject,object,category,,\n,object,,cup,,cup,,\n"
        "1,add,Open,cup,,,,\n1.1,remove,Open,cup,,,,,,,\n"
    )
    tables = read(tmp_path, videos / "short.mp4", "annotation.csv", text)
    assert intervals(tables, "Open") == {("cup", None, 30, 33)}


def test_a_name_that_begins_like_a_remark_is_one(tmp_path: Path, videos: Path) -> None:
    """Rows of an object called '#3 cup' used to vanish without a word."""
    text = (
        "# my film\nsubject,change,predicate,frame,object,category\n# things,,,\n"
        "#3 cup,object,,,,cup\nlid,object,,,,lid\n#3 cup,add,Open,7,,\n"
    )
    tables = read(tmp_path, videos / "short.mp4", "annotation.csv", text)
    assert intervals(tables, "Open") == {("#3 cup", None, 7, 40)}
    first_is_when = (
        "frame,change,predicate,subject,object,category\n,object,,cup,,cup\n"
        "# opened, perhaps, twice\n#5,add,Open,cup,,\n7,add,Open,cup,,\n"
    )
    tables = read(tmp_path, videos / "short.mp4", "annotation.csv", first_is_when)
    assert intervals(tables, "Open") == {("cup", None, 7, 40)}


def events(folder: Path, videos: Path, *lines: dict[str, object]) -> ReplayTables:
    text = "\n".join(map(json.dumps, lines))
    return read(folder, videos / "long.mp4", "annotation.jsonl", text)


def test_both_hands_may_hold_one_thing(tmp_path: Path, videos: Path) -> None:
    both = {"left hand": ["bowl"], "right hand": ["bowl"]}
    tables = events(
        tmp_path,
        videos,
        {"time": 0, "scene_graph": {"table": ["bowl"]}},
        {"time": 1, "action": None, "object": None, "scene_graph": both},
        {"time": 2, "scene_graph": {"right hand": ["bowl"]}},
    )
    assert intervals(tables, "LeftGrasping") == {("robot", "bowl", 30, 60)}
    assert intervals(tables, "RightGrasping") == {("robot", "bowl", 30, 300)}


@pytest.mark.parametrize("time", [0, 0.02])
def test_what_is_closed_at_the_first_frame_is_closed(
    tmp_path: Path, videos: Path, time: float
) -> None:
    """A frame before the first, at which it was open, there is not."""
    tables = events(
        tmp_path,
        videos,
        {"time": time, "action": "close", "object": "fridge", "scene_graph": {"table": ["bowl"]}},
        {"time": time, "action": "turn off", "object": "hob", "scene_graph": {"table": ["bowl"]}},
        {"time": 2, "action": "open", "object": "fridge", "scene_graph": {"table": ["bowl"]}},
        {"time": 3, "action": "close", "object": "fridge", "scene_graph": {"table": ["bowl"]}},
    )
    assert intervals(tables, "Open") == {("fridge", None, 60, 90)}
    assert intervals(tables, "ToggledOn") == set()


def test_an_empty_place_needs_no_meaning(tmp_path: Path, videos: Path) -> None:
    graph = {"nowhere": [], "table": ["bowl"]}
    tables = events(tmp_path, videos, {"time": 0, "scene_graph": graph})
    assert intervals(tables, "OnTop") == {("bowl", "table", 0, 300)}
    assert "nowhere" not in tables.objects["object_name"].to_list()


@st.composite
def replays(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Facts and objects of 40 frames, as ``check_replay`` wants them."""
    n, names = 40, ["a b", "cup", "käse", "robot"]
    cuts = st.lists(st.integers(0, n), min_size=2, max_size=6, unique=True).map(sorted)
    lives = {name: draw(st.sampled_from([(0, n), (0, n), (10, n), (0, 30)])) for name in names}
    has_parent = lives["a b"][0] and lives["cup"][1] < n  # the cup goes 20 frames after
    facts = [("Exists", name, None, *lives[name]) for name in names]
    keys = [("Open", "cup", None), ("OnTop", "cup", "käse"), ("Inside", "cup", "käse"),
            ("Touching", "cup", "robot"), ("RightGrasping", "robot", "a b")]  # fmt: skip
    for predicate, subject, other in draw(st.lists(st.sampled_from(keys), unique=True, min_size=1)):
        of = [lives[name] for name in (subject, other) if name]
        low, high = max(a for a, _ in of), min(b for _, b in of)
        at = [min(max(c, low), high) for c in draw(cuts)]
        found = [(a, b) for a, b in zip(at[::2], at[1::2], strict=False) if a < b]
        merged = [p for k, p in enumerate(found) if not k or p[0] > found[k - 1][1]]
        facts += [(predicate, subject, other, a, b) for a, b in merged]
    columns = ("predicate", "subject", "object", "frame_from", "frame_to")
    rows = [dict(zip(columns, f, strict=True)) | {"demonstration": NAME} for f in facts]
    things = [
        {"demonstration": NAME, "object_name": name, "category": name, "parents": [],
         "is_particle_system": False}
        for name in names
    ]  # fmt: skip
    if has_parent:
        things[0]["parents"] = ["cup"]
    return Facts.build(rows), Objects.build(things)


@given(replay=replays())
def test_any_facts_come_back(
    replay: tuple[pl.DataFrame, pl.DataFrame], tmp_path: Path, videos: Path
) -> None:
    facts, objects = replay
    has_change = facts.filter(pl.col("predicate") != "Exists").height > 0
    if not has_change:
        return
    for name, text in (
        ("annotation.csv", as_csv(facts, objects, 40)),
        ("annotation.json", as_json(facts, objects, 40)),
    ):
        tables = read(tmp_path, videos / "short.mp4", name, text)
        assert_frame_equal(tables.facts, facts)
        assert_frame_equal(tables.objects, objects)


def test_lines_of_members_are_those_of_the_text() -> None:
    text = '\n{"a": [1,\n\n {"b": ["]", "\\n,"]}\n,3], "c":\n{"d": []}, "e": [\n]}'
    assert member_lines(text) == {"a": [2, 4, 5], "c": [6], "e": []}
    assert member_lines("{}") == {}


def test_the_tables_do_not_depend_on_who_reads(tmp_path: Path, videos: Path) -> None:
    first = example(tmp_path, videos, "annotation.csv")
    second = example(tmp_path, videos, "annotation.csv")
    for field in dataclasses.fields(ReplayTables):
        assert_frame_equal(getattr(first, field.name), getattr(second, field.name))
