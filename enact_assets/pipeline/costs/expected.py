"""Estimates the costs of answers and repainted pictures before they are bought, also for a plan."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from enact_assets.answers.baselines.costs import Estimate, about, dollars, estimate
from enact_assets.answers.baselines.edit_costs import EditEstimate, estimate_edits
from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.in_process_models import load_in_process
from enact_assets.answers.models.ledger import Kept, read_kept
from enact_assets.answers.models.messages import Message
from enact_assets.answers.models.picture_edits import edits_folder
from enact_assets.answers.models.survey import survey
from enact_assets.answers.models.token_counts import counted
from enact_assets.answers.models.wires import WIRES
from enact_assets.answers.world.captioned_models import caption_messages
from enact_assets.engine.errors import EnactError, MissingPartitionError
from enact_assets.engine.plurals import counted as number_of
from enact_assets.pipeline.costs.first_answers import Asked, asked_of
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.registry import BASELINE, Registry

NOT_MADE = "its questions are not made yet"
NO_CAPTIONS = "its captions are not written yet"


@dataclass(frozen=True)
class PlannedCost:
    """Expected cost of a partition of ``predictions``, or of all pictures of a variant. If it is
    unknown, ``problem`` says why; ``model`` is None if there is no such model.
    """

    name: str
    variant: str
    model: Model | None = None
    cost: Estimate | EditEstimate | None = None
    problem: str = ""

    def words(self) -> str:
        """The cost as one sentence."""
        return f"not known: {self.problem}" if self.cost is None else self.cost.words()

    def as_json(self) -> dict[str, Any]:
        """The cost as names and numbers."""
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
    """Expected cost of asking model ``name`` those questions of ``asked`` whose answers the ledger
    lacks.

    If ``is_counted``, the provider counts the tokens of some questions. ``read`` as in
    :func:`survey`.

    Errors: as :meth:`KnownModels.find`, those of loading a model in this process and of reading
    the ledger.
    """
    model = data.models.find(name)
    if model is None or model.channel == "answers":  # imported answers are never asked for
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
    """As :func:`cost_of`, for a model that is asked ``messages``."""
    wire = WIRES.get(model.channel)
    version = load_in_process(model).version if wire is None else wire.version
    known = survey(model, version, messages, data.data_root.ledger, read)
    few = []
    if is_counted:
        shown = ModelAsker(data.data_root, data.images.read_png).read_shown
        few = counted(model, known.to_buy, shown)
    return estimate(model, known.to_buy, known.n_known, known.kept, few)


def costs_of(data: DataResource, partitions: Iterable[tuple[str, str]]) -> list[PlannedCost]:
    """Expected costs of pairs (model, variant), for models that cost money; a model that cannot be
    read has a problem instead of a cost. If a captioner and a reader answer together, only the
    captioner's cost is known beforehand, as the reader's questions contain the captions.
    """
    found, asked = [], dict[str, Asked | None]()
    read = cache(read_kept)  # a model has one ledger for all its variants
    for pair, variant in partitions:
        both = data.models.pair(pair)
        if both is not None and world_source_of(variant) is None:
            continue  # a pair answers WorldPrediction alone
        for place, name in enumerate(both or (pair,)):
            model = None
            try:
                model = data.models.find_made(name)
                if model is None or not model.costs_money:
                    continue
                if variant not in asked:
                    asked[variant] = _asked_if_made(data, variant)
                questions = asked[variant]
                if questions is not None:
                    part = data.models.chosen(pair, questions.questions)
                    questions = replace(questions, questions=part)
                if name == pair or questions is None:
                    cost = None if questions is None else cost_of(data, name, questions, read=read)
                    problem = "" if cost else NOT_MADE
                elif place == 0:
                    cost, problem = _cost_of_captions(data, model, questions, read), ""
                else:
                    cost, problem = None, NO_CAPTIONS
            except EnactError as error:
                found.append(PlannedCost(name, variant, model, problem=str(error)))
            else:
                found.append(PlannedCost(name, variant, model, cost, problem))
    return found


def _cost_of_captions(
    data: DataResource, model: Model, asked: Asked, read: Callable[[Path], Kept]
) -> Estimate:
    """Expected cost of the captions from which another model answers."""
    wanted = {m.question_id: m for r in asked.requests for m in caption_messages(r)}
    return cost_of_messages(data, model, list(wanted.values()), read=read)


def _asked_if_made(data: DataResource, variant: str) -> Asked | None:
    try:
        return asked_of(data, variant)
    except MissingPartitionError:
        return None


def edit_costs_of(
    data: DataResource, registry: Registry, partitions: Iterable[tuple[str, str]]
) -> list[PlannedCost]:
    """Expected costs of the pictures of pairs (demonstration, variant), for each variant that an
    image model repaints for money; a model that cannot be read has a problem instead of a cost.
    """
    named: dict[str, list[str]] = {}
    for demonstration, repainted in partitions:
        named.setdefault(repainted, []).append(demonstration)
    found = []
    for name, demonstrations in named.items():
        variant = registry.variants.get(name)
        if variant is None or variant.editing is None:
            continue
        model = None
        try:
            model = data.models.catalogue.find(variant.editing.model)
            if not model.costs_money:
                continue
            cost = _edit_cost(data, model, variant.editing, name, demonstrations)
        except EnactError as error:
            found.append(PlannedCost(variant.editing.model, name, model, problem=str(error)))
        else:
            found.append(PlannedCost(model.name, name, model, cost))
    return found


def _edit_cost(
    data: DataResource,
    model: Model,
    editing: EditingSettings,
    variant: str,
    demonstrations: Sequence[str],
) -> EditEstimate:
    pictures: dict[object, str | None] = {}
    accepted: set[str] = set()
    n_unknown = 0
    for name in demonstrations:
        here = {"demonstration": name, "variant": variant}
        if not data.lake.exists("wanted_frames", here):
            n_unknown += 1
            continue
        frames = data.lake.read("wanted_frames", here)["frame"]
        if data.lake.exists("frame_images", here):
            accepted |= set(data.lake.read("frame_images", here)["render_sha"])
        # The baseline's pictures are repainted; equal pictures count once.
        originals, theirs = {}, {**here, "variant": BASELINE}
        if data.lake.exists("frame_images", theirs):
            rows = data.lake.read("frame_images", theirs)
            if rows.is_empty():
                continue  # a recording without pictures
            originals = dict(rows.select("frame", "image_sha").iter_rows())
        for frame in frames:
            sha = originals.get(frame)
            pictures[sha or (name, frame)] = sha
    kept = read_kept(edits_folder(model, data.data_root.ledger))
    wanted = list(pictures.values())
    return estimate_edits(model, editing, wanted, kept, accepted, n_unknown=n_unknown)


def in_all(costs: Sequence[PlannedCost]) -> str | None:
    """A sentence with the sum, and the number of partitions it leaves out; None if it adds
    nothing.
    """
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
    edits = (c.cost for c in costs if isinstance(c.cost, EditEstimate))
    if n := sum(cost.n_unknown for cost in edits):
        words += f", and pictures of {number_of(n, 'demonstration')} that are not known yet"
    return f"{words}."
