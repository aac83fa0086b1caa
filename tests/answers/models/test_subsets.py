"""Declared parts of the questions: nested, balanced, kept in a file."""

from collections import Counter
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.models.subsets import declare_subsets, first_questions, subset_sizes
from enact_assets.engine.errors import SettingsError

STRATA = st.tuples(st.sampled_from(["forward", "inverse"]), st.integers(3, 6))


@given(st.lists(STRATA, max_size=40), st.integers(1, 45), st.integers(1, 45), st.randoms())
def test_a_smaller_part_lies_in_a_larger_one_and_is_balanced(strata, one, other, random) -> None:
    rows = [(f"q{k}", kind, length, k // 3) for k, (kind, length) in enumerate(strata)]
    columns = {"question_id": pl.String, "kind": pl.String, "length": pl.Int64, "place": pl.Int64}
    asked = pl.DataFrame(rows, columns, orient="row")
    few, many = (first_questions(asked, n) for n in sorted([one, other]))
    assert few.height == min(one, other, asked.height)
    assert set(few["question_id"]) <= set(many["question_id"])
    random.shuffle(rows)
    assert first_questions(pl.DataFrame(rows, columns, orient="row"), few.height).equals(few)
    assert first_questions(asked, 10**20).height == asked.height
    found = Counter(few.select("kind", "length").iter_rows())
    there = Counter(strata)
    # Whoever has questions left has as many in the part as the others, or one fewer.
    open_ = [found[stratum] for stratum in there if found[stratum] < there[stratum]]
    assert max(found.values(), default=0) - min(open_, default=max(found.values(), default=0)) <= 1


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 400), st.integers(1, 400))
def test_a_variant_is_asked_what_the_baseline_is_asked(n_all, n_probed, of_all, of_probed) -> None:
    """Probes compare a question with itself: by draws of both, few questions had two answers."""
    rows = [
        (f"{kind}{length}{place}", kind, length, place)
        for kind, length in product(("forward", "inverse"), (3, 6))
        for place in range(1, n_all + 1)
    ]
    asked = pl.DataFrame(rows, ["question_id", "kind", "length", "place"], orient="row")
    whole = first_questions(asked, of_all)
    probed = first_questions(asked.filter(pl.col("place") <= n_probed), of_probed)
    shared = whole.join(probed, on="question_id", how="semi")
    n_shared = {key: len(group) for key, group in shared.group_by("kind", "length")}
    for key, group in whole.group_by("kind", "length"):
        theirs = probed.filter(kind=key[0], length=key[1]).height
        assert n_shared.get(key, 0) == min(len(group), theirs)


def test_the_file_keeps_what_was_declared(tmp_path: Path) -> None:
    assert subset_sizes(tmp_path) == {}
    declare_subsets(tmp_path, {"a": 400, "b": 400})
    declare_subsets(tmp_path, {"b": None})
    declare_subsets(tmp_path, {"c": 5})
    declare_subsets(tmp_path, {})
    assert subset_sizes(tmp_path) == {"a": 400, "c": 5}
    (tmp_path / "subsets.yaml").write_text("a: 0")
    with pytest.raises(SettingsError, match=r"subsets\.yaml.*Repair it"):
        subset_sizes(tmp_path)
