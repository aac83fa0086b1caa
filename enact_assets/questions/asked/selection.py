"""Selection of questions: stratified by source, kind and length, balanced over demonstrations."""

from collections.abc import Collection, Mapping
from typing import Any

import polars as pl

from enact_assets.demonstrations.pictures.tables import WantedFrames
from enact_assets.engine.errors import QuestionError
from enact_assets.engine.ids import content_sha, seed_from
from enact_assets.questions.asked.tables import QuestionSet
from enact_assets.settings.classes import ALL, number_at
from enact_assets.settings.registry import QuestionSetSettings, QuestionSettings, Variant
from enact_assets.settings.world import KINDS

_CONTENT = (
    "question_id",
    "kind",
    "key_frames",
    "shown_key_frames",
    "actions",
    "action_components",
    "answer",
    "prompt",
)


def select_questions(
    qa_all_demonstrations: pl.DataFrame,
    evidence: Mapping[str, str],
    question_set: QuestionSetSettings,
    settings: QuestionSettings,
    sources: Mapping[str, str],
) -> pl.DataFrame:
    """The questions of one set, over all demonstrations of its gating: ``question_set``.

    Strata are (source, kind, length): what was simulated, recorded and filmed is never asked as
    one, so each source has as many questions as if it were the only one. Within a stratum the
    demonstrations take turns: what they contribute differs by at most one question unless one runs
    out. Each demonstration gives its questions in an order of its own that depends on
    ``settings.seed`` alone, so the probe set (the same with a smaller number, for
    ``settings.probe_lengths``) lies within the question set, and one demonstration more only
    shortens what the others give. ``evidence`` maps demonstration -> hash of the tables that verify
    its questions, ``sources`` demonstration -> its source. Errors: :class:`QuestionError` for a
    chosen question whose demonstration has no evidence, and for a demonstration without a source.
    """
    rows: list[dict[str, Any]] = []
    of_gating = qa_all_demonstrations.filter(gating=question_set.gating)
    lost = sorted(set(of_gating["demonstration"]) - set(sources))
    if lost:
        raise QuestionError(
            f"{len(lost)} demonstrations have questions and no row in demonstrations, first "
            f"{lost[0]}; materialize replays and qa again"
        )
    source = pl.col("demonstration").replace_strict(sources, return_dtype=pl.String)
    strata = of_gating.with_columns(source=source).partition_by(
        "source", "kind", "length", as_dict=True
    )
    for (_, kind, length), stratum in sorted(strata.items()):
        ids: dict[str, list[str]] = {
            str(demonstration): group.get_column("question_id").to_list()
            for (demonstration,), group in stratum.partition_by(
                "demonstration", as_dict=True
            ).items()
        }
        turns = take_turns(ids, settings.seed, f"{question_set.gating} {kind} {length}")
        asked = set(turns[: settings.wanted(question_set, length)])
        n_probed = settings.probe_set_per_stratum if length in settings.probe_lengths else 0
        probed = set(turns[:n_probed])
        places = {question: place for place, question in enumerate(turns, 1)}
        chosen = stratum.filter(pl.col("question_id").is_in(sorted(asked | probed)))
        rows.extend(
            {
                "question_set": question_set.name,
                "gating": question["gating"],
                "question_id": question["question_id"],
                "demonstration": question["demonstration"],
                "kind": question["kind"],
                "length": question["length"],
                "source": question["source"],
                "place": places[question["question_id"]],
                "in_question_set": question["question_id"] in asked,
                "in_probe_set": question["question_id"] in probed,
                "evidence_sha": _evidence_sha(question, evidence),
            }
            for question in chosen.iter_rows(named=True)
        )
    return QuestionSet.build(rows)


def chosen_by_variant(
    question_set: pl.DataFrame,
    variant: Variant,
    *,
    not_shown: Collection[str] = (),
) -> pl.DataFrame:
    """Rows of ``question_set`` that ``variant`` asks: all of its set, the probe questions, or the
    first so many of each stratum; about demonstrations of its sources.

    Nothing is asked about demonstrations in ``not_shown``, which have no pictures under it.
    """
    chosen = question_set.filter(pl.col("question_set") == variant.question_set)
    chosen = chosen.filter(
        ~pl.col("demonstration").is_in(list(not_shown)), pl.col("source").is_in(variant.sources)
    )
    if not isinstance(variant.asks, str):
        lengths = {length: number_at(variant.asks, length) for length in chosen["length"].unique()}
        most = pl.col("length").replace_strict(lengths, return_dtype=pl.Int64)
        return chosen.filter(pl.col("place") <= most)
    return chosen if variant.asks == ALL else chosen.filter("in_probe_set")


def frames_wanted(
    segmented_frames: pl.DataFrame,
    qa: pl.DataFrame,
    asked_questions: pl.DataFrame,
    variant: str,
    *,
    is_whole: bool,
) -> pl.DataFrame:
    """Key frames of one demonstration that ``variant`` needs a picture of -> wanted_frames.

    All of them if ``is_whole``; otherwise those that the questions in ``asked_questions`` show.
    ``qa`` and ``segmented_frames`` are of the demonstration and the variant's gating. Errors:
    :class:`QuestionError` if a question about it is asked that is not in ``qa``.
    """
    contract = WantedFrames
    if segmented_frames.is_empty():
        return contract.empty()
    demonstration, gating = segmented_frames.select("demonstration", "gating").row(0)
    wanted = segmented_frames
    if not is_whole:
        asked = asked_questions.filter(demonstration=demonstration, gating=gating)
        of_enact = asked.filter(~pl.col("kind").is_in(KINDS))
        lost = of_enact.join(qa, on="question_id", how="anti").get_column("question_id")
        if lost.len():
            raise QuestionError(
                f"{demonstration} ({gating}): {lost.len()} of {of_enact.height} questions that "
                f"{variant!r} asks were never written, first {lost[0]}. Materialize qa, "
                "question_set and asked_questions again."
            )
        shown = asked.select(pl.col("shown_key_frames").explode().unique().alias("key_frame"))
        wanted = wanted.join(shown, on="key_frame", how="semi")
    return contract.arranged(
        wanted.with_columns(variant=pl.lit(variant)).select(list(contract.schema())),
        f"{demonstration}, {variant}",
    )


def take_turns(ids_by_demonstration: Mapping[str, list[str]], seed: int, stratum: str) -> list[str]:
    """All ids of one stratum, one of each demonstration per round while it has any.

    Within a demonstration, and among demonstrations, the order is by hash of name and ``seed``;
    any prefix is therefore balanced, and prefixes of two lengths are nested.
    """
    demonstrations = sorted(
        ids_by_demonstration, key=lambda d: (seed_from("turn", seed, stratum, d), d)
    )
    queues = [
        sorted(set(ids_by_demonstration[d]), key=lambda q: (seed_from("question", seed, q), q))
        for d in demonstrations
    ]
    n_rounds = max((len(queue) for queue in queues), default=0)
    return [queue[r] for r in range(n_rounds) for queue in queues if r < len(queue)]


def _evidence_sha(question: Mapping[str, Any], evidence: Mapping[str, str]) -> str:
    demonstration = question["demonstration"]
    if demonstration not in evidence:
        raise QuestionError(
            f"{demonstration} ({question['gating']}): no evidence for question "
            f"{question['question_id']}; materialize scene_graphs and visibility first"
        )
    return content_sha([*(question[c] for c in _CONTENT), evidence[demonstration]])
