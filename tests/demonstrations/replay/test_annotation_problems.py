"""Every message of the validator: each is brought about once, with its line and field."""

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from enact_assets.demonstrations.replay.annotated import check_annotation, read_annotated
from enact_assets.demonstrations.replay.annotation import KINDS
from enact_assets.engine.errors import AnnotationError, RecordingError

from reference.small_videos import write_video

N_FRAMES = 60
"""Two seconds of 48 x 32 px."""
HEAD = "time,frame,change,predicate,subject,object,category,parents,box\n"
THINGS = ",,object,,robot,,agent,,\n,,object,,cup,,cup,,\n,,object,,table,,table,,\n"
FIRST = 5
"""The line after head and things."""
GOOD = "0,,add,OnTop,cup,table,,,\n"


def rows(*lines: str) -> str:
    return HEAD + THINGS + "".join(line + "\n" for line in lines)


def whole(**parts: Any) -> str:
    """A JSON annotation, one entry per line, from line 3 on."""
    good: dict[str, Any] = {
        "objects": [{"name": "cup", "category": "cup"}, {"name": "table", "category": "table"}],
        "changes": [{"time": 0, "add": [["OnTop", "cup", "table"]]}],
    } | parts
    texts = []
    for name, value in good.items():
        text = json.dumps(value)
        if isinstance(value, list):
            text = "[\n" + ",\n".join(map(json.dumps, value)) + "]"
        texts.append(f'"{name}": {text}')
    return "{" + ",\n".join(texts) + "}"


def event(time: float, graph: Any, **more: Any) -> str:
    return json.dumps({"time": time, "scene_graph": graph} | more) + "\n"


CSV = "annotation.csv"
JSON = "annotation.json"
EVENTS = "annotation.jsonl"
CASES: list[tuple[str, str, str | bytes, int, str, str]] = [
    # kind, file, content, line, field, part of the message
    ("not_text", CSV, HEAD.encode() + b"\xff\xfe,,\n", 2, "", "not UTF-8"),
    ("empty", CSV, "\n# only a remark\n", 0, "", "holds nothing"),
    ("empty", JSON, "  ", 0, "", "holds nothing"),
    ("empty", EVENTS, '{"places": {}}\n', 0, "", "holds nothing"),
    ("not_csv", CSV, rows('0,,add,OnTop,"cup'), FIRST, "", "quotation marks"),
    ("not_json", JSON, '{"objects": [],\n "changes": [,]}', 2, "", "Expecting value"),
    ("not_json", JSON, '{"activity": "NaN \\"-",\n "objects": NaN}', 2, "", "NaN is not a JSON"),
    ("not_json", JSON, "[" * 100_000, 0, "", "nested too deeply"),
    ("not_json", JSON, '{"objects": [], "changes": [], "objects": []}', 0, "", "duplicate"),
    ("not_json", EVENTS, event(0, {}) + "{\n", 2, "", "Expecting property name"),
    ("no_objects", JSON, '{"objects": [], "changes": []}', 0, "", "List every object"),
    ("missing_column", CSV, "time,change,predicate,subject,object\n", 1, "category", "found: time"),
    ("missing_column", CSV, HEAD.replace("time,frame,", ""), 1, "time or frame", "Add it"),
    ("unknown_column", CSV, HEAD.replace("box", "bax"), 1, "bax", "known: time, frame"),
    ("unknown_column", CSV, HEAD.replace("box", ",box"), 1, "column 9, which has no header",
     "known"),
    ("repeated_column", CSV, HEAD.replace("box", "time"), 1, "time", "duplicate"),
    ("too_many_fields", CSV, rows(GOOD.strip() + ",x,y"), FIRST, "", "11 fields, but 9 columns"),
    ("unknown_change", CSV, rows("0,,put,OnTop,cup,table"), FIRST, "change", "'put' is not a"),
    ("missing_field", JSON, whole(objects=[{"name": "cup"}]), 2, "objects[0].category", "missing"),
    ("missing_field", EVENTS, '{"time": 0, "action": "take"}\n', 1, "scene_graph", "is missing"),
    ("unknown_field", JSON, whole(objcts=[]), 0, "objcts", "known: activity, objects, changes"),
    ("unknown_field", EVENTS, '{"place": {}}\n' + event(0, {}), 1, "place", "places, categories"),
    ("unused_field", CSV, rows("0,,hide,OnTop,cup"), FIRST, "predicate", "in a row of hide"),
    ("wrong_type", JSON, "[]", 1, "", "a list [...] is not an object {...}"),
    ("wrong_type", JSON, whole(activity=3), 6, "activity", "a number is not a text"),
    ("wrong_type", JSON, whole(changes={}), 4, "changes", "an object {...} is not a list"),
    ("wrong_type", JSON, whole(changes=[{"time": 0, "add": [["OnTop", 3]]}]), 5,
     "changes[0].add[0][1]", "a number is not a text"),
    ("wrong_type", JSON, whole(changes=[{"time": 0, "add": [["OnTop"]]}]), 5,
     "changes[0].add[0]", "a list of 1 is not a list of predicate"),
    ("wrong_type", JSON, whole(changes=[{"time": 0, "hide": [None]}]), 5,
     "changes[0].hide[0]", "nothing is not an object"),
    ("wrong_type", EVENTS, event(0, {"table": "cup"}), 1, "scene_graph.table", "a text is not"),
    ("wrong_type", EVENTS, event(0, {}, action=True), 1, "action", "true or false is not a text"),
    ("wrong_type", EVENTS, '{"places": []}\n' + event(0, {}), 1, "places", "a list [...] is not"),
    ("bad_number", CSV, rows("soon,,add,OnTop,cup,table"), FIRST, "time", "'soon' is not seconds"),
    ("bad_number", CSV, rows("-1,,add,OnTop,cup,table"), FIRST, "time", "1:23.5"),
    ("bad_number", CSV, rows("0:75,,add,OnTop,cup,table"), FIRST, "time", "'0:75' is not seconds"),
    ("bad_number", CSV, rows("0:01:75,,add,OnTop,cup,table"), FIRST, "time", "below 60 after a"),
    ("bad_number", CSV, rows("0:60:00,,add,OnTop,cup,table"), FIRST, "time", "'0:60:00'"),
    ("bad_number", CSV, rows(",1.5,add,OnTop,cup,table"), FIRST, "frame", "a whole number from 0"),
    ("bad_number", CSV, rows("0,,show,,cup,,,,1 2 3"), FIRST, "box", "four whole numbers"),
    ("bad_number", JSON, whole(changes=[{"time": "0", "add": []}]), 5, "changes[0].time", "'0'"),
    ("bad_number", JSON, whole(changes=[{"frame": True}]), 5, "changes[0].frame", "True is not"),
    ("bad_number", JSON, whole(changes=[{"time": 0, "show": [{"name": "cup", "box": [1]}]}]), 5,
     "changes[0].show[0].box", "four whole numbers"),
    ("bad_number", EVENTS, event(-2, {}), 1, "time", "-2 is not seconds"),
    ("no_moment", CSV, rows(",,add,OnTop,cup,table"), FIRST, "time", "neither a time nor a frame"),
    ("two_moments", CSV, rows("0,0,add,OnTop,cup,table"), FIRST, "time", "both a time and"),
    ("after_the_end", CSV, rows("2.1,,add,OnTop,cup,table"), FIRST, "time",
     "2.1 s lies after the end: the video has 60 frames, 2.000 s"),
    ("after_the_end", CSV, rows(",60,add,OnTop,cup,table"), FIRST, "frame", "frame 60 lies after"),
    ("after_the_end", CSV, rows("0,,add,OnTop,cup,table", "1900,,remove,OnTop,cup,table"),
     FIRST + 1, "time", "all times fit if they are milliseconds: divide them by 1000"),
    ("after_the_end", CSV, rows("0,,add,OnTop,cup,table", "59,,remove,OnTop,cup,table"),
     FIRST + 1, "time", "all times fit if they are frame numbers"),
    ("after_the_end", CSV, rows("0,,add,OnTop,cup,table", "0:31,,remove,OnTop,cup,table"),
     FIRST + 1, "time", "has 60 frames, 2.000 s. Correct it, or"),
    ("out_of_order", EVENTS, event(1, {}) + event(0.5, {}), 2, "time", "0.5 comes after 1"),
    ("two_meanings", EVENTS, '{"places": {"hob": "OnTop", "Hob ": "Inside"}}\n' + event(0, {}), 1,
     "places.Hob ", "'Hob ' is 'OnTop' further left, and 'Inside' here"),
    ("no_objects", CSV, HEAD, 0, "", "the robot or person included"),
    ("bad_name", CSV, rows(",,object,,\"a\nb\",,cup"), FIRST + 1, "name", "'a\\nb' is not a name"),
    ("bad_name", CSV, rows(f",,object,,x,,{'y' * 201}"), FIRST, "category", "is not a name"),
    ("repeated_object", CSV, rows(",,object,,cup,,cup"), FIRST, "name", "already listed in line 3"),
    ("no_category", CSV, rows(",,object,,lid,,"), FIRST, "category", "'lid' has no category"),
    ("unknown_object", CSV, rows("0,,add,OnTop,cups,table"), FIRST, "subject", "mean 'cup'?"),
    ("unknown_object", CSV, rows("0,,add,OnTop,CUP,table"), FIRST, "subject", "mean 'cup'?"),
    ("unknown_object", CSV, rows("0,,add,OnTop,cup,sofa"), FIRST, "object", "'sofa' is not among"),
    ("unknown_object", CSV, rows(",,object,,lid,,lid,pot"), FIRST, "parents", "'pot' is not"),
    ("unknown_object", CSV, rows("0,,hide,,lid"), FIRST, "subject", "'lid' is not among"),
    ("own_parent", CSV, rows(",,object,,lid,,lid,lid"), FIRST, "parents", "its own parent"),
    ("never_appears", CSV, rows(",,object,,lid,,lid,cup"), FIRST, "parents", "that adds Exists"),
    ("parent_stays", CSV, rows(",,object,,lid,,lid,cup", "1,,add,Exists,lid"), FIRST, "parents",
     "'cup' is a parent of 'lid' but never ceases to exist"),
    ("parent_apart", CSV, rows(
        ",,object,,lid,,lid,cup", "0.5,,remove,Exists,cup", "1.25,,add,Exists,lid"
    ), FIRST, "parents", "'cup' ends at frame 15, but its child 'lid' begins at 37. "),
    ("no_changes", CSV, HEAD + THINGS, 0, "", "nothing ever changes"),
    ("unknown_predicate", CSV, rows("0,,add,Ontop,cup,table"), FIRST, "predicate", "mean 'OnTop'?"),
    ("transition", CSV, rows("0,,add,Transition,cup,table"), FIRST, "predicate", "is not a fact"),
    ("needs_object", CSV, rows("0,,add,OnTop,cup"), FIRST, "object", "OnTop takes two"),
    ("takes_no_object", CSV, rows("0,,add,Open,cup,table"), FIRST, "object", "Open takes one"),
    ("same_object", CSV, rows("0,,add,OnTop,cup,cup"), FIRST, "object", "subject and object"),
    ("holds_already", CSV, rows(GOOD.strip(), "1,,add,OnTop,cup,table"), FIRST + 1, "change",
     "OnTop(cup, table) already holds since line 5"),
    ("holds_already", CSV, rows("0,,add,Touching,cup,table", "1,,add,Touching,table,cup"),
     FIRST + 1, "change", "Touching(cup, table) already holds since line 5"),
    ("does_not_hold", CSV, rows("1,,remove,OnTop,cup,table"), FIRST, "change", "does not hold"),
    ("no_frame", CSV, rows("1,,add,Open,cup", "1.001,,remove,Open,cup"), FIRST + 1, "change",
     "Open(cup) is added and removed at frame 30"),
    ("does_not_exist", CSV, rows(GOOD.strip(), "1,,remove,Exists,cup"), FIRST, "subject",
     "'cup' does not exist at frame 30, where OnTop(cup, table) holds"),
    ("does_not_exist", CSV, rows("1,,add,Exists,table", GOOD.strip()), FIRST + 1, "object",
     "'table' does not exist at frame 0"),
    ("held_agent", CSV, rows("0,,add,OnTop,cup,table", "1,,add,LeftGrasping,cup,robot"), FIRST + 1,
     "subject", "LeftGrasping(cup, robot) says that a thing holds the agent (such rows: 1)"),
    ("not_an_agent", CSV, rows(
        ",,object,,left_hand,,hand", "1,,add,LeftGrasping,left_hand,cup",
        "1.9,,remove,LeftGrasping,left_hand,cup"
    ), FIRST + 1, "subject", "'left_hand' is a 'hand' and no agent (such rows: 2)"),
    ("not_an_agent", JSON, whole(changes=[{"time": 0, "add": [["Grasping", "table", "cup"]]}]), 5,
     "subject", "Grasping(table, cup), but 'table' is a 'table'"),
    ("both_ways", CSV, rows(GOOD.strip(), "1,,add,OnTop,table,cup"), FIRST + 1, "subject",
     "OnTop(table, cup) and OnTop(cup, table) hold together from frame 30 (such pairs: 1)"),
    ("both_ways", CSV, rows("0,,add,Inside,cup,table", "0,,add,Inside,table,cup"), FIRST + 1,
     "subject", "hold together from frame 0 (such pairs: 1)"),
    ("bad_box", CSV, rows("0,,show,,cup,,,,0 0 48 10"), FIRST, "box", "not a box within"),
    ("bad_box", CSV, rows("0,,show,,cup,,,,9 0 8 10"), FIRST, "box", "edges inclusive"),
    ("in_view_already", CSV, rows("0,,show,,cup", "1,,show,,cup"), FIRST + 1, "change", "line 5"),
    ("shown_twice", CSV, rows("1,,show,,cup,,,,0 0 5 5", "1.01,,show,,cup,,,,0 0 6 6"),
     FIRST + 1, "change", "line 5 already shows 'cup' at frame 30"),
    ("not_in_view", CSV, rows("0,,hide,,cup", "1,,hide,,cup"), FIRST + 1, "change", "not in view"),
    ("unknown_place", EVENTS, event(0, {"the \"void\"": ["cup"]}), 1, "scene_graph",
     '{"places": {"the \\"void\\"": "OnTop"}}'),
    ("bad_place", EVENTS, '{"places": {"void": "At"}}\n' + event(0, {}), 1, "places.void", "'At'"),
    ("two_places", EVENTS, event(0, {"table": ["cup"], "sink": ["cup"]}), 1, "scene_graph",
     "'cup' is in 'table' and in 'sink'"),
    ("two_places", EVENTS, event(0, {"left hand": ["cup"], "table": ["cup"]}), 1, "scene_graph",
     "'cup' is in 'left hand' and in 'table'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("video") / "external_sensor1.mp4", N_FRAMES)


def placed(folder: Path, video: Path, name: str, content: str | bytes) -> Path:
    (folder / video.name).symlink_to(video)
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{k} {case[0]} {case[1][10:]}" for k, case in enumerate(CASES)]
)
def test_a_problem_is_told_with_its_place(
    case: tuple[str, str, str | bytes, int, str, str], tmp_path: Path, video: Path
) -> None:
    kind, name, content, line, field, part = case
    file = placed(tmp_path, video, name, content)
    problems = check_annotation(file).problems
    found = [p for p in problems if p.kind == kind]
    assert found, [str(p) for p in problems]
    assert (found[0].line, found[0].field) == (line, field)
    text = str(found[0])
    assert part in text
    assert text.startswith((f"line {line}", "the file") if line else ("the file", field))
    assert text.endswith((".", "}}."))
    with pytest.raises(AnnotationError, match="enact-assets validate"):
        read_annotated(file, "d")


def test_every_message_is_tested() -> None:
    about_files = {"unreadable", "no_video", "bad_video"}  # below
    assert {case[0] for case in CASES} | about_files == set(KINDS)


def test_what_is_wrong_with_the_files_themselves(tmp_path: Path, video: Path) -> None:
    [problem, *_] = check_annotation(tmp_path / CSV).problems
    assert (problem.kind, problem.line) == ("unreadable", 0)
    (tmp_path / CSV).write_text(rows(GOOD.strip()))
    [problem] = check_annotation(tmp_path / CSV).problems
    assert problem.kind == "no_video"
    assert "external_sensor1.mp4" in str(problem)
    (tmp_path / "external_sensor1.mp4").write_bytes(b"nothing like it" * 99)
    [problem] = check_annotation(tmp_path / CSV).problems
    assert problem.kind == "bad_video"
    assert "cannot be decoded" in str(problem)
    with pytest.raises(RecordingError, match="not the name of an annotation"):
        check_annotation(video)


def test_all_problems_are_told_at_once_in_the_order_of_lines(tmp_path: Path, video: Path) -> None:
    """Whoever has to run it again after each correction gives up."""
    bad = ("9,,add,OnTop,cup,table", "0,,add,Upon,cup,table", "0,,add,OnTop,mug,table", "x,,fly")
    file = placed(tmp_path, video, CSV, rows(*bad))
    assert [p.line for p in check_annotation(file).problems] == [5, 6, 7, 8]
    with pytest.raises(AnnotationError, match="4 problems, the first in line 5, time: 9 s") as told:
        read_annotated(file, "d")
    assert len(told.value.problems) == 4


FOLLOWING: list[tuple[str, str, tuple[str, ...]]] = [
    # file, content, kinds of all problems: of what a refused row should have said, nothing is told
    (CSV, rows("0,,show,,cup,,,,0 0 99 9", "1,,hide,,cup"), ("bad_box",)),
    (CSV, rows("0,,show,,cup,,,,0 0 9", "1,,hide,,cup"), ("bad_number",)),
    (CSV, rows("0,,hide,,cup", "0.5,,shwo,,cup", "1,,hide,,cup"), ("unknown_change",)),
    (CSV, rows("0,,show,,cup", "soon,,hide,,cup", "1,,show,,cup"), ("bad_number",)),
    (CSV, rows(",,objct,,board,,board", "0,,add,OnTop,board,table", "1,,remove,OnTop,board,table",
               "1,,hide,,board"), ("unknown_change",)),
    (CSV, rows(",,object,,a;b,,board", "0,,add,OnTop,a;b,table"), ("bad_name",)),
    (CSV, rows(",,object,,board,,a board, of wood,,x", "0,,add,OnTop,board,table"),
     ("too_many_fields",)),
    (CSV, rows("0,,add,OnTp,cup,table", "1,,remove,OnTop,cup,table"), ("unknown_predicate",)),
    (CSV, rows("0,,ad,OnTop,cup,table", "1,,remove,OnTop,cup,table"), ("unknown_change",)),
    (CSV, rows("0,,add,OnTop,cpu,table", "1,,remove,OnTop,cup,table"), ("unknown_object",)),
    (CSV, rows(GOOD.strip(), "soon,,remove,OnTop,cup,table", "1,,add,OnTop,cup,table"),
     ("bad_number",)),
    (CSV, rows(GOOD.strip(), "9,,remove,OnTop,cup,table", "1,,remove,Exists,cup"),
     ("after_the_end",)),
    (CSV, rows(",,object,,lid,,lid,cup", "1,,add,Exists,lid", "1,,remove,Exist,cup"),
     ("unknown_predicate",)),
    (CSV, rows(",,object,,lid,,lid,cup", "1,,add,Exist,lid", "1,,remove,Exists,cup"),
     ("unknown_predicate",)),
    (JSON, whole(objects=[{"name": "cup"}, {"name": "table", "category": "table"}]),
     ("missing_field",)),
    (JSON, whole(changes=[{"time": -1, "add": [["OnTop", "cup", "table"]]},
                          {"time": 1, "remove": [["OnTop", "cup", "table"]]}]), ("bad_number",)),
    (JSON, whole(changes=[{"time": 0, "hide": ["cup"]},
                          {"time": 0.5, "show": [{"name": "cup", "box": [1]}]},
                          {"time": 1, "hide": ["cup"]}]), ("bad_number",)),
    (JSON, whole().replace("objects", "objcts"), ("unknown_field", "missing_field", "no_objects")),
    # Others have their own mistakes.
    (CSV, rows("0,,add,OnTp,cup,table", "1,,remove,OnTop,table,robot"),
     ("unknown_predicate", "does_not_hold")),
    (CSV, rows(",,objct,,board,,board", "0,,add,OnTop,bord,table"),
     ("unknown_change", "unknown_object")),
    (CSV, rows("0,,show,,cup,,,,0 0 99 9", "0.5,,show,,table", "1,,hide,,table",
               "1.5,,hide,,table"),
     ("bad_box", "not_in_view")),
]  # fmt: skip


@pytest.mark.parametrize("case", FOLLOWING, ids=range(len(FOLLOWING)))
def test_what_only_follows_from_a_refused_row_is_not_told(
    case: tuple[str, str, tuple[str, ...]], tmp_path: Path, video: Path
) -> None:
    """Its advice (delete the row, is it 'bread'?) would spoil what is right."""
    name, content, kinds = case
    problems = check_annotation(placed(tmp_path, video, name, content)).problems
    assert tuple(p.kind for p in problems) == kinds, [str(p) for p in problems]


def test_a_parent_may_go_a_little_before_or_after(tmp_path: Path, video: Path) -> None:
    """Within the frames until the picture is taken, one step shows both."""
    for gone, come in (("0.5", "1.1"), ("1.1", "0.5")):
        text = rows(
            ",,object,,lid,,lid,cup", f"{gone},,remove,Exists,cup", f"{come},,add,Exists,lid"
        )
        (tmp_path / gone).mkdir()
        assert check_annotation(placed(tmp_path / gone, video, CSV, text)).problems == []


def test_many_wrong_names_are_told_quickly(
    tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking up what was meant takes a millisecond: once per name, and not for thousands."""
    asked: list[str] = []

    def close(name: str, known: list[str], n: int) -> list[str]:
        asked.append(name)
        return [known[0]]

    monkeypatch.setattr(difflib, "get_close_matches", close)
    wrong = [f"0,,add,OnTop,x{k % 500},table" for k in range(2000)]
    problems = check_annotation(placed(tmp_path, video, CSV, rows(*wrong))).problems
    assert len(problems) == 2000
    assert "did you mean" in str(problems[501])
    assert len(asked) == len(set(asked)) == 200
