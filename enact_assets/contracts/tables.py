"""What every table promises: grain, key, partitions, columns with types, units and meaning.

One name, many places: the name here is the Dagster asset key, the folder in the lake and the
relation in DuckDB. Frames count from 0 at the frame rate of the demonstration; intervals are half
open; key frames are counted from 0 within their demonstration and gating; fractions run 0 to 1.
"""

from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.contracts.errors import TableContractError, UnknownNameError

PolarsType = Any
"""A polars data type, class or instance."""

_STRINGS = pl.List(pl.String)
_INTS = pl.List(pl.Int64)
_FLOATS = pl.List(pl.Float32)


@dataclass(frozen=True)
class Column:
    """Type, meaning, unit and whether null is allowed."""

    dtype: PolarsType
    meaning: str
    unit: str | None = None
    is_nullable: bool = False


@dataclass(frozen=True)
class Table:
    """Contract of one table."""

    name: str
    grain: str
    key: tuple[str, ...]
    partitions: tuple[str, ...]
    columns: dict[str, Column]

    @property
    def schema(self) -> dict[str, PolarsType]:
        """Polars schema in column order."""
        return {name: column.dtype for name, column in self.columns.items()}

    def empty(self) -> pl.DataFrame:
        """A table of this contract without rows."""
        return pl.DataFrame(schema=self.schema)

    def build(self, rows: list[dict[str, Any]]) -> pl.DataFrame:
        """Rows as dictionaries -> a checked table in key order.

        Errors: as :meth:`check`, also for a list column with something else than such lists.
        """
        nested = [name for name, dtype in self.schema.items() if isinstance(dtype, pl.List)]
        flat = {name: dtype for name, dtype in self.schema.items() if name not in nested}
        lists = [self._lists(name, [row.get(name) for row in rows]) for name in nested]
        return self.check(pl.DataFrame(rows, schema=flat, orient="row").with_columns(lists))

    def _lists(self, name: str, values: list[Any]) -> pl.Series:
        """A list column, by way of Arrow: polars takes ten times as long with Python lists."""
        import pyarrow as pa

        dtype = self.columns[name].dtype
        empty = pl.Series(name, [], dtype=dtype).to_arrow()
        try:
            if any(isinstance(value, str) for value in values):
                raise TypeError("a text is no list")  # Arrow would take it as one of letters
            return pl.Series(name, pa.array(values, empty.type), dtype=dtype)
        except (pa.ArrowException, TypeError) as error:
            raise TableContractError(
                f"{self.name}: column {name!r} of {len(values)} rows does not hold {dtype} "
                f"throughout ({error})"
            ) from error

    def check(self, rows: pl.DataFrame, partition: str = "") -> pl.DataFrame:
        """``rows`` in column and key order if they keep the contract.

        Errors: :class:`TableContractError` names the table, the partition, what is broken, how
        many rows break it and the first of them.
        """
        where = self.name + (f" partition {partition!r}" if partition else "")
        missing = [c for c in self.columns if c not in rows.columns]
        extra = [c for c in rows.columns if c not in self.columns]
        if missing or extra:
            raise TableContractError(
                f"{where}: columns differ from the contract (missing: {missing or 'none'}, "
                f"unexpected: {extra or 'none'}). See contracts/tables.py."
            )
        rows = rows.select(list(self.columns))
        for name, column in self.columns.items():
            found = rows.schema[name]
            if found != column.dtype:
                raise TableContractError(
                    f"{where}: column {name!r} is {found}, the contract says {column.dtype}"
                )
            n_null = rows.get_column(name).null_count()
            if n_null and not column.is_nullable:
                first = rows.filter(pl.col(name).is_null()).row(0, named=True)
                raise TableContractError(
                    f"{where}: {n_null} of {rows.height} rows have no {name!r}, first {first}"
                )
        rows = rows.sort(list(self.key), nulls_last=False, maintain_order=True)
        # In order, equal keys are neighbours; to group by the whole key takes far more memory.
        is_repeated = pl.all_horizontal(
            pl.col(name).eq_missing(pl.col(name).shift(1)) for name in self.key
        )
        if rows.height > 1 and rows.select(is_repeated.slice(1).any()).item():
            repeated = rows.select(pl.struct(self.key).is_duplicated()).to_series()
            first = rows.filter(repeated).select(self.key).row(0, named=True)
            raise TableContractError(
                f"{where}: {int(repeated.sum())} of {rows.height} rows share their key "
                f"{self.key}, first {first}"
            )
        return rows


_DEMONSTRATION = Column(pl.String, "recorded execution of an activity, e.g. setting_the_table-0")
_GATING = Column(pl.String, "which predicates make key frames: state or contact")
_MODEL = Column(pl.String, "who answered")
_VARIANT = Column(pl.String, "setting under which the pictures were made and asked")
_KEY_FRAME = Column(pl.Int64, "index of the key frame, from 0")
_FRAME = Column(pl.Int64, "frame of the replay", "frame")
_KIND = Column(pl.String, "forward (order images) or inverse (order actions)")
_LENGTH = Column(pl.Int64, "key frames in the trajectory; the answer has one entry fewer")
_ANY_LENGTH = Column(pl.Int64, "trajectory length; null for all", is_nullable=True)
_QUESTION = Column(pl.String, "id from demonstration, gating, kind, frames and order shown")
_OBJECT = Column(pl.String, "name of the object, unique in its demonstration")
_METRIC = Column(pl.String, "task_accuracy or pairwise_accuracy")
_PUBLISHED_MODEL = Column(pl.String, "model as the paper calls it; Human for its annotators")
_PUBLISHED_VARIANT = Column(pl.String, "the paper's setting by the name of ours that is alike")
_STEP = Column(pl.Int64, "step of the trajectory, from 1")

_TABLES = (
    Table(
        "demonstrations",
        "one row per demonstration",
        ("demonstration",),
        ("demonstration",),
        {
            "demonstration": _DEMONSTRATION,
            "source": Column(pl.String, "who recorded it: embedded, recorded, omnigibson, video"),
            "activity": Column(pl.String, "household activity"),
            "seed": Column(pl.Int64, "seed of placement, order and timing", is_nullable=True),
            "n_frames": Column(pl.Int64, "length of the replay", "frame"),
            "frame_rate_hz": Column(pl.Float64, "frames per second", "Hz"),
            "world_sha": Column(
                pl.String, "hash of the world the states belong to, or of the file recorded"
            ),
            "frame_id_runs": Column(
                _INTS,
                "how the recording numbers its frames: frame, id, frame, id, ... where ids jump",
            ),
        },
    ),
    Table(
        "facts",
        "one row per maximal interval in which an atomic fact holds",
        ("demonstration", "predicate", "subject", "object", "frame_from"),
        ("demonstration",),
        {
            "demonstration": _DEMONSTRATION,
            "predicate": Column(
                pl.String, "name in the predicate catalogue; of recorded replays, any state's name"
            ),
            "subject": _OBJECT,
            "object": Column(pl.String, "second object; null for unary facts", is_nullable=True),
            "frame_from": Column(pl.Int64, "first frame in which it holds", "frame"),
            "frame_to": Column(pl.Int64, "first frame in which it no longer holds", "frame"),
        },
    ),
    Table(
        "objects",
        "one row per object of a demonstration",
        ("demonstration", "object_name"),
        ("demonstration",),
        {
            "demonstration": _DEMONSTRATION,
            "object_name": _OBJECT,
            "category": Column(
                pl.String, "kind of object; several may share it; empty if a recording says none"
            ),
            "parents": Column(
                _STRINGS,
                "objects it came from by a transition (recorded replays: or their categories); "
                "null if a recording says nothing",
                is_nullable=True,
            ),
            "is_particle_system": Column(pl.Boolean, "whether it stands for many particles"),
        },
    ),
    Table(
        "observability",
        "one row per maximal interval in which a recorded camera sees an object unchanged",
        ("demonstration", "camera", "object_name", "frame_from"),
        ("demonstration",),
        {
            "demonstration": _DEMONSTRATION,
            "camera": Column(pl.String, "name of the sensor"),
            "object_name": _OBJECT,
            "frame_from": Column(pl.Int64, "first frame it is seen like this", "frame"),
            "frame_to": Column(pl.Int64, "first frame it no longer is", "frame"),
            "pixels": Column(pl.Int64, "size of its mask", "px"),
            "x_min_px": Column(pl.Int64, "left edge of its box, from 0", "px"),
            "y_min_px": Column(pl.Int64, "top edge of its box, from 0", "px"),
            "x_max_px": Column(pl.Int64, "right edge of its box, inclusive", "px"),
            "y_max_px": Column(pl.Int64, "bottom edge of its box, inclusive", "px"),
            "height_px": Column(pl.Int64, "height of the picture", "px"),
            "width_px": Column(pl.Int64, "width of the picture", "px"),
        },
    ),
    Table(
        "states",
        "one row per frame of an embedded demonstration: what re-rendering needs",
        ("demonstration", "frame"),
        ("demonstration",),
        {
            "demonstration": _DEMONSTRATION,
            "frame": _FRAME,
            "qpos": Column(_FLOATS, "generalized positions, (nq,)", "m, rad, wxyz"),
            "mocap_pos": Column(_FLOATS, "positions of scripted bodies, (nmocap * 3,)", "m"),
            "mocap_quat": Column(_FLOATS, "their orientations, (nmocap * 4,)", "wxyz"),
            "appearance": Column(_FLOATS, "state cues by World.cues, e.g. 1 for a lit burner"),
        },
    ),
    Table(
        "segmented_frames",
        "one row per key frame",
        ("demonstration", "gating", "key_frame"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "key_frame": _KEY_FRAME,
            "frame": Column(pl.Int64, "frame recorded as the key frame, when settled", "frame"),
            "frame_id": Column(pl.Int64, "what the recording calls that frame"),
            "change_frame": Column(
                pl.Int64,
                "frame at which the change began; null for the first",
                "frame",
                is_nullable=True,
            ),
            "similarity": Column(
                pl.Float64,
                "cosine with the last accepted signature; null for two",
                is_nullable=True,
            ),
            "changes": Column(_STRINGS, "signature against the key frame before, by object name"),
        },
    ),
    Table(
        "scene_graphs",
        "one row per fact that holds at a key frame (after smoothing)",
        ("demonstration", "gating", "key_frame", "predicate", "subject", "object"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "key_frame": _KEY_FRAME,
            "predicate": Column(pl.String, "name in the predicate catalogue, Exists included"),
            "subject": _OBJECT,
            "object": Column(pl.String, "second object; null for unary facts", is_nullable=True),
        },
    ),
    Table(
        "visibility",
        "one row per key frame and object in the baseline camera's picture",
        ("demonstration", "gating", "key_frame", "object_name"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "key_frame": _KEY_FRAME,
            "frame": _FRAME,
            "object_name": _OBJECT,
            "pixels": Column(pl.Int64, "size of its mask", "px"),
            "fraction": Column(pl.Float64, "share of the picture's pixels"),
            "x_min_px": Column(pl.Int64, "left edge of its box, from 0", "px"),
            "y_min_px": Column(pl.Int64, "top edge of its box, from 0", "px"),
            "x_max_px": Column(pl.Int64, "right edge of its box, inclusive", "px"),
            "y_max_px": Column(pl.Int64, "bottom edge of its box, inclusive", "px"),
        },
    ),
    Table(
        "frame_images",
        "one row per key frame and variant",
        ("demonstration", "variant", "key_frame"),
        ("demonstration", "variant"),
        {
            "demonstration": _DEMONSTRATION,
            "variant": _VARIANT,
            "gating": _GATING,
            "key_frame": _KEY_FRAME,
            "frame": _FRAME,
            "image_sha": Column(pl.String, "SHA-256 of the PNG file, its name in images/"),
            "render_sha": Column(pl.String, "hash of all that decides the picture"),
            "width_px": Column(pl.Int64, "width", "px"),
            "height_px": Column(pl.Int64, "height", "px"),
        },
    ),
    Table(
        "transition_graph",
        "one row per valid edge between two key frames",
        ("demonstration", "gating", "key_frame_from", "key_frame_to"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "key_frame_from": _KEY_FRAME,
            "key_frame_to": _KEY_FRAME,
            "n_changes": Column(pl.Int64, "components of the visible change"),
            "changes": Column(_STRINGS, "the components, by object label, sorted"),
        },
    ),
    Table(
        "edited_objects",
        "one row per valid edge and object that its visible change names",
        ("demonstration", "gating", "key_frame_from", "key_frame_to", "object_name"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "key_frame_from": _KEY_FRAME,
            "key_frame_to": _KEY_FRAME,
            "object_name": _OBJECT,
            "in_transition": Column(pl.Boolean, "whether it turns into something, or came of it"),
            "pixels_from": Column(pl.Int64, "size of its mask before, 0 if it is not seen", "px"),
            "pixels_to": Column(pl.Int64, "size of its mask after, 0 if it is not seen", "px"),
            "pixels": Column(
                pl.Int64,
                "the smaller of the two, as it must be seen in both; in a transition the larger",
                "px",
            ),
        },
    ),
    Table(
        "path_counts",
        "one row per length and end key frame",
        ("demonstration", "gating", "length", "key_frame"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "length": _LENGTH,
            "key_frame": _KEY_FRAME,
            "n_paths": Column(pl.String, "valid trajectories that end here; exact, in decimal"),
        },
    ),
    Table(
        "trajectories",
        "one row per sampled key-frame trajectory",
        ("demonstration", "gating", "length", "trajectory_id"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "trajectory_id": Column(pl.String, "id from demonstration and frames"),
            "length": _LENGTH,
            "rank": Column(pl.String, "rank among all of its length; exact, in decimal"),
            "key_frames": Column(_INTS, "its key frames, ascending"),
            "frames": Column(_INTS, "their frames", "frame"),
        },
    ),
    Table(
        "qa",
        "one row per question",
        ("demonstration", "gating", "kind", "length", "question_id"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "question_id": _QUESTION,
            "trajectory_id": Column(pl.String, "trajectory it was made from"),
            "kind": _KIND,
            "length": _LENGTH,
            "key_frames": Column(_INTS, "key frames in true order"),
            "shown_key_frames": Column(
                _INTS, "key frames in the order shown, the current state first"
            ),
            "actions": Column(_STRINGS, "action texts in the order shown"),
            "action_components": Column(
                pl.List(_STRINGS), "components of each action, in the order shown"
            ),
            "answer": Column(_INTS, "label, from 1, shown for each step in turn"),
            "draw": Column(pl.Int64, "place among those of its kind and length, from 0"),
            "wording": Column(pl.String, "how actions are told: natural, symbolic or emoji"),
            "prompt": Column(pl.String, "the text a model is given"),
        },
    ),
    Table(
        "question_orders",
        "one row per question: how many orders are right, and what a random order scores",
        ("demonstration", "gating", "kind", "length", "question_id"),
        ("demonstration", "gating"),
        {
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "question_id": _QUESTION,
            "kind": _KIND,
            "length": _LENGTH,
            "n_orders": Column(pl.Int64, "orders there are: (length - 1)!"),
            "n_accepted_orders": Column(pl.Int64, "orders that the verifier accepts; exact"),
            "is_ambiguous": Column(pl.Boolean, "whether more than one order is accepted"),
            "expected_task_accuracy": Column(pl.Float64, "of a uniformly random order; exact"),
            "expected_pairwise_accuracy": Column(pl.Float64, "of a uniformly random order; exact"),
        },
    ),
    Table(
        "official_questions",
        "one row per question of an imported question file, as the file has it",
        ("question_file", "question_id"),
        ("question_file",),
        {
            "question_file": Column(pl.String, "name of the imported file"),
            "line": Column(pl.Int64, "line of the file it stands in, from 1"),
            "question_id": Column(pl.String, "id the file gives it"),
            "type": Column(pl.String, "what the file calls its kind and length"),
            "kind": _KIND,
            "length": _LENGTH,
            "task_name": Column(pl.String, "demonstration it was made from"),
            "key_frame_ids": Column(_STRINGS, "ids of its key frames in the recording, true order"),
            "images": Column(_STRINGS, "paths of the pictures in the order shown, beside the file"),
            "question": Column(pl.String, "the text a model is given"),
            "options": Column(pl.String, "JSON list; the release leaves it empty"),
            "gt_answer": Column(_INTS, "label, from 1, shown for each step in turn"),
            "as_found": Column(
                pl.String,
                "the whole line where the columns do not give it back byte for byte",
                is_nullable=True,
            ),
            "source_sha": Column(pl.String, "SHA-256 of the file"),
        },
    ),
    Table(
        "question_set",
        "one row per question asked",
        ("gating", "question_id"),
        ("gating",),
        {
            "gating": _GATING,
            "question_id": _QUESTION,
            "demonstration": _DEMONSTRATION,
            "kind": _KIND,
            "length": _LENGTH,
            "in_question_set": Column(
                pl.Boolean, "of the question set: asked by the baseline, if it has this gating"
            ),
            "in_probe_set": Column(
                pl.Boolean, "of the probe set: asked by every variant of this gating"
            ),
            "evidence_sha": Column(
                pl.String, "hash of the question and of the graphs and masks that verify it"
            ),
        },
    ),
    Table(
        "asked_questions",
        "one row per variant and question, as the variant asks it",
        ("variant", "question_id"),
        ("variant",),
        {
            "variant": _VARIANT,
            "question_id": _QUESTION,
            "gating": _GATING,
            "demonstration": _DEMONSTRATION,
            "kind": _KIND,
            "length": _LENGTH,
            "in_probe_set": Column(pl.Boolean, "compared between variants"),
            "key_frames": Column(_INTS, "key frames in true order"),
            "shown_key_frames": Column(
                _INTS, "key frames in the order shown, the current state first"
            ),
            "actions": Column(_STRINGS, "action texts as they are asked, in the order shown"),
            "told_components": Column(
                pl.List(_STRINGS), "components that each of these texts tells; noise included"
            ),
            "action_components": Column(
                pl.List(_STRINGS), "true components of each action, in the order shown"
            ),
            "answer": Column(_INTS, "label, from 1, shown for each step in turn"),
            "wording": Column(pl.String, "how actions are told: natural, symbolic or emoji"),
            "noise_rate": Column(pl.Float64, "probability with which a component is perturbed"),
            "n_perturbed": Column(pl.Int64, "true components that noise perturbed"),
            "prompt": Column(pl.String, "the text a model is given"),
            "evidence_sha": Column(pl.String, "as in question_set"),
        },
    ),
    Table(
        "wanted_frames",
        "one row per key frame and variant that is to have a picture of it",
        ("demonstration", "variant", "key_frame"),
        ("demonstration", "variant"),
        {
            "demonstration": _DEMONSTRATION,
            "variant": _VARIANT,
            "gating": _GATING,
            "key_frame": _KEY_FRAME,
            "frame": _FRAME,
            "frame_id": Column(pl.Int64, "what the recording calls that frame"),
        },
    ),
    Table(
        "predictions",
        "one row per model, variant and question",
        ("model", "variant", "question_id"),
        ("model", "variant"),
        {
            "model": _MODEL,
            "variant": _VARIANT,
            "question_id": _QUESTION,
            "request_sha": Column(pl.String, "hash of model, prompt and ordered image hashes"),
            "raw_answer": Column(
                pl.String, "what the model said; null if it never answered", is_nullable=True
            ),
            "error": Column(
                pl.String, "why there is no answer; null if there is one", is_nullable=True
            ),
        },
    ),
    Table(
        "evaluation",
        "one row per model, variant and question",
        ("model", "variant", "question_id"),
        ("model", "variant"),
        {
            "model": _MODEL,
            "variant": _VARIANT,
            "question_id": _QUESTION,
            "demonstration": _DEMONSTRATION,
            "gating": _GATING,
            "kind": _KIND,
            "length": _LENGTH,
            "answer_status": Column(pl.String, "parsed, unparsed or missing"),
            "reason": Column(pl.String, "why it is unparsed or missing", is_nullable=True),
            "answer": Column(_INTS, "the parsed order", is_nullable=True),
            "is_exact": Column(
                pl.Boolean, "equals the reference; null if not scored", is_nullable=True
            ),
            "is_semantic": Column(pl.Boolean, "consistent at every step", is_nullable=True),
            "is_accepted": Column(pl.Boolean, "exact or semantic", is_nullable=True),
            "n_steps": Column(pl.Int64, "steps of the question"),
            "n_steps_passed": Column(pl.Int64, "steps that pass the rule", is_nullable=True),
            "pairwise_accuracy": Column(pl.Float64, "share of steps that pass", is_nullable=True),
        },
    ),
    Table(
        "compared_steps",
        "one row per step of an answer that could be compared with what happened",
        ("model", "variant", "question_id", "step"),
        ("model", "variant"),
        {
            "model": _MODEL,
            "variant": _VARIANT,
            "question_id": _QUESTION,
            "demonstration": _DEMONSTRATION,
            "step": _STEP,
            "is_passed": Column(
                pl.Boolean, "whether it passes the rule of verification; all do if exact"
            ),
            "n_reference": Column(pl.Int64, "components of the true visible change"),
            "n_predicted": Column(pl.Int64, "components of what the answer says of the step"),
            "n_matched": Column(pl.Int64, "components that are in both"),
            "n_missing": Column(pl.Int64, "true ones the answer does not say"),
            "n_hallucinated": Column(pl.Int64, "ones it says that are not true"),
            "n_polarity_inversions": Column(
                pl.Int64, "pairs missing and hallucinated: opposite sign, all else equal"
            ),
            "n_predicate_substitutions": Column(
                pl.Int64, "of the rest, pairs of equal objects and sign"
            ),
            "n_entity_substitutions": Column(
                pl.Int64, "of the rest, pairs of equal predicate and sign"
            ),
            "n_omissions": Column(pl.Int64, "missing ones without a partner"),
            "n_hallucinations": Column(pl.Int64, "hallucinated ones without a partner"),
            **{
                f"n_{hand}_{what}": Column(pl.Int64, meaning.format(hand=hand, other=other))
                for hand, other in (("left", "right"), ("right", "left"))
                for what, meaning in (
                    ("reference", "true components about the {hand} hand"),
                    ("predicted", "components said about the {hand} hand"),
                    ("matched", "{hand}-hand components that are in both"),
                    ("mixed", "missing {hand}-hand ones, if only the {other} hand is made up"),
                )
            },
        },
    ),
    Table(
        "compared_components",
        "one row per component that a true step or its answer names, or pair of two taken for each "
        "other",
        ("model", "variant", "question_id", "step", "place"),
        ("model", "variant"),
        {
            "model": _MODEL,
            "variant": _VARIANT,
            "question_id": _QUESTION,
            "demonstration": _DEMONSTRATION,
            "step": _STEP,
            "place": Column(pl.Int64, "place among those of the step, from 1"),
            "outcome": Column(
                pl.String,
                "matched, polarity_inversion, predicate_substitution, entity_substitution, "
                "omission or hallucination",
            ),
            "reference": Column(
                pl.String, "the true component; null if it is made up", is_nullable=True
            ),
            "predicted": Column(
                pl.String, "what the answer says; null if it is left out", is_nullable=True
            ),
            "predicate": Column(pl.String, "of the true component, else of the other"),
            "semantic_class": Column(pl.String, "what kind of statement the predicate makes"),
        },
    ),
    Table(
        "probes",
        "one row per model, variant, kind and length against the baseline",
        ("model", "variant", "kind", "length"),
        ("model", "variant"),
        {
            "model": _MODEL,
            "variant": _VARIANT,
            "baseline": Column(pl.String, "variant compared with"),
            "kind": _KIND,
            "length": _ANY_LENGTH,
            "n_variant": Column(pl.Int64, "scored questions under the variant"),
            "n_baseline": Column(pl.Int64, "scored questions under the baseline"),
            "n_missing": Column(pl.Int64, "probe questions without a score, both sides"),
            "mean_variant": Column(pl.Float64, "mean pairwise accuracy", is_nullable=True),
            "mean_baseline": Column(pl.Float64, "mean pairwise accuracy", is_nullable=True),
            "delta": Column(
                pl.Float64, "variant minus baseline; negative is worse", is_nullable=True
            ),
            "standard_error": Column(
                pl.Float64, "of delta, questions independent", is_nullable=True
            ),
            "welch_p": Column(pl.Float64, "two-tailed Welch t-test", is_nullable=True),
            "unpaired_standard_error": Column(
                pl.Float64, "of delta, clustered; null below 2 demonstrations", is_nullable=True
            ),
            "unpaired_p": Column(
                pl.Float64,
                "of delta, clustered t-test: for gatings without pairs",
                is_nullable=True,
            ),
            "unpaired_low": Column(
                pl.Float64, "of delta: 95 % interval, clustered, by t", is_nullable=True
            ),
            "unpaired_high": Column(pl.Float64, "its upper end", is_nullable=True),
            "n_paired": Column(pl.Int64, "questions scored under both"),
            "n_demonstrations": Column(pl.Int64, "demonstrations among the paired questions"),
            "paired_delta": Column(pl.Float64, "mean paired difference", is_nullable=True),
            "paired_standard_error": Column(
                pl.Float64, "clustered by demonstration; null below 2 clusters", is_nullable=True
            ),
            "paired_p": Column(pl.Float64, "clustered t-test", is_nullable=True),
            "paired_low": Column(
                pl.Float64,
                "of paired_delta: 95 % interval over demonstrations, bootstrap; by t below 6",
                is_nullable=True,
            ),
            "paired_high": Column(pl.Float64, "its upper end", is_nullable=True),
            "sign_flip_p": Column(
                pl.Float64, "sign-flip test over demonstrations; least is 2 / 2^G", is_nullable=True
            ),
            "minimum_detectable_effect": Column(
                pl.Float64, "paired difference found with power 0.8, clustered", is_nullable=True
            ),
            "n_questions_needed": Column(
                pl.Int64,
                "for a difference of 0.05, of the same demonstrations; null also if none will do",
                is_nullable=True,
            ),
            "n_demonstrations_needed": Column(
                pl.Int64, "for a difference of 0.05, with as many questions each", is_nullable=True
            ),
            "panel": Column(
                pl.String, "what the variant changes; null for the baseline", is_nullable=True
            ),
            "welch_reason": Column(pl.String, "why welch_p is null", is_nullable=True),
            "reason": Column(pl.String, "why paired_p is null", is_nullable=True),
        },
    ),
    Table(
        "probe_panels",
        "one row per model, panel, variant, kind and length: p-values corrected within the panel",
        ("model", "panel", "variant", "kind", "length"),
        ("model",),
        {
            "model": _MODEL,
            "panel": Column(pl.String, "what its variants change, e.g. camera_fov"),
            "variant": _VARIANT,
            "kind": _KIND,
            "length": _ANY_LENGTH,
            "n_cells": Column(pl.Int64, "variants and kinds of the panel at this length"),
            "welch_holm_p": Column(pl.Float64, "welch_p of probes, by Holm", is_nullable=True),
            "paired_holm_p": Column(pl.Float64, "paired_p, by Holm", is_nullable=True),
            "sign_flip_holm_p": Column(pl.Float64, "sign_flip_p, by Holm", is_nullable=True),
            "unpaired_holm_p": Column(pl.Float64, "unpaired_p, by Holm", is_nullable=True),
        },
    ),
    Table(
        "model_accuracies",
        "one row per variant, kind, length, metric and model",
        ("variant", "kind", "length", "metric", "model"),
        ("variant",),
        {
            "variant": _VARIANT,
            "kind": _KIND,
            "length": _ANY_LENGTH,
            "metric": _METRIC,
            "model": _MODEL,
            "is_reference": Column(
                pl.Boolean, "no model but chance, the oracle or a shortcut; has no place"
            ),
            "n_scored": Column(pl.Int64, "questions that the accuracy is about"),
            "n_demonstrations": Column(pl.Int64, "demonstrations these are about"),
            "accuracy": Column(pl.Float64, "mean over questions", is_nullable=True),
            "standard_error": Column(
                pl.Float64, "clustered by demonstration; null below 2", is_nullable=True
            ),
            "low": Column(
                pl.Float64,
                "95 % interval over demonstrations: bootstrap, or t below 6 of them",
                is_nullable=True,
            ),
            "high": Column(pl.Float64, "its upper end", is_nullable=True),
            "reason": Column(pl.String, "why there is no interval", is_nullable=True),
            "place_best": Column(
                pl.Int64, "1 + models that are better and told apart", is_nullable=True
            ),
            "place_worst": Column(
                pl.Int64, "models less those that are worse and told apart", is_nullable=True
            ),
            "tied_with": Column(
                _STRINGS, "models it is not told apart from; not transitive", is_nullable=True
            ),
        },
    ),
    Table(
        "model_comparisons",
        "one row per variant, kind, length, metric and pair of models, over common questions",
        ("variant", "kind", "length", "metric", "model_a", "model_b"),
        ("variant",),
        {
            "variant": _VARIANT,
            "kind": _KIND,
            "length": _ANY_LENGTH,
            "metric": _METRIC,
            "model_a": Column(pl.String, "the one whose name comes first"),
            "model_b": Column(pl.String, "the other one"),
            "has_reference": Column(
                pl.Boolean, "one is a reference; such pairs are a family of their own"
            ),
            "n_paired": Column(pl.Int64, "questions scored for both"),
            "n_demonstrations": Column(pl.Int64, "demonstrations these are about"),
            "difference": Column(pl.Float64, "mean of a minus b", is_nullable=True),
            "standard_error": Column(
                pl.Float64, "clustered by demonstration; null below 2", is_nullable=True
            ),
            "low": Column(pl.Float64, "95 % interval by t, clustered", is_nullable=True),
            "high": Column(pl.Float64, "its upper end", is_nullable=True),
            "clustered_p": Column(pl.Float64, "clustered t-test", is_nullable=True),
            "clustered_bh_p": Column(
                pl.Float64, "the same by Benjamini and Hochberg, over all pairs", is_nullable=True
            ),
            "sign_flip_p": Column(
                pl.Float64, "sign-flip test over demonstrations", is_nullable=True
            ),
            "sign_flip_bh_p": Column(
                pl.Float64, "the same by Benjamini and Hochberg", is_nullable=True
            ),
            "is_tied": Column(
                pl.Boolean, "not told apart: clustered_bh_p, or else sign_flip_bh_p, from 0.05 on"
            ),
            "minimum_detectable_effect": Column(
                pl.Float64, "difference found with power 0.8, clustered", is_nullable=True
            ),
            "reason": Column(pl.String, "why clustered_p is null", is_nullable=True),
        },
    ),
    Table(
        "published_accuracies",
        "one row per experiment of the paper, variant, kind, length, metric and model",
        ("experiment", "published_variant", "kind", "length", "metric", "published_model"),
        (),
        {
            "experiment": Column(
                pl.String,
                "main, contact_gating, action_representation, noise_robustness or real_world_video",
            ),
            "published_variant": _PUBLISHED_VARIANT,
            "kind": _KIND,
            "length": _LENGTH,
            "metric": _METRIC,
            "published_model": _PUBLISHED_MODEL,
            "model_class": Column(pl.String, "proprietary, open_weight or human"),
            "accuracy": Column(pl.Float64, "mean over questions"),
            "standard_deviation": Column(
                pl.Float64, "over three seeds of noise; null elsewhere", is_nullable=True
            ),
            "place_in_paper": Column(pl.String, "table of the paper"),
        },
    ),
    Table(
        "published_probes",
        "one row per model of the paper, panel, variant and kind",
        ("published_model", "panel", "published_variant", "kind"),
        (),
        {
            "published_model": _PUBLISHED_MODEL,
            "panel": Column(pl.String, "what its variants change, as in probe_panels"),
            "published_variant": _PUBLISHED_VARIANT,
            "kind": _KIND,
            "delta": Column(pl.Float64, "variant minus baseline, two decimals; negative is worse"),
            "welch_p": Column(pl.Float64, "two-tailed Welch t-test, two decimals, not corrected"),
            "place_in_paper": Column(pl.String, "figure of the paper"),
        },
    ),
    Table(
        "published_error_shares",
        "one row per model of the paper, kind and structural category of error (figure 5)",
        ("published_model", "kind", "category"),
        (),
        {
            "published_model": _PUBLISHED_MODEL,
            "kind": _KIND,
            "category": Column(pl.String, "structural category"),
            "share": Column(pl.Float64, "of all errors"),
        },
    ),
    Table(
        "published_handedness",
        "one row per model of the paper, kind and hand (figures 4 and 17)",
        ("published_model", "kind", "hand"),
        (),
        {
            "published_model": _PUBLISHED_MODEL,
            "kind": _KIND,
            "hand": Column(pl.String, "left or right"),
            "precision": Column(pl.Float64, "matched over said components"),
            "precision_standard_error": Column(pl.Float64, "its standard error"),
            "recall": Column(pl.Float64, "matched over true components"),
            "recall_standard_error": Column(pl.Float64, "its standard error"),
            "mixing_rate": Column(pl.Float64, "of true components, said of the other hand"),
        },
    ),
    Table(
        "published_mismatch_rates",
        "one row per model of the paper and level (table 13)",
        ("published_model", "level"),
        (),
        {
            "published_model": _PUBLISHED_MODEL,
            "level": Column(pl.String, "question or step (the paper: data or pair)"),
            "mismatch_rate": Column(
                pl.Float64, "of accepted ones, those that say a strict subset of what happened"
            ),
        },
    ),
    Table(
        "published_question_counts",
        "one row per length of the paper's question set",
        ("length",),
        (),
        {
            "length": _LENGTH,
            "n_questions": Column(pl.Int64, "questions of each kind"),
        },
    ),
)

TABLES: dict[str, Table] = {t.name: t for t in _TABLES}


def table(name: str) -> Table:
    """The contract called ``name``; raises :class:`UnknownNameError`."""
    try:
        return TABLES[name]
    except KeyError:
        raise UnknownNameError.of("table", name, TABLES) from None
