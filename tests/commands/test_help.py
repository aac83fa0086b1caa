"""What `--help` says of the options of every command."""

import argparse

import pytest

from enact_assets.commands.table import COMMANDS, command_parsers, parser, run_of


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
