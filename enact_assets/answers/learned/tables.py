"""What learned references learn from, and what they have learned."""

from enact_assets.engine.tables import Table, integer, integers, numbers, text, texts, truth
from enact_assets.settings import columns as common


class TrainingStatistics(Table):
    """One row per key frame of a training demonstration, as it is and as its mirror image.

    Demonstrations of reserved seeds, which no question is about. `net` is summed over the steps
    that a question may take (one to five visible changes): 1 for a step to this key frame in which
    a fact begins, -1 if it ceases; the other way round for a step from it. Together with `joined`
    these sums and the features are all that a ridge regression on steps needs.
    """

    by = ("training_activity",)
    is_published = False
    keys = ("training_activity", "seed", "is_mirrored", "key_frame")

    training_activity = text("activity of the simulator")
    seed = integer("seed of the demonstration, a reserved one")
    is_mirrored = truth("whether the picture is mirrored, and hands have changed places")
    key_frame = common.key_frame()
    features = numbers("colours and edges of the picture on a coarse grid")
    joined = integers("key frames that a step joins to this one, ascending")
    readings = texts("what is read: facts, groups of facts, progress; those of `net`")
    net = numbers("sum over steps to this key frame minus sum over steps from it")
    changes = texts("visible changes since the key frame before, hands not changed")


class FactReader(Table):
    """One row per learned model, activity of a question, and reading.

    A reading is linear in the features of a picture. It should rise by 1 (before it is scaled)
    over a step in which its fact begins, and fall by 1 where it ceases.
    """

    by = ("model",)
    is_published = False

    model = common.model(key=True)
    activity = text("activity that the questions are about", key=True)
    reading = text("fact, group of facts, or progress", key=True)
    weights = numbers("weight of each feature")


class LearnedPrecedences(Table):
    """One row per learned model, activity and ordered pair of changes that training shows.

    Empty for models that look at pictures.
    """

    by = ("model",)
    is_published = False

    model = common.model(key=True)
    activity = text("activity that the questions are about", key=True)
    earlier = text("change, as +predicate(subject, object)", key=True)
    later = text("change that came after it", key=True)
    n = integer("times that it came after, over all training demonstrations")
