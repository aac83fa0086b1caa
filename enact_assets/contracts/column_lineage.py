"""Column lineage: which columns of other tables the values of a column are computed from.

Written down as data. Named are the columns whose values decide the value; those that only decide
which rows there are, are not. A column from nothing here comes from settings alone: the names of
gatings, variants and models, constants of a profile, seeds. Tables that were replayed or imported
come from no table.
"""

from collections.abc import Mapping

from enact_assets.engine.tables import table

Origin = tuple[str, str]
"""A table and one of its columns."""


def _of(name: str, *columns: str) -> tuple[Origin, ...]:
    return tuple((name, column) for column in columns)


_SETTINGS: tuple[Origin, ...] = ()

_FOUND = (
    # Key frames are found from what holds when, among objects that exist or come of each other.
    *_of("demonstrations", "n_frames"),
    *_of("facts", "predicate", "subject", "object", "frame_from", "frame_to"),
    *_of("objects", "object_name", "category", "parents"),
)
_GRAPHS = _of("scene_graphs", "key_frame", "predicate", "subject", "object")
_SEEN = _of("visibility", "key_frame", "object_name", "fraction")
_LABELS = _of("objects", "object_name", "category", "parents")
_CHANGES = (*_GRAPHS, *_SEEN, *_LABELS)
"""Changes between two key frames: what shows of the facts that differ, by label."""

_STATE = _of("states", "qpos", "mocap_pos", "mocap_quat", "appearance")
_WORLD = _of("demonstrations", "demonstration", "world_sha")
"""The embedded world is built anew from the name, and its hash compared."""


def _mask(column: str) -> tuple[Origin, ...]:
    """Masks: rendered from the state of an embedded demonstration, else as recorded."""
    return (*_WORLD, *_STATE, *_of("observability", column))


_GRAPH_EDGES = _of("transition_graph", "key_frame_from", "key_frame_to")
_DRAWN = (
    # Paths are ranked along the edges; those of the public release hang on all changes.
    *_of("segmented_frames", "key_frame"),
    *_GRAPH_EDGES,
    *_CHANGES,
)
_TOLD = (
    # Texts: of the graph's changes, of which the public release has words of its own.
    *_of("transition_graph", "key_frame_from", "key_frame_to", "changes"),
    *_CHANGES,
)
_QUESTION = _of("qa", "kind", "key_frames", "shown_key_frames", "action_components", "answer")
_VERIFIED = (*_QUESTION, *_CHANGES)
_EVIDENCE = (
    *_QUESTION,
    *_of("qa", "question_id", "actions", "prompt"),
    *_GRAPHS,
    *_of("visibility", "key_frame", "object_name", "pixels", "fraction"),
    *_of("objects", "object_name", "category", "parents", "is_particle_system"),
)
_TOLD_ANEW = (
    *_of("qa", "trajectory_id", "kind", "action_components", "answer"),
    # Noise names other objects of the demonstration.
    *_of("objects", "object_name", "category", "is_particle_system"),
)
_CHOSEN = _of("qa", "question_id", "kind", "length", "demonstration")
"""What takes turns when questions are chosen."""
_PICTURES = _of("frame_images", "demonstration", "key_frame", "image_sha")
_REQUEST = (
    *_of("asked_questions", "question_id", "demonstration", "shown_key_frames", "prompt"),
    *_PICTURES,
)
_REPLY = (
    *_REQUEST,
    # What baselines are told beside: the oracle the answer, text_prior what the actions tell.
    *_of("asked_questions", "kind", "length", "answer", "told_components"),
)
_ANSWERED = _of("predictions", "raw_answer", "error")
_VERDICT = (
    *_of("predictions", "raw_answer"),
    *_of("asked_questions", "kind", "key_frames", "shown_key_frames", "action_components"),
    *_of("asked_questions", "answer"),
    *_CHANGES,
)
_COMPARED = (
    # The order that was found, against the true one; inverse orders say what their actions tell.
    *_of("evaluation", "answer", "answer_status", "n_steps"),
    *_of("asked_questions", "kind", "key_frames", "shown_key_frames", "action_components"),
    *_CHANGES,
)
_SCORED = _of("evaluation", "kind", "length", "pairwise_accuracy")
_PAIRED = (*_SCORED, *_of("evaluation", "question_id", "gating"))
_CLUSTERED = (*_PAIRED, *_of("evaluation", "demonstration"))
_CELL = _of("probes", "model", "panel", "length")
_ACCURACY = _of("evaluation", "kind", "length", "is_accepted", "pairwise_accuracy")
_ACCURACY_CLUSTERED = (*_ACCURACY, *_of("evaluation", "demonstration"))
_MODELS_PAIRED = (*_ACCURACY, *_of("evaluation", "question_id"))
_MODELS_COMPARED = (*_ACCURACY_CLUSTERED, *_of("evaluation", "question_id", "model"))


def _same(name: str, *columns: str) -> dict[str, tuple[Origin, ...]]:
    """Columns that are taken over from a table as they are."""
    return {column: _of(name, column) for column in columns}


def _all(origins: tuple[Origin, ...], *columns: str) -> dict[str, tuple[Origin, ...]]:
    """Columns that come of the same origins."""
    return dict.fromkeys(columns, origins)


COLUMNS_FROM: Mapping[str, Mapping[str, tuple[Origin, ...]]] = {
    "segmented_frames": {
        **_same("demonstrations", "demonstration"),
        **_all(_SETTINGS, "gating"),
        **_all(_FOUND, "key_frame", "frame", "change_frame", "similarity", "changes"),
        "frame_id": (*_of("demonstrations", "frame_id_runs"), *_FOUND),
    },
    "scene_graphs": {
        **_same("demonstrations", "demonstration"),
        **_all(_SETTINGS, "gating"),
        **_all(_FOUND, "key_frame"),
        **_same("facts", "predicate", "subject", "object"),
    },
    "visibility": {
        **_same("segmented_frames", "demonstration", "gating", "key_frame", "frame"),
        "object_name": (*_WORLD, *_of("observability", "object_name")),
        "pixels": _mask("pixels"),
        "fraction": (*_mask("pixels"), *_of("observability", "height_px", "width_px")),
        **{edge: _mask(edge) for edge in ("x_min_px", "y_min_px", "x_max_px", "y_max_px")},
    },
    "transition_graph": {
        **_same("segmented_frames", "demonstration", "gating"),
        **_all(_CHANGES, "key_frame_from", "key_frame_to", "n_changes", "changes"),
    },
    "edited_objects": {
        **_same("segmented_frames", "demonstration", "gating"),
        **_all(_CHANGES, "key_frame_from", "key_frame_to", "object_name", "in_transition"),
        **_all(
            (*_of("visibility", "key_frame", "object_name", "pixels"), *_CHANGES),
            *("pixels_from", "pixels_to", "pixels"),
        ),
    },
    "path_counts": {
        **_same("segmented_frames", "demonstration", "gating", "key_frame"),
        **_all(_SETTINGS, "length"),
        "n_paths": (*_of("segmented_frames", "key_frame"), *_GRAPH_EDGES),
    },
    "trajectories": {
        **_same("segmented_frames", "demonstration", "gating"),
        "trajectory_id": (*_of("segmented_frames", "demonstration", "frame"), *_DRAWN),
        **_all(_SETTINGS, "length"),
        **_all(_DRAWN, "rank", "key_frames"),
        "frames": (*_of("segmented_frames", "frame"), *_DRAWN),
    },
    "qa": {
        **_same("trajectories", "demonstration", "gating", "trajectory_id", "key_frames"),
        "question_id": (
            *_of("trajectories", "demonstration", "gating", "trajectory_id", "key_frames"),
            *_of("trajectories", "frames"),
            *_of("segmented_frames", "frame_id"),
        ),
        **_all(_SETTINGS, "kind", "wording"),
        **_same("trajectories", "length"),
        "shown_key_frames": _of("trajectories", "trajectory_id", "key_frames"),
        "actions": (*_of("trajectories", "trajectory_id", "key_frames"), *_TOLD),
        "action_components": (
            *_of("trajectories", "trajectory_id", "key_frames"),
            *_of("transition_graph", "key_frame_from", "key_frame_to", "changes"),
        ),
        # In the public release equal texts share their labels.
        "answer": (*_of("trajectories", "trajectory_id", "key_frames"), *_TOLD),
        "draw": (*_of("trajectories", "rank", "trajectory_id"), *_CHANGES),
        "prompt": (*_of("trajectories", "trajectory_id", "key_frames"), *_TOLD),
    },
    "question_orders": {
        **_same("qa", "demonstration", "gating", "question_id", "kind", "length"),
        **_all(_of("qa", "length"), "n_orders"),
        **_all(
            _VERIFIED,
            *("n_accepted_orders", "is_ambiguous"),
            *("expected_task_accuracy", "expected_pairwise_accuracy"),
        ),
    },
    "question_set": {
        **_same("qa", "gating", "question_id", "demonstration", "kind", "length"),
        **_all(_CHOSEN, "in_question_set"),
        "in_probe_set": (*_CHOSEN, *_of("demonstrations", "source")),
        "evidence_sha": _EVIDENCE,
    },
    "asked_questions": {
        **_all(_SETTINGS, "variant", "noise_rate"),
        **_same("question_set", "question_id", "gating", "demonstration", "kind", "length"),
        **_same("question_set", "in_probe_set", "evidence_sha"),
        **_same("qa", "key_frames", "shown_key_frames", "action_components", "answer", "wording"),
        **_all(_TOLD_ANEW, "told_components", "n_perturbed"),
        "actions": (*_of("qa", "actions"), *_TOLD_ANEW),
        "prompt": (*_of("qa", "prompt"), *_TOLD_ANEW),
    },
    "wanted_frames": {
        **_same("segmented_frames", "demonstration", "gating", "key_frame", "frame", "frame_id"),
        **_all(_SETTINGS, "variant"),
    },
    "frame_images": {
        **_same("wanted_frames", "demonstration", "variant", "gating", "key_frame", "frame"),
        **_all(
            (*_WORLD, *_STATE, *_of("wanted_frames", "frame", "frame_id")),
            *("image_sha", "render_sha"),
        ),
        # Of the settings, or of the recording's own pictures.
        **_all(_of("wanted_frames", "frame_id"), "width_px", "height_px"),
    },
    "predictions": {
        **_all(_SETTINGS, "model", "variant"),
        **_same("asked_questions", "question_id"),
        "request_sha": _REQUEST,
        **_all(_REPLY, "raw_answer", "error"),
    },
    "evaluation": {
        **_same("predictions", "model", "variant", "question_id"),
        **_same("asked_questions", "demonstration", "gating", "kind", "length"),
        **_all((*_of("predictions", "raw_answer"), *_of("asked_questions", "length")), "answer"),
        **_all((*_ANSWERED, *_of("asked_questions", "length")), "answer_status", "reason"),
        "is_exact": (*_of("predictions", "raw_answer"), *_of("asked_questions", "answer")),
        **_all(_VERDICT, "is_semantic", "is_accepted", "n_steps_passed", "pairwise_accuracy"),
        **_all(_of("asked_questions", "length"), "n_steps"),
    },
    "compared_steps": {
        **_same("evaluation", "model", "variant", "question_id", "demonstration"),
        "step": _of("evaluation", "n_steps"),
        "is_passed": (*_of("evaluation", "is_exact"), *_COMPARED),
        **_all(
            _COMPARED,
            *("n_reference", "n_predicted", "n_matched", "n_missing", "n_hallucinated"),
            *("n_polarity_inversions", "n_predicate_substitutions", "n_entity_substitutions"),
            *("n_omissions", "n_hallucinations"),
            *("n_left_reference", "n_left_predicted", "n_left_matched", "n_left_mixed"),
            *("n_right_reference", "n_right_predicted", "n_right_matched", "n_right_mixed"),
        ),
    },
    "compared_components": {
        **_same("evaluation", "model", "variant", "question_id", "demonstration"),
        "step": _of("evaluation", "n_steps"),
        **_all(
            _COMPARED,
            *("place", "outcome", "reference", "predicted", "predicate", "semantic_class"),
        ),
    },
    "probes": {
        **_same("evaluation", "model", "variant", "kind", "length"),
        **_all(_SETTINGS, "baseline"),
        **_all(_SCORED, "n_variant", "n_baseline", "n_missing", "mean_variant", "mean_baseline"),
        **_all(_SCORED, "delta", "standard_error", "welch_p"),
        **_all(_CLUSTERED, "unpaired_standard_error", "unpaired_p"),
        **_all(_CLUSTERED, "unpaired_low", "unpaired_high"),
        **_all(_PAIRED, "n_paired", "paired_delta"),
        **_all(_CLUSTERED, "n_demonstrations", "paired_standard_error", "paired_p"),
        **_all(_CLUSTERED, "paired_low", "paired_high", "sign_flip_p", "reason"),
        **_all(
            _CLUSTERED,
            *("minimum_detectable_effect", "n_questions_needed", "n_demonstrations_needed"),
        ),
        **_all(_SCORED, "welch_reason"),
        **_all(_SETTINGS, "panel"),
    },
    "probe_panels": {
        **_same("probes", "model", "panel", "variant", "kind", "length"),
        **_all(_CELL, "n_cells"),
        "welch_holm_p": (*_CELL, *_of("probes", "welch_p")),
        "paired_holm_p": (*_CELL, *_of("probes", "paired_p")),
        "sign_flip_holm_p": (*_CELL, *_of("probes", "sign_flip_p")),
        "unpaired_holm_p": (*_CELL, *_of("probes", "unpaired_p")),
    },
    "model_accuracies": {
        **_same("evaluation", "variant", "kind", "length", "model"),
        **_all(_SETTINGS, "metric"),
        **_all(_of("evaluation", "model"), "is_reference"),
        **_all(_ACCURACY, "n_scored", "accuracy"),
        **_all(_ACCURACY_CLUSTERED, "n_demonstrations", "standard_error", "low", "high", "reason"),
        **_all(_MODELS_COMPARED, "place_best", "place_worst", "tied_with"),
    },
    "model_comparisons": {
        **_same("evaluation", "variant", "kind", "length"),
        **_all(_SETTINGS, "metric"),
        **_all(_of("evaluation", "model"), "model_a", "model_b", "has_reference"),
        **_all(_MODELS_PAIRED, "n_paired", "difference"),
        **_all(
            _MODELS_COMPARED,
            *("n_demonstrations", "standard_error", "low", "high", "clustered_p", "sign_flip_p"),
            *("clustered_bh_p", "sign_flip_bh_p", "is_tied", "minimum_detectable_effect"),
            "reason",
        ),
    },
}
"""Table -> column -> what it is computed from, for every table that is made from others."""


STANDS_FOR: Mapping[str, frozenset[str]] = dict.fromkeys(
    ("question_set", "asked_questions"),
    frozenset({"qa", "scene_graphs", "visibility", "objects"}),
)
"""Input -> tables that are read beside it without being inputs: its ``evidence_sha`` hashes them.

Columns of such tables are named for what they are, though partitions follow from the input alone.
"""


def origins(name: str, column: str) -> tuple[Origin, ...]:
    """Columns that one column is computed from directly, each once, in order of declaration.

    Empty for columns of replayed and imported tables. Errors: :class:`UnknownNameError` for a table
    nobody defined, ``KeyError`` for a column it does not have.
    """
    columns = table(name).schema()
    if name not in COLUMNS_FROM:
        columns[column]
        return ()
    return tuple(dict.fromkeys(COLUMNS_FROM[name][column]))


def replayed_origins(name: str, column: str) -> tuple[Origin, ...]:
    """Columns of replayed or imported tables that one column goes back to, sorted."""
    found: set[Origin] = set()
    seen: set[Origin] = set()
    ahead = [(name, column)]
    while ahead:
        place = ahead.pop()
        if place in seen:
            continue
        seen.add(place)
        if place[0] in COLUMNS_FROM:
            ahead += origins(*place)
        else:
            found.add(place)
    return tuple(sorted(found))
