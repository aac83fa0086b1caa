"""Activities are loaded one by one: a broken file is one message and stops no other activity."""

import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets.cli import main
from enact_assets.commands import listing
from enact_assets.engine.errors import ActivityError
from enact_assets.simulator import activities, simulate
from enact_assets.simulator.activities import ACTIVITIES, DESIGNED, Activities
from enact_assets.simulator.activities.base import Activity

FOLDER = Path(activities.__file__).parent
GOOD = (
    "from enact_assets.simulator.activities.base import Activity\n"
    "ACTIVITY = Activity({name!r}, 'Nothing.', lambda rng: None)\n"
)
BROKEN = {
    "syntax": ("def build(:\n    pass\n", r"SyntaxError: .*tidying_syntax\.py, line 1\)"),
    "import": (
        "import math\n\nfrom math import sine\n",
        r"ImportError: cannot import name 'sine'.*tidying_import\.py, line 3\)",
    ),
    "module": ("import no_such_module\n", r"ModuleNotFoundError: .*tidying_module\.py, line 1\)"),
    "value": ("A = 1\nB = A / 0\n", r"ZeroDivisionError: division by zero .*_value\.py, line 2\)"),
    "nothing": ("", r"AttributeError: .*has no attribute 'ACTIVITY' \(.*tidying_nothing\.py"),
    "other": (GOOD.format(name="tidying"), r"must set ACTIVITY to an Activity .*not 'tidying'"),
    "number": ("ACTIVITY = 7\n", r"tidying_number\.py must set ACTIVITY to an Activity .*not 7"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules can be activities."""
    monkeypatch.setattr(activities, "__path__", [str(FOLDER), str(tmp_path)])
    return tmp_path


def test_every_activity_file_is_listed_and_loads() -> None:
    """A file that is not listed is an activity that nobody can ask for."""
    shared = {"__init__", "base", "drawn_stage", "errands"}
    modules = {path.stem for path in FOLDER.glob("*.py")} - shared
    assert set(DESIGNED) == modules
    declared = {path.stem for path in FOLDER.glob("declarations/*.yaml")}
    assert declared
    assert not declared & modules
    files = modules | declared
    assert list(ACTIVITIES) == sorted(files)
    assert len(ACTIVITIES) == len(files)
    assert [found.name for found in ACTIVITIES.values()] == sorted(files)
    assert "base" not in ACTIVITIES
    with pytest.raises(KeyError):
        ACTIVITIES["base"]


@pytest.mark.slow
def test_listing_the_names_loads_no_activity() -> None:
    """The definitions and every command need the names, and none of them the scenes."""
    code = (
        "import sys\n"
        "from enact_assets.demonstrations.replay.embedded import ACTIVITIES, parse_demonstration\n"
        "parse_demonstration('make_lemonade-0'), sorted(ACTIVITIES), min(ACTIVITIES)\n"
        "print([m for m in sys.modules if m.rpartition('.')[2] in ACTIVITIES])\n"
    )
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert printed == "[]"


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_and_the_others_go_on_working(
    case: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One slip in one activity would be a traceback for every command, the UI and all runs."""
    text, problem = BROKEN[case]
    name = f"tidying_{case}"
    (folder / f"{name}.py").write_text(text)
    known = Activities(name, "make_lemonade")
    monkeypatch.setattr(simulate, "ACTIVITIES", known)
    for use in (simulate.find_activity, lambda n: simulate.build_world(n, 0)):
        with pytest.raises(ActivityError, match=rf"^activity '{name}'.*{problem}"):
            use(name)
    with pytest.raises(ActivityError, match=rf"^activity '{name}'"):
        list(known.values())
    assert simulate.find_activity("make_lemonade") is ACTIVITIES["make_lemonade"]
    assert list(known) == ["make_lemonade", name]


def test_the_file_that_breaks_an_activity_is_named_even_if_it_is_another(folder: Path) -> None:
    """Else one looks for the mistake in the file that only imports it."""
    (folder / "tidying_deep.py").write_text("from enact_assets.simulator.activities import depth\n")
    (folder / "depth.py").write_text("\n\nraise RuntimeError('too\\ndeep.')\n")
    with pytest.raises(ActivityError, match=r"RuntimeError: too deep \(.*depth\.py, line 3\)\. Me"):
        Activities("tidying_deep")["tidying_deep"]


def test_a_listed_activity_without_a_file_is_told_which_to_write() -> None:
    """Its name was added, and the module forgotten."""
    with pytest.raises(ActivityError, match=r"activity 'tidying' cannot be loaded: ModuleNotFound"):
        Activities("tidying")["tidying"]


def test_a_command_works_while_an_activity_is_broken(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``enact-assets list`` asks for names only."""
    (folder / "tidying.py").write_text("def build(:\n")
    monkeypatch.setattr(listing, "ACTIVITIES", Activities("tidying", "make_lemonade"))
    assert main(["list", "--data", str(folder)]) == 0
    assert "make_lemonade, tidying" in capsys.readouterr().out


def test_a_new_activity_is_a_file_and_a_name(folder: Path) -> None:
    """What the guide says about adding one."""
    (folder / "tidying_up.py").write_text(GOOD.format(name="tidying_up"))
    assert isinstance(Activities("tidying_up")["tidying_up"], Activity)
