"""The budget, shared by all processes of a data root.

Every run that buys has an account: a file with the amount up to which it may spend. Its commitment
is this amount, or the cost of its answers so far if that is more::

    <ledger>/budget/<ledger file>.json    {"up_to_usd": 3.2, "process": ...}

An account is raised under a lock before a request is sent, a little ahead of need, and removed when
its run ends. The account of a killed run stays counted, as its last requests may have been charged.

A provider may charge more than the bound of a request, such as tokens that it adds. Answers in
flight when the first such answer comes can pass a limit; for later ones more is reserved in
proportion.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from enact_assets.answers.models.ledger import Spent
from enact_assets.answers.models.ledger_locks import locked
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.system.atomic import replacing
from enact_assets.engine.system.process_identity import ProcessIdentity

FOLDER = "budget"
NO_BUDGET = (
    "it costs money and no budget is set: give --max-usd, or `spending: {max_usd: ...}` in "
    "models.yaml"
)
_SOON_S = 0.25
"""An account that is raised again within this time is raised by more."""
_MOST_AHEAD = 16
_POLL_S = 0.5
_ROUNDING_USD = 1e-9


class BudgetSpentError(PredictionError):
    """The budget does not cover one more request."""


class _Account(msgspec.Struct, forbid_unknown_fields=True):
    """``up_to_usd``: what the run may have spent in all; ``process``: the one that runs it, if it
    still runs.
    """

    up_to_usd: float
    process: str


class Budget:
    """Limits in dollars of all that was ever asked in a data root, and of what is asked through
    this object. None: no such limit. Without any limit nothing that costs money is asked.
    """

    def __init__(
        self,
        ledger_folder: Path,
        max_usd_of_root: float | None,
        max_usd_of_run: float | None = None,
    ) -> None:
        self.max_usd_of_root, self.max_usd_of_run = max_usd_of_root, max_usd_of_run
        self._folder = ledger_folder / FOLDER
        self._spent = Spent(ledger_folder)
        self._of_run: dict[str, float] = {}

    @property
    def folder(self) -> Path:
        """Folder of accounts."""
        return self._folder

    @property
    def is_set(self) -> bool:
        """Whether anything that costs money may be asked."""
        return self.max_usd_of_root is not None or self.max_usd_of_run is not None

    def committed_usd(self) -> float:
        """Amount spent in the data root, including the most that requests in flight may cost.
        Errors: as :func:`~enact_assets.answers.models.ledger.read_kept`.
        """
        with locked(self._folder / ".lock"):
            return self._committed("")[0]

    def raised(self, ledger_file: str, base: float, usd: float, ahead: int) -> "_Raise":
        """Raise the account of a run that spent and reserved ``base`` by ``usd``, and by up to
        ``ahead`` times as much if there is room; without room, set it to ``base``.
        """
        with locked(self._folder / ".lock"):
            others, in_flight, dead = self._committed(ledger_file)
            of_run = sum(v for name, v in self._of_run.items() if name != ledger_file)
            limits = [
                limit - spent
                for limit, spent in ((self.max_usd_of_root, others), (self.max_usd_of_run, of_run))
                if limit is not None
            ]
            room = min(limits) + _ROUNDING_USD
            up_to = min(base + usd * ahead, room) if base + usd <= room else base
            account = _Account(up_to, ProcessIdentity.here().encoded())
            self._write(self._folder / f"{ledger_file}.json", account)
            self._of_run[ledger_file] = up_to
        return _Raise(up_to, is_enough=base + usd <= up_to, in_flight=in_flight, dead=dead)

    def closed(self, ledger_file: str, spent: float, reserved: float) -> None:
        """A run ended with all its answers on disk; what it still reserves may have been spent."""
        self._of_run[ledger_file] = spent + reserved
        path = self._folder / f"{ledger_file}.json"
        if reserved:
            self._write(path, _Account(spent + reserved, ""))
        else:
            path.unlink(missing_ok=True)

    @staticmethod
    def _write(path: Path, account: _Account) -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(msgspec.json.encode(account))

    def _committed(self, but: str) -> tuple[float, float, float]:
        """Dollars of all runs but ``but``; of them those that running processes may spend yet, and
        those that processes that died may have spent.
        """
        # Accounts first: a run that ends in between has written its answers before it removes its.
        accounts = dict(self._accounts())
        usd = self._spent.usd_by_file()
        in_flight = dead = 0.0
        for name, account in accounts.items():
            open_usd = max(0.0, account.up_to_usd - usd.get(name, 0.0))
            process = ProcessIdentity.decoded(account.process)
            if name == but or not open_usd:
                continue
            if process is not None and process.is_gone() is False:
                in_flight += open_usd
            else:
                dead += open_usd
        settled = sum(v for name, v in usd.items() if name != but)
        return settled + in_flight + dead, in_flight, dead

    def _accounts(self) -> Iterator[tuple[str, _Account]]:
        for path in sorted(self._folder.glob("*.json")):
            try:
                yield path.stem, msgspec.json.decode(path.read_bytes(), type=_Account)
            except FileNotFoundError:
                continue  # its run has ended
            except msgspec.DecodeError as error:
                raise PredictionError(
                    f"{path}: damaged ({error}), so what was spent is not known. Compare with your "
                    "provider's bill and remove the file."
                ) from error


class _Raise(msgspec.Struct, frozen=True):
    up_to: float
    is_enough: bool
    in_flight: float
    dead: float


class Account:
    """Reservations and spending of one run. For one thread, or one event loop, at a time."""

    def __init__(self, budget: Budget, ledger_file: str) -> None:
        self._budget, self._name = budget, ledger_file
        self._up_to = self._reserved = self.spent = 0.0
        self._dearest = 1.0
        self._ahead, self._raised_at = 1, 0.0
        self._settled = asyncio.Event()
        self._raising = asyncio.Lock()

    async def reserve(self, usd: float, *, waits: bool = True) -> float:
        """Set ``usd`` aside for a request, or as many times as much as the dearest answer so far
        cost; returns how much. Waits for others in flight where that can make room.

        Errors: :class:`BudgetSpentError` if there is no room, and with ``waits`` if none will come.
        """
        if usd <= 0:
            return 0.0
        while not self._fits(held := usd * self._dearest):
            async with self._raising:
                if not self._fits(held):
                    await self._raise(held, waits=waits)
        self._reserved += held
        return held

    def settle(self, reserved: float, spent: float) -> None:
        """A question is done and on disk: replace its reservation by its cost."""
        left = self._reserved - reserved
        self._reserved = left if left > _ROUNDING_USD else 0.0  # or the last one is waited for
        self.spent += spent
        self._settled.set()

    def costs_more(self, usd: float, most_usd: float, reserved: float) -> bool:
        """Whether an answer cost more than was ``reserved`` for it; ``most_usd`` was to be the most
        that it could cost. The next ones are expected to cost as many times as much.
        """
        if usd > most_usd + _ROUNDING_USD:
            self._dearest = max(self._dearest, usd / most_usd)
        return usd > reserved + _ROUNDING_USD

    def close(self) -> None:
        """The run ended; its ledger was closed before."""
        self._budget.closed(self._name, self.spent, self._reserved)

    def _fits(self, usd: float) -> bool:
        return self.spent + self._reserved + usd <= self._up_to

    async def _raise(self, usd: float, *, waits: bool) -> None:
        if not self._budget.is_set:
            raise BudgetSpentError(NO_BUDGET)
        is_soon = time.monotonic() - self._raised_at < _SOON_S
        self._ahead = min(_MOST_AHEAD, self._ahead * 2) if is_soon else max(1, self._ahead // 2)
        self._settled.clear()
        # From here on the rest of the account is not used: it may be released.
        base = self._up_to = self.spent + self._reserved
        found = await asyncio.to_thread(self._budget.raised, self._name, base, usd, self._ahead)
        self._up_to, self._raised_at = found.up_to, time.monotonic()
        if found.is_enough:
            return
        if not waits or (self._reserved == 0 and found.in_flight == 0):
            raise BudgetSpentError(self._why(usd, found))
        if self._reserved > 0:
            await self._settled.wait()
        else:
            await asyncio.sleep(_POLL_S)

    def _why(self, usd: float, found: _Raise) -> str:
        budget = self._budget
        ever = " (all that was ever asked in this data root included)"
        limits = ((ever, budget.max_usd_of_root), (" for this run", budget.max_usd_of_run))
        said = " and ".join(f"{v:.2f} USD{of}" for of, v in limits if v is not None)
        dead = (
            f" {found.dead:.2f} USD are set aside for requests of processes that died "
            f"({budget.folder}): compare with your provider's bill, then remove those files."
            if found.dead
            else ""
        )
        return f"the budget of {said} does not cover another request of up to {usd:.4f} USD.{dead}"
