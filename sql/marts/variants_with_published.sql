-- variants_with_published: one row per variant that the paper has or that has a caveat.
-- Reads: variant_settings, published_settings, published_caveats.
-- Rule:  rows of the paper join rows of ours by the name of the variant, and only where
--        is_as_published: the variant has every setting that the paper gives (definitions.md 9).
--        Samples, bounces, rates of noise and numbers of questions are ours, and do not count.
--        caveat says first what was edited, then how the condition differs anyway.
create table variants_with_published as
with given as (
    select variants.published_variant as variant, of_baseline.setting,
        if(own.setting is null, of_baseline.value, own.value) as value
    from (select distinct published_variant from published_settings) as variants
    inner join published_settings as of_baseline on of_baseline.published_variant = 'baseline'
    left join published_settings as own
        on own.published_variant = variants.published_variant
        and own.setting = of_baseline.setting
),

compared as (
    select
        given.variant,
        bool_and(ours.value = given.value) as is_as_published,
        string_agg(
            given.setting || ' is ' || ours.value || ', in the paper ' || given.value, '; '
            order by given.setting
        ) filter (ours.value <> given.value) as differences
    from given
    inner join variant_settings as ours
        on ours.variant = given.variant and ours.setting = given.setting
    where given.value is not null
    group by given.variant
)

select
    coalesce(compared.variant, published_variant) as variant,
    is_as_published,
    differences,
    nullif(
        concat_ws(
            ' ', 'Edited, so no row of the paper compares with it: ' || differences || '.', caveat
        ),
        ''
    ) as caveat
from compared
full join published_caveats on published_variant = compared.variant
order by variant;

comment on column variants_with_published.variant is
'variant of ours; the paper has one of the same name, but for seeds of noise';
comment on column variants_with_published.is_as_published is
'whether all settings that the paper gives are in force; null if nothing was asked under it';
comment on column variants_with_published.differences is
'settings that are not as in the paper; null if there are none';
comment on column variants_with_published.caveat is
'how our condition differs from the paper''s: what was edited, and published_caveats';
