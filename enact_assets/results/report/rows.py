"""Rows of a report: read once from the published warehouse, by SQL."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from enact_assets.answers.baselines.learned_names import reference_mark
from enact_assets.engine.errors import UnknownNameError
from enact_assets.results.published import OpenWarehouse, published_provenance
from enact_assets.results.report.drawing import MAX_NAME, NOT_BESIDE, PARTIAL, REFERENCE, drawable
from enact_assets.results.report.looks import Look, looks_of
from enact_assets.settings.registry import BASELINE

N_STALE_SHOWN = 20
_STATUS = {"model": pl.String, "kind": pl.String, "n_answers": pl.Int64, "n_unscored": pl.Int64}
_CHANCE = """
            sum((length - 1) * expected_pairwise_accuracy::decimal(18, 17)) / sum(length - 1)"""
"""Pairwise accuracy that a random order is expected to have: right steps over all steps."""
_COMPARABLE = {"is_comparable": pl.Boolean, "why_not": pl.String, "caveat": pl.String}
_PICTURED = """
        pictured as (
            select question_id, list(image_sha order by place) as image_shas
            from (
                select
                    gating, demonstration, question_id, unnest(shown_key_frames) as key_frame,
                    generate_subscripts(shown_key_frames, 1) as place
                from asked_questions
                where variant = {variant} and question_id in (select question_id from chosen)
            ) as shown
            left join (from frame_images where variant = {variant}) as pictures
                using (gating, demonstration, key_frame)
            group by all
        )"""
"""Hashes of the pictures of questions in the order shown; null for one that is gone."""
NOT_THE_CONDITION = "This variant is not the condition of tables 9 and 10."

_QUERIES: Mapping[str, str] = {
    "demonstrations": """
        select source, count(*) as n_demonstrations, count(distinct activity) as n_activities
        from demonstrations group by source order by source""",
    "claims": """
        select verdict, method, count(*) as n from faithfulness group by all order by all""",
    "asked": """
        with shown as (
            select distinct question_id, demonstration, unnest(shown_key_frames) as key_frame
            from asked_questions where variant = {variant}
        )
        select
            count(distinct question_id) as n_questions,
            count(distinct demonstration) as n_demonstrations,
            count(distinct activity) as n_activities,
            (select count(distinct (demonstration, key_frame)) from shown) as n_key_frames,
            (select count(*) from shown) as n_shown
        from asked_questions left join demonstrations using (demonstration)
        where variant = {variant}""",
    # Who solved a question, references left out: models, people, solvers without being people.
    "solved": """
        with annotators as (select distinct annotator as model, role from human_answers),
        answered as (
            select
                question_id, coalesce(is_accepted, false) as is_solved,
                coalesce(annotators.role, 'model') as by_whom,
                answer_status <> 'missing' as is_there
            from evaluation
            left join annotators using (model)
            anti join (
                select model from model_accuracies where variant = {variant} and is_reference
            ) using (model)
            where variant = {variant}
        )
        select
            by_whom, count(distinct question_id) filter (is_there) as n_answered,
            count(distinct question_id) filter (is_solved) as n_solved
        from answered group by all having n_answered > 0 order by all""",
    "stale": f"""
        from stale_partitions where state = 'stale' order by all limit {N_STALE_SHOWN + 1}""",
    "missing": f"""
        from stale_partitions where state = 'missing' order by all limit {N_STALE_SHOWN + 1}""",
    "statuses": """
        select
            model, kind, false as is_absent,
            count(distinct question_id) as n_questions, count(*) as n_answers,
            count(*) filter (answer_status = 'parsed' and is_accepted) as n_accepted,
            count(*) filter (answer_status = 'parsed' and not is_accepted) as n_wrong,
            count(*) filter (answer_status = 'unparsed') as n_unparsed,
            count(*) filter (answer_status = 'unparsed' and reason = 'refused') as n_refused,
            count(*) filter (answer_status = 'unparsed' and reason = 'declined') as n_declined,
            count(*) filter (answer_status = 'unparsed' and reason = 'cut') as n_cut,
            count(*) filter (answer_status = 'missing') as n_missing,
            -- Missing ones, and under profile release those that could not be read.
            count(*) filter (is_accepted is null) as n_unscored
        from evaluation where variant = {variant} group by all
        union all
        select
            model, kind, true, n_questions, n_questions, 0, 0, 0, 0, 0, 0, n_questions, n_questions
        from absent_evaluations where variant = {variant} and length is null
        order by all""",
    "parts": """
        select model, kind, n_scored, n_in_variant
        from leaderboard_details
        where variant = {variant} and length is null and n_questions < n_in_variant
        order by all""",
    "readings": """
        select
            model, kind, n_answers, n_read_otherwise, task_accuracy, pairwise_accuracy,
            n_wrong_length as n_short, pairwise_accuracy_whole,
            task_accuracy_as_release, pairwise_accuracy_as_release
        from leaderboard_details
        where variant = {variant} and length is null and state <> 'missing'
        order by kind, model""",
    "quality": "select * from answer_quality where variant = {variant} order by model",
    "repetitions": """
        select model, kind, repetitions, task_accuracy_sd, pairwise_accuracy_sd
        from leaderboard_details
        where variant = {variant} and length is null and repetitions > 1
        order by kind, model""",
    "accuracies": "select * from model_accuracies where variant = {variant} order by all",
    # Separate from our own questions, for any reported variant.
    "official": """
        with imported as (
            select distinct
                asked.variant, asked.question_id, demonstration, question_file,
                -- Key frames of segmented activities are at no even pace.
                coalesce(frame_rate_hz = 0, false) as is_segmented
            from asked_questions as asked
            inner join qa using (gating, demonstration, question_id)
            left join demonstrations using (demonstration)
            where question_file is not null
        )
        select
            imported.variant, model, kind,
            count(distinct imported.demonstration) as n_demonstrations,
            list_sort(list(distinct question_file)) as question_files,
            count(distinct question_id) as n_questions,
            count(distinct question_id) filter (unverified is null and not is_segmented)
                as n_by_replay,
            count(distinct question_id) filter (unverified is null and is_segmented)
                as n_by_segmented,
            count(distinct question_id) filter (unverified is not null) as n_by_match,
            count(*) filter (answer_status = 'missing') as n_missing,
            -- Of its variant, which need not be the reported one.
            count(*) filter (is_accepted is null) between 1 and count(*) - 1 as is_partial,
            avg(is_accepted::double) as task_accuracy,
            sum(pairwise_accuracy * n_steps)
                / nullif(sum(n_steps) filter (pairwise_accuracy is not null), 0)
                as pairwise_accuracy
        from imported
        inner join evaluation using (variant, question_id)
        group by all
        order by imported.variant, kind, task_accuracy desc nulls last, model""",
    # All models of all variants, so that a model looks the same in all reports.
    "models": """
        select model, coalesce(bool_or(is_reference), false) as is_reference
        from (
            select model, is_reference from model_accuracies
            union all by name
            select distinct model from evaluation
            union all by name
            select distinct model from absent_evaluations
        )
        group by all order by all""",
    # Exact expectations of a random order; steps count alike in pairwise accuracy.
    "chance": """
        select
            kind, length,
            {chance} as pairwise_accuracy,
            avg(expected_task_accuracy::decimal(18, 17)) as task_accuracy
        from question_orders
        semi join (from asked_questions where variant = {variant}) using (gating, question_id)
        group by grouping sets ((kind, length), (kind)) order by all""",
    "activities": """
        select * from accuracy_by_activity where variant = {variant} order by activity, kind, model
        """,
    "activity_chance": """
        select
            kind, activity,
            {chance} as pairwise_accuracy
        from question_orders
        semi join (from asked_questions where variant = {variant}) using (gating, question_id)
        inner join demonstrations using (demonstration)
        group by all order by all""",
    # Of the questions that the scores of a setting are about.
    "setting_chance": """
        with settings as (select distinct panel, variant from probe_scores),
        asked_of as (
            select panel, kind, length, max(place) as most
            from (select distinct panel, variant from probes where panel is not null)
            inner join asked_questions using (variant)
            group by all
        )
        select
            panel, variant, kind,
            {chance} as pairwise_accuracy
        from settings
        inner join asked_questions as asked using (variant)
        inner join asked_of using (panel, kind, length)
        inner join (select gating, question_id, expected_pairwise_accuracy from question_orders)
            using (gating, question_id)
        where place <= most
        group by all order by all""",
    "probes": """
        select
            probes.*, n_cells, welch_holm_p, paired_holm_p, sign_flip_holm_p, unpaired_holm_p
        from probes
        left join probe_panels as panels
            on panels.model = probes.model and panels.variant = probes.variant
            and panels.kind = probes.kind and panels.length is null
        where probes.length is null and probes.panel is not null
        order by probes.panel, probes.kind, probes.model, probes.variant""",
    "probe_scores": """
        select * from probe_scores where length is null
        order by panel, kind, model, is_baseline desc, variant""",
    "structural": """
        select * from structural_errors
        where variant = {variant} and length is null and answers = 'wrong' order by all""",
    "semantic": """
        select * from semantic_errors
        where variant = {variant} and length is null and answers = 'wrong' order by all""",
    "shared_errors": """
        select * from shared_errors
        where variant = {variant} order by kind, unit, n desc, wrong_models""",
    "handedness": """
        select * from handedness
        where variant = {variant} and length is null and answers = 'wrong' order by all""",
    "mismatch": """
        select * from mismatch_rates
        where variant = {variant} and length is null order by all""",
    "questions": """
        select
            *,
            gating in (select gating from asked_questions where variant = 'baseline')
                as is_of_baseline,
            gating in (select gating from qa where question_file is not null) as is_imported
        from question_statistics where demonstration is null
        order by gating, kind, length nulls first""",
    "rule_totals": "from rule_totals order by all",
    # Of the baseline, or of the variant with another gating that asks most.
    "asked_counts": """
        with by_variant as (
            select variant, gating, kind, length, count(*) as n_asked
            from asked_questions group by all
        )
        select gating, kind, length, max(n_asked) as n_asked from by_variant
        where variant = 'baseline'
            or gating not in (select gating from asked_questions where variant = 'baseline')
        group by all order by all""",
    "examples": """
        with chosen as (from error_examples where variant = {variant}),
        {pictured}
        select examples.*, image_shas, actions, official_id, raw_answer
        from chosen as examples
        left join pictured using (question_id)
        left join question_ids using (question_id)
        left join predictions using (model, variant, question_id, repetition)
        left join asked_questions as asked using (variant, question_id)
        order by
            examples.kind, examples.perspective, examples.category, examples.length,
            examples.model, examples.place""",
    # Only people, without solvers and simulated annotators.
    "human_agreement": """
        select * from human_agreement
        where role = 'person' and variant = {variant} and length is null
        order by kind nulls first, annotators <> 'all', annotators, measure""",
    "hardest": """
        with chosen as (
            select *, row_number() over (
                order by n_solved / n_answered, n_answered desc, median_active_s desc, question_id
            ) as place
            from question_quality
            where role = 'person' and variant = {variant}
            qualify place <= 20
        ),
        {pictured},
        ambiguous as (
            select gating, question_id, list(ambiguity order by ambiguity) as ambiguities
            from question_ambiguities group by all
        )
        select hardest.*, answer, actions, image_shas, official_id, ambiguities
        from chosen as hardest
        inner join asked_questions using (variant, question_id)
        left join pictured using (question_id)
        left join question_ids using (gating, question_id)
        left join ambiguous using (gating, question_id)
        order by place""",
    "published_agreement": "from published_agreement order by all",
    "agreement": """
        select * from agreement_with_published where variant = {variant}
        order by model, kind, metric, length nulls first""",
    "findings": """
        from findings
        where source = 'published' or variant = {variant} or chance = 'equal hands'
        order by all""",
    "comparable": """
        select
            model, coalesce(experiment = 'main' and is_comparable, false) as is_comparable,
            nullif(concat_ws(
                ' ',
                case when experiment <> 'main' then
                    'Its settings are the paper''s condition ' || published_variant
                    || ', not the condition of tables 9 and 10.'
                end,
                why_not
            ), '') as why_not,
            caveat
        from comparable_with_published
        where variant = {variant} and source is null
        -- A condition of the paper may be in several experiments: that of tables 9 and 10 first.
        qualify row_number() over (
            partition by model order by experiment is distinct from 'main', experiment
        ) = 1
        order by model""",
    # Our probes that may be compared with the paper's heat maps.
    "comparable_probes": "select distinct model, variant from probe_deltas where is_comparable",
    # Of conditions, whichever model answered; after what was edited.
    "caveats": """
        with said as (
            select distinct
                variant, 'No condition of the paper: ' || differences || '.' as text
            from comparable_with_published
            union
            select variant, published.caveat
            from comparable_with_published as ours
            inner join published_caveats as published
                on published.published_variant = ours.published_variant
                and coalesce(published.of_source = ours.source, true)
            where ours.source is not null
        )
        select variant, string_agg(text, ' ' order by text) as caveat
        from said where text is not null group by variant order by all""",
    "edited": """
        select distinct variant, differences from comparable_with_published
        where differences is not null
        order by variant <> 'baseline', variant""",
    # What the paper's conditions are called here: the first variant that has their settings.
    "conditions": """
        select distinct on (published_variant) published_variant, variant
        from comparable_with_published
        where published_variant is not null
        order by published_variant, variant <> published_variant, variant""",
    "similar_sizes": """
        select * from accuracy_by_size
        where is_similar and metric = 'pairwise_accuracy' and length is not null
            and (source = 'published' or variant = {variant})
        order by all""",
    "world": """
        select
            variant[7:] as world_source, split_part(kind, '_', 1) as task,
            split_part(kind, '_', 2) as condition, length, model as world_model, n_scored,
            accuracy, exact_low, exact_high
        from model_accuracies
        where metric = 'task_accuracy' and variant like 'world:%'
        order by all
    """,
    # A pair of task and condition is called as a kind is; the paper's data set comes first.
    "world_statistics": """
        select
            null as world_source, task, 'equivalent' as condition, null as activity,
            max(value) filter (metric = 'samples')::bigint as n_questions,
            max(value) filter (metric = 'unique_actions')::bigint as n_unique_actions,
            max(value) filter (metric = 'mean_duration_s') as mean_duration_s,
            null::double as mean_length, null::double as without_goal
        from published_worldprediction
        where method = 'dataset' and published_name = 'All'
        group by task
        union all
        select
            world_source, task, condition, activity, n_questions, n_unique_actions,
            mean_duration_s, mean_length, without_goal
        from world_question_statistics
        order by world_source nulls first, task desc, condition, activity nulls first
    """,
    # Each activity counts alike.
    "world_activities": """
        select
            variant[7:] as world_source, kind, model as world_model,
            avg(task_accuracy) as accuracy
        from accuracy_by_activity
        where variant like 'world:%' and task_accuracy is not null
        group by all
        order by all
    """,
    "world_frequent_actions": """
        select world_source, task, condition, place, value, share
        from world_question_values
        where measure = 'action' and place <= 5
        order by all
    """,
    "published_accuracies": "from published_accuracies order by all",
    "published_probes": "from published_probes order by all",
    "published_error_shares": "from published_error_shares order by all",
    "published_handedness": "from published_handedness order by all",
    "published_mismatch_rates": "from published_mismatch_rates order by all",
    "published_question_counts": "from published_question_counts order by all",
}


def best_first(rows: pl.DataFrame, name: str = "model", accuracy: str = "accuracy") -> list[str]:
    """What column ``name`` holds, by the mean of ``accuracy``, the highest first."""
    means = rows.group_by(name).agg(pl.col(accuracy).mean())
    return means.sort(accuracy, name, descending=[True, False])[name].to_list()


@dataclass(frozen=True)
class ReportRows:
    """Rows by name; answers of ``variant`` are reported."""

    of: Mapping[str, pl.DataFrame]
    variant: str
    version: str
    """Content hash of the warehouse; empty if unknown."""

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Rows of one name. Errors: ``KeyError`` for an unknown name."""
        return self.of[name]

    @cached_property
    def looks(self) -> Mapping[str, Look]:
        """How each model of the warehouse is drawn, in every figure."""
        models = self["models"]
        return looks_of(models["model"], set(models.filter("is_reference")["model"]))

    def partial(self, model: str) -> dict[str, tuple[int, int]]:
        """Kind -> answers that are scored and those asked for, where some are in no score; of a
        model that was asked a declared part, and the questions of the variant.
        """
        return self._partial.get(model, {})

    @cached_property
    def _partial(self) -> dict[str, dict[str, tuple[int, int]]]:
        found: dict[str, dict[str, tuple[int, int]]] = {}
        statuses = self.of.get("statuses", pl.DataFrame(schema=_STATUS))
        some = statuses.filter(pl.col("n_unscored").is_between(1, pl.col("n_answers") - 1))
        for model, kind, n, n_unscored in some.select(*_STATUS).sort("model", "kind").iter_rows():
            found.setdefault(model, {})[kind] = n - n_unscored, n
        for model, kind, n_scored, n in self.of.get("parts", pl.DataFrame()).iter_rows():
            found.setdefault(model, {})[kind] = n_scored, n
        return found

    @property
    def partial_note(self) -> str:
        """How many questions each partial model was scored on; empty if there is none."""
        said = (
            f"{model} ({n:,} of {of:,} {kind} answers scored)"
            for model, kinds in self._partial.items()
            for kind, (n, of) in kinds.items()
        )
        text = ", ".join(said)
        return f"Partial: {text}." if text else ""

    def label(self, model: str, limit: int = MAX_NAME, *, whose: str = "here") -> str:
        """The name of a model as it can be drawn, marked if it is partial or a reference; one that
        is not from ``here`` is marked as published.
        """
        if whose != "here":
            return f"{drawable(model, limit)} (publ.)"
        look = self.looks.get(model)
        marks = REFERENCE if look is not None and look.is_reference else ""
        return drawable(model, limit) + marks + (PARTIAL if self.partial(model) else "")

    def marked(self, model: str) -> str:
        """The name of a model as tables have it, marked in the same way, in words."""
        return self.marked_as(model, is_partial=bool(self.partial(model)))

    def marked_as(self, model: str, *, is_partial: bool) -> str:
        """The same for a variant other than the reported one."""
        look = self.looks.get(model)
        mark = reference_mark(model) if look is not None and look.is_reference else ""
        return model + mark + (PARTIAL if is_partial else "")

    def preferred(self, models: Iterable[str]) -> list[str]:
        """Models that are not references; all of ``models`` if there are only references."""
        names = list(models)
        return [m for m in names if m not in self.looks or not self.looks[m].is_reference] or names

    @property
    def not_comparable(self) -> str:
        """Why numbers of this variant may not be compared with tables 9 and 10; empty if some may.

        Without rows nothing is known of them, so they may not.
        """
        found = self._comparable
        if found["is_comparable"].any():
            return ""
        reasons = found["why_not"].drop_nulls().mode().sort()
        return str(reasons[0]) if reasons.len() else NOT_THE_CONDITION

    @property
    def comparable_caveat(self) -> str:
        """Remark on the numbers that may be compared with tables 9 and 10."""
        found = self._comparable.filter("is_comparable")["caveat"].drop_nulls()
        return str(found.mode().sort()[0]) if found.len() else ""

    @property
    def _comparable(self) -> pl.DataFrame:
        return self.of.get("comparable", pl.DataFrame(schema=_COMPARABLE))

    @property
    def beside_published(self) -> str:
        """Note on a heat map with rows of the paper and ours."""
        found = self.of.get("comparable_probes", pl.DataFrame())
        return _about_published(is_comparable=not found.is_empty())

    @property
    def about_published(self) -> str:
        """Note on any other figure with rows of the paper."""
        return _about_published(is_comparable=not self.not_comparable)

    def chance(self, kind: str, metric: str, length: int | None = None) -> float | None:
        """Expected score of a random order, 0 to 1; None without questions."""
        found = self["chance"].filter(pl.col("length").eq_missing(length), kind=kind)[metric]
        return None if found.is_empty() else found.item()


def _about_published(*, is_comparable: bool) -> str:
    return f"(publ.): as published in the ENACT paper{'' if is_comparable else NOT_BESIDE}."


def has_unverified(rows: ReportRows) -> bool:
    """Whether the reported variant has answers that are scored by exact match only."""
    return bool(rows["official"].filter(variant=rows.variant)["n_by_match"].sum())


def literal(text: str) -> str:
    """``text`` as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def query_of(name: str, variant: str) -> str:
    """The SQL of the rows of one name, for a report on ``variant``."""
    sql = _QUERIES[name].replace("{chance}", _CHANCE).replace("{pictured}", _PICTURED)
    return sql.replace("{variant}", literal(variant))


def read_rows(warehouse_path: Path, variant: str = BASELINE) -> ReportRows:
    """All rows of a report on ``variant``.

    Errors: :class:`WarehouseError` if there is no warehouse; :class:`UnknownNameError` if it has
    no such variant (the baseline may be without questions: then the report says so).
    """
    ask = OpenWarehouse(warehouse_path)
    known = ask("select distinct variant from asked_questions")["variant"]
    if variant != BASELINE and variant not in known:
        raise UnknownNameError.of(
            "published variant",
            variant,
            sorted({*known, BASELINE}),
            "`enact-assets materialize --variant NAME` publishes another variant of the registry.",
        )
    of = {name: ask(query_of(name, variant)) for name in _QUERIES}
    return ReportRows(of, variant, published_provenance(warehouse_path)[0] or "")
