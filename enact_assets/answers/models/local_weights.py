"""Weights of a model that runs in this process: where they are, and what pins them."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.answers.models.entries import Model
from enact_assets.engine.errors import PredictionError

ELSEWHERE = (
    "Serve it with vLLM and ask `vllm/{id}`, or ask it elsewhere and use `enact-assets "
    "import-answers`."
)


@dataclass(frozen=True, slots=True)
class Weights:
    """``place`` is a folder or an id of the Hugging Face hub; ``revision`` the commit there, null
    for a folder. ``version`` changes whenever the weights or their settings do.
    """

    place: str
    revision: str | None
    version: str
    config: dict[str, Any]


def folder_marks(model: Model) -> list[list[object]]:
    """Names, times and sizes of the files of a model in a folder: cheaper than their hash, and
    enough to notice a change. Empty for a model of the hub.
    """
    if not is_folder(model.asked_id):
        return []
    folder = model.folder / Path(model.asked_id).expanduser()
    found = [(path, path.stat()) for path in sorted(folder.iterdir())]
    return [[path.name, stat.st_mtime_ns, stat.st_size] for path, stat in found]


def is_folder(asked: str) -> bool:
    """Whether an id names a folder and no model of the hub."""
    return asked.startswith(("/", "./", "../", "~"))


def find_weights(model: Model, revision: str | None) -> Weights:
    """Weights of ``model``, none of them loaded. ``revision`` is a commit, branch or tag of the
    hub; None is its default branch. From the hub this downloads one small file at most.

    Errors: :class:`PredictionError` if they cannot be found, or need code of their own.
    """
    asked = model.asked_id
    found = _in_folder(model, revision) if is_folder(asked) else _on_hub(asked, revision)
    _check_native(asked, found.config)
    return found


def _in_folder(model: Model, revision: str | None) -> Weights:
    folder = model.folder / Path(model.asked_id).expanduser()
    config = folder / "config.json"
    if not config.is_file():
        raise PredictionError(
            f"model {model.name}: {config} does not exist. The id must be `hf/` and a folder as "
            "`hf download` or `save_pretrained` writes it."
        )
    if revision is not None:
        raise PredictionError(
            f"model {model.name}: a folder has no revisions. Remove `revision` from its parameters."
        )
    return Weights(str(folder), None, f"sha256:{_folder_sha(folder)}", _read_config(config))


def _folder_sha(folder: Path) -> str:
    """Hash of names and contents of the files in ``folder``: a second per gigabyte or less."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            with path.open("rb") as file:
                digest.update(f"{path.name}\0".encode())
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _on_hub(asked: str, revision: str | None) -> Weights:
    from huggingface_hub import errors, hf_hub_download

    wanted = f"{asked}@{revision}" if revision else asked
    try:
        # Without a network this finds what was downloaded before.
        config = Path(hf_hub_download(asked, "config.json", revision=revision))
    except errors.GatedRepoError as error:
        raise PredictionError(
            f"{asked}: access to the weights is gated. Accept the licence on the model's page of "
            "the hub, then run `hf auth login` or set HF_TOKEN."
        ) from error
    except errors.RevisionNotFoundError as error:
        raise PredictionError(f"{asked} has no revision {revision!r} on the hub.") from error
    except errors.LocalEntryNotFoundError as error:
        raise PredictionError(
            f"{wanted} is not on this machine, and the hub cannot be reached. Download it where "
            f"there is a network: `hf download {asked}`. A folder is written `hf/./FOLDER`."
        ) from error
    except (errors.RepositoryNotFoundError, errors.EntryNotFoundError, ValueError) as error:
        raise PredictionError(
            f"{wanted}: the hub has no such model with a config.json, or you have no access to it. "
            "A folder is written `hf/./FOLDER`."
        ) from error
    except OSError as error:
        raise PredictionError(f"{wanted}: the hub could not be asked: {error}") from error
    # Downloads lie in `snapshots/<commit>/`, whichever name of the commit was asked for.
    commit = config.parent.name
    return Weights(asked, commit, commit, _read_config(config))


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_bytes())
    except ValueError as error:
        raise PredictionError(f"{path} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise PredictionError(f"{path} must be a JSON object")
    return config


def _check_native(asked: str, config: dict[str, Any]) -> None:
    """Code from a repository is never run: the model must be one of Transformers' own."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    kind = config.get("model_type")
    if kind in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES and kind in PROCESSOR_MAPPING_NAMES:
        return
    if "auto_map" not in config:
        raise PredictionError(
            f"{asked}: Transformers knows no vision-language model of type {kind!r}. "
            + ELSEWHERE.format(id=asked)
        )
    raise PredictionError(
        f"{asked} runs only with Python code from its repository (trust_remote_code), which is "
        "never run here. Some models have a second repository without such code, InternVL for "
        "example one whose name ends in -HF. " + ELSEWHERE.format(id=asked)
    )


def uses_torchvision(weights: Weights) -> bool:
    """Whether pictures of this model can only be prepared by torchvision, as those of Llama 4."""
    from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES

    named = IMAGE_PROCESSOR_MAPPING_NAMES.get(weights.config["model_type"])
    return bool(named) and "pil" not in named
