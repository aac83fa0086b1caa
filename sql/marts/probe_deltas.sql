-- probe_deltas: one row per model, variant, kind and length, compared with the baseline.
-- Reads: probes, probe_panels.
-- Rule:  paired_p is the test to believe: questions of one demonstration are not independent.
--        p-values with holm in their name are corrected for the variants and kinds of the panel, of
--        one model at one length; the others for nothing.
--        The baseline's own rows in probes, which compare it with itself, are left out.
create table probe_deltas as
select
    probes.model,
    probes.variant,
    probes.baseline,
    probes.kind,
    probes.length,
    mean_baseline,
    mean_variant,
    delta,
    case
        when abs(delta) < 0.05 then 'small'
        when delta < 0 then 'worse'
        when delta > 0 then 'better'
    end as effect,
    standard_error,
    welch_p,
    paired_delta,
    paired_standard_error,
    paired_p,
    n_variant,
    n_baseline,
    n_paired,
    n_demonstrations,
    n_missing,
    probes.panel,
    paired_low,
    paired_high,
    sign_flip_p,
    welch_holm_p,
    paired_holm_p,
    sign_flip_holm_p,
    minimum_detectable_effect,
    n_questions_needed,
    n_demonstrations_needed,
    welch_reason,
    reason
from probes
left join probe_panels
    on probe_panels.model = probes.model
    and probe_panels.panel = probes.panel
    and probe_panels.variant = probes.variant
    and probe_panels.kind = probes.kind
    and probe_panels.length is not distinct from probes.length
where probes.variant <> probes.baseline
order by probes.kind, probes.length nulls first, probes.variant, probes.model;

comment on column probe_deltas.model is 'who answered';
comment on column probe_deltas.variant is 'setting that was probed';
comment on column probe_deltas.baseline is 'variant compared with';
comment on column probe_deltas.kind is 'forward (order images) or inverse (order actions)';
comment on column probe_deltas.length is 'key frames in the trajectory; null for all lengths';
comment on column probe_deltas.mean_baseline is 'mean pairwise accuracy under the baseline';
comment on column probe_deltas.mean_variant is 'mean pairwise accuracy under the variant';
comment on column probe_deltas.delta is 'variant minus baseline; negative is worse';
comment on column probe_deltas.effect is
'size only, not significance: small (below 0.05), worse or better';
comment on column probe_deltas.standard_error is 'of delta, unpaired';
comment on column probe_deltas.welch_p is 'two-tailed Welch t-test, as in the paper';
comment on column probe_deltas.paired_delta is
'mean difference over questions scored on both sides';
comment on column probe_deltas.paired_standard_error is
'of paired_delta, clustered by demonstration';
comment on column probe_deltas.paired_p is 'clustered t-test; null below 2 demonstrations';
comment on column probe_deltas.n_variant is 'scored questions under the variant';
comment on column probe_deltas.n_baseline is 'scored questions under the baseline';
comment on column probe_deltas.n_paired is 'questions scored under both';
comment on column probe_deltas.n_demonstrations is 'demonstrations among the paired questions';
comment on column probe_deltas.n_missing is 'probe questions without a score, both sides';
comment on column probe_deltas.panel is 'what the variant changes';
comment on column probe_deltas.paired_low is
'of paired_delta: 95 % interval, bootstrap over demonstrations';
comment on column probe_deltas.paired_high is 'its upper end';
comment on column probe_deltas.sign_flip_p is
'sign-flip test over demonstrations; the least there can be is 2 / 2^n_demonstrations';
comment on column probe_deltas.welch_holm_p is 'welch_p by Holm within the panel';
comment on column probe_deltas.paired_holm_p is 'paired_p by Holm within the panel';
comment on column probe_deltas.sign_flip_holm_p is 'sign_flip_p by Holm within the panel';
comment on column probe_deltas.minimum_detectable_effect is
'true difference that the paired test finds with power 0.8';
comment on column probe_deltas.n_questions_needed is
'to find 0.05, on the same demonstrations; null also if no number will do';
comment on column probe_deltas.n_demonstrations_needed is
'to find 0.05, with as many questions on each';
comment on column probe_deltas.welch_reason is 'why welch_p is null';
comment on column probe_deltas.reason is
'why paired_p is null: no_scores, one_demonstration, no_difference or no_variation';
