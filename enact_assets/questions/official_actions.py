"""What the sentences of an official question say, as components, as far as they can be read.

Read are the wordings of the published data set and our own of profile ``release``. A sentence of
any other form says nothing here: models get the text all the same.
"""

import re
from collections.abc import Sequence

from enact_assets.contracts.components import Component, Operation
from enact_assets.questions.release_wording import OBJECT_STATES, PAIR_STATES

_ACTION = re.compile(r"^\[Action ([1-9][0-9]?)\] (.+?)\s*$", re.MULTILINE)

_PUBLISHED_PAIRS = {
    "attached to": "AttachedTo",
    "containing": "Contains",
    "covered by": "Covered",
    "draped over": "Draped",
    "filled with": "Filled",
    "on top of and touching": "OnTop",
    "saturated with": "Saturated",
    "touching": "Touching",
    "using the left gripper to grasp": "LeftGrasping",
    "using the right gripper to grasp": "RightGrasping",
}
_PUBLISHED_STATES = {"turned on": "ToggledOn"}


def _pair_patterns() -> list[tuple[re.Pattern[str], str]]:
    """What is said of two objects, the longest first: "on top of and touching" has "touching"."""
    phrases = [(f"{words} {{O}}", name) for words, name in _PUBLISHED_PAIRS.items()]
    phrases += [(words.replace("{o}", "{O}"), name) for name, words in PAIR_STATES.items()]
    patterns = []
    for words, name in sorted(phrases, key=lambda phrase: -len(phrase[0])):
        before, after = map(re.escape, words.lower().split("{o}"))
        patterns.append((re.compile(f"{before}(?:the )?(?P<other>.+?){after}"), name))
    return patterns


_PAIRS = _pair_patterns()
_STATES = {words.lower(): name for name, words in OBJECT_STATES.items()} | _PUBLISHED_STATES
_SAID: Sequence[tuple[str, Operation | None]] = (
    # The published wording, then ours; None: a state that comes about, or a transition.
    ("(?:is|are) no longer", "remove"),
    ("(?:stopped|ceased) being", "remove"),
    ("(?:is|are) not(?= .* any more$)", "remove"),
    ("(?:has|have) turned into", "transition"),
    ("(?:becomes?|now becomes?|transitions? to be|changes? to be)", None),
    ("(?:is|are) now", "add"),
    ("(?:has|have) come to be", "add"),
    ("ends? up", "add"),
    ("(?:is|are)(?= .* from now on$)", "add"),
)
_VERBS = [
    (re.compile(f"the (?P<subject>.+?) {verb} (?P<state>.+)"), operation)
    for verb, operation in _SAID
]
_TAILS = re.compile(" (?:any more|from now on)$")


def actions_in(text: str, n_steps: int) -> list[str]:
    """The texts of actions 1 to ``n_steps`` that a prompt lists; none if it lists others.

    They are the last lines that begin with "[Action 1]", "[Action 2]" and so on.
    """
    found = [(int(label), said) for label, said in _ACTION.findall(text)][-n_steps:]
    if [label for label, _ in found] != list(range(1, n_steps + 1)):
        return []
    return [said for _, said in found]


def components_of(action: str) -> list[str]:
    """Components that the sentences of ``action`` say, in their order."""
    sentences = re.split(r"\.(?:\s+|$)", action)
    return [str(c) for sentence in sentences if (c := _component(sentence.strip().lower()))]


def _component(sentence: str) -> Component | None:
    for pattern, operation in _VERBS:
        found = pattern.fullmatch(sentence)
        if found is not None:
            return _of(operation, found["subject"], _TAILS.sub("", found["state"]))
    return None


def _of(operation: Operation | None, subject: str, state: str) -> Component | None:
    if operation == "transition":
        return _transition(subject, state)
    said: Operation = operation or "add"
    if state in _STATES:
        return Component(said, _STATES[state], subject)
    for pattern, name in _PAIRS:
        found = pattern.fullmatch(state)
        if found is not None:
            return Component(said, name, subject, found["other"])
    return _transition(subject, state) if operation is None and state.startswith("the ") else None


def _transition(parents: str, child: str) -> Component:
    if child == "something cooked":
        return Component("transition", "Cooked", parents.replace(" and the ", " and "))
    names = tuple(parents.split(" and the "))
    return Component.transition(names, child.removeprefix("the "))
