-- probe_heat_maps: one row per source, model, panel, variant and kind, over all lengths.
-- Reads: probe_deltas, published_probes.
-- Rule:  figures 4 and 17 of the paper. The text of the paper defines delta as baseline minus
--        variant; its heat maps, and all numbers here, are variant minus baseline: negative is
--        worse. difference, effect, low, high, p and is_significant are about one number: of ours
--        paired_delta, clustered, or delta, clustered, where nothing is paired (other gatings); p
--        is corrected by Holm within the panel. The paper published delta and Welch's p,
--        uncorrected, with two decimals. Read ours beside it where
--        is_comparable, and with its caveat.
create table probe_heat_maps as
select
    'ours' as source, model, panel, variant, kind, difference, effect,
    case when is_paired then paired_low else unpaired_low end as low,
    case when is_paired then paired_high else unpaired_high end as high,
    case when is_paired then paired_holm_p else unpaired_holm_p end as p,
    p < 0.05 as is_significant,
    is_paired, delta, welch_p, welch_holm_p, unpaired_p, unpaired_holm_p,
    paired_delta, paired_low, paired_high, paired_p, paired_holm_p, sign_flip_p, sign_flip_holm_p,
    n_paired, n_demonstrations,
    coalesce(reason, case when p is null then 'not_corrected' end) as reason,
    is_comparable, why_not, caveat, null as note
from probe_deltas
where length is null
union all
select
    'published', published_model, panel, published_variant, kind, delta,
    case when abs(delta) < 0.05 then 'small' when delta < 0 then 'worse' else 'better' end,
    null, null, welch_p, welch_p < 0.05, false, delta, welch_p, null, null, null,
    null, null, null, null, null, null, null, null, null, 'published',
    null, null, null, note
from published_probes
order by panel, variant, kind, source, model;

comment on column probe_heat_maps.source is 'ours or published';
comment on column probe_heat_maps.model is
'model that answered; its name in the paper if published';
comment on column probe_heat_maps.panel is
'what the variant changes: camera_fov, camera_height, realism, robot_appearance and others';
comment on column probe_heat_maps.variant is 'setting that was probed';
comment on column probe_heat_maps.kind is 'forward (order images) or inverse (order actions)';
comment on column probe_heat_maps.difference is
'pairwise accuracy, variant minus baseline: paired_delta of ours, or delta if not paired';
comment on column probe_heat_maps.effect is
'size of difference only, not significance: small (below 0.05), worse or better';
comment on column probe_heat_maps.low is 'of difference: 95 % interval over demonstrations';
comment on column probe_heat_maps.high is 'its upper end';
comment on column probe_heat_maps.is_paired is
'whether difference is over questions scored on both sides; false of published';
comment on column probe_heat_maps.delta is
'mean of all under the variant minus that under the baseline; negative is worse';
comment on column probe_heat_maps.welch_p is 'of delta: two-tailed Welch t-test, as in the paper';
comment on column probe_heat_maps.welch_holm_p is 'the same, by Holm within the panel';
comment on column probe_heat_maps.unpaired_p is 'of delta: t-test clustered by demonstration';
comment on column probe_heat_maps.unpaired_holm_p is 'the same, by Holm within the panel';
comment on column probe_heat_maps.paired_delta is 'mean difference over questions scored on both';
comment on column probe_heat_maps.paired_low is
'its 95 % interval over demonstrations';
comment on column probe_heat_maps.paired_high is 'its upper end';
comment on column probe_heat_maps.paired_p is 'paired t-test, clustered by demonstration';
comment on column probe_heat_maps.paired_holm_p is 'the same, by Holm within the panel';
comment on column probe_heat_maps.sign_flip_p is 'sign-flip test over demonstrations';
comment on column probe_heat_maps.sign_flip_holm_p is 'the same, by Holm within the panel';
comment on column probe_heat_maps.p is
'of difference: paired_holm_p, unpaired_holm_p if not paired, welch_p of published';
comment on column probe_heat_maps.is_significant is 'whether p is below 0.05; null without p';
comment on column probe_heat_maps.n_paired is 'questions scored under both';
comment on column probe_heat_maps.n_demonstrations is
'demonstrations among the paired questions';
comment on column probe_heat_maps.reason is
'why p or its interval is null: as in probe_deltas; not_corrected: p by Holm is missing; published';
comment on column probe_heat_maps.is_comparable is
'whether ours may stand beside the paper''s, as in probe_deltas; null of published';
comment on column probe_heat_maps.why_not is 'reasons against it';
comment on column probe_heat_maps.caveat is
'what to say beside ours all the same; null of published';
comment on column probe_heat_maps.note is
'of published: what the text of the paper says otherwise; null elsewhere';
