-- comparable_with_published: one row per variant, source, model and experiment of the paper.
-- Reads: variant_settings, published_settings, published_caveats, published_question_counts,
--        published_accuracies, published_probes, asked_questions, qa, demonstrations, evaluation.
-- Rule:  may a number of ours stand beside a table of the paper, and why not (definitions.md 9).
--        Names of variants decide nothing: published_variant is the condition of the paper whose
--        settings are all in force, and of imported questions, which bring key frames and pictures
--        of their own, the main one. is_comparable also needs imported questions in the paper's
--        prompts (by hash, the actions left out), no more of a kind and length than the paper has,
--        and the paper's way to judge an answer. Which questions the paper asked is not known here:
--        caveat says how many ours are, and that nobody checked that they are the paper's.
create table comparable_with_published as
with given as (
    select
        variants.published_variant, of_baseline.setting,
        if(own.setting is null, of_baseline.value, own.value) as value
    from (select distinct published_variant from published_settings) as variants
    inner join published_settings as of_baseline on of_baseline.published_variant = 'baseline'
    left join published_settings as own
        on own.published_variant = variants.published_variant
        and own.setting = of_baseline.setting
),

prompts as (
    select setting[8:] as kind, value as sha
    from given
    where published_variant = 'baseline' and starts_with(setting, 'prompt.')
),

imported as (select distinct gating, question_id from qa where question_file is not null),

asked as (
    select
        variant, asked.question_id, kind, imported.question_id is not null as is_imported,
        coalesce(demonstrations.source, asked.source) as source,
        demonstrations.frame_rate_hz is not distinct from 0 as has_no_pace,
        case when imported.question_id is not null then
            sha256(
                regexp_replace(
                    regexp_replace(prompt, '\[Action [0-9]+\][^\n]*', '', 'g'), '\s+', ' ', 'g'
                )
            )
        end as prompt_sha
    from asked_questions as asked
    left join imported using (gating, question_id)
    left join demonstrations using (demonstration)
    where not starts_with(variant, 'world:')
),

-- Prompts of a variant that were written here differ in their actions alone: one is enough.
written as (
    select
        variant, kind,
        sha256(
            regexp_replace(
                regexp_replace(
                    min_by(prompt, question_id), '\[Action [0-9]+\][^\n]*', '', 'g'
                ),
                '\s+', ' ', 'g'
            )
        ) as prompt_sha
    from asked_questions
    anti join imported using (gating, question_id)
    group by variant, kind
),

-- Footage is of the pictures as all settings of them are, so one of both says enough.
footage as (
    select variant, value = 'imported' as is_imported
    from variant_settings
    where setting = 'footage'
),

-- Conditions of the paper with the fewest settings that are not in force.
nearest as (
    select
        ours.variant, given.published_variant,
        list(given.setting order by given.setting) filter (ours.value <> given.value) as others,
        any_value(footage.is_imported) as is_imported
    from given
    inner join variant_settings as ours using (setting)
    inner join footage on footage.variant = ours.variant
    where
        given.value is not null
        and (
            not footage.is_imported
            or (given.published_variant = 'baseline' and given.setting in ('noise', 'wording'))
        )
    group by ours.variant, given.published_variant
    qualify
        coalesce(len(others), 0)
        = min(coalesce(len(others), 0)) over (partition by ours.variant)
),

differing as (
    select variant, string_agg(said, '; ' order by setting) as differences
    from (
        select
            variant, setting,
            setting || ' is ' || any_value(ours.value) || ', in the paper '
            || string_agg(distinct given.value, ' or ' order by given.value) as said
        from (select variant, published_variant, unnest(others) as setting from nearest)
        inner join given using (published_variant, setting)
        inner join variant_settings as ours using (variant, setting)
        group by variant, setting
    )
    group by variant
),

conditions as (
    select
        variant, max(differences) as differences,
        -- Of several that are equally near, none is in force.
        if(max(differences) is null, min(published_variant), null) as published_variant
    from nearest
    left join differing using (variant)
    group by variant
),

experiments as (
    select
        published_variant, experiment, string_agg(distinct place_in_paper, ', '
        order by place_in_paper) as place_in_paper
    from (
        select published_variant, experiment, place_in_paper from published_accuracies
        union all
        select published_variant, 'probes', place_in_paper from published_probes
    )
    group by published_variant, experiment
),

-- Imported questions of a kind and length beyond those that the paper has.
beyond as (
    select
        variant,
        string_agg(
            format('{:,}', n) || ' ' || kind || ' questions of length ' || length
            || ', in the paper ' || format('{:,}', n_published),
            '; ' order by kind, length
        ) as beyond
    from (
        select
            variant, asked.kind, asked.length, count(distinct question_id) as n,
            coalesce(any_value(n_questions), 0) as n_published
        from asked_questions as asked
        inner join imported using (gating, question_id)
        left join published_question_counts using (length)
        group by variant, asked.kind, asked.length
    )
    where n > n_published
    group by variant
),

answered as (
    select
        evaluation.variant, model, grouping(asked.source) = 1 as is_all,
        asked.source,
        count(distinct asked.question_id) filter (is_accepted is not null) as n_questions,
        count(*) filter (not is_imported) as n_written,
        count(*) as n_asked,
        count(*) filter (coalesce(asked.prompt_sha, written.prompt_sha) <> prompts.sha)
            as n_other_prompts,
        count(*) filter (unverified is not null and is_accepted is not null) as n_by_match,
        count(*) filter (
            unverified is null and is_imported and has_no_pace and is_accepted is not null
        ) as n_by_segmented,
        count(*) filter (answer_status = 'unparsed' and is_accepted is null) as n_out,
        bool_or(asked.source = 'embedded') as is_embedded
    from evaluation
    inner join asked
        on asked.variant = evaluation.variant and asked.question_id = evaluation.question_id
    left join written on written.variant = asked.variant and written.kind = asked.kind
    left join prompts on prompts.kind = asked.kind
    group by grouping sets (
        (evaluation.variant, model, asked.source), (evaluation.variant, model)
    )
),

of_paper as (select 2 * sum(n_questions)::bigint as n_published from published_question_counts),

judged as (
    select
        answered.*, differences, conditions.published_variant, experiment, place_in_paper,
        if(experiment = 'main', n_published, null) as n_published,
        n_published as n_in_paper,
        nullif(concat_ws(
            ' ',
            'No condition of the paper: ' || differences || '.',
            case when conditions.variant is null then 'Its settings are unknown.' end,
            case when is_embedded then
                'Replays and pictures are of our own simulator, not of BEHAVIOR.'
            end,
            case when n_written > 0 then
                'Questions were written here: they are not the '
                || format('{:,}', n_in_paper) || ' of the paper.'
            end,
            case when n_questions = 0 then 'No answer was scored.' end,
            'More imported questions than the paper has: ' || beyond || '.',
            case when n_other_prompts > 0 then 'Prompts are not in the words of the paper.' end,
            case when n_written < n_asked and experiment <> 'main' then
                'The paper does not say which questions this experiment asks.'
            end,
            case when n_by_match > 0 then
                format('{:,}', n_by_match) || ' answers were judged by exact match, as no replay '
                || 'was imported; the paper accepts every order that fits.'
            end
        ), '') as why_not
    from answered
    left join conditions using (variant)
    left join beyond using (variant)
    left join experiments using (published_variant)
    cross join of_paper
)

select
    variant, source, model, experiment, place_in_paper, published_variant,
    n_written = 0 as is_imported,
    n_questions, n_published,
    why_not is null as is_comparable,
    why_not, differences,
    nullif(concat_ws(
        ' ',
        case when n_written = 0 and n_questions > 0 and why_not is null then
            format('{:,}', n_questions) || ' imported questions in the paper''s prompts (the paper '
            || 'has ' || format('{:,}', n_in_paper) || '); that they are the paper''s own is not '
            || 'checked.'
        end,
        case when n_by_segmented > 0 then
            format('{:,}', n_by_segmented)
            || ' answers were verified by segmented scene graphs, approximately.'
        end,
        case when n_out > 0 then
            format('{:,}', n_out) || ' answers could not be read and are in no score.'
        end,
        (
            select string_agg(distinct caveat, ' ' order by caveat) from published_caveats
            where
                published_caveats.published_variant = judged.published_variant
                and (
                    of_source is null or of_source = judged.source
                    or (is_all and of_source = 'embedded' and is_embedded)
                )
        )
    ), '') as caveat
from judged
order by variant, source nulls first, model, experiment;

comment on column comparable_with_published.variant is 'variant of ours';
comment on column comparable_with_published.source is
'of the demonstrations that the answers are about; null for all of them, as tables of ours are';
comment on column comparable_with_published.model is 'model that answered';
comment on column comparable_with_published.experiment is
'of the paper: as in published_accuracies, or probes; null where settings are of no condition';
comment on column comparable_with_published.place_in_paper is 'its tables or figures';
comment on column comparable_with_published.published_variant is
'condition of the paper that has these settings, whatever ours is called';
comment on column comparable_with_published.is_imported is
'whether every question is of an imported file';
comment on column comparable_with_published.n_questions is 'questions that our scores are about';
comment on column comparable_with_published.n_published is
'questions of the experiment; null where the paper does not say which they are';
comment on column comparable_with_published.is_comparable is
'whether these scores may stand beside the place in the paper';
comment on column comparable_with_published.why_not is 'all reasons against it; null if it may';
comment on column comparable_with_published.differences is
'settings that the nearest condition of the paper has otherwise; null if there are none';
comment on column comparable_with_published.caveat is
'what to say beside it all the same: parts, approximations, what the paper does not give';
