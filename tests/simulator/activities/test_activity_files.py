"""Activities are read one by one: a broken file is one message and stops no other activity."""

import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets.cli import main
from enact_assets.commands import listing
from enact_assets.engine.errors import ActivityError
from enact_assets.simulator import activities, simulate
from enact_assets.simulator.activities import ACTIVITIES, FILES, SHIPPED, Activities

PAPERS = (
    "assembling_gift_baskets", "bringing_water", "can_meat", "canning_food",
    "carrying_in_groceries", "chop_an_onion", "chopping_wood", "clean_up_your_desk",
    "cleaning_up_plates_and_food", "clearing_food_from_table_into_fridge",
    "collecting_childrens_toys", "cook_bacon", "cook_cabbage", "cook_hot_dogs", "freeze_pies",
    "getting_organized_for_work", "loading_the_car", "make_pizza", "outfit_a_basic_toolbox",
    "picking_up_toys", "preparing_lunch_box", "putting_away_Halloween_decorations",
    "putting_up_Christmas_decorations_inside", "set_up_a_coffee_station_in_your_kitchen",
    "slicing_vegetables", "sorting_household_items", "sorting_vegetables", "storing_food",
    "wash_dog_toys",
)  # fmt: skip
"""Names in the official questions."""
MOST_LINES, MOST_CHARACTERS = 40, 110


def test_every_declaration_is_listed_is_short_and_loads() -> None:
    """The paper's twenty-nine and ten more; none grows into a program."""
    assert list(ACTIVITIES) == sorted(FILES)
    assert [found.name for found in ACTIVITIES.values()] == sorted(FILES)
    assert set(PAPERS) < set(SHIPPED)
    assert len(SHIPPED) == 39
    for path in SHIPPED.values():
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= MOST_LINES, path.name
        assert max(map(len, lines)) <= MOST_CHARACTERS, path.name
    with pytest.raises(KeyError):
        ACTIVITIES["base"]


@pytest.mark.slow
def test_listing_the_names_reads_no_activity() -> None:
    """The definitions and every command need the names, and none of them the scenes."""
    code = (
        "import sys\n"
        "from enact_assets.demonstrations.replay.embedded import ACTIVITIES, parse_demonstration\n"
        "parse_demonstration('make_lemonade-0'), sorted(ACTIVITIES), min(ACTIVITIES)\n"
        "print([m for m in sys.modules if 'activities.declared' in m])\n"
    )
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert printed == "[]"


def test_a_broken_file_is_named_and_the_others_go_on_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One slip in one activity would be a traceback for every command, the UI and all runs."""
    path = tmp_path / "tidying.yaml"
    path.write_text("says: [\n")
    known = Activities({"tidying": path, "make_lemonade": FILES["make_lemonade"]})
    monkeypatch.setattr(simulate, "ACTIVITIES", known)
    for use in (simulate.find_activity, lambda name: simulate.build_world(name, 0)):
        with pytest.raises(ActivityError, match=r"^activity 'tidying' .* tidying\.yaml: .*line"):
            use("tidying")
    assert simulate.find_activity("make_lemonade") is ACTIVITIES["make_lemonade"]
    assert list(known) == ["make_lemonade", "tidying"]
    monkeypatch.setattr(listing, "ACTIVITIES", known)
    assert main(["list", "--data", str(tmp_path)]) == 0
    assert "make_lemonade, tidying" in capsys.readouterr().out


def test_an_activity_of_ones_own_depends_on_all_files_of_the_household(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thing that is drawn otherwise makes other pictures; ours do not change."""
    monkeypatch.setenv("ENACT_HOUSEHOLD", str(tmp_path))
    for folder in ("activities", "things"):
        (tmp_path / folder).mkdir()
    own = tmp_path / "activities" / "tidying.yaml"
    own.write_text("says: Tidy up.\n")
    monkeypatch.setattr(activities, "OWN", {"tidying": own})
    before = activities.household_version("tidying")
    assert before is not None
    (tmp_path / "things" / "mine.yaml").write_text("my_box: {}\n")
    assert activities.household_version("tidying") not in (None, before)
    assert activities.household_version("make_lemonade") is None
