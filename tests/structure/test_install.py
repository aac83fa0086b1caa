"""How this project is installed: pip's configuration reaches uv, and the locks are complete."""

import pytest

import install

LISTED = """\
:env:.cert='/etc/other.pem'
:env:.find-links='/wheels /more wheels'
global.cert='/etc/certificates.pem'
global.extra-index-url='\\nfile:///one/simple\\nhttps://two.example/simple'
global.index-url='https://mirror.example/simple'
global.proxy='http://proxy.example:3128'
freeze.find-links='/only/freeze'
"""
LOCKS = ("requirements.lock", "requirements-all.lock")


def pins(name: str) -> list[str]:
    text = (install.ROOT / name).read_text(encoding="utf-8")
    return [line.removesuffix(" \\") for line in text.splitlines() if not line.startswith(" ")]


def test_the_index_of_pip_is_passed_on_to_uv() -> None:
    """A machine that reaches packages through a mirror only could not install otherwise."""
    pip = install.parse_pip_config(LISTED)
    assert install.uv_arguments(pip, {}) == [
        "--default-index", "https://mirror.example/simple",
        "--index-strategy", "unsafe-best-match",
        "--index", "file:///one/simple",
        "--index", "https://two.example/simple",
        "--find-links", "/wheels",
        "--find-links", "/more",
        "--find-links", "wheels",
    ]  # fmt: skip
    assert install.uv_environment(pip, {"HOME": "/me"}) == {
        "HOME": "/me",
        "SSL_CERT_FILE": "/etc/other.pem",
        "ALL_PROXY": "http://proxy.example:3128",
    }


def test_a_configuration_of_uv_itself_is_left_alone() -> None:
    pip = install.parse_pip_config(LISTED)
    own = {"UV_DEFAULT_INDEX": "https://own.example", "SSL_CERT_FILE": "/own.pem"}
    assert install.uv_arguments(pip, own) == []
    assert install.uv_environment(pip, own)["SSL_CERT_FILE"] == "/own.pem"


def test_the_lock_names_the_uv_that_installs_it() -> None:
    for name in LOCKS:
        text = (install.ROOT / name).read_text(encoding="utf-8")
        lines = install.requirement_of(text, "uv").splitlines()
        assert lines[0].startswith("uv==")
        assert all("--hash=sha256:" in line for line in lines[1:])
        assert len(lines) > 1
        assert not lines[-1].endswith("\\")


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_of_a_lock_has_a_version_and_hashes(name: str) -> None:
    """Anything else could be replaced on its way here, or name the host it came from."""
    text = (install.ROOT / name).read_text(encoding="utf-8")
    for block in text.replace("\\\n", " ").splitlines():
        assert "==" in block.partition(" ")[0]
        assert "--hash=sha256:" in block
        assert "://" not in block


def test_slow_tests_run_with_the_packages_that_people_install() -> None:
    """More packages may need one more widely: markers may differ, versions may not."""
    people, slow_tests = ({pin.partition(" ;")[0] for pin in pins(name)} for name in LOCKS)
    assert people < slow_tests


def test_the_lock_of_local_models_adds_to_the_other_one() -> None:
    """A package in both would be changed by the second installation."""
    base = {pin.partition("==")[0] for pin in pins(LOCKS[0])}
    added = [pin for pin in pins("requirements-local.lock") if not pin.startswith("#")]
    names = {pin.partition("==")[0] for pin in added}
    assert {"torch", "transformers"} <= names
    assert not names & base
    assert all("==" in pin for pin in added)
