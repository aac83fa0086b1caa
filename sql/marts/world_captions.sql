-- world_captions: one row per model and picture of a state, or clip, that it wrote a caption for.
-- Reads: captions.
-- Rule:  an old name, which leaves with the next version.
-- Successor: captions.
create view world_captions as
select
    variant[7:] as world_source, model as world_model, caption_id, shows, image_shas, caption, error
from captions;
