"""How many tokens a provider counts for a few messages: free of charge, before any is bought."""

import asyncio
from collections.abc import Sequence

from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.keys import is_sendable, key_of
from enact_assets.answers.models.messages import Message, PictureReader
from enact_assets.answers.models.posting import Poster
from enact_assets.answers.models.wires import WIRES, Pieces, ReplyError

MOST = 5
"""Messages that are counted."""
TIMEOUT_S = 30.0


def counted(
    model: Model, messages: Sequence[Message], read_picture: PictureReader
) -> list[tuple[Message, int]]:
    """Up to ``MOST`` of ``messages``, evenly spread, with the tokens that the provider counts.

    Empty where it has no such service, or does not answer as documented: an estimate must not fail
    for that. Errors: those of ``read_picture``.
    """
    key = key_of(model)
    wire = WIRES.get(model.channel)
    if wire is None or wire.counting is None or not (key or model.is_local_server) or not messages:
        return []
    if not is_sendable(key):
        return []
    step = max(1, len(messages) // MOST)
    pieces = Pieces(read_picture)
    return asyncio.run(_counted(model, key, messages[::step][:MOST], pieces))


async def _counted(
    model: Model, key: str, messages: Sequence[Message], pieces: Pieces
) -> list[tuple[Message, int]]:
    wire, asked = WIRES[model.channel], (model.base_url, model.asked_id, model.parameters)
    found, made = [], [wire.count_request(*asked, m.parts, pieces) for m in messages]
    requests = [request for request in made if request is not None]
    if not requests:
        return []
    async with Poster(requests[0].url, wire.headers(key or None), key, TIMEOUT_S) as poster:
        for message, request in zip(messages, requests, strict=True):
            response = await poster.post(request.body)
            try:
                found.append((message, wire.count(response.reply)))
            except ReplyError:
                return []
    return found
