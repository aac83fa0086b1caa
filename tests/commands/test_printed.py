"""What commands print: their options, models, plans, and disks or databases that fail."""

import argparse
import io
import re
from pathlib import Path

import pytest
import sqlalchemy
from rich.console import Console

from enact_assets.cli import main
from enact_assets.commands.failing import storage_message
from enact_assets.commands.plan_output import print_plan
from enact_assets.commands.table import COMMANDS, command_parsers, parser, run_of
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Cause
from enact_assets.engine.planning.verdicts import FOLLOWS, FRESH, MISSING, Verdict, Verdicts


def options() -> list[tuple[str, argparse.Action]]:
    return [(name, a) for name, sub in command_parsers().items() for a in sub._actions]


def test_help_names_every_default() -> None:
    hidden = (None, False, argparse.SUPPRESS)
    given = [(name, a) for name, a in options() if a.option_strings and a.default not in hidden]
    assert len(given) > 20
    assert [(n, a.dest) for n, a in given if "default" not in (a.help or "")] == []


def test_demo_makes_a_part_and_has_no_option_for_the_whole(capsys) -> None:
    """It put the whole registry into the scope and made the demo."""
    with pytest.raises(SystemExit):
        parser().parse_args(["demo", "--all"])
    assert "--all" in capsys.readouterr().err
    assert parser().parse_args(["demo"]).all is False


def test_the_table_names_what_there_is() -> None:
    assert all(callable(run_of(name)) for name in COMMANDS)


def test_a_damaged_database_of_dagster_comes_with_the_remedy(tmp_path: Path) -> None:
    """It advised to look for space on the disk."""
    path = tmp_path / "runs.db"
    path.write_bytes(b"no database" * 1000)
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    with (
        pytest.raises(sqlalchemy.exc.DatabaseError, match="not a database") as failed,
        engine.connect() as connection,
    ):
        connection.execute(sqlalchemy.text("select * from runs"))
    engine.dispose()
    for error in (failed.value, failed.value.orig):
        assert error is not None
        told = str(storage_message(error))
        assert "move the folder `dagster` of the data root away" in told
        assert "space" not in told


def test_a_process_that_gets_no_memory_says_so() -> None:
    """Faults N18: a traceback."""
    with pytest.raises(MemoryError) as failed:
        bytearray(2**62)
    assert "no more memory" in str(storage_message(failed.value))


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


def test_a_plan_is_in_columns_and_hides_no_single_name() -> None:
    rows = [
        Verdict(
            name, Partition.of(f"model_{k}", "baseline"), MISSING, (Cause("never materialized"),)
        )
        for name, n in (("question_set_config", 6), ("evaluation", 7))
        for k in range(n)
    ]
    out = io.StringIO()
    console = Console(file=out, width=400, highlight=False)
    rows += [
        Verdict("probes", Partition.of("all"), FOLLOWS),
        *[Verdict("qa", Partition.of("d"), FRESH)] * 1234,
    ]
    print_plan(console, Verdicts.of(rows))
    first, _, one, other, _, _, follows = out.getvalue().splitlines()
    assert first.startswith("13 partitions to make, 1,234 fresh. 1 more may become stale")
    assert one.index("6 partitions") == other.index("7 partitions") == follows.index("1 partition")
    assert "model_5|baseline): never" in one
    assert "more" not in one
    assert "model_4|baseline and 2 more): never" in other
