"""Whether the pictures of imported questions agree: one frame under one label is one picture."""

from collections.abc import Iterable, Mapping

from enact_assets.data_root.question_pictures import Pictures
from enact_assets.frames.sheets import state_labels
from enact_assets.official.outcomes import Told, untold
from enact_assets.questions.given_questions import Shown, pictures_named
from enact_assets.questions.imported_questions import FoundQuestion
from enact_assets.questions.official import ImportedQuestion


def contradiction_in(
    questions: Iterable[ImportedQuestion],
    place: Pictures,
    found: Mapping[str, str | None],
    told: Told = untold,
) -> str:
    """Which frames have two different pictures under one label, in words; empty if none has.

    ``found`` is what each picture of ``questions`` is called in ``place``. Sizes are compared
    first, then contents: in a zip by the CRC-32 of its directory, in a folder by reading the files,
    of which ``told`` hears. Errors: :class:`QuestionFileError` for a file that cannot be read.
    """
    shown: dict[tuple[str, Shown], dict[str, ImportedQuestion]] = {}
    for question in questions:
        task = question.task_name
        for key_frame, _, image in pictures_named([FoundQuestion("", question.line, question)]):
            if (name := found[image]) is not None:
                shown.setdefault((task, key_frame), {}).setdefault(name, question)
    several = {key: names for key, names in shown.items() if len(names) > 1}
    contradicting = []
    for k, (key, names) in enumerate(several.items()):
        told("comparing pictures", k, len(several))
        if (other := _other(place, list(names))) is not None:
            contradicting.append((key, other))
    if not contradicting:
        return ""
    (task, (frame_id, number)), other = contradicting[0]
    names = several[task, (frame_id, number)]
    first = next(iter(names))
    label = state_labels(len(names[other].images))[number]
    tasks = {task for (task, _), _ in contradicting}
    return (
        f"{len(contradicting)} of {len(shown)} labelled frames have two different pictures, in "
        f"{len(tasks)} of {len({task for task, _ in shown})} demonstrations. First: frame id "
        f"{frame_id} of {task} as {label!r} is {place.where(first)} (line {names[first].line}) and "
        f"{other} (line {names[other].line}). One of the two files is of another data set"
    )


def _other(place: Pictures, names: list[str]) -> str | None:
    """The first of ``names`` that is another picture than the first; None if all are the same."""
    first = names[0]
    for name in names[1:]:
        is_same_size = place.size(name) == place.size(first)  # else nothing has to be read
        if not is_same_size or place.fingerprint(name) != place.fingerprint(first):
            return name
    return None
