"""``python -m enact_assets.pipeline.ui.code_server``: ``dagster code-server`` that ends with its
code.

Dagster's code server hands requests to a process of its own that holds the definitions. If that one
is killed, Dagster's server goes on and answers nothing.
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
    """End this process with exit code 1 once a code process that it uses ends by itself.

    Whatever started this process starts it again, and with it the code.
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
    # Not one that Dagster stopped, or that another took the place of, as a reload does.
    if entry.process._shutdown or registry._active_entries.get(origin) is not entry:
        return
    print(f"The process that holds the code ended with exit code {code}.", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


if __name__ == "__main__":
    main()
