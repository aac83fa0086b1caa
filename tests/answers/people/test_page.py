"""The page over HTTP: who is invited, what is sent (clips too), what is refused, what is kept."""

import io
import re
import sqlite3
import time
from collections import Counter
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from answers.people.conftest import Site
from answers.people.made_questions import order_row
from answers.people.page_server import Client, form_of
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from starlette.exceptions import HTTPException
from starlette.requests import Request

from enact_assets.answers.people.answered import Answered
from enact_assets.answers.people.database import Database
from enact_assets.answers.people.page.clip_films import clip_film, film_reply
from enact_assets.answers.people.page.guards import Limit, without_remarks
from enact_assets.cli import main
from enact_assets.engine.errors import SettingsError
from enact_assets.engine.sites import listening_on
from enact_assets.questions.asked.types import type_of


def answers(page: Site) -> list[dict]:
    sql = "select * from people_answers order by received_at, revision"
    return page.store.database.read(sql)


def work_through(client: Client) -> Counter:
    """Answer all; how many pages of each kind there were."""
    seen: Counter[str] = Counter()
    while (found := client.next()) != ("", ""):
        path, text = found
        kind = "practice" if "<h1>Practice" in text else "question"
        seen[kind] += 1
        assert f"<h1>{kind.capitalize()} {seen[kind]} of " in text
        reply = client.post(path, form_of(text), Origin=f"http://127.0.0.1:{client.port}")
        assert reply.status == 303, reply.text
        if kind == "practice":
            assert client.get(reply.location).status == 200
        assert seen.total() < 60
    return seen


def test_all_questions_can_be_answered_without_a_script(page: Site) -> None:
    client = page.client()
    joined = client.get(f"/join/{page.tokens[0]}")
    assert joined.location == "/"
    assert re.search(r"annotator=.*HttpOnly; .*SameSite=lax", joined.headers["set-cookie"])
    assert "Start" in client.get("/").text
    seen = work_through(client)
    assert seen["practice"] == 4
    assert seen["question"] > 8
    assert len(answers(page)) == seen.total()
    assert "All done" in client.get("/").text
    table = Answered(page.store.database.url).table().filter(annotator="person_1")
    assert table.height == seen["question"]
    assert set(table["active_s"]) == {1.2}


def test_people_may_open_the_text_that_models_get(page: Site) -> None:
    """The message of the variant, word for word; closed at first. Others lack such a text."""
    client, seen = page.client(), set[str]()
    while (found := client.next()) != ("", ""):
        path, text = found
        row = page.store.assignment("person_1", path.rpartition("/")[2])
        seen.add(row["kind"])
        assert ('<details class="for-models">' in text) == (row["kind"] != "choose")
        if row["kind"] != "choose":
            kind, number = row["question_id"].split("_")
            question = order_row(kind, int(number), row["length"] - 1)
            wanted = [part for part in type_of(question).parts(question) if isinstance(part, str)]
            shown = re.findall("<pre>(.*?)</pre>", text, re.DOTALL)
            assert [unescape(part) for part in shown] == wanted
            assert wanted[-1] == question["prompt"]
            assert text.count(">(picture)<") == row["length"]
        client.post(path, form_of(text))
    assert seen == {"forward", "inverse", "choose"}


def test_answers_are_kept_in_labels_whatever_order_was_seen(page: Site) -> None:
    client = page.client()
    for _ in range(6):
        path, text = client.next()
        row = page.store.assignment("person_1", path.rpartition("/")[2])
        shuffle = eval(row["shuffle"])  # noqa: S307 - a list of numbers
        client.post(path, form_of(text))
        (kept,) = page.store.database.read(
            "select answer from people_answers where assignment = :id", id=row["id"]
        )
        assert eval(kept["answer"]) == (shuffle if "item_1" in text else [shuffle[1]])  # noqa: S307
        again = client.get(path).text
        for k in range(1, len(shuffle) + 1):
            if "item_1" in text:
                own = re.search(rf'name="item_{k}".*?</select>', again, re.DOTALL)[0]
                assert f"<option selected>{k}</option>" in own
            else:
                assert (f'value="{k}" checked' in again) == (k == 2)


def test_nothing_that_is_sent_gives_an_answer_a_path_or_another_person_away(page: Site) -> None:
    client, other = page.client(), page.client(1)
    secrets = {row["key"] for row in page.store.database.read("select key from people_keys")}
    names = {
        text
        for row in page.store.database.read("select * from people_questions")
        for text in (row["question_id"], row["demonstration"], row["version"], row["shown_sha"])
    }
    shas = {path.stem for path in (page.folder / "images").rglob("*.png")}
    while (found := client.next()) != ("", ""):
        path, text = found
        everything = [client.get("/").text, text]
        pictures = re.findall(r'/picture/[^"]+', text)
        for url in pictures[:: len(pictures) // 2]:
            picture = client.get(url)
            assert picture.status == 200
            assert not {"etag", "last-modified", "content-disposition"} & set(picture.headers)
            assert other.get(url).status == 404
        is_practice = "<h1>Practice" in text
        for sent in everything:
            for secret in (*names, *shas, str(page.folder), "person_2", "Ada", *page.tokens):
                assert secret not in sent
            assert not any(key in sent for key in secrets if len(key) > 8)
        if not is_practice:
            assert client.get(f"{path}/feedback").status == 404
        form = form_of(text)
        client.post(path, form)
        if is_practice:
            told = client.get(f"{path}/feedback").text
            assert "Right." in told or "you chose" in told.lower()
            assert client.post(path, form).status == 422  # one try
    assert len(secrets) > 6


def test_what_is_refused(page: Site) -> None:
    client, other = page.client(), page.client(1)
    path, text = client.next()
    while "item_1" not in text:
        client.post(path, form_of(text))
        path, text = client.next()
    form, n_before = form_of(text), len(answers(page))
    assert other.get(path).status == other.post(path, form).status == 404
    later = page.store.assignments("person_1")[9]["id"]
    assert client.get(f"/question/{later}").status == 404
    assert client.post(f"/question/{later}", form).status == 404
    assert client.get(path, Host="evil.example").status == 400
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
        assert client.post(path, form, Origin=origin).status == 403
    assert client.post(path, b"a=" + b"x" * 20_000).status == 413
    assert client.post(path, [(f"f{k}", "1") for k in range(99)]).status == 400
    for name in ("order.js/..%2f..%2fpages.py", "..%2fpages.py", "%2e%2e/pages.py", "pages.py"):
        assert client.get(f"/static/{name}").status == 404
    assert client.get(f"/picture/{path.rpartition('/')[2]}/99").status == 404
    assert client.get(f"/picture/..%2f/{0}").status == 404
    assert client.get("/lead").status == 403
    assert page.client(2).get("/next").status == 403
    told = page.client(2).get("/lead").text
    assert "person_1" in told
    assert "Below 20" in told
    assert "without annotators below 20" in page.client(2).get("/lead?without=few").text
    items = [name for name in form if name.startswith("item_")]
    for wrong, says in (
        (dict.fromkeys(items, "1"), "takes one item"),
        ({items[0]: ""}, "Not placed yet: "),
        ({items[0]: "99"}, "takes one item"),
        ({"done": "cannot"}, "Say why"),
        ({"done": "cannot", "reason": "nonsense"}, "Say why"),
        ({"done": "cannot", "reason": "other"}, "comment"),
    ):
        reply = client.post(path, form | wrong)
        assert reply.status == 422
        assert says in reply.text
    assert len(answers(page)) == n_before
    reply = client.post(path, form | {"active_ms": "9" * 40, "comment": "x" * 9000})
    assert reply.status == 303
    kept = answers(page)[-1]
    assert (kept["active_ms"], len(kept["comment"])) == (0, 500)


def test_a_link_cannot_be_guessed(page: Site) -> None:
    stranger = Client(page.port)
    found = [stranger.get(f"/join/{k}").status for k in range(12)]
    assert found[:10] == [403] * 10
    assert found[-1] == 429
    reply = stranger.get("/next")
    assert reply.status == 429
    assert int(reply.headers["retry-after"]) >= 1
    assert page.client().get("/").status == 200  # a good link still works


def test_every_reply_has_headers_that_let_a_page_do_little(page: Site) -> None:
    client = page.client()
    path, _ = client.next()
    for where in ("/", path, "/nowhere", "/static/order.js", f"/picture/{path[10:]}/0"):
        found = client.get(where).headers
        assert found["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe" not in found["content-security-policy"]
        assert found["x-content-type-options"] == "nosniff"
        assert "server" not in found
    assert client.get(path).headers["cache-control"] == "no-store"


def test_a_rate_is_refilled_and_many_clients_need_no_more_memory() -> None:
    limit = Limit(1000.0, 2)
    for _ in range(2):
        limit.count("a")
    limit._left["b"] = (-1.0, time.monotonic() + 9)
    with pytest.raises(HTTPException, match="Too many"):
        limit.count("b")
    for k in range(20_000):
        limit.count(str(k))
    assert len(limit._left) == 10_000


def test_a_comment_with_markup_is_text_and_the_step_back_can_change_an_answer(page: Site) -> None:
    client = page.client()
    path, text = client.next()
    while "<h1>Practice" in text:
        client.post(path, form_of(text))
        path, text = client.next()
    hostile = "</textarea><script>alert(1)</script>"
    form = form_of(text)
    cannot = form | {"done": "cannot", "reason": "unseen", "comment": hostile}
    assert client.post(path, cannot).status == 303
    assert client.post(path, cannot).status == 303  # sent twice
    _, after = client.next()
    assert f'href="{path}">Change the answer before' in after
    back = client.get(path).text
    assert "<script>alert" not in back
    assert 'value="unseen" checked' in back
    assert client.post(path, form).status == 303  # the same form, another answer
    (mine,) = {row["assignment"] for row in answers(page)[4:]}
    assert [row["revision"] for row in answers(page) if row["assignment"] == mine] == [0, 1]


def test_a_full_disk_is_told_and_the_order_is_still_there(
    page: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = page.client()
    path, text = client.next()
    while "item_1" not in text or "<h1>Practice" in text:
        client.post(path, form_of(text))
        path, text = client.next()
    (found,) = page.store.database.read("pragma page_count")
    connection = Database._connection

    def full(database: Database) -> sqlite3.Connection:
        opened = connection(database)
        opened.execute(f"pragma max_page_count = {found['page_count']}")
        return opened

    monkeypatch.setattr(Database, "_connection", full)
    form, n_before = form_of(text), len(answers(page))
    for n in range(99):
        reply = client.post(path, form | {"comment": f"{n} " + "x" * 490})
        if reply.status != 303:
            break
    assert reply.status == 503
    assert "was not saved" in reply.text
    assert len(re.findall(r"<option selected>\d", reply.text)) == text.count('class="put"')
    assert len(answers(page)) == n_before + n


def test_pictures_lose_what_does_not_change_their_pixels() -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (9, 7, 3), np.uint8)
    about, out = PngInfo(), io.BytesIO()
    about.add_text("Title", "key frame 7")
    exif = Image.Exif()
    exif[306] = "2026:01:01 00:00:00"
    Image.fromarray(pixels).save(out, "PNG", pnginfo=about, exif=exif)
    clean = without_remarks(out.getvalue())
    assert b"key frame" in out.getvalue()
    assert b"key frame" not in clean
    assert b"eXIf" not in clean
    with Image.open(io.BytesIO(clean)) as found:
        assert (np.asarray(found) == pixels).all()


def test_a_network_needs_https() -> None:
    with pytest.raises(SettingsError, match="public-name"), listening_on("0.0.0.0", 0, ()):  # noqa: S104
        pass
    with listening_on("0.0.0.0", 0, ("answers.example",)):  # noqa: S104
        pass


def invite(root: Path, *words: str) -> int:
    return main(["annotate", "invite", "Ada", *words, "--data", str(root)])


@pytest.mark.parametrize(
    ("words", "address", "serving"),
    [
        ((), "http://127.0.0.1:3040/join/", "`enact-assets annotate serve`"),
        (("--port", "3055"), "http://127.0.0.1:3055/join/", "serve --port 3055`"),
        (("--public-name", "answers.example.org"), "https://answers.example.org/join/", ""),
    ],
)
def test_a_link_names_the_port_of_the_page(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    address: str,
    serving: str,
) -> None:
    assert invite(tmp_path, *words) == 0
    said = capsys.readouterr().out
    assert re.search(rf"^person_1  {re.escape(address)}\S{{32,}}$", said, re.MULTILINE)
    assert serving in said
    assert ("annotate serve" in said) == bool(serving)


def test_a_link_cannot_name_any_free_port(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invite(tmp_path, "--port", "0") == 2
    assert "with the port that it prints" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def png(grey: int, width: int = 63, height: int = 48) -> bytes:
    out = io.BytesIO()
    pixels = np.full((height, width, 3), grey, np.uint8)
    pixels[10:20, 10:20] = (200, 40, 40)
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def test_a_film_shows_the_pictures_in_order_and_is_the_same_each_time() -> None:
    import av

    greys = [40, 90, 140, 190]
    film = clip_film([png(grey) for grey in greys])
    assert film == clip_film([png(grey) for grey in greys])
    with av.open(io.BytesIO(film)) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.width, stream.codec_context.height) == (64, 48)
        assert container.metadata.get("creation_time") is None
        assert "encoder" not in container.metadata
        shown = [frame.to_ndarray(format="rgb24")[30:].mean() for frame in container.decode(stream)]
    assert len(shown) == 2 * len(greys) + 2
    order = [min(greys, key=lambda grey: abs(grey - mean)) for mean in shown]
    assert order == [40, 40, 90, 90, 140, 140, 190, 190, 190, 190]


@pytest.mark.parametrize(
    ("said", "status", "body"),
    [
        ("", 200, b"0123456789"),
        ("bytes=0-1", 206, b"01"),
        ("bytes=4-", 206, b"456789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=-30", 206, b"0123456789"),
        ("bytes=8-99", 206, b"89"),
        ("bytes=10-", 416, b""),
        ("bytes=5-2", 416, b""),
        ("bytes=-0", 416, b""),
        ("bytes=0-1,4-5", 200, b"0123456789"),
        ("bytes=a-b", 200, b"0123456789"),
        ("bytes=-", 200, b"0123456789"),
        ("lines=0-1", 200, b"0123456789"),
        ("bytes=" + "9" * 50 + "-", 200, b"0123456789"),
    ],
)
def test_parts_of_a_film(said: str, status: int, body: bytes) -> None:
    headers = [(b"range", said.encode())] if said else []
    reply = film_reply(Request({"type": "http", "headers": headers}), b"0123456789", {})
    assert (reply.status_code, reply.body) == (status, body)
    if status == 206:
        first = b"0123456789".index(body)
        assert reply.headers["content-range"] == f"bytes {first}-{first + len(body) - 1}/10"
    assert reply.headers.get("content-range") == "bytes */10" if status == 416 else True
