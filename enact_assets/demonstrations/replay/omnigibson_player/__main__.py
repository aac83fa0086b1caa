"""The player's command line: ``python <folder> REQUEST.json``, or ``... --list FILE.hdf5``, or
``... --try FILE.hdf5`` for a trial of this installation (``--help`` after it lists options).

Exit code 0 if all was done, REFUSED with a message in the output folder if trying again would not
help, anything else after a crash.
"""

import contextlib
import importlib.util
import json
import os
import sys
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path

PACKAGE = "enact_assets.demonstrations.replay.omnigibson_player"
LOG_EVERY_S = 10.0


def adopt_package() -> None:
    """Make this folder importable under its own name, without importing the packages above it.

    What they import may be missing in OmniGibson's interpreter.
    """
    folder = Path(__file__).resolve().parent
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != folder]
    name, parts = "", PACKAGE.split(".")
    places = (folder, *folder.parents)[: len(parts)]
    for part, place in zip(parts, reversed(places), strict=True):
        name = f"{name}.{part}" if name else part
        package = types.ModuleType(name)
        package.__path__ = [str(place)]
        sys.modules.setdefault(name, package)


adopt_package()

from enact_assets.demonstrations.replay.omnigibson_player.request import (  # noqa: E402
    LOCK_VARIABLE,
    PROGRESS_FILE,
    REFUSAL_FILE,
    REFUSED,
    PlaybackRequest,
    RefusalError,
)


def main(arguments: list[str]) -> int:
    """Run one request; returns the exit code."""
    keep_lock()
    output = None
    try:
        if len(arguments) == 2 and arguments[0] == "--list":
            list_demonstrations(arguments[1])
        elif arguments[:1] == ["--try"]:
            return try_installation(arguments[1:])
        elif len(arguments) == 1:
            output = Path(arguments[0]).parent
            request = PlaybackRequest.read(Path(arguments[0]))
            output = Path(request.output)
            run(request)
        else:
            raise RefusalError(str(__doc__))
    except RefusalError as error:
        print(error, file=sys.stderr)
        if output is not None:
            (output / REFUSAL_FILE).write_text(str(error))
        return REFUSED
    except Exception:  # noqa: BLE001 # the parent wants its end, and an exit code
        traceback.print_exc()
        return 1
    return 0


def try_installation(arguments: list[str]) -> int:
    """Play a demonstration and write a bundle; returns the exit code."""
    check_modules("h5py", "numpy", "PIL")
    from enact_assets.demonstrations.replay.omnigibson_player.trial import try_here

    return try_here(arguments, lambda folder: told_progress(folder, "trial", print))


def keep_lock() -> None:
    """The lock of the GPU lives as long as this process, not as helpers that it starts."""
    lock = os.environ.pop(LOCK_VARIABLE, "")
    if lock.isdigit():
        with contextlib.suppress(OSError):
            os.set_inheritable(int(lock), False)  # noqa: FBT003 # as it is called


def list_demonstrations(path: str) -> None:
    """Print what is in ``path`` as JSON: no GPU and no OmniGibson needed."""
    check_modules("h5py", "numpy")
    from enact_assets.demonstrations.replay.omnigibson_player import demonstration_file

    print(json.dumps(demonstration_file.DemonstrationFile(path).describe()))


def check_modules(*modules: str) -> None:
    """Errors: :class:`RefusalError` names the first of ``modules`` that is not installed here."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            advice = "OMNIGIBSON_PYTHON must name the interpreter that OmniGibson is installed in."
            if module == "dagster_pipes":
                advice = "Install dagster-pipes there, as in step 1 of docs/omnigibson.md."
            raise RefusalError(f"{sys.executable} has no {module}. {advice}")


def run(request: PlaybackRequest) -> None:
    """Check the machine, then play; tells Dagster how far it is if Dagster started this."""
    check_modules("h5py", "numpy", "PIL", "dagster_pipes")
    from dagster_pipes import DAGSTER_PIPES_CONTEXT_ENV_VAR, open_dagster_pipes

    from enact_assets.demonstrations.replay.omnigibson_player.playable import check_gpu

    check_gpu()
    if DAGSTER_PIPES_CONTEXT_ENV_VAR not in os.environ:
        play_request(request, print)
        return
    with open_dagster_pipes() as pipes:
        play_request(request, pipes.log.info)


def play_request(request: PlaybackRequest, log: Callable[[str], None]) -> None:
    """Play, and say through ``log`` how far it is, every ten seconds."""
    from enact_assets.demonstrations.replay.omnigibson_player import demonstration_file, playable
    from enact_assets.demonstrations.replay.omnigibson_player import installed as api

    source = demonstration_file.DemonstrationFile(request.file)
    n_frames = source.n_frames(request.episode)
    installed = api.read_installed()
    api.check_api(installed)
    playable.check_playable(source, request.episode, installed)
    playable.check_data(playable.data_of(installed), source.scene_model)
    source.close()
    log(f"OmniGibson {installed.version}, with the features of {installed.profile}")
    what = "facts"
    if request.frames:
        last = max(request.frames)
        what = f"pictures of {len(request.frames)} frames (all up to frame {last} are played)"
    log(f"{request.demonstration}: {what}, from {request.where} ({n_frames} frames)")
    from enact_assets.demonstrations.replay.omnigibson_player.playback import play

    play(request, installed, told_progress(Path(request.output), request.demonstration, log))


def told_progress(
    folder: Path, name: str, log: Callable[[str], None]
) -> Callable[[int, int], None]:
    """Takes how many frames are done, of how many: for ``log`` and a file, every ten seconds."""
    logged_at = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal logged_at
        now = time.monotonic()
        if done not in (1, total) and now - logged_at < LOG_EVERY_S:
            return
        logged_at = now
        log(f"{name}: {done}/{total} frames")
        (folder / PROGRESS_FILE).write_text(f"{done} {total}")

    return progress


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Isaac Sim's own way out may hang, or turn a failure into exit code 0.
    os._exit(code)
