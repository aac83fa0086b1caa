"""The rules of each profile: chosen in one place, by name, for constants of any value."""

import dataclasses
import re
from pathlib import Path

import pytest

import enact_assets
from enact_assets.engine.errors import UnknownNameError
from enact_assets.pipeline.steps import profiles
from enact_assets.pipeline.steps.profiles import ByProfile
from enact_assets.settings.profile import PAPER, PROFILES, RELEASE, Profile

PACKAGE = Path(enact_assets.__file__).parent
RULES = {name: rule for name, rule in vars(profiles).items() if isinstance(rule, ByProfile)}


def test_every_rule_knows_every_profile_and_no_other() -> None:
    """Rules of another profile would silently score by the wrong ones."""
    assert len(RULES) > 5
    for rule in RULES.values():
        assert rule.of(PAPER) is rule.paper
        assert rule.of(RELEASE) is rule.release
        assert rule.paper is not rule.release
        # A gating may set constants of its own.
        assert rule.of(dataclasses.replace(PAPER, min_visible_fraction=0.1)) is rule.paper
        with pytest.raises(UnknownNameError, match="rules of profile 'nobody'"):
            rule.of(Profile("nobody"))
    assert {field.name for field in dataclasses.fields(ByProfile)} == set(PROFILES)


def test_nothing_else_asks_which_profile_it_is() -> None:
    """One question more about the profile, and a third profile is a search through all stages."""
    own = {PACKAGE / "pipeline/steps/profiles.py", PACKAGE / "settings/profile.py"}
    asks = re.compile(r"\.release is |profile\.name [!=]=|isinstance\(.*(?:Release)?DeltaIndex")
    found = {
        path.relative_to(PACKAGE).as_posix(): lines
        for path in sorted(PACKAGE.rglob("*.py"))
        if path not in own
        and (lines := [line.strip() for line in path.read_text().splitlines() if asks.search(line)])
    }
    # The one function that takes the index apart says so if it is of the other profile.
    assert found == {
        "questions/paths/release_draws.py": ["if not isinstance(index, ReleaseDeltaIndex):"]
    }
