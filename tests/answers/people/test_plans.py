"""Plans of assignment deal evenly, however many annotators and demonstrations there are."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.people.content import ShownQuestion
from enact_assets.answers.people.plans import Assigned, paper_plan


def asked(kind: str, length: int, n: int, n_demonstrations: int) -> list[ShownQuestion]:
    """Questions of one stratum, about demonstrations in turn."""
    return [
        ShownQuestion(
            f"{kind}_{length}_{k}", "baseline", "order", kind, length,
            f"clip_{k % n_demonstrations}", {}, (), ((1, 2),), "0" * 64,
        )
        for k in range(n)
    ]  # fmt: skip


def own_parts(plan: Assigned) -> list[list[ShownQuestion]]:
    """What each annotator is assigned besides what all are."""
    n = Counter(question.version for part in plan.of_annotator.values() for question in part)
    of = plan.of_annotator
    return [[q for q in part if len(of) == 1 or n[q.version] < len(of)] for part in of.values()]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


@given(
    n_annotators=st.integers(1, 6),
    n_demonstrations=st.integers(1, 30),
    sizes=st.lists(st.integers(0, 90), min_size=1, max_size=5),
    overlap=st.sampled_from([None, 0, 1, 7]),
)
def test_parts_differ_by_at_most_one(
    n_annotators: int, n_demonstrations: int, sizes: list[int], overlap: int | None
) -> None:
    """public K4: one film and two annotators gave one of them everything."""
    questions = [
        question
        for length, n in enumerate(sizes, start=3)
        for question in asked("forward", length, n, n_demonstrations)
    ]
    names = [f"person_{k}" for k in range(1, n_annotators + 1)]
    plan = paper_plan(questions, names, 0, overlap)
    parts = own_parts(plan)
    assert spread([len(part) for part in plan.of_annotator.values()]) <= 1
    for length in range(3, 3 + len(sizes)):
        assert spread([sum(q.length == length for q in part) for part in parts]) <= 1
    # Nobody is left with other demonstrations than everybody else.
    for k in range(n_demonstrations):
        of = [sum(q.demonstration == f"clip_{k}" for q in part) for part in parts]
        assert spread(of) <= 2 + len(sizes)
    everything = {q.version for q in (*plan.practice, *(q for part in parts for q in part))}
    shared = {q.version for q in next(iter(plan.of_annotator.values()))}
    assert everything | shared == {q.version for q in questions}
