"""The public names of the package and where each of them lives: the only place that says so.

Type checkers and editors read this file. So does the package itself, when a name is first asked for
(system/public_names.py). docs/site/python_api.toml has the same names by task.
"""

from enact_assets.asking.budget import Budget as Budget
from enact_assets.asking.model_catalogue import load_catalogue as _load_model_catalogue
from enact_assets.asking.session import ask as _ask_model
from enact_assets.asking.session import check as _check_model
from enact_assets.bulk.bulk_sources import BulkRecording as BulkRecording
from enact_assets.bulk.bulk_sources import BulkSource as BulkSource
from enact_assets.bulk.bulk_sources import lake_sources as lake_sources
from enact_assets.bulk.chain import BulkSettings as BulkSettings
from enact_assets.bulk.chain import tables_of_demonstration as tables_of_demonstration
from enact_assets.bulk.run import run_bulk as run_bulk
from enact_assets.contracts.components import Component as Component
from enact_assets.contracts.errors import ActivityError as ActivityError
from enact_assets.contracts.errors import AnnotationError as AnnotationError
from enact_assets.contracts.errors import CheckError as CheckError
from enact_assets.contracts.errors import DamagedFile as DamagedFile
from enact_assets.contracts.errors import DamagedFileError as DamagedFileError
from enact_assets.contracts.errors import DeclarationError as DeclarationError
from enact_assets.contracts.errors import DownloadError as DownloadError
from enact_assets.contracts.errors import EnactError as EnactError
from enact_assets.contracts.errors import EvaluationError as EvaluationError
from enact_assets.contracts.errors import ExistenceError as ExistenceError
from enact_assets.contracts.errors import GoalError as GoalError
from enact_assets.contracts.errors import IntervalError as IntervalError
from enact_assets.contracts.errors import LakeError as LakeError
from enact_assets.contracts.errors import MaterializationError as MaterializationError
from enact_assets.contracts.errors import MisfitFileError as MisfitFileError
from enact_assets.contracts.errors import MissingPartitionError as MissingPartitionError
from enact_assets.contracts.errors import OutputError as OutputError
from enact_assets.contracts.errors import PairError as PairError
from enact_assets.contracts.errors import PeopleError as PeopleError
from enact_assets.contracts.errors import PhysicsError as PhysicsError
from enact_assets.contracts.errors import PlanError as PlanError
from enact_assets.contracts.errors import PlaybackError as PlaybackError
from enact_assets.contracts.errors import PredictionError as PredictionError
from enact_assets.contracts.errors import QuestionError as QuestionError
from enact_assets.contracts.errors import QuestionFileError as QuestionFileError
from enact_assets.contracts.errors import RecordingError as RecordingError
from enact_assets.contracts.errors import RenderError as RenderError
from enact_assets.contracts.errors import ReplayError as ReplayError
from enact_assets.contracts.errors import SettingsError as SettingsError
from enact_assets.contracts.errors import SimulationError as SimulationError
from enact_assets.contracts.errors import StageError as StageError
from enact_assets.contracts.errors import StepFileError as StepFileError
from enact_assets.contracts.errors import TableContractError as TableContractError
from enact_assets.contracts.errors import TrajectoryError as TrajectoryError
from enact_assets.contracts.errors import UndeclaredReadError as UndeclaredReadError
from enact_assets.contracts.errors import UnknownNameError as UnknownNameError
from enact_assets.contracts.errors import UnreadableFileError as UnreadableFileError
from enact_assets.contracts.errors import WarehouseError as WarehouseError
from enact_assets.contracts.predicates import Predicate as Predicate
from enact_assets.contracts.predicates import predicate as _find_predicate
from enact_assets.contracts.profile import Profile as Profile
from enact_assets.contracts.profile import profile as _find_profile
from enact_assets.contracts.registry import Registry as Registry
from enact_assets.contracts.registry import load_registry as load_registry
from enact_assets.contracts.settings import Gating as Gating
from enact_assets.contracts.settings import QuestionSetSettings as QuestionSetSettings
from enact_assets.contracts.settings import QuestionSettings as QuestionSettings
from enact_assets.contracts.settings import Variant as Variant
from enact_assets.data_root.paths import DataRoot as DataRoot
from enact_assets.data_root.published import OpenWarehouse as OpenWarehouse
from enact_assets.data_root.published import query as query
from enact_assets.engine.lake.image_store import ImageStore as ImageStore
from enact_assets.engine.lake.lake import Lake as Lake
from enact_assets.error_analysis.answer_comparison import compare_answers as compare_answers
from enact_assets.evaluation.evaluate import AnswerRules as AnswerRules
from enact_assets.evaluation.evaluate import evaluate as evaluate
from enact_assets.evaluation.expectation import expect_random_orders as expect_random_orders
from enact_assets.evaluation.metrics import summarize as _summarize_evaluation
from enact_assets.evaluation.verification import Verdicts as Verdicts
from enact_assets.evaluation.verification import Verifier as Verifier
from enact_assets.evaluation.verification import VerifierQuestion as VerifierQuestion
from enact_assets.frames.images import render_key_frames as render_key_frames
from enact_assets.frames.observed import (
    visibility_from_observability as visibility_from_observability,
)
from enact_assets.frames.sheets import contact_sheet as contact_sheet
from enact_assets.frames.sheets import question_strip as question_strip
from enact_assets.frames.visibility import measure_visibility as measure_visibility
from enact_assets.harnesses.folder import export_folder as export_folder
from enact_assets.harnesses.inspect_log import export_log as _export_inspect_log
from enact_assets.official.answer_importing import import_answers as import_answers
from enact_assets.official.asking import ask_folder as _qa_folder
from enact_assets.official.evaluating import evaluate_files as evaluate_files
from enact_assets.official.exporting import export_questions as export_questions
from enact_assets.official.importing import import_paths as import_paths
from enact_assets.official.message_lines import export_messages as export_messages
from enact_assets.official.segmenting import segment_folder as segment_folder
from enact_assets.predictions.baselines import answers_of_baseline as answers_of_baseline
from enact_assets.predictions.requests import ModelProtocol as ModelProtocol
from enact_assets.predictions.requests import ModelRequest as ModelRequest
from enact_assets.predictions.requests import build_request as build_request
from enact_assets.probes.baseline_comparison import compare_with_baseline as compare_with_baseline
from enact_assets.probes.panels import correct_within_panels as correct_within_panels
from enact_assets.questions.asked import ask_questions as _write_asked_questions
from enact_assets.questions.natural import sentence as _component_sentence
from enact_assets.questions.parsing import read_answer as read_answer
from enact_assets.questions.qa import write_questions as write_questions
from enact_assets.questions.selection import select_questions as select_questions
from enact_assets.questions.wording import word_actions as word_actions
from enact_assets.replay.annotated import check_annotation as check_annotation
from enact_assets.replay.annotated import read_annotated as read_annotated
from enact_assets.replay.embedded import replay_embedded as replay_embedded
from enact_assets.replay.parents import at_key_frames as _parents_at_key_frames
from enact_assets.replay.recorded import read_recorded as read_recorded
from enact_assets.replay.recorded_export import write_recorded as write_recorded
from enact_assets.replay.replay_result import ReplayTables as ReplayTables
from enact_assets.replay.validation import check_replay as check_replay
from enact_assets.segmentation.deltas import DeltaIndex as DeltaIndex
from enact_assets.segmentation.landed import SegmentedTables as SegmentedTables
from enact_assets.segmentation.segment import segment as segment
from enact_assets.statistics.models import compare_models as compare_models
from enact_assets.trajectories.counting import count_paths as count_paths
from enact_assets.trajectories.sampling import sample_trajectories as sample_trajectories
from enact_assets.trajectories.transition_graph import (
    build_transition_graph as build_transition_graph,
)

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
