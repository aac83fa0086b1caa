"""Runs the player in OmniGibson's own interpreter: watched, one at a time, with one retry.

Isaac Sim crashes now and then, so an end without a result is tried once more. What the player says
is wrong (no GPU, no such file) is not: it would be wrong again.
"""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from filelock import lock_descriptor

from enact_assets.demonstrations.replay.omnigibson_player.request import (
    FOUND_FILE,
    LOCK_VARIABLE,
    PICTURES_FOLDER,
    PROGRESS_FILE,
    REFUSAL_FILE,
    REFUSED,
    REPLAY_FILE,
    REPORT_FILE,
    PlaybackRequest,
)
from enact_assets.engine.errors import OutputError, PlaybackError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.lock_files import open_lock

PYTHON_VARIABLE = "OMNIGIBSON_PYTHON"
PLAYER = Path(__file__).with_name("omnigibson_player")
ATTEMPTS = 2
POLL_S = 0.2
STOP_S = 20.0
TAIL_CHARACTERS = 1500
REQUEST_FILE = "request.json"
LOG_FILE = "player.log"
LOCK_FILE = "gpu.lock"
BUNDLE = (REPORT_FILE, FOUND_FILE, REFUSAL_FILE, REPLAY_FILE, LOG_FILE, f"{PICTURES_FOLDER}/*.png")
"""What a trial writes into its folder."""
OURS = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
"""Variables of our interpreter, which would lead the other one to our packages."""

_log = logging.getLogger(__name__)

Session = Callable[[], AbstractContextManager[Mapping[str, str]]]
"""Opens a channel for messages; gives the variables by which the player finds it."""


def interpreter() -> str:
    """OmniGibson's interpreter. Errors: :class:`PlaybackError` if none is named or it is gone."""
    named = os.environ.get(PYTHON_VARIABLE, "").strip()
    advice = (
        f"Set {PYTHON_VARIABLE} to the Python that OmniGibson is installed in, on a machine with "
        "an RTX GPU; docs/omnigibson.md has the steps."
    )
    if not named:
        raise PlaybackError(f"{PYTHON_VARIABLE} is not set. {advice}")
    if not os.access(named, os.X_OK) or Path(named).is_dir():
        raise PlaybackError(
            f"{PYTHON_VARIABLE}: {named!r} is not a program that can be run. {advice}"
        )
    return named


def player_variables() -> dict[str, str]:
    """Environment of the player: ours, without what is about our own interpreter."""
    return {k: v for k, v in os.environ.items() if k not in OURS} | {"PYTHONNOUSERSITE": "1"}


def try_installation(
    file: Path,
    folder: Path,
    options: Sequence[str],
    played: Path,
    *,
    say: Callable[[str], None],
    on_progress: OnProgress = unheard,
) -> tuple[int, str]:
    """Let the player try OmniGibson with ``file``; its bundle goes to ``folder``, and as a zip
    beside that.

    Waits while a replay below ``played`` uses the GPU, and says so. Returns the exit code and,
    unless that is 0, what the player said last. Its output goes to ``player.log`` there. Errors:
    :class:`PlaybackError` if no interpreter is set; :class:`OutputError`, also for a folder with
    anything but an earlier trial.
    """
    command = [interpreter(), str(PLAYER), "--try", str(file), *options, f"--to={folder}"]
    is_trial = any((folder / name).is_file() for name in (FOUND_FILE, LOG_FILE))
    if folder.is_dir() and any(folder.iterdir()) and not is_trial:
        raise OutputError(f"{folder} has files, and none of a trial. Name another folder by --out.")
    for needed in (folder, played):
        with _writing(needed):
            needed.mkdir(parents=True, exist_ok=True)
    with one_gpu(played / LOCK_FILE, say) as lock:
        with _writing(folder):
            for path in (*_bundle(folder), folder / PROGRESS_FILE):  # of an earlier trial
                path.unlink(missing_ok=True)
        code = _run(command, folder, {}, lock, on_progress)
    with _writing(folder), ZipFile(zip_of(folder), "w", ZIP_DEFLATED) as archive:
        for path in _bundle(folder):
            archive.write(path, f"{folder.resolve().name}/{path.relative_to(folder)}")
    return code, _refusal(folder) if code == REFUSED else _tail(folder / LOG_FILE)


def zip_of(folder: Path) -> Path:
    """The file that has the bundle in ``folder`` as one."""
    return folder.resolve().with_name(f"{folder.resolve().name}.zip")


def _bundle(folder: Path) -> list[Path]:
    return [path for name in BUNDLE for path in sorted(folder.glob(name))]


@dataclass(frozen=True)
class Player:
    """Starts players. ``session`` lets Dagster listen; ``say`` tells what a person should know."""

    session: Session = lambda: nullcontext({})
    say: Callable[[str], None] = _log.warning

    def run(
        self,
        request: PlaybackRequest,
        is_done: Callable[[], bool],
        on_progress: OnProgress = unheard,
    ) -> None:
        """Play ``request``; ``is_done`` looks whether its output is complete.

        ``on_progress`` hears of frames. Errors: :class:`PlaybackError` with what the player said,
        or after two crashes with the end of its log; :class:`OutputError` if its folder cannot be
        written.
        """
        python, folder = interpreter(), Path(request.output)
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        command = [python, str(PLAYER), str(folder / REQUEST_FILE)]
        with one_gpu(folder.parents[1] / LOCK_FILE, self.say) as lock:
            if is_done():  # by the one that was waited for
                return
            for attempt in range(1, ATTEMPTS + 1):
                with _writing(folder):
                    (folder / REFUSAL_FILE).unlink(missing_ok=True)
                    (folder / PROGRESS_FILE).unlink(missing_ok=True)
                    # Under the lock: requests for other frames share the folder.
                    request.write(folder / REQUEST_FILE)
                with self.session() as variables:
                    code = _run(command, folder, variables, lock, on_progress)
                if code == 0 and is_done():
                    return
                if code == REFUSED:
                    raise PlaybackError(f"{request.demonstration}: {_refusal(folder)}")
                how = _how_it_ended(code, folder)
                if attempt < ATTEMPTS:
                    self.say(f"{request.demonstration}: the player {how}. It is tried once more.")
        raise PlaybackError(
            f"{request.demonstration} ({request.where}): the player {how}, {ATTEMPTS} times. The "
            f"end of {folder / LOG_FILE}:\n{_tail(folder / LOG_FILE)}"
        )


current_player: ContextVar[Player] = ContextVar("enact_player")
"""Set where messages are received; elsewhere players are started without a channel."""


def player() -> Player:
    """Who starts players here."""
    return current_player.get(Player())


@contextmanager
def one_gpu(path: Path, say: Callable[[str], None]) -> Iterator[int]:
    """Within the block no other process of this machine has the lock ``path``.

    Gives its file descriptor: a player that inherits it keeps the lock until it ends, also if this
    process is killed. It is gone with the last process that holds it, however that ends.
    """
    with open_lock(path) as file:
        # Not a FileLock: its release would also unlock the descriptor that a player inherited.
        if not lock_descriptor(file.fileno(), blocking=False):
            say("Another replay uses the GPU; waiting for it.")
            lock_descriptor(file.fileno())
        yield file.fileno()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror})") from error


def _run(
    command: list[str],
    folder: Path,
    variables: Mapping[str, str],
    lock: int,
    on_progress: OnProgress,
) -> int:
    """Exit code of the player, negative for a signal. It does not outlive this call; if this
    process is killed it does, and holds ``lock``.
    """
    with (folder / LOG_FILE).open("wb") as log:
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's interpreter, our own script
                command,
                env=player_variables() | dict(variables) | {LOCK_VARIABLE: str(lock)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(lock,),
            )
        except OSError as error:
            raise PlaybackError(
                f"{PYTHON_VARIABLE}: {command[0]} cannot be started ({error.strerror})"
            ) from error
        try:
            reported = ""
            while not _has_ended(process):
                time.sleep(POLL_S)
                reported = _tell(folder, reported, on_progress)
            _tell(folder, reported, on_progress)
        finally:
            _stop(process)
    return process.returncode


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has, without collecting it: until then no other process gets its number."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _tell(folder: Path, reported: str, on_progress: OnProgress) -> str:
    """Pass the player's progress on if it is news."""
    with suppress(OSError, ValueError):
        text = (folder / PROGRESS_FILE).read_text()
        done, total = (int(number) for number in text.split())
        if text != reported:
            on_progress(Progress(done, total, "frames"))
        return text
    return reported


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the player, and what it started and left: helpers of Isaac Sim outlive its crashes."""
    if not _has_ended(process):
        _signal(process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_S
        while not _has_ended(process) and time.monotonic() < deadline:
            time.sleep(POLL_S)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: "subprocess.Popen[bytes]", sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of ended ones
        os.killpg(process.pid, sign)


def _refusal(folder: Path) -> str:
    with suppress(OSError):
        return (folder / REFUSAL_FILE).read_text()
    return _tail(folder / LOG_FILE)


def _how_it_ended(code: int, folder: Path) -> str:
    where = ""
    with suppress(OSError, ValueError):
        done, total = (folder / PROGRESS_FILE).read_text().split()
        where = f" at frame {done} of {total} or soon after"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}{where}"
    if code == 0:
        return f"ended without finishing its output{where}"
    return f"crashed with exit code {code}{where}"


def _tail(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(errors="replace")[-TAIL_CHARACTERS:].strip() or "(empty)"
    return "(no log)"
