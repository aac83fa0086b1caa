-- question_set_is_not_empty: one row per gating that has questions, of which none is to be asked.
-- Reads: qa, demonstrations, question_set.
-- Rule:  without a question the leaderboard would be empty, and replace a good one. Where nothing
--        was written there is nothing to ask, which is allowed.
-- Fix:   materialize a variant whose question set is about these demonstrations: sets may name
--        sources in the registry, and the shipped one has variant recorded for recordings and
--        real_world_video for videos.
select gating, count(*) as n_questions, count(distinct demonstration) as n_demonstrations
from qa
semi join demonstrations using (demonstration)
anti join question_set using (gating)
group by all
order by all;
