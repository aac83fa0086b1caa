"""The command ``browse``: serves pages with questions, answers and demonstrations on this
machine.
"""

import argparse
import importlib.util

from rich.console import Console

from enact_assets.engine.errors import EnactError
from enact_assets.results.browse.questions_shown import check_has_ids
from enact_assets.results.published import OpenWarehouse
from enact_assets.settings.paths import DataRoot


def run_browse(arguments: argparse.Namespace, console: Console) -> int:
    """``browse``; returns the exit code."""
    if importlib.util.find_spec("starlette") is None or importlib.util.find_spec("uvicorn") is None:
        raise EnactError("Starlette or uvicorn is not installed: pip install 'enact_assets[ui]'")
    from enact_assets.engine.sites import listening_on, serve
    from enact_assets.results.browse.site.pages import site

    root = DataRoot(arguments.data)
    check_has_ids(OpenWarehouse(root.warehouse))  # fails now, not on the first page
    with listening_on("127.0.0.1", arguments.port) as socket:
        address, port = socket.getsockname()
        console.print(f"http://{address}:{port} (stop with Ctrl-C)")
        serve(site(root), socket)
    return 0
