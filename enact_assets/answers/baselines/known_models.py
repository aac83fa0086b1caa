"""Models that are named in a data root, and their versions, which cover everything that decides
answers.
"""

from dataclasses import dataclass

import polars as pl

from enact_assets.answers.baselines.references import BASELINE_NAMES
from enact_assets.answers.imported.answer_files import answers_version, has_answers
from enact_assets.answers.models.catalogue import USER_FILE, Catalogue, load_catalogue, name_of
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.local_weights import folder_marks
from enact_assets.answers.models.messages import FORM
from enact_assets.answers.models.picture_wires import PICTURE_VERSIONS
from enact_assets.answers.models.subsets import first_questions, subset_sizes
from enact_assets.answers.models.wires import WIRES
from enact_assets.answers.people.annotator_names import role_of
from enact_assets.answers.people.answered import Answered
from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.ids import content_sha
from enact_assets.settings.classes import JOINT, ORACLE, captioner_and_reader
from enact_assets.settings.paths import DataRoot


@dataclass(frozen=True)
class KnownModels:
    """Models of a data root: baselines, models of its catalogue, annotators, and models with
    imported answers.
    """

    data_root: DataRoot

    @property
    def catalogue(self) -> Catalogue:
        """Models that can be asked. Errors: :class:`SettingsError` for a wrong ``models.yaml``."""
        return load_catalogue(self.data_root.root)

    @property
    def answered(self) -> Answered:
        """Answers by people, who are models too."""
        return Answered(self.data_root.people)

    def pair(self, name: str) -> tuple[str, str] | None:
        """As :func:`captioner_and_reader`; None if answers were imported under this name."""
        pair = captioner_and_reader(name)
        return None if pair is None or has_answers(self.data_root, name) else pair

    def find(self, name: str) -> Model | None:
        """The model called ``name``; None for a baseline.

        Errors: :class:`UnknownNameError` if there is none, :class:`SettingsError` as above.
        """
        if name in BASELINE_NAMES:
            return None
        called = self.called(name)
        if has_answers(self.data_root, called) or self.answered.has(called):
            return self.catalogue.imported(called)
        return self.catalogue.find(name, BASELINE_NAMES)

    def find_made(self, name: str) -> Model | None:
        """As :meth:`find`, for an existing partition: the error about a model that is no longer
        known says what to do.
        """
        try:
            return self.find(name)
        except UnknownNameError as error:
            raise UnknownNameError(
                f"model {name!r} is known no more: put its entry back into "
                f"{self.data_root.root / USER_FILE}, or leave it out with `enact-assets forget "
                f"model {name}`"
            ) from error

    def n_asked(self, name: str) -> int | None:
        """How many questions of each variant a model is asked; None: all. Errors:
        :class:`SettingsError` for a wrong ``subsets.yaml``.
        """
        return subset_sizes(self.data_root.root).get(name)

    def chosen(self, name: str, questions: pl.DataFrame) -> pl.DataFrame:
        """The rows of ``questions``, all of a variant, that a model is asked. Errors: as
        :meth:`n_asked`.
        """
        n = self.n_asked(name)
        return questions if n is None else first_questions(questions, n)

    def partition_name(self, text: str) -> str:
        """Name of the partition of the model, or pair of models, that ``text`` means. Errors: as
        :meth:`find`.
        """
        if (pair := self.pair(text)) is not None:
            return JOINT.join(map(self.partition_name, pair))
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

    def image_model_version(self, name: str) -> str:
        """Hash of all settings of a model that edits pictures that affect its results.

        Errors: :class:`SettingsError` for an unknown model and a wrong ``models.yaml``.
        """
        model = self.catalogue.find(name)
        version = PICTURE_VERSIONS.get(model.channel)
        decides = [FORM, model.maker, model.channel, version, model.asked_id]
        return content_sha([*decides, dict(model.parameters)])

    def version(self, name: str) -> str:
        """Hash of all settings of a model, not a baseline, or of a pair that affect its answers.

        Errors: as :meth:`find`.
        """
        if (pair := self.pair(name)) is not None:
            # The captions of the oracle come from inputs of their step, which it reads itself.
            return content_sha([n if n == ORACLE else self.version(n) for n in pair])
        model = self.find(name)
        if model is None:
            raise UnknownNameError.of("model with settings", name, self.catalogue.models)
        entry = model.entry
        decides: list[object] = [FORM, model.maker, model.channel, model.asked_id]
        decides += [dict(model.parameters), entry.samples, entry.max_images]
        if model.channel in WIRES:
            decides.append(WIRES[model.channel].version)
        if model.channel == "answers":
            is_annotator = role_of(name) is not None
            own = self.answered.version(name) if is_annotator else None
            decides.append(own or answers_version(self.data_root, name))
        if model.channel == "python":
            from enact_assets.answers.models.python_model import PythonModel

            decides.append(PythonModel(model).version)
        if model.channel == "local":
            decides.append(folder_marks(model))
        return content_sha(decides)
