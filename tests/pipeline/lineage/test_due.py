"""What automation may start, and what has to wait, without Dagster."""

from small_world import World

from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.states import State
from enact_assets.engine.planning.verdicts import DueSteps
from enact_assets.pipeline.lineage.graph import STEP_NAMED, STEPS

ENOUGH = 1000
AFTER_EVALUATION = {
    *("probes", "model_comparisons", "error_analysis"),
    *("human_agreement", "question_quality"),
}


class Automation:
    """Looks at the world as often as it is told, remembering what it tried."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tried: dict[str, dict] = {}
        self.running = Marks()

    def look(self, limit: int = ENOUGH) -> list[tuple[str, tuple[str, ...]]]:
        steps = DueSteps(self.world.lineage, self.running)
        found = []
        for step in STEPS:
            due = steps.next(step, self.tried.get(step.name, {}), limit - len(found))
            self.tried[step.name] = due.attempts
            found += [(step.name, partition) for partition in due.causes]
        return found

    def until_settled(self, fails=lambda _name, _partition: False, content: str = "1") -> list:
        """What was tried, look after look, until nothing is due."""
        rounds = []
        while found := self.look():
            rounds.append(found)
            for name, partition in found:
                if not fails(name, partition):
                    self.world.make(STEP_NAMED[name], partition, content)
            assert len(rounds) < 50
        return rounds


def change(world: World, asset: str, partition: tuple[str, ...]) -> None:
    world.lineage.states.set(asset, partition, State(f"{asset} {partition} other"))


def test_a_changed_setting_is_worked_off_in_order_and_nothing_is_made_twice() -> None:
    """A picture rendered of frames that are about to change is an hour lost."""
    world = World()
    change(world, "variant_config", ("high",))
    rounds = Automation(world).until_settled()
    made = [one for found in rounds for one in found]
    assert len(made) == len(set(made))
    # Panels are corrected per model, over all variants.
    assert {p[-1] for name, p in made if p and name != "probe_panels"} == {"high"}
    assert [{name for name, _ in found} for found in rounds] == [
        *({"asked_questions"}, {"wanted_frames"}, {"frame_images"}, {"predictions"}),
        *({"evaluation"}, AFTER_EVALUATION, {"probe_panels", "model_findings"}),
        *({"warehouse"}, {"report"}),
    ]
    assert world.stale() == {("variant_config", ("high",))}  # told to Dagster by others


def test_equal_content_ends_the_change() -> None:
    world = World()
    change(world, "variant_config", ("high",))
    rounds = Automation(world).until_settled(content="0")
    made = {name for found in rounds for name, _ in found}
    # Probes say what a variant changes, so they are made from its settings too.
    assert made == {"asked_questions", "wanted_frames", "frame_images", "probes"}


def test_what_failed_is_not_tried_on_the_same_inputs_again() -> None:
    """Every half minute for months: a bill, and a run list nobody can read."""
    world = World()
    change(world, "gating_config", ("state",))

    def fails(name: str, partition: tuple[str, ...]) -> bool:
        return name == "trajectories" and partition[0] == "fold-0"

    automation = Automation(world)
    made = [one for found in automation.until_settled(fails) for one in found]
    assert made.count(("trajectories", ("fold-0", "state"))) == 1
    # Others go on; what is made from it waits, but roll-ups take what there is.
    assert ("qa", ("fold-0", "state")) not in made
    assert ("qa", ("fold-1", "state")) in made
    assert made.count(("question_set", ("state",))) == 1
    assert made.count(("warehouse", ())) == 1
    assert automation.look() == []
    change(world, "question_config", ())
    assert ("trajectories", ("fold-0", "state")) in automation.look()


def test_nothing_is_started_above_what_is_being_made() -> None:
    world = World()
    automation = Automation(world)
    automation.running.add(STEP_NAMED["segmentation"].assets, ("fold-0", "state"))
    change(world, "gating_config", ("contact",))
    found = automation.look()
    assert {p for name, p in found if name == "segmentation"} == {
        *(("fold-0", "contact"), ("fold-1", "contact"), ("pour-0", "contact"))
    }
    assert not [p for name, p in found if name != "segmentation"]


def test_a_limit_keeps_the_rest_for_later() -> None:
    """Half a million runs queued at once would fill the queue for weeks, in any order."""
    world = World()
    change(world, "gating_config", ("contact",))
    automation = Automation(world)
    first = automation.look(limit=2)
    assert [name for name, _ in first] == ["segmentation", "segmentation"]
    for name, partition in first:
        world.make(STEP_NAMED[name], partition, "1")
    assert len(automation.look(limit=2)) == 2


def test_a_recording_that_was_imported_again_is_left_to_whoever_saw_it_complete() -> None:
    """Half a copy would be read, and fail; its pictures would be taken at old key frames."""
    world = World()
    change(world, "recording", ("fold-0",))
    automation = Automation(world)
    assert automation.look() == []
    world.make(STEP_NAMED["replays"], ("fold-0",), "0")
    found = automation.look()
    of_all = world.lineage.names.partitions("frame_images")
    pictures = [("frame_images", p) for p in of_all if p[0] == "fold-0"]
    assert sorted(found) == [("clip_images", ("fold-0",)), *pictures]
    change(world, "recording", ("fold-0",))
    replays = STEP_NAMED["replays"]
    world.code["facts"] = "newer"
    assert ("replays", ("fold-0",)) in Automation(world).look()
    world.code.clear()
    for asset in replays.assets:
        world.lineage.states.set(asset, ("fold-1",), None)
    assert [one for one in Automation(world).look() if one[0] == "replays"] == [
        ("replays", ("fold-1",))
    ]


def test_a_file_that_was_made_and_lost_again_is_made_again() -> None:
    """That it was tried before is no reason once it was there."""
    world = World()
    automation = Automation(world)
    place = ("path_counts", ("fold-0", "state"))
    for _ in range(2):
        world.lineage.states.set(*place, None)
        assert automation.look() == [place]
        world.make(STEP_NAMED[place[0]], place[1], "0")
        assert automation.look() == []


def test_a_step_that_failed_on_a_damaged_file_is_tried_again_once_that_is_made() -> None:
    """Made again with equal rows, the inputs are the same as those it failed on."""
    world = World()
    automation = Automation(world)
    change(world, "variant_config", ("high",))
    damaged, reader = ("evaluation", ("oracle", "high")), ("error_analysis", ("oracle", "high"))
    automation.until_settled(lambda name, partition: (name, partition) == reader)
    assert automation.look() == []
    problem = State("", None, "its file was damaged, and set aside as x.damaged-0")
    world.lineage.states.set(*damaged, problem)
    assert automation.look() == [damaged]
    world.make(STEP_NAMED[damaged[0]], damaged[1], "1")
    assert automation.look() == [reader]
