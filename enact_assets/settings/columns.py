"""Columns that several tables share: one meaning each."""

import dataframely as dy

from enact_assets.engine.tables import integer, text


def demonstration(*, key: bool = False) -> dy.String:
    """Recorded execution of an activity, e.g. setting_the_table-0."""
    return text("recorded execution of an activity, e.g. setting_the_table-0", key=key)


def gating(*, key: bool = False) -> dy.String:
    """Which predicates make key frames."""
    return text("which predicates make key frames: state or contact", key=key)


def question_set(*, key: bool = False) -> dy.String:
    """Named set of questions."""
    return text("named set of questions, which variants ask", key=key)


def model(*, key: bool = False) -> dy.String:
    """Model that answered."""
    return text("model that answered", key=key)


def variant(*, key: bool = False) -> dy.String:
    """Setting under which the pictures were made and asked."""
    return text("setting under which the pictures were made and asked", key=key)


def key_frame(*, key: bool = False) -> dy.Int64:
    """Index of the key frame, from 0."""
    return integer("index of the key frame, from 0", key=key)


def frame(*, key: bool = False) -> dy.Int64:
    """Frame of the replay."""
    return integer("frame of the replay", "frame", key=key)


def kind(*, key: bool = False) -> dy.String:
    """Forward (order images) or inverse (order actions)."""
    return text("forward (order images) or inverse (order actions)", key=key)


def world_source(*, key: bool = False) -> dy.String:
    """Where questions of WorldPrediction are from."""
    return text("embedded, or the step file whose annotations the questions are made from", key=key)


def length(*, key: bool = False) -> dy.Int64:
    """Key frames in the trajectory."""
    return integer("key frames in the trajectory; the answer has one entry fewer", key=key)


def any_length(*, key: bool = False) -> dy.Int64:
    """Trajectory length."""
    return integer("trajectory length; null for all", key=key, null=True)


def question_id(*, key: bool = False) -> dy.String:
    """Id from demonstration, gating, kind, frames and order shown."""
    return text("id from demonstration, gating, kind, frames and order shown", key=key)


def object_name(*, key: bool = False) -> dy.String:
    """Name of the object, unique in its demonstration."""
    return text("name of the object, unique in its demonstration", key=key)


def metric(*, key: bool = False) -> dy.String:
    """Task_accuracy or pairwise_accuracy."""
    return text("task_accuracy or pairwise_accuracy", key=key)


def published_model(*, key: bool = False) -> dy.String:
    """Model as the paper calls it."""
    return text("model as the paper calls it; Human for its annotators", key=key)


def published_variant(*, key: bool = False) -> dy.String:
    """The paper's setting, by the name of our variant."""
    return text("the paper's setting, by the name of our variant", key=key)


def step(*, key: bool = False) -> dy.Int64:
    """Step of the trajectory, from 1."""
    return integer("step of the trajectory, from 1", key=key)


def repetition(*, key: bool = False) -> dy.Int64:
    """How often the question was asked before."""
    return integer("how often the question was asked before, from 0", key=key)
