"""Installs this project and a lock of its packages, by uv or, where uv does not work, by pip.

``.venv/bin/python install.py requirements.lock`` installs into the environment whose Python runs
it. uv takes a fraction of pip's time but reads none of pip's configuration, so this machine's
package indexes, certificates and proxy are passed on to it. Needs the standard library only.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent
OWN_CONFIGURATION = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL")
"""Environment variables that say where uv finds packages: pip's indexes are then left alone."""
SECTIONS = ("global", "user", "site", "install", ":env:")
"""Of pip's configuration; a later one overrides those before it."""


def parse_pip_config(listed: str) -> dict[str, str]:
    """Option -> value from what ``pip config list`` prints, as ``pip install`` would see it."""
    found: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in listed.splitlines():
        name, equals, value = line.partition("=")
        section, _, option = name.rpartition(".")
        if equals and section in found:
            found[section][option] = str(ast.literal_eval(value))
    return {option: text for section in SECTIONS for option, text in found[section].items()}


def uv_arguments(pip: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """Options of ``uv pip install`` for the package indexes of pip's configuration."""
    if any(environment.get(name) for name in OWN_CONFIGURATION):
        return []
    arguments = []
    if pip.get("no-index", "").lower() in {"1", "true", "yes", "on"}:
        arguments.append("--no-index")
    if "index-url" in pip:
        arguments += ["--default-index", pip["index-url"]]
    # pip takes the best file of all indexes. uv would stop at the first that has the name.
    extra = pip.get("extra-index-url", "").split()
    if extra:
        arguments += ["--index-strategy", "unsafe-best-match"]
    for option, values in (
        ("--index", extra),
        ("--find-links", pip.get("find-links", "").split()),
        ("--allow-insecure-host", pip.get("trusted-host", "").split()),
    ):
        for value in values:
            arguments += [option, value]
    return arguments


def uv_environment(pip: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Environment for uv with the certificates and proxy of pip's configuration."""
    found = dict(environment)
    if "cert" in pip:
        found.setdefault("SSL_CERT_FILE", pip["cert"])
    if "proxy" in pip:
        found.setdefault("ALL_PROXY", pip["proxy"])
    return found


def requirement_of(lock: str, package: str) -> str:
    """The lines of one package in a lock: its version and its hashes."""
    lines = lock.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"{package}=="))
    end = start
    while lines[end].endswith("\\"):
        end += 1
    return "\n".join(lines[start : end + 1]) + "\n"


def run(*command: object, env: Mapping[str, str] | None = None) -> bool:
    """Whether the command succeeded."""
    return subprocess.run([str(c) for c in command], cwd=ROOT, env=env, check=False).returncode == 0  # noqa: S603 - this environment's own pip and uv


def install_uv() -> bool:
    """Install the uv that the lock names into this environment, by pip; whether that worked."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        only_uv = Path(folder) / "uv.lock"
        only_uv.write_text(requirement_of(lock, "uv"), encoding="utf-8")
        return run(*PIP_INSTALL, "-r", only_uv)


PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
PIP_INSTALL = (*PIP, "install", "--quiet", "--quiet", "--no-compile")
"""Without compiling everything: Python compiles what is imported."""
EDITABLE = ("--no-deps", "--no-build-isolation", "-e", ".")


def run_uv(command: str, *arguments: object) -> bool:
    """Whether ``uv pip`` succeeded, with the package indexes of pip's configuration."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False)  # noqa: S603 - this environment's own pip
    pip = parse_pip_config(listed.stdout)
    uv = (Path(sys.executable).with_name("uv"), "pip", command, "--quiet")
    options = uv_arguments(pip, os.environ)
    return run(*uv, *options, *arguments, env=uv_environment(pip, os.environ))


def install(lock: Path, *, is_alone: bool) -> bool:
    """Install the packages of ``lock`` and, unless ``is_alone``, this project; whether that worked.

    PyTorch, where a lock has it, comes first and by pip, with its dependencies: uv does not find
    all of its builds.
    """
    lines = lock.read_text(encoding="utf-8").splitlines()
    torch = [line for line in lines if line.startswith("torch==")]
    if torch and not run(*PIP_INSTALL, *torch):
        return False
    # The lock is complete. With dependencies, pip would ask for hashes of `gql[requests]` as well.
    packages = ("--no-deps", "-r", lock)
    wanted = [packages] if is_alone else [packages, EDITABLE]
    here = ("--python", sys.executable)
    if install_uv() and all(run_uv("install", *here, *each) for each in wanted):
        return True
    print("uv could not install the packages. Trying pip, which takes longer.", file=sys.stderr)
    return all(run(*PIP_INSTALL, *each) for each in wanted)


def main(arguments: Sequence[str]) -> int:
    """Exit code of the installation."""
    parser = argparse.ArgumentParser(description="Install a lock into this Python's environment.")
    parser.add_argument("lock", type=Path, help="file with pinned versions and hashes")
    about = "write the lock anew: what follows are options of `uv pip compile`"
    parser.add_argument("--resolve", nargs=argparse.REMAINDER, help=about)
    alone = "the packages alone, without this project"
    parser.add_argument("--alone", action="store_true", help=alone)
    told = parser.parse_args(arguments)
    if told.resolve is not None:
        return 0 if run_uv("compile", *told.resolve, "-o", told.lock) else 1
    return 0 if install(told.lock.resolve(), is_alone=told.alone) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
