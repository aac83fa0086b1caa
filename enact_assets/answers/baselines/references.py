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
from enact_assets.answers.baselines.requests import ModelProtocol, ModelRequest, Reply, request_sha
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

WORLD_BASELINES: Mapping[str, str] = {
    "first": "Always A.",
    "clip_continuity": "WM: the clip that begins most like the state before and ends most like the "
    "state after.",
    "change_region": "WM: the clip that changes where the two states differ.",
    "clip_chain": "PP: the plan whose clips follow each other with the least change of the "
    "picture: a shortcut wherever several clips come from one video.",
    "socratic_rules": "Captions from scene graphs, and the rules that questions are made by: a "
    "bound.",
    "socratic_rules_10": "The same with one fact in ten left out and another name for one action "
    "in ten.",
    "socratic_rules_30": "The same with three in ten.",
    "socratic_no_goal": "PP: the same without noise and without the last state: a plan that fits "
    "the first one. Half are right, because each question has a plan that ends elsewhere.",
    "candidate_prior": "WM: the clip of the most frequent category, of these the longest: in "
    "balanced sets it must score exactly a quarter.",
    "medoid": "PP: the plan that has the fewest pairs of clips in another order, or not at all, "
    "than the other three.",
    "plan_rules": "PP: the plan that breaks the fewest rules of text_prior.",
    "markov": "PP: the most probable plan by bigrams of other plans (0.1 added): seeds that "
    "nothing is asked about, or other people.",
    "precedence": "PP: the plan whose pairs most often come in that order in these plans.",
    "oepp_ridge": "PP: the plan nearest to label vectors that ridge regression predicts from what "
    "was done before and after. It reads labels, and is no OEPP model of the paper.",
    "oepp_mlp": "PP: the same by a network with one hidden layer.",
    "oepp_transformer": "PP: the same by a small causal Transformer, which predicts each action "
    "from both states and the actions before it.",
    "oepp_ridge_pictures": "PP: as oepp_ridge, from the pictures of both states (colours and edges "
    "by cell) instead of what was done. It learns from the questions about other recordings, of "
    "films those about other people. Plans are still read as labels.",
    "oepp_mlp_pictures": "PP: the same by a network with one hidden layer.",
    "oepp_transformer_pictures": "PP: the same by a small causal Transformer.",
}
"""Names of the baselines that answer WorldPrediction only -> what they do. ``random`` and
``oracle`` answer it as well.
"""
BASELINE_NAMES: Mapping[str, str] = {**MODELS, **WORLD_BASELINES}
"""All of both."""

REFERENCES = (
    *("identity", "oracle", "pixel_continuity", "random", "text_prior", *LEARNED),
    *WORLD_BASELINES,
)
"""Those that are not models: chance, the oracle, shortcuts, training on this simulator. They are
not ranked."""


def answers_of_baseline(
    name: str, requests: Sequence[ModelRequest], model: ModelProtocol
) -> dict[tuple[str, int], Answer]:
    """Answers of the baseline ``name``, by (id of the question, repetition 0); ``model`` is
    :func:`baseline` of that name.

    Errors: :class:`PredictionError` if it loses a question.
    """
    replies = list(model.ask(requests))
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


def baseline(name: str, learned: ModelProtocol | None = None) -> ModelProtocol:
    """The baseline called ``name``; ``learned`` is the one of that name, if it was trained.

    Errors: :class:`UnknownNameError`; :class:`PredictionError` for one of ``LEARNED`` that was not.
    """
    if learned is not None:
        return learned
    if name in LEARNED:
        raise PredictionError(
            f"{name} has to be trained first, as part of the pipeline: `enact-assets materialize "
            f"--model {name}`"
        )
    if name not in BASELINES:
        raise UnknownNameError.of("model", name, BASELINES)
    return BASELINES[name]()


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
    """A uniformly random order that depends only on the id of the question."""
    return shuffled_labels(request.n_steps, "random answer", request.question_id)


def _random() -> ModelProtocol:
    return OrderingBaseline(random_order)


def _identity() -> ModelProtocol:
    return OrderingBaseline(lambda request: range(1, request.n_steps + 1))


def _oracle() -> ModelProtocol:
    return OrderingBaseline(lambda request: request.answer)


def _text_prior() -> ModelProtocol:
    from enact_assets.answers.baselines.text_prior import order_by_text  # has kernels

    def order(request: ModelRequest) -> Sequence[int]:
        preference = random_order(request)
        if request.kind == "forward":
            return preference
        return order_by_text(request.told_components, preference)[0]

    return OrderingBaseline(order)


def _pixel_continuity() -> ModelProtocol:
    from enact_assets.answers.baselines.pixel_continuity import (  # has kernels
        PictureDistances,
        order_by_continuity,
    )

    distances = PictureDistances()

    def order(request: ModelRequest) -> Sequence[int]:
        if request.kind == "inverse":
            return random_order(request)
        return order_by_continuity(request.pictures, distances)

    return OrderingBaseline(order)


BASELINES: Mapping[str, Callable[[], ModelProtocol]] = {
    "random": _random,
    "identity": _identity,
    "oracle": _oracle,
    "pixel_continuity": _pixel_continuity,
    "text_prior": _text_prior,
}
"""Name -> factory of a baseline without training. The code of each has its own version, so that an
edit makes only its own answers stale."""
