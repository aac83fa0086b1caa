-- probe_deltas: one row per model, variant, kind and length, compared with the baseline.
-- Reads: probes, probe_panels, comparable_conditions, absent_evaluations.
-- Rule:  effect describes difference: paired_delta, or delta where no question was asked twice
--        (is_paired false: another gating). Read paired_p with the first and unpaired_p with the
--        second: questions of one demonstration are not independent.
--        reason is why that p-value is null, and null beside one; paired_reason, unpaired_reason
--        and welch_reason are so for the p-value of their name and its interval. p-values with
--        holm in their name are corrected for the variants and kinds of the panel, of one model
--        at one length; the others are not corrected.
--        The baseline's own rows in probes, which compare it with itself, are left out; so are
--        models whose evaluation of either side is missing.
--        why_not and caveat are the variant's, then the baseline's, which holds for all.
create table probe_deltas as
with read as (
    select
        *,
        n_paired > 0 as is_paired,
        case when n_paired > 0 then paired_delta else delta end as difference
    from probes
    anti join absent_evaluations as absent
        on absent.model = probes.model and absent.variant in (probes.variant, probes.baseline)
    where variant <> baseline and panel is not null
)

select
    read.model,
    read.variant,
    read.baseline,
    read.kind,
    read.length,
    mean_baseline,
    mean_variant,
    delta,
    difference,
    case
        when abs(difference) < 0.05 then 'small'
        when difference < 0 then 'worse'
        when difference > 0 then 'better'
    end as effect,
    is_paired,
    standard_error,
    welch_p,
    unpaired_standard_error,
    unpaired_p,
    unpaired_low,
    unpaired_high,
    paired_delta,
    paired_standard_error,
    paired_p,
    n_variant,
    n_baseline,
    n_paired,
    n_demonstrations,
    n_missing,
    read.panel,
    paired_low,
    paired_high,
    sign_flip_p,
    welch_holm_p,
    paired_holm_p,
    sign_flip_holm_p,
    unpaired_holm_p,
    minimum_detectable_effect,
    n_questions_needed,
    n_demonstrations_needed,
    welch_reason,
    unpaired_reason,
    paired_reason,
    case when is_paired then paired_reason else unpaired_reason end as reason,
    coalesce(of_variant.is_comparable and of_baseline.is_comparable, false) as is_comparable,
    nullif(
        concat_ws(
            ' ', of_variant.why_not,
            case when of_baseline.why_not is distinct from of_variant.why_not then
                'Baseline: ' || of_baseline.why_not
            end
        ),
        ''
    ) as why_not,
    nullif(concat_ws(' ', of_variant.caveat, of_baseline.caveat), '') as caveat
from read
left join probe_panels
    on probe_panels.model = read.model
    and probe_panels.panel = read.panel
    and probe_panels.variant = read.variant
    and probe_panels.kind = read.kind
    and probe_panels.length is not distinct from read.length
left join comparable_conditions as of_variant
    on of_variant.beside = 'changes'
    and of_variant.variant = read.variant
    and of_variant.model = read.model
left join comparable_conditions as of_baseline
    on of_baseline.beside = 'main_results'
    and of_baseline.variant = read.baseline
    and of_baseline.model = read.model
order by read.kind, read.length nulls first, read.variant, read.model;

comment on column probe_deltas.model is 'model that answered';
comment on column probe_deltas.variant is 'setting that was probed';
comment on column probe_deltas.baseline is 'variant compared with';
comment on column probe_deltas.kind is 'forward (order images) or inverse (order actions)';
comment on column probe_deltas.length is 'key frames in the trajectory; null for all lengths';
comment on column probe_deltas.mean_baseline is 'mean pairwise accuracy under the baseline';
comment on column probe_deltas.mean_variant is 'mean pairwise accuracy under the variant';
comment on column probe_deltas.delta is 'variant minus baseline; negative is worse';
comment on column probe_deltas.difference is 'paired_delta, or delta where nothing is paired';
comment on column probe_deltas.effect is
'size of difference only, not significance: small (below 0.05), worse or better';
comment on column probe_deltas.is_paired is 'whether questions were scored on both sides';
comment on column probe_deltas.standard_error is 'of delta, questions independent';
comment on column probe_deltas.welch_p is 'of delta: two-tailed Welch t-test, as in the paper';
comment on column probe_deltas.unpaired_standard_error is 'of delta, clustered by demonstration';
comment on column probe_deltas.unpaired_p is 'of delta: clustered t-test, for what is not paired';
comment on column probe_deltas.unpaired_low is 'of delta: 95 % interval, clustered, by t';
comment on column probe_deltas.unpaired_high is 'its upper end';
comment on column probe_deltas.paired_delta is
'mean difference over questions scored on both sides';
comment on column probe_deltas.paired_standard_error is
'of paired_delta, clustered by demonstration';
comment on column probe_deltas.paired_p is
'of paired_delta: clustered t-test; null below 2 demonstrations';
comment on column probe_deltas.n_variant is 'scored questions under the variant';
comment on column probe_deltas.n_baseline is 'scored questions under the baseline';
comment on column probe_deltas.n_paired is 'questions scored under both';
comment on column probe_deltas.n_demonstrations is 'demonstrations among the paired questions';
comment on column probe_deltas.n_missing is 'questions without a score, both sides';
comment on column probe_deltas.panel is 'what the variant changes';
comment on column probe_deltas.paired_low is
'of paired_delta: 95 % interval over demonstrations';
comment on column probe_deltas.paired_high is 'its upper end';
comment on column probe_deltas.sign_flip_p is
'sign-flip test over demonstrations, at least 2 / 2^n_demonstrations; not null if no_variation';
comment on column probe_deltas.welch_holm_p is 'welch_p by Holm within the panel';
comment on column probe_deltas.paired_holm_p is 'paired_p by Holm within the panel';
comment on column probe_deltas.sign_flip_holm_p is 'sign_flip_p by Holm within the panel';
comment on column probe_deltas.unpaired_holm_p is 'unpaired_p by Holm within the panel';
comment on column probe_deltas.minimum_detectable_effect is
'true difference that the paired test finds with power 0.8; null as paired_p';
comment on column probe_deltas.n_questions_needed is
'to find 0.05, on the same demonstrations; null also if no number will do';
comment on column probe_deltas.n_demonstrations_needed is
'to find 0.05, with as many questions on each; null also if 100,000 will not do';
comment on column probe_deltas.welch_reason is
'why welch_p is null: no_scores or one_question on a side, no_variation';
comment on column probe_deltas.unpaired_reason is
'why unpaired_p is null: no_scores or one_demonstration on a side, no_variation';
comment on column probe_deltas.paired_reason is
'why paired_p is null: no_scores, not_paired, one_demonstration, no_difference, no_variation';
comment on column probe_deltas.reason is
'why there is no p-value of difference: paired_reason, or unpaired_reason if nothing is paired';
comment on column probe_deltas.is_comparable is
'whether variant and baseline may stand beside the paper''s';
comment on column probe_deltas.why_not is 'reasons against it';
comment on column probe_deltas.caveat is
'how conditions of variant and baseline differ from the paper''s all the same';
