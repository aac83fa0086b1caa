-- published_accuracies: one row per experiment, variant, kind, length, metric and model.
-- Reads: lake_published_accuracies.
-- Rule:  published, not measured: the paper's tables 2, 9, 10, 11, 12 and 14. Experiments ask
--        different questions: compare within one.
create table published_accuracies as
select * from lake_published_accuracies;
