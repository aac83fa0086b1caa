"""The program's entry point: exit codes and output, however early its process ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets import __version__

BEFORE = "import atexit; from enact_assets import cli;"
RUN = "import sys; sys.argv[0] = 'enact-assets'; cli.run()"
LIBRARY = "atexit.register(print, 'closed'); cli.main = lambda: 2;"
THREAD = (
    "import threading, time; wait = lambda: (time.sleep(0.2), print('waited'));"
    "cli.main = lambda: threading.Thread(target=wait).start() or 1;"
)
FAILING = "cli.main = lambda: [][0];"
STOPPED = "cli.main = lambda: print('made') or 130;"


@pytest.mark.parametrize(
    ("code", "arguments", "exit_code", "out", "error"),
    [
        ("", ["--version"], 0, __version__, ""),
        pytest.param(
            "", ["plan", "--nonsense"], 2, "", "unrecognized arguments", marks=pytest.mark.slow
        ),
        pytest.param(LIBRARY, [], 2, "closed", "", marks=pytest.mark.slow),
        pytest.param(THREAD, [], 1, "waited", "", marks=pytest.mark.slow),
        pytest.param(STOPPED, [], 130, "made", "", marks=pytest.mark.slow),
        (FAILING, [], 1, "", "IndexError"),
    ],
)
def test_the_program_ends_as_its_command_did(
    code: str, arguments: list[str], exit_code: int, out: str, error: str
) -> None:
    """What libraries do at an exit is done, and nothing that was printed is lost."""
    command = [sys.executable, "-c", BEFORE + code + RUN, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter, our own code
    assert (ended.returncode, out in ended.stdout, error in ended.stderr) == (exit_code, True, True)


def test_output_that_cannot_be_written_is_an_error() -> None:
    command = [sys.executable, "-c", BEFORE + STOPPED + RUN]
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        ended = subprocess.run(  # noqa: S603 - our own interpreter, our own code
            command, stdout=full, stderr=subprocess.PIPE, env={}, text=True, check=False
        )
    assert ended.returncode == 120
    assert "No space left" in ended.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_lead_into_no_file(closed: str) -> None:
    """Faults N16: a file that is opened got the number of a closed stream, and what is printed."""
    opening = "import os; cli.main = lambda: print('x') or input and os.open(os.devnull, 0);"
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c"]
    ended = subprocess.run([*command, BEFORE + opening + RUN], capture_output=True, check=False)  # noqa: S603 - our own interpreter, our own code
    assert ended.returncode >= 3
    assert not ended.stderr


@pytest.mark.parametrize(("closed", "is_told"), [(">&-", True), ("2>&-", False)])
def test_a_command_with_a_closed_stream_ends_as_ever(
    tmp_path: Path, closed: str, is_told: bool
) -> None:
    """Faults N16: a traceback, or exit code 1 without a word."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "enact_assets.cli"]
    query = ["sql", "select 1", "--data", str(tmp_path)]
    ended = subprocess.run([*command, *query], capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter
    assert ended.returncode == 2
    assert ended.stderr.startswith("enact-assets: ") == is_told
