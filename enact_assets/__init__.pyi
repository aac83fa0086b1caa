"""The public names of the package and where each of them lives: the only place that says so.

Type checkers and editors read this file. So does the package itself, when a name is first asked for
(engine/system/public_names.py). docs/site/python_api.toml has the same names by task.
"""

from enact_assets.answers.baselines.references import answers_of_baseline as answers_of_baseline
from enact_assets.answers.baselines.requests import ModelProtocol as ModelProtocol
from enact_assets.answers.baselines.requests import ModelRequest as ModelRequest
from enact_assets.answers.baselines.requests import build_request as build_request
from enact_assets.answers.models.budget import Budget as Budget
from enact_assets.answers.models.catalogue import load_catalogue as _load_model_catalogue
from enact_assets.answers.models.session import ask as _ask_model
from enact_assets.answers.models.session import check as _check_model
from enact_assets.commands.harnesses.folder import export_folder as export_folder
from enact_assets.commands.harnesses.inspect_log import export_log as _export_inspect_log
from enact_assets.commands.release.answer_importing import import_answers as import_answers
from enact_assets.commands.release.asking import ask_folder as _qa_folder
from enact_assets.commands.release.evaluating import evaluate_files as evaluate_files
from enact_assets.commands.release.exporting import export_messages as export_messages
from enact_assets.commands.release.exporting import export_questions as export_questions
from enact_assets.commands.release.importing import import_paths as import_paths
from enact_assets.commands.release.segmenting import segment_folder as segment_folder
from enact_assets.demonstrations.pictures.images import render_key_frames as render_key_frames
from enact_assets.demonstrations.pictures.observed import (
    visibility_from_observability as visibility_from_observability,
)
from enact_assets.demonstrations.pictures.sheets import contact_sheet as contact_sheet
from enact_assets.demonstrations.pictures.sheets import question_strip as question_strip
from enact_assets.demonstrations.pictures.visibility import measure_visibility as measure_visibility
from enact_assets.demonstrations.replay.annotated import check_annotation as check_annotation
from enact_assets.demonstrations.replay.annotated import read_annotated as read_annotated
from enact_assets.demonstrations.replay.embedded import replay_embedded as replay_embedded
from enact_assets.demonstrations.replay.parents import at_key_frames as _parents_at_key_frames
from enact_assets.demonstrations.replay.recorded import read_recorded as read_recorded
from enact_assets.demonstrations.replay.recorded_export import write_recorded as write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables as ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay as check_replay
from enact_assets.engine.errors import ActivityError as ActivityError
from enact_assets.engine.errors import AlertError as AlertError
from enact_assets.engine.errors import AnnotationError as AnnotationError
from enact_assets.engine.errors import CheckError as CheckError
from enact_assets.engine.errors import DamagedFile as DamagedFile
from enact_assets.engine.errors import DamagedFileError as DamagedFileError
from enact_assets.engine.errors import DeclarationError as DeclarationError
from enact_assets.engine.errors import DownloadError as DownloadError
from enact_assets.engine.errors import EnactError as EnactError
from enact_assets.engine.errors import EvaluationError as EvaluationError
from enact_assets.engine.errors import ExistenceError as ExistenceError
from enact_assets.engine.errors import GivenTextError as GivenTextError
from enact_assets.engine.errors import GoalError as GoalError
from enact_assets.engine.errors import IntervalError as IntervalError
from enact_assets.engine.errors import LakeError as LakeError
from enact_assets.engine.errors import MaterializationError as MaterializationError
from enact_assets.engine.errors import MisfitFileError as MisfitFileError
from enact_assets.engine.errors import MissingPartitionError as MissingPartitionError
from enact_assets.engine.errors import OutputError as OutputError
from enact_assets.engine.errors import PairError as PairError
from enact_assets.engine.errors import PeopleError as PeopleError
from enact_assets.engine.errors import PhysicsError as PhysicsError
from enact_assets.engine.errors import PlanError as PlanError
from enact_assets.engine.errors import PlaybackError as PlaybackError
from enact_assets.engine.errors import PredictionError as PredictionError
from enact_assets.engine.errors import QuestionError as QuestionError
from enact_assets.engine.errors import QuestionFileError as QuestionFileError
from enact_assets.engine.errors import RecordingError as RecordingError
from enact_assets.engine.errors import RenderError as RenderError
from enact_assets.engine.errors import ReplayError as ReplayError
from enact_assets.engine.errors import SettingsError as SettingsError
from enact_assets.engine.errors import SimulationError as SimulationError
from enact_assets.engine.errors import StageError as StageError
from enact_assets.engine.errors import StepFileError as StepFileError
from enact_assets.engine.errors import TableContractError as TableContractError
from enact_assets.engine.errors import TrajectoryError as TrajectoryError
from enact_assets.engine.errors import UndeclaredReadError as UndeclaredReadError
from enact_assets.engine.errors import UnknownNameError as UnknownNameError
from enact_assets.engine.errors import UnreadableFileError as UnreadableFileError
from enact_assets.engine.errors import WarehouseError as WarehouseError
from enact_assets.engine.lake.image_store import ImageStore as ImageStore
from enact_assets.engine.lake.lake import Lake as Lake
from enact_assets.pipeline.bulk.chain import BulkSettings as BulkSettings
from enact_assets.pipeline.bulk.chain import tables_of_demonstration as tables_of_demonstration
from enact_assets.pipeline.bulk.run import run_bulk as run_bulk
from enact_assets.pipeline.bulk.sources import BulkRecording as BulkRecording
from enact_assets.pipeline.bulk.sources import BulkSource as BulkSource
from enact_assets.pipeline.bulk.sources import lake_sources as lake_sources
from enact_assets.pipeline.dagster.lake_rows import LakeRows as LakeRows
from enact_assets.pipeline.dagster.lake_rows import table_specs as table_specs
from enact_assets.questions.asked.by_variant import ask_questions as _write_asked_questions
from enact_assets.questions.asked.natural import sentence as _component_sentence
from enact_assets.questions.asked.parsing import read_answer as read_answer
from enact_assets.questions.asked.qa import write_questions as write_questions
from enact_assets.questions.asked.selection import select_questions as select_questions
from enact_assets.questions.asked.wording import word_actions as word_actions
from enact_assets.questions.key_frames.deltas import DeltaIndex as DeltaIndex
from enact_assets.questions.key_frames.landed import SegmentedTables as SegmentedTables
from enact_assets.questions.key_frames.segment import segment as segment
from enact_assets.questions.paths.counting import count_paths as count_paths
from enact_assets.questions.paths.sampling import sample_trajectories as sample_trajectories
from enact_assets.questions.paths.transition_graph import (
    build_transition_graph as build_transition_graph,
)
from enact_assets.results.errors.answer_comparison import compare_answers as compare_answers
from enact_assets.results.probes.baseline_comparison import (
    compare_with_baseline as compare_with_baseline,
)
from enact_assets.results.probes.panels import correct_within_panels as correct_within_panels
from enact_assets.results.published import OpenWarehouse as OpenWarehouse
from enact_assets.results.published import query as query
from enact_assets.results.statistics.models import compare_models as compare_models
from enact_assets.results.verification.evaluate import AnswerRules as AnswerRules
from enact_assets.results.verification.evaluate import evaluate as evaluate
from enact_assets.results.verification.expectation import (
    expect_random_orders as expect_random_orders,
)
from enact_assets.results.verification.metrics import summarize as _summarize_evaluation
from enact_assets.results.verification.verify import Verdicts as Verdicts
from enact_assets.results.verification.verify import Verifier as Verifier
from enact_assets.results.verification.verify import VerifierQuestion as VerifierQuestion
from enact_assets.settings.classes import Gating as Gating
from enact_assets.settings.classes import QuestionSetSettings as QuestionSetSettings
from enact_assets.settings.classes import QuestionSettings as QuestionSettings
from enact_assets.settings.classes import Variant as Variant
from enact_assets.settings.components import Component as Component
from enact_assets.settings.paths import DataRoot as DataRoot
from enact_assets.settings.predicates import Predicate as Predicate
from enact_assets.settings.predicates import predicate as _find_predicate
from enact_assets.settings.profile import Profile as Profile
from enact_assets.settings.profile import profile as _find_profile
from enact_assets.settings.registry import Registry as Registry
from enact_assets.settings.registry import load_registry as load_registry

__version__: str

# Where they live they have shorter names, which would say too little here.
ask_model = _ask_model
check_model = _check_model
component_sentence = _component_sentence
export_inspect_log = _export_inspect_log
find_predicate = _find_predicate
find_profile = _find_profile
load_model_catalogue = _load_model_catalogue
parents_at_key_frames = _parents_at_key_frames
qa_folder = _qa_folder
summarize_evaluation = _summarize_evaluation
write_asked_questions = _write_asked_questions
