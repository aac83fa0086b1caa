"""What each command imports before it works: every call pays for it, and no test may time it."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.synthetic import generate
from enact_assets.demonstrations.replay.recorded_export import write_recorded

pytestmark = pytest.mark.slow
RUN = """
import sys
from contextlib import suppress
with suppress(SystemExit):
    if sys.argv[1] == "definitions":
        import enact_assets.definitions
    else:
        from enact_assets.cli import main
        main(sys.argv[1:])
# pyarrow imports pandas where there is one: the environment of all tests has it, ours has not.
print("loaded", sum(name.partition(".")[0] != "pandas" for name in sys.modules))
"""
MOST = {
    "--version": 240,
    "--help": 240,
    "sql": 780,
    "leaderboard": 780,
    "list": 980,
    "segment": 1180,
}
"""Modules of each command, some more than there are today; of the definitions as well."""
MOST["definitions"] = 2180


def test_each_command_imports_what_it_needs(materialized, tmp_path: Path) -> None:
    folder = tmp_path / "replayed" / "household"
    folder.mkdir(parents=True)
    write_recorded(generate(0, 300), folder / "scene_graph_0.json.gz", flavour="diff")
    data = ["--data", str(materialized.root)]
    commands = {
        "sql": ["sql", "select 1", *data],
        "leaderboard": ["leaderboard", *data],
        "list": ["list", *data],
        "segment": ["segment", str(folder.parent), str(tmp_path / "segmented")],
    }
    loaded_by(commands["segment"])  # kernels that are not compiled yet need the whole compiler
    found = {name: loaded_by(commands.get(name, [name])) for name in MOST}
    assert {name: n for name, n in found.items() if n > MOST[name]} == {}
    # Else the numbers are of something else.
    assert all(n > 0.8 * MOST[name] for name, n in found.items()), found


def loaded_by(words: list[str]) -> int:
    command = [sys.executable, "-c", RUN, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own interpreter, our own code
    return int(done.stdout.split()[-1])
