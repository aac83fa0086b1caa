"""Models beside each other in the report: bars per setting, published ones of similar size, what
their answers are like and cost, errors that they share, and what looking buys.

Footnotes below heat maps: how our conditions differ, where the paper contradicts itself.
"""

import math
from typing import Any

import polars as pl
import pytest
from report_pages import drawn_rows, of_kind, said_in
from sql.tiny_lake import tiny_rows

from enact_assets.answers.baselines.learned_names import FACT_READER, LEARNED, TRANSFER
from enact_assets.results.paper.results import published_table
from enact_assets.results.paper.tables import PublishedCaveats, PublishedProbes
from enact_assets.results.probes.tables import Probes
from enact_assets.results.report.answer_quality import answer_quality
from enact_assets.results.report.drawing import canvas
from enact_assets.results.report.error_section import NOBODY, shared_errors
from enact_assets.results.report.findings_section import (
    LEAST_POINTS,
    MOST_POINTS,
    draw_interval,
    findings,
    points_drawn,
)
from enact_assets.results.report.hands import distance, hand_circles, shared_area
from enact_assets.results.report.lengths import SUBJECT, looking, similar_sizes
from enact_assets.results.report.looks import looks_of
from enact_assets.results.report.parts import NONE, Figure, Section, Table, Text, points
from enact_assets.results.report.probes import MODELS_ABREAST, probes, setting_bars
from enact_assets.results.report.rows import ReportRows

ALL_OVER = {"fact_reader": 0.73, "fact_reader_transfer": 0.28, "learned_progress": 0.3}
ALL_OVER |= {"learned_precedence": 0.09, "text_prior": 0.1, "random": 0.09, "gpt": 0.5}
LENGTHS = (3, 6, 10)
SCHEMA = {"model": pl.String, "kind": pl.String, "metric": pl.String, "length": pl.Int64}
SCHEMA |= dict.fromkeys(("accuracy", "low", "high"), pl.Float64)


def score(model: str, panel: str, variant: str, kind: str, mean: float) -> dict[str, Any]:
    return {
        "model": model,
        "panel": panel,
        "variant": variant,
        "kind": kind,
        "length": None,
        "is_baseline": variant == "baseline",
        "n_questions": 50,
        "n_demonstrations": 9,
        "pairwise_accuracy": mean,
        "standard_error": 0.02,
        "clustered_standard_error": 0.03,
    }


def drawn(*scores: dict[str, Any], references: tuple[str, ...] = ()) -> tuple[list[Figure], Table]:
    models = (s["model"] for s in scores)
    section = setting_bars(drawn_rows(models, references, probe_scores=pl.DataFrame(scores)))
    [table] = of_kind(section, Table)
    return of_kind(section, Figure), table


def taken_apart(section: Section) -> tuple[str, list[Figure], list[Table]]:
    return said_in(section), of_kind(section, Figure), of_kind(section, Table)


def test_references_are_marked_and_left_out_beside_models() -> None:
    """Researcher F18: the oracle was among "the best 6 of 7 models"."""
    rows = drawn_rows(("m", "oracle", "fact_reader"), ("oracle", "fact_reader"))
    assert rows.preferred(("oracle", "m", "fact_reader")) == ["m"]
    assert rows.preferred(("oracle", "fact_reader")) == ["oracle", "fact_reader"]
    assert [rows.label(name) for name in ("oracle", "m")] == ["oracle (ref.)", "m"]
    assert rows.marked("oracle") == "oracle (reference)"
    assert "this simulator" in rows.marked("fact_reader")


@pytest.mark.slow
def test_no_figure_of_settings_has_a_reference_beside_models() -> None:
    pair = (("m", "forward", 0.5), ("oracle", "forward", 1.0), ("oracle", "inverse", 1.0))
    scores = [score(model, "camera_height", "low", kind, mean) for model, kind, mean in pair]
    [figure], table = drawn(*scores, references=("oracle",))
    assert figure.caption.endswith("pairwise accuracy per setting")
    assert figure.alt.startswith("Bars of 1 models")
    assert [row[0] for row in table.rows] == ["oracle (reference)", "m"]


@pytest.mark.slow
def test_settings_stand_in_the_papers_order() -> None:
    settings = {
        "realism": ["ray_tracing_only", "path_tracing", "baseline"],
        "camera_fov": ["fisheye", "baseline", "aperture_30", "my_lens"],
        "noise_robustness": ["noisy", "baseline"],
    }
    figures, table = drawn(
        *(
            score("m", panel, variant, "forward", 0.5)
            for panel, variants in settings.items()
            for variant in variants
        )
    )
    named = [figure.alt.partition("errors: ")[2].partition(".")[0] for figure in figures]
    assert named == [
        "path tracing, baseline, ray tracing only",
        "aperture 30, baseline, fisheye, my lens",
        "baseline, noisy",
    ]
    assert [row[2] for row in table.rows] == ", ".join(named).split(", ")
    assert table.rows[0][3:] == ("50.0 ± 3.0", "50", NONE, "0")


@pytest.mark.slow
def test_more_models_than_fit_are_in_the_table() -> None:
    """Over one demonstration there is no error."""
    n_models = MODELS_ABREAST + 2
    scores = [
        score(f"m{n}", "camera_height", variant, kind, n / 20)
        for n in range(n_models)
        for variant in ("baseline", "low")
        for kind in ("forward", "inverse")
    ]
    alone = score("alone", "camera_height", "low", "inverse", 0.9)
    [figure], table = drawn(*scores, {**alone, "clustered_standard_error": None})
    assert figure.caption.endswith(f"the best {MODELS_ABREAST} of {n_models + 1} models")
    assert len(table.rows) == 2 * n_models + 1
    [line] = [row for row in table.rows if row[0] == "alone"]
    assert line == ("alone", "camera height", "low", NONE, "0", "90.0", "50")


def row(name: str, source: str, length: int, accuracy: float | None) -> dict[str, Any]:
    model = name.lower() if source == "ours" else name
    size = {"published_model": name, "n_parameters_million": 8_300}
    return {"model": model, "source": source, "kind": "forward", **size} | {
        "length": length,
        "accuracy": accuracy,
    }


def sizes_of(*given: dict[str, Any]) -> tuple[str, list[Figure], list[Table]]:
    schema = {"model": pl.String, "source": pl.String, "kind": pl.String, "length": pl.Int64}
    schema |= {"published_model": pl.String, "n_parameters_million": pl.Int64}
    schema |= dict.fromkeys(("accuracy", "low", "high"), pl.Float64)
    frame = pl.DataFrame(given, schema)
    rows = drawn_rows(frame.filter(source="ours")["model"], similar_sizes=frame)
    return taken_apart(similar_sizes(rows))


def test_nothing_known_gives_a_sentence() -> None:
    for given in ((), (row(SUBJECT, "ours", 3, None),)):
        said, *rest = sizes_of(*given)
        assert "No accuracy of a model about as large" in said
        assert rest == [[], []]


@pytest.mark.slow
def test_ours_stands_beside_the_published_model_of_its_name() -> None:
    theirs = [row(name, "published", n, 0.5) for name in (SUBJECT, "Ovis") for n in (3, 6)]
    said, [figure], [table] = sizes_of(*theirs, row("Ovis", "ours", 6, 0.75))
    assert "1 of them measured here, on the paper's questions" in said
    assert "Lines of 3 models. At length 6 ovis is highest with 75.0 %." in figure.alt
    assert table.rows == (
        (SUBJECT, "published", "forward", "8.3", "50.0", "50.0"),
        ("Ovis", "published", "forward", "8.3", "50.0", "50.0"),
        ("ovis", "here", "forward", "8.3", "\N{EN DASH}", "75.0"),
    )
    said, _, _ = sizes_of(*theirs)
    assert "No model measured here is among them, with scores that may stand beside these." in said


COUNTS = (
    *("n_answers", "n_answered", "n_parsed", "n_unparsed", "n_refused", "n_declined", "n_cut"),
    *("n_missing", "n_read_otherwise"),
)
TOKENS = ("tokens_in", "tokens_out", "tokens_reasoning")
DASH = "\N{EN DASH}"


def asked(model: str, usd: float | None, **reported: Any) -> dict[str, Any]:
    """What 10 questions came to, each for ``usd``."""
    counts = dict(zip(COUNTS, (10, 9, 6, 3, 1, 0, 2, 1, 4), strict=True))
    total = None if usd is None else 9 * usd
    return {"model": model, **counts, "usd": total, "usd_per_question": usd, **reported}


def parts_of(
    *quality: dict[str, Any], references: tuple[str, ...] = ()
) -> tuple[str, list[Figure], list[Table]]:
    schema: dict[str, Any] = {"model": pl.String, **dict.fromkeys(COUNTS + TOKENS, pl.Int64)}
    seconds = ("median_latency_s", "p95_latency_s")
    schema |= dict.fromkeys(("usd", "usd_per_question", *seconds), pl.Float64)
    schema |= {"served_models": pl.List(pl.String)}
    accuracies = [
        {"model": row["model"], "kind": kind, "length": length, "metric": metric}
        | {"accuracy": accuracy, "low": accuracy - 0.1, "high": accuracy + 0.1}
        | {"is_reference": row["model"] in references}
        for row in quality
        for kind, accuracy in (("forward", 0.25), ("inverse", 0.5))
        for length, metric in ((None, "pairwise_accuracy"), (None, "task_accuracy"), (3, "other"))
    ]
    names = {"model": pl.String, "kind": pl.String, "length": pl.Int64, "metric": pl.String}
    rows = {
        "quality": pl.DataFrame(quality, schema),
        "accuracies": pl.DataFrame(
            accuracies,
            {**names, **dict.fromkeys(("accuracy", "low", "high"), pl.Float64)}
            | {"is_reference": pl.Boolean},
        ),
    }
    return taken_apart(answer_quality(drawn_rows((row["model"] for row in quality), **rows)))


def test_without_answers_it_says_so() -> None:
    assert parts_of() == ("baseline: no model was asked.", [], [])


def test_baselines_have_outcomes_and_no_cost() -> None:
    """A table of dashes would say nothing, and a baseline lacks no price."""
    said, figures, [quality] = parts_of(asked("oracle", None), references=("oracle",))
    assert "Not drawn" not in said
    assert not figures
    assert quality.rows == (("oracle", "10", "9", "6", "3", "1", "0", "2", "1", "4"),)


def test_a_model_without_a_price_is_named_and_not_drawn() -> None:
    said, figures, [_, cost] = parts_of(asked("local", None, tokens_in=7), asked("free", 0.0))
    assert "price is unknown: local." in said
    assert "cost nothing: free." in said
    assert not figures
    assert cost.rows == (
        ("local", "7", *[DASH] * 7),
        ("free", *[DASH] * 3, "0.00", "0.00", *[DASH] * 3),
    )


@pytest.mark.slow
def test_cost_is_drawn_against_accuracy_and_listed() -> None:
    reported = {"tokens_in": 54321, "tokens_out": 1000, "tokens_reasoning": 900}
    reported |= {"median_latency_s": 2.04, "p95_latency_s": 9.96, "served_models": ["big-2026"]}
    said, [figure], [_, cost] = parts_of(asked("big", 0.0123, **reported), asked("small", 2e-5))
    assert "Not drawn" not in said
    assert "cheapest small with 0.02 USD per 1,000 questions" in figure.alt
    assert "most expensive big with 12.30." in figure.alt
    # Equally accurate: the cheaper one.
    assert "Most accurate: small with 37.5 % over both kinds for 0.02 USD." in figure.alt
    assert cost.rows[0] == (
        *("big", "54,321", "1,000", "900", "0.111", "12.30", "2.0", "10.0", "big-2026"),
    )


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 1.0), (1.0, 0.25)])
def test_circles_share_the_area_asked_for(a: float, b: float) -> None:
    smaller = math.pi * min(a, b) ** 2
    for share in (0.01, 0.3, 0.9, 1.0):
        apart = distance(a, b, share * smaller)
        assert shared_area(a, b, apart) == pytest.approx(share * smaller, abs=1e-6)
    assert distance(a, b, 0.0) == a + b


def test_the_shared_area_is_the_one_counted_on_a_grid() -> None:
    a, b, apart, step = 1.0, 0.6, 0.9, 0.005
    n = sum(
        math.hypot(x * step, y * step) < a and math.hypot(x * step - apart, y * step) < b
        for x in range(-200, 400)
        for y in range(-200, 200)
    )
    assert shared_area(a, b, apart) == pytest.approx(n * step**2, abs=2e-3)


NOBODY_ELSE = drawn_rows([])


def hand(model: str, hand: str, *counts: int) -> dict[str, Any]:
    names = ("n_reference", "n_predicted", "n_matched", "n_mixed")
    return {"model": model, "hand": hand, **dict(zip(names, counts, strict=True))}


def test_hands_without_components_give_no_circles() -> None:
    assert hand_circles(NOBODY_ELSE, "forward", []) is None
    assert hand_circles(NOBODY_ELSE, "forward", [hand("m", "left", 0, 0, 0, 0)]) is None


@pytest.mark.slow
def test_circles_are_of_the_models_with_most_in_common() -> None:
    """A hand of which nothing is given has one circle."""
    rows = [hand(f"m{n}", "left", 10, 8, n, 1) for n in range(6)]
    found = hand_circles(NOBODY_ELSE, "forward", [*rows, hand("m5", "right", 9, 0, 0, 4)])
    assert found is not None
    assert "Pairs of overlapping circles for 4 models. m5, left hand: 10 true, 8 given" in found.alt
    assert found.caption.endswith("the 4 of 6 models with most in common")
    assert "m5, right hand: 9 true, 0 given, 0 both, 4 given to the other hand" in found.alt


def shared(*combinations: dict[str, Any]) -> ReportRows:
    schema = {"kind": pl.String, "unit": pl.String, "models": pl.List(pl.String)}
    schema |= {"wrong_models": pl.List(pl.String), "n": pl.Int64, "share": pl.Float64}
    official = pl.DataFrame(schema={"variant": pl.String, "n_by_match": pl.Int64})
    errors = pl.DataFrame(combinations, schema)
    models = {model for row in combinations for model in row["models"]}
    return drawn_rows(models, shared_errors=errors, official=official)


def finding_rows(*ends: tuple[float, float]) -> ReportRows:
    """One finding per interval, of one model."""
    about = {"source": "ours", "model": "m", "is_reference": False, "chance": "exact"}
    about |= {"verdict": "confirmed", "reason": None, "p": 0.01, "holm_p": 0.02}
    about |= {"value": 0.5, "expected": 0.1}
    told = [("better_than_chance", "forward"), ("better_than_chance", "inverse")]
    found = [
        {**about, "finding": name, "kind": kind, "effect": (a + b) / 2, "low": a, "high": b}
        for (name, kind), (a, b) in zip(told, ends, strict=True)
    ]
    return drawn_rows(["m"], findings=pl.DataFrame(found, schema_overrides={"reason": pl.String}))


def test_no_interval_of_a_finding_is_cut_off_without_a_sign() -> None:
    near, further, far = (
        points_drawn(finding_rows((0.1, 0.3), (low, 0.2))["findings"]) for low in (-0.9, -1.36, -5)
    )
    assert [near, further, far] == [LEAST_POINTS, pytest.approx(141), MOST_POINTS]
    look = looks_of(["m"])["m"]
    with canvas(1) as (_, (axes,)):
        for low, high, n_arrows in ((-500, 20, 1), (-500, 700, 3), (-205, 205, 3)):
            draw_interval(axes, low, high, 0, look, far)
            assert len(axes.texts) == n_arrows
        assert [list(line.get_xdata()) for line in axes.lines] == [[-far, 20], *[[-far, far]] * 2]


@pytest.mark.slow
def test_the_caption_of_findings_explains_arrows_where_there_are_any() -> None:
    for low, is_said in ((-0.9, False), (-5, True)):
        [figure] = of_kind(findings(finding_rows((0.1, 0.3), (low, 0.2))), Figure)
        assert ("an arrow at the edge: the interval continues" in figure.caption) == is_said


def test_one_model_gives_a_sentence() -> None:
    said, figures, tables = taken_apart(shared_errors(shared()))
    assert "Fewer than two models have wrong answers" in said
    assert (figures, tables) == ([], [])


@pytest.mark.slow
def test_combinations_are_drawn_and_listed_the_largest_first() -> None:
    """A combination without steps is left out; no inverse step was scored."""
    whose: dict[str, Any] = {"kind": "forward", "models": ["a", "b"]}
    rows = [
        {**whose, "unit": unit, "wrong_models": wrong, "n": n, "share": n / 10}
        for unit, wrong, n in (
            *(("step", [], 3), ("step", ["a"], 0), ("step", ["a", "b"], 7)),
            *(("question", ["a"], 4), ("question", ["a", "b"], 6)),
        )
    ]
    said, [figure], [table] = taken_apart(shared_errors(shared(*rows)))
    assert f"2 models over 10 steps. Largest: a, b: 7; {NOBODY}: 3." in figure.alt
    assert table.rows == (
        ("a, b", "forward", "7", "70.0", "6", "60.0"),
        (NOBODY, "forward", "3", "30.0", "0", "0.0"),
        ("a", "forward", "0", "0.0", "4", "40.0"),
    )
    assert said.endswith("No inverse step was scored for two models.")


def accuracies(*models: str, kinds: tuple[str, ...] = ("forward",)) -> list[dict[str, Any]]:
    return [
        {"model": model, "kind": kind, "metric": "task_accuracy", "length": length}
        | {"accuracy": level, "low": level - 0.05, "high": level + 0.05}
        for model in models
        for kind in kinds
        for length, level in (
            (None, ALL_OVER[model]),
            *((n, ALL_OVER[model] * 3 / n) for n in LENGTHS),
        )
    ]


def rows_of(found: list[dict[str, Any]]) -> ReportRows:
    frame = pl.DataFrame(found, SCHEMA)
    references = [*LEARNED, "text_prior", "random"]
    return drawn_rows(frame["model"], references, accuracies=frame)


def test_it_shows_only_where_the_fact_reader_answered() -> None:
    assert looking(rows_of(accuracies("text_prior", "gpt", TRANSFER))) is None
    unscored = accuracies(FACT_READER)
    for row in unscored:
        row["accuracy"] = None
    assert looking(rows_of(unscored)) is None


def test_the_gain_is_counted_from_the_stronger_control() -> None:
    """From the one that answers at random all of it would be looking."""
    both = accuracies(FACT_READER, "learned_progress", "learned_precedence")
    said = said_in(looking(rows_of(both)))
    assert "Forward questions, all lengths: fact_reader 73.0 %, learned_progress 30.0 %" in said
    assert "+43.0 points above the control" in said
    assert "trained on this simulator, other seeds" in said
    assert "has no scored answer to inverse questions" in said


def test_without_controls_it_says_how_to_ask_them() -> None:
    said = said_in(looking(rows_of(accuracies(FACT_READER))))
    assert "--model learned_progress --model learned_precedence` asks them" in said


def test_the_figure_and_its_table_have_references_and_models() -> None:
    """The other control answers at random: its line would hide that of chance."""
    rows = rows_of(accuracies(*ALL_OVER, kinds=("forward", "inverse")))
    section = looking(rows)
    [figure], [table] = of_kind(section, Figure), of_kind(section, Table)
    for name in (
        *("fact_reader (ref.)", "fact_reader_transfer (ref.)"),
        *("learned_progress (ref.) (control)", "gpt"),
    ):
        assert f">{name}<".encode() in figure.svg
    assert b"above the control" in figure.svg
    assert b"learned_precedence" not in figure.svg
    looks = looks_of(ALL_OVER, {*LEARNED, "text_prior", "random"})
    for name in ("fact_reader", "gpt"):
        assert looks[name].colour.encode() in figure.svg
    assert "forward: fact_reader 73.0 %" in figure.alt
    assert "trained on this simulator, other seeds" in figure.caption
    assert [row[:2] for row in table.rows[:2]] == [
        ("fact_reader (reference, trained on this simulator, other seeds)", "forward"),
        ("fact_reader_transfer (reference, trained on this simulator, other seeds)", "forward"),
    ]
    assert table.rows[0][2:] == ("73.0", "36.5", "21.9", "73.0")
    assert len(table.rows) == 2 * len({*ALL_OVER} - {"random", "learned_precedence"})


@pytest.mark.parametrize("n_models", [5, 8])
def test_many_models_share_one_entry_of_the_legend(n_models: int) -> None:
    names = [f"model-{n}" for n in range(n_models)]
    found = accuracies(FACT_READER, "learned_progress")
    for name in names:
        found += [{**row, "model": name} for row in accuracies("gpt")]
    [figure] = of_kind(looking(rows_of(found)), Figure)
    assert figure.svg.count(b">more models<") == (n_models > 5)


def footnotes_of(*variants: str) -> list[str]:
    """Names of figures and texts of the section, with probes of ``variants`` measured here."""
    [probe] = tiny_rows()["probes"]
    rows = [{**probe, "variant": variant} for variant in variants]
    no_p = (pl.lit(None, pl.Float64).alias(f"{test}_holm_p") for test in TESTS)
    theirs = published_table(PublishedProbes).filter(published_variant="aperture_60")
    frames = {
        "probes": Probes.build(rows).with_columns(*no_p),
        "published_probes": theirs,
        "caveats": published_table(PublishedCaveats).select(
            pl.col("published_variant").alias("variant"), "caveat"
        ),
        "conditions": pl.DataFrame({"published_variant": variants, "variant": variants}, STRINGS),
    }
    parts = probes(drawn_rows(["guesser"], **frames)).parts
    return [p.name if isinstance(p, Figure) else p.text for p in parts if isinstance(p, FOOTED)]


STRINGS = {"published_variant": pl.String, "variant": pl.String}
TESTS = ("welch", "paired", "sign_flip", "unpaired")
FOOTED = (Figure, Text)


def test_measured_and_published_rows_have_their_footnotes_below_the_heat_map() -> None:
    found = footnotes_of("fisheye", "aperture_80")
    caveats = dict(
        published_table(PublishedCaveats).select("published_variant", "caveat").iter_rows()
    )
    assert f"All models measured here: {caveats['baseline']}" in found
    after = found[found.index("probes_camera_fov") + 1 :]
    assert after[0] == f"Measured here differs from the paper. fisheye: {caveats['fisheye']}"
    said = f"aperture 60, forward: Figure 4 has {points(-0.08)}, p = 0.02. Section 3.3 says"
    assert after[1].startswith(f"Paper: GPT-5 mini (publ.), {said}")
    assert "p = 0.44. The caption of figure 17" in after[1]


def test_what_was_not_measured_needs_no_caveat() -> None:
    found = footnotes_of()
    assert not [text for text in found if "measured here" in text.lower() and "differs" in text]
    assert not [text for text in found if text.startswith("All models measured here")]
