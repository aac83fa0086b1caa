"""The lists of mutants fit the code: a fault that cannot be planted would count as noticed."""

import pytest
from mutants.run import AREAS, Mutant, problems, read_mutants

MUTANTS = [mutant for area in AREAS for mutant in read_mutants(area)]


def test_every_mutant_can_be_planted() -> None:
    assert [problem for mutant in MUTANTS for problem in problems(mutant)] == []
    names = [(mutant.area, mutant.name) for mutant in MUTANTS]
    assert len(names) == len(set(names)) >= 60


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"old": "no such text"}, "is in enact_assets/engine/planning/lineage.py 0 times"),
        ({"old": "import"}, "times"),
        ({"file": "enact_assets/gone.py"}, "there is no file enact_assets/gone.py"),
        ({"tests": ("tests/gone.py",)}, "there is no test file tests/gone.py"),
        ({"tests": ()}, "no test is named"),
        ({"new": 'NEVER = "never materialized"'}, "are equal"),
    ],
)
def test_a_mutant_that_does_not_fit_is_refused(change: dict[str, object], what: str) -> None:
    fitting = {
        "area": "lineage",
        "name": "other words",
        "file": "enact_assets/engine/planning/lineage.py",
        "old": 'NEVER = "never materialized"',
        "new": 'NEVER = "not there"',
        "tests": ("tests/pipeline/lineage",),
    }
    assert problems(Mutant(**fitting)) == []  # type: ignore[arg-type]
    [problem] = problems(Mutant(**{**fitting, **change}))  # type: ignore[arg-type]
    assert what in problem
    assert "lineage.toml, 'other words'" in problem
