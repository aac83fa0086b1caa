-- qa_answers_restore_the_order: one row per question whose reference does not lead to the truth.
-- Reads: qa, transition_graph.
-- Rule:  forward: the pictures, taken in the order of the answer, are the key frames in true order
--        and the actions are the steps. Inverse: the pictures are in true order and the actions,
--        taken in the order of the answer, are the steps. What the actions of imported questions
--        say is read from their words, and not compared; what is unlabelled has no answer.
-- By:    demonstration.
-- Fix:   materialize qa of these demonstrations again, and their transition_graph if it is older.
with shown_steps as (
    select
        demonstration, gating, question_id, kind, key_frames, answer,
        unnest(range(1, length)) as place,
        unnest(action_components) as components
    from qa
    where question_file is null
),

-- Forward, actions are in true order; inverse, the answer gives the order.
numbered_steps as (
    select *, if(kind = 'forward', place, list_position(answer, place)) as step
    from shown_steps
),

steps as (
    select
        demonstration, gating, question_id, components,
        key_frames[step] as key_frame_from,
        key_frames[step + 1] as key_frame_to
    from numbered_steps
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
from qa
where
    len(key_frames) <> length
    or key_frames is distinct from if(
        kind = 'forward' and len(answer) > 0,
        list_prepend(shown_key_frames[1], list_select(shown_key_frames[2:], answer)),
        shown_key_frames
    )
    or (demonstration, gating, question_id) in (
        select (demonstration, gating, question_id) from wrong_steps
    )
order by all;
