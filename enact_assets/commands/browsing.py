"""The command ``browse``: questions, answers and demonstrations as pages of this machine."""

import argparse
import importlib.util

from rich.console import Console

from enact_assets.contracts.errors import EnactError
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.published import OpenWarehouse
from enact_assets.viewing.questions_shown import check_has_ids


def run_browse(arguments: argparse.Namespace, console: Console) -> int:
    """``browse``; returns the exit code."""
    if importlib.util.find_spec("starlette") is None or importlib.util.find_spec("uvicorn") is None:
        raise EnactError("Starlette or uvicorn is not installed: pip install 'enact_assets[ui]'")
    from enact_assets.viewing.site.pages import listening, serve

    root = DataRoot(arguments.data)
    check_has_ids(OpenWarehouse(root.warehouse))  # fails now, not on the first page
    with listening(arguments.port) as socket:
        address, port = socket.getsockname()
        console.print(f"http://{address}:{port} (stop with Ctrl-C)")
        serve(root, socket)
    return 0
