"""Ambiguities that make a step of a question hard to recognise, although its answer is right.

Solvers who saw only the pictures and the sentences reported these. ``ambiguous_changes`` finds
them, ``question_ambiguities`` counts them by question, and a question set can leave them out.
"""

UNTOLD, HAND_NEAR = "untold", "hand_near"
AMBIGUITIES: dict[str, str] = {
    "two_of_a_name": "a change that is named takes place with two things of one name, such as "
    "both halves of a fruit",
    "another_has_it": "what is said to end holds on, or what is said to begin held before, with "
    "another thing of the name",
    UNTOLD: "a change that is not named, of things that show in one of the two pictures",
    "unseen": "a change that is not named, of a thing that shows in neither picture",
    HAND_NEAR: "a hand that let go of a thing just before the picture, or takes hold of it just "
    "after, hides a quarter of it or more",
    "hidden_content": "a content that is named shows little of itself in its vessel",
    "small": "a thing that is named covers less than a thousandth of a picture",
    "cloth": "folded cloth is named while cloth of another name shows: no label tells them apart",
}
"""Name -> meaning."""

SMALL_FRACTION = 0.001
"""Of the picture: 16 px squared of 512 px squared."""
HIDDEN_SHARE = 0.1
"""Pixels of a content over those of its vessel."""
HAND_HIDES_SHARE = 0.25
"""Pixels that a thing shows less than in the next picture of it at the same place."""
HAND_NEAR_FRAMES = 30
"""A second: as long as an arm needs to be clear of what it let go of."""
CLOTH = frozenset({"towel", "shirt", "trousers", "socks"})
"""Categories."""
