"""What faults have in common: a root to do them to, and what is looked at afterwards."""

import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.crashes import differences, find_damage
from campaign.forks import Walk, call
from campaign.small_inputs import IN_FLIGHT
from campaign.small_roots import Undisturbed, content
from campaign.tally import Tally
from enact_assets.engine.lake.image_store import RENDERS_FOLDER
from enact_assets.settings.paths import DataRoot

N_WALKS = 4
"""So many walks may pass until all is as in an undisturbed root: one that finds damage sets the
file aside and may fail, the next makes it again.
"""


class Ground:
    """Copies of an undisturbed root below ``folder``, in which something goes wrong; ``server``
    is asked there.
    """

    def __init__(
        self,
        folder: Path,
        tally: Tally,
        made: Callable[[], Undisturbed],
        server: str,
        told: Callable[[str], None],
    ) -> None:
        self._folder, self._tally, self._made, self._told = folder, tally, made, told
        self._server = server
        self._random = random.Random(0)  # noqa: S311 - a test
        self._lines: list[str] = []
        self._may_buy = 0
        """Answers that are wanted, and those that may be lost because a walk broke off."""

    def _fresh(self, root: Path) -> None:
        shutil.copytree(self._made().inputs, root)
        self._may_buy += self._made().n_sold

    def _copied(self, root: Path) -> None:
        shutil.copytree(self._made().root, root, symlinks=True)

    def _with(self, environment: Mapping[str, str], words: tuple[str, ...] = ()) -> Undisturbed:
        """As the undisturbed root is made, with other servers."""
        services = tuple(environment.items())
        return replace(self._made(), services=services, words=words or self._made().words)

    def _told_well(self, walk: Walk, *codes: int) -> int:
        """Wait for a walk that may fail; whatever it prints has no traceback."""
        code, printed = walk.wait(), walk.printed()
        if code not in codes or "Traceback" in printed:
            self._lines.append(f"exit code {code}: {printed[-1500:]}")
        # What was in flight when it failed was paid for, and may not have been kept.
        self._may_buy += IN_FLIGHT * bool(code)
        return code

    def _goes_on(self, root: Path, on: Undisturbed | None = None) -> None:
        """Walk until all is done; what is not as in the undisturbed root. ``on``: with servers."""
        made = on or self._made()
        for _ in range(N_WALKS):
            if self._told_well(made.walk(root), 0, 1) == 0:
                break
        # What a file was replaced by that no plan looks into is found by who looks at everything.
        if self._told_well(made.start(root, "verify"), 0, 1):
            self._told_well(made.walk(root), 0)
        made.start(root, "gc", "--delete", "--grace", "0").wait()
        self._lines += call(find_damage, root, environment=made.environment)
        found = call(content, root, environment=made.environment)
        self._lines += differences(made.content, found)

    def _some_files(self, root: Path, place: str, n: int) -> list[Path]:
        """Files that can be made again, below ``place``."""
        data = DataRoot(root)
        made = {data.lake, data.images, data.report, data.warehouse, data.catalogue}
        found = [root / place] if (root / place).is_file() else sorted((root / place).rglob("*"))
        is_made_again = [
            path
            for path in found
            if path.is_file() and (place == "dagster" or made & {path, *path.parents})
        ]
        return self._random.sample(is_made_again, min(n, len(is_made_again)))

    def _damage(self, path: Path) -> None:
        data = path.read_bytes()
        at = self._random.randrange(max(1, len(data)))
        match self._random.choice(["cut", "flip", "gone", "empty", "noise", "other", "folder"]):
            case "cut":
                path.write_bytes(data[:at])
            case "flip" if data:
                changed = bytearray(data)
                changed[at] ^= 1 << self._random.randrange(8)
                path.write_bytes(changed)
            case "gone":
                path.unlink()
            case "empty":
                path.write_bytes(b"")
            case "noise":
                path.write_bytes(self._random.randbytes(self._random.randrange(1, 5000)))
            case "other":
                others = sorted(p for p in path.parents[1].rglob(f"*{path.suffix}") if p.is_file())
                path.write_bytes(self._random.choice(others).read_bytes())
            case _ if RENDERS_FOLDER not in path.parts:
                path.unlink()
                path.mkdir()
            case _:
                path.unlink()
