"""The registry with a gating of profile release, damaged: settings, or an error naming the file."""

import pytest
import yaml
from fuzz_cases import fuzz, junk_values, read_file
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import SettingsError
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry, settings_sha

from reference.broken_recordings import places

pytestmark = pytest.mark.slow

TEXT = DEFAULT_REGISTRY.read_text(encoding="utf-8").replace(
    "gatings:\n", "gatings:\n  release: {profile: release, contact: true}\n"
)
JUNK = [
    "", "~", "null", "release", "paper", "true", "no", "[]", "{}", "- a", "&a [*a]", "*a", "<<: *a",
    "!!int ''", "!!float x", "!!timestamp x", "!!binary x", "!!set {a}", "!!omap [a]",
    "!!pairs [a]", "!!python/name:os.system", "!!bool maybe", "!!merge x", "2001-13-01",
    "0001-01-01 00:00:00 +23:59",
    "9999-12-31 23:59:59 -23:59", "0x" + "f" * 150, "0b2", "1_000:60", "190:20:30", "-.inf", ".nan",
    "1e999", "9" * 190, "9" * 5000, "../x", "a/b", "a b", '"\\ud800"', '"\\0"', "? [a]", "? {a: b}",
    "\t", "\x85", "\u2028", "\ufeff", "%YAML 9.9", "---", "...", "|", ">-", "'", '"', "[" * 300,
    "{" * 300,
    "- " * 300, "&a", "!<>", "!", "@", "`", "x" * 300, "#", ": ", "{a: 1, a: 2}", "=", "<<",
]  # fmt: skip
known = st.sampled_from(["paper", "release", "state", "baseline", 10**300, -1, 0.5, "../x"])
values = junk_values(st.none() | st.booleans() | known, n_characters=8)


@st.composite
def registries(draw: st.DrawFn) -> bytes:
    text = TEXT
    if draw(st.booleans()):
        tree = yaml.safe_load(TEXT)
        for _ in range(draw(st.integers(1, 2))):
            parent, key = draw(st.sampled_from(places(tree)))
            if draw(st.booleans()):
                parent[key] = draw(values)
            elif isinstance(parent, dict):
                parent[draw(st.sampled_from(["x", 3, "release", "a/b", None]))] = parent.pop(key)
        text = yaml.safe_dump(tree, allow_unicode=draw(st.booleans()))
    for _ in range(draw(st.sampled_from([0, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        until = at + draw(st.sampled_from([0, 0, 1, 5, 30]))
        text = text[:at] + draw(st.sampled_from(JUNK)) + text[until:]
    return text.encode(draw(st.sampled_from(["utf-8"] * 6 + ["utf-16", "latin-1"])), "replace")


@given(registries())
@fuzz()
def test_a_registry_is_settings_or_is_refused(data: bytes) -> None:
    found = read_file("registries", "registry.yaml", data, load_registry, SettingsError)
    if found is None:
        return
    for gating in found.gatings.values():
        assert (gating.predicates == ()) == gating.profile.counts_every_state
        settings_sha(gating)
    assert all(variant.gating in found.gatings for variant in found.variants.values())
