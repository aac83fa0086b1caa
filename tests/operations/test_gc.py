"""The command gc on a real data root: names that leave, what it prints, what works afterwards."""

import os
import time
from pathlib import Path

import pytest
import yaml
from tiny_roots import RECORDED, TinyRoot

from benchmarks.crashes import find_damage, fingerprint
from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.settings.registry import load_registry

pytestmark = pytest.mark.slow

DAY = 24 * 3600.0


def gc(capsys: pytest.CaptureFixture[str], root: Path, *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["gc", *words, "--data", str(root)])
    printed = capsys.readouterr()
    return code, " ".join(f"{printed.out} {printed.err}".split())


def age(root: Path) -> None:
    """As if everything had been made three days ago."""
    at = time.time() - 3 * DAY
    for part in ("lake", "images"):
        for path in (root / part).rglob("*"):
            os.utime(path, (at, at))


def test_a_demonstration_and_a_model_that_left_go_with_their_pictures(
    tiny: TinyRoot,
    copied: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """First they are told; what is removed is made again if the name comes back."""
    entries = yaml.safe_load(tiny.registry.read_text())
    entries["models"] = ["identity"]
    registry = tmp_path / "other.yaml"
    registry.write_text(yaml.safe_dump(entries))
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    away = (copied / "recordings" / RECORDED).rename(tmp_path / RECORDED)
    for name in (("demonstration", RECORDED), ("model", "oracle")):
        assert main(["forget", *name, "--data", str(copied)]) == 0
    driver = Driver(copied, registry=load_registry(registry), workers=1)
    driver.instance.add_dynamic_partitions("demonstration", ["setting_the_table-0"])
    age(copied)
    n_pictures = len(list((copied / "images").glob("??/*.png")))
    code, printed = gc(capsys, copied)
    assert code == 0
    assert f"pictures that no partition names {n_pictures} files" in printed
    assert f"action_states {RECORDED}|state" in printed
    assert "1 of them are answers of models. They are made again without buying any" in printed
    assert "Nothing was changed" in printed
    assert len(list((copied / "images").glob("??/*.png"))) == n_pictures > 0
    code, printed = gc(capsys, copied, "--delete")
    assert (code, printed.startswith("Removed ")) == (0, True)
    lake = Lake(copied / "lake")
    assert {
        t for t in ("facts", "qa", "frame_images", "predictions") if lake.partitions(t)
    } == set()
    assert list((copied / "images").glob("??/*.png")) == []
    assert find_damage(copied) == []
    assert gc(capsys, copied, "--delete") == (0, "Nothing to remove.")
    # Back again, everything is made as it was.
    away.rename(copied / "recordings" / RECORDED)
    driver.instance.delete_dynamic_partition("demonstration", "setting_the_table-0")
    steps = ("gating_config", "replays", "segmentation")
    assert tiny.walk(copied, *steps).is_success
    tables = ("demonstrations", "facts", "objects", "segmented_frames", "scene_graphs")
    assert tiny.content_of(*tables).items() <= fingerprint(copied).items()


def test_an_instance_that_knows_nobody_condemns_nobody(
    tiny: TinyRoot, copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder with Dagster's database was lost, or another one is in its place.

    Names that were given by hand stood nowhere else: the lake still holds them.
    """
    assert tiny.driver(copied).run(assets=["predictions"], models=["identity"]).is_success
    (copied / "dagster").rename(tmp_path / "dagster")
    age(copied)
    assert gc(capsys, copied, "--delete") == (0, "Nothing to remove.")
    tiny.walk(copied, "gating_config")
    names = tiny.driver(copied).instance.get_dynamic_partitions
    assert set(names("demonstration")) == {RECORDED}
    assert set(names("model")) == {"identity", "oracle"}
    assert gc(capsys, copied, "--delete") == (0, "Nothing to remove.")


def test_forgotten_is_forgotten(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever still names it is told; taken back by name, it is no longer on the list."""
    (copied / "models.txt").write_text("# ours\nidentity\n")
    Driver(copied, workers=1).run(assets=["gating_config"])
    assert main(["forget", "model", "identity", "--data", str(copied)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "models.txt, line 2: remove it there, or it is added again" in printed
    (copied / "models.txt").unlink()
    driver = Driver(copied, workers=1)
    assert "identity" not in driver.instance.get_dynamic_partitions("model")
    assert Forgotten(copied).of("model") == {"identity"}
    driver.run(assets=["gating_config"], models=["identity"])
    assert "identity" in driver.instance.get_dynamic_partitions("model")
    assert Forgotten(copied).of("model") == set()


@pytest.mark.slow
def test_a_model_that_left_is_compared_with_nobody(tiny: TinyRoot, copied: Path) -> None:
    """Its files are still there; what lineage says the tables were made from is all that counts."""
    lake, steps = Lake(copied / "lake"), ["model_comparisons"]
    upstream = ["predictions", "evaluation"]

    def compared() -> tuple[set[str], int]:
        accuracies = lake.read("model_accuracies", {"variant": "baseline"})
        pairs = lake.read("model_comparisons", {"variant": "baseline"})
        return set(accuracies.get_column("model")), pairs.height

    tiny.driver(copied).run(assets=[*upstream, *steps], models=["identity"])
    models, n_pairs = compared()
    assert models == {"identity", "oracle"}
    assert n_pairs > 0
    assert main(["forget", "model", "identity", "--data", str(copied)]) == 0
    tiny.driver(copied).run(assets=steps)
    assert compared() == ({"oracle"}, 0)


def test_a_damaged_partition_is_told(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code and message: a nightly job would go on for months without removing anything."""
    age(copied)
    path = next((copied / "lake" / "frame_images").rglob("*.parquet"))
    path.write_bytes(b"PAR1")
    code, printed = gc(capsys, copied, "--delete")
    assert code == 1
    assert "Pictures were not checked" in printed
    assert path.name in printed
