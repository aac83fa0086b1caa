"""The pages: a Starlette application on one data root, served until interrupted.

It is served on the loopback address only.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from enact_assets.engine.errors import (
    EnactError,
    MissingPartitionError,
    UnknownNameError,
)
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.sites import guards, templates_in
from enact_assets.results.browse.answers_shown import OUTCOMES, RIGHT, alike
from enact_assets.results.browse.boards import read_board
from enact_assets.results.browse.demonstrations import list_demonstrations, read_demonstration
from enact_assets.results.browse.question_lists import (
    Choices,
    Wanted,
    choices,
    list_questions,
    unknown,
)
from enact_assets.results.browse.questions_shown import read_question
from enact_assets.results.published import OpenWarehouse, default_variant
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import kind_in_words

TEMPLATES = Path(__file__).parent / "templates"
FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
"""Pictures are named by their content."""
MAX_PAGE_DIGITS = 9
MAX_NAMED = 6
"""Most models that a row of a list names; the question's page has all."""
_SHA = re.compile(r"[0-9a-f]{64}")


def site(root: DataRoot) -> Starlette:
    """All pages of a data root. They show the warehouse as it is at each request."""
    pages = _Pages(root)
    routes = [
        Route("/", pages.board),
        Route("/questions", pages.questions),
        Route("/question/{question_id:path}", pages.question),
        Route("/demonstrations", pages.demonstrations),
        Route("/demonstration/{name}", pages.demonstration),
        Route("/picture/{sha}.png", pages.picture),
        Route("/style.css", pages.style),
    ]
    return Starlette(
        routes=routes,
        middleware=guards(),
        exception_handlers={HTTPException: pages.failed, EnactError: pages.failed},
    )


class _Pages:
    """One method for each page; Starlette runs them in threads."""

    def __init__(self, root: DataRoot) -> None:
        self._ask = OpenWarehouse(root.warehouse)
        self._images = ImageStore(root.images)
        self._templates = templates_in(TEMPLATES)
        self._templates.filters["percent"] = _percent
        self._templates.filters["number"] = "{:,}".format
        self._templates.filters["kind_in_words"] = kind_in_words
        self._templates.globals["link"] = link

    def board(self, request: Request) -> Response:
        """The leaderboard of a variant."""
        variant = request.query_params.get("variant") or default_variant(self._ask)
        there = self._choices(variant)
        rows = read_board(self._ask, variant)
        return self._page(
            "board.html", variant=variant, choices=there, outcomes=OUTCOMES, rows=rows
        )

    def questions(self, request: Request) -> Response:
        """A list of questions."""
        asked = request.query_params
        wanted = Wanted(
            variant=asked.get("variant") or default_variant(self._ask),
            activity=asked.get("activity") or None,
            demonstration=asked.get("demonstration") or None,
            kind=asked.get("kind") or None,
            length=_number(asked.get("length")),
            model=asked.get("model") or None,
            outcome=asked.get("outcome") or None,
        )
        there = self._choices(wanted.variant)
        absent = unknown(wanted, there)
        page = list_questions(self._ask, wanted, _number(asked.get("page")) or 1)
        return self._page(
            "questions.html",
            status=404 if absent else 200,
            absent=absent,
            wanted=wanted,
            choices=there,
            outcomes=OUTCOMES,
            page=page,
            named=MAX_NAMED,
            turned=lambda number: link(request.url.path, {**asked, "page": number}),
        )

    def question(self, request: Request) -> Response:
        """A question with all its answers; those of ``model``, or the first wrong, are open."""
        asked = request.query_params
        id_, model = request.path_params["question_id"], asked.get("model") or None
        question = read_question(self._ask, id_, asked.get("variant") or None)
        groups = alike(question.answers)
        opened = [group for group in groups if model in {answer.model for answer in group}]
        if model is None:
            opened = [group for group in groups if group[0].outcome != RIGHT][:1]
        return self._page(
            "question.html", question=question, groups=groups, opened=opened, model=model
        )

    def demonstrations(self, _request: Request) -> Response:
        """All demonstrations."""
        return self._page("demonstrations.html", rows=list_demonstrations(self._ask))

    def demonstration(self, request: Request) -> Response:
        """The key frames of a demonstration."""
        asked = request.query_params
        found = read_demonstration(
            self._ask,
            request.path_params["name"],
            asked.get("variant") or None,
            asked.get("gating") or None,
        )
        return self._page("demonstration.html", demonstration=found)

    def picture(self, request: Request) -> Response:
        """A picture by its SHA-256."""
        sha = request.path_params["sha"]
        if not _SHA.fullmatch(sha):
            raise HTTPException(404)
        png = self._images.read_png(sha)
        return Response(png, media_type="image/png", headers=FOREVER)

    @staticmethod
    def style(_request: Request) -> Response:
        """The style sheet."""
        return Response((TEMPLATES / "style.css").read_bytes(), media_type="text/css")

    def failed(self, _request: Request, error: Exception) -> Response:
        """The error as a page."""
        if isinstance(error, HTTPException):
            return self._page("message.html", error.status_code, message=error.detail)
        is_absent = isinstance(error, (UnknownNameError, MissingPartitionError))
        return self._page("message.html", 404 if is_absent else 500, message=str(error))

    def _choices(self, variant: str) -> Choices:
        there = choices(self._ask, variant)
        if there.variants and variant not in there.variants:
            raise UnknownNameError.of("variant", variant, there.variants)
        return there

    def _page(self, template: str, status: int = 200, **shown: Any) -> Response:
        return HTMLResponse(self._templates.get_template(template).render(shown), status)


def link(path: str, asked: Mapping[str, Any] | None = None, **more: Any) -> str:
    """An address of a page; parameters without a value are left out."""
    pairs = {name: value for name, value in {**(asked or {}), **more}.items() if value is not None}
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _number(text: str | None) -> int | None:
    """Errors: ``HTTPException`` 400 for a text that is not a positive number."""
    if not text:
        return None
    if not text.isdecimal() or not text.isascii() or len(text) > MAX_PAGE_DIGITS:
        raise HTTPException(400, f"Not a number: {text[:40]!r}")
    return int(text)


def _percent(fraction: float | None) -> str:
    return "\N{EN DASH}" if fraction is None else f"{100 * fraction:.1f} %"
