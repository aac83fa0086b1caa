"""Pictures in terminals: which way is chosen, and that the drawing is the picture."""

import base64
import io
import os
import re
import sys
import threading

import numpy as np
import pytest
from PIL import Image

from enact_assets.commands.terminal_pictures import drawing_way, drawn


def png_of(pixels) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def picture(height: int, width: int) -> bytes:
    """Few colours, so that the palette of sixels holds all of them."""
    steps = np.random.default_rng(height * width).integers(0, 3, (height, width, 3))
    return png_of((steps * 51).astype(np.uint8))


def unsixel(text: str) -> np.ndarray:
    """Slow, obvious reader of sixels: pixels (h, w, 3) in percent."""
    found = re.fullmatch(r'\x1bPq"1;1;(\d+);(\d+)(.*)\x1b\\\n', text, flags=re.DOTALL)
    assert found is not None
    width, height = int(found[1]), int(found[2])
    pixels = np.full((height + 6, width, 3), -1)
    palette, colour, x, top = {}, 0, 0, 0
    for piece in re.findall(r"#\d+;2;\d+;\d+;\d+|#\d+|!\d+.|.", found[3]):
        if piece.startswith("#"):
            numbers = [int(n) for n in piece[1:].split(";")]
            colour = numbers[0]
            if len(numbers) > 1:
                palette[colour] = numbers[2:]
        elif piece == "$":
            x = 0
        elif piece == "-":
            x, top = 0, top + 6
        else:
            n, bits = (int(piece[1:-1]), ord(piece[-1])) if piece[0] == "!" else (1, ord(piece))
            for _ in range(n):
                for row in range(6):
                    if (bits - 63) >> row & 1:
                        pixels[top + row, x] = palette[colour]
                x += 1  # noqa: SIM113 - other pieces set it too
    return pixels[:height]


@pytest.mark.parametrize("size", [(1, 1), (6, 5), (7, 40), (13, 3)])
def test_sixels_are_the_picture(size) -> None:
    png = picture(*size)
    expected = np.round(np.asarray(Image.open(io.BytesIO(png)), dtype=float) / 255 * 100)
    assert np.array_equal(unsixel(drawn(png, "sixel")), expected)


def test_kitty_gets_the_file_in_pieces() -> None:
    png = picture(80, 80)
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", drawn(png, "kitty"))
    assert len(pieces) > 1
    assert all(len(data) <= 4096 for _, data in pieces)
    assert base64.b64decode("".join(data for _, data in pieces)) == png
    assert [control.endswith("m=1") for control, _ in pieces] == [True] * (len(pieces) - 1) + [
        False
    ]


def test_iterm_gets_the_file() -> None:
    png = picture(8, 8)
    assert base64.b64decode(drawn(png, "iterm").partition(":")[2].rstrip("\x07\n")) == png


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "xterm-kitty", "TMUX": "socket"}, None),
        ({"TERM": "xterm-256color"}, None),
    ],
)
def test_a_terminal_says_who_it_is(environment, way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert drawing_way(Terminal(), environment) == way
    assert drawing_way(io.StringIO(), environment) is None


@pytest.mark.parametrize(
    ("reply", "way"), [(b"\x1b[?62;4;6c", "sixel"), (b"\x1b[?62;6c", None), (b"", None)]
)
def test_a_terminal_is_asked_for_sixels(reply, way, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a real one, of which this test is the other end."""
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    other, terminal = pty.openpty()
    heard = []

    def answers() -> None:
        heard.append(os.read(other, 16))
        os.write(other, reply)

    thread = threading.Thread(target=answers, daemon=True)
    with os.fdopen(terminal, "r+b", buffering=0) as both:
        stream = io.TextIOWrapper(both, write_through=True)
        monkeypatch.setattr(sys, "stdin", stream)
        monkeypatch.setattr(sys, "stdout", stream)
        before = termios.tcgetattr(terminal)
        thread.start()
        assert drawing_way(stream, {"TERM": "xterm"}) == way
        thread.join()
        assert heard == [b"\x1b[c"]
        assert termios.tcgetattr(terminal) == before
        stream.detach()
    os.close(other)
