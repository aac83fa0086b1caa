"""The pages: one question at a time. An answer is durable before the next question is shown."""

import json
import secrets
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from enact_assets.answers.people.database import Row
from enact_assets.answers.people.page.clip_films import can_film, clip_film, film_reply
from enact_assets.answers.people.page.guards import Limit, check_origin, without_remarks
from enact_assets.answers.people.page.lead import lead_tables
from enact_assets.answers.people.question_forms import (
    FORMS,
    PARTS,
    RefusedFormError,
    clips_of,
    feedback,
    seen_content,
    to_labels,
    to_seen,
)
from enact_assets.answers.people.store import LEAD, Annotator, Store, Submission
from enact_assets.engine.errors import EnactError, PeopleError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.sites import guards, templates_in

HERE = Path(__file__).parent
COOKIE = "annotator"
COOKIE_S = 90 * 86_400
MAX_FIELDS = 64
MAX_COMMENT = 500
MAX_MS_DIGITS = 9
KEPT_PICTURES = 256
"""Pictures that stay in memory, and films; those of a question are sent to several annotators."""
STATIC = {"page.css": "text/css", "order.js": "text/javascript"}
NO_STORE = {"cache-control": "no-store"}
PRIVATE = {"cache-control": "private, max-age=86400, immutable"}

REASONS: Mapping[str, str] = {
    "same": "Some pictures look the same to me",
    "unseen": "I cannot see what matters",
    "text": "I do not understand a sentence",
    "several": "More than one answer is right",
    "other": "Something else (please say what)",
}


def sent_answer(form: Mapping[str, str], row: Row) -> tuple[list[int] | None, str | None]:
    """The answer in labels, or the reason why there is none. Errors: ``RefusedFormError``."""
    if form.get("done") == "cannot":
        if form.get("reason") not in REASONS:
            raise RefusedFormError("Say why you cannot tell.")
        if form["reason"] == "other" and not form.get("comment", "").strip():
            raise RefusedFormError("Say in the comment why you cannot tell.")
        return None, form["reason"]
    seen = FORMS[row["type"]].parse(form, json.loads(row["content"]))
    return to_labels(seen, json.loads(row["shuffle"])), None


def shown_content(row: Row) -> dict[str, Any]:
    """The content of a question as its annotator sees it, pictures by address and size."""
    media = json.loads(row["media"])
    content = seen_content(json.loads(row["content"]), json.loads(row["shuffle"]))

    def part(found: Mapping[str, Any]) -> dict[str, Any]:
        pictures = [
            {"url": f"/picture/{row['id']}/{k}", "width": media[k][1], "height": media[k][2]}
            for k in found["media"]
        ]
        is_film = bool(found.get("is_clip")) and can_film()
        film = f"/film/{row['id']}/{found['media'][0]}" if is_film else ""
        return {"is_clip": False, **found, "media": pictures, "film": film}

    return {**content, **{name: [part(each) for each in content[name]] for name in PARTS}}


def kept_fields(row: Row) -> dict[str, str]:
    """The form as it was last sent."""
    fields = {"comment": row["comment"] or "", "reason": row["reason"] or ""}
    if row["answer"] is not None:
        seen = to_seen(json.loads(row["answer"]), json.loads(row["shuffle"]))
        fields |= FORMS[row["type"]].fields(seen)
    return fields


def annotation_site(
    store: Store,
    images: ImageStore,
    *,
    public_names: tuple[str, ...] = (),
    requests_per_s: float = 20.0,
) -> Starlette:
    """All pages. With ``public_names``, which an HTTPS proxy answers to, cookies are sent by HTTPS
    alone. Each annotator may make ``requests_per_s``, and twenty times as many at once.
    """
    pages = _Pages(store, images, requests_per_s, is_public=bool(public_names))
    routes = [
        Route("/", pages.home),
        Route("/next", pages.next),
        Route("/join/{token}", pages.join),
        Route("/question/{id}", pages.question),
        Route("/question/{id}", pages.answer, methods=["POST"]),
        Route("/question/{id}/feedback", pages.feedback),
        Route("/picture/{id}/{number:int}", pages.picture),
        Route("/film/{id}/{number:int}", pages.film),
        Route("/lead", pages.lead),
        Route("/static/{name}", pages.static),
    ]
    return Starlette(
        routes=routes,
        middleware=guards(public_names),
        exception_handlers={HTTPException: pages.failed, EnactError: pages.failed},
    )


class _Pages:
    """One method for each page; Starlette runs them in threads."""

    def __init__(self, store: Store, images: ImageStore, per_s: float, *, is_public: bool) -> None:
        self._store, self._is_public = store, is_public
        self._requests, self._tries = Limit(per_s, round(20 * per_s)), Limit(0.2, 10)
        self._png = lru_cache(KEPT_PICTURES)(lambda sha: without_remarks(images.read_png(sha)))
        self._film = lru_cache(KEPT_PICTURES)(lambda shas: clip_film([*map(self._png, shas)]))
        self._templates = templates_in(HERE / "templates")

    def join(self, request: Request) -> Response:
        """The link that an annotator was sent: it becomes a cookie."""
        token = request.path_params["token"]
        found = self._annotator(request, token)
        response = RedirectResponse("/lead" if found.role == LEAD else "/", 303)
        # A cookie that is `strict` gets lost in the redirect after a link in a mail.
        response.set_cookie(
            *(COOKIE, token),
            max_age=COOKIE_S,
            httponly=True,
            samesite="lax",
            secure=self._is_public,
        )
        return response

    def home(self, request: Request) -> Response:
        """Instructions and progress."""
        person = self._person(request)
        due = self._store.due(person)
        rows = self._store.assignments(person.id)
        types, progress = {row["type"] for row in rows}, self._progress(person, due, rows)
        solved = [r["id"] for r in rows if r["is_practice"] and r["revision"] is not None]
        types = types or {"order"}
        return self._page("home.html", due=due, progress=progress, types=types, solved=solved)

    def next(self, request: Request) -> Response:
        """The next question."""
        due = self._store.due(self._person(request))
        return RedirectResponse("/" if due is None else f"/question/{due['id']}", 303)

    def question(self, request: Request) -> Response:
        """One question, with the last answer to it."""
        person = self._person(request)
        row = self._row(request, person)
        self._store.shown(row)
        return self._question(person, row, kept_fields(row))

    async def answer(self, request: Request) -> Response:
        """Keep an answer, then show the next question."""
        check_origin(request)
        text = (await request.body()).decode(errors="replace")
        try:
            form = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
        except ValueError as error:
            raise HTTPException(400, f"A form has {MAX_FIELDS} fields at most.") from error
        return await run_in_threadpool(self._keep, request, form)

    def feedback(self, request: Request) -> Response:
        """The right answer, after a practice question was answered."""
        row = self._row(request, self._person(request))
        if not row["is_practice"] or row["revision"] is None:
            raise HTTPException(404, "Only practice questions that you answered have feedback.")
        shuffle, told = json.loads(row["shuffle"]), None
        key = self._store.key(row)
        if row["answer"] is not None:
            told = feedback(json.loads(row["answer"]), key, shuffle)
        right = told.right if told else tuple(to_seen(key[0], shuffle))
        reasons = self._store.reasons(row)
        return self._page(
            "feedback.html",
            row=row,
            content=shown_content(row),
            told=told,
            right=right,
            reasons=[reasons[label - 1] for label in shuffle] if reasons else [],
        )

    def picture(self, request: Request) -> Response:
        """A picture by its number, as a name or date could reveal its place."""
        row = self._row(request, self._person(request), is_due=False)
        media, number = json.loads(row["media"]), request.path_params["number"]
        if number >= len(media):
            raise HTTPException(404, "There is no such picture.")
        return Response(self._png(media[number][0]), media_type="image/png", headers=PRIVATE)

    def film(self, request: Request) -> Response:
        """The clip whose first picture has this number, as a film."""
        row = self._row(request, self._person(request), is_due=False)
        media, content = json.loads(row["media"]), json.loads(row["content"])
        for part in clips_of(content) if can_film() else ():
            if part["media"][0] == request.path_params["number"]:
                shas = tuple(media[k][0] for k in part["media"])
                return film_reply(request, self._film(shas), PRIVATE)
        raise HTTPException(404, "There is no such film.")

    def lead(self, request: Request) -> Response:
        """Progress of all annotators, and agreement so far; ``?without=few`` leaves answers of
        annotators out who gave too few.
        """
        if self._annotator(request).role != LEAD:
            raise HTTPException(403, "This page needs the link of a lead.")
        is_enough_only = request.query_params.get("without") == "few"
        tables = lead_tables(self._store, is_enough_only=is_enough_only)
        return self._page("lead.html", tables=tables)

    @staticmethod
    def static(request: Request) -> Response:
        """The style sheet or the script."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404, "There is no such file.")
        return Response((HERE / "static" / name).read_bytes(), media_type=STATIC[name])

    def failed(self, _request: Request, error: Exception) -> Response:
        """The error as a page; paths in our own errors are left out."""
        if isinstance(error, HTTPException):
            return self._page(
                "message.html", error.status_code, error.headers, message=error.detail
            )
        message = "The server cannot read or write. Try again; what you saved is kept."
        return self._page("message.html", 503, message=message)

    def _annotator(self, request: Request, token: str | None = None) -> Annotator:
        found = self._store.annotator(token or request.cookies.get(COOKIE, ""))
        if found is None:
            self._tries.count(request.client.host if request.client else "")
            raise HTTPException(403, "This link is not valid. Open the link that you were sent.")
        self._requests.count(found.id)
        return found

    def _person(self, request: Request) -> Annotator:
        found = self._annotator(request)
        if found.role == LEAD:
            raise HTTPException(403, "The link of a lead has no questions.")
        return found

    def _row(self, request: Request, person: Annotator, *, is_due: bool = True) -> Row:
        row = self._store.assignment(person.id, request.path_params["id"])
        if row is None:
            raise HTTPException(404, "You have no such question.")
        if is_due and not self._store.is_due(row):
            raise HTTPException(404, "Answer the questions before this one first.")
        return row

    def _keep(self, request: Request, form: Mapping[str, str]) -> Response:
        person = self._person(request)
        row = self._row(request, person)
        ms = form.get("active_ms", "")
        try:
            if row["is_practice"] and row["revision"] is not None:
                raise RefusedFormError("You have seen the answer to this practice question.")
            answer, reason = sent_answer(form, row)
        except RefusedFormError as error:
            return self._question(person, row, form, str(error), 422)
        comment = form.get("comment", "").strip()[:MAX_COMMENT]
        sent = Submission(
            # The same form twice is one answer; changed after a step back it is another.
            content_sha([row["id"], form.get("submission", ""), answer, reason, comment]),
            answer,
            reason,
            comment,
            int(ms) if ms.isascii() and ms.isdigit() and len(ms) <= MAX_MS_DIGITS else 0,
        )
        try:
            self._store.save(row, sent)
        except PeopleError:
            problem = "Your answer was not saved: the server cannot write. Save again in a minute."
            return self._question(person, row, form, problem, 503)
        then = f"/question/{row['id']}/feedback" if row["is_practice"] else "/next"
        return RedirectResponse(then, 303)

    def _question(
        self,
        person: Annotator,
        row: Row,
        form: Mapping[str, str],
        problem: str = "",
        status: int = 200,
    ) -> Response:
        rows = self._store.assignments(person.id)
        before = [r for r in rows if r["position"] < row["position"] and not r["is_practice"]]
        after = next((r for r in rows if r["position"] > row["position"]), None)
        prefetched = range(len(json.loads(after["media"]))) if after else ()
        return self._page(
            "question.html",
            status,
            row=row,
            content=shown_content(row),
            form=form,
            problem=problem,
            reasons=REASONS,
            submission=secrets.token_urlsafe(12),
            progress=self._progress(person, row, rows),
            previous=before[-1] if before else None,
            prefetched=[f"/picture/{after['id']}/{k}" for k in prefetched] if after else [],
        )

    def _progress(
        self, person: Annotator, row: Row | None, rows: list[Row] | None = None
    ) -> dict[str, Any]:
        """Of practice, or of all questions after it."""
        rows = self._store.assignments(person.id) if rows is None else rows
        is_practice = row is not None and bool(row["is_practice"])
        mine = [r for r in rows if bool(r["is_practice"]) == is_practice]
        is_pool = any(r["leased_until"] is not None for r in mine)
        ids = [r["id"] for r in mine]  # rows differ in when the question was first shown
        number = ids.index(row["id"]) + 1 if row is not None and row["id"] in ids else len(mine)
        return {
            "is_practice": is_practice,
            "number": number,
            "n": person.quota if is_pool else len(mine),
            "is_at_most": is_pool,
            "n_answered": sum(r["revision"] is not None for r in mine),
        }

    def _page(
        self,
        template: str,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **shown: Any,
    ) -> Response:
        text = self._templates.get_template(template).render(shown)
        return HTMLResponse(text, status, headers={**NO_STORE, **(headers or {})})
