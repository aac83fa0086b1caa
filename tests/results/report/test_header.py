"""The first lines of a report, and what cards say of their questions."""

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest
from report_pages import Html, grey_picture, published
from sql.tiny_lake import TABLE, publish_on, tiny_rows, write_lake

from enact_assets.engine.errors import WarehouseError
from enact_assets.results.publication import (
    PACKAGED,
    PUBLICATION,
    Publication,
    publication_now,
    publication_of,
)
from enact_assets.results.published import published_provenance
from enact_assets.results.report.browse_links import MAX_RAW, browse_address, shortened
from enact_assets.results.report.overview import header
from enact_assets.results.report.page import render
from enact_assets.results.report.rows import read_rows
from enact_assets.results.report.wrong_answers import wrong_answers
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

MADE = Publication(
    date="2031-02-03T04:05:06+00:00",
    registry="my/registry.yaml",
    registry_sha="0123456789abcdef" * 4,
    seeds={"questions": 7, "noise of loud": 3},
    profiles={"state": "paper", "contact": "paper", "official": "release"},
    versions={"enact_assets": "9.9", "mitsuba": "3.9"},
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    """Published as the asset does, with what held at that time."""
    found = DataRoot(tmp_path_factory.mktemp("root"), None)
    lake = write_lake(found.lake, tiny_rows())
    publish_on(lake, found.warehouse, said={PUBLICATION: MADE.encoded()})
    return found


@pytest.mark.slow
def test_the_header_says_what_held_when_the_rows_were_published(root: DataRoot) -> None:
    facts = dict(header(read_rows(root.warehouse), publication_of(root.warehouse)))
    assert facts == {
        "Published": "2031-02-03 04:05:06 UTC",
        "Registry": "my/registry.yaml, SHA-256 0123456789ab",
        "Seeds": "questions: 7, noise of loud: 3",
        "Versions": "enact_assets 9.9, mitsuba 3.9; profile paper for gating state, contact; "
        "profile release for gating official",
        "Covers": "variant baseline: 5 questions about 2 demonstrations of 2 activities, "
        "on 7 key frames; 1 of 10 answers of 2 models and references are missing",
    }
    html = Html(render((), "title", facts=tuple(facts.items())))
    assert all(text in html.said for text in facts.values())
    rows = read_rows(root.warehouse)
    rows.of["asked"] = rows["asked"].select(pl.all().clip(upper_bound=1))
    covers = dict(header(rows, None))["Covers"]
    assert "1 question about 1 demonstration of 1 activity, on 1 key frame; " in covers


def said_otherwise(root: DataRoot, path: Path, value: str | None) -> Path:
    """A copy of the warehouse that says ``value`` of its publication, or nothing."""
    shutil.copy(root.warehouse, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("delete from meta.published where key = ?", [PUBLICATION])
        if value is not None:
            connection.execute("insert into meta.published values (?, ?)", [PUBLICATION, value])
    return path


@pytest.mark.slow
def test_a_warehouse_of_an_older_version_says_so(root: DataRoot, tmp_path: Path) -> None:
    path = said_otherwise(root, tmp_path / "older.duckdb", None)
    [first, _] = header(read_rows(path), publication_of(path))
    assert first == ("Published", "unknown: this warehouse was published by an older version")
    with pytest.raises(WarehouseError, match="Publish again"):
        publication_of(said_otherwise(root, tmp_path / "other.duckdb", "{}"))


@pytest.mark.slow
def test_what_held_is_no_part_of_the_content(root: DataRoot, tmp_path: Path) -> None:
    again = published(tmp_path, tiny_rows())
    assert published_provenance(again.warehouse) == published_provenance(root.warehouse)


def test_what_holds_now_can_be_read_back(
    root: DataRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = load_registry()
    now = publication_now(registry)
    assert publication_of(said_otherwise(root, tmp_path / "now.duckdb", now.encoded())) == now
    assert now.registry == PACKAGED
    assert now.seeds["questions"] == 0
    assert now.seeds["noise of random_perturbations_2"] == 2
    assert now.profiles["state"] == "paper"
    mine = tmp_path / "mine.yaml"
    monkeypatch.setenv("ENACT_REGISTRY", str(mine))
    # Steps of a command read a copy.
    mine.write_bytes(DEFAULT_REGISTRY.read_bytes())
    copied = publication_now(registry)
    assert copied == replace(now, date=copied.date)
    mine.write_bytes(b"# other\n")
    other = publication_now(registry)
    assert other.registry == "mine.yaml"
    assert other.registry_sha != now.registry_sha


@pytest.mark.slow
def test_a_card_names_its_question_raw_answer_and_page(root: DataRoot) -> None:
    rows = read_rows(root.warehouse)
    cards = [part for part in wrong_answers(rows, grey_picture).parts if part.part == "example"]
    card = next(card for card in cards if "guesser" in card.title and TABLE in card.title)
    facts = dict(card.facts)
    [question, official] = facts["Question"]
    assert question in {"f3", "i1"}
    assert official.startswith(f"{TABLE}_")
    assert facts["Raw answer of the model"] in {("[2, 1, 3]",), ("[1, 2, 3]",)}
    assert card.link == (
        f"http://127.0.0.1:3030/question/{question}?variant=baseline&model=guesser"
    )
    said = Html(render((wrong_answers(rows, grey_picture),), "t"))
    assert card.link in [a["href"] for a in said.of("a")]
    assert "enact-assets browse" in said.said


def test_links_and_answers_of_others_are_quoted_and_cut() -> None:
    assert browse_address("a/b?c d", "v&w").endswith("/question/a/b%3Fc%20d?variant=v%26w")
    assert shortened("x" * (MAX_RAW + 1_234)) == "x" * MAX_RAW + "… (1,234 more characters)"
    assert shortened("x" * MAX_RAW) == "x" * MAX_RAW
