"""A Hugging Face hub on this machine, for ``HF_ENDPOINT``: the routes that a download uses.

It can break connections in the middle, ignore ranges, and keep its files from whoever asks.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from reference.threaded_servers import Handler, Server, in_thread

REVISION = hashlib.sha1(b"revision", usedforsecurity=False).hexdigest()
PER_PAGE = 3
"""Entries of a listing that come at once; the next ones are where the header Link says."""


@dataclass
class Hub:
    """What it holds and how it behaves; ``sent`` are parts of files: path, first byte, bytes."""

    files: dict[str, bytes]
    repository: str
    licence: str | list[str] | None = "mit"
    refuses: str | None = None
    breaks_after: list[int] = field(default_factory=list)
    """Bytes after which the next connections break, one each."""
    ignores_ranges: bool = False
    lost: set[str] = field(default_factory=set)
    has_sha256: bool = True
    sent: list[tuple[str, int, int]] = field(default_factory=list)
    url: str = ""

    def entry(self, path: str) -> dict[str, object]:
        """One file in a listing."""
        content = self.files[path]
        as_git_has_it = b"blob %d\0" % len(content) + content
        entry: dict[str, object] = {
            "type": "file", "path": path, "size": len(content),
            "oid": hashlib.sha1(as_git_has_it, usedforsecurity=False).hexdigest(),
        }  # fmt: skip
        if self.has_sha256:
            sha = hashlib.sha256(content).hexdigest()
            entry["lfs"] = {"oid": sha, "size": len(content), "pointerSize": 130}
        return entry


class _Handler(Handler):
    hub: Hub

    def get(self) -> None:
        parts = urlsplit(self.path)
        path, hub = unquote(parts.path), self.hub
        about = f"/api/datasets/{hub.repository}"
        tree = re.fullmatch(rf"{about}/tree/{REVISION}(?:/(?P<folder>.+))?", path)
        file = re.fullmatch(rf"/datasets/{hub.repository}/resolve/{REVISION}/(?P<file>.+)", path)
        if hub.refuses is not None:
            status = 403 if hub.refuses == "GatedRepo" else 401
            self.send({"error": "no"}, status, {"X-Error-Code": hub.refuses})
        elif path == about:
            card = {} if hub.licence is None else {"cardData": {"license": hub.licence}}
            self.send({"id": hub.repository, "sha": REVISION, "siblings": [], **card})
        elif tree is not None:
            self._list(tree["folder"], parts.query)
        elif file is not None and file["file"] in hub.files.keys() - hub.lost:
            self._send(file["file"])
        else:
            code = "RepoNotFound" if tree is None and file is None else "EntryNotFound"
            self.send({"error": "no"}, 404, {"X-Error-Code": code})

    def _list(self, folder: str | None, query: str) -> None:
        names = sorted(n for n in self.hub.files if folder is None or n.startswith(f"{folder}/"))
        if not names:
            self.send({"error": "no"}, 404, {"X-Error-Code": "EntryNotFound"})
            return
        page = re.search(r"cursor=([0-9]+)", query)
        start = int(page[1]) if page else 0
        headers = {}
        if start + PER_PAGE < len(names):
            bare = self.path.partition("?")[0]
            headers["Link"] = f'<{self.hub.url}{bare}?cursor={start + PER_PAGE}>; rel="next"'
        entries = [self.hub.entry(name) for name in names[start : start + PER_PAGE]]
        folders: list[dict[str, object]] = [{"type": "directory", "path": "a.hdf5", "oid": "0"}]
        self.send([*folders, *entries] if start == 0 else entries, 200, headers)

    def _send(self, name: str) -> None:
        content, hub = self.hub.files[name], self.hub
        asked = re.fullmatch(r"bytes=([0-9]+)-", self.headers.get("Range", ""))
        first = int(asked[1]) if asked and not hub.ignores_ranges else 0
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(content) - first))
        if first:
            span = f"bytes {first}-{len(content) - 1}/{len(content)}"
            self.send_header("Content-Range", span)
        self.end_headers()
        rest = content[first:]
        limit = hub.breaks_after.pop(0) if hub.breaks_after else len(rest)
        hub.sent.append((name, first, len(rest[:limit])))
        self.wfile.write(rest[:limit])
        if limit < len(rest):
            self.wfile.flush()
            self.close_connection = True


@contextmanager
def local_hub(repository: str, files: dict[str, bytes]) -> Iterator[Hub]:
    """A hub that holds ``files`` as the data set ``repository``."""
    hub = Hub(files, repository)
    handler = type("Handler", (_Handler,), {"hub": hub})
    with in_thread(Server(handler)) as server:
        hub.url = server.url
        yield hub
