"""``python -m enact_assets.pipeline.ui.code_server``: ``dagster code-server`` that ends with its
code.

Dagster's code server passes requests to a child process that holds the definitions. If that process
is killed, Dagster's server keeps running without answering.
"""

import os
import sys
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagster._core.remote_representation.grpc_server_registry import GrpcServerRegistry

MODULE = "enact_assets.pipeline.ui.code_server"


def main() -> None:
    """Run the code server until it is stopped or its code is lost, with Dagster's options."""
    from dagster._cli.code_server import code_server_cli

    end_with_code()
    code_server_cli(auto_envvar_prefix="DAGSTER_CLI_CODE_SERVER")


def end_with_code() -> None:
    """End this process with exit code 1 when its code process ends unexpectedly.

    The parent process then starts this process again, and with it the code process.
    """
    from dagster._core.remote_representation import grpc_server_registry as dagster

    name = "_get_grpc_server_entry"
    find = getattr(dagster.GrpcServerRegistry, name)
    followed = set[int]()

    def find_and_follow(registry: "GrpcServerRegistry", origin: Any) -> Any:
        entry = find(registry, origin)
        if isinstance(entry, dagster.ServerRegistryEntry) and entry.process.pid not in followed:
            followed.add(entry.process.pid)
            follower = Thread(target=_follow, args=(registry, origin.get_id(), entry), daemon=True)
            follower.start()
        return entry

    setattr(dagster.GrpcServerRegistry, name, find_and_follow)


def _follow(registry: "GrpcServerRegistry", origin: str, entry: Any) -> None:
    code = entry.process.server_process.wait()
    # Code processes that Dagster stopped or replaced, as in a reload, do not count.
    if entry.process._shutdown or registry._active_entries.get(origin) is not entry:
        return
    print(f"The process that holds the code ended with exit code {code}.", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


if __name__ == "__main__":
    main()
