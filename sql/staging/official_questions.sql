-- official_questions: one row per question of an imported question file, as the file has it.
-- Reads: lake_official_questions, the partitions of the lake in their order.
-- Rule:  question_id is unique in its question_file only; images are paths beside that file.
create table official_questions as
select * from lake_official_questions;
