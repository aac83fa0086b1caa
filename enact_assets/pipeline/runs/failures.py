"""Shows our own error first on the page of a failed run, before any stack trace."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from enact_assets.engine.errors import EnactError
from enact_assets.pipeline.runs.running import WHY_TAG

WHY_CHARACTERS = 1000
"""Most characters of a reason in a tag."""


@contextmanager
def said_first(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Within the block, an error of ours becomes the first paragraph of the run's page, and part of
    its ``enact/why``.

    Errors: ``dagster.Failure`` caused by the :class:`EnactError` of the block.
    """
    try:
        yield
    except EnactError as error:
        note_failed(context, str(error))
        raise dg.Failure(str(error), allow_retries=False) from error


def note_failed(context: dg.AssetExecutionContext, message: str) -> None:
    """Add the failure to the reason of a run, as "it was fresh" alone would contradict its page."""
    run = context.instance.get_run_by_id(context.run.run_id)
    why = run.tags.get(WHY_TAG) if run is not None else None
    half = WHY_CHARACTERS // 2
    text = f"{why[:half]}. It failed: {message[:half]}" if why else f"It failed: {message}"
    context.instance.add_run_tags(context.run.run_id, {WHY_TAG: text[:WHY_CHARACTERS]})
