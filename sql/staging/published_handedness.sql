-- published_handedness: one row per model of the paper, kind and hand.
-- Reads: lake_published_handedness.
-- Rule:  published, not measured: the paper's figures 4 and 17.
create table published_handedness as
select * from lake_published_handedness;
