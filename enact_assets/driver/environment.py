"""The environment in which steps of a site run, in any process."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from enact_assets.contracts.ids import ID_CHARACTERS, sha256_bytes
from enact_assets.data_root.paths import HOME_VARIABLE, LAKE_VARIABLE
from enact_assets.driver.contract import Site
from enact_assets.runs.driver_lock import make_folder
from enact_assets.runs.instance import INSTANCE_FOLDER
from enact_assets.system.atomic import replacing

REGISTRY_VARIABLE = "ENACT_REGISTRY"
REGISTRIES = "registries"


def variables_of(site: Site) -> dict[str, str]:
    """Variables through which whatever asks the environment gets the site's answers."""
    return {
        HOME_VARIABLE: str(site.data_root.resolve()),
        LAKE_VARIABLE: site.lake_url or "",
        REGISTRY_VARIABLE: str(registry_file(site)),
    }


def registry_file(site: Site) -> Path:
    """The registry as a file, so that ``load_registry()`` finds it in every process of the site.

    It is stored beside the instance, in a folder named by its content: all processes share it, and
    one that is killed leaves nothing behind. The file keeps its name, which the report prints.
    """
    texts = [site.registry_text, *(part for file in site.beside_it for part in file)]
    sha = sha256_bytes("\0".join(texts).encode())[:ID_CHARACTERS]
    path = site.data_root.resolve() / INSTANCE_FOLDER / REGISTRIES / sha / site.registry_name
    if not path.exists():
        make_folder(path.parent)
        # The registry last: where it is, so are the files that it names.
        for name, text in (*site.beside_it, (site.registry_name, site.registry_text)):
            with replacing(path.parent / name) as temporary:
                temporary.write_text(text, encoding="utf-8")
    return path


@contextmanager
def having(variables: Mapping[str, str]) -> Iterator[None]:
    """Within the block the environment has ``variables``, afterwards what it had."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
