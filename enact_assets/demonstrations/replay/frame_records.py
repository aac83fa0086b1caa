"""The records a recorded frame is made of, decoded into typed structures (definitions.md R2).

Variations of other writers are read if they have one meaning: missing ``states``, ``parent`` or
``visibility``, or null for the last two, mean that there are none; a whole number may have a point;
``NaN`` and ``Infinity`` may occur in fields that are not read.
"""

import re
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Raw, Struct, field

from enact_assets.demonstrations.replay.frame_stream import Place, RawFrame
from enact_assets.demonstrations.replay.stream_kernels import BOX_NUMBERS, MAX_NUMBER
from enact_assets.settings.predicates import EXISTS, RELATED, TRANSITION

MAX_NAME_CHARACTERS = 200
MAX_STATE_CHARACTERS = 100

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Also those that end a line or turn the direction of text: a name would be shown as another."""
_STATE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = (EXISTS, RELATED, TRANSITION)
"""Facts of our tables that no state may be confused with."""

_ADVICE = {
    "type": "Write what the frame is: 'full', 'diff' or 'empty'",
    "category": "Write what kind of thing it is, such as 'mug'",
}
"""Field that may not be missing -> what to do if it is."""

_T = TypeVar("_T")


class Node(Struct, gc=False):
    """An object in one frame, without what the camera sees of it."""

    name: str
    category: str
    states: list[str] = []
    parent: list[str] | None = None

    @property
    def key(self) -> str:
        """What is unique in a frame."""
        return self.name


class SeenNode(Node, gc=False, kw_only=True):
    """An object in one frame; ``visibility`` holds one undecoded value per camera."""

    visibility: dict[str, Raw] | None = None


class NodeName(Struct, gc=False):
    """Which object a frame takes away."""

    name: str


class EdgePair(Struct, gc=False):
    """An ordered pair of objects, of which a frame takes the edge away."""

    source: str = field(name="from")
    target: str = field(name="to")

    @property
    def key(self) -> tuple[str, str]:
        """Names of both ends."""
        return self.source, self.target


class Edge(EdgePair, gc=False):
    """An ordered pair of objects in one frame."""

    states: list[str] = []


class Records(Struct, gc=False):
    """Objects and pairs that a frame adds or updates."""

    nodes: list[SeenNode]
    edges: list[Edge]


class Removals(Struct, gc=False):
    """Objects and pairs that a frame takes away; whatever else is said about them is ignored."""

    nodes: list[NodeName]
    edges: list[EdgePair]


class PlainFrame(Struct, gc=False):
    """A frame whose ``visibility`` values are read elsewhere."""

    type: str
    nodes: list[Node]
    edges: list[Edge]


class FullFrame(Struct, gc=False):
    """A frame that holds the whole scene graph."""

    nodes: list[SeenNode]
    edges: list[Edge]


class DiffFrame(Struct, gc=False):
    """A frame that holds what differs from the one before."""

    add: Records = field(default_factory=lambda: Records([], []))
    remove: Removals = field(default_factory=lambda: Removals([], []))
    update: Records = field(default_factory=lambda: Records([], []))


class EmptyFrame(Struct, gc=False):
    """A frame that repeats the one before."""


class _Kind(Struct, gc=False):
    type: Literal["full", "diff", "empty"]


_KIND = msgspec.json.Decoder(_Kind)
_PLAIN = msgspec.json.Decoder(PlainFrame)
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    "full": msgspec.json.Decoder(FullFrame),
    "diff": msgspec.json.Decoder(DiffFrame),
    "empty": msgspec.json.Decoder(EmptyFrame),
}
_BOX = msgspec.json.Decoder(list[int])
_NUMBERS = msgspec.json.Decoder(list[int | float])
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+"|(?<![\w.+-])(?:NaN|-?Infinity)(?![\w.])', re.DOTALL | re.ASCII
)
_STAND_INS = {"NaN": -2.5e-301, "Infinity": -2.5e-302, "-Infinity": -2.5e-303}
"""What Python writes and JSON does not have -> a number that no field is read as."""
_CONSTANTS = {number: name for name, number in _STAND_INS.items()}
_LOCATION = re.compile(r"(?P<message>.*) - at `\$\.?(?P<field>.*)`", re.DOTALL)
_BYTE = re.compile(r" \(byte \d+\)")
_MISSING = re.compile(r"Object missing required field `(?P<field>.*)`")


def decode_plain(raw: RawFrame) -> PlainFrame | None:
    """``raw`` without its visibility values, if it is a full frame written in the plainest form.

    Errors: as :func:`decode`.
    """
    if raw.spans is None:
        return None
    frame = _decode(_PLAIN, _text_of(raw), raw.place)
    return frame if frame.type == "full" and len(frame.nodes) == len(raw.spans) else None


def decode(raw: RawFrame) -> FullFrame | DiffFrame | EmptyFrame:
    """``raw`` as what its ``type`` says it is.

    Errors: :class:`RecordingError` names file, frame and field if it is not JSON, not UTF-8, or if
    a field is missing or of another type. Fields that are not part of the layout are ignored, even
    with ``NaN`` or ``Infinity`` in them.
    """
    text = _text_of(raw)
    kind = _decode(_KIND, text, raw.place)
    frame: FullFrame | DiffFrame | EmptyFrame = _decode(_DECODERS[kind.type], text, raw.place)
    return frame


def decode_box(
    visibility: dict[str, Raw] | None, camera: str, place: Place, label: str
) -> list[int]:
    """What ``camera`` sees: seven numbers as in the layout, or none. ``label`` names the field.

    Null stands for none. Errors: :class:`RecordingError` if they are no box: seven whole numbers
    from 0 to 2^31 - 1 (2.0 is one), the last two (height and width) positive, and no more pixels
    than the picture has.
    """
    if visibility is None or camera not in visibility or bytes(visibility[camera]) == b"null":
        return []
    label = f"{label}.visibility.{camera}"
    box = _whole_numbers(visibility[camera], place, label)
    if not box:
        return []
    if len(box) != BOX_NUMBERS:
        raise place.error(f"expected {BOX_NUMBERS} numbers or none, found {len(box)}", label)
    wrong = [number for number in box if not 0 <= number <= MAX_NUMBER]
    if wrong:
        raise place.error(
            f"expected integers from 0 to {MAX_NUMBER}, found {_shortened(wrong[0])}", label
        )
    pixels, height, width = box[0], *box[-2:]
    if not 0 < height * width >= pixels:
        raise place.error(f"{pixels} pixels in a picture of {width} x {height}", label)
    return box


def check_name(name: str, place: Place, label: str) -> str:
    """``name`` if it can name an object: 1 to 200 characters, no control characters."""
    if not name:
        raise place.error("the name is empty", label)
    return check_text(name, place, label)


def check_text(text: str, place: Place, label: str) -> str:
    """``text`` if it has at most 200 characters and no control characters."""
    if len(text) > MAX_NAME_CHARACTERS:
        raise place.error(
            f"{_shortened(text)} has {len(text)} characters; at most {MAX_NAME_CHARACTERS} are "
            "allowed. Shorten it",
            label,
        )
    if _CONTROL.search(text):
        raise place.error(f"{text!r} holds a control character", label)
    return text


def check_state(state: str, place: Place, label: str) -> str:
    """``state`` if it can be a predicate: an identifier in ASCII that is not reserved."""
    if len(state) > MAX_STATE_CHARACTERS or not _STATE.fullmatch(state):
        raise place.error(
            f"{_shortened(state)} is not a state name: expected letters, digits and '_', not "
            f"starting with a digit, at most {MAX_STATE_CHARACTERS}. Rename it, or leave it out",
            label,
        )
    if state in _RESERVED:
        raise place.error(f"{state!r} cannot be a state: the name is reserved", label)
    return state


def _whole_numbers(data: Raw, place: Place, label: str) -> list[int]:
    """A list of integers, also if some are written as 2.0.

    A part of a pixel is refused: an object is visible from a share of the picture on, which would
    fall on either side if the number was rounded.
    """
    try:
        return _BOX.decode(data)
    except msgspec.DecodeError:
        pass
    try:
        numbers = _NUMBERS.decode(data)
    except msgspec.DecodeError:
        return _decode(_BOX, data, place, label)  # its message expects what the layout has
    for k, number in enumerate(numbers):
        if isinstance(number, float) and not number.is_integer():
            shown = _CONSTANTS.get(number, repr(number))
            raise place.error(
                f"expected a whole number of pixels, found {shown}. Write an integer",
                f"{label}[{k}]",
            )
    return [int(number) for number in numbers]


def _text_of(raw: RawFrame) -> memoryview | bytes:
    """The JSON of ``raw``, with numbers in place of ``NaN`` and ``Infinity``.

    Errors: :class:`RecordingError` if it is not UTF-8: the decoder looks at the text of known
    fields only.
    """
    try:
        text = str(raw.body, "utf-8")
    except UnicodeDecodeError as error:
        raise raw.place.error(f"is not UTF-8: {error}") from None
    if "NaN" not in text and "Infinity" not in text:
        return raw.body
    return _TOKEN.sub(_standing_in, text).encode()


def _standing_in(token: re.Match[str]) -> str:
    number = _STAND_INS.get(token[0])
    return token[0] if number is None else f" {number} "


def _decode(
    decoder: "msgspec.json.Decoder[_T]",
    data: memoryview | bytes | Raw,
    place: Place,
    within: str = "",
) -> _T:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        found = _LOCATION.fullmatch(str(error))
        message, name = (found["message"], found["field"]) if found else (str(error), "")
        missing = _MISSING.fullmatch(message)
        if missing:
            name = f"{name}.{missing['field']}".lstrip(".")
            message = f"is missing. {_ADVICE.get(missing['field'], 'Write it')}"
        joint = "." if within and name and not name.startswith("[") else ""
        raise place.error(message.replace("`", ""), f"{within}{joint}{name}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # In a text with replacements, offsets are not those of the file.
        reason = _BYTE.sub("", str(error)) if isinstance(data, bytes) else str(error)
        raise place.error(f"is not valid JSON: {reason}", within) from None


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
