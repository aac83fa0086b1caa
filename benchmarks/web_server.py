"""The Dagster UI of a data root in a process of its own, and GraphQL that is sent to it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from enact_assets.pipeline.runs.instance import INSTANCE_FOLDER

STARTS_WITHIN_S = 180.0
ANSWERS_WITHIN_S = 600.0
LOGGED = 2_000

KEYS = """query ($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
  partitionKeys } } }"""
PAGE = """query ($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
  partitionKeysByDimension { name partitionKeys type }
  assetPartitionStatuses { __typename
    ... on DefaultPartitionStatuses { materializedPartitions failedPartitions }
    ... on MultiPartitionStatuses { primaryDimensionName ranges {
      primaryDimStartKey primaryDimEndKey
      secondaryDim { ... on DefaultPartitionStatuses {
        materializedPartitions materializingPartitions failedPartitions } } } } } } } }"""
"""What the page of an asset's partitions asks for."""


class WebServer:
    """``enact_assets.pipeline.ui.server`` for one data root, without daemon, until the block
    ends.
    """

    def __init__(self, root: Path, registry: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "enact_assets.pipeline.ui.server", "-h", "127.0.0.1"]
        command += ["-p", str(port), "-m", "enact_assets.definitions"]
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
            command,
            env=os.environ
            | {
                "DAGSTER_HOME": str((root / INSTANCE_FOLDER).resolve()),
                "ENACT_HOME": str(root.resolve()),
                "ENACT_REGISTRY": str(registry),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, query: str, asset: str) -> tuple[float, int]:
        """Seconds and bytes of the answer to ``query`` about ``asset``."""
        asked = {"query": query, "variables": {"key": {"path": [asset]}}}
        begun = time.monotonic()
        with self._open("graphql", json.dumps(asked).encode()) as answer:
            text = answer.read()
        seconds = time.monotonic() - begun
        found: dict[str, Any] = json.loads(text)
        if "errors" in found or not found["data"]["assetNodeOrError"]:
            raise RuntimeError(f"the web server knows no asset {asset}: {text[:LOGGED]!r}")
        return seconds, len(text)

    def _open(self, path: str, data: bytes | None) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/{path}", data, headers)  # noqa: S310 - http, to ourselves
        return urllib.request.urlopen(request, timeout=ANSWERS_WITHIN_S)  # noqa: S310 - http, to ourselves

    def __enter__(self) -> Self:
        until = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                self._open("server_info", None).close()
                return self
            except (OSError, urllib.error.URLError):
                if time.monotonic() > until or self._process.poll() is not None:
                    self._process.kill()
                    raise
                time.sleep(0.2)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()
