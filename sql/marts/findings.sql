-- findings: one row per source, variant, model, finding of the paper, kind and kind of chance.
-- Reads: mirrored_findings, model_findings, paper_findings.
-- Rule:  what a random order shows by itself is no finding: verdicts are about the effect, 0 for
--        a random order. Of ours its expectation is exact, and about whole orders alone. Of the
--        paper's models (source published, variant null) the scene graphs are not here: chance is
--        the smallest there can be, so that an effect may be smaller than it says; errors are the
--        largest the accuracies allow, with questions as independent. Over pictures and their
--        mirror images (chance equal hands) each hand does the same. kind null is both kinds.
create table findings as
select
    'ours' as source, variant, model, is_reference,
    * exclude (variant, model, is_reference), 'exact' as chance
from model_findings
union all by name
select
    'ours' as source, variant, model, is_reference,
    * exclude (variant, model, is_reference), 'equal hands' as chance
from mirrored_findings
union all by name
select
    'published' as source, null::varchar as variant, published_model as model,
    false as is_reference, * exclude (published_model), 'smallest possible' as chance
from paper_findings
order by source, variant, is_reference, model, finding, kind nulls first, chance;

comment on column findings.source is 'ours or published (the paper''s models)';
comment on column findings.variant is
'setting under which the pictures were made and asked; null for the paper''s models';
comment on column findings.model is 'model that answered';
comment on column findings.is_reference is 'chance, the oracle, a shortcut, or trained here';
comment on column findings.finding is 'name of the finding';
comment on column findings.kind is 'forward or inverse; null for a finding about both';
comment on column findings.claim is 'what the paper found, in words';
comment on column findings.value is 'what is compared, of the model';
comment on column findings.expected is
'the same of a uniformly random order of the same questions';
comment on column findings.difference is 'value minus expected';
comment on column findings.effect is
'what is tested, 0 for a random order; of accuracies and recalls 1 for the right one on each side';
comment on column findings.low is '95 % interval of the effect; clustered by demonstration if ours';
comment on column findings.high is 'its upper end';
comment on column findings.p is 'two-tailed, of an effect of zero';
comment on column findings.holm_p is 'the same, corrected for all findings of the model';
comment on column findings.verdict is
'confirmed, not more than chance, contradicted (of effect and holm_p) or cannot be said';
comment on column findings.reason is 'why it cannot be said';
comment on column findings.n_answers is 'answers that give a whole order; null if published';
comment on column findings.n_demonstrations is 'demonstrations these are about; null if published';
comment on column findings.chance is
'exact: over all orders; equal hands: 0, of mirrored pairs; smallest possible: one right order';
