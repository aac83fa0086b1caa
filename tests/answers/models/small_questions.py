"""Questions and models for tests of asking, and what became of the questions in a few words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.entries import Model, ModelEntry, Price
from enact_assets.answers.models.messages import Message, Picture, Text
from enact_assets.answers.models.session import Key, ask

KEY_VARIABLE = "ENACT_TEST_KEY"
KEY = "sk-do-not-print-this-0123456789"
PRICE = Price(1.0, 2.0)
LIMITS: Mapping[str, Mapping[str, Any]] = {
    "openai_chat": {"max_tokens": 100},
    "openai_responses": {"max_output_tokens": 100},
    "anthropic": {"max_tokens": 100},
    "google": {"generationConfig": {"maxOutputTokens": 100}},
}


def model(url: str, channel: str = "openai_chat", asked_id: str = "seer-2", **entry: Any) -> Model:
    """A model that costs money, asked at ``url``."""
    given = ModelEntry(**{"id": f"test/{asked_id}", "price": PRICE, "in_flight": 8} | entry)
    return Model(
        "seer", given, channel, asked_id, url, KEY_VARIABLE, LIMITS.get(channel, {}), Path()
    )  # type: ignore[arg-type]


def messages(n: int, n_pictures: int = 2) -> list[Message]:
    """Questions that the server of these tests knows by their names."""
    return [
        Message(
            f"q{k}",
            (
                *(Picture(f"picture {(k + i) % 5}") for i in range(n_pictures)),
                Text(f"QID=q{k}. In which order?"),
            ),
        )
        for k in range(n)
    ]


def read_picture(sha: str) -> bytes:
    """No picture, but bytes: this server only looks at those of the canary."""
    return f"bytes of {sha}".encode() * 20


def asked(
    given: Model, of: Sequence[Message], folder: Path, max_usd: float | None = 10.0, **more: Any
) -> dict[Key, Answer]:
    """Answers to ``of``, bought into the ledger ``folder``, which may cost so much in all."""
    return ask(given, of, read_picture, folder, budget=Budget(folder, max_usd), **more)


def outcomes(answers: Mapping[Key, Answer]) -> Counter[str]:
    """How many questions were answered, refused, ... or are missing with a reason."""
    assert all((a.text is None) == bool(a.error) for a in answers.values())
    return Counter("missing" if a.text is None else str(a.stop) for a in answers.values())
