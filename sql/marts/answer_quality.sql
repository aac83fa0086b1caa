-- answer_quality: one row per model and variant: what became of the answers, and their cost.
-- Reads: predictions, evaluation.
-- Rule:  each repetition of a question is an answer. Refused, declined and cut ones are
--        parts of unparsed.
--        Sums of tokens and dollars are over the answers that say theirs, and null if none does:
--        reference baselines, imported answers, models without a price. usd_per_question divides by
--        n_priced, so it is the price of asking a question once. Verdicts are null where
--        predictions were not evaluated. A server that cuts long prompts counts the same number of
--        tokens_in for questions of different numbers of pictures: n_same_tokens_in.
create table answer_quality as
with known as (
    select
        predictions.*, evaluation.answer_status, evaluation.reason, evaluation.answer,
        evaluation.release_answer, evaluation.length,
        predictions.tokens_in = max(predictions.tokens_in) over (
            partition by predictions.model, predictions.variant
        ) as has_most_tokens_in,
        evaluation.answer_status is not null as is_evaluated
    from predictions
    left join evaluation
        on evaluation.model = predictions.model
        and evaluation.variant = predictions.variant
        and evaluation.question_id = predictions.question_id
        and evaluation.repetition = predictions.repetition
)

select
    model, variant,
    count(distinct question_id) as n_questions,
    count(distinct repetition) as repetitions,
    count(*) as n_answers,
    count(raw_answer) as n_answered,
    case when bool_or(is_evaluated) then
        count(*) filter (answer_status = 'parsed')
    end as n_parsed,
    case when bool_or(is_evaluated) then
        count(*) filter (answer_status = 'unparsed')
    end as n_unparsed,
    case when bool_or(is_evaluated) then
        count(*) filter (answer_status = 'unparsed' and reason = 'refused')
    end as n_refused,
    case when bool_or(is_evaluated) then
        count(*) filter (answer_status = 'unparsed' and reason = 'declined')
    end as n_declined,
    case when bool_or(is_evaluated) then
        count(*) filter (answer_status = 'unparsed' and reason = 'cut')
    end as n_cut,
    case when bool_or(is_evaluated) then
        count(*) filter (answer is distinct from release_answer)
    end as n_read_otherwise,
    count(*) - count(raw_answer) as n_missing,
    sum(tokens_in)::bigint as tokens_in,
    sum(tokens_in_cached)::bigint as tokens_in_cached,
    case when count(tokens_in) > 0 and bool_or(is_evaluated) then
        if(
            count(distinct length) filter (has_most_tokens_in) > 1,
            count(*) filter (has_most_tokens_in),
            0
        )
    end as n_same_tokens_in,
    sum(tokens_out)::bigint as tokens_out,
    sum(tokens_reasoning)::bigint as tokens_reasoning,
    count(usd) as n_priced,
    sum(usd::decimal(38, 12))::double as usd,
    sum(usd::decimal(38, 12))::double / nullif(count(usd), 0) as usd_per_question,
    quantile_cont(latency_s, 0.5) as median_latency_s,
    quantile_cont(latency_s, 0.95) as p95_latency_s,
    list(distinct served_model order by served_model)
        filter (served_model is not null) as served_models
from known
group by model, variant
order by variant, model;

comment on column answer_quality.model is 'model that answered';
comment on column answer_quality.variant is
'setting under which the pictures were made and asked';
comment on column answer_quality.n_questions is 'questions asked';
comment on column answer_quality.repetitions is 'times that each question was asked';
comment on column answer_quality.n_answers is 'answers asked for: questions and their repetitions';
comment on column answer_quality.n_answered is 'answers obtained, refused and cut ones included';
comment on column answer_quality.n_parsed is 'answers that contain an order';
comment on column answer_quality.n_unparsed is 'answers without an order';
comment on column answer_quality.n_refused is 'of n_unparsed: the model or its provider refused';
comment on column answer_quality.n_declined is
'of n_unparsed: the answer refuses in words, and the provider says nothing of it';
comment on column answer_quality.n_cut is
'of n_unparsed: a limit of tokens cut them before they named a whole order';
comment on column answer_quality.n_read_otherwise is
'answers in which the public release reads other labels, or none, or some where we read none';
comment on column answer_quality.n_missing is 'answers that were never obtained';
comment on column answer_quality.tokens_in is 'tokens of all requests, cached ones included';
comment on column answer_quality.tokens_in_cached is
'of tokens_in: tokens that the provider had cached';
comment on column answer_quality.n_same_tokens_in is
'answers with the most tokens_in, if their questions differ in length: a server cut them, probably';
comment on column answer_quality.tokens_out is 'tokens of all answers, reasoning included';
comment on column answer_quality.tokens_reasoning is 'of tokens_out: tokens of reasoning';
comment on column answer_quality.n_priced is 'answers whose price is known';
comment on column answer_quality.usd is 'price of these answers (unit: USD)';
comment on column answer_quality.usd_per_question is
'usd over n_priced: the price of asking a question once (unit: USD)';
comment on column answer_quality.median_latency_s is
'from sending the request to the whole answer, median (unit: s)';
comment on column answer_quality.p95_latency_s is 'the same, 95th percentile (unit: s)';
comment on column answer_quality.served_models is
'models that answered, as the provider names them; null if it names none';
