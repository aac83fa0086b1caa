"""What a call that cannot work leaves behind: nothing."""

from pathlib import Path

import pytest

from enact_assets.cli import main


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
