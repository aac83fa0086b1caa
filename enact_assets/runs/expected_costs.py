"""What answers will cost, before they are bought: of one model, and of a whole plan."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from enact_assets.asking.in_process_models import load_in_process
from enact_assets.asking.ledger import Kept, read_kept
from enact_assets.asking.messages import Message
from enact_assets.asking.model_entries import Model
from enact_assets.asking.survey import survey
from enact_assets.asking.token_counts import counted
from enact_assets.asking.wires import WIRES
from enact_assets.contracts.errors import EnactError, MissingPartitionError
from enact_assets.predictions.costs import Estimate, about, dollars, estimate
from enact_assets.predictions.model_asker import ModelAsker
from enact_assets.runs.first_answers import Asked, asked_of
from enact_assets.runs.resources import DataResource

NOT_MADE = "its questions are not made yet"


@dataclass(frozen=True)
class PlannedCost:
    """What a partition of ``predictions`` will cost; or in ``problem`` why that is not known, with
    ``model`` None if there is no such model.
    """

    name: str
    variant: str
    model: Model | None = None
    cost: Estimate | None = None
    problem: str = ""

    def words(self) -> str:
        """One sentence."""
        return f"not known: {self.problem}" if self.cost is None else self.cost.words()

    def as_json(self) -> dict[str, Any]:
        """Names and numbers."""
        more = {"why_unknown": self.problem} if self.cost is None else asdict(self.cost)
        return {"model": self.name, "variant": self.variant, **more}


def cost_of(
    data: DataResource,
    name: str,
    asked: Asked,
    *,
    is_counted: bool = False,
    read: Callable[[Path], Kept] = read_kept,
) -> Estimate:
    """What asking ``name`` the questions of ``asked`` will cost, besides what the ledger has.

    If ``is_counted``, the provider counts the tokens of a few of them. ``read`` as in
    :func:`survey`.

    Errors: as :meth:`KnownModels.find`, those of loading a model in this process and of reading
    the ledger.
    """
    model = data.models.find(name)
    if model is None or model.channel == "answers":  # which nobody asks
        return Estimate(asked.questions.height, 0, usd=0.0)
    return cost_of_messages(data, model, asked.messages, is_counted=is_counted, read=read)


def cost_of_messages(
    data: DataResource,
    model: Model,
    messages: Sequence[Message],
    *,
    is_counted: bool = False,
    read: Callable[[Path], Kept] = read_kept,
) -> Estimate:
    """As :func:`cost_of`, of a model that is asked ``messages``."""
    wire = WIRES.get(model.channel)
    version = load_in_process(model).version if wire is None else wire.version
    known = survey(model, version, messages, data.data_root.ledger, read)
    few = []
    if is_counted:
        shown = ModelAsker(data.data_root, data.images.read_png).read_shown
        few = counted(model, known.to_buy, shown)
    return estimate(model, known.to_buy, known.n_known, known.kept, few)


def costs_of(data: DataResource, partitions: Iterable[tuple[str, str]]) -> list[PlannedCost]:
    """What (model, variant) will cost, of models that are charged for; a model that cannot be
    looked at has a problem, not a cost.
    """
    found, asked = [], dict[str, Asked | None]()
    read = cache(read_kept)  # a model has one ledger for all its variants
    for name, variant in partitions:
        model = None
        try:
            model = data.models.find_made(name)
            if model is None or not model.costs_money:
                continue
            if variant not in asked:
                asked[variant] = _asked_if_made(data, variant)
            questions = asked[variant]
            cost = None if questions is None else cost_of(data, name, questions, read=read)
        except EnactError as error:
            found.append(PlannedCost(name, variant, model, problem=str(error)))
        else:
            problem = "" if cost else NOT_MADE
            found.append(PlannedCost(name, variant, model, cost, problem))
    return found


def _asked_if_made(data: DataResource, variant: str) -> Asked | None:
    try:
        return asked_of(data, variant)
    except MissingPartitionError:
        return None


def in_all(costs: Sequence[PlannedCost]) -> str | None:
    """The sum in words, with how many partitions it leaves out; None if it says nothing new."""
    known = [c.cost for c in costs if c.cost is not None and c.cost.usd is not None]
    if len(costs) < 2 or not known:
        return None
    unmade = sum(c.problem == NOT_MADE for c in costs)
    others = len(costs) - len(known) - unmade
    size = about(is_bound=any(cost.is_bound for cost in known))
    words = f"In all {size} {dollars(sum(cost.usd or 0.0 for cost in known))}"
    for n, which in ((unmade, "questions are not made yet"), (others, "price is not known")):
        if n:
            words += f", and {n} partition{'' if n == 1 else 's'} whose {which}"
    return f"{words}."
