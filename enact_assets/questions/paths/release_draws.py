"""Profile ``release``: the very draws of the public release, from one generator of Python.

The release builds its pair graph anew for each length and kind, with the same seed, so the numbers
drawn before the first trajectory are the same every time: they are passed over once and the state
of the generator is used again. Forward and inverse questions of one length consume the same numbers
and so come from the same trajectories, wordings and shuffles; only inverse ones are thinned out
afterwards. Source: definitions.md R13.
"""

import random
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from enact_assets.engine.errors import SettingsError, TrajectoryError
from enact_assets.questions.paths.counting import CountedPaths, path_counts_of
from enact_assets.settings.arrays import Ints
from enact_assets.settings.profile import Profile, ReleaseRules

if TYPE_CHECKING:
    from enact_assets.questions.key_frames.component_index import ComponentIndex
    from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex

GetRandBits = Callable[[int], int]

_WORD = 32
"""Bits the generator makes at a time."""


@dataclass(frozen=True)
class Draw:
    """One trajectory with what was drawn for its questions.

    ``wordings[t]`` holds the wording, from 0, of each state that appears in step t and then of each
    that ends. ``shown[k]`` is the step, from 0, whose next state or action is labelled k + 1.
    """

    key_frames: tuple[int, ...]
    wordings: tuple[tuple[int, ...], ...]
    shown: tuple[int, ...]


@dataclass(frozen=True)
class LengthDraws:
    """What is drawn for one length: trajectories in order of first appearance, and questions.

    ``forward`` and ``inverse`` are in the order in which questions come out. If every picture is
    there, forward questions are made of all trajectories and inverse ones of some of the same.
    """

    length: int
    paths: tuple[tuple[int, ...], ...]
    forward: tuple[Draw, ...]
    inverse: tuple[Draw, ...]

    def of_kind(self, kind: str) -> tuple[Draw, ...]:
        """Draws of ``kind``, forward or inverse."""
        return self.inverse if kind == "inverse" else self.forward


def draw_release(
    counts: CountedPaths,
    n_draws: Ints,
    wanted: int,
    profile: Profile,
    has_picture: Sequence[bool] | None = None,
) -> list[LengthDraws]:
    """The trajectories, wordings and shuffles of one demonstration, for every length of it.

    ``n_draws`` (M, M, 2) are the states that appear, and that end, and are worded between two key
    frames; only i < j is read. Up to ``wanted`` trajectories of each length, fewer if fewer exist
    or the attempts are used up. Lengths without a trajectory are left out. Weights are exact where
    the release's overflow 64 bits; up to 2^53 paths the draws are the same. ``has_picture`` (M,)
    says which key frames have one, by default all: without one there is no question, and what the
    release draws before it notices is drawn here too.

    Errors: :class:`TrajectoryError` if ``n_draws`` is not of these key frames.
    """
    rules = rules_of(profile)
    n = counts.n_key_frames
    if n_draws.shape != (n, n, 2):
        raise TrajectoryError(
            f"n_draws has shape {n_draws.shape}; {n} key frames take ({n}, {n}, 2). Graph and "
            "changes are of different key frames: make both from the same tables."
        )
    generator = random.Random(rules.seed)  # noqa: S311 - sampling, not secrecy
    pass_over_choices(generator.getrandbits, int(n_draws[np.triu_indices(n, 1)].sum()))
    state = generator.getstate()
    walks, states = _Walks(counts), n_draws.tolist()
    found = []
    for length in profile.lengths:
        if length > counts.max_length or not (total := counts.total(length)):
            continue
        generator.setstate(state)
        paths = _distinct(walks, length, min(wanted, total), generator, rules)
        drawn = generator.getstate()
        forward = _questions(paths, states, generator, rules, _pictured_forward(has_picture))
        if has_picture is None or all(has_picture):
            thinned = forward
        else:
            # The release asks for pictures at another moment, so the numbers drawn part ways.
            generator.setstate(drawn)
            seen = [path for path in paths if all(has_picture[k] for k in path)]
            thinned = _questions(seen, states, generator, rules)
        n_kept = min(rules.max_inverse_questions, len(thinned))
        inverse = generator.sample(thinned, n_kept)
        found.append(LengthDraws(length, tuple(paths), tuple(forward), tuple(inverse)))
    return found


def draws_of(
    segmented_frames: pl.DataFrame,
    transition_graph: pl.DataFrame,
    index: "ReleaseDeltaIndex",
    wanted: int,
    profile: Profile,
    *,
    has_picture: Sequence[bool] | None = None,
) -> tuple[CountedPaths, list[LengthDraws]]:
    """:func:`draw_release` from the tables of one demonstration and gating, with its path counts.

    No draws at all if the release fails on any two key frames: see :func:`why_no_questions`.
    """
    counts = path_counts_of(segmented_frames, transition_graph, profile)
    n = counts.n_key_frames
    return counts, draws_between(
        n, transition_graph, index, wanted, profile, has_picture=has_picture
    )


def draws_between(
    n_key_frames: int,
    transition_graph: pl.DataFrame,
    index: "ReleaseDeltaIndex",
    wanted: int,
    profile: Profile,
    *,
    has_picture: Sequence[bool] | None = None,
) -> list[LengthDraws]:
    """The same without path counts, for tables that were checked to belong together."""
    n = n_key_frames
    if n == 0 or why_no_questions(index) is not None:
        return []
    if index.n_key_frames > n:
        raise TrajectoryError(
            f"scene graphs or visibility know {index.n_key_frames} key frames, segmented_frames "
            f"{n}. Materialize segmented_frames and what follows again."
        )
    pairs = np.stack(np.triu_indices(index.n_key_frames, 1), axis=1).astype(np.int64)
    n_draws = np.zeros((n, n, 2), np.int64)
    n_draws[pairs[:, 0], pairs[:, 1]] = index.n_draws(pairs)
    # Trajectories and questions are made one after the other, of the same draws.
    edges = np.ascontiguousarray(
        transition_graph.select("key_frame_from", "key_frame_to").to_numpy(), np.int64
    )
    content = (edges.tobytes(), n_draws.tobytes())
    pictured = None if has_picture is None else tuple(has_picture)
    return list(_draw_again(n, content, wanted, profile, pictured))


@lru_cache(maxsize=1)
def _draw_again(
    n: int,
    content: tuple[bytes, bytes],
    wanted: int,
    profile: Profile,
    has_picture: tuple[bool, ...] | None,
) -> tuple[LengthDraws, ...]:
    """:func:`draw_release` by content (edges, states to be worded): the last draws are kept."""
    pairs = np.frombuffer(content[0], np.int64).reshape(-1, 2)
    counts = CountedPaths.of(n, pairs, profile.max_length)
    states = np.frombuffer(content[1], np.int64).reshape(n, n, 2)
    return tuple(draw_release(counts, states, wanted, profile, has_picture))


def why_no_questions(index: "ComponentIndex") -> str | None:
    """Why no question at all is written for a demonstration; None if questions are.

    The release fails on one change between an earlier and a later key frame, whether or not a
    question needs it, and then has nothing for any length or kind
    (definitions.md R13; probable bug 6).
    """
    failure = index.first_failure()
    if failure is None:
        return None
    i, j, _ = failure
    return (
        f"{index.failure_text(i, j)}. The public release then asks no question about the whole "
        "demonstration"
    )


def release_index(index: "ComponentIndex | None", profile: Profile) -> "ReleaseDeltaIndex":
    """``index`` if it is of profile ``release``; raises :class:`TrajectoryError` otherwise."""
    from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex

    if not isinstance(index, ReleaseDeltaIndex):
        raise TrajectoryError(
            f"profile {profile.name!r} draws a number for each change between any two key frames: "
            f"give an index of its own class, not {type(index).__name__}"
        )
    return index


def rules_of(profile: Profile) -> ReleaseRules:
    """The release's own constants. Errors: :class:`SettingsError` for another profile.

    The numbers of wordings must be powers of two, as they are: see :func:`pass_over_choices`.
    """
    rules = profile.release_constants
    for n in (rules.added_wordings, rules.removed_wordings):
        if n < 1 or n & (n - 1):
            raise SettingsError(f"profile {profile.name!r}: {n} wordings are no power of two")
    return rules


def choose(getrandbits: GetRandBits, n: int) -> int:
    """What ``random.choice`` of n things picks, as a number from 0; consumes the same numbers."""
    n_bits = n.bit_length()
    value = getrandbits(n_bits)
    while value >= n:
        value = getrandbits(n_bits)
    return value


def pass_over_choices(getrandbits: GetRandBits, n: int) -> None:
    """Consume what n calls of ``random.choice`` of 1, 2, 4, 8, ... things consume, at once.

    Such a choice draws 32-bit words until one has its top bit clear, however many things there are.
    ``getrandbits(32 n)`` is n of these words, so of n choices as many remain as words have the bit.
    """
    while n:
        words = getrandbits(_WORD * n)
        n = (words & int.from_bytes(b"\0\0\0\x80" * n, "little")).bit_count()


class _Walks:
    """Weighted backtracking with ``random.choices`` (definitions.md R13, step 2)."""

    def __init__(self, counts: CountedPaths) -> None:
        self._counts = counts
        self._weights = [[], *(counts.ending(n) for n in range(1, counts.max_length + 1))]
        self._cumulated: dict[tuple[int, int], tuple[Sequence[int], list[int]]] = {}

    def draw(self, length: int, uniform: Callable[[], float]) -> tuple[int, ...]:
        """One path, from its end: ``length`` numbers of [0, 1) are consumed."""
        sink = self._counts.n_key_frames
        path = [sink]
        for step in range(length, 0, -1):
            choices, cumulated = self._shares(step, path[-1])
            # The float, and the last choice as a bound against rounding, are Python's own.
            at = bisect(cumulated, uniform() * (cumulated[-1] + 0.0), 0, len(choices) - 1)
            path.append(choices[at])
        return tuple(path[:0:-1])

    def _shares(self, step: int, node: int) -> tuple[Sequence[int], list[int]]:
        """Predecessors of ``node`` and the sums of their weights; all key frames for the sink."""
        found = self._cumulated.get((step, node))
        if found is None:
            weights = self._weights[step]
            choices: Sequence[int] = range(len(weights))
            if node < len(weights):
                choices = [k for k in self._counts.predecessors(node) if weights[k]]
            found = choices, list(accumulate(weights[k] for k in choices))
            self._cumulated[step, node] = found
        return found


def _distinct(
    walks: _Walks, length: int, wanted: int, generator: random.Random, rules: ReleaseRules
) -> list[tuple[int, ...]]:
    """Up to ``wanted`` distinct paths in order of first appearance."""
    found: dict[tuple[int, ...], None] = {}
    for _ in range(rules.attempts_per_trajectory * wanted):
        if len(found) == wanted:
            break
        found[walks.draw(length, generator.random)] = None
    return list(found)


Sight = Callable[[tuple[int, ...]], tuple[bool, bool]]
"""Of a path: whether anything is drawn for it, and whether it becomes a question."""


def _pictured_forward(has_picture: Sequence[bool] | None) -> Sight:
    """The first picture is looked for before any draw, the others after all of them."""
    if has_picture is None:
        return lambda _: (True, True)
    return lambda path: (has_picture[path[0]], all(has_picture[k] for k in path))


def _questions(
    paths: list[tuple[int, ...]],
    n_draws: list[list[list[int]]],
    generator: random.Random,
    rules: ReleaseRules,
    sight: Sight = lambda _: (True, True),
) -> list[Draw]:
    """Wordings and shuffle of each path in turn."""
    getrandbits = generator.getrandbits
    n_added, n_removed = rules.added_wordings, rules.removed_wordings
    draws = []
    for path in paths:
        is_drawn, is_asked = sight(path)
        if not is_drawn:
            continue
        wordings = []
        for i, j in pairwise(path):
            added, removed = n_draws[i][j]
            drawn = [choose(getrandbits, n_added) for _ in range(added)]
            drawn += [choose(getrandbits, n_removed) for _ in range(removed)]
            wordings.append(tuple(drawn))
        shown = list(range(len(path) - 1))
        generator.shuffle(shown)
        if is_asked:
            draws.append(Draw(path, tuple(wordings), tuple(shown)))
    return draws
