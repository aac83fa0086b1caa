"""Draws pictures inside a terminal, by a protocol that the terminal supports.

Three ways are in use: the protocol of kitty, the one of iTerm2, and sixels. Terminals with the
first two are recognised by environment variables; for sixels the terminal is queried (primary
device attributes).
"""

import base64
import io
import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Literal, TextIO

import numpy as np
from PIL import Image

Way = Literal["kitty", "iterm", "sixel"]

KITTY_CHUNK = 4096
"""Most characters of base64 in one escape sequence of kitty."""
COLOURS = 256
SIXEL_ROWS = 6
REPLY_S = 0.3
SIXEL_ATTRIBUTE = "4"


def drawing_way(stream: TextIO, environment: Mapping[str, str] = os.environ) -> Way | None:
    """How the terminal behind ``stream`` draws pictures; None if it cannot, or if it is not a
    terminal.
    """
    if not stream.isatty():
        return None
    named = _named_way(environment)
    if named is not None:
        return named
    return "sixel" if SIXEL_ATTRIBUTE in _device_attributes() else None


def _named_way(environment: Mapping[str, str]) -> Way | None:
    # In tmux or screen the environment is inherited, but drawings would be lost.
    if environment.get("TMUX") or environment.get("STY"):
        return None
    program, term = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    if environment.get("KITTY_WINDOW_ID") or term in {"xterm-kitty", "xterm-ghostty"}:
        return "kitty"
    if program in {"iTerm.app", "WezTerm"} or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return None


def drawn(png: bytes, way: Way) -> str:
    """A PNG file as text that draws it in a terminal, with a line end."""
    if way == "kitty":
        return _kitty(png) + "\n"
    if way == "iterm":
        data = base64.b64encode(png).decode()
        return f"\x1b]1337;File=inline=1;size={len(png)};width=auto:{data}\x07\n"
    return _sixel(png) + "\n"


def _kitty(png: bytes) -> str:
    data = base64.b64encode(png).decode()
    chunks = [data[k : k + KITTY_CHUNK] for k in range(0, len(data), KITTY_CHUNK)]
    last = len(chunks) - 1
    return "".join(
        f"\x1b_G{'a=T,f=100,q=2,' if k == 0 else ''}m={int(k < last)};{chunk}\x1b\\"
        for k, chunk in enumerate(chunks)
    )


def _sixel(png: bytes) -> str:
    """Bands of six rows; in each, one line per colour with a character per column."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS)
    pixels = np.asarray(image)
    palette = np.asarray(image.getpalette() or [], dtype=np.int64).reshape(-1, 3)
    height, width = pixels.shape
    out = [f'\x1bPq"1;1;{width};{height}']
    for k, colour in enumerate(palette):
        out.append(f"#{k};2;{';'.join(str(round(100 * c / 255)) for c in colour.tolist())}")
    for top in range(0, height, SIXEL_ROWS):
        band = pixels[top : top + SIXEL_ROWS]
        weights = 1 << np.arange(len(band))[:, None]
        lines = []
        for k in np.unique(band):
            bits = ((band == k) * weights).sum(axis=0)
            lines.append(f"#{k}" + _run_lengths((bits + 63).tolist()))
        out.append("$".join(lines) + "-")
    return "".join(out) + "\x1b\\"


def _run_lengths(codes: list[int]) -> str:
    """Characters, with more than three equal ones as ``!n``."""
    out, k = [], 0
    while k < len(codes):
        end = k
        while end < len(codes) and codes[end] == codes[k]:
            end += 1
        character, n = chr(codes[k]), end - k
        out.append(f"!{n}{character}" if n > 3 else character * n)
        k = end
    return "".join(out)


def _device_attributes() -> list[str]:
    """Numbers of features that the terminal reports; empty if it does not answer."""
    try:
        import termios
        import tty
    except ImportError:  # not on this system
        return []
    if not sys.stdin.isatty():
        return []
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        sys.stdout.write("\x1b[c")
        sys.stdout.flush()
        reply = b""
        until = time.monotonic() + REPLY_S
        while not reply.endswith(b"c"):
            ready, _, _ = select.select([terminal], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                break
            reply += os.read(terminal, 64)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    _, _, numbers = reply.decode("ascii", "replace").partition("\x1b[?")
    return numbers.removesuffix("c").split(";")
