"""The pages: a Starlette application on one data root, served until interrupted.

It is served on the loopback address only.
"""

import re
from pathlib import Path
from typing import Any

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
from enact_assets.engine.sites import CONTENT_POLICY, guards, templates_in
from enact_assets.results.browse.answers_shown import FILTERS, RIGHT, UNREAD, alike
from enact_assets.results.browse.boards import read_board
from enact_assets.results.browse.demonstrations import list_demonstrations, read_demonstration
from enact_assets.results.browse.question_lists import (
    Choices,
    choices,
    list_questions,
    place_in_list,
    unknown,
)
from enact_assets.results.browse.questions_shown import read_question
from enact_assets.results.browse.site.addresses import (
    COMPARE,
    has_references,
    link,
    number,
    parameters,
    wanted_of,
)
from enact_assets.results.published import (
    OpenWarehouse,
    default_variant,
    published_provenance,
)
from enact_assets.results.report.browse_links import PUBLISHED, leading_to
from enact_assets.results.report_files import REPORT_FILE
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import kind_in_words

TEMPLATES = Path(__file__).parent / "templates"
FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
"""Pictures are named by their content."""
MAX_NAMED = 6
"""Most models that a row of a list names; the question's page has all."""
STYLED_HERE = CONTENT_POLICY.replace("style-src 'self'", "style-src 'unsafe-inline'")
"""For the report and first looks: each is one file that holds its style."""
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
        Route("/report", pages.report),
        Route("/first_look/{name}", pages.first_look),
        Route("/style.css", pages.style),
        Route("/browse.js", pages.script),
    ]
    return Starlette(
        routes=routes,
        middleware=guards(),
        exception_handlers={HTTPException: pages.failed, EnactError: pages.failed},
    )


class _Pages:
    """One method for each page; Starlette runs them in threads."""

    def __init__(self, root: DataRoot) -> None:
        self._root = root
        self._ask = OpenWarehouse(root.warehouse)
        self._images = ImageStore(root.images)
        self._templates = templates_in(TEMPLATES)
        self._templates.filters["percent"] = _percent
        self._templates.filters["number"] = "{:,}".format
        self._templates.filters["kind_in_words"] = kind_in_words
        self._templates.globals["link"] = link
        self._templates.globals["data_root"] = str(root.root)
        self._templates.globals["has_report"] = (root.report / REPORT_FILE).is_file

    def board(self, request: Request) -> Response:
        """The leaderboard of a variant."""
        variant = request.query_params.get("variant") or default_variant(self._ask)
        there = self._choices(variant)
        shows_references = has_references(request.query_params)
        rows = read_board(self._ask, variant, has_references=shows_references)
        return self._page(
            "board.html",
            variant=variant,
            choices=there,
            filters=FILTERS,
            unread=UNREAD,
            rows=rows,
            has_references=shows_references,
            first_looks=self._first_looks(),
        )

    def questions(self, request: Request) -> Response:
        """A list of questions."""
        asked = request.query_params
        wanted = wanted_of(asked, asked.get("variant") or default_variant(self._ask))
        there = self._choices(wanted.variant)
        absent = unknown(wanted, there)
        page = list_questions(self._ask, wanted, number(asked.get("page")) or 1)
        return self._page(
            "questions.html",
            status=404 if absent else 200,
            absent=absent,
            wanted=wanted,
            choices=there,
            filters=FILTERS,
            page=page,
            named=MAX_NAMED,
            kept=parameters(wanted),
            turned=lambda to: link(request.url.path, {**asked, "page": to}),
        )

    def question(self, request: Request) -> Response:
        """A question with all its answers, and its place in the list that the address names.

        Answers of ``model``, or the first wrong one, are open. Models to compare, or the two models
        that the list is about, have their answers in columns.
        """
        asked = request.query_params
        question = read_question(
            self._ask, request.path_params["question_id"], asked.get("variant") or None
        )
        wanted = wanted_of(asked, question.variant)
        model = wanted.model
        compared = [name for name in dict.fromkeys(asked.getlist(COMPARE)) if name]
        if not compared and model is not None and wanted.other is not None:
            compared = list(dict.fromkeys([model, wanted.other]))
        shown = [a for a in question.answers if wanted.has_references or not a.is_reference]
        groups = alike(shown)
        opened = [group for group in groups if model in {answer.model for answer in group}]
        if model is None:
            opened = [group for group in groups if group[0].outcome != RIGHT][:1]
        columns = [a for name in compared for a in question.answers if a.model == name]
        return self._page(
            "question.html",
            question=question,
            groups=groups,
            opened=[] if columns else opened,
            model=model,
            models=sorted({(a.is_reference, a.model) for a in shown}),
            compared=compared,
            columns=columns,
            wanted=wanted,
            kept=parameters(wanted),
            place=place_in_list(self._ask, wanted, question.question_id),
            is_of_other=self._is_of_other(asked.get(PUBLISHED)),
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

    def report(self, _request: Request) -> Response:
        """The report, with links to questions that lead here, whichever port this is."""
        return self._written(self._root.report / REPORT_FILE, "the report")

    def first_look(self, request: Request) -> Response:
        """A page on the first answers of a model, with links that lead here."""
        name = request.path_params["name"]
        if name not in self._first_looks():
            raise HTTPException(404, f"There is no page on first answers called {name[:100]!r}.")
        return self._written(self._root.first_looks / f"{name}.html", "first answers")

    def _first_looks(self) -> list[str]:
        return sorted(path.stem for path in self._root.first_looks.glob("*.html"))

    @staticmethod
    def _written(path: Path, what: str) -> Response:
        try:
            html = path.read_text("utf-8")
        except OSError as error:
            raise HTTPException(404, f"{path}: {what} cannot be read. Make it again.") from error
        policy = {"content-security-policy": STYLED_HERE}
        return HTMLResponse(leading_to(html, ""), headers=policy)

    @staticmethod
    def script(_request: Request) -> Response:
        """The script: keys, and pictures enlarged."""
        return Response((TEMPLATES / "browse.js").read_bytes(), media_type="text/javascript")

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

    def _is_of_other(self, published: str | None) -> bool:
        """Whether a link comes from a report about other content than what is published now."""
        if not published:
            return False
        now, _ = published_provenance(self._root.warehouse)
        return now is not None and not now.startswith(published)

    def _choices(self, variant: str) -> Choices:
        there = choices(self._ask, variant)
        if there.variants and variant not in there.variants:
            raise UnknownNameError.of("variant", variant, there.variants)
        return there

    def _page(self, template: str, status: int = 200, **shown: Any) -> Response:
        return HTMLResponse(self._templates.get_template(template).render(shown), status)


def _percent(fraction: float | None) -> str:
    return "\N{EN DASH}" if fraction is None else f"{100 * fraction:.1f} %"
