"""The registry: every wrong entry ends in one message that names file, entry and field."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.world.state_filters import ENCODERS
from enact_assets.engine.errors import LakeError, SettingsError, UnknownNameError
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.pipeline.lineage.graph import ROOTS, dimensions
from enact_assets.pipeline.lineage.versions import root_version
from enact_assets.questions.asked.wording import WORDINGS
from enact_assets.settings.classes import (
    EFFORTS,
    IGNORED,
    KNOWN,
    LIMITS,
    NO_LIMIT,
    RendererSettings,
    is_partition_name,
    number_at,
)
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.profile import CHANGES, CONSTANTS, PAPER, STATES
from enact_assets.settings.registry import (
    DEFAULT_REGISTRY,
    CameraSettings,
    NoiseSettings,
    QuestionSettings,
    Registry,
    Variant,
    load_registry,
    settings_sha,
)
from enact_assets.settings.world import ClipSettings, WorldFilterSettings, WorldSettings
from enact_assets.settings.world_entries import WorldEntry
from enact_assets.simulator.rendering.backends import MITSUBA_VARIANTS
from enact_assets.simulator.rendering.materials import ROBOT_LOOKS
from enact_assets.simulator.rendering.modes import MODES
from enact_assets.simulator.view.cameras import PROJECTIONS

TEXT = DEFAULT_REGISTRY.read_text(encoding="utf-8")
CAMERA = "variants.aperture_80.camera"
RENDERER = "variants.aperture_80.renderer"
FLOOR, NAMES_ALL = "embedded_min_visible_fraction", "embedded_names_all"
CONSTANTS_OF = "gatings.state.constants"
PER_STRATUM = "questions.question_set_per_stratum"
Field = str | tuple[object, ...]
GONE = object()
PUBLISHED = {
    # panel of the published tables -> its variants
    "camera_fov": {"aperture_30", "aperture_60", "aperture_80", "fisheye"},
    "camera_height": {"high", "low"},
    "realism": {"path_tracing", "ray_tracing_only", "realistic"},
    "robot_appearance": {"white_color", "random_color", "skin_color"},
}
TOLD = {
    # condition of the published tables -> its variants, which show the baseline's pictures
    "symbolic_predicates": {"symbolic_predicates"},
    "emoji": {"emoji"},
    "random_perturbations": {f"random_perturbations_{seed}" for seed in (1, 2, 3)},
}


def write(folder: Path, change) -> Path:
    # In C where PyYAML has it: this is done for hundreds of cases.
    entries = yaml.load(TEXT, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    change(entries)
    path = folder / "registry.yaml"
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    path.write_text(yaml.dump(entries, Dumper=dumper), encoding="utf-8")
    return path


def put(entries, field: Field, value) -> None:
    """Set ``field``, dotted or by its names, with the mappings on the way; or remove it."""
    *folders, last = field.split(".") if isinstance(field, str) else field
    for name in folders:
        entries = entries.setdefault(name, {})
    entries[last] = value
    if value is GONE:
        del entries[last]


def refusal(path: Path) -> str:
    """What :func:`load_registry` says about ``path``, which must be named."""
    with pytest.raises(SettingsError) as caught:
        load_registry(path)
    message = str(caught.value)
    assert str(path) in message
    return message


def test_a_variant_takes_what_it_does_not_name_from_the_baseline() -> None:
    registry = load_registry()
    base, wide = registry.variants["baseline"], registry.variants["aperture_80"]
    assert wide.camera == dataclasses.replace(base.camera, aperture_mm=80.0)
    assert (wide.renderer, wide.gating) == (base.renderer, base.gating)


def test_a_variant_asks_the_question_set_it_names_or_that_of_its_gating(tmp_path: Path) -> None:
    def change(entries) -> None:
        put(entries, "question_sets.reworded.gating", "contact")
        put(entries, "variants.high.question_set", "reworded")

    registry = load_registry(write(tmp_path, change))
    asked = {name: (v.question_set, v.gating) for name, v in registry.variants.items()}
    assert asked["high"] == ("reworded", "contact")
    assert asked["low"] == asked["baseline"] == ("state", "state")
    assert asked["contact"] == ("contact", "contact")
    assert set(registry.question_sets) == {
        *("contact", "official", "reworded", "state", "with_untold")
    }


def test_the_defaults_are_those_of_the_registry() -> None:
    """Code that leaves a setting out would otherwise render other pictures than the baseline."""
    registry = load_registry(DEFAULT_REGISTRY)
    baseline = Variant("baseline", "state", asks="all", sources=("embedded",))
    assert registry.variants["baseline"] == baseline
    assert registry.questions == QuestionSettings()


def test_the_thirteen_settings_of_the_paper_are_there_and_differ() -> None:
    """Two names for one picture would be two probes of nothing; another name joins with nothing."""
    variants = load_registry(DEFAULT_REGISTRY).variants
    named = {name for panel in PUBLISHED.values() for name in panel}
    told = {name for condition in TOLD.values() for name in condition}
    imported, ours = (
        {"recorded", "real_world_video", "official"},
        ("contact", "with_untold", "mirrored"),
    )
    assert set(variants) == {"baseline", *ours} | named | told | imported
    looks = {name: (v.camera, v.renderer, v.appearance) for name, v in variants.items()}
    for name in (*ours, *told, *imported):
        assert looks.pop(name) == looks["baseline"]
    assert len(set(looks.values())) == len(looks) == 13
    # A probe varies one thing.
    parts = {"camera_fov": 0, "camera_height": 0, "realism": 1, "robot_appearance": 2}
    for panel, names in PUBLISHED.items():
        for name in names:
            changed = [a != b for a, b in zip(looks[name], looks["baseline"], strict=True)]
            assert [k for k in range(3) if changed[k]] == [parts[panel]], name
            assert variants[name].gating == "state"


def test_wording_and_noise_are_probed_one_at_a_time() -> None:
    """Two seeds that are the same seed would be one run counted twice."""
    variants = load_registry(DEFAULT_REGISTRY).variants
    ways = {}
    for name in (name for condition in TOLD.values() for name in condition):
        found = variants[name]
        assert found.is_as_recorded
        assert found.gating == "state"
        assert (found.wording == "natural") != (found.noise.rate == 0)
        ways[name] = (found.wording, found.noise)
    assert len(set(ways.values())) == len(ways) == 5
    noisy = [variants[name].noise for name in TOLD["random_perturbations"]]
    assert {n.rate for n in noisy} == {0.1}
    others = [v for name, v in variants.items() if name not in ways]
    assert {(v.wording, v.noise) for v in others} == {("natural", NoiseSettings())}


def test_the_baseline_asks_as_written_and_others_in_its_words_unless_they_say(
    tmp_path: Path,
) -> None:
    """A baseline that asks otherwise than qa says would compare probes with nothing."""
    path = write(tmp_path, lambda e: put(e, "questions.wording", "symbolic"))
    registry = load_registry(path)
    assert registry.variants["baseline"].wording == "symbolic"
    assert registry.variants["contact"].wording == "symbolic"
    assert registry.variants["emoji"].wording == "emoji"


def test_a_changed_wording_or_seed_is_another_entry(tmp_path: Path) -> None:
    """The hash of the entry is what makes its partition stale."""
    name = "random_perturbations_1"

    def sha(field: str, value: object) -> str:
        path = write(tmp_path, lambda e: put(e, f"variants.{name}.{field}", value))
        return settings_sha(load_registry(path).variants[name])

    same = settings_sha(load_registry(DEFAULT_REGISTRY).variants[name])
    assert sha("noise.seed", 1) == same
    others = {sha("noise.seed", 9), sha("noise.rate", 0.2), sha("wording", "emoji")}
    assert len(others | {same}) == 4


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("variants.own.wording", "emoji"),
        ("variants.own.noise", {"rate": 0.1}),
        ("questions.wording", "symbolic"),
    ],
)
def test_the_release_asks_in_its_own_words(tmp_path: Path, field: str, value: object) -> None:
    """Its questions would be scored as something the release never asked."""

    def change(entries) -> None:
        entries["gatings"]["release"] = {"profile": "release", "contact": True}
        entries["variants"]["own"] = {"gating": "release"}
        put(entries, field, value)

    message = refusal(write(tmp_path, change))
    assert f": {field}" in message
    assert "profile 'release'" in message


def test_a_first_look_is_a_part_of_what_is_there(tmp_path: Path) -> None:
    registry = load_registry(DEFAULT_REGISTRY)
    assert set(registry.demo) == {"demonstration", "variant"}
    assert not set(registry.demo["demonstration"]) <= set(registry.demonstrations)
    assert set(registry.demo["variant"]) <= set(registry.variants)
    assert "baseline" in registry.demo["variant"]
    assert load_registry(write(tmp_path, lambda e: e.pop("demo"))).demo == {}


def test_the_floor_on_visible_pixels_is_for_embedded_demonstrations(tmp_path: Path) -> None:
    """Recorded replays keep the paper's threshold, or nothing could be compared with the paper."""
    path = write(tmp_path, lambda e: put(e, f"gatings.state.{FLOOR}", 0.001))
    gating = load_registry(path).gatings["state"]
    assert gating.profile == PAPER
    assert gating.profile_of("embedded") == dataclasses.replace(PAPER, min_visible_fraction=0.001)
    assert gating.profile_of("recorded") == PAPER
    none = load_registry(write(tmp_path, lambda e: put(e, f"gatings.state.{FLOOR}", None)))
    assert none.gatings["state"].profile_of("embedded") == PAPER
    assert settings_sha(none.gatings["state"]) != settings_sha(gating)


WRONG_VALUES: dict[str, list[object]] = {
    "questions.seed": [-1, True, 1.0],
    "questions.trajectories_per_length": [-3, 0, 3.5, math.inf, None, 10**12],
    PER_STRATUM: [-560, 0, "many", True, {2: 100}, {"3": 100}, {True: 100}, [572] * 8],
    "questions.probe_set_per_stratum": [-1, 0, 549],
    "questions.probe_lengths": [["three"], [3.0], [True], [2], [3, 11], [], [3, 6, 3], 3, None],
    f"{CAMERA}.aperture_mm": ["wide", -1.0, 0, 1e6, math.inf, math.nan, 10**100],
    f"{CAMERA}.focal_length_mm": [0.0, math.inf, 1000.0],
    f"{CAMERA}.height_offset_m": [-1.6, 2.1, math.nan, False],
    f"{CAMERA}.projection": [None, ["pinhole"]],
    f"{RENDERER}.size_px": [0, 4097, 512.0],
    f"{RENDERER}.samples": [-2, 4097, None],
    f"{RENDERER}.path_depth": [0, -6, 65, math.nan],
    f"{RENDERER}.mode": [None, ["realistic"]],
    "variants.white_color.appearance.robot": [0xFFFFFF, None],
    "variants.white_color.appearance": ["white"],
    "variants.high.camera.height_offset_m": [50],
    # The last of these changes nothing, like the next four, and the variant's name says otherwise.
    "variants.fisheye.camera.focal_length_mm": [-17, 17.0],
    "variants.fisheye.camera.aperture_mm": [80.0],
    "variants.realistic.renderer.samples": [513],
    "variants.realistic.renderer.path_depth": [22],
    "variants.path_tracing.renderer.path_depth": [64],
    "variants.emoji.wording": [None, ["emoji"]],
    "variants.random_perturbations_1.noise": [0.1],
    "variants.random_perturbations_1.noise.rate": [-0.1, 1.1, math.nan, True],
    "variants.random_perturbations_1.noise.seed": [-1, 1.0],
    "variants.emoji.noise.seed": [1],  # at rate 0 no draw is made
    "variants.aperture_80.camera": [None],
    "variants.baseline.camera": [None],
    "variants.baseline.renderer": [[6, 2, 512]],
    "variants.baseline.gating": [None],
    "variants.baseline": [None],
    "variants.aperture_80": ["wide"],
    "variants.aperture_80.gating": [["state"], {"state": 1}],
    "gatings.state.profile": [["paper"], None],
    "gatings.state.contact": ["no", 1],
    "gatings.state": [None],
    f"gatings.state.{FLOOR}": [-0.1, 60, math.nan, "60 px", True],
    f"gatings.state.{NAMES_ALL}": ["yes", 1, None],
    "gatings.state.constants": [None],
    f"{CONSTANTS_OF}.flicker_frames": [-1, 10.0],
    f"{CONSTANTS_OF}.settle_frames": [40],
    f"{CONSTANTS_OF}.min_visible_fraction": ["14 px"],
    f"{CONSTANTS_OF}.max_changes": [0],
    f"{CONSTANTS_OF}.drops_ambiguous": [0],
    f"{CONSTANTS_OF}.similarity_of": [True],
    "gatings": [["state"]],
    "variants": [None],
    "questions": [None],
    "demonstrations": [None],
    "models": ["random"],
    "demo": [["setting_the_table-0"]],
    "demo.demonstrations": ["setting_the_table-0"],
    "demo.variants": [[["baseline"]], ["baseline", "baseline"]],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, values in WRONG_VALUES.items() for value in values],
)
def test_a_wrong_value_is_refused_by_its_name(tmp_path: Path, field: str, value) -> None:
    """A negative count would empty the leaderboard, a misread number render wrong pictures."""
    message = refusal(write(tmp_path, lambda e: put(e, field, value)))
    assert f": {field}: " in message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("questions.seed", 0),
        ("questions.seed", 2**80),
        ("questions.trajectories_per_length", 1),
        ("questions.probe_set_per_stratum", 548),
        (PER_STRATUM, 560),
        (PER_STRATUM, {3: 50, 6: 51, 9: 1_000_000}),
        ("questions.probe_lengths", [10, 3]),
        (f"{CAMERA}.aperture_mm", 60),
        (f"{CAMERA}.height_offset_m", -1.5),
        (f"{CAMERA}.height_offset_m", 2),
        (f"{RENDERER}.size_px", 4096),
        (f"{RENDERER}.samples", 4096),
        (f"{RENDERER}.path_depth", 64),
        ("variants.realistic.renderer.samples", 512),
        ("variants.path_tracing.renderer.path_depth", 21),
        ("variants.ray_tracing_only.renderer.path_depth", 64),
    ],
)
def test_a_value_at_the_edge_is_taken(tmp_path: Path, field: str, value) -> None:
    found: object = load_registry(write(tmp_path, lambda e: put(e, field, value)))
    for name in field.split("."):
        found = found[name] if isinstance(found, dict) else getattr(found, name)
    assert found == (tuple(value) if isinstance(value, list) else value)
    assert isinstance(found, float) == field.startswith(CAMERA)


@pytest.mark.parametrize(
    ("field", "value", "known"),
    [
        (f"{CAMERA}.projection", "mirror", "fisheye, pinhole"),
        ("questions.wording", "terse", "emoji, natural, symbolic"),
        ("variants.emoji.wording", "terse", "emoji, natural, symbolic"),
        ("variants.baseline.appearance.robot", "plaid", "black_and_white, random, skin, white"),
        (f"{RENDERER}.mode", "cartoon", "default, path_tracing, ray_tracing_only, realistic"),
        ("variants.aperture_80.gating", "touch", "contact, official, state"),
        ("gatings.state.profile", "draft", "paper, release"),
        ("demo.variants", ["baseline", "aperture_90"], "aperture_30, aperture_60, aperture_80"),
        ("variants.baseline.renderer.backend", "cuda", "llvm, scalar"),
        ("demo.models", ["gpt-9000"], "identity, oracle"),
    ],
)
def test_an_unknown_name_lists_the_known_ones(
    tmp_path: Path, field: str, value: str | list[str], known: str
) -> None:
    """Found when the registry is read, not hours later in the stage that needs the name."""
    path = write(tmp_path, lambda e: put(e, field, value))
    message = refusal(path)
    value = value[-1] if isinstance(value, list) else value
    assert f"{value!r} (known: {known}" in message
    assert f"{path}: {field}." in message
    with pytest.raises(UnknownNameError):
        load_registry(path)


def test_the_known_names_are_those_the_stages_implement() -> None:
    """A name the registry takes and no stage knows fails a partition; the reverse hides one."""
    implemented = {
        "projection": PROJECTIONS,
        "mode": MODES,
        "backend": MITSUBA_VARIANTS,
        "robot": ROBOT_LOOKS,
        "wording": WORDINGS,
        "similarity_of": (CHANGES, STATES),
        "encoder": ENCODERS,
    }
    assert {k: set(v) for k, v in KNOWN.items()} == {k: set(v) for k, v in implemented.items()}


def test_every_setting_has_its_limits_or_its_known_names() -> None:
    """A setting without them could not be checked, and would end in a KeyError."""
    base = Variant("baseline", "state")
    parts = (base.camera, base.renderer, base.appearance, base.noise, QuestionSettings(),
             WorldSettings(), ClipSettings(), WorldFilterSettings())  # fmt: skip
    defaults = {k: v for part in parts for k, v in dataclasses.asdict(part).items()}
    defaults |= {c.name: c.value for c in CONSTANTS.values() if c.is_settable}
    assert type(defaults.pop("drops_ambiguous")) is bool
    assert set(defaults["question_set_per_stratum"]) == set(PAPER.lengths)
    assert defaults.pop("occlusion_model") == ""  # the name of any model
    # Numbers, in a mapping or null unless they are set.
    defaults |= {"question_set_per_stratum": 0, "per_stratum": 0, FLOOR: 0.0}
    assert set(KNOWN) == {k for k, v in defaults.items() if isinstance(v, str)}
    # Texts of its own: checked where they are read.
    editing = dataclasses.asdict(EditingSettings("model"))
    defaults |= {k: v for k, v in editing.items() if not isinstance(v, str)}
    defaults["asks"] = 144  # or a word
    assert set(LIMITS) == {k for k, v in defaults.items() if isinstance(v, int | float)}


ONE_VERSION = "renderer.llvm_version: backend llvm, and no other, has the major version"
WRONG_ENTRIES: list[tuple[Field, object, str]] = [
    # Field, what is set there, what is said.
    ("models", GONE, "'models' is missing"),
    ("extra", 1, "unknown 'extra'"),
    ("variants.baseline", GONE, "variants: 'baseline' is missing"),
    ("variants.baseline.gating", GONE, "baseline: 'gating' is missing"),
    ("variants.contact.question_set", "state", "contact.gating: a question set has one gating"),
    ("question_sets.contact.gating", "state", "question_sets.contact.gating: expected 'contact'"),
    ("question_sets.new", {}, "new: 'gating' is missing"),
    ("variants.baseline.renderer.backend", "llvm", f"baseline.{ONE_VERSION}"),
    ("variants.baseline.renderer.llvm_version", 19, f"baseline.{ONE_VERSION}"),
    (
        "variants.high.renderer",
        {"backend": "llvm"},
        "high.renderer.backend: one backend makes all pictures that are compared",
    ),
    ("variants.high.asks", "some", "high.asks: expected probe, all or a whole"),
    ("variants.high.asks", 0, "high.asks"),
    ("variants.high.asks", True, "high.asks: expected probe, all or a whole"),
    ("variants.high.asks", {3: 0}, "high.asks.3: must be from 1"),
    ("variants.high.asks", {"3": 9}, "high.asks: a length must be a whole number"),
    ("variants.high.asks", {11: 9}, "high.asks: lengths are 3 to 10"),
    ("variants.high.sources", [], "high.sources: expected one or more"),
    ("variants.high.sources", ["film"], "unknown source 'film'"),
    ("question_sets.new.gating", "touch", "unknown gating 'touch'"),
    ("variants.high.question_set", "new", "unknown question set 'new'"),
    (PER_STRATUM, {3: 0}, f"{PER_STRATUM}.3: must be from 1"),
    (
        PER_STRATUM,
        {3: 99, 6: 49},
        "probe_set_per_stratum: must not be above question_set_per_stratum (49 at length 6)",
    ),
    *(
        (
            "question_sets.few",
            {"gating": "state", "keep": keep},
            "question_sets.few.keep: expected `solved_by >= k of n`",
        )
        for keep in ("solved_by >= 3 of 2", "solved_by >= 0 of 2", "solved", 2)
    ),
    (
        "question_sets.few",
        {"gating": "state", "without": "small"},
        "question_sets.few.without: expected a list of two_of_a_name, another_has_it",
    ),
    ("question_sets.few", {"gating": "state", "without": ["dark"]}, "unknown ambiguity 'dark'"),
    (
        "question_sets.few",
        {"gating": "state", "per_stratum": 49},
        "few.per_stratum: must not be below probe_set_per_stratum (50 at length 3); found 49",
    ),
    (
        "question_sets.few",
        {"gating": "state", "per_stratum": {11: 50}},
        "few.per_stratum: gating 'state' has lengths 3 to 10; found 11",
    ),
    (
        f"{CONSTANTS_OF}.persistence_frames",
        30,
        (
            "persistence_frames: section A.2.1 of the paper gives this constant, so profile "
            "'paper' keeps it; can be set: flicker_frames, settle_frames, similarity_of, "
            "min_visible_fraction, drops_ambiguous, max_changes; found 30"
        ),
    ),
    (f"{CONSTANTS_OF}.flicker", 9, "constants: unknown 'flicker'"),
    (
        "gatings.own",
        {"profile": "release", "contact": True, "constants": {}},
        "gatings.own.constants: profile 'release' must stay what was released",
    ),
    (
        "gatings.state",
        {"profile": "release", "contact": True, FLOOR: 0.1},
        f"gatings.state.{FLOOR}: profile 'release' has its own rule",
    ),
    (
        "gatings.state",
        {"profile": "release", "contact": True, NAMES_ALL: True},
        f"gatings.state.{NAMES_ALL}: profile 'release' has its own rule",
    ),
    ("gatings.state.contact", GONE, "state: 'contact' is missing"),
    ("gatings.state.strict", True, "state: unknown 'strict'"),
    ("gatings.state.question_file", "any", "only a gating of profile 'release'"),
    ("gatings.official.question_file", "../x", "expected the name of an imported question"),
    ("variants.aperture_80.lens", {}, "aperture_80: unknown 'lens'"),
    ("variants.aperture_80.camera.zoom", 2, "camera: unknown 'zoom'"),
    ("variants.emoji.noise", {"share": 1}, "noise: unknown 'share'"),
    ("models", ["random", "random"], "models: 'random' is a duplicate"),
    # Faults N20: one file on a disk that ignores case.
    ("models", ["random", "Random"], "models: 'Random' differs from 'random' in case"),
    ("variants.Emoji", {}, "variants: 'emoji' differs from 'Emoji' in case"),
    ("demo.gatings", ["state"], "demo: unknown 'gatings'"),
    ("variants.emoji.editing", {}, "emoji.editing: 'model' is missing"),
    (
        "variants.emoji.editing",
        {"model": "m", "mask_iou": 2},
        "emoji.editing.mask_iou: must be from 0 to 1; found 2",
    ),
    ("variants.emoji.editing", {"model": "m", "limit": 2}, "emoji.editing: unknown 'limit'"),
    (
        "variants.realistic.editing",
        {"model": "m"},
        "realistic.editing: an image model repaints the baseline's pictures; set no other look",
    ),
    # What hides in the mirror image is elsewhere than where an edited picture is measured.
    (
        "variants.mirrored.editing",
        {"model": "m"},
        "mirrored.mirrored: an image model repaints the baseline's pictures as they are",
    ),
    ("variants.mirrored.mirrored", "yes", "mirrored.mirrored: expected true or false"),
    # A baseline that asks otherwise than qa says would compare probes with nothing.
    (
        "variants.baseline.editing",
        {"model": "m"},
        "baseline.editing: the baseline asks questions unchanged: give it to another variant",
    ),
    (
        "variants.baseline.wording",
        "emoji",
        "variants.baseline.wording: the baseline asks questions unchanged: set questions.wording",
    ),
    (
        "variants.baseline.noise",
        {"rate": 0.1},
        "variants.baseline.noise: the baseline asks questions unchanged",
    ),
    # Of imported questions such settings change nothing, and would name a probe of nothing.
    ("variants.baseline.gating", "official", "the baseline asks questions of ours"),
    ("variants.official.camera", {"aperture_mm": 80.0}, "pictures come with imported"),
    ("variants.official.wording", "emoji", "public release's own wording"),
    # Variants take over the baseline's settings, and stand above it, as ``write`` sorts names.
    (
        "variants.baseline.renderer.samples",
        0,
        ": variants.baseline.renderer.samples: must be from 1 to 4096; found 0",
    ),
    (
        "variants.baseline.camera",
        {"projection": "fisheye"},
        "aperture_30.camera.aperture_mm: projection 'fisheye' ignores it; leave it out; found",
    ),
    # 32,768 samples at depth 192 would be found out after days of rendering.
    (
        "variants.realistic.renderer.samples",
        4096,
        (
            ": variants.realistic.renderer.samples: mode 'realistic' multiplies it by 8 to 32768, "
            "and at most 4096 are traced: at most 512 here; found 4096"
        ),
    ),
    (
        "variants.baseline.renderer.path_depth",
        30,
        "path_tracing.renderer.path_depth: mode 'path_tracing' multiplies it by",
    ),
    # Keys of mixed types cannot be sorted; YAML reads unquoted 7, yes and 2024-01-01 as such.
    ((7,), 1, "a key must be text (put it in quotes); found 7"),
    (("variants", 7), {}, "variants: a key must be text"),
    (("gatings", True), {}, "gatings: a key must be text"),
    (("variants", "aperture_80", 7), {}, "aperture_80: a key must be text"),
    (("questions", None), 1, "questions: a key must be text"),
    (("variants", "baseline", "camera", 1.5), 1, "camera: a key must be"),
]


@pytest.mark.parametrize(("field", "value", "told"), WRONG_ENTRIES)
def test_a_wrong_entry_is_named(tmp_path: Path, field: Field, value: object, told: str) -> None:
    """A misspelt setting that is ignored would render the wrong pictures for hours."""
    assert told in refusal(write(tmp_path, lambda e: put(e, field, value)))


def test_every_mode_traces_as_deep_and_often_as_the_registry_counts_on() -> None:
    """A mode that costs more than the registry knows of is not limited by it."""
    assert {name: mode.effort for name, mode in MODES.items()} == EFFORTS


@pytest.mark.parametrize("name", KNOWN["projection"])
def test_settings_a_projection_ignores_are_those_that_change_no_ray(name: str) -> None:
    """A setting that is refused though it matters, or taken though it does not, misleads."""
    base = CameraSettings(projection=name)
    fields = ("aperture_mm", "focal_length_mm")
    ignored = {
        field
        for field in fields
        if np.array_equal(
            PROJECTIONS[name].directions(base, 9),
            PROJECTIONS[name].directions(dataclasses.replace(base, **{field: 31.0}), 9),
            equal_nan=True,
        )
    }
    assert ignored == set(IGNORED.get(name, ()))


BAD_NAMES = ["a|b", "", ".hidden", "-x", "a/b", "a..b", "a b", "a\n", "é", "../x", "x" * 121]


@pytest.mark.parametrize("name", [*BAD_NAMES, 7, None, ["x"]], ids=repr)
@pytest.mark.parametrize("section", ["gatings", "variants", "demonstrations", "models"])
def test_a_name_that_cannot_be_a_partition_is_refused(tmp_path: Path, section: str, name) -> None:
    """It would become a file name: ``a|b`` is two partitions to Dagster, ``..`` another folder."""

    def add(entries) -> None:
        if isinstance(entries[section], list):
            entries[section].append(name)
        else:
            entries[section][name] = next(iter(entries[section].values()))

    if isinstance(name, list) and section in {"gatings", "variants"}:
        path = tmp_path / "registry.yaml"  # no Python dictionary takes it, but YAML can say it
        path.write_text(TEXT.replace(f"{section}:\n", f"{section}:\n  ? [x]\n  : {{}}\n"))
        assert "not valid YAML: line" in refusal(path)
    else:
        assert f": {section}: a " in refusal(write(tmp_path, add))


@pytest.mark.parametrize(
    "name", [*BAD_NAMES, "x" * 120, "org-1.model:v2+a@b", "_x", "0", "a.", ".", "a.b..", "@a"]
)
def test_a_name_is_taken_where_the_lake_takes_it(name: str) -> None:
    """The rule stands in two places, because contracts may not import storage."""
    try:
        check_partition_value(name, "here")
    except LakeError:
        assert not is_partition_name(name)
    else:
        assert is_partition_name(name)


@pytest.mark.parametrize(
    ("once", "twice", "key", "lines_apart"),
    [
        ("seed: 0", "seed: 0\n  seed: 1", "seed", 1),
        ("seed: 0", 'seed: 0\n\n  "seed": 0', "seed", 2),
        ("samples: 2", "samples: 2, samples: 64", "samples", 0),
        ("models:", "models: [oracle]\nmodels:", "models", 1),
        ("  aperture_80:", "  aperture_80: {}\n  aperture_80:", "aperture_80", 1),
    ],
)
def test_a_key_given_twice_is_refused(
    tmp_path: Path, once: str, twice: str, key: str, lines_apart: int
) -> None:
    """PyYAML takes the last in silence: the setting one reads is not the setting in force."""
    path = tmp_path / "registry.yaml"
    assert TEXT.count(once) == 1
    path.write_text(TEXT.replace(once, twice), encoding="utf-8")
    first = TEXT[: TEXT.index(once)].count("\n") + 1
    told = f"line {first + lines_apart}: key {key!r} is a duplicate, first in line {first}"
    assert told in refusal(path)


def test_merged_keys_may_be_overridden(tmp_path: Path) -> None:
    """``<<`` is YAML's way to build on another mapping: overriding is not repeating."""
    path = tmp_path / "registry.yaml"
    camera = "camera: {aperture_mm: 80.0}"
    merged = (
        "camera: &wide {aperture_mm: 80.0}\n  near:\n    camera: {<<: *wide, aperture_mm: 60.0}"
    )
    path.write_text(TEXT.replace(camera, merged))
    variants = load_registry(path).variants
    assert variants["near"].camera.aperture_mm == 60.0
    assert variants["aperture_80"].camera.aperture_mm == 80.0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"gatings: [", "not valid YAML: line 1"),
        (b"\xff\xfe\x00\x01", "not a text file in UTF-8"),
        (b"gatings: \x00", "not valid YAML"),
        (b"", "expected a mapping; found None"),
        (b"- gatings", "expected a mapping; found ['gatings']"),
        (b"a: 2024-13-45", "not valid YAML: month"),
        (b"a: !!int ''", "not valid YAML"),
        (b"a: !!timestamp x", "not valid YAML"),
        (b"a: !!bool x", "not valid YAML"),
        (b"a: !!python/name:os.system x", "not valid YAML"),
        (b"a: 0x" + b"f" * 5000, "line 1: a value of more than 200 characters"),
        (b"[" * 5000, "not valid YAML"),
        (b"a: &a [*a]", "unknown 'a'"),
        (b"--- 1\n--- 2", "not valid YAML: line"),
    ],
)
def test_what_is_no_registry_at_all_is_a_settings_error(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "registry.yaml"
    path.write_bytes(content)
    assert told in refusal(path)


def test_a_file_that_cannot_be_read_is_a_settings_error(tmp_path: Path) -> None:
    assert "cannot be read (No such file" in refusal(tmp_path / "none.yaml")
    assert "cannot be read" in refusal(tmp_path)


def fields_of(entry, at: str = "") -> list[str]:
    if not isinstance(entry, dict):
        return [at]
    below = [f for k, v in entry.items() for f in fields_of(v, f"{at}.{k}".strip("."))]
    return [at, *below] if at else below


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCALARS, inner, max_size=3),
    max_leaves=5,
)


@given(field=st.sampled_from(fields_of(yaml.safe_load(TEXT))), value=JUNK)
def test_no_value_anywhere_ends_in_a_traceback(tmp_path: Path, field: str, value) -> None:
    """Either a registry that can be hashed, or one message; nothing else reaches a user."""
    path = write(tmp_path, lambda e: put(e, field, value))
    try:
        registry = load_registry(path)
    except SettingsError as error:
        assert str(path) in str(error)  # noqa: PT017 - both outcomes are right
    else:
        assert isinstance(registry, Registry)
        assert settings_sha(registry)


def test_an_empty_variable_means_the_default_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``ENACT_REGISTRY= make demo`` means none; read as a path it would be the current folder."""
    monkeypatch.setenv("ENACT_REGISTRY", "")
    assert load_registry() == load_registry(DEFAULT_REGISTRY)
    other = write(tmp_path, lambda e: put(e, "questions.seed", 5))
    monkeypatch.setenv("ENACT_REGISTRY", str(other))
    assert load_registry().questions.seed == 5


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="aperture_80, baseline, contact"):
        load_registry().variant("mirror")


def test_a_constant_of_the_profile_is_part_of_the_gating() -> None:
    """Changing persistence must make segmentation stale, though the registry file is the same."""
    gating = load_registry().gatings["state"]
    longer = dataclasses.replace(gating.profile, persistence_frames=41)
    changed = dataclasses.replace(gating, profile=longer)
    assert settings_sha(changed) != settings_sha(gating)


def sha_by_root(registry: Registry) -> dict[tuple[str, Partition], str]:
    """Version of every settings root, by root and name."""
    return {
        (root, partition): root_version(registry, root, partition)
        for root in sorted(ROOTS)
        for partition in (
            [(name,) for name in registry.named[dimensions(root)[0]]] if dimensions(root) else [()]
        )
    }


def test_a_constant_of_one_gating_changes_that_gating_alone(tmp_path: Path) -> None:
    """The version of a gating decides what is stale; a default written out changes nothing."""
    before = sha_by_root(load_registry(DEFAULT_REGISTRY))
    assert len(before) > 20
    settable = {c.name: c.value for c in CONSTANTS.values() if c.is_settable}
    written_out = load_registry(write(tmp_path, lambda e: put(e, CONSTANTS_OF, settable)))
    assert sha_by_root(written_out) == before
    assert written_out == load_registry(DEFAULT_REGISTRY)
    shas = {before["gating_config", ("state",)]}
    for name, value in settable.items():
        other = {
            "drops_ambiguous": False,
            "settle_frames": 23,
            "similarity_of": "states",
        }.get(name, 2 * value)
        path = write(tmp_path, lambda e, n=name, v=other: put(e, CONSTANTS_OF, {n: v}))
        registry = load_registry(path)
        assert getattr(registry.gatings["state"].profile, name) == other
        after = sha_by_root(registry)
        assert [at for at in before if before[at] != after[at]] == [("gating_config", ("state",))]
        shas.add(after["gating_config", ("state",)])
    assert len(shas) == 1 + len(settable) == 7


def test_settings_that_came_later_leave_the_hashes_as_they_were() -> None:
    """Answers that were paid for would be asked again, though nothing about them changed."""
    registry = load_registry(DEFAULT_REGISTRY)
    fields = dataclasses.asdict(registry.gatings["state"])
    assert fields["profile"].pop("drops_ambiguous") is True
    assert fields["profile"].pop("similarity_of") == "changes"
    assert fields.pop("question_file") is None
    assert fields.pop("own_words") == ()
    assert settings_sha(registry.gatings["state"]) == content_sha(fields)
    before = {"name": "state", "gating": "state"}
    assert settings_sha(registry.question_sets["state"]) == content_sha(before)
    kept = dataclasses.replace(registry.question_sets["state"], keep="solved_by >= 1 of 2")
    assert kept.kept_if == (1, 2)
    assert settings_sha(kept) != content_sha(before)
    clear = dataclasses.replace(registry.question_sets["state"], without=("small",))
    assert settings_sha(clear) not in {content_sha(before), settings_sha(kept)}


@dataclasses.dataclass(frozen=True)
class NamesakeSettings:
    """Its fields are called as fields that came later elsewhere, and have their values."""

    backend: str = "scalar"
    keep: str | None = None
    without: tuple[str, ...] = ()
    is_imported: bool = False


def test_a_setting_is_left_out_of_the_hash_by_its_class_and_field() -> None:
    """Not by a bare name, nor for an equal value of another type (faults N2)."""
    fields = dataclasses.asdict(NamesakeSettings())
    assert settings_sha(NamesakeSettings()) == content_sha(fields)
    question_set = load_registry(DEFAULT_REGISTRY).question_sets["state"]
    nested = {"sets": {"state": question_set}, "more": [NamesakeSettings()]}
    before = {"sets": {"state": {"name": "state", "gating": "state"}}, "more": [fields]}
    assert settings_sha(nested) == content_sha(before)
    renderer = RendererSettings()
    shas = {settings_sha(dataclasses.replace(renderer, llvm_version=n)) for n in (0, False, 1)}
    assert len(shas) == 3


def test_the_registry_asks_as_many_questions_as_the_paper(tmp_path: Path) -> None:
    """A set may ask fewer; a length that it does not name has none."""
    registry = load_registry(DEFAULT_REGISTRY)
    counts = [
        registry.questions.wanted(registry.question_sets["state"], length)
        for length in PAPER.lengths
    ]
    assert 2 * sum(counts) == 8972
    path = write(
        tmp_path,
        lambda e: e.update(
            question_sets={
                "few": {"gating": "state", "per_stratum": 144},
                "three": {"gating": "state", "per_stratum": {9: 60, 3: 70, 6: 50}},
            }
        ),
    )
    found = load_registry(path)
    few, three = found.question_sets["few"], found.question_sets["three"]
    assert {found.questions.wanted(few, length) for length in PAPER.lengths} == {144}
    asked = [found.questions.wanted(three, length) for length in PAPER.lengths]
    assert asked == [70, 0, 0, 50, 0, 0, 60, 0]
    assert len({settings_sha(s) for s in found.question_sets.values()}) == 6


def test_questions_of_files_are_asked_only_where_their_file_is(tmp_path: Path) -> None:
    """A data root without them plans nothing for them, and pays nothing."""
    registry = load_registry(DEFAULT_REGISTRY)
    assert registry.question_sets["official"].per_stratum == NO_LIMIT
    assert registry.variant("official").is_imported
    without = registry.with_questions([])
    assert set(registry.gatings) - set(without.gatings) == {"official"}
    assert set(registry.variants) - set(without.variants) == {"official"}
    assert set(registry.question_sets) - set(without.question_sets) == {"official"}
    assert registry.with_questions(["some"]) == registry

    def add(entries) -> None:
        gating = {"profile": "release", "contact": True, "question_file": "mine"}
        put(entries, "gatings.mine", gating)
        put(entries, "variants.mine", {"gating": "mine", "sources": ["questions"]})
        put(entries, "questions.wording", "emoji")

    own = load_registry(write(tmp_path, add))
    assert own.variant("mine").wording == "natural"
    assert "mine" not in own.with_questions(["other"]).variants
    assert {"mine", "official"} <= set(own.with_questions(["other", "mine"]).gatings)
    assert own.gating("mine").takes(["mine", "other"]) == ("mine",)
    assert own.gating("official").takes(["other", "mine"]) == ("mine", "other")


def test_worldprediction_is_read_strictly(tmp_path: Path) -> None:
    text = DEFAULT_REGISTRY.read_text("utf-8")

    def world_with(entry: str) -> WorldEntry:
        path = tmp_path / "registry.yaml"
        before, _, after = text.partition("worldprediction:")
        path.write_text(f"{before}worldprediction: {entry}\n{after[after.index('demo:') :]}")
        return load_registry(path).world

    shipped = load_registry(DEFAULT_REGISTRY).world
    assert shipped.clips == world_with("{}").clips  # the defaults are those that ship
    assert shipped.questions == world_with("{}").questions
    found = world_with("{questions: {conditions: [equivalent, same]}, clips: {frames: 2}}")
    assert found.questions.conditions == ("same", "equivalent")
    assert found.clips == dataclasses.replace(shipped.clips, frames=2)
    assert found.environments.has("embedded", 901)
    assert not found.environments.has("recorded", 901)
    for entry, told in (
        ("{questions: {lengths: [2, 3]}}", "worldprediction.questions.lengths: .* from 3 to 10"),
        ("{questions: {lengths: [3, 3]}}", "different whole numbers"),
        ("{questions: {conditions: [other]}}", "condition"),
        ("{environments: {seeds: []}}", "worldprediction.environments.seeds"),
        ("{clips: {view: {height_m: 1}}}", "worldprediction.clips.view: unknown 'height_m'"),
        ("{clip: {}}", "unknown 'clip'"),
    ):
        with pytest.raises(SettingsError, match=told):
            world_with(entry)


def test_as_many_questions_as_the_paper_tables_have() -> None:
    """Tables 12 and 14 have 2,304 questions, table 11 480, table 2 960."""
    found = load_registry(DEFAULT_REGISTRY).variants
    names = {"symbolic_predicates": 2_304, "emoji": 2_304, "contact": 480, "real_world_video": 960}
    names |= {f"random_perturbations_{seed}": 2_304 for seed in (1, 2, 3)}
    for name, n in names.items():
        asks = found[name].asks
        assert not isinstance(asks, str)
        assert 2 * sum(number_at(asks, length) for length in PAPER.lengths) == n
