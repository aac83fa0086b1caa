"""Reference baselines that need no key: chance, the oracle, pixels alone, text alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from enact_assets.answers.baselines.learned_names import (
    FACT_READER,
    LEARNED,
    LEARNED_PRECEDENCE,
    LEARNED_PROGRESS,
    TRAINED_ON,
    TRANSFER,
)
from enact_assets.answers.baselines.pixel_continuity import PictureDistances, order_by_continuity
from enact_assets.answers.baselines.requests import ModelProtocol, ModelRequest, Reply, request_sha
from enact_assets.answers.baselines.text_prior import order_by_text
from enact_assets.answers.models.answers import Answer
from enact_assets.engine.errors import EnactError, PredictionError, UnknownNameError
from enact_assets.questions.asked.shuffles import shuffled_labels

_TRAINED = f"Trained on {TRAINED_ON[FACT_READER]}. "

MODELS: Mapping[str, str] = {
    "random": "Answers with an order drawn uniformly, seeded by the id of the question. Its scores "
    "are chance level.",
    "identity": "Answers 1, 2, 3, ... whatever is asked. Shuffles are uniform, so it must score "
    "like chance; if it does not, the order shown gives the answer away.",
    "oracle": "Answers with the reference. It must score exactly 1; if it does not, the verifier "
    "or the questions are wrong.",
    "pixel_continuity": "Forward questions: orders the pictures so that, from the current state "
    "on, the least changes from each to the next in total (root mean square difference of blurred "
    "32 x 32 thumbnails, exact shortest path). It does not read the actions. Inverse questions "
    "leave it nothing to order: it answers with a random order, seeded by the id of the question.",
    "text_prior": "Inverse questions: orders the actions so that they contradict each other "
    "least. Facts alternate, a hand holds one thing, doors are open when things pass, and so on "
    "(exact minimum of weighted violations, ties at random, seeded by the id of the question). It "
    "does not look at the pictures. Forward questions show the actions in order already: it "
    "answers with a random order.",
    FACT_READER: f"{_TRAINED}Looks at the pictures and reads the actions: a ridge regression reads "
    "in each picture whether each fact holds that an action names, and answers with the order in "
    "which these readings rise and fall most as the actions say. It is trained on four "
    "demonstrations of the activity that the question is about.",
    TRANSFER: f"{_TRAINED}As {FACT_READER}, trained on all other activities: how much carries over "
    "to an activity that it has never seen.",
    LEARNED_PROGRESS: f"{_TRAINED}Half of {FACT_READER}: it does not read the actions. Forward "
    "questions: orders the pictures by how far a ridge regression takes each activity to be. "
    "Inverse questions: random, seeded by the id of the question.",
    LEARNED_PRECEDENCE: f"{_TRAINED}Half of {FACT_READER}: it does not look at the pictures. "
    "Inverse questions: orders the actions by which of their changes came first in training. "
    "Forward questions: random, seeded by the id of the question.",
}
"""Name of each model -> what it does, in a paragraph."""

REFERENCES = ("identity", "oracle", "pixel_continuity", "random", "text_prior", *LEARNED)
"""Of these, what no model is: chance, knowing the answer, shortcuts, training on this simulator.
They take no place."""


def answers_of_baseline(
    name: str, requests: Sequence[ModelRequest], learned: ModelProtocol | None = None
) -> dict[tuple[str, int], Answer]:
    """What the baseline ``name`` answers, by (id of the question, repetition 0).

    ``learned`` answers for one of ``LEARNED``. Errors: :class:`UnknownNameError`;
    :class:`PredictionError` if it loses a question, or for one of ``LEARNED`` without ``learned``.
    """
    if name in LEARNED and learned is None:
        raise PredictionError(
            f"{name} has to be trained first, as part of the pipeline: `enact-assets materialize "
            f"--model {name}`"
        )
    replies = list((learned or find_model(name)).ask(requests))
    if len(replies) != len(requests):
        raise PredictionError(
            f"{name}: {len(requests)} questions asked, {len(replies)} replies came back"
        )
    return {
        (r.question_id, 0): Answer(
            request_sha(name, r),
            r.question_id,
            name,
            text=reply.raw_answer,
            stop=None if reply.raw_answer is None else "complete",
            error=reply.error,
        )
        for r, reply in zip(requests, replies, strict=True)
    }


def find_model(name: str) -> ModelProtocol:
    """A fresh instance of the model called ``name``, which needs no training.

    Errors: :class:`UnknownNameError`.
    """
    if name not in _FACTORIES:
        raise UnknownNameError.of("model", name, _FACTORIES)
    return _FACTORIES[name]()


class OrderingBaseline:
    """A baseline that orders each question by a rule of its own."""

    def __init__(self, order: Callable[[ModelRequest], Sequence[int]]) -> None:
        self._order = order

    def ask(self, requests: Sequence[ModelRequest]) -> Iterator[Reply]:
        """Answers as text, like any model's; a picture that cannot be used is an error."""
        for request in requests:
            try:
                yield Reply(str(list(self._order(request))))
            except (EnactError, OSError) as error:
                yield Reply(None, f"{type(error).__name__}: {error}")


def random_order(request: ModelRequest) -> list[int]:
    """A uniform order that depends on the id of the question alone."""
    return shuffled_labels(request.n_steps, "random answer", request.question_id)


def _identity_order(request: ModelRequest) -> list[int]:
    return list(range(1, request.n_steps + 1))


def _oracle_order(request: ModelRequest) -> Sequence[int]:
    return request.answer


def _text_prior_order(request: ModelRequest) -> list[int]:
    preference = random_order(request)
    if request.kind == "forward":
        return preference
    return order_by_text(request.told_components, preference)[0]


def _pixel_continuity() -> OrderingBaseline:
    distances = PictureDistances()

    def order(request: ModelRequest) -> list[int]:
        if request.kind == "inverse":
            return random_order(request)
        return order_by_continuity(request.pictures, distances)

    return OrderingBaseline(order)


_FACTORIES: Mapping[str, Callable[[], ModelProtocol]] = {
    "random": lambda: OrderingBaseline(random_order),
    "identity": lambda: OrderingBaseline(_identity_order),
    "oracle": lambda: OrderingBaseline(_oracle_order),
    "pixel_continuity": _pixel_continuity,
    "text_prior": lambda: OrderingBaseline(_text_prior_order),
}
