"""PNG files from their chunks."""

import zlib


def png_file(head: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG with this header and these chunks (kind, body), each with its sum."""
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
        for kind, body in ((b"IHDR", head), *chunks, (b"IEND", b""))
    )
