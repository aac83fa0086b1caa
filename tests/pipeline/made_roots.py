"""A data root that was materialized as a whole, for all tests that look at one."""

from pathlib import Path

from enact_assets.contracts.registry import Registry, load_registry
from enact_assets.driver.materialize import Driver, Report


class Materialized:
    """A data root, the registry it was made from, and the report of its first walk."""

    def __init__(self, root: Path, registry_file: Path) -> None:
        self.root = root
        self.registry_file = registry_file
        self.first = self.driver().run()

    @property
    def registry(self) -> Registry:
        return load_registry(self.registry_file)

    def driver(self) -> Driver:
        return Driver(self.root, registry=self.registry, workers=2)

    def again(self) -> Report:
        return self.driver().run()
