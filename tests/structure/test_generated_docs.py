"""Generated pictures and pages: one list has them all, and says which are older than their code."""

import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import make_all
from anew import record, shown
from anew.declared import CannotMakeError, Shown, Thing
from anew.things import THINGS

RECORD = record.read_record()


def test_every_picture_and_generated_page_is_a_thing_of_the_list() -> None:
    """A picture that is not there stays as it is when what it shows changes."""
    listed = Counter(name for thing in THINGS for name in thing.files)
    pictures = {
        str(p.relative_to(ROOT))
        for p in (ROOT / "docs").glob("*.*")
        if p.suffix in {".png", ".jpg"}
    }
    assert pictures <= set(listed)
    assert not [name for name, times in listed.items() if times > 1]
    assert not [name for name in listed if not (ROOT / name).is_file()]
    assert len({thing.name for thing in THINGS}) == len(THINGS)
    assert all((thing.make is None) == bool(thing.by_hand) for thing in THINGS)


def test_what_things_show_is_there() -> None:
    """A step, a file or a setting that went would end `make check`."""
    assert all(shown.hashes(thing.shows) for thing in THINGS)
    assert set(RECORD) <= {thing.name for thing in THINGS}
    reached = shown._reached(shown._versions(), "frame_images")
    assert all(any(symbol.startswith(kept) for symbol in reached) for kept in shown.KEEPING)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        shown.files_sha("docs/nothing_*.md")


class Versions:
    """Code versions as they were found, but for some."""

    def __init__(self, found: dict[str, str]) -> None:
        self._found = found

    def hashes(self, _roots: object) -> dict[str, str]:
        return self._found


def test_code_that_moves_makes_no_picture_older(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what it does counts."""
    found = shown._reached(shown._versions(), "replays")
    base = next(k for k in found if k.endswith("activities.base:draw_one"))
    moved = {k.replace(".base:", ".elsewhere.begin:"): sha for k, sha in found.items()}

    def sha_of(hashes: dict[str, str]) -> str:
        monkeypatch.setattr(shown, "_versions", lambda: Versions(hashes))
        return shown.code_sha.__wrapped__("replays")

    then = sha_of(found)
    assert moved != found
    assert sha_of(moved) == then
    assert sha_of({**found, base: "changed"}) != then


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a file that is shown, and pictures that are made of it."""
    for module in (make_all, shown):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "source.txt").write_text("one")
    return tmp_path


def copied(place, *, name: str = "copy") -> Thing:
    """A thing that shows source.txt."""

    def make(made: object) -> None:
        (made.output / f"{name}.txt").write_text((place / "source.txt").read_text())

    return Thing(name, (f"{name}.txt",), Shown(files=("source.txt",)), make, needs_data=False)


def test_a_thing_is_older_when_what_it_shows_changed(place: Path) -> None:
    thing, kept = copied(place), place / "generated.toml"
    assert record.changed_since(thing, record.read_record(kept)) is None
    assert make_all.make(thing, place) == "changed: copy.txt"
    record.note([thing], kept)
    assert make_all.make(thing, place) == "the same as before"
    assert record.report([thing], record.read_record(kept))[0].startswith(
        "Generated pictures and pages: 0 of 1"
    )
    (place / "source.txt").write_text("two")
    assert "  copy: files source.txt" in record.report([thing], record.read_record(kept))
    make_all.make(thing, place)
    record.note([thing], kept)
    assert record.changed_since(thing, record.read_record(kept)) == []


def test_what_could_not_be_made_is_named_and_the_others_are_made(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_made: object) -> None:
        raise CannotMakeError("no browser here")

    noted: list[str] = []
    monkeypatch.setattr(make_all, "note", lambda things: noted.extend(t.name for t in things))
    nothing = Shown(files=("source.txt",))
    things = [
        Thing("refused", ("refused.txt",), nothing, refuse, needs_data=False),
        Thing("drawn", ("drawn.txt",), nothing, by_hand="a person draws it"),
        Thing("pictured", ("pictured.txt",), nothing, refuse),
        copied(place),
    ]
    assert make_all._make(things, place / "data") == 1
    assert noted == ["copy"]
    printed = capsys.readouterr().out
    assert "refused: no browser here" in printed
    assert "drawn: a person draws it" in printed
    assert "pictured: " in printed
    assert "is no data root" in printed


PARTITIONS = ["make_a_salad-0|state", "make_lemonade-0|contact"]


def test_a_stale_data_root_makes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pictures would be recorded as current."""
    (place / "data").mkdir()
    monkeypatch.setattr(make_all, "_stale", lambda _data: {"replays": PARTITIONS})

    def check(activity: str | None) -> None:
        thing = Thing("x", ("x",), Shown(steps=("replays",), activity=activity), print)
        make_all._check_fresh(thing, place / "data")

    for activity in ("make_a_steak", "make_lemonade"):
        check(activity)
    for activity in ("make_a_salad", None):
        with pytest.raises(CannotMakeError, match="replays is stale"):
            check(activity)
