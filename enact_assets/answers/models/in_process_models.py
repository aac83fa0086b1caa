"""Models that this process runs, or asks by other means than a wire format of ours."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.messages import Message, PictureReader
from enact_assets.answers.models.replies import Reply
from enact_assets.engine.errors import PredictionError


class InProcess(Protocol):
    """A model that answers without a wire format.

    ``version`` covers everything that decides answers besides the parameters: code, libraries,
    number format.
    """

    @property
    def version(self) -> str:
        """Goes into the hash of requests."""
        ...

    def answers(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Iterator[Reply | Exception]:
        """One reply per message, in order, each as soon as it is available; an exception for a
        message without a reply. Raises an error if the model cannot continue.
        """
        ...


def load_in_process(model: Model) -> InProcess:
    """The model of an in-process channel.

    Errors: :class:`PredictionError` for a model that cannot answer questions; those of its class.
    """
    if model.channel == "local":
        from enact_assets.answers.models.local_model import LocalModel

        return LocalModel(model)
    if model.channel == "python":
        from enact_assets.answers.models.python_model import PythonModel

        return PythonModel(model)
    if model.channel == "inspect":
        from enact_assets.answers.models.inspect_model import InspectModel

        return InspectModel(model)
    raise PredictionError(
        f"{model.name} edits pictures and answers no questions. Name it in `editing` of a "
        "variant (docs/models.md)."
    )
