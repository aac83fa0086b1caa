"""What is said about an exported question set: facts, its data card and its Croissant file.

The card is ``README.md`` as the Hugging Face hub reads it. ``croissant.json`` describes the set for
machines, with responsible-AI fields: Croissant 1.1 (MLCommons), written without a library; a test
validates it with ``mlcroissant``.
"""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from enact_assets import __version__
from enact_assets.commands.harnesses.question_rows import COLUMNS
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.results.verification.metrics import expected_pairwise
from enact_assets.settings.classes import EMBEDDED, Variant
from enact_assets.settings.registry import Registry
from enact_assets.settings.splits import WORLD_VERSION

METADATA = "metadata.parquet"
PAPERS_KEY_FRAMES = (
    "The paper's 8,972 questions are about 29 demonstrations of 30 key frames or more each."
)
_CONTEXT = Path(__file__).with_name("croissant_context.json")
_TYPES = {pl.String: "sc:Text", pl.Int64: "sc:Integer"}


@dataclass(frozen=True)
class SetFacts:
    """Facts about the questions ``rows`` that ``variant`` asks."""

    name: str
    variant: Variant
    rows: pl.DataFrame
    settings: Mapping[str, str]
    """Setting of the registry -> its value."""
    question_seed: int
    n_pictures: int
    n_left_out: int
    chance: pl.DataFrame
    """Per kind: n, n_ambiguous, and what a random order is expected to score: task accuracy, and
    pairwise accuracy as the paper counts it, right steps over all steps."""

    @property
    def title(self) -> str:
        """Name of the data set."""
        return f"enact_{self.name}_{self.variant.name}"

    @property
    def is_simulated(self) -> bool:
        """Whether every demonstration comes from the embedded simulator."""
        return self.rows["source"].unique().to_list() == [EMBEDDED]

    @property
    def content_sha(self) -> str:
        """Hash of the questions, the pictures that they name included."""
        return sha256_bytes(self.rows.write_ndjson().encode())

    @property
    def demonstrations(self) -> pl.DataFrame:
        """demonstration, source, activity, n: how many questions are about each."""
        columns = ("demonstration", "source", "activity")
        return self.rows.group_by(columns).agg(n=pl.len()).sort(columns)

    @property
    def licence_note(self) -> str:
        """What holds for questions, and what for pictures."""
        if self.is_simulated:
            return "Questions and pictures were made by enact_assets and are under its MIT licence."
        return (
            "Questions were made by enact_assets and are under its MIT licence. Pictures of "
            "recorded, filmed and OmniGibson demonstrations are under the licence of these "
            "recordings, which is not known here: find it out before you share the folder."
        )

    @property
    def limits(self) -> list[str]:
        """What results on these questions do not show."""
        n, kinds = self.demonstrations.height, self.rows["source"].unique().sort().to_list()
        shown = self.rows["images_file_names"].list.len().sum() / self.n_pictures
        about = f"{counted(self.n_pictures, 'picture')} of {counted(n, 'demonstration')}"
        about = f"{counted(self.rows.height, 'question')} are about {about} ({', '.join(kinds)})"
        found = [
            f"{about}: each picture is in {shown:,.0f} questions on average.",
            PAPERS_KEY_FRAMES,
            "Questions about one demonstration are alike: cluster standard errors by it.",
            "More than one order can be right: score with `fits`, not by comparison with `answer`.",
            "Key frames and changes follow from rules; people did not check each question.",
        ]
        if self.is_simulated:
            found.append(
                f"Rooms, objects and robot are simulated (world {WORLD_VERSION}); results do not "
                "carry over to photographs without a test, nor to another version of the world."
            )
        if not self.variant.is_imported:
            found.append(
                "Results are not comparable with the paper's: these are not its 8,972 questions."
            )
        if self.n_left_out:
            left = counted(self.n_left_out, "question")
            found.append(f"{left} of the variant had no pictures here and were left out.")
        return found

    @property
    def version(self) -> str:
        """Version of the package that wrote it."""
        return __version__


def facts_of(
    lake: Lake, registry: Registry, variant: Variant, rows: pl.DataFrame, n_left_out: int
) -> SetFacts:
    """Facts about ``rows``, those of :func:`question_rows`, which ``variant`` asks.

    Errors: :class:`MissingPartitionError` for what was not materialized.
    """
    gating = registry.gating(variant.gating)
    names = rows["demonstration"].unique().to_list()
    orders = lake.read_all("question_orders", gating=gating.name, among={"demonstration": names})
    chance = (
        rows.select("question_id", "demonstration", "kind", "length")
        .join(orders.drop("kind", "length"), on=["question_id", "demonstration"])
        .group_by("kind")
        .agg(
            n=pl.len(),
            n_ambiguous=pl.col("is_ambiguous").sum(),
            task=pl.col("expected_task_accuracy").mean(),
            pairwise=expected_pairwise(),
        )
        .sort("kind")
    )
    settings = variant_settings(variant, gating)
    return SetFacts(
        variant.question_set,
        variant,
        rows,
        dict(settings.select("setting", "value").iter_rows()),
        registry.questions.seed,
        rows["images_file_names"].explode().n_unique(),
        n_left_out,
        chance,
    )


def card_of(facts: SetFacts) -> str:
    """The card: settings for the hub, then Markdown."""
    head = {
        "license": "mit" if facts.is_simulated else "other",
        "pretty_name": f"ENACT, question set {facts.name}, variant {facts.variant.name}",
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "tags": ["embodied", "world-modeling", "multi-image"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": "test", "path": [METADATA, "pictures/*.png"]}],
            }
        ],
    }
    parts = (
        f"---\n{yaml.safe_dump(head, sort_keys=False)}---",
        f"# {head['pretty_name']}",
        _INTRODUCTION.format(
            n=f"{facts.rows.height:,}", pictures=f"{facts.n_pictures:,}", version=facts.version
        ),
        _USE,
        "## Columns",
        _table(("column", "meaning"), [(f"`{n}`", c.meaning) for n, c in COLUMNS.items()]),
        "## Questions",
        _strata(facts.rows),
        _CHANCE,
        _table(
            (
                "kind",
                "questions",
                "with several right orders",
                "task accuracy",
                "pairwise accuracy",
            ),
            [(k, n, m, f"{a:.4f}", f"{p:.4f}") for k, n, m, a, p in facts.chance.iter_rows()],
        ),
        "## Sources",
        _table(("demonstration", "source", "activity", "questions"), facts.demonstrations.rows()),
        _SEED.format(seed=facts.question_seed),
        f"## Variant {facts.variant.name}",
        _table(("setting", "value"), [(f"`{n}`", f"`{v}`") for n, v in facts.settings.items()]),
        "## Licence",
        facts.licence_note,
        "## Limits",
        "\n".join(f"- {limit}" for limit in facts.limits),
        f"Content: `{facts.content_sha}`",
    )
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = (
    "{n} questions over {pictures} pictures, written by enact_assets {version}. Each question "
    "shows what a household robot sees before and after its actions. Forward questions give the "
    "actions and ask for the order of the pictures; inverse questions give the pictures and ask "
    "for the order of the actions."
)
_USE = """\
```python
from datasets import load_dataset

questions = load_dataset("path/to/this/folder", split="test")
```

`enact_score.py` beside this file scores an answer and needs nothing but Python:

```python
import sys

sys.path.append("path/to/this/folder")
from enact_score import score_row

score_row("[2, 1, 3]", questions[0])  # {"parsed": 1.0, "task": ..., "pairs": ..., ...}
```

Pictures are stored once each, by the hash of their content, and shown by many questions."""
_CHANCE = (
    "A random order scores, exactly (pairwise accuracy is right steps over all steps, the sum of "
    "`right` over the sum of `steps`):"
)
_SEED = (
    "The number at the end of a simulated demonstration is its seed. Questions were drawn with "
    "seed {seed}."
)


def _strata(rows: pl.DataFrame) -> str:
    """Questions per length and kind."""
    counts = rows.group_by("length", "kind").len().pivot("kind", index="length", values="len")
    counts = counts.fill_null(0).sort("length")
    return _table(counts.columns, counts.rows())


def _table(columns: tuple[str, ...] | list[str], rows: list[tuple[object, ...]]) -> str:
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    lines = [list(columns), ["---"] * len(columns), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
