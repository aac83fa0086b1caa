"""A page with questions, and who may see it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from answers.people.made_questions import image_store, pictures, questions
from answers.people.page_server import Client, serving

from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import paper_plan
from enact_assets.answers.people.store import LEAD, Store


@dataclass
class Site:
    """``tokens`` of two annotators and of the lead."""

    store: Store
    port: int
    tokens: tuple[str, str, str]
    folder: Path

    def client(self, k: int = 0) -> Client:
        return Client(self.port, self.tokens[k])


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Site]:
    images = image_store(tmp_path)
    store = Store(str(tmp_path / "people.db"))
    invited = [store.invite(f"<b>Ada {k}</b>", PERSON) for k in range(2)]
    lead = store.invite("lead", LEAD)
    names = [id_ for id_, _ in invited]
    load_plan(store, paper_plan(questions(pictures(images)), names, 0, overlap=9), "baseline")
    with serving(store, images, requests_per_s=1000.0) as port:
        yield Site(store, port, (invited[0][1], invited[1][1], lead[1]), tmp_path)
