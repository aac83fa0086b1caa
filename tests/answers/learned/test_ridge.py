"""Ridge regression on steps against the same equations written out step by step."""

import numpy as np
import pytest

from enact_assets.answers.learned.read_facts import PROGRESS, Change, Fact
from enact_assets.answers.learned.ridge import SHRINK, STRENGTH, Moments, fit, moments_of, stacked
from enact_assets.answers.learned.training import Step, targets_of

N_FEATURES = 12
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
    return steps_of(seed, n_key_frames), draw.normal(size=(n_key_frames, N_FEATURES))


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
    penalty = STRENGTH * np.trace(gram) / N_FEATURES
    weights = np.linalg.solve(gram + penalty * np.eye(N_FEATURES), x.T @ y)
    usual = np.sqrt(((x @ weights) ** 2).mean(axis=0)) + 1e-6
    assert found == pytest.approx(weights / usual**SHRINK, abs=1e-5)


def test_a_known_gram_matrix_changes_nothing() -> None:
    """Transfer takes its blocks out of one that is computed once."""
    found = stacked([moments(*lesson(3, 8)), moments(*lesson(4, 5))])
    assert fit(found, found.rows @ found.rows.T) == pytest.approx(fit(found))


def test_without_steps_nothing_is_read() -> None:
    """A demonstration in which nothing visible changes must not stop the training."""
    none = moments([], np.ones((3, N_FEATURES)))
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
