"""What `models NAME` and `models NAME --check` print."""

import re
from pathlib import Path

from enact_assets.cli import main

IN_ORDER = """
class InOrder:
    def answer(self, parts):
        return str(list(range(1, sum(not isinstance(p, str) for p in parts))))
"""


def test_facts_of_a_model_are_written_for_people(tmp_path: Path, capsys) -> None:
    assert main(["models", "openai/gpt-5-mini", "--data", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^price +per million tokens: in 0\.25, out 2, ", out, re.MULTILINE)
    assert re.search(r"^context_tokens +272,000$", out, re.MULTILINE)
    assert not re.search(r"[{}\[\]]|None|False|\(\)", out), out


def test_a_check_says_what_is_known_of_its_cost(tmp_path: Path, capsys) -> None:
    """A model of one's own counts no tokens and has no other name."""
    (tmp_path / "my_model.py").write_text(IN_ORDER)
    name = f"python/{tmp_path / 'my_model.py'}:InOrder"
    main(["models", name, "--check", "--data", str(tmp_path / "data")])
    out = " ".join(capsys.readouterr().out.split())
    assert re.search(r"Model \S+ (saw|answered)", out), out
    assert re.search(r"Cost: 0\.00 USD, \d+\.\d s(; answered by \S+)?\.$", out), out
    assert "None" not in out


def test_a_model_without_a_key_says_so_in_a_sentence(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["models", "openai/gpt-5-mini", "--check", "--data", str(tmp_path)]) == 1
    lines = " ".join(capsys.readouterr().out.split())
    assert lines.startswith("Model openai:gpt-5-mini will be retired")
    assert "text out. Model openai:gpt-5-mini gave no answer: " in lines
    assert lines.endswith(".")
