"""Changes between any two key frames of a demonstration: what shows of them, and all of them.

Components carry object labels (what a reader sees), not names: two objects of one label may be
swapped without making a statement false.
"""

import numpy as np
import polars as pl

from enact_assets.demonstrations.replay.parents import KEY_FRAME
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.families import (
    Origin,
    family_arrays,
    find_families,
    resolve_parents,
)
from enact_assets.questions.key_frames.graph_arrays import (
    check_key_frame_tables,
    count_named_key_frames,
    existence_of,
    number_by_value,
    number_facts,
    object_numbers,
    sight_of,
)
from enact_assets.questions.key_frames.pair_kernels import (
    KeyFrameArrays,
    count_visible_changes,
    edited_objects,
    pair_changes,
)
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import EXISTS, label
from enact_assets.settings.profile import Profile


class DeltaIndex(ComponentIndex):
    """Answers what changes from key frame i to key frame j, for any order of the two.

    The *full* change is every fact of ``scene_graphs`` (existence aside) that holds at one of the
    two frames only, and every transition: an object that exists at j and not at i, with parents
    that exist at i and not at j. From j back to i a transition is no transition: the facts of the
    children are removed and those of the parents are added.

    The *visible* change keeps a component if all objects in it

    - are visible in both frames (mask above ``min_visible_fraction``), or in one of them if they
      take part in a transition between i and j; and
    - are not ambiguous: no other object of their label is part of a change and visible in this
      sense. Objects with the same label and the same parents, always, (the halves of a sliced
      fruit) may stand for each other; all objects of one label may if the profile does not drop
      ambiguous changes (``drops_ambiguous``).

    Parents are those at the key frame at which the object appears.

    Source: definitions.md 3 (paper 2.2 and A.3.2).
    """

    def __init__(
        self,
        arrays: KeyFrameArrays,
        components: tuple[Component, ...],
        names: tuple[str, ...],
        profile: Profile,
    ) -> None:
        super().__init__(components, len(arrays.facts))
        self.object_names = names
        self._arrays = arrays
        self._profile = profile

    @classmethod
    def from_tables(
        cls,
        scene_graphs: pl.DataFrame,
        visibility: pl.DataFrame,
        objects: pl.DataFrame,
        profile: Profile,
        n_key_frames: int = 0,
        *,
        later_parents: pl.DataFrame | None = None,
    ) -> "DeltaIndex":
        """The index of one demonstration and gating.

        An object without a row in ``visibility`` is not visible. There are ``n_key_frames`` key
        frames at least, should there be no fact about the last ones. ``later_parents`` are rows of
        :func:`at_key_frames`; without them no object has other parents later on. Errors:
        :class:`ReplayError` if the tables are of several demonstrations or name an object that is
        not in ``objects``.
        """
        check_key_frame_tables(scene_graphs, visibility, objects, later_parents)
        objects = objects.sort("object_name")
        number = {name: k for k, name in enumerate(objects["object_name"])}
        # A recording may know no category of an object it only relates others to.
        labels = [label(c or name) for name, c in objects.select("object_name", "category").rows()]
        origins = {
            number[name]: [Origin(o.start, o.stop, tuple(number[p] for p in o.parents)) for o in of]
            for name, of in resolve_parents(objects, later_parents, KEY_FRAME).items()
        }
        n_key_frames = max(n_key_frames, count_named_key_frames(scene_graphs, visibility))
        exists = existence_of(scene_graphs, number, n_key_frames)
        shown = visibility.filter(pl.col("fraction") > profile.min_visible_fraction)
        facts, fact_words = number_facts(scene_graphs, [EXISTS], n_key_frames)
        texts = [
            (name, labels[number[subject]], None if other is None else labels[number[other]])
            for name, subject, other in facts.iter_rows()
        ]
        families = find_families(origins, labels, exists)
        components = sorted(
            {Component("add", *text) for text in texts}
            | {Component("remove", *text) for text in texts}
            | {component for family in families for component in family.transitions.values()},
            key=str,
        )
        position = {component: k for k, component in enumerate(components)}
        steps = [
            (position[Component("remove", *text)], position[Component("add", *text)])
            for text in texts
        ]
        arrays = KeyFrameArrays(
            facts=fact_words,
            exists=exists,
            visible=sight_of(shown, number, n_key_frames),
            fact_objects=np.stack(
                [object_numbers(facts[column], number) for column in ("subject", "object")], axis=1
            ),
            fact_components=np.array(steps, np.int64).reshape(-1, 2),
            labels=number_by_value(labels),
            twins=number_by_value(
                [
                    (labels[k], *of) if any(o.parents for o in of) else (k,)
                    for k, of in origins.items()
                ]
                if profile.drops_ambiguous
                else labels
            ),
            **family_arrays(families, position, n_key_frames),
        )
        return cls(arrays, tuple(components), tuple(number), profile)

    def changes(self, pairs: Ints) -> tuple[Words, Words, Ints]:
        """Visible and whole changes of ``pairs`` (n, 2), from and to; none of them fails."""
        visible, full = pair_changes(self._arrays, self._checked(pairs), self.n_words)
        return visible, full, np.zeros((len(visible), 2), np.int64)

    def edited(self, pairs: Ints) -> tuple[Bools, Bools]:
        """Objects named, and objects in a transition: see :meth:`ComponentIndex.edited`."""
        return edited_objects(self._arrays, self._checked(pairs), self.n_words)

    def edges(self) -> tuple[Ints, Ints]:
        """Pairs i < j whose visible change has ``min_changes`` to ``max_changes`` components.

        Returns (pairs (n, 2) in ascending order, number of components (n,)).
        """
        counts = count_visible_changes(self._arrays, self.n_words)
        is_edge = (counts >= self._profile.min_changes) & (counts <= self._profile.max_changes)
        pairs = np.argwhere(np.triu(is_edge, k=1))
        return pairs.astype(np.int64), counts[pairs[:, 0], pairs[:, 1]].astype(np.int64)
