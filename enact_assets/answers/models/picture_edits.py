"""Asks an image model to edit pictures; results in the ledger are reused.

Returned pictures are files beside the ledger of their model, written before the line that names
them::

    <ledger>/openai_images/gpt-image-2/pictures/<hash of the file>

They are stored unchanged, even if they are of no use, because they were paid for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.buying import Purchase
from enact_assets.answers.models.entries import Model, PictureWireName
from enact_assets.answers.models.keys import keeping_key_in, key_of
from enact_assets.answers.models.ledger import Kept, folder_of, read_kept
from enact_assets.answers.models.ledger_locks import locked
from enact_assets.answers.models.messages import (
    Message,
    Picture,
    PictureReader,
    Target,
    Text,
    request_sha,
)
from enact_assets.answers.models.not_asked import why_not_again, why_nothing
from enact_assets.answers.models.picture_wires import PICTURE_VERSIONS, Keep, picture_wire
from enact_assets.answers.models.requested import Request, missing, most_usd
from enact_assets.answers.models.wires import Wire
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.system.atomic import is_temporary, replacing

FOLDER = "pictures"


class Edit(NamedTuple):
    """Result for one picture: a file, or in ``error`` why there is none.

    ``request_sha`` is the hash of everything that decides it. ``is_final``: asking again would give
    the same result; otherwise a later run may buy it.
    """

    request_sha: str
    picture: bytes | None
    error: str = ""
    is_final: bool = False


@dataclass(frozen=True)
class PictureModel:
    """A model that edits pictures, with what it may spend and where its replies are kept.

    ``read_picture`` gives the PNG file of a hash.
    """

    model: Model
    ledger_folder: Path
    budget: Budget
    read_picture: PictureReader

    def edited(self, pictures: Sequence[str], prompt: str, attempt: int) -> dict[str, Edit]:
        """What the model made of each of ``pictures``, which are hashes, at the ``attempt``-th try.

        Each picture, prompt and attempt is bought once. After an interruption at any time, all
        replies so far are in the ledger, and the next call continues.

        Errors: :class:`PredictionError` for a model that edits no pictures, and a picture that was
        bought and is gone; :class:`~enact_assets.engine.errors.OutputError` if the ledger cannot
        be written; those of ``read_picture``.
        """
        requests = edit_requests(self.model, pictures, prompt, attempt)
        folder = edits_folder(self.model, self.ledger_folder)
        wire = _wire_of(self.model, lambda made: _kept(folder / FOLDER, made))
        with keeping_key_in(self.model):
            answers = self._answers(list(requests.values()), folder, wire)
        return {sha: _edit(answers[request.sha], folder) for sha, request in requests.items()}

    def _answers(self, wanted: list[Request], folder: Path, wire: Wire) -> dict[str, Answer]:
        found, to_buy, _ = self._sorted(wanted, read_kept(folder))
        if not to_buy:
            return found
        with locked(folder / ".lock", lambda: None):
            # Another process may have bought some since.
            found, to_buy, snapshot = self._sorted(wanted, read_kept(folder))
            if not to_buy:
                return found
            purchase = Purchase(self.model, self.read_picture, folder, self.budget, snapshot)
            return found | purchase.by_wire(to_buy, wire, key_of(self.model))

    def _sorted(
        self, wanted: list[Request], kept: Kept
    ) -> tuple[dict[str, Answer], list[Request], str | None]:
        """Requests whose answer is known or that are not sent, those to be bought, and the name of
        the model that answered first.
        """
        found: dict[str, Answer] = {}
        to_buy = []
        reason = why_nothing(self.model, self.budget)
        for request in wanted:
            never = why_not_again(self.model, kept.unreadable[request.sha])
            if request.sha in kept.answers:
                found[request.sha] = kept.answers[request.sha]
            elif why := never or reason:
                is_final = never is not None
                found[request.sha] = missing(self.model, request, why, is_final=is_final)
            else:
                to_buy.append(request)
        served = (answer.served_model for answer in kept.answers.values())
        return found, to_buy, next((name for name in served if name), None)


def edit_requests(
    model: Model, pictures: Iterable[str], prompt: str, attempt: int
) -> dict[str, Request]:
    """Picture -> what is sent for it at the ``attempt``-th try, counted from 0.

    Errors: :class:`PredictionError` for a model that edits no pictures.
    """
    target, limit = _target_of(model), _wire_of(model, str).most_tokens_out(model.parameters)
    found = {}
    for sha in pictures:
        message = Message(f"picture {sha[:12]}", (Text(prompt), Picture(sha)))
        key = request_sha(target, message, attempt)
        bound = most_usd(model, message, limit)
        found[sha] = Request(key, message, attempt, bound, "picture")
    return found


def edits_folder(model: Model, ledger_folder: Path) -> Path:
    """Where replies of ``model`` are kept. Errors: as :func:`edit_requests`."""
    return folder_of(ledger_folder, _target_of(model))


def _target_of(model: Model) -> Target:
    if model.channel not in PICTURE_VERSIONS:
        raise PredictionError(
            f"{model.name} edits no pictures: name a model of provider openai-images or "
            "google-images (docs/models.md)."
        )
    return model.target(PICTURE_VERSIONS[model.channel], model.asked_id)


def _wire_of(model: Model, keep: Keep) -> Wire:
    return picture_wire(cast("PictureWireName", model.channel), keep)


def _kept(folder: Path, made: bytes) -> str:
    """Write a picture to disk, named by its content."""
    sha = sha256_bytes(made)
    with replacing(folder / sha) as temporary:
        temporary.write_bytes(made)
    return sha


def _edit(answer: Answer, folder: Path) -> Edit:
    sha = answer.request_sha
    if answer.text is None:
        return Edit(sha, None, str(answer.error), answer.is_final)
    if answer.stop != "complete":
        return Edit(sha, None, f"{answer.stop}: {answer.text}", is_final=True)
    return Edit(sha, read_bought(folder / FOLDER / answer.text))


def pictures_in(ledger_folder: Path) -> list[Path]:
    """All pictures that were bought, sorted."""
    found = ledger_folder.rglob(f"{FOLDER}/*")
    return sorted(path for path in found if not is_temporary(path))


def read_bought(path: Path) -> bytes:
    """A picture that was bought, named by its content.

    Errors: :class:`PredictionError` if it is gone, cannot be read or is not what its name says.
    """
    try:
        made = path.read_bytes()
    except OSError as error:
        raise _gone(path, error.strerror or str(error)) from error
    if sha256_bytes(made) != path.name:
        raise _gone(path, "its content is not what its name says")
    return made


def _gone(path: Path, why: str) -> PredictionError:
    return PredictionError(
        f"{path}: a picture that was bought cannot be read ({why}). Nothing was bought anew. "
        "Restore it from a backup."
    )
