-- asked_questions_are_those_of_qa: one row per question that a variant does not ask as it should.
-- Reads: asked_questions, qa, stale_partitions, variant_settings.
-- Rule:  key frames, order shown, true changes and answer are those of qa under every variant.
--        Without noise, actions tell the true changes; in the wording of qa, they and the prompt
--        are those of qa to the letter (a prompt of the user is not compared). A mirrored variant
--        says the other hand: its words are not compared, its changes with hands exchanged. Rows
--        known to be older than qa are not compared.
-- By:    demonstration.
-- Fix:   materialize qa, question_set and asked_questions of that variant again.
with mirrored as (
    select variant from variant_settings where setting = 'footage' and value like '%mirrored'
),

current_questions as (
    select
        asked_questions.*,
        asked_questions.variant in (from mirrored) as is_mirrored
    from asked_questions
    anti join stale_partitions
        on (stale_partitions.asset = 'asked_questions' and stale_partitions.partition = variant)
        or (
            stale_partitions.asset = 'question_set'
            and stale_partitions.partition = question_set
        )
)

select
    asked.variant, asked.demonstration, asked.gating, asked.kind, asked.length, asked.question_id,
    asked.wording, asked.noise_rate, asked.n_perturbed, asked.actions, qa.actions as qa_actions
from current_questions as asked
inner join qa
    on qa.demonstration = asked.demonstration
    and qa.gating = asked.gating
    and qa.question_id = asked.question_id
where
    asked.key_frames is distinct from qa.key_frames
    or asked.shown_key_frames is distinct from qa.shown_key_frames
    or asked.action_components is distinct from qa.action_components
    or asked.answer is distinct from qa.answer
    or len(asked.actions) <> len(asked.told_components)
    or (
        asked.n_perturbed = 0
        and (
            asked.told_components is distinct from if(
                asked.is_mirrored,
                list_transform(
                    qa.action_components,
                    lambda step: list_transform(
                        step,
                        lambda c: if(
                            contains(c, 'LeftGrasping('),
                            replace(c, 'LeftGrasping(', 'RightGrasping('),
                            replace(c, 'RightGrasping(', 'LeftGrasping(')
                        )
                    )
                ),
                qa.action_components
            )
            or (
                asked.wording = qa.wording
                and not asked.is_mirrored
                and (
                    asked.actions is distinct from qa.actions
                    or (
                        asked.prompt is distinct from qa.prompt
                        and asked.variant not in (
                            select variant_settings.variant
                            from variant_settings
                            where variant_settings.setting = 'prompts'
                        )
                    )
                )
            )
        )
    )
    or (asked.noise_rate = 0 and asked.n_perturbed <> 0)
order by all;
