"""What can be said of Inspect without it; the rest is in test_wires_sdks.py."""

from importlib import metadata
from pathlib import Path

import pytest

from enact_assets.answers.models.catalogue import load_catalogue
from enact_assets.answers.models.inspect_model import InspectModel
from enact_assets.engine.errors import PredictionError


def test_a_missing_package_is_named_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    model = load_catalogue(tmp_path).find("inspect/bedrock/some.model-v1:0")
    assert model.asked_id == "bedrock/some.model-v1:0"
    with pytest.raises(PredictionError, match=r"pip install 'enact_assets\[inspect\]'"):
        InspectModel(model)
