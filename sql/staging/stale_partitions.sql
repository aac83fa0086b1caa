-- stale_partitions: one row per partition that is older than what it is made from, or missing.
-- Reads: given_stale_partitions, what the publisher found: stale ones, then missing ones.
-- Rule:  empty when all is current. Rows of stale partitions are published all the same. A missing
--        partition has none: it is not there although a run was started to make it, or although
--        something that it is made from, under the same names, is there or missing itself.
create table stale_partitions as
select * from given_stale_partitions;
