"""Published figures of a small root agree with what other libraries find in its raw tables."""

import io
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from PIL import Image

from benchmarks.synthetic import generate
from benchmarks.tiny_root import write_small_registry
from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import k_each_plan
from enact_assets.answers.people.store import Store, Submission
from enact_assets.answers.people.variant_questions import shown_questions
from enact_assets.demonstrations.pictures.recorded_pictures import picture_file
from enact_assets.demonstrations.recordings.folders import SCENE_GRAPH_FILES
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.settings.paths import PEOPLE_FILE, DataRoot
from enact_assets.settings.registry import BASELINE, load_registry

pytestmark = pytest.mark.slow

N_FRAMES = {11: 2000, 12: 2300, 13: 2600, 14: 3000, 15: 3600}
"""Seed of a household -> its frames: few demonstrations of unequal size, so intervals are by t."""
MODELS = ("random", "identity", "text_prior")
RAW = (
    *("predictions", "asked_questions", "qa", "scene_graphs", "visibility", "objects"),
    "human_answers",
)
PEOPLE = ("Ada", "Bert", "Cleo")
EXACT = {"rel": 1e-9, "abs": 1e-12}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of a root of five recorded households, which three people answered."""
    folder = tmp_path_factory.mktemp("replicated")
    registry = write_small_registry(
        folder / "registry.yaml", variants=[BASELINE, "contact"], models=MODELS
    )
    data = folder / "data"
    out = io.BytesIO()
    Image.new("RGB", (16, 16), (90, 120, 150)).save(out, "PNG")
    for seed, n_frames in N_FRAMES.items():
        replay = generate(seed, n_frames)
        place = data / "recordings" / replay.demonstrations.item(0, "demonstration")
        place.mkdir(parents=True)
        write_recorded(replay, place / SCENE_GRAPH_FILES[0], flavour="diff")
        for frame in range(n_frames):
            path = picture_file(place, frame)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(out.getvalue())
    made = Driver(data, registry=load_registry(registry), workers=1)
    walk(made, registry)
    answered_by_people(DataRoot(data, None), data / PEOPLE_FILE)
    walk(made, registry)
    return DataRoot(data).warehouse


def walk(driver: Driver, registry: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(registry))
        report = driver.run(assets=["warehouse"])
    assert report.is_success, [failure.message for failure in report.failures]


def answered_by_people(root: DataRoot, file: Path) -> None:
    """Right but for those of a pattern; some cannot tell."""
    store = Store(str(file))
    shown = shown_questions(root, BASELINE).questions
    right = {question.question_id: list(question.accepted[0]) for question in shown}
    load_plan(store, k_each_plan(shown, len(PEOPLE), has_practice=False), BASELINE)
    for number, name in enumerate(PEOPLE):
        annotator = store.annotator(store.invite(name, PERSON)[1])
        assert annotator is not None
        while store.draw(annotator):
            pass
        for place, row in enumerate(store.assignments(annotator.id)):
            answer = right[row["question_id"]]
            if (place + number) % 5 == 0:
                answer = [*answer[1:], answer[0]]
            told = None if (place + 2 * number) % 7 == 0 else answer
            reason = "unseen" if told is None else None
            store.save(row, Submission(f"{row['id']} 0", told, reason, "", 1500))
    store.database.close()


@pytest.fixture(scope="module")
def warehouse(published: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(published), read_only=True)


@pytest.fixture(scope="module")
def recomputed(
    warehouse: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory
) -> dict:
    """What the program prints, which sees raw tables alone and is not in this package's folder."""
    pytest.importorskip("statsmodels")
    pytest.importorskip("krippendorff")
    folder = tmp_path_factory.mktemp("raw")
    for name in RAW:
        where = "where variant = 'baseline'" if name == "human_answers" else ""
        rows = warehouse.sql(f"from {name} {where}")
        rows.write_parquet(str(folder / f"{name}.parquet"))
    program = Path(__file__).with_name("recompute.py")
    told = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-I", str(program), str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["imported"] == []
    return dict(found)


def rows_of(warehouse: duckdb.DuckDBPyConnection, query: str) -> list[dict]:
    return warehouse.sql(query).pl().to_dicts()


def equal(found: list[dict], theirs: list[dict], names: tuple[str, ...]) -> int:
    """How many rows agree in all other columns of ``theirs``: every one of both."""

    def keyed(rows: list[dict]) -> Mapping[tuple, dict]:
        return {tuple(row[name] for name in names): row for row in rows}

    ours = keyed(found)
    assert set(ours) == set(keyed(theirs))
    for key, row in keyed(theirs).items():
        for name, value in row.items():
            wanted = pytest.approx(value, **EXACT) if isinstance(value, float) else value
            assert ours[key][name] == wanted, (key, name)
    return len(theirs)


def test_verdicts_follow_from_scene_graphs_alone(
    warehouse: duckdb.DuckDBPyConnection, recomputed: dict
) -> None:
    """Steps passed and acceptance of every answer."""
    ours = rows_of(
        warehouse,
        "select evaluation.*, asked.place from evaluation "
        "inner join asked_questions as asked using (variant, question_id)",
    )
    n = equal(ours, recomputed["verdicts"], ("model", "variant", "question_id"))
    assert n > 500
    accepted = [row["is_accepted"] for row in recomputed["verdicts"]]
    assert 0.02 < sum(accepted) / n < 0.9


def test_accuracies_and_clustered_intervals_agree(
    warehouse: duckdb.DuckDBPyConnection, recomputed: dict
) -> None:
    """Micro-averages; CR2 errors and degrees of freedom by explicit matrices."""
    ours = rows_of(warehouse, "from model_accuracies where length is null")
    keys = ("variant", "kind", "model", "metric")
    n_models = 2 * len(MODELS) + 1  # people are one, and were not asked under the other variant
    assert equal(ours, recomputed["accuracies"], keys) == 2 * 2 * n_models
    assert sum(row["standard_error"] > 0 for row in recomputed["accuracies"]) > 20


def test_paired_differences_and_their_corrections_agree(
    warehouse: duckdb.DuckDBPyConnection, recomputed: dict
) -> None:
    """The clustered t-test of a difference, and Benjamini and Hochberg by statsmodels."""
    ours = rows_of(
        warehouse,
        "from model_comparisons where variant = 'baseline' and length is null "
        "and metric = 'task_accuracy'",
    )
    keys = ("kind", "model_a", "model_b")
    n_pairs = len(MODELS) * (len(MODELS) + 1) // 2
    assert equal(ours, recomputed["comparisons"], keys) == 2 * n_pairs
    assert sum(row["clustered_p"] is not None for row in recomputed["comparisons"]) > 6


def test_the_papers_test_and_holm_agree(
    warehouse: duckdb.DuckDBPyConnection, recomputed: dict
) -> None:
    """Welch by SciPy, Holm by statsmodels."""
    ours = rows_of(
        warehouse,
        "select probes.*, welch_holm_p from probes "
        "left join probe_panels as panels on panels.model = probes.model "
        "and panels.variant = probes.variant and panels.kind = probes.kind "
        "and panels.length is not distinct from probes.length "
        "where probes.variant = 'contact' and probes.length is null",
    )
    assert equal(ours, recomputed["welch"], ("model", "kind")) == 2 * len(MODELS)


def test_alphas_agree(warehouse: duckdb.DuckDBPyConnection, recomputed: dict) -> None:
    """Nominal of whole answers, ordinal of places, by krippendorff."""
    ours = rows_of(
        warehouse,
        "select measure, value from human_agreement where variant = 'baseline' "
        "and annotators = 'all' and kind is null and length is null",
    )
    values = {row["measure"]: row["value"] for row in ours}
    alphas = recomputed["alpha"]
    assert {name: values[name] for name in alphas} == pytest.approx(alphas, **EXACT)
    assert 0.1 < min(alphas.values()) <= max(alphas.values()) < 0.99


def test_expected_scores_of_a_random_order_agree(
    warehouse: duckdb.DuckDBPyConnection, recomputed: dict
) -> None:
    """Every order of questions up to five key frames tried."""
    ours = rows_of(warehouse, "from question_orders where length <= 5")
    n = equal(ours, recomputed["expected"], ("gating", "question_id"))
    assert n > 100
    scores = {row["expected_pairwise_accuracy"] for row in recomputed["expected"]}
    assert len(scores) > 5


def test_path_counts_agree(warehouse: duckdb.DuckDBPyConnection, recomputed: dict) -> None:
    """Every choice of key frames tried."""
    ours = rows_of(
        warehouse,
        "select demonstration || '|' || gating as partition, length, "
        "sum(n_paths::bignum)::varchar as n from path_counts group by all",
    )
    found = {(row["partition"], row["length"]): int(row["n"]) for row in ours}
    theirs = {
        (partition, int(length)): n
        for partition, of in recomputed["paths"].items()
        for length, n in of.items()
    }
    assert found == theirs
    assert sum(found.values()) > 1000


def test_effects_of_rules_are_about_what_is_published(
    warehouse: duckdb.DuckDBPyConnection,
) -> None:
    """With all rules there are the key frames, edges and paths of the other relations."""
    counted = rows_of(
        warehouse,
        "select gating, sum(n_key_frames_with) as n_frames, sum(n_edges_with) as n_edges, "
        "sum(n_paths_with::bignum)::varchar as n_paths, count(*) as n "
        "from rule_effects where rule = 'persistence' group by gating",
    )
    for row in counted:
        of_gating = f"where gating = '{row['gating']}'"
        frames, edges, paths = (
            warehouse.sql(f"select {what} from {table} {of_gating}").fetchall()[0][0]  # noqa: S608
            for what, table in (
                ("count(*)", "segmented_frames"),
                ("count(*)", "transition_graph"),
                ("sum(n_paths::bignum)::varchar", "path_counts"),
            )
        )
        assert (row["n_frames"], row["n_edges"], row["n_paths"]) == (frames, edges, paths)
        assert row["n"] == len(N_FRAMES)
    assert {row["gating"] for row in counted} == {"state", "contact"}
    acts = rows_of(warehouse, "from rule_totals where rule in ('contact', 'flicker_smoothing')")
    found = {(row["gating"], row["rule"]): row for row in acts}
    assert set(found) == {(g, "flicker_smoothing") for g in ("state", "contact")} | {
        ("contact", "contact")
    }
    assert found["contact", "contact"]["n_key_frames_only_with"] > 0
    assert found["state", "flicker_smoothing"]["n_frames_decided"] > 0
