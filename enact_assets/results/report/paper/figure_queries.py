"""One query for the numbers behind each figure: the rows that it is drawn from, as they are."""

import re
from collections.abc import Mapping

from enact_assets.results.report.paper.choice import Choice
from enact_assets.results.report.rows import literal, query_of

_KIND = r"_(?P<kind>forward|inverse)"
_PANEL = r"_(?P<panel>.+?)(?:_\d)?"
_OURS = "{ours} and kind = {kind}"
_THEIRS = "{published} and kind = {kind}"
_CHANCE_ROWS = """
    select 'random order' as model, kind, length, metric, accuracy
    from (
        unpivot ({chance}) on pairwise_accuracy, task_accuracy into name metric value accuracy
    )"""

_FIGURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    f"leaderboard{_KIND}": (
        ("accuracies", f"{_OURS} and length is null"),
        ("chance", "kind = {kind} and length is null"),
    ),
    f"length_(?P<metric>[a-z]+_accuracy){_KIND}": (
        ("accuracies", f"{_OURS} and length is not null and metric = {{metric}}"),
        (
            "published_accuracies",
            f"{_THEIRS} and metric = {{metric}} and experiment = 'main'",
        ),
        ("chance", "kind = {kind} and length is not null and metric = {metric}"),
    ),
    "looking": (("accuracies", "{ours} and metric = 'task_accuracy'"), ("chance", "true")),
    f"similar_sizes{_KIND}": (
        ("similar_sizes", "if(source = 'ours', {ours}, {published}) and kind = {kind}"),
    ),
    f"probes{_PANEL}": (
        ("probes", "{ours} and panel = {panel}"),
        ("published_probes", "{published} and panel = {panel}"),
    ),
    f"settings{_PANEL}": (
        ("probe_scores", "{ours} and panel = {panel}"),
        ("setting_chance", "panel = {panel}"),
    ),
    f"errors_structural{_KIND}": (("structural", _OURS), ("published_error_shares", _THEIRS)),
    f"errors_semantic{_KIND}": (("semantic", _OURS),),
    f"(?:handedness|hand_overlap){_KIND}": (
        ("handedness", _OURS),
        ("published_handedness", _THEIRS),
    ),
    f"shared_errors{_KIND}": (("shared_errors", "kind = {kind} and unit = 'step' and n > 0"),),
    f"answers{_KIND}": (("statuses", _OURS),),
    f"activities{_KIND}": (("activities", _OURS), ("activity_chance", "kind = {kind}")),
    "finding_effects": (("findings", "{ours} and source = 'ours'"),),
    "cost_accuracy": (
        ("quality", "{ours} and usd_per_question > 0"),
        ("accuracies", "{ours} and length is null and metric = 'pairwise_accuracy'"),
    ),
    "world_(?P<task>wm|pp)_(?P<world>.+)": (
        (
            "world",
            "{worlds} and length is null and task = {task} and world_source = {world}",
        ),
    ),
}
"""Pattern of names of figures -> names of rows of a report, and which of them are drawn."""


def figure_query(name: str, variant: str, choice: Choice) -> str | None:
    """The SQL of the numbers behind a figure; None if ``name`` is none of the figures about
    models. What is drawn of other rows, such as chance, is united with them by name of column.
    """
    for pattern, parts in _FIGURES.items():
        found = re.fullmatch(pattern, name)
        if found is None:
            continue
        known = {key: literal(text) for key, text in found.groupdict().items()}
        known |= {"ours": choice.condition(), "published": choice.published_condition()}
        known["worlds"] = choice.condition("world_model")
        return "\nunion all by name\n".join(
            "\nwhere ".join((f"from ({_rows(rows, variant)})", where.format(**known)))
            for rows, where in parts
        )
    return None


def _rows(name: str, variant: str) -> str:
    sql = query_of(name, variant).strip()
    return _CHANCE_ROWS.replace("{chance}", sql).strip() if name == "chance" else sql
