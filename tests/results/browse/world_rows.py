"""Two questions of WorldPrediction as they are asked and answered, for a lake by hand."""

from sql.tiny_lake import TABLE, Rows, answer

from enact_assets.questions.asked.types import encoded_picture
from enact_assets.settings.world import LETTERS, WM, world_name

WORLD_VARIANT = world_name("embedded")
N_STILLS = 3
PLANS = ("1 2", "2 1", "3 1", "1 3")


def add_world(rows: Rows) -> None:
    """``wm-1``, right is B, and ``pp-1``, right is A; a right and a wrong answer to each, and one
    that was cut. Each action has a clip of :data:`N_STILLS` pictures.
    """
    clips = {
        action: [
            encoded_picture((TABLE, "view", action, place)) for place in range(1, N_STILLS + 1)
        ]
        for action in range(1, 5)
    }
    states = [
        text
        for number, key_frame in enumerate((0, 3), 1)
        for text in (f"\nState {number}:\n", encoded_picture((TABLE, key_frame)))
    ]
    of_letters = [
        text
        for letter, clip in zip(LETTERS, clips.values(), strict=True)
        for text in (f"\nClip {letter}:\n", *clip)
    ]
    of_numbers = [t for n in (1, 2, 3) for t in (f"\nClip {n}:\n", *clips[n])]
    plans = "".join(f"{letter}: {plan}\n" for letter, plan in zip(LETTERS, PLANS, strict=True))
    _ask(rows, "wm-1", "wm_view", [*states, *of_letters, "Which?", "Answer."], right=2)
    _ask(rows, "pp-1", "pp_view", [*states, *of_numbers, "Which?", plans, "Answer."], right=1)
    rows["frame_images"] += [
        row | {"variant": WORLD_VARIANT}
        for row in rows["frame_images"]
        if (row["variant"], row["demonstration"]) == ("baseline", TABLE)
    ]
    for action in clips:
        for place in range(1, N_STILLS + 1):
            shown = {"image_sha": f"{10 * action + place:064x}", "render_sha": "1" * 64}
            at = {"demonstration": TABLE, "view": "view", "action": action, "place": place}
            size = {"frame": place, "width_px": 32, "height_px": 24}
            rows.setdefault("clip_images", []).append(at | shown | size)


def _ask(rows: Rows, name: str, kind: str, actions: list[str], *, right: int) -> None:
    like = next(r for r in rows["asked_questions"] if r["question_id"] == "f3")
    length = 1 if kind.startswith(WM) else 2
    of_kind = {"question_id": name, "kind": kind, "length": length, "variant": WORLD_VARIANT}
    told = {"actions": actions, "answer": [right], "question_set": WORLD_VARIANT, "place": 1}
    bare = {"told_components": [], "action_components": [], "in_probe_set": False}
    rows["asked_questions"].append(like | of_kind | told | bare)
    for model, label in (("oracle", right), ("guesser", 3), ("shy", None)):
        stop = "cut" if label is None else "complete"
        raw = "It could be" if label is None else f'{{"answer": "{LETTERS[label - 1]}"}}'
        answer(rows, model, WORLD_VARIANT, "f3", raw=raw, stop=stop)
        rows["predictions"][-1] |= {"question_id": name}
        verdict = dict.fromkeys(("is_exact", "is_semantic", "is_accepted"), label == right)
        scores = {"n_steps": 1, "n_steps_passed": int(label == right)}
        rows["evaluation"][-1] |= {"question_id": name, "kind": kind, "length": length} | scores
        rows["evaluation"][-1] |= verdict | {"pairwise_accuracy": float(label == right)}
        if label is not None:
            rows["evaluation"][-1] |= {"answer_status": "parsed", "reason": None, "answer": [label]}
