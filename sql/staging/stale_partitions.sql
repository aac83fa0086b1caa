-- stale_partitions: one row per partition whose rows are older than what they are made from.
-- Reads: given_stale_partitions, what the publisher found stale, in the order of the graph.
-- Rule:  empty when all is current; the rows it names are published all the same.
create table stale_partitions as
select * from given_stale_partitions;
