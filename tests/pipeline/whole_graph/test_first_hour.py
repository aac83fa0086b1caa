"""The hour of a new user, command by command; docs/first_hour.md is what it printed.

Slow: some minutes. ``ENACT_WRITE_DOCS=1`` writes the page anew instead of comparing its commands;
otherwise the demo has one demonstration, which asks for the same commands in less time.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dagster import DagsterEventType, RunsFilter

from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

from reference.undrawn import SITE

pytestmark = pytest.mark.slow

WRITES = bool(os.environ.get("ENACT_WRITE_DOCS"))
QUESTION = re.compile(r"(?<= show )[0-9a-f]{12}$")
PROJECT = Path(__file__).parents[3]
PAGE = PROJECT / "docs" / "first_hour.md"
FILM = "docs/annotated_video/picking_up_toys_1"
MODEL = """class InOrder:
    def answer(self, parts):
        # Texts and pictures as any model sees them; between two pictures lies one action.
        n_pictures = sum(not isinstance(part, str) for part in parts)
        return str(list(range(1, n_pictures)))
"""
ANSWERING = """import json

with open("out/messages.jsonl") as questions, open("answers.jsonl", "w") as answers:
    for line in questions:
        question = json.loads(line)
        order = list(range(question["n_entries"], 0, -1))
        answer = {"question_id": question["question_id"], "answer": str(order)}
        answers.write(json.dumps(answer) + "\\n")
"""
WRONG = "select question_id from answers where model = 'backwards' and not is_accepted limit 1"
INTRODUCTION = """# The first hour

A script runs these commands and writes this page: it is what they print, shortened (`...`). `make
demo` runs the first command; for the others, `. .venv/bin/activate` first. None needs a GPU, a key
or a network.

To be quick, the script draws pictures of 64 x 64 pixels. The size is a setting of the registry, so
it makes a copy of that, which later commands read too:

    sed 's/size_px: 512/size_px: 64/' enact_assets/registry.yaml > small.yaml
    export ENACT_REGISTRY=$PWD/small.yaml

Without these two lines pictures have 512 x 512 pixels, and only `pixel_continuity`, which looks at
pixels, answers otherwise. In a data root that has pictures already, another size makes all of them
again: give it a data root of its own (`--data small`).

Seconds below are of two cores busy with other work (load 3 to 4, 2026-11-29): idle, each takes a
quarter to two thirds of these.

## Make the demo
Three embedded demonstrations, three variants, five reference baselines. The data root remembers
them as its scope: what follows stays within it until more is asked for."""


class Hour:
    """A folder in which commands are run as a user would; keeps what a page is to show."""

    def __init__(self, folder: Path, registry: Path) -> None:
        self.folder, self.registry = folder, registry
        self.page: list[str] = []
        self.seconds: dict[str, float] = {}

    def say(self, text: str) -> None:
        """Words of the page between two commands."""
        self.page.append(text.strip())

    def write(self, name: str, text: str, language: str = "python") -> None:
        """A file that the user writes."""
        (self.folder / name).write_text(text)
        self.page.append(f"`{name}`:\n```{language}\n{text.rstrip()}\n```")

    def run(self, command: str, *, code: int = 0, keep: int = 12) -> str:
        """What ``command`` prints; the page shows its last ``keep`` lines."""
        began = time.monotonic()
        done = self._call(command)
        self.seconds[command] = time.monotonic() - began
        printed = done.stdout + done.stderr
        assert done.returncode == code, f"{command}: exit {done.returncode}\n{printed}"
        for place in (Path(sys.executable).parent, self.folder):
            printed = printed.replace(f"{place}/", "")
        lines = [line.rstrip() for line in printed.strip().splitlines()]
        cut = ["..."] if len(lines) > keep else []
        self.page.append("\n".join(["```", f"$ {command}", *cut, *lines[-keep:], "```"]))
        return printed

    def _call(self, command: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "ENACT_REGISTRY": str(self.registry),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{PROJECT}:{self.folder}",
            "COLUMNS": "100",
        }
        return subprocess.run(  # noqa: S603 - our own commands
            shlex.split(command),
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def makes_what_its_plan_says(self, walk: str) -> set[tuple[str, str | None]]:
        """Run ``materialize`` with some options; gives what it made, which its plan must list."""
        options = walk.partition("materialize")[2]
        planned = json.loads(self._call(f"enact-assets plan --json {options}").stdout)
        certain = {(step["step"], step["partition"]) for step in planned["stale"]}
        possible = {(name, p) for name, found in planned["may_follow"].items() for p in found}
        before = self.made()
        self.run(walk)
        made = self.made()[len(before) :]
        assert certain <= set(made) <= certain | possible
        assert len(made) == len(set(made))
        again = json.loads(self._call(f"enact-assets plan --json {options}").stdout)
        assert (again["stale"], again["may_follow"]) == ([], {})
        return set(made)

    def made(self) -> list[tuple[str, str | None]]:
        """Step and partition of all that was made so far, the oldest first."""
        instance = open_instance(self.folder / "data")
        kind = DagsterEventType.ASSET_MATERIALIZATION
        first = {step.assets[0]: step.name for step in STEP_NAMED.values()}
        found = []
        for run in reversed(instance.get_runs(RunsFilter())):
            for told in instance.all_logs(run.run_id, of_type=kind):
                event = told.asset_materialization
                if event is not None and (asset := event.asset_key.to_user_string()) in first:
                    found.append((first[asset], event.partition))
        return found


def small_pictures(folder: Path) -> Path:
    """The shipped registry with pictures of 64 px; of one demonstration and few questions about it
    if no page is written.
    """
    path = folder / "small.yaml"
    edit(DEFAULT_REGISTRY, path, "size_px: 512", "size_px: 64")
    if not WRITES:
        names = load_registry().demo["demonstration"]
        edit(path, path, f"[{', '.join(names)}]", f"[{names[0]}]")
        edit(path, path, "trajectories_per_length: 48 ", "trajectories_per_length: 12 ")
    return path


def edit(before: Path, after: Path, old: str, new: str) -> None:
    """Write ``after``: the file ``before`` with the one text ``old`` replaced."""
    text = before.read_text("utf-8")
    assert text.count(old) == 1
    after.write_text(text.replace(old, new), "utf-8")


def demonstrations_of(made: set[tuple[str, str | None]], step: str) -> set[str]:
    return {str(partition).partition("|")[0] for name, partition in made if name == step}


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Hour:
    folder = tmp_path_factory.mktemp("hour")
    (folder / "docs").symlink_to(PROJECT / "docs")
    if not WRITES:
        (folder / "sitecustomize.py").write_text(SITE)
    return Hour(folder, small_pictures(folder))


def test_each_step_makes_what_was_asked_for(hour: Hour) -> None:
    hour.say(INTRODUCTION)
    hour.run("enact-assets demo", keep=34)
    demo = hour.made()
    simulated = demonstrations_of(set(demo), "replays")
    assert hour.run("enact-assets plan").startswith("Nothing to do")

    hour.say("""## A model of your own
Any Python class with one method. `ask` shows it twenty questions; then it joins the leaderboard.
Nothing is simulated or rendered for it.""")
    hour.write("my_model.py", MODEL)
    hour.run("enact-assets ask python/my_model:InOrder --questions 20", keep=14)
    made = hour.makes_what_its_plan_says(
        "enact-assets materialize --model python/my_model:InOrder --variant baseline"
    )
    assert not demonstrations_of(made, "replays")
    assert not demonstrations_of(made, "frame_images")
    hour.run("enact-assets leaderboard --variant baseline", keep=80)

    hour.say("""## Answers from a file
Questions out, answers in: any program can write them.""")
    hour.run("enact-assets export state out/messages.jsonl --form messages")
    hour.write("answering.py", ANSWERING)
    hour.run("python answering.py")
    hour.run("enact-assets import-answers answers.jsonl --model backwards")
    made = hour.makes_what_its_plan_says(
        "enact-assets materialize --model backwards --variant baseline"
    )
    assert {name for name, _ in made}.isdisjoint({"replays", "frame_images"})

    hour.say("""## One question
The same id everywhere: SQL, exported files, the report, `browse`.""")
    question = hour.run(f"enact-assets sql --csv {shlex.quote(WRONG)}").splitlines()[-1]
    assert "backwards" in hour.run(f"enact-assets show {question}", keep=60)

    hour.say("""## Another setting of the pictures
A variant that the demo leaves out joins the scope by its name. Only its pictures are made, and what
follows from them.""")
    made = hour.makes_what_its_plan_says("enact-assets materialize --variant aperture_80")
    assert demonstrations_of(made, "frame_images") == simulated
    assert not demonstrations_of(made, "replays")
    hour.say("""An edited setting makes its own variant stale. In `small.yaml`:

```yaml
  aperture_80:
    camera: {aperture_mm: 70.0}   # was 80.0
```

The two new models are in the plan as well, under `mirrored` and `contact`: a model of a data root
is asked under every variant in scope, unless `--variant` names some.""")
    edit(hour.registry, hour.registry, "camera: {aperture_mm: 80.0}", "camera: {aperture_mm: 70.0}")
    hour.run("enact-assets plan", keep=20)
    made = hour.makes_what_its_plan_says("enact-assets materialize")
    assert {str(p).rpartition("|")[2] for name, p in made if name == "frame_images"} == {
        "aperture_80"
    }
    assert demonstrations_of(made, "frame_images") == simulated

    hour.say("""## A recording
An annotated video that comes with the project. `import` prints the command that makes it.""")
    walk = re.search(r"enact-assets materialize[^`\n]*", hour.run(f"enact-assets import {FILM}"))
    assert walk is not None
    made = hour.makes_what_its_plan_says(walk[0].strip())
    assert demonstrations_of(made, "replays") == {"picking_up_toys_1"}
    assert demonstrations_of(made, "frame_images") == {"picking_up_toys_1"}
    for command, seconds in hour.seconds.items():
        print(f"{seconds:7.1f} s  {command}")


def test_the_page_is_what_was_printed(hour: Hour) -> None:
    page = "\n\n".join(hour.page) + "\n"
    if WRITES:
        PAGE.write_text(page, "utf-8")
    commands, printed = (
        [QUESTION.sub("QUESTION", line) for line in re.findall(r"^\$ .*", text, re.MULTILINE)]
        for text in (PAGE.read_text("utf-8"), page)
    )
    assert commands == printed
