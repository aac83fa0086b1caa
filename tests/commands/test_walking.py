"""What a call that cannot work leaves behind: nothing."""

from pathlib import Path

import pytest

from enact_assets.cli import main
from enact_assets.commands.walking import _program


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
