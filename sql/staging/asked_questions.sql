-- asked_questions: one row per variant and question, as the variant asks it.
-- Reads: lake_asked_questions, the partitions of the lake in their order.
-- Rule:  the baseline asks the whole question_set, other variants the probe set. What is true of a
--        question is the same under every variant; what its actions say may differ in wording, and
--        be wrong under noise: told_components is what they tell, action_components what happened.
create table asked_questions as
select * from lake_asked_questions;
