"""Models that this process runs, or asks by other means than a wire format of ours."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

from enact_assets.asking.messages import Message, PictureReader
from enact_assets.asking.model_entries import Channel, Model
from enact_assets.asking.replies import Reply
from enact_assets.contracts.errors import PredictionError

CLASSES: dict[Channel, tuple[str, str]] = {
    "local": ("local_model", "LocalModel"),
    "python": ("python_model", "PythonModel"),
    "inspect": ("inspect_model", "InspectModel"),
}
"""Module and class of each channel; the class takes the model."""


class InProcess(Protocol):
    """A model that answers without a wire format.

    ``version`` is all that decides answers besides the parameters: code, libraries, number format.
    """

    @property
    def version(self) -> str:
        """Goes into the hash of requests."""
        ...

    def answers(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Iterator[Reply | Exception]:
        """One reply per message, in order, each as soon as it is there; an exception where that
        message has none. Raises an error if the model cannot go on.
        """
        ...


def load_in_process(model: Model) -> InProcess:
    """The model of an in-process channel.

    Errors: :class:`PredictionError` for a model that answers no questions; those of its class.
    """
    if model.channel not in CLASSES:
        raise PredictionError(
            f"{model.name} edits pictures and answers no questions. Name it in `editing` of a "
            "variant (docs/models.md)."
        )
    module, name = CLASSES[model.channel]
    made = getattr(import_module(f"enact_assets.asking.{module}"), name)(model)
    return cast("InProcess", made)
