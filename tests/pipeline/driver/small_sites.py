"""Data roots with little in them, and a step that waits until it is told to go on."""

import json
import os
from pathlib import Path

from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.contract import Runner, Site
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import DEFAULT_REGISTRY

from reference.official_questions import question_fields

NAME = "waiting"


def empty_site(root: Path) -> Site:
    return Site(root, None, DEFAULT_REGISTRY.read_text(encoding="utf-8"))


def trivial(*variants: str) -> list[Run]:
    """Runs that read the registry and report."""
    return [Run("variant_config", (Partition.of(v),), ("a test",)) for v in variants]


def outcomes(runner: Runner, *runs: Run) -> list[Outcome]:
    """Of runs that may have been performed before: they are begun anew."""
    anew = [run.of(run.partitions) for run in runs]
    return list(runner.run(anew, lambda _run: None, lambda _run, _progress: None))


class WaitingStep:
    """A step that imports a question file, and waits at it: nobody writes into the pipe it is."""

    run = Run("official_questions", (Partition.of(NAME),))

    def __init__(self, site: Site) -> None:
        folder = site.data_root / "question_files"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{NAME}.jsonl"
        self.wait_again()
        instance = open_instance(site.data_root)
        instance.add_dynamic_partitions("question_file", [NAME])
        instance.dispose()

    def wait_again(self) -> None:
        """Whoever reads it from now on waits."""
        self.path.unlink(missing_ok=True)
        os.mkfifo(self.path)

    def let_go(self) -> None:
        """Put a real file in its place. Who waits at the pipe goes on waiting."""
        real = self.path.with_name("real")
        real.write_text(json.dumps(question_fields()) + "\n")
        real.replace(self.path)
