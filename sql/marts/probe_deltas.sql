-- probe_deltas: one row per model, variant, kind and length, compared with the baseline.
-- Reads: probes.
-- Rule:  paired_p is the test to believe: questions of one demonstration are not independent.
--        No p-value here is corrected for the number of variants tried.
--        The baseline's own rows in probes, which compare it with itself, are left out.
create table probe_deltas as
select
    model,
    variant,
    baseline,
    kind,
    length,
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
    n_missing
from probes
where variant <> baseline
order by kind, length nulls first, variant, model;

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
