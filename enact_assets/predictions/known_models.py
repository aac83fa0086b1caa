"""Models that have a name in a data root, and the version of each: what decides its answers."""

from dataclasses import dataclass

from enact_assets.asking.model_entries import (
    USER_FILE,
    Catalogue,
    Model,
    load_catalogue,
    name_of,
)
from enact_assets.contracts.errors import UnknownNameError
from enact_assets.contracts.ids import content_sha
from enact_assets.data_root.answer_files import answers_version, has_answers
from enact_assets.data_root.paths import DataRoot
from enact_assets.predictions.baselines import MODELS

REFERENCE = "reference"
"""Version of the baselines, whose code counts as that of the step that asks them."""


@dataclass(frozen=True)
class KnownModels:
    """Models of a data root: baselines, its catalogue, and those whose answers were imported."""

    data_root: DataRoot

    @property
    def catalogue(self) -> Catalogue:
        """Models that can be asked. Errors: :class:`SettingsError` for a wrong ``models.yaml``."""
        return load_catalogue(self.data_root.root)

    def find(self, name: str) -> Model | None:
        """The model called ``name``; None for a baseline.

        Errors: :class:`UnknownNameError` if there is none, :class:`SettingsError` as above.
        """
        if name in MODELS:
            return None
        called = self.called(name)
        if has_answers(self.data_root, called):
            return self.catalogue.imported(called)
        return self.catalogue.find(name, MODELS)

    def find_made(self, name: str) -> Model | None:
        """As :meth:`find`, of a partition that was made: the error for one that is known no more
        says what to do about it.
        """
        try:
            return self.find(name)
        except UnknownNameError as error:
            raise UnknownNameError(
                f"model {name!r} is known no more: put its entry back into "
                f"{self.data_root.root / USER_FILE}, or leave it out with `enact-assets forget "
                f"model {name}`"
            ) from error

    def partition_name(self, text: str) -> str:
        """Name of the partition of the model that ``text`` means. Errors: as :meth:`find`."""
        found = self.find(text)
        return text if found is None else found.name

    def called(self, text: str) -> str:
        """Name of the partition that ``text`` means, also where no such model is known: only an id,
        which has a slash, is not a name already. Errors: :class:`SettingsError`.
        """
        if "/" not in text:
            return text
        try:
            return self.catalogue.find(text).name
        except UnknownNameError:
            return name_of(text)

    def version(self, name: str) -> str:
        """Hash of all that is set about the model and decides its answers. Errors: as above."""
        model = self.find(name)
        if model is None:
            return REFERENCE
        entry = model.entry
        decides: list[object] = [model.channel, model.asked_id, dict(model.parameters)]
        decides += [entry.samples, entry.max_images]
        if model.channel == "answers":
            decides.append(answers_version(self.data_root, name))
        if model.channel == "python":
            from enact_assets.asking.python_model import PythonModel

            decides.append(PythonModel(model).version)
        return content_sha(decides)
