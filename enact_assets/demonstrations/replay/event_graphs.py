"""Per-event scene graphs as JSON lines: after each event, the things at each place.

The shape of public annotations of kitchen videos: ``{"time": 12.4, "action": "take", "object":
"knife", "scene_graph": {"counter": ["bowl"], "right hand": ["knife"]}}``. A graph is complete:
facts that it no longer lists have ended. The meaning of a place follows from its name; the first
line can define it where that is not enough. Actions are used only for opening and switching;
everything else is in the graphs.
"""

import json
import re
from typing import Any

from enact_assets.demonstrations.replay.annotation import (
    PREDICATES,
    AnnotatedObject,
    Annotation,
    Change,
    Operation,
)
from enact_assets.demonstrations.replay.annotation_json import (
    check_fields,
    is_a,
    is_texts,
    moment_of,
)
from enact_assets.demonstrations.replay.json_lines import parse_json
from enact_assets.settings.predicates import CATALOGUE, EXISTS, ROBOT

HEADER_FIELDS = ("activity", "places", "categories")
EVENT_FIELDS = ("time", "frame", "action", "object", "scene_graph")
GRASPING = ("LeftGrasping", "RightGrasping", "Grasping")
AT_PLACE = tuple(p for p in PREDICATES if p != EXISTS and CATALOGUE[p].arity == 2)
"""Meanings of a place for a thing at it."""
HANDS = {"left_hand": "LeftGrasping", "right_hand": "RightGrasping"}
ENCLOSING = frozenset(
    (
        *("bag", "basket", "bin", "bottle", "bowl", "box", "cabinet", "can", "cup", "cupboard"),
        *("dishwasher", "drawer", "freezer", "fridge", "glass", "jar", "kettle", "microwave"),
        *("mug", "oven", "pan", "pot", "refrigerator", "saucepan", "sink", "toaster", "washer"),
    )
)
SUPPORTING = frozenset(
    (
        *("bed", "bench", "board", "burner", "chair", "counter", "countertop", "desk", "floor"),
        *("hob", "mat", "plate", "rack", "shelf", "stool", "stove", "table", "tray", "worktop"),
    )
)
ACTIONS = {
    "open": ("add", "Open"),
    "close": ("remove", "Open"),
    "turn_on": ("add", "ToggledOn"),
    "switch_on": ("add", "ToggledOn"),
    "turn_off": ("remove", "ToggledOn"),
    "switch_off": ("remove", "ToggledOn"),
}
"""Action -> its effect on its object."""

Fact = tuple[str, str, str]


def read_events(text: str) -> Annotation:
    """The annotation in ``text``, with its ``problems``.

    A thing that is opened or closed for the first time was the other before. Things exist all
    along; both hands may hold one. ``null`` as action or object is as good as none.
    """
    annotation = Annotation()
    events: list[tuple[int, dict[str, Any]]] = []
    header: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = parse_json(line)
        except ValueError as error:
            annotation.tell("not_json", number, "", reason=getattr(error, "msg", str(error)))
            continue
        if not is_a(annotation, number, "", entry, dict):
            continue
        if not events and not header and not set(entry) & set(EVENT_FIELDS):
            header = entry if _is_header(annotation, number, entry) else {}
        elif _is_event(annotation, number, entry):
            events.append((number, entry))
    if not events and not annotation.problems:
        annotation.tell("empty", 0, "")
    annotation.activity = header.get("activity")
    _Things(annotation, header).follow(events)
    return annotation


class _Things:
    """The current facts while events are processed."""

    def __init__(self, annotation: Annotation, header: dict[str, Any]) -> None:
        self._annotation = annotation
        self._places = {_name(p): meaning for p, meaning in header.get("places", {}).items()}
        self._categories = {_name(n): c for n, c in header.get("categories", {}).items()}
        self._listed: set[str] = set()
        self._refused: set[str] = set()
        self._held: dict[Fact, int] = {}
        self._states: dict[tuple[str, str], bool] = {}
        self._before: tuple[float, str] | None = None
        self._list(ROBOT, "agent", 0)

    def follow(self, events: list[tuple[int, dict[str, Any]]]) -> None:
        """Turn events, each with its line, into changes."""
        for line, event in events:
            n_before = len(self._annotation.problems)
            frame, time_s = moment_of(self._annotation, line, "", event)
            now = time_s if time_s is not None else frame
            if len(self._annotation.problems) > n_before:
                continue
            if now is not None:
                self._check_order(line, float(now), "time" if time_s is not None else "frame")
            graph = self._graph(line, event["scene_graph"])
            for fact in [f for f in self._held if f not in graph]:
                del self._held[fact]
                self._annotation.changes.append(Change(line, frame, time_s, "remove", *fact))
            for fact in [f for f in graph if f not in self._held]:
                self._held[fact] = line
                self._annotation.changes.append(Change(line, frame, time_s, "add", *fact))
            self._act(line, frame, time_s, event)

    def _graph(self, line: int, graph: dict[str, list[str]]) -> dict[Fact, None]:
        facts: dict[Fact, None] = {}
        place_of: dict[str, tuple[str, str | None]] = {}
        for place, things in graph.items():
            if not things:
                continue  # the meaning of an empty place does not matter
            meaning = self._meaning(line, place)
            for thing in things:
                name = _name(thing)
                first, before = place_of.get(name, ("", None))
                is_in_both_hands = {meaning, before} <= set(GRASPING) and meaning != before
                if name in place_of and not is_in_both_hands:
                    self._annotation.tell(
                        "two_places", line, "scene_graph", found=thing, first=first, second=place
                    )
                    continue
                place_of[name] = place, meaning
                self._list(name, None, line)
                if meaning in GRASPING:
                    facts[meaning, ROBOT, name] = None
                elif meaning is not None:
                    self._list(_name(place), None, line)
                    facts[meaning, name, _name(place)] = None
        return facts

    def _meaning(self, line: int, place: str) -> str | None:
        name = _name(place)
        words = _stem(name).split("_")
        if name in self._places:
            return str(self._places[name])
        if name in HANDS:
            return HANDS[name]
        if words[-1] in ENCLOSING:
            return "Inside"
        if words[-1] in SUPPORTING:
            return "OnTop"
        if name not in self._refused:
            self._refused.add(name)
            found_json = json.dumps(place, ensure_ascii=False)
            self._annotation.tell(
                "unknown_place", line, "scene_graph", found=place, found_json=found_json
            )
        return None

    def _act(
        self, line: int, frame: int | None, time_s: float | None, event: dict[str, Any]
    ) -> None:
        found = ACTIONS.get(_name(event.get("action") or ""))
        thing = _name(event.get("object") or "")
        if thing:
            self._list(thing, None, line)
        if found is None or not thing:
            return
        operation, predicate = found
        was = self._states.get((thing, predicate))
        is_now = operation == "add"
        self._states[thing, predicate] = is_now
        if was is None and not is_now:
            self._annotation.changes.append(
                Change(line, 0, None, "add", predicate, thing, is_assumed=True)
            )
        if was is not is_now:
            operation_now: Operation = "add" if is_now else "remove"
            self._annotation.changes.append(
                Change(line, frame, time_s, operation_now, predicate, thing)
            )

    def _list(self, name: str, category: str | None, line: int) -> None:
        if name not in self._listed:
            self._listed.add(name)
            category = category or self._categories.get(name) or _stem(name)
            self._annotation.objects.append(AnnotatedObject(line, name, category))

    def _check_order(self, line: int, now: float, unit: str) -> None:
        if self._before is not None and self._before[1] == unit and now < self._before[0]:
            before = self._before[0]
            self._annotation.tell(
                "out_of_order", line, unit, found=f"{now:g}", before=f"{before:g}"
            )
        self._before = (now, unit)


def _is_header(annotation: Annotation, line: int, entry: dict[str, Any]) -> bool:
    is_good = check_fields(annotation, line, "", entry, known=HEADER_FIELDS)
    if "activity" in entry:
        is_good &= is_a(annotation, line, "activity", entry["activity"], str)
    for name in ("places", "categories"):
        if name not in entry:
            continue
        if not is_a(annotation, line, name, entry[name], dict):
            return False
        meanings: dict[str, str] = {}
        for key, value in entry[name].items():
            is_good &= is_a(annotation, line, f"{name}.{key}", value, str)
            first = meanings.setdefault(_name(key), value)
            if first != value:
                annotation.tell(
                    "two_meanings", line, f"{name}.{key}", found=key, first=first, second=value
                )
                is_good = False
            if name == "places" and isinstance(value, str) and value not in AT_PLACE:
                known = ", ".join(AT_PLACE)
                annotation.tell("bad_place", line, f"places.{key}", found=value, known=known)
                is_good = False
    return is_good


def _is_event(annotation: Annotation, line: int, entry: dict[str, Any]) -> bool:
    is_good = check_fields(annotation, line, "", entry, known=EVENT_FIELDS, needed=("scene_graph",))
    for name in ("action", "object"):
        is_good &= entry.get(name) is None or is_a(annotation, line, name, entry[name], str)
    graph = entry.get("scene_graph", {})
    if not is_a(annotation, line, "scene_graph", graph, dict):
        return False
    for place, things in graph.items():
        is_good &= is_texts(annotation, line, f"scene_graph.{place}", things)
    return is_good


def _name(text: str) -> str:
    """``"Right Hand "`` -> ``"right_hand"``."""
    return re.sub(r"[\s_-]+", "_", text.strip().lower())


def _stem(name: str) -> str:
    """The name without the number at its end: ``bowl_2``, ``bowl:2`` -> ``bowl``."""
    return re.sub(r"[_#.:]*\d+$", "", name) or name
