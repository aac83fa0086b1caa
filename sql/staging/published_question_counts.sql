-- published_question_counts: one row per length of the paper's question set.
-- Reads: lake_published_question_counts.
-- Rule:  published, not measured: as many of each kind: 4,486 forward and 4,486 inverse questions.
create table published_question_counts as
select * from lake_published_question_counts;
