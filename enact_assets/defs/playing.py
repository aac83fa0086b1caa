"""OmniGibson players as Dagster Pipes processes, whose log goes to the run's log at once."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

import dagster as dg

from enact_assets.replay.omnigibson_runs import Player, current_player


@contextmanager
def playing(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Within the block, players report to the run of ``context``."""

    @contextmanager
    def session() -> Iterator[Mapping[str, str]]:
        opened = dg.open_pipes_session(
            context=context,
            context_injector=dg.PipesTempFileContextInjector(),
            message_reader=dg.PipesTempFileMessageReader(),
        )
        with ExitStack() as stack:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dg.PreviewWarning)  # Dagster's, about itself
                pipes = stack.enter_context(opened)
            yield pipes.get_bootstrap_env_vars()

    token = current_player.set(Player(session, context.log.warning))
    try:
        yield
    finally:
        current_player.reset(token)
