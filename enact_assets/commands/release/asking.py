"""``enact-assets qa``: key frames and replays -> a question file, with labelled pictures."""

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from enact_assets.commands.release.evidence import changes_at
from enact_assets.commands.release.layout import (
    Task,
    find_segmented,
    find_tasks,
    picture_root,
    read_key_frame_ids,
    refuse_question_output,
)
from enact_assets.commands.release.outcomes import Summary
from enact_assets.commands.release.pictures import pictures_left_out, write_question_pictures
from enact_assets.commands.release.prospects import remarks
from enact_assets.demonstrations.pictures.recorded_pictures import (
    picture_files,
    picture_name,
    read_picture,
    read_pictures,
    shown_video,
)
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.engine.errors import DamagedFileError, EnactError, RecordingError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.profiles import SAMPLE, WRITE
from enact_assets.questions.asked.official import OfficialQuestion, write_questions_file
from enact_assets.questions.asked.official_rows import in_official_order, official_questions
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.questions.paths.release_draws import why_no_questions
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.profile import Profile
from enact_assets.settings.registry import QuestionSettings


@dataclass
class _Asked:
    """Questions of all tasks so far, the key frames they show, and lengths of the replays."""

    qa: list[pl.DataFrame] = field(default_factory=lambda: [Qa.empty()])
    segmented: dict[str, pl.DataFrame] = field(default_factory=dict)
    numbering: dict[str, tuple[int, list[int]]] = field(default_factory=dict)
    """Number of frames and ``frame_id_runs`` of each task."""


def ask_folder(
    segmented_root: Path,
    replayed_root: Path,
    output: Path,
    profile: Profile,
    *,
    n_per_length: int,
    seed: int = 0,
    with_pictures: bool = True,
    is_dry_run: bool = False,
    on_progress: OnProgress = unheard,
) -> Summary:
    """Questions of every task below ``segmented_root`` -> the file ``output``.

    Pictures are stored below the folder of ``output``, where the paths in the file point; they are
    labelled once per key frame and label and linked where a question shows them. A task that fails
    has no questions and is listed in the summary; the others continue. If every task fails, no file
    is written. Source: definitions.md R13.

    Errors: :class:`RecordingError` if nothing was segmented, :class:`OutputError`.
    """
    summary, asked = Summary(is_dry_run=is_dry_run), _Asked()
    segmented = find_segmented(segmented_root, summary)
    tasks = {task.name: task for task in find_tasks(replayed_root)}
    inputs = [*(task.folder for task in tasks.values()), *(p.parent for p in segmented.values())]
    refuse_question_output(output, inputs)
    settings = QuestionSettings(seed=seed, trajectories_per_length=n_per_length)
    for number, (name, file) in enumerate(segmented.items()):
        on_progress(Progress(number, len(segmented), text=name))
        with summary.attempt(name) as outcome:
            if name not in tasks:
                raise RecordingError(f"{replayed_root}: has no replay of task {name!r}")
            replay = read_recorded(tasks[name].file, name, is_stored=False)
            ids = read_key_frame_ids(file)
            changes = changes_at(replay, ids, profile, str(file))
            pictured = pictured_frames(tasks[name].folder, ids, are_needed=with_pictures)
            seen = None if pictured is None else pictured.seen
            qa, why = questions_of(changes, settings, seen)
            if pictured is not None and pictured.n_lost:
                outcome.numbers["key frames without picture"] = pictured.n_lost
                summary.notes.append(f"{name}: {pictured}; no question shows them")
            asked.qa.append(qa)
            asked.segmented[name] = changes.frames
            asked.numbering[name] = replay.demonstrations.select("n_frames", "frame_id_runs").row(0)
            outcome.numbers["key frames"] = len(ids)
            for kind in ("forward", "inverse"):
                outcome.numbers[kind] = qa.filter(pl.col("kind") == kind).height
            if qa.is_empty() and why is None:
                n_of = {changes.gating.name: changes.frames.height}
                said = [remark.text for remark in remarks(replay, [changes.gating], n_of)]
                summary.notes.append(f"no questions for {name}: {'; '.join(said)}")
            if why is not None:
                summary.notes.append(f"no questions for {name}: {why}")
    questions = official_questions(
        in_official_order(pl.concat(asked.qa)),
        pl.concat([SegmentedFrames.empty(), *asked.segmented.values()]),
    )
    if is_dry_run or not any(o.error is None for o in summary.outcomes):
        return summary
    if with_pictures:
        by_task: dict[str, list[OfficialQuestion]] = {}
        for question in questions:
            by_task.setdefault(question.task_name, []).append(question)
        going_on = [outcome for outcome in summary.outcomes if outcome.error is None]
        for number, outcome in enumerate(going_on):
            on_progress(Progress(number, len(going_on), text=f"{outcome.name} pictures"))
            task, found = tasks[outcome.name], by_task.get(outcome.name, [])
            try:
                outcome.numbers |= _write_pictures(task, asked, found, picture_root(output))
            except EnactError as error:
                outcome.error = str(error)
    done = {outcome.name for outcome in summary.outcomes if outcome.error is None}
    if done:
        write_questions_file(output, [q for q in questions if q.task_name in done])
    return summary


@dataclass(frozen=True)
class Pictured:
    """Which key frames, of ``frame_ids``, have a picture that can be shown; ``place`` has them."""

    place: Path
    frame_ids: tuple[int, ...]
    seen: list[bool]
    unreadable: tuple[str, ...]
    """What is wrong with each file that is no picture."""

    @property
    def n_lost(self) -> int:
        """How many have none."""
        return self.seen.count(False)

    def __str__(self) -> str:
        """Those without, in words."""
        first = self.frame_ids[self.seen.index(False)]
        said = f"{self.n_lost} of {len(self.seen)} key frames have no picture, first {first}"
        if self.unreadable:
            said += f" ({pictures_left_out(self.unreadable).rstrip('.')})"
        if not any(self.seen):
            said += f". Pictures in {self.place} are named by frame id: {picture_name(first)}"
        return said


def pictured_frames(folder: Path, frame_ids: list[int], *, are_needed: bool) -> Pictured | None:
    """Which key frames have a picture; None where pictures are no matter of single frames.

    That is a recording with a video, or without a folder of pictures, or with one that shows no key
    frame if none ``are_needed``: the release would ask nothing then, here questions are written and
    their missing pictures counted.
    """
    place = folder / CAMERA
    if not place.is_dir() or shown_video(folder) is not None:
        return None
    files, unreadable = picture_files(place, frame_ids), []
    for frame_id, found in list(files.items()):
        try:
            read_picture(found)
        except DamagedFileError as error:
            unreadable.append(str(error))
            del files[frame_id]
    seen = [frame_id in files for frame_id in frame_ids]
    pictured = Pictured(place, tuple(frame_ids), seen, tuple(unreadable))
    return pictured if are_needed or any(seen) else None


def questions_of(
    changes: Changes, settings: QuestionSettings, has_picture: list[bool] | None = None
) -> tuple[pl.DataFrame, str | None]:
    """Table ``qa`` of one replay, and why the release has no questions for it, if so.

    No question shows a key frame for which ``has_picture`` is false: ``release`` draws around them.
    No step of the pipeline supports such frames, so this calls the functions of the chain directly.
    """
    frames, index, profile = changes.frames, changes.index, changes.gating.profile
    graph = build_transition_graph(frames, index)
    drawn = SAMPLE.of(profile)(frames, graph, index, profile, settings)
    write = WRITE.of(profile)
    parts = (frames, drawn, graph, index)
    qa = write(*parts, settings=settings, profile=profile, has_picture=has_picture)
    if has_picture is not None:
        lost = [k for k, is_seen in enumerate(has_picture) if not is_seen]
        qa = qa.filter(~pl.col("key_frames").list.eval(pl.element().is_in(lost)).list.any())
    return qa, why_no_questions(index)


def _write_pictures(
    task: Task, asked: _Asked, questions: list[OfficialQuestion], root: Path
) -> dict[str, int]:
    """Write the pictures of one task's questions below ``root``; how many, and how many lack."""
    segmented = asked.segmented[task.name]
    wanted = {frame_id for question in questions for frame_id in question.key_frame_ids}
    frames = {
        int(frame): int(frame_id)
        for frame, frame_id in segmented.select("frame", "frame_id").iter_rows()
        if str(frame_id) in wanted
    }
    n_frames, runs = asked.numbering[task.name]
    # Files that are not pictures were reported before, and no question shows them.
    found = read_pictures(
        task.folder, frames, n_frames, frame_id_runs=runs, on_unreadable=lambda *_: None
    )
    pictures = ((task.name, str(frames[frame]), png) for frame, png in found)
    n_written = write_question_pictures(questions, pictures, root)
    n_shown = sum(len(question.images) for question in questions)
    return {"pictures": n_written, "without picture": n_shown - n_written}
