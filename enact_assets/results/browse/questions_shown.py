"""One question as a variant asks it: pictures and texts, true changes, and all answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.engine.errors import UnknownNameError, WarehouseError
from enact_assets.questions.asked.choices import answer_text
from enact_assets.questions.asked.types import KeyFramePicture, PictureKey, type_of
from enact_assets.results.browse.answers_shown import Answer, AnsweredStep, read_answers
from enact_assets.results.browse.pictures_shown import Shown
from enact_assets.results.published import Ask
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.world import FILM, KINDS, LETTERS, WM

MAX_CHARACTERS = 100
"""Most characters of an unknown id in a message."""


@dataclass(frozen=True)
class Found:
    """A question and the variants that ask it, the baseline first."""

    question_id: str
    variants: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One step of the true order: ``shown_as`` is its label in the right answer.

    ``action`` is its text in the question, ``happened`` are the true components.
    """

    number: int
    key_frames: tuple[int, int]
    label: int
    shown_as: str
    action: str
    happened: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A question as ``variant`` asks it."""

    question_id: str
    official_id: str | None
    variant: str
    variants: tuple[str, ...]
    gating: str
    question_set: str
    demonstration: str
    activity: str
    kind: str
    length: int
    prompt: str
    actions: tuple[str, ...]
    n_perturbed: int
    reference: tuple[int, ...]
    steps: tuple[Step, ...]
    pictures: tuple[Shown, ...]
    answers: tuple[Answer, ...]

    @property
    def is_choice(self) -> bool:
        """Whether an answer names one of four options: WorldPrediction."""
        return self.kind in KINDS

    @property
    def is_of_film(self) -> bool:
        """Whether it shows a recording of a step file, which has no page of key frames."""
        return self.is_choice and all(shown.key_frame is None for shown in self.pictures)

    def choice(self, label: int) -> str:
        """The meaning of ``label`` in an answer: the name of a picture, or the text of an action;
        of WorldPrediction a clip, or a plan with its letter.
        """
        return _choice(self.kind, self.actions, label)

    def between(self, order: Sequence[int], number: int) -> tuple[Shown, Shown] | None:
        """The pictures before and after step ``number`` of ``order``, counted from 1; None for a
        label that no picture has.
        """
        places = (number - 1, number)
        if self.kind == "forward":
            places = (order[number - 2] if number > 1 else 0, order[number - 1])
        if not all(0 <= place < len(self.pictures) for place in places):
            return None
        return self.pictures[places[0]], self.pictures[places[1]]

    def fits(self, step: AnsweredStep) -> bool:
        """Whether a step passes, or, if it could not be compared, is as in the right order."""
        if step.is_passed is None:
            return self.is_in_place(step.number, step.label)
        return step.is_passed

    def first_wrong(self, answers: Iterable[Answer]) -> int | None:
        """The first step at which one of ``answers`` does not fit."""
        wrong = (s.number for a in answers for s in a.steps if not self.fits(s))
        return min(wrong, default=None)

    def option(self, label: int) -> tuple[Shown, ...]:
        """Of WorldPrediction: all pictures of a clip, or one from the middle of each clip of a
        plan, in its order.
        """
        if self.kind.startswith(WM):
            return self._clip(LETTERS[label - 1])
        names = self.choice(label).partition(":")[2].split()
        clips = (self._clip(name) for name in names)
        return tuple(clip[len(clip) // 2] for clip in clips if clip)

    @property
    def plans(self) -> tuple[str, ...]:
        """The plans to choose from, each with its letter; none if options are single clips."""
        if not self.is_choice or self.kind.startswith(WM):
            return ()
        return tuple(self.choice(label + 1) for label in range(len(LETTERS)))

    def says_more(self, answer: Answer) -> bool:
        """Whether the words of an answer, or the error, are more than its order or option."""
        if answer.words is None:
            return answer.error is not None
        if answer.order is None:
            return True
        bare = str(list(answer.order))
        if self.is_choice:
            bare = answer_text(self.kind, LETTERS[answer.order[0] - 1])
        return answer.words.strip() != bare

    def _clip(self, name: str) -> tuple[Shown, ...]:
        return tuple(p for p in self.pictures if p.name.partition(",")[0] == f"Clip {name}")

    def is_in_place(self, number: int, label: int) -> bool:
        """Whether the right order has ``label`` at step ``number``, counted from 1."""
        return self.reference[number - 1 : number] == (label,)


def check_has_ids(ask: Ask) -> None:
    """Check that the warehouse has ids of questions, which older versions did not publish.

    Errors: :class:`WarehouseError` if it has none.
    """
    sql = "select count(*) from information_schema.tables where table_name = 'question_ids'"
    if not ask(sql).item():
        raise WarehouseError(
            "an older version of enact_assets published the DuckDB file, which has no relation "
            "question_ids. Publish it again: `enact-assets materialize --asset warehouse`"
        )


def find_question(ask: Ask, text: str) -> list[Found]:
    """Questions with the id ``text``, of either kind: ours, or that of exported files.

    An id of exported files may belong to questions of several gatings. Empty if no variant asks
    such a question. Errors: :class:`WarehouseError`.
    """
    rows = ask(
        "select question_id, list(variant order by variant <> $baseline, variant) as variants "
        "from asked_questions where question_id = $id "
        "or question_id in (select question_id from question_ids where official_id = $id) "
        "group by question_id order by not list_contains(variants, $baseline), question_id",
        {"id": text, "baseline": BASELINE},
    )
    return [Found(id_, tuple(variants)) for id_, variants in rows.iter_rows()]


def has_question(ask: Ask, text: str) -> bool:
    """Whether there is a question with the id ``text``, asked or not. Errors:
    :class:`WarehouseError`.
    """
    sql = "select count(*) > 0 from question_ids where $id in (question_id, official_id)"
    return bool(ask(sql, {"id": text}).item())


def read_question(ask: Ask, text: str, variant: str | None = None) -> Question:
    """The question with the id ``text`` as ``variant`` asks it, or the first variant that does.

    Errors: :class:`UnknownNameError` if no variant asks it, or this one does not;
    :class:`WarehouseError`.
    """
    candidates = find_question(ask, text)
    if not candidates:
        made = "It exists, but was not selected. " if has_question(ask, text) else ""
        raise UnknownNameError(
            f"no variant asks a question with the id {text[:MAX_CHARACTERS]!r}. {made}Relation "
            "asked_questions lists those that variants ask."
        )
    fitting = [found for found in candidates if variant is None or variant in found.variants]
    if not fitting:
        asking = sorted({name for found in candidates for name in found.variants})
        raise UnknownNameError.of("variant of this question", variant or "", asking)
    found = fitting[0]
    return _read(ask, found, found.variants[0] if variant is None else variant)


def _read(ask: Ask, found: Found, variant: str) -> Question:
    where = {"id": found.question_id, "variant": variant}
    row = ask(
        """
        select asked.*, ids.official_id, demonstrations.activity,
            (
                select map_from_entries(list((images.key_frame, images.image_sha)))
                from frame_images as images
                where images.variant = asked.variant and images.gating = asked.gating
                    and images.demonstration = asked.demonstration
                    and list_contains(asked.key_frames, images.key_frame)
            ) as shas
        from asked_questions as asked
        left join demonstrations using (demonstration)
        left join (from question_ids where question_id = $id) as ids using (question_id, gating)
        where asked.variant = $variant and asked.question_id = $id
        """,
        where,
    ).row(0, named=True)
    pictures = [part for part in type_of(row).parts(row) if not isinstance(part, str)]
    shas: dict[PictureKey, str] = {
        (row["demonstration"], key_frame): sha for key_frame, sha in (row["shas"] or {}).items()
    }
    if row["kind"] in KINDS:
        shas |= _clips(ask, {part.key[0] for part in pictures})
    return Question(
        question_id=row["question_id"],
        official_id=row["official_id"],
        variant=variant,
        variants=found.variants,
        gating=row["gating"],
        question_set=row["question_set"],
        demonstration=row["demonstration"],
        activity=row["activity"] or "",
        kind=row["kind"],
        length=row["length"],
        prompt=row["prompt"],
        actions=tuple(row["actions"]),
        n_perturbed=row["n_perturbed"],
        reference=tuple(row["answer"]),
        steps=_steps(row),
        pictures=tuple(
            Shown(
                part.name,
                part.key_frame if isinstance(part, KeyFramePicture) else None,
                shas.get(part.key),
            )
            for part in pictures
        ),
        answers=read_answers(ask, row),
    )


def _clips(ask: Ask, recordings: Iterable[str]) -> dict[PictureKey, str]:
    """Pictures of clips of ``recordings``, rendered and of films."""
    rows = ask(
        f"""
        with clips as (
            select demonstration as recording, view, action, place, image_sha from clip_images
            union all
            select recording, '{FILM}', action, place, image_sha from film_images
        )

        from clips where list_contains($recordings, recording)
        """,  # noqa: S608 - our own words
        {"recordings": sorted(recordings)},
    )
    return {(name, view, action, place): sha for name, view, action, place, sha in rows.iter_rows()}


def _steps(row: Mapping[str, Any]) -> tuple[Step, ...]:
    if row["kind"] in KINDS:
        return ()
    is_forward = row["kind"] == "forward"
    steps = []
    for place, label in enumerate(row["answer"]):
        # In forward questions actions are in true order; in inverse ones labels identify them.
        action = place if is_forward else label - 1
        steps.append(
            Step(
                number=place + 1,
                key_frames=(row["key_frames"][place], row["key_frames"][place + 1]),
                label=label,
                shown_as=_choice(row["kind"], row["actions"], label),
                action=row["actions"][action],
                happened=tuple(row["action_components"][action]),
            )
        )
    return tuple(steps)


def _choice(kind: str, actions: "list[str] | tuple[str, ...]", label: int) -> str:
    if kind == "forward":
        return f"Next State {label}"
    if kind in KINDS:
        letter = LETTERS[label - 1]
        plans = "" if kind.startswith(WM) else actions[-2]
        return next((line for line in plans.splitlines() if line[0] == letter), f"Clip {letter}")
    return actions[label - 1] if 1 <= label <= len(actions) else f"action {label}"
