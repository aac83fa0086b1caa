"""The pages of ``browse`` from a real server, and ``show`` in a real process's clothes."""

import io
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from http.client import HTTPConnection
from pathlib import Path

import duckdb
import msgspec
import numpy as np
import pytest
from PIL import Image
from results.browse.world_rows import N_STILLS, add_world
from results.report.report_pages import Html
from rich.console import Console
from sql.tiny_lake import (
    BOIL,
    TABLE,
    answer,
    lean_sql,
    publish_few,
    publish_on,
    tiny_rows,
    write_lake,
)
from starlette.datastructures import QueryParams

from benchmarks.bench_browse import served
from enact_assets.cli import main
from enact_assets.commands.browsing import say_where_links_lead
from enact_assets.engine.errors import SettingsError, WarehouseError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.sites import listening_on
from enact_assets.results.browse.question_lists import Wanted
from enact_assets.results.browse.questions_shown import read_question
from enact_assets.results.browse.site.addresses import link, parameters, wanted_of
from enact_assets.results.browse.site.pages import STYLED_HERE
from enact_assets.results.published import OpenWarehouse, published_provenance
from enact_assets.results.report.browse_links import (
    browse_address,
    leading_to,
    port_file,
    port_of,
    site_of,
)
from enact_assets.settings.paths import DataRoot

HOSTILE = "<script>alert(1)</script>"
TERMINAL = "\x1b]52;c;ZXZpbA==\x1b\\\x1b[2J" + "y" * 700
"""Words of a model that a terminal would obey: fill the clipboard, clear the screen."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    """A published lake whose pictures are there."""
    found = DataRoot(tmp_path_factory.mktemp("site"), None)
    rows = tiny_rows()
    answer(rows, "parrot", "baseline", "f2", raw=HOSTILE)
    answer(rows, "chatterer", "baseline", "f4", raw=TERMINAL)
    answer(rows, "fact_reader", "baseline", "f4", parsed=[2, 1], passed=2)
    answer(rows, "shy", "baseline", "f1", raw="", stop="refused")
    answer(rows, "shy", "baseline", "f2", raw="Thinking about", stop="cut")
    add_world(rows)
    of_boil = next(r for r in rows["demonstrations"] if r["demonstration"] == BOIL)
    of_boil["frame_rate_hz"] = 0.0  # key frames alone, as segmented activities are
    images = ImageStore(found.images)
    for shade, row in enumerate([*rows["frame_images"], *rows["clip_images"]]):
        path = found.root / "picture.png"
        Image.fromarray(np.full((24, 32, 3), 6 * shade, dtype=np.uint8)).save(path)
        row["image_sha"] = images.put(path.read_bytes())
    publish_on(write_lake(found.lake, rows), found.warehouse, lean_sql())
    return found


@pytest.fixture(scope="module")
def port(root: DataRoot) -> Iterator[int]:
    with served(root) as found:
        yield found


def get(port: int, path: str, method: str = "GET", host: str | None = None):
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, path, headers={} if host is None else {"Host": host})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


def page(port: int, path: str) -> Html:
    status, _, body = get(port, path)
    assert status == 200, (path, body)
    return Html(body.decode())


def links(found: Html) -> set[str]:
    addresses = [a.get("href") or "" for a in found.of("a")]
    addresses += [i.get("src") or "" for i in found.of("img")]
    ids = {attrs.get("id") for _, attrs in found.tags}
    assert {a[1:] for a in addresses if a.startswith("#")} <= ids
    return {unescape(a).partition("#")[0] for a in addresses} - {""}


def test_every_link_leads_to_a_page(port: int) -> None:
    """All that can be clicked from the leaderboard on, filters left alone."""
    left, seen = ["/"], {"/"}
    questions, n_pictures = set(), 0
    while left:
        path = left.pop()
        assert path.startswith("/"), path
        if path.startswith("/picture/"):
            status, headers, body = get(port, path)
            assert (status, headers["content-type"], body[1:4]) == (200, "image/png", b"PNG")
            n_pictures += 1
            continue
        question, _, asked = path.partition("?")
        if path.startswith("/question/"):
            form = question, "outcome=" in asked, "variant=" in asked
            if form in questions:
                continue  # the same page in another list
            questions.add(form)
        new = links(page(port, path)) - seen
        seen |= new
        left += new
    assert {path.removeprefix("/question/") for path, *_ in questions} == {
        *("f1", "f2", "f3", "f4", "i1", "wm-1", "pp-1"),
    }
    assert n_pictures == 14 + 4 + 4 * N_STILLS


def test_key_frames_without_frames_between_have_no_time(port: int) -> None:
    listed = " ".join(page(port, "/demonstrations").texts)
    assert re.search(rf"{BOIL}\s+\S+\s+\S\s+3\s", listed)  # neither inf nor 0 seconds
    assert re.search(rf"{TABLE}\s+\S+\s+10\s+4\s", listed)
    shown = " ".join(page(port, f"/demonstration/{BOIL}").texts)
    assert "frame " in shown
    assert " s, " not in shown


def test_a_part_of_the_answers_is_marked_on_the_board_with_how_many(port: int) -> None:
    """Researcher F4."""
    board = page(port, "/").said
    assert "guesser partial: 3 of 4 answers scored" in board
    assert board.count("partial:") == 1


def test_trained_references_say_what_they_were_trained_on(
    port: int, root: DataRoot, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the board, beside their answers, and in the files that `show` writes."""
    board = page(port, "/").said
    assert "fact_reader reference, trained on this simulator, other seeds" in board
    assert board.count("trained on") == 1
    question = page(port, "/question/f4").said
    assert "fact_reader (reference, trained on this simulator, other seeds)" in question
    assert question.count("trained on") == 1
    out = root.root / "shown_f4"
    assert main(["show", "f4", "--data", str(root.root), "--output", str(out)]) == 0
    assert "fact_reader (trained on this" in " ".join(capsys.readouterr().out.split())
    found = msgspec.json.decode((out / "f4_baseline/question.json").read_bytes())
    said = {answer["model"]: answer["trained_on"] for answer in found["answers"]}
    assert said["fact_reader"] == "this simulator, other seeds"
    assert said["oracle"] is None


def test_a_wrong_answer_is_two_clicks_from_the_leaderboard(port: int) -> None:
    board = page(port, "/")
    (wrong,) = (
        a["href"]
        for a in board.of("a")
        if a.get("aria-label") == "1 wrong answers of guesser" and "inverse" in (a["href"] or "")
    )
    found = page(port, wrong or "")
    (question,) = (a for a in links(found) if a.startswith("/question/"))
    shown = page(port, question)
    assert "Question i1" in shown.said
    opened = [details["id"] for details in shown.of("details") if "open" in details]
    assert opened == ["answers-2", "answers-2-step-1"]  # the answer, and its first wrong step
    assert "guesser [1, 2, 3] Not right: 0 of 3 steps fit." in shown.said
    assert "+Open(fridge)" in shown.said
    jumps = [a["href"] for a in shown.of("a") if (a["href"] or "").startswith("#answers-")]
    assert jumps == [f"#{id_}" for id_ in opened]
    of_step = [i["alt"] or "" for i in shown.of("img")][len(("0", "1", "2", "3")) :][:2]
    assert of_step == [
        *("Step 1, before: Current State, key frame 0", "Step 1, after: Next State 1, key frame 1"),
    ]


def test_a_list_can_be_read_question_by_question(port: int) -> None:
    """Next and previous keep the filter, and the list's page is known."""
    listed = page(port, "/questions?model=guesser&outcome=wrong")
    addresses = [a["href"] or "" for a in listed.of("a") if "/question/" in (a["href"] or "")]
    assert len(addresses) == 2
    first, last = (page(port, unescape(address)) for address in addresses)

    def leading(found: Html, rel: str) -> list[str]:
        return [unescape(a["href"] or "") for a in found.of("a") if a.get("rel") == rel]

    assert (leading(first, "next"), leading(first, "prev")) == ([unescape(addresses[1])], [])
    assert (leading(last, "next"), leading(last, "prev")) == ([], [unescape(addresses[0])])
    assert "Question 1 of 2" in first.said
    assert "/questions?variant=baseline&model=guesser&outcome=wrong&page=1" in links(first)
    other = page(port, "/question/f1?model=guesser&outcome=wrong")
    assert "The list that led here does not have this question." in other.said


def test_refused_and_cut_answers_are_counted_and_listed(port: int) -> None:
    board = page(port, "/")
    assert "unparsed refused cut missing" in board.said
    assert "Unparsed answers include those that are refused, cut" in board.said
    labels = {a.get("aria-label"): unescape(a["href"] or "") for a in board.of("a")}
    for outcome, question in (("refused", "f1"), ("cut", "f2")):
        listed = page(port, labels[f"1 {outcome} answers of shy"])
        (found,) = (a for a in links(listed) if a.startswith("/question/"))
        assert found.startswith(f"/question/{question}?")
        assert "refused to answer" in page(port, found).said or outcome == "cut"


def test_references_are_marked_and_can_be_left_out(port: int) -> None:
    for path in ("/", "/questions?outcome=wrong", "/question/f3"):
        assert "oracle" in page(port, path).said
        without = page(port, f"{path}{'&' if '?' in path else '?'}references=off")
        assert "fact_reader" not in Html(re.sub("(?s)<select.*?</select>", "", without.text)).said
        assert all("references=off" in a for a in links(without) if "outcome=" in a)
    assert "oracle reference" in page(port, "/").said
    assert "oracle (reference) [2, 3, 1]" in page(port, "/question/f3").said
    assert "oracle" not in page(port, "/question/f3?references=off").said
    body = get(port, "/questions")[2].decode()
    assert re.search(r'<optgroup label="References">\s*<option>fact_reader', body)


def test_answers_of_chosen_models_stand_side_by_side(port: int) -> None:
    found = page(port, "/question/f3?compare=guesser&compare=oracle")
    sides = [s["aria-label"] for s in found.of("section")]
    assert sides == ["Answer of guesser", "Answer of oracle"]
    opened = [details["id"] for details in found.of("details") if "open" in details]
    assert opened == ["side-by-side-step-2", "answers-2-step-2"]  # the second in a closed answer
    assert "Step 2 guesser: does not fit oracle: fits" in found.said
    (after,) = (a for a in found.of("a") if a.get("rel") == "next")
    assert "compare=guesser&compare=oracle" in unescape(after["href"] or "")
    split = "model=oracle&outcome=right&other=guesser&other_outcome=wrong"
    listed = page(port, f"/questions?{split}")
    assert "2 questions. Answer of oracle: right. Answer of guesser: wrong." in listed.said
    questions = [a for a in links(listed) if a.startswith("/question/")]
    assert {a.partition("?")[0] for a in questions} == {"/question/f3", "/question/i1"}
    sides = [s["aria-label"] for s in page(port, questions[0]).of("section")]
    assert sides == ["Answer of oracle", "Answer of guesser"]
    assert "nix has no answer" in page(port, "/question/f3?compare=nix&compare=oracle").said


def test_options_stand_beside_the_right_one(port: int) -> None:
    for name, right, given in (("wm-1", "Clip B", "Clip C"), ("pp-1", "A: 1 2", "C: 3 1")):
        found = page(port, f"/question/{name}?model=guesser")
        assert f"Right {right}" in found.said
        assert f"The answer {given}" in found.said
        alts = [i["alt"] or "" for i in found.of("img")]
        assert sum(alt.startswith("guesser: Clip") for alt in alts) == (3 if name == "wm-1" else 2)
    assert "A: 1 2 B: 2 1 C: 3 1 D: 1 3 Answers" in page(port, "/question/pp-1").said
    both = page(port, "/question/wm-1?compare=guesser&compare=shy")
    assert "guesser Clip C Not right." in both.said
    assert "shy The answer could not be read" in both.said


def test_reports_are_shown_with_links_that_lead_here(
    port: int, root: DataRoot, tmp_path: Path
) -> None:
    """Whichever port they name; a link of a report about other content says so."""
    now, _ = published_provenance(root.warehouse)
    assert now is not None
    href = browse_address("f3", "baseline", "guesser").replace("&", "&amp;")
    html = f'<p>http://127.0.0.1:3030/question/said</p><a href="{href}">Open</a>'
    for path, file in (
        ("/report", "report/report.html"),
        ("/first_look/shy", "first_looks/shy.html"),
    ):
        assert get(port, path)[0] == 404
        (root.root / file).parent.mkdir()
        written = leading_to(html, "http://127.0.0.1:4040", now)
        assert '="http://127.0.0.1:4040/question/f3?variant=baseline&amp;model=guesser' in written
        (root.root / file).write_text(written)
        try:
            status, headers, body = get(port, path)
            (link,) = (a["href"] for a in Html(body.decode()).of("a"))
            assert f'href="{path}"' in get(port, "/")[2].decode()
        finally:
            shutil.rmtree((root.root / file).parent)
        assert status == 200
        policies = [v for n, v in headers.items() if n == "content-security-policy"]
        assert policies == [STYLED_HERE]
        assert b"http://127.0.0.1:3030/question/said" in body  # words stay as they are
        shown = page(port, link or "")
        assert "about other content" not in shown.said
        assert "Question f3" in shown.said
    assert "about other content" in page(port, "/question/f3?published=00ff00ff00ff").said


def test_a_data_root_remembers_its_port(root: DataRoot, tmp_path: Path) -> None:
    """For links of reports, and for the next `browse`."""
    console = Console(file=io.StringIO(), width=400)
    mine = DataRoot(tmp_path, None)
    assert (site_of(mine), port_of(mine)) == ("http://127.0.0.1:3030", 3030)
    for port in (0, 3030):
        say_where_links_lead(mine, port, console)
    assert list(tmp_path.iterdir()) == []
    assert console.file.getvalue() == ""
    say_where_links_lead(mine, 3131, console)
    assert site_of(mine) == "http://127.0.0.1:3131"
    assert "open the report at /report here" in console.file.getvalue()
    for damaged in ("", "70000", "0", "x" * 9, "\N{SUPERSCRIPT TWO}"):
        port_file(mine).write_text(damaged)
        assert port_of(mine) == 3030
    blocked = DataRoot(tmp_path / "file", None)
    blocked.root.touch()
    say_where_links_lead(blocked, 3131, console)
    assert "cannot be written: links of reports lead to port 3030" in console.file.getvalue()


def test_filters_are_found_again_in_addresses() -> None:
    for wanted in (
        Wanted(),
        Wanted(
            "a&b",
            "x y",
            "d-0",
            "forward",
            7,
            "m+n",
            "cut",
            "\N{GREEK SMALL LETTER ALPHA}",
            "right",
            False,
        ),
    ):
        asked = QueryParams(link("", parameters(wanted)).partition("?")[2])
        assert wanted_of(asked, asked["variant"]) == wanted


def test_pages_do_nothing_but_show_themselves(port: int) -> None:
    for path in ("/", "/questions", "/question/f3", f"/demonstration/{TABLE}", "/nix"):
        _, headers, body = get(port, path)
        assert headers["content-security-policy"].startswith("default-src 'none';")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        (script,) = re.findall(rb"<script[^>]*>[^<]*", body)
        assert script == b'<script src="/browse.js" defer>'
        assert not re.search(rb"style=|\son\w+=|https?://", body)
    assert get(port, "/", host="evil.example")[0] == 400
    assert get(port, "/", host=f"localhost:{port}")[0] == 200
    assert get(port, "/", "POST")[0] == 405


@pytest.mark.slow
def test_imported_questions_alone_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The baseline asks nothing, and there is no replay."""
    root = DataRoot(tmp_path, None)
    rows = tiny_rows()
    rows["asked_questions"] = [r for r in rows["asked_questions"] if r["variant"] != "baseline"]
    for row in rows["demonstrations"]:
        row |= {"source": "questions", "frame_rate_hz": 0.0}
    rows["frame_images"] = []
    publish_on(write_lake(root.lake, rows), root.warehouse, lean_sql())
    with served(root) as port:
        assert "Leaderboard of aperture_80" in page(port, "/").said
        found = page(port, "/questions")
        assert "Questions of aperture_80" in found.said
        assert "2 questions" in found.said
        listed = links(page(port, "/demonstrations"))
        assert f"/questions?demonstration={TABLE}&variant=aperture_80" in listed
        assert "is unknown without a replay" in page(port, f"/demonstration/{TABLE}").said
    show = ["show", "--data", str(root.root)]
    assert main([*show, TABLE]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "questions, 4 key frames of gating state, pictures of variant aperture_80" in said
    assert f"`enact-assets plan --demonstration {TABLE}` lists missing partitions" in said
    assert "0 frame 20 1 frame 80 2" in said
    assert main([*show, "f2"]) == 2
    assert "'f2'. It exists, but was not selected." in capsys.readouterr().err


@pytest.mark.slow
def test_a_warehouse_without_questions_or_answers_says_so(tmp_path: Path) -> None:
    rows = tiny_rows()
    answers = ("predictions", "evaluation", "compared_steps", "compared_components")
    for emptied, says, of_question in (
        (answers, "No answers to questions of baseline are published.", 200),
        (tuple(rows), "No questions are published. enact-assets plan says", 404),
    ):
        root = DataRoot(tmp_path / f"{len(emptied)}", None)
        left = {name: [] if name in emptied else of_name for name, of_name in rows.items()}
        publish_on(write_lake(root.lake, left), root.warehouse, lean_sql())
        with served(root) as port:
            assert says in page(port, "/").said
            assert "questions" in page(port, "/questions").said
            assert get(port, "/question/f1")[0] == of_question
            assert "published" in page(port, "/demonstrations").said


@pytest.mark.slow
def test_many_models_and_questions_stay_short(tmp_path: Path) -> None:
    rows = tiny_rows()
    for number in range(9):
        answer(rows, f"model-{number}", "baseline", "f1", parsed=[1, 2], passed=0)
    for name in ("qa", "question_set", "asked_questions"):
        of_f1 = [row for row in rows[name] if row["question_id"] == "f1"]
        rows[name] += [row | {"question_id": f"f1-{k}"} for row in of_f1 for k in range(200)]
    root = DataRoot(tmp_path, None)
    publish_on(write_lake(root.lake, rows), root.warehouse, lean_sql())
    with served(root) as port:
        found = page(port, "/questions?kind=forward")
        row = re.search(r"(\d+) of \d+: ([^:]*) and (\d+) more", found.said)
        assert row is not None
        n_wrong, names, n_more = row.groups()
        assert (int(n_wrong), names.count(", ") + 1) == (6 + int(n_more), 6)
        last = next(a for a in found.of("a") if "page=5" in (a["href"] or ""))
        shown = page(port, unescape(last["href"] or ""))
        assert "Page 5 of 5" in shown.said
        assert any("page=1" in a for a in links(shown))


def test_a_step_of_the_plan_is_shown_by_its_first_asset(root: DataRoot, capsys) -> None:
    assert main(["show", "replays", "--data", str(root.root)]) == 2
    assert "such as demonstrations:" in capsys.readouterr().err


def test_what_models_say_is_text(port: int) -> None:
    assert HOSTILE in page(port, "/question/f2?model=parrot").said


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/question/nix", 404, "no variant asks a question with the id 'nix'"),
        ("/question/f2?variant=aperture_80", 404, "known: baseline"),
        ("/questions?variant=nix", 404, "unknown variant 'nix'"),
        ("/questions?model=nix", 404, "no questions or answers of: model nix"),
        ("/questions?outcome=foo&length=9", 404, "of: length 9, outcome foo"),
        ("/questions?demonstration=nix", 404, "0 questions. Variant baseline has no questions"),
        ("/questions?length=three", 400, "Not a number: 'three'"),
        ("/questions?page=99999999999999999999", 400, "Not a number"),
        (f"/demonstration/{TABLE}?gating=nix", 404, "unknown gating"),
        ("/demonstration/nix", 404, "unknown demonstration 'nix'"),
        ("/picture/nix.png", 404, "Not Found"),
        (f"/picture/{'0' * 64}.png", 404, "0000"),
        ("/?variant='%3Bdrop+table+qa", 404, "unknown variant"),
    ],
)
def test_wrong_addresses_get_an_explanation(port: int, path: str, status: int, says: str) -> None:
    found, _, body = get(port, path)
    assert found == status
    assert says in Html(body.decode()).said


def test_forms_show_which_filters_apply(port: int) -> None:
    _, _, body = get(port, "/questions?model=nix&kind=forward")
    chosen = re.findall(r"<option selected>(.*?)</option>", body.decode())
    assert chosen == ["baseline", "forward", "nix"]
    found = page(port, "/questions?outcome=wrong&kind=inverse")
    assert "1 question. Answer of any model: wrong." in found.said
    assert "0 questions." in page(port, "/questions?outcome=missing&kind=inverse").said


@pytest.mark.slow
def test_pages_show_what_was_published_last(tmp_path: Path) -> None:
    """One connection for all of them must not keep an older file."""
    root = DataRoot(tmp_path, None)
    rows = tiny_rows()
    ask = OpenWarehouse(root.warehouse)
    with pytest.raises(WarehouseError, match="no warehouse yet"):
        ask("select 1")
    publish_few(write_lake(root.lake, rows), root.warehouse)
    count = "select count(*) from predictions where model = $model"
    assert ask(count, {"model": "parrot"}).item() == 0
    answer(rows, "parrot", "baseline", "f1", parsed=[1, 2], passed=0)
    publish_few(write_lake(root.lake, rows), root.warehouse)
    assert ask(count, {"model": "parrot"}).item() == 1
    with pytest.raises(WarehouseError, match="more than read"):
        ask("delete from predictions")


def test_a_port_in_use_is_an_error(port: int) -> None:
    with (
        pytest.raises(SettingsError, match=f"port {port} .*--port"),
        listening_on("127.0.0.1", port),
    ):
        pass


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_cannot_be_is_an_error(port: int) -> None:
    said = f"port {port} of 127.0.0.1 cannot be used: ports are numbers from 0 to 65535. Choose"
    with pytest.raises(SettingsError, match=said), listening_on("127.0.0.1", port):
        pass


def test_show_prints_a_question_and_writes_its_pictures(
    root: DataRoot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--data", str(root.root)]
    assert main(["show", "f3", *arguments, "--output", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "Right order: [2, 3, 1]" in said
    assert "guesser: [2, 1, 3]" in said
    assert "-OnTop(cup, table) instead of +OnTop(cup, table)" in said
    folder = tmp_path / "out" / "f3_baseline"
    written = {path.name for path in folder.iterdir()}
    names = ["current_state", "next_state_1", "next_state_2", "next_state_3"]
    assert written == {
        *("sheet.png", "question.json"),
        *(f"{k:02}_{name}.png" for k, name in enumerate(names)),
    }
    found = msgspec.json.decode((folder / "question.json").read_bytes())
    assert found["reference"] == [2, 3, 1]
    assert [a["model"] for a in found["answers"]] == ["oracle", "guesser"]
    with Image.open(folder / "sheet.png") as sheet:
        assert sheet.width > 4 * 256
    assert main(["show", "f1", "--variant", "aperture_80", *arguments]) == 0
    assert (root.shown / "f1_aperture_80.png").is_file()
    assert main(["show", TABLE, *arguments]) == 0
    assert "+OnTop(cup, table), -RightGrasping(robot, cup)" in capsys.readouterr().out
    assert main(["show", BOIL, *arguments]) == 0
    assert "key frames of gating" in (said := capsys.readouterr().out)
    assert " s, " not in said
    assert main(["show", "nix", *arguments]) == 2
    assert "'nix' is neither a question" in capsys.readouterr().err
    assert main(["show", "leaderboard", *arguments]) == 2
    assert "'leaderboard' is a relation" in (said := capsys.readouterr().err)
    assert '`enact-assets sql "from leaderboard"' in said


def test_show_keeps_questions_apart(root: DataRoot, tmp_path: Path, capsys) -> None:
    """Pictures of a longer question would stay beside those of a shorter one."""
    show = ["show", "--data", str(root.root), "--output", str(tmp_path)]
    for name in ("f3", "f1", TABLE):
        assert main([*show, name]) == 0
    counts = {f.name: len(list(f.glob("??_*.png"))) for f in tmp_path.iterdir()}
    assert counts == {"f3_baseline": 4, "f1_baseline": 3, f"{TABLE}_baseline": 4}
    (tmp_path / "file").touch()
    assert main([*show[:-1], str(tmp_path / "file"), "f1"]) == 2
    assert "is a file. Name a folder with --output" in " ".join(capsys.readouterr().err.split())


def test_show_escapes_what_models_say_and_says_what_it_cuts(root: DataRoot, capsys) -> None:
    assert main(["show", "--data", str(root.root), "f4"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\\x1b]52;c;ZXZpbA==" in said
    words = " ".join(said.split())
    assert f"({len(TERMINAL) - 600} more characters; --output writes all)" in words


def test_show_goes_on_without_a_picture_that_cannot_be_read(
    root: DataRoot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sha = read_question(OpenWarehouse(root.warehouse), "f2").pictures[1].sha
    picture = ImageStore(root.images).path(sha or "")
    show = ["show", "f2", "--data", str(root.root), "--output", str(tmp_path)]
    assert main(show) == 0
    content = picture.read_bytes()
    for bad in (content[:-9], None):
        picture.unlink() if bad is None else picture.write_bytes(bad)
        try:
            assert main(show) == 0
        finally:
            picture.write_bytes(content)
        said = capsys.readouterr().out
        assert "1 of 3 pictures cannot be shown." in said
        assert "Right order: [1, 2]" in said
        names = {path.name for path in (tmp_path / "f2_baseline").glob("??_*.png")}
        assert names == {"00_current_state.png", "02_next_state_2.png"}


@pytest.mark.parametrize("command", [["show", "f1"], ["browse", "--port", "0"]])
def test_a_file_that_an_older_version_published_is_named(
    root: DataRoot, tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(root.warehouse, tmp_path)
    with duckdb.connect(str(tmp_path / root.warehouse.name)) as older:
        older.execute("drop view question_ids")
    assert main([*command, "--data", str(tmp_path)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "an older version" in said
    assert "enact-assets materialize --asset warehouse" in said
