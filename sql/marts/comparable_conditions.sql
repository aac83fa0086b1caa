-- comparable_conditions: one row per variant, model and kind of table (beside) of the paper.
-- Reads: comparable_with_published.
-- Rule:  comparable_with_published has a row for each condition of the paper with the settings of a
--        variant. This is the one that a kind of table is about, else any of them, which then does
--        not compare: why_not names its condition.
create table comparable_conditions as
with wanted as (
    select
        beside, variant, model, experiment, published_variant, is_comparable, why_not, caveat,
        case beside
            when 'main_results' then experiment = 'main'
            when 'leaderboards' then experiment in ('main', 'real_world_video')
            when 'words' then experiment = 'action_representation'
            when 'changes' then published_variant <> 'baseline'
        end as is_wanted
    from comparable_with_published
    cross join (values ('main_results'), ('leaderboards'), ('words'), ('changes')) as kinds(beside)
    where source is null
)

select
    beside, variant, model, is_wanted,
    coalesce(is_comparable and is_wanted, false) as is_comparable,
    nullif(concat_ws(
        ' ',
        case when not is_wanted then
            'Another condition of the paper: ' || published_variant || '.'
        end,
        why_not
    ), '') as why_not,
    caveat
from wanted
qualify
    row_number() over (
        partition by beside, variant, model order by is_wanted desc nulls last, experiment
    ) = 1
order by beside, variant, model;

comment on column comparable_conditions.beside is
'main_results, leaderboards (and films), words (of actions), or changes of a variant';
comment on column comparable_conditions.variant is 'setting that was asked under';
comment on column comparable_conditions.model is 'model that answered';
comment on column comparable_conditions.is_wanted is
'whether such tables are about its condition; null if it is of none';
comment on column comparable_conditions.is_comparable is
'whether it may stand beside such a table';
comment on column comparable_conditions.why_not is 'reasons against it';
comment on column comparable_conditions.caveat is 'what to say beside it all the same';
