-- question_set_has_its_pictures: one row per key frame that a question shows without a picture.
-- Reads: question_set, asked_questions, qa, frame_images, variant_settings.
-- Rule:  the baseline needs pictures for the whole question set, another variant for what it asks.
--        Imported questions may lack some: predictions says so of each that was not asked for it.
--        So may variants that an image model repaints: it made no acceptable picture of some.
--        Only demonstrations with any picture under the variant count: the others are not due yet.
-- Fix:   materialize frame_images of that demonstration and variant again.
with pictures as (
    select demonstration, variant, gating, key_frame from frame_images
),

asked as (
    select 'baseline' as variant, gating, demonstration, question_id from question_set
    union
    select variant, gating, demonstration, question_id from asked_questions
),

shown as (
    select distinct asked.variant, demonstration, gating, unnest(qa.key_frames) as key_frame
    from qa
    inner join asked using (demonstration, gating, question_id)
    semi join pictures
        on pictures.demonstration = asked.demonstration
        and pictures.gating = asked.gating
        and pictures.variant = asked.variant
    where
        qa.question_file is null
        and asked.variant not in (
            select variant from variant_settings where setting = 'editing.model'
        )
)

select demonstration, variant, gating, key_frame
from shown
anti join pictures using (demonstration, variant, gating, key_frame)
order by all;
