-- qa_answers_restore_the_order: one row per question whose reference does not lead to the truth.
-- Reads: qa, transition_graph.
-- Rule:  forward: the pictures, taken in the order of the answer, are the key frames in true order
--        and the actions are the steps. Inverse: the pictures stand in true order and the actions,
--        taken in the order of the answer, are the steps.
-- Fix:   materialize qa of these demonstrations again, and their transition_graph if it is older.
with expected as (
    select
        *,
        if(
            kind = 'forward',
            list_prepend(
                shown_key_frames[1], list_transform(answer, lambda k: shown_key_frames[k + 1])
            ),
            shown_key_frames
        ) as restored_key_frames,
        if(
            kind = 'forward',
            action_components,
            list_transform(answer, lambda k: action_components[k])
        ) as restored_components
    from qa
),

steps as (
    select
        demonstration, gating, question_id,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to,
        unnest(restored_components) as components
    from expected
),

wrong_steps as (
    select distinct steps.demonstration, steps.gating, steps.question_id
    from steps
    left join transition_graph using (demonstration, gating, key_frame_from, key_frame_to)
    where
        components is distinct from transition_graph.changes -- cheap, and nearly always enough
        and list_sort(components) is distinct from list_sort(transition_graph.changes)
)

select demonstration, gating, question_id, kind, key_frames, shown_key_frames, answer
from expected
where
    restored_key_frames is distinct from key_frames
    or (demonstration, gating, question_id) in (
        select (demonstration, gating, question_id) from wrong_steps
    )
order by all;
