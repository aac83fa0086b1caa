"""Models that have a name in a data root, and the version of each: what decides its answers."""

from dataclasses import dataclass

from enact_assets.asking.model_entries import Catalogue, Model, load_catalogue
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
        if has_answers(self.data_root, name):
            return self.catalogue.imported(name)
        return self.catalogue.find(name, MODELS)

    def partition_name(self, text: str) -> str:
        """Name of the partition of the model that ``text`` means. Errors: as :meth:`find`."""
        found = self.find(text)
        return text if found is None else found.name

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
