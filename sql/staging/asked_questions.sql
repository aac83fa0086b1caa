-- asked_questions: one row per variant and question it asks.
-- Reads: lake_asked_questions, the partitions of the lake in their order.
-- Rule:  the baseline asks the whole question_set, other variants the probe set.
create table asked_questions as
select * from lake_asked_questions;
