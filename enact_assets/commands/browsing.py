"""The command ``browse``: serves pages with questions, answers and demonstrations on this
machine.
"""

import argparse
import importlib.util

from rich.console import Console

from enact_assets.engine.errors import EnactError
from enact_assets.results.browse.questions_shown import check_has_ids
from enact_assets.results.published import OpenWarehouse
from enact_assets.results.report.browse_links import keep_port, port_file, port_of
from enact_assets.settings.paths import DataRoot


def run_browse(arguments: argparse.Namespace, console: Console) -> int:
    """``browse``; returns the exit code."""
    if importlib.util.find_spec("starlette") is None or importlib.util.find_spec("uvicorn") is None:
        raise EnactError("Starlette or uvicorn is not installed: pip install 'enact_assets[ui]'")
    from enact_assets.engine.sites import listening_on, serve
    from enact_assets.results.browse.site.pages import site

    root = DataRoot(arguments.data)
    check_has_ids(OpenWarehouse(root.warehouse))  # fails now, not on the first page
    wanted = port_of(root) if arguments.port is None else arguments.port
    with listening_on("127.0.0.1", wanted) as socket:
        address, port = socket.getsockname()
        console.print(f"http://{address}:{port} (stop with Ctrl-C)")
        say_where_links_lead(root, wanted, console)
        serve(site(root), socket)
    return 0


def say_where_links_lead(root: DataRoot, port: int, console: Console) -> None:
    """Keep the port for links that are made later, and say which links lead elsewhere."""
    is_new = port not in (0, port_of(root))
    if is_new and not keep_port(root, port):
        console.print(
            f"{port_file(root)} cannot be written: links of reports lead to port {port_of(root)}.",
            markup=False,
        )
    elif is_new:
        console.print(
            f"The report and first looks made before now link to another port: open the report at "
            f"/report here, or write it anew with `enact-assets report{root.option}`.",
            markup=False,
        )
