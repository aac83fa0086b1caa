"""Raw answers of every kind, also with thoughts, and what they are read as."""

from operator import eq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.asked.parsing import REASONS, heed_stop, read_answer
from enact_assets.questions.asked.release_parsing import read_release_answer
from enact_assets.questions.asked.thinking import without_thinking

from reference.cpu_time import least_cpu_s
from reference.wordings import WORDINGS

FULL_WIDTH = "[\uff11, \uff12, \uff13]"

PARSED = [
    ("[1, 3, 2]", (1, 3, 2)),
    ("[0, 2, 1]", (1, 3, 2)),
    ("[3,1,2]", (3, 1, 2)),
    ("[ 3 ,\n1\t, 2, ]", (3, 1, 2)),
    ("The answer is `[2, 1, 3]`.", (2, 1, 3)),
    ("```python\n[2, 1, 3]\n```", (2, 1, 3)),
    ("first [1, 2, 3], no, [3, 2, 1]", (3, 2, 1)),
    ("[[2, 1, 3]]", (2, 1, 3)),
    ("[[[[2, 1, 3], ]]", (2, 1, 3)),
    ("[Action 2] -> [Action 1] -> [Action 3], so [2, 1, 3]", (2, 1, 3)),
    ("[2, 1, 3] as I said []", (2, 1, 3)),
    ("[2, 1, 3] [1.5, 2] [a, b]", (2, 1, 3)),
    ("[+1, 02, 3]", (1, 2, 3)),
    ("[2,\u00a01,\u20033]", (2, 1, 3)),
    (f"[2, 1, 3] {FULL_WIDTH}", (1, 2, 3)),
    ("(2, 1, 3)", (2, 1, 3)),
    ("[2 1 3]", (2, 1, 3)),
    ("[2.0, 1.0, 3.0]", (2, 1, 3)),
    ("['2', '1', '3']", (2, 1, 3)),
    ("[2, 1, 3] or is it [1, 2]", (2, 1, 3)),
    ("[\u2461, \u2460, \u2462]", (2, 1, 3)),
    ("[\u0968, \u0967, \u0969]", (2, 1, 3)),
    ("\\boxed{2 \\rightarrow 1 \\to 3}", (2, 1, 3)),
    ("[Image #2, Image #1, and Image #3]", (2, 1, 3)),
    ("<Answer> 2, 1, 3 </Answer>", (2, 1, 3)),
    ('{"order": ["Action 2", "Action 1", "Action 3"]}', (2, 1, 3)),
    # What was asked for is in brackets; other marks count where nothing in brackets is whole.
    ("[2, 1, 3]. Explanation of steps (1, 2, 3) follows", (2, 1, 3)),
    ("[2, 1, 3], not {1, 2, 3}", (2, 1, 3)),
    ("(2, 1, 3) because of picture [1]", (2, 1, 3)),
    ('{"answer": "2, 1, 3", "options": "1, 2, 3"}', (2, 1, 3)),
    ('{"order": "2, 1, 3"}', (2, 1, 3)),
    ("{'answer': '2 -> 1 -> 3'}", (2, 1, 3)),
    ('{\\"answer\\": [\\"2\\", \\"1\\", \\"3\\"]}', (2, 1, 3)),
    ("\\boxed{\\mathbf{2}, \\mathbf{1}, \\mathbf{3}}", (2, 1, 3)),
    ("\\boxed{2{,}1{,}3}", (2, 1, 3)),
    ("\\(2, 1, 3\\)", (2, 1, 3)),
    ("[[2], [1], [3]]", (2, 1, 3)),
    ("<answer>[2], [1], [3]</answer>", (2, 1, 3)),
    ("<answer>2 > 1 > 3", (2, 1, 3)),
    ("<answer><b>2, 1, 3</b></answer>", (2, 1, 3)),
    ("[ANSWER]2, 1, 3[/ANSWER]", (2, 1, 3)),
    ("[Images 2, 1 and 3]", (2, 1, 3)),
]

UNPARSED = [
    ("", "empty_answer"),
    (" \n\t ", "empty_answer"),
    ("2, 1, 3", "no_list"),
    ("[2,,1,3]", "no_list"),
    ("[,]", "no_list"),
    ("[]", "no_list"),
    ("[2, 1, 3", "no_list"),
    ("[²,¹,³]", "no_list"),
    ("[Next State 2]", "no_list"),
    ("[1-3]", "no_list"),
    ("[1: 2, 2: 1, 3: 3]", "no_list"),
    ("(see 2, 1 and 3)", "no_list"),
    ("[1.5, 2.5, 3.5]", "no_list"),
    ("1. second 2. first 3. third", "no_list"),
    ("I cannot determine the order.", "no_list"),
    ("I can't see the cup in picture 2.", "no_list"),
    ("Unfortunately the drawer cannot be opened, so 2, 1, 3", "no_list"),
    ('{"answer": "1 to 3"}', "no_list"),
    ("I'm sorry, but I can't assist with that.", "declined"),
    ("I must respectfully decline.", "declined"),
    ("I cannot and will not answer this.", "declined"),
    ("I don't have the ability to view images.", "declined"),
    ("Es tut mir leid, aber ich kann dabei nicht helfen.", "declined"),
    ("Je suis désolé, je ne peux pas répondre.", "declined"),
    (
        "\u7533\u3057\u8a33\u3042\u308a\u307e\u305b\u3093\u304c\u3001\u304a\u7b54\u3048\u3067\u304d\u307e\u305b\u3093\u3002",
        "declined",
    ),
    ("I\u2019m unable to provide an answer to this.", "declined"),
    ("Unfortunately, as an AI I cannot see pictures.", "declined"),
    ("\u62b1\u6b49\uff0c\u6211\u65e0\u6cd5\u56de\u7b54\u3002", "declined"),
    ("<think>[2, 1, 3]", "open_thought"),
    ("<think>[2, 1, 3]</think>", "empty_answer"),
    ("<think>[2, 1, 3]</think> 2, 1, 3", "no_list"),
    ("[1, 2, 3, 4]", "wrong_length"),
    ("[0, 1, 2, 3]", "wrong_length"),
    ("[1, 1]", "not_a_permutation"),
    ("[4]", "not_a_permutation"),
    ("[0, 3]", "not_a_permutation"),
    ("[1, 1, 2]", "not_a_permutation"),
    ("[2, 3, 4]", "not_a_permutation"),
    ("[-1, 0, 1]", "not_a_permutation"),
    ("[1, 2, -3]", "not_a_permutation"),
    ("[1, 2, 30000000000000000000000]", "not_a_permutation"),
    ("[0, 1, 3]", "not_a_permutation"),
]


SHORT = [
    ("[1, 2]", [1, 2]),
    ("[3]", [3]),
    ("[0, 2]", [1, 3]),
    ("[0]", [1]),
    ("[2] -> [1] -> [3]", [3]),
    ('{"answer": "1, 2"}', [1, 2]),
    ("<answer>1, 2</answer> (see 3)", [1, 2]),
]


@pytest.mark.parametrize(("raw", "order"), SHORT)
def test_too_few_distinct_labels_are_read_and_marked(raw: str, order: list[int]) -> None:
    """Half an order deserves the credit for what it names (paper A.3.2)."""
    assert read_answer(raw, 3) == (order, "wrong_length")


@pytest.mark.parametrize(("raw", "order"), PARSED)
def test_an_order_is_read_from_the_last_list(raw: str, order: tuple[int, ...]) -> None:
    """A right answer dressed in prose must not be counted as wrong."""
    assert read_answer(raw, 3) == (list(order), None)


@pytest.mark.parametrize(("raw", "reason"), UNPARSED)
def test_what_is_no_order_has_a_named_reason(raw: str, reason: str) -> None:
    """A guess at what the model meant would score things it never said."""
    assert read_answer(raw, 3) == (None, reason)
    assert reason in REASONS


def test_an_answer_that_never_came_is_missing_not_unparsed() -> None:
    """An outage would otherwise be scored as a wrong answer."""
    assert read_answer(None, 3) == (None, "no_answer")


@given(st.permutations(range(1, 8)), st.text(alphabet="ab 1,[\n", max_size=20))
def test_every_permutation_survives_its_own_text(order: list[int], prose: str) -> None:
    """Both label bases, with any prose before the list."""
    assert read_answer(f"{prose} {order}", 7)[0] == list(order)
    shifted = [label - 1 for label in order]
    assert read_answer(f"{prose} {shifted}", 7)[0] == list(order)


@given(st.text(alphabet="[]()0123, -+\n²", max_size=40), st.integers(2, 4))
def test_whatever_is_parsed_names_distinct_labels(raw: str, n_steps: int) -> None:
    """A repeated or unknown label would index the wrong picture."""
    order, reason = read_answer(raw, n_steps)
    if order is None:
        assert reason in REASONS
    else:
        assert len(set(order)) == len(order)
        assert set(order) <= set(range(1, n_steps + 1))
        assert reason == (None if len(order) == n_steps else "wrong_length")


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 1_000_000,
        "[1" * 500_000,
        "[" + "1" * 1_000_000,
        "[" + "1," * 500_000,
        "[" + " " * 1_000_000,
        "[1" + " " * 1_000_000,
        "[" + "1, " * 300_000 + "]",
        "[" + "9" * 1_000_000 + ", 1, 2]",
        "[1, 2, 3]" * 100_000 + "[4",
        "[1 2 4]" * 100_000,
        "<think>" * 100_000,
        "</think>" * 100_000,
        "-" * 1_000_000,
        "\\boxed " * 100_000,
        "<answer>1" * 100_000,
        "sorry " * 160_000,
        "[[1]," * 200_000,
        "\\boxed{{1}" * 100_000,
        '"answer": "' * 100_000,
        "<b " * 300_000,
    ],
    ids=lambda raw: raw[:5] + f"...{len(raw)}",
)
def test_a_megabyte_answer_takes_linear_time(raw: str) -> None:
    """A runaway model would otherwise hang the evaluation of its whole partition."""
    assert least_cpu_s(lambda: read_answer(raw, 3), 2.0) < 2.0


UNMARKED = ("({1})", "{{{1}}}", "$({1})$")
QUOTED = '{{"answer": "{1}"}}'
DRESSES = (
    "{0}", "**{0}**", "\\boxed{{{1}}}", "$\\left[{1}\\right]$", "\\boxed{{\\text{{{0}}}}}",
    "\\boxed{{\\text{{{1}}}}}", "```json\n{0}\n```", "<answer>{1}</answer>", "[[{1}]]",
    "<|begin_of_box|>{1}<|end_of_box|>", "{{\"answer\": {0}}}", "\uff3b{1}\uff3d", "[{1},]",
    "\u3010{1}\u3011", "&#91;{1}&#93;", QUOTED, *UNMARKED,
)  # fmt: skip
LABELS = (
    "{}", "{}.0", "**{}**", "0{}", "'{}'", '"{}"', "Action {}", "Next State {}", "\u200b{}",
)  # fmt: skip
JOINTS = (", ", ",", " , ", "; ", "\u3001", "\uff0c", ",\u00a0")
PROSE = st.sampled_from(
    ["", "Explanation: ", " because of the cue in picture [1]. ", " The cup is at [312, 220]. ",
     "<think>no: [2, 1] [1, 2, 3, 4, 5, 6, 7]</think>", " I looked at the pictures [see 2]. ",
     "[1][2]", "[THINK](2, 1)[/THINK]", " (see 1 and 2) ", " [1.5, 2] "]
)  # fmt: skip


@st.composite
def dressed(draw: st.DrawFn, n: int) -> tuple[list[int], bool, str]:
    """An order of ``n`` in any dress, in digits of any script; whether the dress marks answers."""
    order = list(draw(st.permutations(range(1, n + 1))))
    zero = draw(st.sampled_from("0\u0660\u06f0\u0966\uff10"))
    digits = {ord("0") + k: chr(ord(zero) + k) for k in range(10)}
    dress = draw(st.sampled_from(DRESSES))
    # Parentheses may hold anything, so that words in them are prose.
    words = LABELS[:4] if dress in UNMARKED or dress == QUOTED else LABELS
    label, joint = draw(st.sampled_from(words)), draw(st.sampled_from(JOINTS))
    inside = joint.join(label.format(k) for k in order)
    if dress != "&#91;{1}&#93;":
        inside = inside.translate(digits)
    return order, dress not in UNMARKED, dress.format(f"[{inside}]", inside)


@given(st.data(), st.integers(2, 9), PROSE, PROSE)
def test_the_last_whole_list_wins_in_any_dress(
    data: st.DataObject, n: int, before: str, after: str
) -> None:
    """public K5, researcher F5: right answers in other dress, or with a bracket behind them, were
    wrong."""
    orders = data.draw(st.lists(dressed(n), min_size=1, max_size=3))
    shorter = data.draw(st.permutations(range(1, n + 1)))[: data.draw(st.integers(0, n - 1))]
    text = before + " no: ".join(said for *_, said in orders) + f" {after} {shorter}"
    marked = [order for order, is_marked, _ in orders if is_marked]
    assert read_answer(text, n) == ((marked or [orders[-1][0]])[-1], None), text


def test_all_recorded_wordings_are_read_as_they_should_be() -> None:
    """public K5: 17 of 53 were read as they were meant, and 41 by the release."""
    meant = [c["meant"] for c in WORDINGS]
    strict = [read_answer(c["text"], c["n"])[0] for c in WORDINGS]
    released = [read_release_answer(c["text"], c["n"])[0] for c in WORDINGS]
    assert strict == [c["strict"] for c in WORDINGS]
    assert released == [c["release"] for c in WORDINGS]
    assert sum(map(eq, strict, meant)) == 47
    assert sum(map(eq, released, meant)) == 41


@pytest.mark.parametrize(
    ("raw", "stop", "expected"),
    [
        ("I cannot answer. [1, 2, 3]", "refused", (None, "refused")),
        ("", "refused", (None, "refused")),
        ("[2, 1, 3], as the cup is", "cut", ([2, 1, 3], None)),
        # The beginning of a longer list, or of a thought.
        ("[2, 1]", "cut", (None, "cut")),
        ("[2, 1, ", "cut", (None, "cut")),
        ("[1, 1, 3]", "cut", (None, "cut")),
        ("", "cut", (None, "cut")),
        ("[2, 1]", "complete", ([2, 1], "wrong_length")),
        ("no", None, (None, "no_list")),
        # public K2, researcher F1: what a model thinks was scored.
        ("<think>A first guess is [1, 2, 3]. But in", "cut", (None, "cut")),
        ("<think>Candidates: [1, 2, 3].</think> [2, 1", "cut", (None, "cut")),
        ("I'm sorry, I can't", "refused", (None, "refused")),
    ],
)
def test_a_refusal_is_no_order_and_a_cut_answer_only_a_whole_one(
    raw: str, stop: str | None, expected: tuple[list[int] | None, str | None]
) -> None:
    found = heed_stop(read_answer(raw, 3), stop)
    assert found == expected
    assert found[1] is None or found[1] in REASONS


MARKS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<Reasoning>", "</Reasoning>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|think_start|>", "<|think_end|>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("&lt;think&gt;", "&lt;/think&gt;"),
]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("<think>maybe [1, 2]</think> [2, 1]", " [2, 1]"),
        ("maybe [1, 2]</think>[2, 1]", "[2, 1]"),
        ("[2, 1] <think>or [1, 2]?</think>", "[2, 1] "),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<think>so <think> begins</think>[2, 1]", "[2, 1]"),
        ("<reasoning><think>a</think>[1, 2]</reasoning>[2, 1]", "[2, 1]"),
        ("<think>a</think>[1, 2]</think>[2, 1]", "[2, 1]"),
        ("I [think] it is [2, 1]", "I [think] it is [2, 1]"),
        ("<reasoning><think>a</think>[1, 2]", None),
        ("[2, 1] <think>or", None),
        ("", ""),
    ],
)
def test_what_is_said_without_its_thoughts(written: str, said: str | None) -> None:
    """public K2, researcher F1."""
    assert without_thinking(written) == said


@given(st.sampled_from(MARKS), st.permutations(range(1, 5)), st.permutations(range(1, 5)))
def test_thinking_is_never_an_answer(
    mark: tuple[str, str], thought: list[int], answer: list[int]
) -> None:
    """public K2, researcher F1: by the mark of any server, begun by the model or by its prompt."""
    begin, end = mark
    assert read_answer(f"{begin}so {thought}", 4) == (None, "open_thought")
    for began in (begin, ""):
        thinking = f"{began}so {thought}, no{end}"
        assert read_answer(thinking, 4) == (None, "empty_answer")
        assert read_answer(f"{thinking} I cannot decide.", 4) == (None, "no_list")
        assert read_answer(f"{thinking} {answer}", 4) == (list(answer), None)
