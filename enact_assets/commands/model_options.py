"""Arguments of the commands that ask models and people, and exchange questions and answers."""

import argparse
from pathlib import Path

from enact_assets.commands.option_types import (
    MAX_USD,
    add_count,
    add_max_usd,
    numbers_named,
    positive,
    seconds,
)
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.splits import HeldOut, Split
from enact_assets.settings.world import CONDITIONS, EQUIVALENT

QUESTIONS = 20
SUBMIT, COLLECT = "submit", "collect"
RELEASE_FORM, MESSAGES_FORM, HUB_FORM, LOG_FORM = "release", "messages", "hf", "inspect"
LMMS_FORM, VLM_FORM = "lmms-eval", "vlmevalkit"
ENTRY_FORM = "challenge"
FOLDER_FORMS = (HUB_FORM, LMMS_FORM, VLM_FORM)
ACTIONS = ("invite", "plan", "serve", "progress")
"""What ``annotate`` does."""
PORT = 3040
PAPER, K_EACH = "paper", "k_each"
ALL_KEPT = ""
"""``--kept`` without the name of a set."""
TRAINING_EXPORTS = {"train": Split.TRAINING, "validation": Split.VALIDATION}
"""What ``export`` writes to learn from -> the split of its demonstrations."""
ROLES = ("person", "solver", "simulated", "lead")


def add_models(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``models``."""
    sub.add_argument("name", nargs="?", help="all that is known about one model")
    sub.add_argument("--check", action="store_true", help="ask it one question")
    sub.add_argument("--json", action="store_true", help="as JSON")


def add_ask(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ask``."""
    sub.add_argument(
        "model", help="a name that `enact-assets models` lists, or provider/id of any other"
    )
    about = "how many, as many of each kind and length as can be"
    add_count(sub, "--questions", QUESTIONS, about)
    sub.add_argument(
        "--variant", default=BASELINE, metavar="NAME", help="variant to ask (default: baseline)"
    )
    add_max_usd(sub, f"(default: {MAX_USD:.0f})", MAX_USD)
    sub.add_argument("--estimate", action="store_true", help="say what it would cost, ask nothing")


def add_batch(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``batch``."""
    sub.add_argument("what", choices=(SUBMIT, COLLECT))
    sub.add_argument("model", nargs="?", help="model to submit to")
    sub.add_argument(
        "--variant", default=BASELINE, metavar="NAME", help="variant to ask (default: baseline)"
    )
    add_max_usd(sub, "(submit; default: the budget of models.yaml alone)", None)


def add_annotate(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``annotate``."""
    sub.add_argument("action", choices=ACTIONS, help="what to do")
    sub.add_argument("names", nargs="*", metavar="NAME", help="invite: one annotator each")
    inviting = sub.add_argument_group("invite")
    inviting.add_argument(
        "--role",
        choices=ROLES,
        default=ROLES[0],
        help="person; solver, who is no person but is given the page alone; simulated; or lead, "
        "who sees progress and agreement (default: person). Plan paper is for this role",
    )
    inviting.add_argument(
        "--quota",
        type=int,
        default=100,
        metavar="N",
        help="questions to draw at most (default: 100)",
    )
    inviting.add_argument(
        "--again", action="store_true", help="NAME is an annotator who needs a new link"
    )
    planning = sub.add_argument_group("plan")
    planning.add_argument("--variant", default=BASELINE, help=f"default: {BASELINE}")
    planning.add_argument(
        "--world",
        metavar="SOURCE",
        help="instead of a variant: questions of WorldPrediction, `embedded` or a step file",
    )
    planning.add_argument(
        "--condition",
        choices=CONDITIONS,
        default=EQUIVALENT,
        help=f"where their clips come from (default: {EQUIVALENT})",
    )
    planning.add_argument(
        "--plan",
        choices=(PAPER, K_EACH),
        default=PAPER,
        help="paper: a part for each person and a set that all answer; k_each: all draw from a "
        "pool until each question has K answers (default: paper)",
    )
    planning.add_argument("--k", type=int, default=2, metavar="K", help="default: 2")
    planning.add_argument(
        "--per-stratum", type=int, metavar="N", help="questions of each kind and length at most"
    )
    planning.add_argument(
        "--kept",
        metavar="SET",
        nargs="?",
        const=ALL_KEPT,
        help="only questions that people kept of a question set with `keep`, or with --world those "
        "that two persons solved: answers to them measure how well people do",
    )
    planning.add_argument(
        "--overlap", type=int, metavar="N",
        help="paper: questions of each kind and length that all answer (default: 5 per annotator)",
    )  # fmt: skip
    planning.add_argument(
        "--seed", type=int, default=0, help="of the order of questions (default: 0)"
    )
    sub.add_argument_group("progress").add_argument(
        "--without-few",
        action="store_true",
        help="agreement without annotators who answered fewer than 20 questions of a variant",
    )
    serving = sub.add_argument_group("serve")
    serving.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    serving.add_argument(
        "--port",
        type=int,
        default=PORT,
        help=f"default: {PORT}; 0: any. Links of `invite` name it: give both the same",
    )
    serving.add_argument(
        "--rate",
        type=float,
        default=20.0,
        metavar="N",
        help="requests of one annotator per second (default: 20)",
    )
    serving.add_argument(
        "--public-name",
        action="append",
        metavar="NAME",
        help="host name of the HTTPS proxy in front, for use beyond this machine",
    )


def add_export(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``export``."""
    sub.add_argument(
        "name",
        help="a question set, or an imported question file; train or validation: questions about "
        "other seeds, to learn from (docs/training.md)",
    )
    sub.add_argument(
        "output",
        type=Path,
        metavar="OUT",
        help="file to write: .jsonl, form inspect .eval; a folder for forms hf, lmms-eval, "
        "vlmevalkit, and for train and validation",
    )
    sub.add_argument(
        "--variant",
        metavar="NAME",
        help="variant whose questions and pictures to write (default: the first that asks the set)",
    )
    sub.add_argument(
        "--form",
        "--format",
        choices=(RELEASE_FORM, MESSAGES_FORM, *FOLDER_FORMS, LOG_FORM, ENTRY_FORM),
        default=RELEASE_FORM,
        help="release: an official question file, with labelled pictures below QA/images. "
        "messages: each line has question_id, variant, kind, length (key frames), n_entries (of "
        "the answer), shown_sha (hash of texts and pictures) and parts, a list of "
        '{"text": ...} and {"picture": "pictures/<sha>.png"} in '
        "the order in which models are shown them; pictures are unlabelled. hf: a folder for "
        "Hugging Face `datasets`, with a card and croissant.json. lmms-eval, "
        "vlmevalkit: the same, and files of that tool below it. inspect: the answers of --model "
        "as a log for `inspect view`. challenge: the answers of --model to an imported question "
        "file as an entry of the ENACT Challenge (default: release)",
    )
    sub.add_argument(
        "--all",
        action="store_true",
        help="write the whole question set as it was written, not only what the variant asks "
        "(form release)",
    )
    sub.add_argument(
        "--model", metavar="NAME", help="whose answers to write (forms inspect, challenge)"
    )
    sub.add_argument(
        "--answers",
        action="store_true",
        help="add the reference answer as gt_answer (form messages; form release always has it)",
    )
    training = sub.add_argument_group("train and validation")
    add_count(training, "--questions", 100_000, "how many, as far as there are so many")
    training.add_argument(
        "--activity",
        action="append",
        metavar="NAME",
        help="an activity; may be repeated (default: those of the registry)",
    )
    training.add_argument(
        "--seeds",
        type=numbers_named,
        metavar="FIRST-LAST",
        help="seeds of each activity (default: the first two of the split: 1000-1001, 116-117)",
    )
    training.add_argument(
        "--lengths",
        type=numbers_named,
        default=range(3, 11),
        metavar="FIRST-LAST",
        help="pictures of a question (default: 3-10)",
    )
    add_count(training, "--size", 256, "edge of pictures, in pixels")
    training.add_argument(
        "--pictures",
        choices=("files", "parquet", "webdataset"),
        default="files",
        help="each once, as a file; or within each row that shows it, some 40 times as large "
        "(default: files)",
    )
    training.add_argument(
        "--most-changes", type=positive, metavar="N", help="at most so many changes in a question"
    )
    training.add_argument(
        "--least-gap",
        type=seconds,
        metavar="SECONDS",
        help="no two pictures of a question nearer in time than this",
    )
    training.add_argument(
        "--untold",
        action="store_true",
        help="also steps in which more changes than is said, as in the paper",
    )
    training.add_argument(
        "--reasons",
        action="store_true",
        help="solved answers say of each step what changes, then the order",
    )
    training.add_argument(
        "--held-out",
        action="append",
        choices=[str(held) for held in HeldOut],
        help="train: leave out some rooms, or the activities beside the paper's; validation: ask "
        "about these alone; may be repeated",
    )
    training.add_argument(
        "--workers", type=positive, metavar="N", help="processes (default: all cores)"
    )
    training.add_argument("--dask", metavar="ADDRESS", help="a Dask cluster that makes pictures")


def add_import_answers(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``import-answers``."""
    sub.add_argument(
        "file",
        type=Path,
        metavar="FILE.jsonl",
        help="one object per line with question_id, or id as in an exported question file, and "
        "answer; optional: stop (complete, cut, refused), served_model, tokens_in, "
        "tokens_in_cached, tokens_out, tokens_reasoning, latency_s, variant, shown_sha (as "
        "exported: what was shown; without it, what the variant shows now)",
    )
    sub.add_argument("--model", required=True, metavar="NAME", help="name of the model or person")
    sub.add_argument(
        "--variant",
        default=BASELINE,
        metavar="NAME",
        help=f"variant that the questions were exported from (default: {BASELINE})",
    )
    sub.add_argument(
        "--replace",
        action="store_true",
        help="replace answers to the same questions that were imported before",
    )


def add_submit(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``submit``."""
    sub.add_argument("model", help="a model whose answers are in this data root")
    sub.add_argument(
        "--variant", default=BASELINE, metavar="NAME", help="what it was asked (default: baseline)"
    )
    sub.add_argument(
        "--output", type=Path, metavar="FILE.json", help="file (default: MODEL-VARIANT.json)"
    )


def add_verify_submission(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``verify-submission``."""
    sub.add_argument("file", type=Path, metavar="FILE.json", help="what `submit` wrote")
    sub.add_argument(
        "--ask-again", type=positive, metavar="N", help="ask a model N of the questions anew"
    )
    sub.add_argument("--model", metavar="NAME", help="the model to ask again, as it is called here")
    add_max_usd(sub, f"of asking again (default: {MAX_USD:.0f})", MAX_USD)
