"""Code versions: what can decide a row counts, and what cannot does not."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.answers.baselines.references import BASELINES
from enact_assets.answers.world.models import WORLD_MODELS
from enact_assets.engine.code_versions import CodeVersions, Symbol
from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.steps import STEPS
from enact_assets.engine.symbols import read_module
from enact_assets.pipeline.lineage.code import (
    PACKAGE,
    code_versions,
    versions_by_reach,
)
from enact_assets.pipeline.lineage.former_versions import FORMER

FILES = {
    "__init__.py": "from toy.words import label\n",
    "words.py": """
import importlib
import numpy as np
from pathlib import Path
from toy.errors import ToyError
from toy.tables import Things
from toy import kernels, unused

LIMIT, OTHER = 3, 4
TEXT = (Path(__file__).parent / "data" / "text.txt").read_text()
BY_NAME = {}

def label(name: str) -> str:
    "Says it."
    if not name:
        raise ToyError(f"{name}: no name")  # a comment
    return name[:LIMIT] + str(kernels.count(np.ones(2))) + Things.title()

def lazy():
    from toy.late import value
    return value

def plugins():
    return importlib.import_module("toy.plugins." + "one").NAME

def note(f):
    BY_NAME[f.__name__] = f
    return f
""",
    "errors.py": "class ToyError(Exception):\n    'An error.'\n",
    "kernels.py": "from numba import njit\n\n@njit(cache=True)\ndef count(x):\n    "
    "return x.sum()\n",
    "late.py": "value = 1\nanother = 1\n",
    "tables.py": """
from toy.columns import constant, text

class Base:
    def title(self):
        return "title"

class Things(Base):
    name = text("what it is called", key=True)
    most = constant(8, source="A.1", meaning="how many")
""",
    "columns.py": "def text(meaning, key=False):\n    return key\n\n"
    "def constant(value, source, meaning):\n    return value\n",
    "unused.py": "def alone():\n    return 1\n",
    "filed.py": "from toy.words import note\n\n@note\ndef found():\n    return 1\n",
    "uses_filed.py": "from toy import filed\n\ndef use():\n    return filed.CONSTANT\n",
    "plugins/__init__.py": "",
    "plugins/one.py": "NAME = 'one'\n",
    "data/text.txt": "words",
}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / name).write_text(text)
    (tmp_path / "toy" / "filed.py").write_text(FILES["filed.py"] + "\nCONSTANT = 1\n")
    return tmp_path / "toy"


def version(toy: Path, root: str, **libraries: str) -> str:
    module, _, name = root.rpartition(".")
    return CodeVersions("toy", toy, libraries=libraries).version([Symbol(module, name)])


COUNTS = [
    ("words.label", "words.py", "name[:LIMIT]", "name[1:LIMIT]"),
    ("words.label", "words.py", "LIMIT, OTHER = 3, 4", "LIMIT, OTHER = 5, 4"),
    ("words.label", "kernels.py", "x.sum()", "x.max()"),
    ("words.label", "kernels.py", "cache=True", "cache=True, fastmath=True"),
    ("words.label", "tables.py", 'return "title"', 'return "another"'),
    ("words.label", "tables.py", "key=True", "key=False"),
    ("words.label", "tables.py", "constant(8", "constant(9"),
    ("words.label", "columns.py", "return key", "return not key"),
    ("words.label", "errors.py", "(Exception)", "(ValueError)"),
    ("words.lazy", "late.py", "value = 1", "value = 2"),
    ("words.plugins", "plugins/one.py", "'one'", "'two'"),
    ("words.TEXT", "data/text.txt", "words", "other words"),
    ("uses_filed.use", "filed.py", "return 1", "return 2"),
    ("uses_filed.use", "words.py", "BY_NAME[f.__name__] = f", "BY_NAME[f.__name__] = None"),
]
DOES_NOT_COUNT = [
    ("words.label", "words.py", "Says it.", "Says it otherwise."),
    ("words.label", "words.py", "# a comment", "# another"),
    ("words.label", "words.py", ": no name", ": it has no name"),
    ("words.label", "words.py", "name: str", "name: object"),
    ("words.label", "words.py", "-> str", "-> object"),
    ("words.label", "words.py", "def lazy():", "def lazy():\n    print(1)"),
    ("words.label", "tables.py", "what it is called", "its name"),
    ("words.label", "tables.py", '"A.1", meaning="how many"', '"A.2", meaning="how many, at most"'),
    ("words.label", "unused.py", "return 1", "return 2"),
    ("words.label", "errors.py", "'An error.'", "'An error, and what it means.'"),
    ("words.label", "late.py", "value = 1", "value = 2"),
    ("words.lazy", "late.py", "another = 1", "another = 2"),
    ("words.label", "filed.py", "return 1", "return 2"),
]


@pytest.mark.parametrize(("root", "file", "old", "new"), COUNTS)
def test_an_edit_that_may_change_rows_counts(
    toy: Path, root: str, file: str, old: str, new: str
) -> None:
    assert _is_stale(toy, root, file, old, new)


@pytest.mark.parametrize(("root", "file", "old", "new"), DOES_NOT_COUNT)
def test_an_edit_that_changes_no_row_does_not_count(
    toy: Path, root: str, file: str, old: str, new: str
) -> None:
    assert not _is_stale(toy, root, file, old, new)


def _is_stale(toy: Path, root: str, file: str, old: str, new: str) -> bool:
    before = version(toy, f"toy.{root}")
    text = (toy / file).read_text()
    assert old in text
    (toy / file).write_text(text.replace(old, new))
    return version(toy, f"toy.{root}") != before


def test_libraries_count_by_version_where_they_are_reached(toy: Path) -> None:
    assert version(toy, "toy.words.label", numpy="1") != version(toy, "toy.words.label", numpy="2")
    assert version(toy, "toy.words.lazy", numpy="1") == version(toy, "toy.words.lazy", numpy="2")


CHAIN = {
    "front.py": "from toy.facts import KINDS, state\nfrom toy.names import called\n"
    "def made(x):\n    return [called(state(x)), KINDS]\n",
    "facts.py": 'KINDS = ("ontop", "inside")\n\ndef state(x):\n    return _half(x) + 1\n\n'
    "def _half(x):\n    from toy.late import value\n    return x // 2 + value\n",
    "names.py": 'from toy.late import another\nKINDS = ("cup", "plate")\n\n'
    "def called(x):\n    return KINDS[x % 2] * another\n",
    "late.py": FILES["late.py"],
}


def _chain(folder: Path, **changed: str | None) -> str:
    """Version of ``front.made``; ``changed`` modules are others, None: gone."""
    package = folder / f"{len(list(folder.iterdir()))}" / "toy"
    for name, text in {**CHAIN, **{f"{m}.py": t for m, t in changed.items()}}.items():
        if text is not None:
            path = package / name.replace("__", "/", 1)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return CodeVersions("toy", package).version([Symbol("toy.front", "made")])


def test_what_moves_or_is_split_or_merged_stays_as_it_is(tmp_path: Path) -> None:
    front, facts, names = CHAIN["front.py"], CHAIN["facts.py"], CHAIN["names.py"]
    moved = {
        "front": front.replace("toy.names", "toy.room.words"),
        "names": None,
        "room__words": names,
    }
    inside, half = facts.split("def _half")
    split = {"facts": f"from toy.halves import _half\n{inside}", "halves": f"def _half{half}"}
    imported = facts.replace("    from toy.late import value\n", "")
    hoisted = {"facts": f"from toy.late import value\n{imported}"}
    one_file = {
        "front": f"from toy.names import called\n{facts}\n"
        "def made(x):\n    return [called(state(x)), KINDS]\n",
        "facts": None,
    }
    wanted = _chain(tmp_path)
    assert [_chain(tmp_path, **of) for of in (moved, split, hoisted, one_file)] == [wanted] * 4


def test_two_of_one_name_are_told_apart(tmp_path: Path) -> None:
    front, facts, names = CHAIN["front.py"], CHAIN["facts.py"], CHAIN["names.py"]
    exchanged = {
        "facts": facts.replace('"ontop", "inside"', '"cup", "plate"'),
        "names": names.replace('"cup", "plate"', '"ontop", "inside"'),
    }
    swapped = front.replace("toy.facts import KINDS, state", "toy.facts import state")
    swapped = swapped.replace("toy.names import called", "toy.names import KINDS, called")
    versions = [_chain(tmp_path), _chain(tmp_path, **exchanged), _chain(tmp_path, front=swapped)]
    versions += [
        _chain(tmp_path, facts=facts.replace('"inside"', '"under"')),
        _chain(tmp_path, names=names.replace('"plate"', '"bowl"')),
    ]
    assert len(set(versions)) == len(versions)


LOCAL = [
    ("def made(x, called=None):\n    return called(x)", set()),
    ("def made(x, other=called):\n    return other(x)", {"called"}),
    ("def made(x):\n    return [called for called in x]", set()),
    ("def made(x):\n    return [called for called in called]", {"called"}),
    ("def made(x):\n    return [y for y in x if (called := y)], called", set()),
    ("def made(x):\n    return [called for called in x], called", {"called"}),
    ("def made(x):\n    return lambda called: called, {called: 1 for called in x}", set()),
    ("def made(x):\n    return lambda y: called", {"called"}),
    ("def made(x):\n    called = x\n    def inner():\n        return called\n", set()),
    ("def made(x):\n    def inner():\n        called = x\n    return called", {"called"}),
    ("def made(x):\n    global called\n    called = x", {"called"}),
    ("def made(x):\n    with open(x) as called:\n        called.read()", set()),
    ("async def made(x):\n    async for called in x:\n        called()", set()),
    ("async def made(x):\n    await called(x)", {"called"}),
    ("def made(x):\n    match x:\n        case {'a': called, **rest}:\n            called", set()),
    ("class made:\n    def f(self, called):\n        return called", set()),
    ("class made:\n    def f(self):\n        return called", {"called"}),
    ("def made(x, key=lambda called: called):\n    return called(x)", {"called"}),
    (
        "def made(x):\n    called = x\n    def g():\n        global called\n        called",
        {"called"},
    ),
    (
        (
            "def made(x):\n    try:\n        from toy.names import called\n"
            "    except ImportError:\n        called = None\n    return called"
        ),
        {"called"},
    ),
]


@pytest.mark.parametrize(("text", "names"), LOCAL)
def test_a_local_variable_reads_nothing_of_the_module(
    tmp_path: Path, text: str, names: set[str]
) -> None:
    read = _read(tmp_path, f"from toy.names import called\n{text}\n")
    assert {symbol.name for symbol in read} & {"called"} == names


BOUND_TWICE = [
    (
        "class made:\n    def f(self):\n        from toy.facts import KINDS\n        return KINDS\n"
        "    def g(self):\n        from toy.names import KINDS\n        return KINDS"
    ),
    (
        "try:\n    from toy.facts import KINDS\n"
        "except ImportError:\n    from toy.names import KINDS\ndef made():\n    return KINDS"
    ),
    (
        "from toy.facts import KINDS\nimport toy.names\nKINDS = KINDS or toy.names.KINDS\n"
        "def made():\n    return KINDS"
    ),
    (
        "from toy.facts import KINDS\nclass made:\n    def f(self):\n        return KINDS\n"
        "    def g(self):\n        from toy.names import KINDS\n        return KINDS"
    ),
    (
        "try:\n    from toy.facts import KINDS\nexcept ImportError:\n    KINDS = None\n"
        "from toy.names import KINDS\ndef made():\n    return KINDS"
    ),
]


@pytest.mark.parametrize("text", BOUND_TWICE)
def test_all_that_a_name_can_be_bound_to_is_read(tmp_path: Path, text: str) -> None:
    read = _read(tmp_path, text)
    assert {Symbol("toy.facts", "KINDS"), Symbol("toy.names", "KINDS")} <= read


def test_names_of_star_imports_are_read(tmp_path: Path) -> None:
    front = "from toy.late import *\nfrom toy.names import *\ndef made():\n    return called(2)\n"
    assert Symbol("toy.names", "KINDS") in _read(tmp_path / "direct", front)
    text = "from toy.front import *\nfrom toy import front\n"
    handed_on = f"{text}def made():\n    return front.called(2)\n"
    (tmp_path / "handed" / "toy").mkdir(parents=True)
    for name, content in {**CHAIN, "front.py": front, "end.py": handed_on}.items():
        (tmp_path / "handed" / "toy" / name).write_text(content)
    found = CodeVersions("toy", tmp_path / "handed" / "toy").reached([Symbol("toy.end", "made")])
    assert Symbol("toy.names", "KINDS") in found


ANOTHER = [
    ("from math import floor as rounded", "from math import ceil as rounded"),
    ("import math as m, cmath as n", "import cmath as m, math as n"),
    (
        "def f():\n    from math import floor as rounded",
        "def f():\n    from math import ceil as rounded",
    ),
    ("if LIMIT > 2:\n    N = 1\nelse:\n    N = 2", "if LIMIT > 4:\n    N = 1\nelse:\n    N = 2"),
    ("N = rng.integers(0, 10)", "N = rng.integers(0, 20)"),
    ("N = axes.text(0, 0, 'words')", "N = axes.text(0, 0, 'other words')"),
    ("N = pl.Array(pl.Float32, 3)", "N = pl.Array(pl.Float32, 4)"),
]


@pytest.mark.parametrize(("old", "new"), ANOTHER)
def test_another_meaning_counts(tmp_path: Path, old: str, new: str) -> None:
    end = "\n    return rounded, m, n, N\n"
    end = end if old.startswith("def") else f"\ndef f():{end}"
    (tmp_path / "made.py").write_text(f"LIMIT = 3\n{old}{end}")
    before = CodeVersions("toy", tmp_path).version([Symbol("toy.made", "f")])
    (tmp_path / "made.py").write_text(f"LIMIT = 3\n{new}{end}")
    assert CodeVersions("toy", tmp_path).version([Symbol("toy.made", "f")]) != before


def test_two_of_one_name_and_code_are_told_apart_by_what_they_read(tmp_path: Path) -> None:
    """However far away that is."""
    twin = "def kinds():\n    return inner()\ndef inner():\n    return KINDS\n"
    facts, names = f'KINDS = ("ontop",)\n{twin}', f'KINDS = ("cup",)\n{twin}'
    front = "from toy.facts import kinds\nfrom toy.names import kinds as others\n"
    front += "def made():\n    return kinds(), others()\n"
    swapped = front.replace("facts", "?").replace("names", "facts").replace("?", "names")
    versions = [
        _chain(tmp_path, front=front, facts=facts, names=names),
        _chain(tmp_path, front=swapped, facts=facts, names=names),
    ]
    assert len(set(versions)) == 2
    assert _chain(tmp_path, front=swapped, facts=names, names=facts) == versions[0]


def test_names_of_data_files_count_where_a_folder_is_read(tmp_path: Path) -> None:
    """They may be keys."""
    (tmp_path / "toy" / "prompts").mkdir(parents=True)
    (tmp_path / "toy" / "prompts" / "a.txt").write_text("text")
    (tmp_path / "toy" / "reader.py").write_text(
        'from pathlib import Path\nALL = list((Path(__file__).parent / "prompts").glob("*"))\n'
    )
    before = version(tmp_path / "toy", "toy.reader.ALL")
    (tmp_path / "toy" / "prompts" / "a.txt").rename(tmp_path / "toy" / "prompts" / "b.txt")
    assert version(tmp_path / "toy", "toy.reader.ALL") != before


def test_a_hash_is_the_same_in_every_python() -> None:
    """Python 3.12 gave functions and classes a field, 3.13 writes no empty lists: ``ast.dump``."""
    text = (
        "class A:\n    x = None\n\n    def f(self, y=1):\n        return f'{y!r}', [], None, -1.5\n"
    )
    assert read_module(text).symbols["A"].sha == "a599915da0d88053a34c24f1"


def _read(folder: Path, text: str) -> set[Symbol]:
    (folder / "toy").mkdir(parents=True)
    for name, content in {**CHAIN, "front.py": text}.items():
        (folder / "toy" / name).write_text(content)
    return CodeVersions("toy", folder / "toy").reached([Symbol("toy.front", "made")])


DATA_OF = [
    ('Path(__file__).parent / "prompts"', {"prompts/a.txt", "prompts/b/c.yaml"}),
    ('Path(__file__).resolve().parent / "prompts" / "a.txt"', {"prompts/a.txt"}),
    ('Path(__file__).with_name("own.csv")', {"own.csv"}),
    (
        'str(Path(__file__).parents[0]) + "/own.csv"',
        {"own.csv", "prompts/a.txt", "prompts/b/c.yaml"},
    ),
    ('Path(__file__).parents[1] / "outside.csv"', set()),
    ("os.path.dirname(__file__)", {"own.csv", "prompts/a.txt", "prompts/b/c.yaml"}),
]


@pytest.mark.parametrize(("found_by", "files"), DATA_OF)
def test_data_files_count_for_who_finds_them(
    tmp_path: Path, found_by: str, files: set[str]
) -> None:
    every = ["own.csv", "prompts/a.txt", "prompts/b/c.yaml"]
    for name in every:
        (tmp_path / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / name).write_text(name)
    (tmp_path / "toy" / "reader.py").write_text(
        f"import os\nfrom pathlib import Path\nTEXT = ({found_by})\nOTHER = 1\n"
    )
    before = version(tmp_path / "toy", "toy.reader.TEXT")
    other = version(tmp_path / "toy", "toy.reader.OTHER")
    for name in every:
        (tmp_path / "toy" / name).write_text("edited")
        assert (version(tmp_path / "toy", "toy.reader.TEXT") != before) == (name in files), name
        assert version(tmp_path / "toy", "toy.reader.OTHER") == other
        (tmp_path / "toy" / name).write_text(name)


def test_what_is_cut_is_not_followed_but_handed_on(toy: Path) -> None:
    (toy / "errors.py").write_text("from toy.late import another\nclass ToyError: ...\n")
    (toy / "words.py").write_text(
        "from toy.errors import ToyError, another\ndef f(): ToyError, another\n"
    )
    found = CodeVersions("toy", toy, cut=["toy.errors"]).reached([Symbol("toy.words", "f")])
    assert found == {Symbol("toy.words", "f"), Symbol("toy.late", "another")}


def test_the_cache_changes_nothing_whatever_is_in_it(toy: Path, tmp_path: Path) -> None:
    cache, roots = tmp_path / "cache", {"label": [Symbol("toy.words", "label")]}
    plain = CodeVersions("toy", toy).versions(roots)
    assert plain == {"label": CodeVersions("toy", toy).version(roots["label"])}
    for content in (None, b"", b"garbage"):
        if content is not None:
            cache.write_bytes(content)
        assert CodeVersions("toy", toy, cache=cache).versions(roots) == plain
    more = roots | {"named": [Symbol("toy.tables", "Things")]}
    assert CodeVersions("toy", toy, cache=cache).versions(more)["label"] == plain["label"]
    (toy / "kernels.py").write_text(FILES["kernels.py"].replace("sum", "max"))
    assert CodeVersions("toy", toy, cache=cache).versions(roots) != plain


def test_nothing_is_computed_again_where_no_file_changed(toy: Path, tmp_path: Path) -> None:
    """Half a CPU second for each command that asks for versions."""
    cache, roots = tmp_path / "cache", {"label": [Symbol("toy.words", "label")]}
    found = CodeVersions("toy", toy, cache=cache).versions(roots)
    again = CodeVersions("toy", toy, cache=cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CodeVersions, "version", lambda *_: pytest.fail("computed again"))
        assert again.versions(roots) == found
        for change in ({"cut": ["toy.kernels"]}, {"libraries": {"numpy": "2"}}):
            with pytest.raises(pytest.fail.Exception):
                CodeVersions("toy", toy, cache=cache, **change).versions(roots)
        (toy / "more.csv").write_text("1")
        with pytest.raises(pytest.fail.Exception):
            CodeVersions("toy", toy, cache=cache).versions(roots)


def test_the_cache_remembers_what_was_read_though_it_is_edited_since(
    toy: Path, tmp_path: Path
) -> None:
    """Else the version of before would be that of the edited code for ever (faults N2)."""
    cache, roots = tmp_path / "cache", {"label": [Symbol("toy.words", "label")]}
    versions = CodeVersions("toy", toy, cache=cache)
    kept = versions.versions({"label": roots["label"], "table": []})
    (toy / "kernels.py").write_text(FILES["kernels.py"].replace("sum", "max"))
    assert versions.versions(roots)["label"] == kept["label"]
    edited = CodeVersions("toy", toy).versions(roots)
    assert edited["label"] != kept["label"]
    assert CodeVersions("toy", toy, cache=cache).versions(roots) == edited


def test_a_root_that_is_not_there_is_named(toy: Path) -> None:
    with pytest.raises(DeclarationError, match=r"toy\.words has no function or class 'lable'"):
        version(toy, "toy.words.lable")


COUNTS_PATHS = {"path_counts", "trajectories", "qa", "rule_effects"}
SAYS_LABELS = {
    *("visible_changes", "trajectories", "qa", "question_orders", "asked_questions"),
    *("evaluation", "error_analysis", "training_statistics", "fact_reader", "action_states"),
    *("rule_effects", "model_findings"),
}
DRAWS = {
    *("replays", "visibility", "trajectories", "question_set", "asked_questions", "probes"),
    *("model_comparisons", "training_statistics", "human_agreement"),
    *("training_plans", "world_questions", "rule_effects", "captions"),
}
REAL: list[tuple[str, str, str, set[str]]] = [
    # File, old text, new text, the steps that become stale.
    (
        "questions/key_frames/segment.py",
        "Key frames of one demonstration and",
        "All key frames, and",
        set(),
    ),
    (
        "engine/errors.py",
        "class RenderError(",
        "class NewError(Exception): ...\n\n\nclass RenderError(",
        set(),
    ),
    ("questions/paths/tables.py", "valid trajectories that end here", "ends", set()),
    ("results/statistics/multiplicity.py", "def ", "def new():\n    pass\n\n\ndef ", set()),
    (
        "results/verification/tables.py",
        '"steps of the question"',
        '"steps", null=True',
        {"evaluation"},
    ),
    # It made 87 partitions stale, every simulation among them.
    (
        "settings/further_predicates.py",
        "...] = ()",
        '...] = (Further("Sliced", 1, "material_state", "Cut in two.", "🔪", "a is cut"),)',
        set(),
    ),
    ("questions/paths/kernels.py", "(cache=True)", "(cache=True, fastmath=True)", COUNTS_PATHS),
    ("results/paper/published_probes.csv", "\n", "\n\n", {"published_results"}),
    # It reworded every question, and the plan said fresh.
    ("settings/predicates.py", 'replace("_", " ")', 'replace("_", "-")', SAYS_LABELS),
    ("engine/ids.py", "[:16], 16) >> 1", "[:15], 16) >> 1", DRAWS),
    (
        "answers/baselines/references.py",
        '*("identity", ',
        "*(",
        {"model_comparisons", "model_findings", "mirrored_findings"},
    ),
    # Pictures of key frames have a version of their own; those that are trained on have none.
    (
        "simulator/rendering/renderer.py",
        "os.cpu_count() or 1",
        "os.cpu_count() or 2",
        {"replays", "training_statistics"},
    ),
    ("simulator/simulate.py", "END_S = 2.0", "END_S = 2.5", {"replays", "training_statistics"}),
    ("answers/learned/ridge.py", "STRENGTH = 0.3", "STRENGTH = 0.4", {"fact_reader"}),
    # Two of one name.
    (
        "answers/learned/picture_features.py",
        "GRID = 16",
        "GRID = 8",
        {"training_statistics", "world_filters"},
    ),
    (
        "results/statistics/clusters.py",
        "GRID = 2.0**-32",
        "GRID = 2.0**-30",
        {"probes", "model_comparisons"},
    ),
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy") / "enact_assets"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def versions(
    copied: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], dict[str, str]]:
    cache = tmp_path_factory.mktemp("cache") / "symbols"

    return lambda: versions_by_reach(code_versions(copied, cache))


@pytest.fixture(scope="module")
def before(versions: Callable[[], dict[str, str]]) -> dict[str, str]:
    return versions()


def changed_by(
    path: Path,
    old: str,
    new: str,
    versions: Callable[[], dict[str, str]],
    before: dict[str, str],
) -> set[str]:
    """Steps and answers whose version an edit of ``path`` changes; it is undone."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    try:
        after = versions()
    finally:
        path.write_text(text)
    return {name for name in after if after[name] != before[name]}


@pytest.mark.parametrize(("file", "old", "new", "stale"), REAL)
def test_a_planted_edit_makes_the_right_steps_stale(  # noqa: PLR0917 - of the table
    copied: Path,
    versions: Callable[[], dict[str, str]],
    before: dict[str, str],
    file: str,
    old: str,
    new: str,
    stale: set[str],
) -> None:
    """Too few, and old rows look fresh; too many, and hours are spent on nothing."""
    changed = changed_by(copied / file, old, new, versions, before)
    assert {name for name in changed if name in STEPS} == stale


@pytest.mark.parametrize(
    ("file", "old", "new", "stale"),
    [
        # An edit of one made the answers of all others stale.
        (
            "answers/baselines/text_prior.py",
            "[4, 4, 2, 2, 1, 1]",
            "[4, 4, 2, 2, 2, 1]",
            {"text_prior", *WORLD_MODELS},  # one of these breaks the fewest of its rules
        ),
        (
            "answers/baselines/pixel_continuity.py",
            "difference**2",
            "difference**4",
            {"pixel_continuity"},
        ),
        ("answers/baselines/references.py", "range(1, request", "range(0, request", {"identity"}),
        (
            "answers/baselines/references.py",
            '    "random": _random,',
            '    "reverse": _identity,\n    "random": _random,',
            set(),
        ),
        # What all answers go through counts for all.
        (
            "answers/baselines/references.py",
            "error=reply.error,",
            "error=str(reply.error),",
            {*BASELINES, *LEARNED},
        ),
    ],
)
def test_a_planted_edit_makes_the_answers_of_the_right_baselines_stale(  # noqa: PLR0917
    copied: Path,
    versions: Callable[[], dict[str, str]],
    before: dict[str, str],
    file: str,
    old: str,
    new: str,
    stale: set[str],
) -> None:
    changed = changed_by(copied / file, old, new, versions, before)
    answers = {name for name in changed if name.startswith("answers of ")}
    assert answers == {f"answers of {name}" for name in stale}


def test_former_versions_are_those_of_code_that_is_as_it_was() -> None:
    gone = FORMER.keys() - versions_by_reach().values()
    assert not gone, (
        f"their code changed, so these rows of pipeline/lineage/former_versions.py go: {gone}"
    )
