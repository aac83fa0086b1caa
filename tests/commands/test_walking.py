"""What a call that cannot work leaves behind: nothing."""

from pathlib import Path

import msgspec
import pytest

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.cli import main
from enact_assets.commands.walking import _program
from enact_assets.simulator.activities import ACTIVITIES


@pytest.mark.parametrize("command", ["materialize", "demo"])
@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--asset", "qaa"),
        ("--demonstration", "fly-0"),
        ("--variant", "mirror"),
        ("--model", "gpt-9000"),
    ],
)
def test_a_misspelt_name_makes_no_data_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, option: str, name: str
) -> None:
    """Three databases of Dagster stood there after a typing error."""
    data = tmp_path / "data"
    assert main([command, option, name, "--data", str(data)]) == 2
    assert f"unknown {'activity' if name == 'fly-0' else option[2:]} " in capsys.readouterr().err
    assert not data.exists()


def test_world_refuses_an_unknown_activity_before_it_makes_a_data_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It walks without the options of materialize, and needs the default of each."""
    data = tmp_path / "data"
    assert main(["world", "--demonstration", "fly-0", "--data", str(data)]) == 2
    assert "unknown activity 'fly'" in capsys.readouterr().err
    assert not data.exists()


def test_a_demonstration_that_references_are_trained_on_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(tmp_path / "data")
    name = "setting_the_table-100"
    assert main(["materialize", "--demonstration", name, "--data", data]) == 2
    assert f"'{name}': seeds 100 to 115 are reserved" in capsys.readouterr().err


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
    assert made["training_statistics"] == set(ACTIVITIES)
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
