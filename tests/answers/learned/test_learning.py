"""What learning rests on, against slow twins: regression, best orders, picture features."""

from itertools import permutations

import numpy as np
import pytest

from enact_assets.answers.learned.models import best_assignment
from enact_assets.answers.learned.picture_features import (
    DIRECTIONS,
    GRID,
    N_FEATURES,
    PICTURE_PX,
    features_of,
    scaled,
)
from enact_assets.answers.learned.precedence_kernels import likeliest_order
from enact_assets.answers.learned.read_facts import PROGRESS, Change, Fact
from enact_assets.answers.learned.ridge import SHRINK, STRENGTH, Moments, fit, moments_of, stacked
from enact_assets.answers.learned.training import Step, targets_of

N_COLUMNS = 12
CLOSED, OPEN = Change(Fact("Open", "fridge", None), -1), Change(Fact("Open", "fridge", None), 1)
TAKEN = Change(Fact("RightGrasping", "robot", "mug"), 1)
LIFTED = Change(Fact("OnTop", "mug", "table"), -1)
PUT = Change(Fact("OnTop", "plate", "table"), 1)
READINGS = ["Open(fridge)", "OnTop(*)", "OnTop(mug, table)", PROGRESS]


def steps_of(seed: int, n_key_frames: int) -> list[Step]:
    """Some pairs in order; one key frame that no step joins."""
    draw = np.random.default_rng(seed)
    changes = [(OPEN,), (CLOSED, TAKEN), (LIFTED, PUT), (LIFTED, OPEN)]
    pairs = [(i, j) for i in range(n_key_frames - 1) for j in range(i + 1, n_key_frames - 1)]
    return [Step(i, j, changes[draw.integers(4)]) for i, j in pairs if draw.random() < 0.6]


def lesson(seed: int, n_key_frames: int) -> tuple[list[Step], np.ndarray]:
    draw = np.random.default_rng(seed)
    return steps_of(seed, n_key_frames), draw.normal(size=(n_key_frames, N_COLUMNS))


def moments(steps: list[Step], features: np.ndarray) -> Moments:
    targets = targets_of(steps, len(features), is_mirrored=False)
    none = np.zeros(len(features))
    net = np.stack([targets.net.get(name, none) for name in READINGS], axis=1)
    return moments_of(features, targets.joined, net)


def test_weights_are_those_of_the_equations_step_by_step() -> None:
    """A wrong sum, a lost step or another penalty reads something else in every picture."""
    lessons = [lesson(1, 7), lesson(2, 9)]
    found = fit(stacked([moments(*one) for one in lessons]))
    rows, wanted = [], []
    for steps, features in lessons:
        for step in steps:
            rows.append(features[step.end] - features[step.start])
            facts = {str(change) for change in step.changes}
            on_top = ("+OnTop(plate, table)" in facts) - ("-OnTop(mug, table)" in facts)
            is_open = ("+Open(fridge)" in facts) - ("-Open(fridge)" in facts)
            lifted = -("-OnTop(mug, table)" in facts)
            share = (step.end - step.start) / len(features)
            wanted.append([is_open, on_top, lifted, share])
    x, y = np.array(rows), np.array(wanted, float)
    gram = x.T @ x
    penalty = STRENGTH * np.trace(gram) / N_COLUMNS
    weights = np.linalg.solve(gram + penalty * np.eye(N_COLUMNS), x.T @ y)
    usual = np.sqrt(((x @ weights) ** 2).mean(axis=0)) + 1e-6
    assert found == pytest.approx(weights / usual**SHRINK, abs=1e-5)


def test_a_known_gram_matrix_changes_nothing() -> None:
    """Transfer takes its blocks out of one that is computed once."""
    found = stacked([moments(*lesson(3, 8)), moments(*lesson(4, 5))])
    assert fit(found, found.rows @ found.rows.T) == pytest.approx(fit(found))


def test_without_steps_nothing_is_read() -> None:
    """A demonstration in which nothing visible changes must not stop the training."""
    none = moments([], np.ones((3, N_COLUMNS)))
    assert none.n_steps == 0
    assert not fit(none).any()


def test_one_step_changes_a_reading_by_one_at_most_and_hands_swap_in_the_mirror() -> None:
    """Two things put down at once are one rise of `OnTop(*)`."""
    put_two = Step(0, 2, (PUT, Change(Fact("OnTop", "mug", "table"), 1), TAKEN))
    plain = targets_of([put_two], 3, is_mirrored=False)
    assert plain.net["OnTop(*)"].tolist() == [-1, 0, 1]
    assert plain.net[PROGRESS] == pytest.approx([-2 / 3, 0, 2 / 3])
    assert plain.net["RightGrasping(robot, *)"].tolist() == [-1, 0, 1]
    mirrored = targets_of([put_two], 3, is_mirrored=True)
    assert mirrored.net["LeftGrasping(robot, mug)"].tolist() == [-1, 0, 1]
    assert not any(name.startswith("Right") for name in mirrored.net)
    assert plain.joined.tolist() == [[False, False, True], [False] * 3, [True, False, False]]


@pytest.mark.parametrize("n", range(1, 7))
def test_the_likeliest_order_is_the_best_of_all(n: int) -> None:
    """A sort by mean odds is nearly right and not what is claimed."""
    odds = np.random.default_rng(n).normal(size=(n, n))

    def total(order: tuple[int, ...]) -> float:
        return sum(odds[a, b] for at, a in enumerate(order) for b in order[at + 1 :])

    found = tuple(likeliest_order(odds).tolist())
    assert sorted(found) == list(range(n))
    assert total(found) == pytest.approx(max(map(total, permutations(range(n)))))


def test_an_assignment_gains_most_and_takes_each_column_once() -> None:
    gain = np.random.default_rng(5).normal(size=(5, 5))
    found = best_assignment(gain).tolist()
    best = max(permutations(range(5)), key=lambda p: sum(gain[r, c] for r, c in enumerate(p)))
    assert found == list(best)


EDGE = PICTURE_PX // GRID


def drawn(seed: int, size: int = PICTURE_PX) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3), np.uint8)


def slow_cell(picture: np.ndarray, row: int, column: int) -> list[float]:
    """The 14 features of one cell."""
    x = picture / 255
    inside = [
        (i, j)
        for i in range(row * EDGE, (row + 1) * EDGE)
        for j in range(column * EDGE, (column + 1) * EDGE)
    ]
    colours = np.array([x[i, j] for i, j in inside])
    squares = [0.0] * DIRECTIONS
    for i, j in inside:
        dx = x[i, j + 1] - x[i, j - 1] if 0 < j < PICTURE_PX - 1 else np.zeros(3)
        dy = x[i + 1, j] - x[i - 1, j] if 0 < i < PICTURE_PX - 1 else np.zeros(3)
        best = int(np.hypot(dx, dy).argmax())
        turn = (np.arctan2(dy[best], dx[best]) + np.pi) / (2 * np.pi)
        squares[int(turn * DIRECTIONS) % DIRECTIONS] += float(np.hypot(dx[best], dy[best]))
    return [*colours.mean(axis=0), *colours.std(axis=0), *np.sqrt(np.array(squares) / EDGE**2)]


@pytest.mark.parametrize("cell", [(0, 0), (7, 3), (GRID - 1, GRID - 1)])
def test_features_of_a_cell_are_its_colours_and_edges(cell: tuple[int, int]) -> None:
    """Cells that are swapped, shifted or mirrored read another part of the picture."""
    picture = drawn(1)
    (found,) = features_of(picture[None])
    assert found.shape == (N_FEATURES,)
    parts = np.split(found, [3 * GRID**2, 6 * GRID**2])
    by_cell = [p.reshape(GRID, GRID, -1)[cell] for p in parts]
    assert np.concatenate(by_cell) == pytest.approx(slow_cell(picture, *cell), abs=2e-5)


def test_a_picture_of_512_px_is_the_mean_of_four_by_four() -> None:
    """Models are trained at 128 px and asked at 512. It is rounded twice."""
    large = drawn(2, 4 * PICTURE_PX)
    means = large.reshape(PICTURE_PX, 4, PICTURE_PX, 4, 3).mean(axis=(1, 3))
    assert np.abs(scaled(large) - means).max() <= 1
    small = drawn(3)
    assert scaled(small) is small
