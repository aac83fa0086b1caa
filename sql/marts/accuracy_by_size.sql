-- accuracy_by_size: one row per source, variant, model, kind, length, metric; null: all lengths.
-- Reads: accuracy_by_length, published_models, published_model_sizes, comparable_with_published.
-- Rule:  figure 18 of the paper compares models about as large as Cosmos-Reason1: is_similar, all
--        parameters within a factor of 1.25. Only models whose size is public have rows; ours have
--        that of the paper's model that they are by published_models, and rows where they may
--        stand beside table 10 (comparable_with_published).
create table accuracy_by_size as
with sizes as (
    select
        *,
        n_parameters_million / max(n_parameters_million) filter (
            published_model = 'Cosmos-Reason1'
        ) over () as ratio
    from published_model_sizes
)

select
    accuracies.source, accuracies.variant, accuracies.model, sizes.published_model,
    sizes.n_parameters_million, sizes.n_active_million,
    coalesce(sizes.ratio between 0.8 and 1.25, false) as is_similar,
    accuracies.kind, accuracies.length, accuracies.metric, accuracies.n_questions,
    accuracies.accuracy, accuracies.low, accuracies.high
from accuracy_by_length as accuracies
left join published_models as known
    on accuracies.source = 'ours' and known.known_as = accuracies.model
inner join sizes
    on sizes.published_model
    = if(accuracies.source = 'published', accuracies.model, known.published_model)
where
    if(
        accuracies.source = 'published',
        accuracies.variant = 'baseline',
        exists (
            from comparable_with_published as comparable
            where
                comparable.variant = accuracies.variant
                and comparable.model = accuracies.model
                and comparable.source is null
                and comparable.experiment = 'main'
                and comparable.is_comparable
        )
    )
order by
    accuracies.kind, accuracies.metric desc, accuracies.length nulls first,
    sizes.n_parameters_million, sizes.published_model, accuracies.source, accuracies.variant,
    accuracies.model;

comment on column accuracy_by_size.source is 'ours or published';
comment on column accuracy_by_size.variant is
'of ours, the one that asks the paper''s questions; of published baseline';
comment on column accuracy_by_size.model is
'model that answered; its name in the paper if published';
comment on column accuracy_by_size.published_model is 'its name in the paper';
comment on column accuracy_by_size.n_parameters_million is 'all its parameters, in millions';
comment on column accuracy_by_size.n_active_million is 'those that each token uses, in millions';
comment on column accuracy_by_size.is_similar is 'whether it is about as large as Cosmos-Reason1';
comment on column accuracy_by_size.kind is 'forward (order images) or inverse (order actions)';
comment on column accuracy_by_size.length is 'key frames in the trajectory; null for all lengths';
comment on column accuracy_by_size.metric is 'task_accuracy or pairwise_accuracy';
comment on column accuracy_by_size.n_questions is 'questions that the accuracy is about';
comment on column accuracy_by_size.accuracy is 'as in accuracy_by_length';
comment on column accuracy_by_size.low is '95 % interval; null if published';
comment on column accuracy_by_size.high is 'its upper end';
