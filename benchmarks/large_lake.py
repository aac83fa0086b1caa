"""A lake of some hundred demonstrations with a million questions: what publishing is measured on.

A few generated demonstrations go through all stages; the others are copies of these under names of
their own, with questions of their own. All checks of the warehouse pass. Pictures are not there,
nor tables that are not published; hashes of pictures and of content are made up.
"""

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from benchmarks.synthetic import demonstration_name, generate
from enact_assets import __version__
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.demonstrations.pictures.thumbnails import Image
from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.engine.lake.file_metadata import FileMetadata, contract_sha, partition_text
from enact_assets.engine.lake.lake import file_name
from enact_assets.engine.lake.parquet_files import encoded_file
from enact_assets.engine.tables import TABLES, table
from enact_assets.pipeline.bulk.chain import BulkSettings, tables_of_demonstration
from enact_assets.pipeline.steps.profiles import ANSWERS, INDEX_CHANGES, WRITE
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.noise import Vocabulary
from enact_assets.questions.asked.selection import (
    chosen_by_variant,
    frames_wanted,
    select_questions,
)
from enact_assets.questions.asked.tables import AskedQuestions, Qa
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.paths.transition_graph import measure_edited_objects
from enact_assets.results.verification.evaluate import evaluate
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.settings.classes import EMBEDDED, Gating, Variant
from enact_assets.settings.registry import Registry, load_registry

N_DEMONSTRATIONS = 652
"""So many make a million questions: 48 of each length and kind, under two gatings."""
N_TEMPLATES = 20
N_FRAMES = 7_000
"""Gives 24 key frames, as many as embedded demonstrations have; twice as many facts hold."""
BASELINE = "baseline"
MODELS = ("oracle", "random", "identity", "text_prior")
_OF_DEMONSTRATION = ("demonstrations", "facts", "objects", "later_parents")
_PIXELS = 512
_NEVER_READ = {"width_px": _PIXELS, "height_px": _PIXELS}

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class Template:
    """One generated demonstration: its tables, those of a gating by its name, and its changes."""

    of_demonstration: Tables
    of_gating: dict[str, Tables]
    changes: dict[str, ComponentIndex]

    @classmethod
    def of(cls, seed: int, registry: Registry) -> "Template":
        """Take the demonstration of ``seed`` through all stages."""
        replay = generate(seed, N_FRAMES)
        of_gating: dict[str, Tables] = {}
        changes: dict[str, ComponentIndex] = {}
        for name, gating in registry.gatings.items():
            found = tables_of_demonstration(replay, BulkSettings(gating, registry.questions)).tables
            seen, frames = found["visibility"], found["segmented_frames"]
            index = INDEX_CHANGES.of(gating.profile)(
                found["scene_graphs"],
                seen,
                replay.objects,
                gating.profile,
                frames.height,
                later_parents=at_key_frames(replay.later_parents, frames["frame"].to_numpy()),
            )
            orders = expect_random_orders(found["qa"], {demonstration_name(seed): index})
            edited = measure_edited_objects(found["transition_graph"], seen, index)
            kept = {n: t for n, t in found.items() if n not in _OF_DEMONSTRATION}
            of_gating[name] = {**kept, "question_orders": orders, "edited_objects": edited}
            changes[name] = index
        shared = (replay.demonstrations, replay.facts, replay.objects, replay.later_parents)
        return cls(dict(zip(_OF_DEMONSTRATION, shared, strict=True)), of_gating, changes)

    def copy(self, number: int) -> Tables:
        """Its tables without a gating, as those of demonstration ``number``."""
        return {name: _renamed(rows, number) for name, rows in self.of_demonstration.items()}

    def copy_of_gating(self, number: int, gating: Gating, registry: Registry) -> Tables:
        """Its tables of ``gating``, as those of demonstration ``number``.

        Questions are written anew; in how many orders they are right is told of the template's.
        """
        tables = {n: _renamed(rows, number) for n, rows in self.of_gating[gating.name].items()}
        tables["qa"] = WRITE.of(gating.profile)(
            tables["segmented_frames"],
            tables["trajectories"],
            tables["transition_graph"],
            self.changes[gating.name],
            settings=registry.questions,
            profile=gating.profile,
        )
        ids = tables["qa"].get_column("question_id")
        tables["question_orders"] = tables["question_orders"].with_columns(ids)
        return tables


def build_large_lake(
    root: Path,
    n_demonstrations: int = N_DEMONSTRATIONS,
    *,
    n_templates: int = N_TEMPLATES,
    processes: int = 2,
) -> int:
    """Write the lake below ``root``, a new folder; returns its number of questions."""
    registry = _without_files(load_registry())
    n_templates = min(n_templates, n_demonstrations)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        templates = list(
            pool.map(Template.of, range(n_templates), [registry] * n_templates, chunksize=1)
        )
        _write_rolled_up(templates, n_demonstrations, registry, root)
        n = n_templates
        numbers = [list(range(first, n_demonstrations, n)) for first in range(n)]
        return sum(pool.map(_write_copies, [root] * n, templates, numbers, [registry] * n))


def _without_files(registry: Registry) -> Registry:
    """Without gatings, and what is asked under them, whose questions come from imported files."""
    gatings = {n: g for n, g in registry.gatings.items() if g.question_file is None}
    return replace(
        registry,
        gatings=gatings,
        question_sets={n: s for n, s in registry.question_sets.items() if s.gating in gatings},
        variants={n: v for n, v in registry.variants.items() if v.gating in gatings},
    )


def _write_rolled_up(
    templates: list[Template], n_demonstrations: int, registry: Registry, root: Path
) -> None:
    """Land what rolls up all demonstrations: what is asked, and the answers."""
    template_of = {
        demonstration_name(d): templates[d % len(templates)] for d in range(n_demonstrations)
    }
    for name, named in registry.question_sets.items():
        gating = registry.gating(named.gating)
        qa = Qa.empty()
        wanted = max(registry.questions.wanted(named, k) for k in gating.profile.lengths)
        for number, template in enumerate(template_of.values()):
            # Demonstrations take turns: with so many, few questions of each are enough.
            most = 1 + 2 * wanted // n_demonstrations
            written = template.copy_of_gating(number, gating, registry)["qa"]
            qa.vstack(written.filter(pl.col("draw") < most), in_place=True)
        evidence = dict.fromkeys(template_of, sha256(name.encode()).hexdigest())
        sources = dict.fromkeys(template_of, EMBEDDED)
        chosen = select_questions(qa, evidence, named, registry.questions, sources)
        _write(root, "question_set", {"question_set": name}, chosen)
        changes = {d: t.changes[gating.name] for d, t in template_of.items()}
        vocabularies = {
            d: Vocabulary.of(t.of_demonstration["objects"], gating.predicates)
            for d, t in template_of.items()
        }
        for variant in registry.variants.values():
            if variant.question_set != name:
                continue
            asked = ask_questions(
                chosen_by_variant(chosen, variant),
                qa,
                variant,
                registry.questions,
                vocabularies=vocabularies,
            )
            of_variant = {"variant": variant.name}
            _write(root, "asked_questions", of_variant, asked)
            _write(root, "variant_settings", of_variant, variant_settings(variant, gating))
            _write_answers(root, variant, asked, changes, gating)


def _write_answers(
    root: Path,
    variant: Variant,
    asked: pl.DataFrame,
    changes: Mapping[str, ComponentIndex],
    gating: Gating,
) -> None:
    shas = {
        (demonstration, key_frame): _hash(demonstration, variant.name, key_frame)
        for demonstration in asked.get_column("demonstration").unique()
        for key_frame in range(changes[demonstration].n_key_frames)
    }
    for model in MODELS:
        partition = {"model": model, "variant": variant.name}
        answers = answers_to(model, variant.name, asked, _no_picture, shas)
        said = predictions_of(model, variant.name, answers)
        _write(root, "predictions", partition, said)
        judged = evaluate(said, asked, changes, ANSWERS.of(gating.profile))
        _write(root, "evaluation", partition, judged)


def _no_picture(demonstration: str, key_frame: int) -> Image:
    raise FileNotFoundError(f"{demonstration} {key_frame}: no model here looks at pictures")


def _write_copies(root: Path, template: Template, numbers: list[int], registry: Registry) -> int:
    # Read here: pickled, rows of texts take the texts of all rows there ever were with them.
    asked = {
        name: pl.read_parquet(
            root / file_name(AskedQuestions, {"variant": name}),
            columns=["demonstration", "gating", "kind", "question_id", "shown_key_frames"],
        )
        for name in registry.variants
    }
    n_questions = 0
    for number in numbers:
        demonstration = {"demonstration": demonstration_name(number)}
        for name, rows in template.copy(number).items():
            _write(root, name, demonstration, rows)
        of_gating = {
            name: template.copy_of_gating(number, gating, registry)
            for name, gating in registry.gatings.items()
        }
        for gating, tables in of_gating.items():
            n_questions += tables["qa"].height
            for name, rows in tables.items():
                _write(root, name, {**demonstration, "gating": gating}, rows)
        for variant in registry.variants.values():
            tables = of_gating[variant.gating]
            of_variant = {**demonstration, "variant": variant.name}
            wanted = frames_wanted(
                tables["segmented_frames"],
                tables["qa"],
                asked[variant.name],
                variant.name,
                is_whole=variant.name == BASELINE,
            )
            _write(root, "wanted_frames", of_variant, wanted)
            _write(root, "frame_images", of_variant, _pictures(wanted))
    return n_questions


def _pictures(wanted: pl.DataFrame) -> pl.DataFrame:
    shas = [_hash(*row) for row in wanted.select("demonstration", "variant", "key_frame").rows()]
    return wanted.with_columns(
        pl.Series("image_sha", shas, pl.String),
        pl.Series("render_sha", [_hash("render", sha) for sha in shas], pl.String),
        **{name: pl.lit(value, pl.Int64) for name, value in _NEVER_READ.items()},
    )


def _renamed(rows: pl.DataFrame, number: int) -> pl.DataFrame:
    """Rows of a template as those of demonstration ``number``, with trajectories of its own."""
    renamed = rows.with_columns(pl.lit(demonstration_name(number)).alias("demonstration"))
    if "trajectory_id" not in rows.columns:
        return renamed
    prefix = pl.lit(_hash("copy", number)[:4])
    return renamed.with_columns(prefix + pl.col("trajectory_id").str.slice(4))


def _hash(*parts: object) -> str:
    return sha256(" ".join(map(str, parts)).encode()).hexdigest()


def change_demonstration(root: Path, number: int) -> None:
    """Land all tables of one demonstration again: same rows, another content hash."""
    demonstration = demonstration_name(number)
    for contract in TABLES.values():
        if contract.by[:1] != ("demonstration",):
            continue
        folder, only = root / contract.table_name(), contract.by == ("demonstration",)
        paths = [folder / f"{demonstration}.parquet"] if only else folder.glob(f"{demonstration}/*")
        for path in filter(Path.is_file, paths):
            values = [demonstration] if only else [demonstration, path.stem]
            partition = dict(zip(contract.by, values, strict=True))
            _write(root, contract.table_name(), partition, pl.read_parquet(path), "changed")


def _write(
    root: Path, name: str, partition: Mapping[str, str], rows: pl.DataFrame, mark: str = ""
) -> None:
    """Land rows like the lake does, but without waiting for the disk sixty thousand times."""
    contract = table(name)
    values = {d: partition[d] for d in contract.by}
    text = partition_text(values)
    sha = _hash(name, text, mark)
    metadata = FileMetadata(name, text, sha, contract_sha(contract), __version__)
    arrow = rows.select(list(contract.schema())).sort(contract.key(), nulls_last=False).to_arrow()
    path = root / file_name(contract, values)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded_file(contract, arrow, metadata))
