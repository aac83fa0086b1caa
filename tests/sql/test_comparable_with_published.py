"""Which of our numbers may stand beside the paper's: decided by what was shown, asked and read.

Found by black box: researcher F2. The baseline of the simulator was "as published", and the only
variant that asks the paper's own questions met no published row.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from sql.tiny_lake import (
    THEIR_WORDS,
    Relations,
    Rows,
    add_settings,
    add_statistics,
    answer,
    ask_official,
    copy_variant,
    query,
    sha_of_prompt,
    tiny_rows,
)

from enact_assets.questions.asked.shared_prompts import words_sha
from enact_assets.results.paper.results import published_table
from enact_assets.results.paper.tables import PublishedSettings
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

from reference.official_sample import sample_of_160

BASELINES = {"baseline", "with_untold", "recorded", "official"}
"""Variants whose settings are those of the paper's baseline."""
SEEDS = {f"random_perturbations_{seed}": "random_perturbations" for seed in (1, 2, 3)}


def condition_of(variant: str) -> str | None:
    """The paper's name of what the registry calls ``variant``; None of a control of ours."""
    if variant == "mirrored":
        return None
    return "baseline" if variant in BASELINES else SEEDS.get(variant, variant)


SIDES = (
    *("leaderboard_with_published", "verdicts_with_published", "variant_accuracies"),
    *("probe_deltas", "probe_heat_maps"),
)
"""Relations with numbers of ours that say of each whether it compares with the paper's."""

EDITS: list[tuple[dict[str, Any], dict[str, str | None], str | None]] = [
    # What is set in the registry, conditions of the paper that variants then have, what is said.
    ({}, {}, None),
    (
        {"aperture_60": {"camera": {"aperture_mm": 65.0}}},
        {"aperture_60": None},
        "camera.aperture_mm is 65.0, in the paper 30.0 or 40.0 or 60.0 or 80.0",
    ),
    ({"aperture_60": {"camera": {"aperture_mm": 80.0}}}, {"aperture_60": "aperture_80"}, None),
    # Inherited by all but those that set it, or that it does not matter to.
    (
        {"baseline": {"renderer": {"size_px": 64}}},
        {"*": None, "real_world_video": "real_world_video", "official": "baseline"},
        "renderer.size_px is 64, in the paper 512",
    ),
    ({"real_world_video": {"sources": ["recorded"]}}, {"real_world_video": "baseline"}, None),
    (
        {"baseline": {"sources": ["embedded", "video"]}},
        {
            "*": None,
            "recorded": "baseline",
            "real_world_video": "real_world_video",
            "official": "baseline",
        },
        "footage is replayed and filmed",
    ),
    ({"contact": {"gating": "state"}}, {"contact": "baseline"}, None),
    ({"emoji": {"wording": "symbolic"}}, {"emoji": "symbolic_predicates"}, None),
    ({"skin_color": {"appearance": {"robot": "white"}}}, {"skin_color": "white_color"}, None),
    ({"high": {"camera": {"height_offset_m": 0.4}}}, {"high": None}, "camera.height_offset_m is"),
    ({"random_perturbations_2": {"noise": {}}}, {"random_perturbations_2": "baseline"}, None),
    # The paper gives none of these: no value of ours is the paper's.
    ({"baseline": {"renderer": {"samples": 8, "path_depth": 3}}}, {}, None),
    ({"random_perturbations_1": {"noise": {"rate": 0.2, "seed": 9}}}, {}, None),
    ({"emoji": {"asks": "all"}, "contact": {"asks": 10}}, {}, None),
]


def edited(folder: Path, changes: dict[str, Any]) -> Path:
    """The shipped registry with other entries: fields of the baseline are merged, one deep."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    for variant, fields in changes.items():
        for name, value in fields.items():
            known = entries["variants"][variant].get(name)
            is_merged = variant == "baseline" and isinstance(value, dict)
            entries["variants"][variant][name] = {**known, **value} if is_merged else value
    return written(folder, entries)


def written(folder: Path, entries: dict[str, Any]) -> Path:
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


def asked_by_all(registry: Path) -> Rows:
    """The tiny lake, where every variant of ``registry`` asks one model one question."""
    rows = tiny_rows()
    add_settings(rows, registry)
    question = next(r for r in rows["asked_questions"] if r["question_id"] == "f1")
    found = next(r for r in rows["evaluation"] if r["question_id"] == "f1")
    names = {row["variant"] for row in rows["variant_settings"]}
    rows["asked_questions"] = [{**question, "variant": name} for name in names]
    rows["evaluation"] = [{**found, "variant": name} for name in names]
    return rows


def conditions(rows: Rows) -> dict[str, tuple[str | None, str | None]]:
    """Variant -> the condition of the paper that it has, and what is different if none."""
    found = query(
        Relations(rows),
        "select distinct variant, published_variant, differences from comparable_with_published",
    ).rows()
    assert len({variant for variant, _, _ in found}) == len(found), "one condition each"
    return {variant: (condition, differences) for variant, condition, differences in found}


@pytest.mark.parametrize(("changes", "expected", "said"), EDITS, ids=range(len(EDITS)))
def test_settings_that_the_paper_gives_decide_and_no_others(
    tmp_path: Path, changes: dict[str, Any], expected: dict[str, str | None], said: str | None
) -> None:
    found = conditions(asked_by_all(edited(tmp_path, changes)))
    for variant, (condition, differences) in found.items():
        other = expected["*"] if "*" in expected else condition_of(variant)
        assert condition == expected.get(variant, other), variant
        assert (differences is None) == (condition is not None)
    if said is not None:
        assert any(said in (differences or "") for _, differences in found.values())


def test_names_that_are_exchanged_change_nothing(tmp_path: Path) -> None:
    """Every variant but the baseline gets the entry of the next: conditions follow the entries."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    names = [name for name in entries["variants"] if name != "baseline"]
    renamed = dict(zip([*names[1:], names[0]], names, strict=True))  # new name -> former name
    entries["variants"] |= {new: entries["variants"][old] for new, old in renamed.items()}
    entries["demo"] = {}
    shipped = conditions(asked_by_all(DEFAULT_REGISTRY))
    found = conditions(asked_by_all(written(tmp_path, entries)))
    assert {name: found[name] for name in renamed} == {
        new: shipped[old] for new, old in renamed.items()
    }
    assert {condition for condition, _ in shipped.values()} == {
        condition_of(name) for name in names
    }, "each condition of the paper is one of ours"


def test_every_setting_and_condition_of_the_paper_is_there() -> None:
    """A misspelled setting would not count, and a misspelled condition meet no number."""
    rows = tiny_rows()
    add_settings(rows)
    given = published_table(PublishedSettings)
    settings = {row["setting"] for row in rows["variant_settings"]}
    assert {s for s in given["setting"] if not s.startswith("prompt.")} <= settings
    theirs = set(given["published_variant"])
    published = {row["published_variant"] for row in rows["published_accuracies"]}
    assert published | {row["published_variant"] for row in rows["published_probes"]} == theirs
    assert {row["published_variant"] for row in rows["published_caveats"]} <= theirs
    ours = load_registry(DEFAULT_REGISTRY).variants
    assert theirs == {condition_of(name) for name in ours} - {None}


def test_prompts_of_the_published_questions_are_known() -> None:
    """By hash, since their text is not ours to ship: of every question of the sample."""
    given = published_table(PublishedSettings)
    known = dict(given.select("setting", "value").iter_rows())
    for row in map(json.loads, sample_of_160().read_text().splitlines()):
        kind = "forward" if "forward" in row["type"] else "inverse"
        assert sha_of_prompt(row["question"]) == known[f"prompt.{kind}"]


def test_a_prompt_read_from_a_file_has_the_hash_that_is_looked_at() -> None:
    assert words_sha(THEIR_WORDS.format("A cup\tmoved.")) == sha_of_prompt(THEIR_WORDS)


@pytest.mark.slow
@pytest.mark.parametrize("template", [THEIR_WORDS, "Other words.\n[Action 1] {}\n"])
def test_questions_of_ours_in_the_papers_prompts_lack_that_reason_alone(template: str) -> None:
    """As a variant asks them whose prompts are those of the paper's questions."""
    rows = ask_official(prompt=template)
    for row in rows["qa"]:
        row["question_file"] = None
    [(why_not,)] = query(
        Relations(rows),
        "select distinct why_not from comparable_with_published where variant = 'official' "
        "and model = 'openai:gpt-5-mini' and source is null",
    ).rows()
    assert "Questions were written here" in why_not
    assert ("Prompts are not in the words" in why_not) == (template != THEIR_WORDS)


def verdict(rows: Rows, variant: str, model: str = "openai:gpt-5-mini") -> dict[str, Any]:
    [found] = query(
        Relations(rows),
        f"from comparable_with_published where variant = '{variant}' and model = '{model}' "
        "and source is null and experiment = 'main'",
    ).to_dicts()
    return found


def test_official_questions_meet_the_published_rows_and_say_how_many_they_are() -> None:
    """Researcher F2: ``official`` met none. A part of the paper's questions says so."""
    rows = ask_official()
    found = verdict(rows, "official")
    assert found["is_comparable"]
    assert found["why_not"] is None
    assert (found["n_questions"], found["n_published"]) == (5, 8972)
    assert found["place_in_paper"] == "Table 10, Table 9"
    assert found["caveat"] == (
        "5 imported questions in the paper's prompts (the paper has 8,972); that they are the "
        "paper's own is not checked."
    )
    made = Relations(rows)
    met = query(
        made,
        "select n_questions, n_published, accuracy, published_accuracy, difference, is_comparable "
        "from agreement_with_published where model = 'openai:gpt-5-mini' and kind = 'forward' "
        "and metric = 'task_accuracy' and length = 3",
    ).rows()
    assert met == [(3, 572, 1.0, 0.8339, pytest.approx(1 - 0.8339), True)]
    sized = "select distinct variant from accuracy_by_size where source = 'ours'"
    assert query(made, sized).rows() == [("official",)]


def with_unverified(rows: Rows) -> Rows:
    for row in rows["evaluation"]:
        row |= {"unverified": "no_replay", "pairwise_accuracy": None}
    return rows


def with_fewer_published(rows: Rows, counts: dict[int, int | None]) -> Rows:
    """As if the paper had other numbers of questions of some lengths; None: no such length."""
    rows["published_question_counts"] = [
        {**row, "n_questions": counts.get(row["length"], row["n_questions"])}
        for row in rows["published_question_counts"]
        if counts.get(row["length"], 1) is not None
    ]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            lambda: ask_official(prompt="Other words.\n[Action 1] {}\n"),
            "Prompts are not in the words",
        ),
        (lambda: ask_official(source="embedded"), "our own simulator"),
        (lambda: with_unverified(ask_official()), "10 answers were judged by exact match"),
        (
            lambda: with_fewer_published(ask_official(), {3: 2}),
            "than the paper has: 3 forward questions of length 3, in the paper 2.",
        ),
        (
            lambda: with_fewer_published(ask_official(), {4: None}),
            "1 forward questions of length 4, in the paper 0; 1 inverse questions of length 4",
        ),
    ],
    ids=["other prompts", "replays of the simulator", "exact match", "too many", "other lengths"],
)
def test_imported_questions_that_are_not_the_papers_say_why(rows: Any, reason: str) -> None:
    """They stand beside the published rows with the reason, and without a difference."""
    made = rows()
    found = verdict(made, "official")
    assert not found["is_comparable"]
    assert reason.replace("10 answers", "5 answers") in found["why_not"]
    met = query(
        Relations(made), "select distinct difference, why_not from agreement_with_published"
    )
    assert met.rows() == [(None, found["why_not"])]
    assert query(Relations(made), "from accuracy_by_size where source = 'ours'").is_empty()


def test_replays_of_the_simulator_never_meet_a_published_row() -> None:
    """Researcher F2: 36 rows of toy results with "within our interval" beside the paper's."""
    rows = tiny_rows()
    for model in ("openai:gpt-5-mini", "glm-4.5v"):
        answer(rows, model, "baseline", "f1", parsed=[2, 1], passed=2)
    add_statistics(rows)
    made = Relations(rows)
    assert query(made, "from agreement_with_published").is_empty()
    assert query(made, "from accuracy_by_size where source = 'ours'").is_empty()
    for name in (
        *("comparable_with_published", "leaderboard_with_published", "probe_heat_maps"),
        *("verdicts_with_published", "variant_accuracies", "probe_deltas"),
    ):
        has_sides = name not in ("comparable_with_published", "probe_deltas")
        shown = (
            "select count(*) as n, count(*) filter (is_comparable) as n_may, "  # noqa: S608 - ours
            f"count(why_not) as n_why from {name}"
        )
        shown += " where source = 'ours'" if has_sides else ""
        [(n, n_may, n_why)] = query(made, shown).rows()
        assert n_may == 0, name
        assert n_why == n, name
        assert n or name == "variant_accuracies"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        (
            ("baseline", "wording", "emoji"),
            {
                "leaderboard_with_published": "Another condition of the paper: emoji.",
                "verdicts_with_published": "Another condition of the paper: emoji.",
                "probe_deltas": "Baseline: Another condition of the paper: emoji.",
                "probe_heat_maps": "Baseline: Another condition of the paper: emoji.",
            },
        ),
        (
            ("baseline", "footage", "filmed"),
            {
                "verdicts_with_published": "Another condition of the paper: real_world_video.",
                "variant_accuracies": "Another condition of the paper: real_world_video.",
            },
        ),
        (
            ("aperture_80", "camera.aperture_mm", "40.0"),
            {
                "probe_deltas": "Another condition of the paper: baseline.",
                "variant_accuracies": "Another condition of the paper: baseline.",
            },
        ),
    ],
    ids=["baseline in emoji", "filmed baseline", "probe of the baseline's settings"],
)
def test_another_condition_of_the_paper_says_so_in_every_row(
    change: tuple[str, str, str], reasons: dict[str, str]
) -> None:
    """Rows had neither `is_comparable` nor `why_not`. No row is there twice either."""
    rows = tiny_rows()
    panel = "action_representation" if "variant_accuracies" in reasons else "camera_fov"
    rows["probes"] = [{**row, "panel": panel} for row in rows["probes"]]
    add_statistics(rows)
    variant, setting, value = change
    for row in rows["variant_settings"]:
        if (row["variant"], row["setting"]) == (variant, setting):
            row["value"] = value
    made = Relations(rows)
    for name in SIDES:
        found = query(made, f"from {name}")
        ours = found.filter(source="ours") if "source" in found.columns else found
        assert not found.drop("is_comparable", "why_not", "caveat").is_duplicated().any(), name
        assert ours["is_comparable"].to_list() == [False] * ours.height, name
        assert ours["why_not"].null_count() == 0, name
        assert any(reasons.get(name, "") in why for why in ours["why_not"]) or not ours.height
        assert ours.height or name not in reasons


def test_unknown_settings_are_of_no_condition() -> None:
    rows = ask_official()
    rows["variant_settings"] = []
    found = query(Relations(rows), "from comparable_with_published where source is null").to_dicts()
    assert {row["experiment"] for row in found} == {None}
    assert all("Its settings are unknown." in row["why_not"] for row in found)


def test_one_edited_seed_of_noise_is_said_of_all(tmp_path: Path) -> None:
    rows = tiny_rows()
    add_settings(rows)
    [probe] = rows["probes"]
    names = [f"random_perturbations_{seed}" for seed in (1, 2, 3)]
    for name in names:
        rows["probes"].append({**probe, "variant": name, "panel": "noise_robustness"})
        copy_variant(rows, name, "model_accuracies", "asked_questions", "evaluation")
    shown = (
        "select distinct variant, is_comparable, why_not, caveat from variant_accuracies "
        "where source = 'ours' and experiment = 'noise_robustness'"
    )
    [(stem, _, why_not, caveat)] = query(Relations(rows), shown).rows()
    assert stem == "random_perturbations"
    assert "No condition of the paper" not in why_not
    assert caveat.startswith("The paper gives no rate of noise")
    add_settings(rows, edited(tmp_path, {names[2]: {"wording": "emoji", "noise": {"rate": 0.1}}}))
    [(_, is_comparable, why_not, _)] = query(Relations(rows), shown).rows()
    assert not is_comparable
    assert "wording is emoji, in the paper natural" in why_not
