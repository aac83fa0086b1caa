import asyncio
import io
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.ledger import Ledger, Spent, folder_of, read_answers, read_kept
from enact_assets.answers.models.ledger_inspection import LedgerInspection, inspect_ledger
from enact_assets.answers.models.ledger_lines import line_of, whole_lines
from enact_assets.answers.models.messages import Target
from enact_assets.cli import main
from enact_assets.engine.errors import OutputError, PredictionError
from enact_assets.engine.ids import sha256_bytes


def answer(sha: str, **values: object) -> Answer:
    return Answer(sha, f"question {sha}", "seer-2", **({"text": "[1]", "usd": 0.5} | values))


def written(folder: Path, *answers: Answer) -> Path:
    with Ledger(folder) as ledger:
        for one in answers:
            ledger.put_soon(one)
    return ledger.path


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """Files of this process cannot grow beyond ``n_bytes``."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_answers_come_back_whole_but_for_the_raw_reply(tmp_path: Path) -> None:
    first = answer("a", stop="cut", tokens_in=3, latency_s=0.25, attempts=2, unsure=1)
    path = written(tmp_path, msgspec.structs.replace(first, raw={"id": [1, "\n"]}), answer("b"))
    assert read_answers(tmp_path) == {"a": first, "b": answer("b")}
    lines = path.read_bytes().split(b"\n")
    assert len(lines) == 3
    assert msgspec.json.decode(lines[0])["raw"] == {"id": [1, "\n"]}


texts = st.text(max_size=9)
answers = st.builds(
    Answer,
    request_sha=texts,
    question_id=texts,
    model=texts,
    text=texts,
    usd=st.none() | st.floats(0, 9),
    latency_s=st.none() | st.floats(0, 9),
    attempts=st.integers(0, 9),
)


@given(st.lists(answers, max_size=4, unique_by=lambda a: a.request_sha), st.data())
def test_cut_anywhere_a_file_keeps_every_whole_line(
    tmp_path_factory: pytest.TempPathFactory, kept: list[Answer], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    lines = [msgspec.json.encode(one) + b"\n" for one in kept]
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    (folder / "1.jsonl").write_bytes(whole[:cut])
    n_whole = sum(len(b"".join(lines[: k + 1])) <= cut for k in range(len(lines)))
    assert list(read_answers(folder).values()) == kept[:n_whole]


def test_a_damaged_line_is_reported_with_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, answer("a"), answer("b"), answer("c"))
    good = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(good[0] + good[1][:20] + b"\n" + good[2])
    for read in (read_answers, lambda folder: Spent(folder).usd_by_file()):
        with pytest.raises(PredictionError, match=rf"{path.name}, line 2: damaged"):
            read(tmp_path)


def is_unchanged(folder: Path, kept: list[Answer]) -> bool:
    """Whether reading gives what was written; false if it says that a line is damaged."""
    try:
        found = list(read_answers(folder).values())
        Spent(folder).usd_by_file()
    except PredictionError:
        return False
    assert found == kept
    return True


@given(st.lists(answers, min_size=1, max_size=3, unique_by=lambda a: a.request_sha), st.data())
def test_no_byte_of_an_answer_changes_unseen(
    tmp_path_factory: pytest.TempPathFactory, kept: list[Answer], data: st.DataObject
) -> None:
    """faults N12: of one byte that another takes the place of, reading says that it is damage; the
    name of the checksum aside, without which a line counts as one of an earlier version.
    """
    folder = tmp_path_factory.mktemp("ledger")
    path = written(folder, *kept)
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] = data.draw(st.integers(0, 255).filter(lambda b: b != content[position]))
    path.write_bytes(content)
    found = inspect_ledger(folder)
    if is_unchanged(folder, kept):
        # Of a name that is no text any more an inspection may say so; reading passes over it.
        assert found.n_unchecked == 1
        assert len(found.damaged) <= (content[position] > 127)
    else:
        assert len(found.damaged) >= 1


def test_valid_json_with_other_digits_is_damage(tmp_path: Path) -> None:
    """faults N12: as by `sed`; its prediction was made of another text."""
    path = written(tmp_path, answer("a", text="[3, 1, 2]"), answer("b"))
    assert inspect_ledger(tmp_path) == LedgerInspection(n_lines=2)
    path.write_bytes(path.read_bytes().replace(b"[3, 1, 2]", b"[1, 2, 3]"))
    with pytest.raises(PredictionError, match=r"line 1: damaged \(it is not what"):
        read_answers(tmp_path)
    assert [path.name in message for message in inspect_ledger(tmp_path).damaged] == [True]


def test_lines_of_earlier_versions_are_read_and_counted(tmp_path: Path) -> None:
    """faults N12: they have no checksum."""
    (tmp_path / "1.jsonl").write_bytes(msgspec.json.encode(answer("a")) + b"\n")
    written(tmp_path, answer("b"))
    assert list(read_answers(tmp_path)) == ["a", "b"]
    assert inspect_ledger(tmp_path) == LedgerInspection(n_lines=2, n_unchecked=1)


def test_verify_reads_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """faults N12: lines, and pictures that were bought, which it leaves where they are."""
    folder = tmp_path / "ledger" / "openai_images" / "painter"
    path = written(folder, answer("a"), answer("b", text="[2]"))
    (folder / "pictures").mkdir()
    (folder / "pictures" / sha256_bytes(b"PNG")).write_bytes(b"PNG")
    assert main(["verify", "--data", str(tmp_path)]) == 0
    assert "2 answers and 1 pictures of the ledger: none damaged." in said(capsys)
    path.write_bytes(path.read_bytes().replace(b"[2]", b"[1]"))
    (folder / "pictures" / sha256_bytes(b"PNG")).write_bytes(b"PMG")
    assert main(["verify", "--data", str(tmp_path)]) == 1
    printed = said(capsys)
    assert f"{path.name}, line 2: damaged" in printed
    assert "2 answers and 1 pictures of the ledger: 2 damaged." in printed
    assert (len(list(folder.rglob("*.jsonl"))), len(list(folder.rglob("pictures/*")))) == (1, 1)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_the_first_answer_counts_and_an_error_is_none(tmp_path: Path) -> None:
    written(tmp_path / "x", answer("a", text=None, error="HTTP 500"), answer("a", text="first"))
    written(tmp_path / "y", answer("a", text="second"))
    assert read_answers(tmp_path)["a"].text == "first"


def test_paid_replies_without_an_answer_are_counted(tmp_path: Path) -> None:
    failed = {"text": None, "error": "no choices", "usd": None, "usd_unsure": 0.5}
    unreadable = failed | {"is_unreadable": True}
    written(
        tmp_path,
        answer("a", **unreadable),
        answer("a", **unreadable),
        answer("b", **failed, attempts=6),
        answer("free", **unreadable | {"usd_unsure": 0.0}),
    )
    assert read_kept(tmp_path).unreadable == {"a": 2}


def test_a_full_disk_is_reported_and_leaves_no_half_line(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.put_soon(answer("a")).result()
        size = ledger.path.stat().st_size
        with full_disk(size + 10), pytest.raises(OutputError, match="cannot be kept"):
            ledger.put_soon(answer("b")).result()
        assert ledger.path.stat().st_size == size
        ledger.put_soon(answer("c")).result()
    assert set(read_answers(tmp_path)) == {"a", "c"}


def test_answers_that_wait_are_flushed_together_before_they_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    flush = os.fdatasync

    def counted(file: int) -> None:
        flush(file)
        sizes.append(os.fstat(file).st_size)

    monkeypatch.setattr(os, "fdatasync", counted)
    sizes_when_done: list[int] = []

    async def put(ledger: Ledger, k: int) -> None:
        await ledger.put(answer(str(k)))
        sizes_when_done.append(sizes[-1])

    async def all_at_once() -> None:
        with Ledger(tmp_path) as ledger:
            await asyncio.gather(*(put(ledger, k) for k in range(300)))

    asyncio.run(all_at_once())
    assert len(sizes) < 100
    assert len(read_answers(tmp_path)) == 300
    assert min(sizes_when_done) > 0


def test_an_interrupted_put_is_written_all_the_same(tmp_path: Path) -> None:
    async def interrupted() -> None:
        with Ledger(tmp_path) as ledger:
            task = asyncio.create_task(ledger.put(answer("a")))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(interrupted())
    assert set(read_answers(tmp_path)) == {"a"}


def test_a_run_without_answers_leaves_no_file(tmp_path: Path) -> None:
    written(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_was_spent_grows_with_files_that_grow(tmp_path: Path) -> None:
    spent = Spent(tmp_path)
    file = tmp_path / "x" / "1.jsonl"
    file.parent.mkdir()
    line = msgspec.json.encode(answer("a", usd=None, error="late", usd_unsure=0.25)) + b"\n"
    file.write_bytes(line + line[:9])
    assert spent.usd_by_file() == {"1.jsonl": 0.25}
    file.write_bytes(line + line)
    assert spent.usd_by_file() == {"1.jsonl": 0.5}


class Reads(io.RawIOBase):
    """A file whose end is reached at each empty read, and which then goes on."""

    def __init__(self, *reads: bytes) -> None:
        self._reads = [*reads]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, *_of: int) -> int:
        return 0

    def readinto(self, buffer: memoryview) -> int:
        read = self._reads.pop(0) if self._reads else b""
        buffer[: len(read)] = read
        return len(read)


class Growing:
    """A file that a run writes to while it is read."""

    def __init__(self, *reads: bytes) -> None:
        self._reads = reads

    def open(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(Reads(*self._reads))


def test_a_line_that_grows_while_it_is_read_is_no_damage() -> None:
    """A run that bought long answers ended: the other half of a line was taken for a line."""
    row = {"request_sha": "a", "text": "x" * 100, "usd": 1.0}
    first, second = line_of(row), line_of(row | {"request_sha": "b"})
    file = Growing(first + second[:60], b"", second[60:])
    assert [*whole_lines(file)] == [first]
    assert [*whole_lines(Growing(first + second[:60], second[60:]))] == [first, second]


@pytest.mark.parametrize("name", ["..", ".", "", "a/../../b", "x" * 999, "\x00", "ü" * 99])
def test_no_name_of_a_model_leads_out_of_the_ledger(tmp_path: Path, name: str) -> None:
    folder = folder_of(tmp_path, Target("x", "openai_chat", "v1", name, {}))
    assert folder.parent == tmp_path / "openai_chat"
    folder.mkdir(parents=True)
    assert folder.resolve() == folder


def test_names_of_models_have_folders_of_their_own(tmp_path: Path) -> None:
    names = ["Qwen/Qwen2.5", "Qwen%2FQwen2.5", "Qwen+Qwen2.5", "Qwen Qwen2.5"]
    assert len({folder_of(tmp_path, Target("x", "vllm", "", name, {})) for name in names}) == 4
