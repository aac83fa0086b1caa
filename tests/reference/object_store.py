"""An object store on this machine: as much of S3 as a lake needs, its objects in a folder.

They survive a kill, so that a store can be ended and started again. Run as a program it is given
folder and port; it never checks who asks. No uploads in parts: our files are smaller.
"""

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, quote, unquote, urlsplit
from urllib.request import urlopen
from xml.sax.saxutils import escape

PAGE = 1000
"""Keys in one answer to a listing."""


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder: Path

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        bucket, key, asked = self._asked()
        if not bucket:
            self._answer(200, b"")
        elif not key:
            self._answer(200, self._listing(bucket, asked), {"Content-Type": "application/xml"})
        elif (path := self._path(bucket, key)).is_file():
            self._object(path)
        else:
            self._missing(key)

    def do_PUT(self) -> None:
        bucket, key, _ = self._asked()
        content, source = self._body(), self.headers.get("x-amz-copy-source")
        if source is not None:
            content = self._path(*unquote(source).lstrip("/").split("/", 1)).read_bytes()
        path = self._path(bucket, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{time.monotonic_ns()}")
        temporary.write_bytes(content)
        temporary.replace(path)
        tag = f'"{hashlib.md5(content).hexdigest()}"'  # noqa: S324 - as S3 does
        told = f"<CopyObjectResult><ETag>{escape(tag)}</ETag></CopyObjectResult>"
        self._answer(200, b"" if source is None else told.encode(), {"ETag": tag})

    def do_DELETE(self) -> None:
        bucket, key, _ = self._asked()
        self._path(bucket, key).unlink(missing_ok=True)
        self._answer(204, b"")

    def _asked(self) -> tuple[str, str, dict[str, str]]:
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        asked = parse_qs(parts.query, keep_blank_values=True)
        return bucket, key, {name: values[0] for name, values in asked.items()}

    def _path(self, bucket: str, key: str) -> Path:
        """One file per object: a key may also be the beginning of others."""
        return self.folder / bucket / quote(key, safe="")

    def _body(self) -> bytes:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return content
        found, rest = b"", content
        while rest:
            head, _, rest = rest.partition(b"\r\n")
            n = int(head.split(b";")[0], 16)
            if n == 0:
                break
            found, rest = found + rest[:n], rest[n + 2 :]
        return found

    def _object(self, path: Path) -> None:
        content, at = path.read_bytes(), path.stat().st_mtime
        headers = {
            "ETag": f'"{hashlib.md5(content).hexdigest()}"',  # noqa: S324 - as S3 does
            "Last-Modified": formatdate(at, usegmt=True),
            "Accept-Ranges": "bytes",
        }
        span = self.headers.get("Range")
        if span is None:
            self._answer(200, content, headers)
            return
        first, _, last = span.removeprefix("bytes=").partition("-")
        begin = int(first) if first else max(0, len(content) - int(last))
        end = min(len(content), int(last) + 1) if first and last else len(content)
        if begin >= len(content):
            self._error(416, "InvalidRange")
            return
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(content)}"
        self._answer(206, content[begin:end], headers)

    def _listing(self, bucket: str, asked: dict[str, str]) -> bytes:
        prefix, delimiter = asked.get("prefix", ""), asked.get("delimiter", "")
        after = asked.get("continuation-token", "")
        folder = self.folder / bucket
        names = [unquote(path.name) for path in folder.iterdir()] if folder.is_dir() else []
        keys = sorted(k for k in names if k.startswith(prefix) and k > after and k[0] != ".")
        rows, folders = [], set()
        n_most = min(PAGE, int(asked.get("max-keys", PAGE)))
        for key in keys[:n_most]:
            rest = key.removeprefix(prefix)
            if delimiter and delimiter in rest:
                folders.add(prefix + rest.partition(delimiter)[0] + delimiter)
                continue
            path = self._path(bucket, key)
            found = path.stat()
            tag = hashlib.md5(path.read_bytes()).hexdigest()  # noqa: S324 - as S3 does
            when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(found.st_mtime))
            rows.append(
                f"<Contents><Key>{escape(key)}</Key><LastModified>{when}</LastModified>"
                f"<ETag>&quot;{tag}&quot;</ETag><Size>{found.st_size}</Size></Contents>"
            )
        rows += [
            f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>"
            for f in sorted(folders)
        ]
        token = ""
        if more := len(keys) > n_most:
            last = escape(keys[n_most - 1])
            token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        return (
            '<?xml version="1.0"?><ListBucketResult>'
            f"<Name>{escape(bucket)}</Name><Prefix>{escape(prefix)}</Prefix>"
            f"<KeyCount>{len(rows)}</KeyCount><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token}{''.join(rows)}</ListBucketResult>"
        ).encode()

    def _missing(self, key: str) -> None:
        self._error(404, "NoSuchKey", key)

    def _error(self, status: int, code: str, key: str = "") -> None:
        told = f"<Error><Code>{code}</Code><Key>{escape(key)}</Key></Error>"
        self._answer(status, told.encode())

    def _answer(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing: who wants a log reads that of the client."""


class ObjectStore:
    """The server in a process of its own, which can be killed, stopped and started again."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.start()

    @property
    def environment(self) -> dict[str, str]:
        """What a client of it is given."""
        return {
            "FSSPEC_S3_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "not_shown",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def start(self) -> None:
        command = [sys.executable, __file__, str(self.folder), str(self.port)]
        self.process = subprocess.Popen(command)  # noqa: S603 - ourselves
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                urlopen(f"http://127.0.0.1:{self.port}/", timeout=5).close()
                return
            except (URLError, ConnectionError):
                time.sleep(0.05)
        raise TimeoutError("the object store does not answer")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def object_store(folder: Path, port: int) -> Iterator[ObjectStore]:
    store = ObjectStore(folder, port)
    try:
        yield store
    finally:
        store.kill()


if __name__ == "__main__":
    _Requests.folder = Path(sys.argv[1])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), _Requests).serve_forever()
