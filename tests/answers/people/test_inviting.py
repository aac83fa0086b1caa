"""Links of ``annotate invite`` lead to where ``annotate serve`` answers."""

import re
from pathlib import Path

import pytest

from enact_assets.cli import main


def invite(root: Path, *words: str) -> int:
    return main(["annotate", "invite", "Ada", *words, "--data", str(root)])


@pytest.mark.parametrize(
    ("words", "address", "serving"),
    [
        ((), "http://127.0.0.1:3040/join/", "`enact-assets annotate serve`"),
        (("--port", "3055"), "http://127.0.0.1:3055/join/", "serve --port 3055`"),
        (("--public-name", "answers.example.org"), "https://answers.example.org/join/", ""),
    ],
)
def test_a_link_names_the_port_of_the_page(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    address: str,
    serving: str,
) -> None:
    assert invite(tmp_path, *words) == 0
    said = capsys.readouterr().out
    assert re.search(rf"^person_1  {re.escape(address)}\S{{32,}}$", said, re.MULTILINE)
    assert serving in said
    assert ("annotate serve" in said) == bool(serving)


def test_a_link_cannot_name_any_free_port(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invite(tmp_path, "--port", "0") == 2
    assert "with the port that it prints" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
