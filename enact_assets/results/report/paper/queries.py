"""One query for each table of a paper.

They have a row per number that is printed: ``block`` (a part of the table with a
heading), ``line`` (name of its row), ``whose`` (``model``, ``reference``, ``published``,
``chance`` or ``setting``), ``over`` (heading above columns; may be empty) and ``heading`` of its
column, ``form`` (how it is printed: ``percent``, ``share``, which is one without its interval,
``points``, ``p`` or ``count``), ``value``,
``low`` and ``high`` of its interval, ``standard_error``, ``p``, ``mark`` (``best`` or ``tied``),
``n`` questions that it is about, ``n_asked``, and ``n_demonstrations``. Rows come in the order of
the table, columns by their ``place``. Fractions are printed as percents.
"""

from collections.abc import Mapping

from enact_assets.results.report.paper.choice import Choice, is_in
from enact_assets.results.report.rows import literal, query_of

VIDEO = "real_world_video"

_SHOWN = """
shown as (
    select
        model, if(bool_or(is_reference), 'reference', 'model') as whose,
        avg(accuracy) filter (variant = {variant} and metric = 'pairwise_accuracy') as mean
    from model_accuracies
    where {ours} and length is null
    group by model
)"""
_ACCURACIES = """
with {shown},
asked as (
    select model, kind, length, count(distinct question_id) as n_asked
    from evaluation
    where variant = {variant} and {ours}
    group by grouping sets ((model, kind, length), (model, kind))
),
found as (
    select
        found.kind, metric, found.length, found.model as line, whose, mean, accuracy, low, high,
        n_scored as n, n_asked, n_demonstrations, tied_with
    from model_accuracies as found
    inner join shown using (model)
    left join asked on asked.model = found.model and asked.kind = found.kind
        and asked.length is not distinct from found.length
    where variant = {variant}
    union all
    select
        kind, metric, length, model, 'published', null, accuracy, low, high, n_questions,
        n_questions, null, null
    from accuracy_by_length
    where source = 'published' and variant = {published_variant} and {published_model}
    union all
    select kind, metric, length, 'random order', 'chance', null, accuracy, null, null, null, null,
        null, null
    from (
        unpivot (select kind, length, pairwise_accuracy, task_accuracy from ({chance}))
        on pairwise_accuracy, task_accuracy into name metric value accuracy
    )
),
marked as (
    select
        *,
        case
            when whose <> 'model' or count(*) filter (whose = 'model') over one < 2 then null
            when accuracy = max(accuracy) filter (whose = 'model') over one then 'best'
            when list_contains(
                tied_with, arg_max(line, accuracy) filter (whose = 'model') over one
            ) then 'tied'
        end as mark,
        list_position(['model', 'reference', 'published', 'chance'], whose) as side
    from found
    window one as (partition by kind, metric, length)
)"""
_CELL = """
    null::double as standard_error, null::double as p, mark, n, n_asked, n_demonstrations"""

_TABLES: Mapping[str, str] = {
    "leaderboard": """{accuracies}
select
    kind as block, line, whose, '' as over,
    if(metric = 'pairwise_accuracy', 'pairwise %', 'task %') as heading,
    'percent' as form, accuracy as value, low, high,{cell},
    if(metric = 'pairwise_accuracy', 1, 2) as place, side, mean
from marked where length is null
union all
select
    kind, line, whose, '', 'questions', 'count', n, null, null, null, null, null, n, n_asked,
    n_demonstrations, 3, side, mean
from marked where length is null and metric = 'pairwise_accuracy'
order by block, side, mean desc, line, place""",
    "length_pairwise": """{accuracies}
select
    kind as block, line, whose, '' as over, coalesce(length::varchar, 'all') as heading,
    'share' as form, accuracy as value, low, high,{cell},
    coalesce(length, 99) as place, side, mean
from marked where metric = 'pairwise_accuracy'
order by block, side, mean desc, line, place""",
    "probes": """
with {shown},
named as (
    select distinct on (published_variant) published_variant, variant
    from comparable_with_published
    where published_variant is not null
    order by published_variant, variant <> published_variant, variant
),
found as (
    select
        panel, probes.variant, kind, model, whose, mean, difference,
        if(is_paired, paired_low, unpaired_low) as low,
        if(is_paired, paired_high, unpaired_high) as high,
        if(is_paired, paired_standard_error, unpaired_standard_error) as standard_error,
        if(is_paired, paired_holm_p, unpaired_holm_p) as p,
        if(is_paired, n_paired, n_variant) as n, n_demonstrations, is_paired
    from probe_deltas as probes
    inner join shown using (model)
    where length is null and panel is not null and {models}
)
select
    panel as block, variant as line, 'setting' as whose,
    if(side = 'published', model || ' (publ.)', model) as over, kind as heading, 'points' as form,
    difference as value, low, high, standard_error, p,
    if(side = 'published', 'published', if(is_paired, null, 'unpaired')) as mark, n,
    n as n_asked, n_demonstrations,
    list_position(['model', 'reference', 'published'], side) as place, mean
from (
    select *, whose as side from found
    union all by name
    select
        panel, named.variant, kind, published_model as model, 'published' as side,
        delta as difference, welch_p as p, true as is_paired
    from published_probes
    inner join named using (published_variant)
    semi join found on found.variant = named.variant and found.panel = published_probes.panel
    where {published_published_model}
)
order by block, line, place, mean desc, over, heading""",
    "hands": """
with {shown},
found as (
    select
        kind, hand, model, whose, mean, n_reference, n_predicted, n_answers, n_demonstrations,
        unnest(['precision %', 'recall %', 'mixing %']) as heading,
        unnest([precision, recall, mixing_rate]) as rate,
        unnest([precision_clustered_se, recall_clustered_se, mixing_rate_clustered_se])
            as standard_error
    from handedness
    inner join shown using (model)
    where variant = {variant} and length is null and answers = 'wrong'
        and (n_reference > 0 or n_predicted > 0)
    union all by name
    select
        kind, hand, published_model as model, 'published' as whose,
        unnest(['precision %', 'recall %', 'mixing %']) as heading,
        unnest([precision, recall, mixing_rate]) as rate,
        unnest([precision_standard_error, recall_standard_error, null]) as standard_error
    from published_handedness
    where {published_published_model}
),
cells as (
    select
        kind || ', ' || hand || ' hand' as block, model as line, whose, '' as over, heading,
        'percent' as form, rate as value, null::double as low, null::double as high,
        standard_error, null::double as p,
        case
            when whose <> 'model' or count(rate) filter (whose = 'model') over one < 2 then null
            when rate = if(
                heading = 'mixing %', min(rate) filter (whose = 'model') over one,
                max(rate) filter (whose = 'model') over one
            ) then 'best'
        end as mark,
        n_answers as n, n_answers as n_asked, n_demonstrations,
        list_position(['precision %', 'recall %', 'mixing %'], heading) as place, mean
    from found
    window one as (partition by kind, hand, heading)
    union all by name
    select distinct
        kind || ', ' || hand || ' hand' as block, model as line, whose, '' as over,
        'true ones' as heading, 'count' as form, n_reference as value, n_answers as n,
        n_answers as n_asked, n_demonstrations, 4 as place, mean
    from found where whose <> 'published'
)
from cells
order by
    block, list_position(['model', 'reference', 'published'], whose), mean desc, line, place""",
    "tests": """
with pairs as (
    select *
    from model_comparisons
    where variant = {variant} and length is null and {model_a} and {model_b}
        and ({models_a} or {models_b}) and ({n_models} = 1 or not has_reference)
        and n_paired > 0
),
cells as (
    select
        kind as block, model_a || ' minus ' || model_b as line, 'model' as whose,
        replace(metric, '_accuracy', '') as over,
        unnest(['difference', 'p']) as heading, unnest(['points', 'p']) as form,
        unnest([difference, coalesce(clustered_bh_p, sign_flip_bh_p)]) as value,
        unnest([low, null]) as low, unnest([high, null]) as high, standard_error,
        null::double as p, if(is_tied, null, 'differs') as mark, n_paired as n,
        n_paired as n_asked, n_demonstrations, if(metric = 'pairwise_accuracy', 1, 2) as place
    from pairs
    union all by name
    select
        kind as block, model_a || ' minus ' || model_b as line, 'model' as whose, '' as over,
        'questions' as heading, 'count' as form, n_paired as value, n_paired as n,
        n_paired as n_asked, n_demonstrations, 3 as place
    from pairs where metric = 'pairwise_accuracy'
)
from cells order by block, line, place, heading""",
    "sources": """
with {shown}
select
    kind as block, model as line, coalesce(whose, 'published') as whose, variant as over,
    if(metric = 'pairwise_accuracy', 'pairwise %', 'task %') as heading, 'share' as form,
    accuracy as value, low, high, standard_error, null::double as p, null as mark,
    n_questions as n, n_questions as n_asked, n_demonstrations, mean
from accuracy_by_length as found
left join shown using (model)
where length is null
    and if(found.source = 'ours', shown.model is not null, {published_model})
order by block, list_position(['model', 'reference', 'published'], whose), mean desc, line,
    over, heading""",
    "world": """
select
    split_part(kind, '_', 1) as block, model as line,
    if(is_reference, 'reference', 'model') as whose, variant[7:] as over,
    split_part(kind, '_', 2) as heading, 'percent' as form, accuracy as value,
    exact_low as low, exact_high as high, standard_error, null::double as p, null as mark,
    n_scored as n, n_scored as n_asked, n_demonstrations
from model_accuracies
where metric = 'task_accuracy' and variant like 'world:%' and length is null and {ours}
order by
    block desc, is_reference, max(accuracy) over (partition by block, line) desc, line, over,
    list_position(['same', 'view', 'equivalent'], heading)""",
}
_SHARES = """
with {shown},
found as (
    select
        kind, model, whose, mean, {what} as what, share, n_errors,
        sum(n_errors) over (partition by kind, model)::bigint as n
    from {relation}
    inner join shown using (model)
    where variant = {variant} and length is null and answers = 'wrong'
    {published_shares}
)
select
    kind as block, model as line, whose, '' as over, replace(what, '_', ' ') as heading,
    'percent' as form, share as value, null::double as low, null::double as high,
    null::double as standard_error, null::double as p, null as mark, n, n as n_asked,
    null::bigint as n_demonstrations, list_position({order}, what) as place, mean
from found
union all by name
select distinct
    kind as block, model as line, whose, '' as over, 'errors' as heading, 'count' as form,
    n as value, n, n as n_asked, 99 as place, mean
from found where whose <> 'published'
order by
    block, list_position(['model', 'reference', 'published'], whose), mean desc, line, place"""
_SHARES_OF = {
    "errors_structural": {
        "{what}": "category",
        "{relation}": "structural_errors",
        "{order}": "['omission', 'hallucination', 'entity_substitution', "
        "'predicate_substitution', 'polarity_inversion']",
        "{published_shares}": """union all by name
    select kind, published_model as model, 'published' as whose, category as what, share
    from published_error_shares where {published_published_model}""",
    },
    "errors_semantic": {
        "{what}": "semantic_class",
        "{relation}": "semantic_errors",
        "{order}": "['spatial_relation', 'agent_interaction', 'functional_state', "
        "'material_state', 'contact']",
        "{published_shares}": "",
    },
}
TABLES = (
    *("leaderboard", "length_pairwise", "probes", "hands", "errors_structural", "tests"),
    *("length_task", "errors_semantic", "sources", "world"),
)
"""Names of all tables, those of the first pages first."""


def table_query(name: str, variant: str, choice: Choice) -> str:
    """The SQL of one of :data:`TABLES`."""
    if name == "length_task":
        sql = _TABLES["length_pairwise"].replace("metric = 'pairwise", "metric = 'task")
    elif name in _SHARES_OF:
        sql = _SHARES
        for mark, text in _SHARES_OF[name].items():
            sql = sql.replace(mark, text)
    else:
        sql = _TABLES[name]
    filled = {
        "{accuracies}": _ACCURACIES.strip(),
        "{cell}": _CELL,
        "{shown}": _SHOWN.strip(),
        "{chance}": query_of("chance", variant).strip(),
        "{published_variant}": literal(VIDEO if variant == VIDEO else "baseline"),
        "{published_model}": choice.published_condition("found.model")
        if name == "sources"
        else choice.published_condition("model"),
        "{published_published_model}": choice.published_condition(),
        "{model_a}": choice.condition("model_a"),
        "{model_b}": choice.condition("model_b"),
        "{models_a}": is_in("model_a", choice.models),
        "{models_b}": is_in("model_b", choice.models),
        "{n_models}": str(len(choice.models)),
        "{ours}": choice.condition(),
        "{models}": is_in("model", choice.models),
        "{variant}": literal(variant),
    }
    for mark, text in filled.items():
        sql = sql.replace(mark, text)
    return sql.strip() + "\n"
