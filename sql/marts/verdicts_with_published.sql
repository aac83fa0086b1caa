-- verdicts_with_published: one row per source, variant, model, measure, kind and item.
-- Reads: structural_errors, handedness, mismatch_rates, published_error_shares,
--        published_handedness, published_mismatch_rates, comparable_conditions.
-- Rule:  figures 4, 5 and 17 and table 13 of the paper. Ours under the baseline, and under other
--        variants with the settings of the paper's; all lengths.
--        Errors and hands are of wrong answers, as the paper's standard errors imply of its own;
--        mismatch is of accepted ones, over both kinds (kind null). item is the category, the hand,
--        or question and step. Ours compare with theirs where is_comparable.
create table verdicts_with_published as
with both_sources as (
    select
        'ours' as source, variant, model, 'error_share' as measure, kind, category as item,
        share as value, null::double as standard_error
    from structural_errors
    where answers = 'wrong' and length is null
    union all
    select 'ours', variant, model, 'precision', kind, hand, precision, precision_clustered_se
    from handedness
    where answers = 'wrong' and length is null
    union all
    select 'ours', variant, model, 'recall', kind, hand, recall, recall_clustered_se
    from handedness
    where answers = 'wrong' and length is null
    union all
    select 'ours', variant, model, 'mixing_rate', kind, hand, mixing_rate, mixing_rate_clustered_se
    from handedness
    where answers = 'wrong' and length is null
    union all
    select 'ours', variant, model, 'mismatch_rate', null, 'question', question_mismatch_rate, null
    from mismatch_rates
    where kind is null and length is null
    union all
    select 'ours', variant, model, 'mismatch_rate', null, 'step', step_mismatch_rate, null
    from mismatch_rates
    where kind is null and length is null
    union all
    select 'published', 'baseline', published_model, 'error_share', kind, category, share, null
    from published_error_shares
    union all
    select
        'published', 'baseline', published_model, 'precision', kind, hand, precision,
        precision_standard_error
    from published_handedness
    union all
    select
        'published', 'baseline', published_model, 'recall', kind, hand, recall,
        recall_standard_error
    from published_handedness
    union all
    select 'published', 'baseline', published_model, 'mixing_rate', kind, hand, mixing_rate, null
    from published_handedness
    union all
    select
        'published', 'baseline', published_model, 'mismatch_rate', null, level, mismatch_rate, null
    from published_mismatch_rates
)

select both_sources.*, comparable.is_comparable, comparable.why_not, comparable.caveat
from both_sources
left join comparable_conditions as comparable
    on both_sources.source = 'ours'
    and comparable.beside = 'main_results'
    and comparable.variant = both_sources.variant
    and comparable.model = both_sources.model
where both_sources.variant = 'baseline' or comparable.is_wanted
order by
    measure, kind nulls first, item, both_sources.source, both_sources.variant, both_sources.model;

comment on column verdicts_with_published.source is 'ours or published';
comment on column verdicts_with_published.variant is
'baseline, or another variant with the settings of the paper''s baseline';
comment on column verdicts_with_published.model is
'model that answered; its name in the paper if published';
comment on column verdicts_with_published.measure is
'error_share, precision, recall, mixing_rate or mismatch_rate';
comment on column verdicts_with_published.kind is
'forward (order images) or inverse (order actions); null for both';
comment on column verdicts_with_published.item is
'structural category, hand, or what is counted: question or step';
comment on column verdicts_with_published.value is 'the share or rate; null where nothing counts';
comment on column verdicts_with_published.standard_error is
'clustered by demonstration (published: components independent); null where there is none';
comment on column verdicts_with_published.is_comparable is
'whether ours may stand beside the paper''s, as in comparable_conditions; null of published';
comment on column verdicts_with_published.why_not is 'reasons against it';
comment on column verdicts_with_published.caveat is
'what to say beside ours all the same; null of published';
