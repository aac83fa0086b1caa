"""Transitions: recipes by which parents turn into products, and the moment they do.

Source: the slicing, dicing, mixing, machine and cooking rules of OmniGibson 1.1.1. Where a product
is a substance and so are parents, the volume of those parents in the vessel becomes the product's.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cut:
    """A knife that is to slice ``thing`` first touches it: halves side by side take its place."""

    thing: str


@dataclass(frozen=True)
class Diced:
    """A knife that is to dice ``thing`` first touches it: a pile takes its place at once."""

    thing: str


@dataclass(frozen=True)
class Stirred:
    """A stirrer moves in ``vessel``, and all parents are in it."""

    vessel: str


@dataclass(frozen=True)
class Switched:
    """``fixture`` is toggled on, and all parents are in it (a blender)."""

    fixture: str


@dataclass(frozen=True)
class Baked:
    """All parents are cooked and touch one another, or lie inside the same thing."""


When = Cut | Diced | Stirred | Switched | Baked


@dataclass(frozen=True)
class Recipe:
    """``parents`` turn into ``products`` as soon as ``when`` holds. Names of things or substances.

    What is no longer there cannot turn into anything: a recipe happens once.
    """

    products: tuple[str, ...]
    parents: tuple[str, ...]
    when: When


def parents_of(recipes: Sequence[Recipe]) -> dict[str, tuple[str, ...]]:
    """Product -> its parents, by name."""
    return {product: recipe.parents for recipe in recipes for product in recipe.products}
