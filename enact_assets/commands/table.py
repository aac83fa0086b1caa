"""Table of all commands: module of options, module that runs it, and help text.

A module is imported only when its command is called, so ``--help`` loads no libraries.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from enact_assets import __version__
from enact_assets.settings.paths import root_from_environment


@dataclass(frozen=True)
class Command:
    """One command: in module ``runs`` of this folder ``run_NAME(arguments, console)`` returns its
    exit code, in module ``options`` ``add_NAME(parser)`` adds its arguments, if it has any.
    """

    runs: str
    options: str | None
    about: str


COMMANDS = {
    "materialize": Command(
        "walking",
        "graph_options",
        "Materialize every missing or stale partition in the scope of the data root.",
    ),
    "demo": Command(
        "walking", "graph_options", "Materialize the registry's demo part and show the leaderboard."
    ),
    "plan": Command(
        "plan_output", "graph_options", "Show what materialize would make, and which input changed."
    ),
    "schedule": Command(
        "scheduling",
        "graph_options",
        "Show what the next scheduled rebuild would make, when, within which limits, and what the "
        "last ones made. With --run-now, make it now, as the schedule does.",
    ),
    "import": Command(
        "importing", "file_options", "Take in recordings, annotated videos and question files."
    ),
    "validate": Command(
        "validating", "file_options", "Check annotations and recordings and list every problem."
    ),
    "download": Command(
        "downloading",
        "file_options",
        "Download published data: the questions of ENACT, raw demonstrations of BEHAVIOR.",
    ),
    "export": Command(
        "exchanging",
        "model_options",
        "Write the questions that a variant asks, with their pictures. After a stop, run it "
        "again: it keeps whole pictures with the same content.",
    ),
    "import-answers": Command(
        "exchanging",
        "model_options",
        "Take in answers to exported questions: the model becomes a partition with the next "
        "`materialize`. Answers imported before stay.",
    ),
    "contamination": Command(
        "training.contamination",
        "file_options",
        "Look for test questions and their pictures in a training set: by id, by text, by a "
        "perceptual hash. Exit code 1 if any is found, or if a file was not read.",
    ),
    "learn": Command(
        "training.learning_command",
        "file_options",
        "Show that training sets teach: make two small ones, let a policy in numpy learn from the "
        "rewards of one, and ask it about the other's demonstrations. Some minutes; exit code 1 "
        "if it does not learn, or if a control does.",
    ),
    "forget": Command(
        "forgetting",
        "graph_options",
        "Leave out a demonstration, model or question file that was added.",
    ),
    "world": Command(
        "world_command",
        "graph_options",
        "Make WorldPrediction questions (world modelling and procedural planning) about "
        "demonstrations and their environments, let the baselines answer, and show accuracies.",
    ),
    "models": Command(
        "model_listing",
        "model_options",
        "List the models that can be asked, with prices, keys and retirement. With --check, ask "
        "one a question and say what it cost.",
    ),
    "ask": Command(
        "trying",
        "model_options",
        "Ask a model some questions, verify its answers and show which are wrong. Answers are "
        "kept: asking more, or `enact-assets materialize --model`, asks only the others.",
    ),
    "batch": Command(
        "trying",
        "model_options",
        "Ask models of OpenAI, Anthropic and Google in batches: half the price, within a day. "
        "submit sends all questions of a variant that have no answer; collect fetches answers "
        "that are ready. Then `materialize` scores them.",
    ),
    "submit": Command(
        "board.submitting",
        "model_options",
        "Write a model's answers under a variant as a submission: raw answers, settings without "
        "keys, hashes of all questions, counts. With the same questions it can be scored anew.",
    ),
    "verify-submission": Command(
        "board.submitting",
        "model_options",
        "Score a submission anew on the questions of this data root, and say what differs. Exit "
        "code 1 if anything does.",
    ),
    "site": Command(
        "board.site_command",
        "result_options",
        "Write a board of static pages: leaderboards, a page per model and per question set, the "
        "paper's published rows, submissions. They need no server and no script.",
    ),
    "leaderboard": Command(
        "leaderboard", "result_options", "Show the leaderboard of the DuckDB file."
    ),
    "sql": Command(
        "querying",
        "result_options",
        "Run one SQL query on the DuckDB file; show 50 rows, as fits the terminal.",
    ),
    "report": Command(
        "reporting",
        "result_options",
        "Write the report on the DuckDB file: one HTML file, and figures as PNG and SVG. With "
        "--figures, write figures and tables for a paper instead.",
    ),
    "list": Command(
        "listing",
        None,
        "List activities, demonstrations, recordings, gatings, variants and models, and how many "
        "questions each question set gets per kind and length.",
    ),
    "activities": Command(
        "activities",
        "file_options",
        "List the activities of the embedded simulator and what each is about, and BEHAVIOR's "
        "definitions that it can carry out. With --check, try a declaration of your own.",
    ),
    "show": Command(
        "showing",
        "result_options",
        "Show a question with its pictures and every answer to it, a demonstration with what "
        "changed between its key frames, or a partition with what it was made from and why it is "
        "stale.",
    ),
    "browse": Command(
        "browsing",
        "result_options",
        "Serve pages on this machine: the leaderboard, questions by what models got wrong, every "
        "answer step by step, demonstrations by key frame. No result is changed; --port is "
        "kept in the file browse_port of the data root, for links in reports.",
    ),
    "annotate": Command(
        "annotating",
        "model_options",
        "Let people answer questions: invite annotators (each gets a link), plan who answers "
        "what, serve the page, see the progress. Answers are models of the graph: `enact-assets "
        "materialize` scores them.",
    ),
    "gc": Command(
        "gc",
        "graph_options",
        "List files that nothing needs: pictures that no partition names, partitions of removed "
        "names, leftovers of killed runs, damaged files that were set aside.",
    ),
    "verify": Command(
        "verifying",
        None,
        "Read every file of the lake, every stored picture, every answer of the ledger and the "
        "DuckDB file, and compare all bytes with their checksums. A damaged file is renamed to "
        "NAME.damaged-..., and the next `enact-assets materialize` makes it again; the ledger is "
        "left as it is. Exit code 1 if anything was damaged or could not be read, or if another "
        "program changed the DuckDB file.",
    ),
    "catalogue": Command(
        "verifying",
        "graph_options",
        "Compare catalogue.db, which remembers what each file of the lake says, with all files "
        "(`check`), or make it anew from them (`rebuild`). Files are only read. Exit code 1 if "
        "the catalogue says something else than a file.",
    ),
    "ui": Command("dagster_ui", "graph_options", "Open the Dagster UI on the data root."),
    "segment": Command("converting", "file_options", "Find the key frames of recorded replays."),
    "qa": Command(
        "converting",
        "file_options",
        "Write questions from key frames and the replays they come from.",
    ),
    "eval": Command("converting", "file_options", "Score answers to official questions."),
    "bulk": Command(
        "bulk",
        "file_options",
        "Write tables and questions of many recorded replays in batches, without Dagster.",
    ),
    "omnigibson": Command(
        "trying_omnigibson",
        "file_options",
        "Play one raw demonstration in the installed OmniGibson and write a bundle (`try`): "
        "versions, facts, ten pictures, messages, and a report on whether pictures and boxes "
        "belong together, and how fast it is. It was never run on a real RTX card: yours would be "
        "the first.",
    ),
}
"""All commands, in the order of ``enact-assets --help``."""
WITHOUT_DATA_ROOT = {"validate", "download", "segment", "qa", "eval", "bulk", "learn"}


class CommandParser(argparse.ArgumentParser):
    """Parser of one command; its arguments are added when it is used."""

    add: Callable[[argparse.ArgumentParser], None] | None = None
    """Function that adds the arguments."""

    def fill(self) -> None:
        """Add its arguments, once."""
        add, self.add = self.add, None
        if add is not None:
            add(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, after adding the command's arguments."""
        self.fill()
        return super().parse_known_args(args, namespace)


def parser() -> argparse.ArgumentParser:
    """The parser of the program, with names and help texts of commands."""
    program = argparse.ArgumentParser(
        prog="enact-assets",
        description="ENACT as a Dagster asset pipeline: demonstrations to leaderboard.",
    )
    program.add_argument("--version", action="version", version=__version__)
    commands = program.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.about, description=command.about)
        sub.set_defaults(command=name)
        sub.add = partial(_add_options, name)
    return program


def command_parsers() -> dict[str, CommandParser]:
    """Name -> parser of every command, with all arguments, for documentation."""
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    found: dict[str, CommandParser] = dict(commands.choices)
    for sub in found.values():
        sub.fill()
    return found


def run_of(name: str) -> Callable[[argparse.Namespace, Any], int]:
    """The function that runs the command ``name``."""
    run: Callable[[argparse.Namespace, Any], int] = _part_of(COMMANDS[name].runs, "run", name)
    return run


def _add_options(name: str, sub: argparse.ArgumentParser) -> None:
    if name not in WITHOUT_DATA_ROOT:
        sub.add_argument(
            "--data",
            type=Path,
            default=root_from_environment(),
            metavar="DIR",
            help="data root: lake, pictures, DuckDB file, Dagster runs (default: ENACT_HOME or "
            "./data)",
        )
    if (module := COMMANDS[name].options) is not None:
        _part_of(module, "add", name)(sub)


def _part_of(module: str, prefix: str, name: str) -> Any:
    part = f"{prefix}_{name.replace('-', '_')}"
    return getattr(import_module(f"enact_assets.commands.{module}"), part)
