-- world_human_agreement: one row per role, annotators, kind, length and measure of agreement.
-- Reads: human_agreement.
-- Rule:  an old name, which leaves with the next version.
-- Successor: human_agreement.
create view world_human_agreement as
select
    variant[7:] as world_source, role, annotators,
    split_part(kind, '_', 1) as task,
    split_part(kind, '_', 2) as condition,
    length, measure, n_annotators, n_questions, n_demonstrations as n_recordings, value, low, high,
    low_demonstrations as low_recordings, high_demonstrations as high_recordings
from human_agreement
where variant like 'world:%' and measure in ('unanimous', 'alpha_answers');
