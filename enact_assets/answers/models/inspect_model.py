"""Models that Inspect can ask, for families without a wire format of ours, such as Bedrock.

``inspect/bedrock/anthropic.claude-...`` asks what Inspect calls ``bedrock/anthropic.claude-...``.
Parameters are fields of Inspect's ``GenerateConfig``; ``model_args`` are the arguments of its
provider, ``picture_detail`` is the detail of each picture. Inspect's own cache is off: answers are
kept by this package.
"""

import asyncio
import base64
import threading
from collections import deque
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from importlib import metadata
from types import MappingProxyType
from typing import Any

import msgspec

from enact_assets.answers.models.answers import Stop
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.keys import key_of
from enact_assets.answers.models.messages import Message, PictureReader, Text
from enact_assets.answers.models.replies import (
    Reply,
    ReplyError,
    possible_tokens,
    reply_of,
    stop_of,
)
from enact_assets.engine.errors import PredictionError

_NOT_OURS = ("cache", "cache_prompt", "max_retries", "max_connections", "attempt_timeout",
             "batch", "num_choices", "fallback_models")  # fmt: skip
"""Fields that parameters may not set: this package sets them, or one answer could not be read."""
_STOPS: Mapping[str, Stop] = MappingProxyType(
    {"stop": "complete", "max_tokens": "cut", "model_length": "cut", "content_filter": "refused"}
)


class InspectModel:
    """A model of channel ``inspect``.

    ``version`` is the series of Inspect (``0.3``), not its release: a new one every few days would
    make all answers anew, and they were paid for.

    Errors: :class:`PredictionError` if Inspect is not installed or a parameter cannot be set.
    """

    def __init__(self, model: Model) -> None:
        try:
            release = metadata.version("inspect-ai")
        except metadata.PackageNotFoundError as error:
            raise PredictionError(
                f"{model.name} is asked through Inspect, which is not installed: "
                "pip install 'enact_assets[inspect]'"
            ) from error
        self.version = f"inspect-ai {'.'.join(release.split('.')[:2])}"
        self._model = model
        given = dict(model.parameters)
        self._detail = {"detail": given.pop("picture_detail")} if "picture_detail" in given else {}
        self._arguments = given.pop("model_args", {})
        self._given = given
        self._key = key_of(model) or None
        banned = [name for name in _NOT_OURS if name in given]
        if banned:
            raise PredictionError(
                f"{model.name}: `parameters` cannot set {', '.join(banned)}. For several answers "
                "to a question set `samples`; for requests at once `in_flight`."
            )

    def answers(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Iterator[Reply | Exception]:
        """One reply or error per message, in order, as they come; ``in_flight`` of the entry are
        asked at once.

        Errors: :class:`PredictionError` if Inspect cannot make the model (a key or a package is
        missing), those of the reader of pictures.
        """
        # A loop in a thread of its own works inside notebooks, which run one already.
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="inspect", daemon=True)
        thread.start()
        waiting: deque[Future[Reply | Exception]] = deque()
        asked = None
        try:
            asked = _run(self._opened(), loop).result()
            for message in messages:
                if len(waiting) >= self._model.entry.in_flight:
                    yield waiting.popleft().result()
                content = self._content(message, read_picture)
                waiting.append(_run(self._answer(asked, content), loop))
            while waiting:
                yield waiting.popleft().result()
        finally:
            _run(_closed(asked), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _content(self, message: Message, read_picture: PictureReader) -> list[Any]:
        from inspect_ai.model import ContentImage, ContentText

        return [
            ContentText(text=part.text)
            if isinstance(part, Text)
            else ContentImage(image=_data_uri(read_picture(part.sha)), **self._detail)
            for part in message.parts
        ]

    async def _opened(self) -> Any:
        from inspect_ai.model import GenerateConfig, get_model

        model, entry = self._model, self._model.entry
        unknown = sorted(set(self._given) - set(GenerateConfig.model_fields))
        if unknown:
            raise PredictionError(
                f"{model.name}: Inspect has no parameter {', '.join(unknown)}. Arguments of its "
                "providers go into `model_args`."
            )
        try:
            config = GenerateConfig(
                **self._given,
                cache=False,
                # Anthropic charges more for tokens that it writes into a cache.
                cache_prompt=False,
                # The budget covers one attempt. A question that failed is asked by the next run.
                max_retries=0,
                max_connections=entry.in_flight,
                attempt_timeout=round(entry.timeout_s),
            )
            made = get_model(
                model.asked_id,
                config=config,
                base_url=model.base_url or None,
                api_key=self._key,
                memoize=False,
                **self._arguments,
            )
        except Exception as error:
            raise PredictionError(f"{model.name}: {_words(error)}") from error
        client: Any = getattr(made.api, "client", None)
        # OpenAI's and Anthropic's libraries repeat too.
        if getattr(client, "max_retries", None) is not None:
            client.max_retries = 0
        return made

    async def _answer(self, asked: Any, content: list[Any]) -> Reply | Exception:
        from inspect_ai.model import ChatMessageUser

        try:
            output = await asked.generate([ChatMessageUser(content=content)])
            return read_output(output, self._model.entry.stops)
        except ReplyError as error:
            return error
        except Exception as error:  # noqa: BLE001 - whatever a provider's library raises
            return PredictionError(f"{self._model.name}: {_words(error)}")


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip()


async def _closed(asked: Any) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if asked is not None:
        await asked.__aexit__(None, None, None)
    await asyncio.get_running_loop().shutdown_asyncgens()


def read_output(output: Any, stops: Mapping[str, Stop] = MappingProxyType({})) -> Reply:
    """Inspect's ``ModelOutput`` as a reply. Errors: :class:`ReplyError` if it holds no answer."""
    if output.error:
        raise ReplyError(f"Inspect reports: {output.error}")
    if not output.choices:
        raise ReplyError("Inspect returned no choice")
    choice = output.choices[0]
    stop = stop_of(choice.stop_reason, {**_STOPS, **stops})
    text = choice.message.content
    has_thought = False
    if not isinstance(text, str):
        has_thought = any(part.type == "reasoning" for part in text)
        # Not its `completion`, which puts a line break between parts.
        text = "".join(part.text for part in text if part.type == "text")
    if not text and stop == "refused" and choice.stop_details is not None:
        text = choice.stop_details.explanation or ""
    usage = output.usage
    tokens = None
    if usage is not None:
        # Inspect counts cached tokens beside the input, whatever the provider does.
        cached = usage.input_tokens_cache_read or 0
        whole = usage.input_tokens + cached + (usage.input_tokens_cache_write or 0)
        tokens = possible_tokens((whole, cached, usage.output_tokens, usage.reasoning_tokens))
    found = reply_of(text, stop, output.model, tokens)
    return msgspec.structs.replace(found, is_in_reasoning=has_thought and not text.strip())


def _run(coroutine: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Future[Any]:
    return asyncio.run_coroutine_threadsafe(coroutine, loop)


def _data_uri(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"
