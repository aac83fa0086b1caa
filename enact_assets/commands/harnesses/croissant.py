"""``croissant.json``: a machine-readable description of a question set, with responsible-AI fields.

Croissant 1.1 (MLCommons). Written without a library; a test validates it with ``mlcroissant``.
"""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.commands.harnesses.card import METADATA
from enact_assets.commands.harnesses.question_rows import COLUMNS
from enact_assets.commands.harnesses.set_facts import SetFacts
from enact_assets.engine.plurals import counted

_CONTEXT = Path(__file__).with_name("croissant_context.json")
_TYPES = {pl.String: "sc:Text", pl.Int64: "sc:Integer"}


def croissant_of(facts: SetFacts, metadata_sha: str, published: dt.date) -> str:
    """The description of a folder whose ``metadata.parquet`` has the hash ``metadata_sha``."""
    found: dict[str, Any] = {
        "@context": json.loads(_CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "name": facts.title,
        "description": (
            f"ENACT, question set {facts.name}, variant {facts.variant.name}: "
            f"{facts.rows.height:,} questions that ask to order what a household robot sees and "
            f"does. Content {facts.content_sha}."
        ),
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "citeAs": "ENACT: Evaluating Embodied Cognition with World Modeling of Egocentric "
        f"Interaction. Questions written by enact_assets {facts.version}.",
        "creator": {"@type": "sc:Organization", "name": f"enact_assets {facts.version}"},
        "datePublished": published.isoformat(),
        "version": facts.version,
    }
    if facts.is_simulated:
        found["license"] = "https://spdx.org/licenses/MIT.html"
    else:
        found["license"] = facts.licence_note
    found |= {f"rai:{name}": text for name, text in _responsible(facts).items()}
    found["distribution"] = [
        {
            "@type": "cr:FileObject",
            "@id": "questions-file",
            "name": METADATA,
            "contentUrl": METADATA,
            "encodingFormat": "application/x-parquet",
            "sha256": metadata_sha,
        },
        {
            "@type": "cr:FileSet",
            "@id": "picture-files",
            "name": "picture-files",
            "encodingFormat": "image/png",
            "includes": "pictures/*.png",
        },
    ]
    found["recordSet"] = [
        {
            "@type": "cr:RecordSet",
            "@id": "questions",
            "name": "questions",
            "key": {"@id": "questions/question_id"},
            "field": [_question_field(name) for name in COLUMNS],
        },
        {
            "@type": "cr:RecordSet",
            "@id": "pictures",
            "name": "pictures",
            "field": [
                _field("pictures", "path", "sc:Text", {"fileProperty": "fullpath"}),
                _field("pictures", "image", "sc:ImageObject", {"fileProperty": "content"}),
            ],
        },
    ]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _responsible(facts: SetFacts) -> dict[str, str]:
    demonstrations = facts.demonstrations
    sources = demonstrations.group_by("source").agg(pl.col("demonstration")).sort("source")
    named = "; ".join(f"{source}: {', '.join(names)}" for source, names in sources.iter_rows())
    people = (
        "None: rooms, objects and robot are simulated."
        if facts.is_simulated
        else "Pictures of films and recordings may show people or private rooms: look at them."
    )
    return {
        "dataCollection": f"Questions follow from replays of demonstrations by rule. {named}. "
        f"Question seed {facts.question_seed}.",
        "dataAnnotationProtocol": "Simulator states and masks decide what changed and what can "
        "be seen; people annotated films only. Several orders may be right, and `fits` says which.",
        "dataUseCases": "Evaluation of vision-language models. Not for training models that are "
        "to be evaluated on it.",
        "dataLimitations": " ".join(facts.limits),
        "dataBiases": f"{counted(demonstrations['activity'].n_unique(), 'household activity')}, "
        "one robot, English prompts; objects and rooms are those of the sources.",
        "dataSocialImpact": "Scores say how well a model orders pictures and actions; they do not "
        "show that it may control a robot.",
        "personalSensitiveInformation": people,
    }


def _question_field(name: str) -> dict[str, Any]:
    dtype, meaning = COLUMNS[name]
    is_list = isinstance(dtype, pl.List)
    inner = dtype.inner if isinstance(dtype, pl.List) else dtype
    found = _field("questions", name, _TYPES[inner], {"column": name})  # type: ignore[index]
    found["description"] = meaning
    if is_list:
        found |= {"cr:isArray": True, "cr:arrayShape": "-1"}
    return found


def _field(record_set: str, name: str, data_type: str, extract: dict[str, str]) -> dict[str, Any]:
    files = {"fileObject": {"@id": "questions-file"}}
    if record_set == "pictures":
        files = {"fileSet": {"@id": "picture-files"}}
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "dataType": data_type,
        "source": {**files, "extract": extract},
    }
