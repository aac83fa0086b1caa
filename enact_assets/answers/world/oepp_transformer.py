"""A small causal Transformer that predicts the label vectors of a plan one after the other.

Source: Vaswani et al. 2017, with the norm before each part (Xiong et al. 2020). The first token is
the pair of states, each later one the label before. Gradients are exact and written out, so that
nothing but NumPy is needed.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from enact_assets.answers.world.oepp_kernels import adam
from enact_assets.engine.ids import seed_from
from enact_assets.settings.arrays import Floats

WIDTH, HEADS, LAYERS, INNER = 32, 2, 1, 64
"""Size of a token, heads of attention, layers, and hidden units (tanh) of a layer."""
RATE = 1e-2
"""Step size of Adam."""
EPSILON = 1e-5
"""Added to a variance before the square root is taken."""

Weights = dict[str, Floats]
"""``state`` (inputs, WIDTH), ``label`` (size, WIDTH), ``place`` (T, WIDTH), ``end.`` and, by number
of the layer, ``0.`` and so on: scale and shift of a norm, and matrices.
"""


def drawn_weights(n_inputs: int, size: int, n_places: int) -> Weights:
    """Weights to begin with, the same each time: ``size`` is that of a label vector."""
    rng = np.random.default_rng(seed_from("oepp_transformer"))

    def matrix(n_in: int, n_out: int) -> Floats:
        return np.asarray(rng.standard_normal((n_in, n_out)) / np.sqrt(n_in))

    weights: Weights = {
        "state": matrix(n_inputs, WIDTH),
        "label": matrix(size, WIDTH),
        "place": 0.1 * matrix(1, n_places * WIDTH).reshape(n_places, WIDTH),
    }
    for layer in range(LAYERS):
        for name in ("query", "key", "value", "joined"):
            weights[f"{layer}.{name}"] = matrix(WIDTH, WIDTH)
        weights[f"{layer}.inner"] = matrix(WIDTH, INNER)
        weights[f"{layer}.inner_bias"] = np.zeros(INNER)
        weights[f"{layer}.outer"] = matrix(INNER, WIDTH)
        weights[f"{layer}.outer_bias"] = np.zeros(WIDTH)
    norms = [f"{layer}.{name}" for layer in range(LAYERS) for name in ("attended", "passed")]
    for name in (*norms, "end"):
        weights[f"{name}_scale"], weights[f"{name}_shift"] = np.ones(WIDTH), np.zeros(WIDTH)
    return weights | {"out": matrix(WIDTH, size), "out_bias": np.zeros(size)}


class _Normed(NamedTuple):
    """A norm's result, what it was before scale and shift, and one over the deviation."""

    result: Floats
    centred: Floats
    inverse: Floats


class _Attended(NamedTuple):
    """Queries, keys and values by head (B, HEADS, T, -1), shares (B, HEADS, T, T), and the joined
    result (B, T, WIDTH).
    """

    query: Floats
    key: Floats
    value: Floats
    shares: Floats
    result: Floats


class _Layer(NamedTuple):
    """What one layer computed, which its gradient needs."""

    before: _Normed
    attended: _Attended
    between: _Normed
    hidden: Floats


class _Pass(NamedTuple):
    """What a pass through all layers computed; ``predicted`` is (B, T, size)."""

    layers: list[_Layer]
    end: _Normed
    predicted: Floats


def predicted_labels(weights: Mapping[str, Floats], states: Floats, labels: Floats) -> Floats:
    """The label vector that is expected at each place after those before it.

    Shape: (B, inputs), (B, T, size) -> (B, T, size). The last label is not read.
    """
    return _forward(weights, states, labels).predicted


def loss_and_gradient(
    weights: Mapping[str, Floats], states: Floats, labels: Floats
) -> tuple[float, Weights]:
    """Half the squared error, summed over places and averaged over rows, and its derivative by each
    weight.

    Shape: as :func:`predicted_labels`.
    """
    done = _forward(weights, states, labels)
    error = (done.predicted - labels) / len(labels)
    by: Weights = {
        "out": np.einsum("btd,bts->ds", done.end.result, error),
        "out_bias": error.sum(axis=(0, 1)),
    }
    flow = _norm_back(weights, "end", done.end, error @ weights["out"].T, by)
    for number in reversed(range(LAYERS)):
        flow = _layer_back(weights, number, done.layers[number], flow, by)
    by["place"] = flow.sum(axis=0)
    by["state"] = states.T @ flow[:, 0]
    by["label"] = np.einsum("bts,btd->sd", labels[:, :-1], flow[:, 1:])
    return float(((done.predicted - labels) ** 2).sum() / 2 / len(labels)), by


def train_transformer(states: Floats, labels: Floats, orders: np.ndarray, batch: int) -> Weights:
    """Weights fitted by Adam to windows, in batches.

    Shape: (n, inputs), (n, T, size), orders (epochs, n): the rows as each epoch shows them.
    """
    weights = drawn_weights(states.shape[1], labels.shape[2], labels.shape[1])
    first = {name: np.zeros(w.size) for name, w in weights.items()}
    second = {name: np.zeros(w.size) for name, w in weights.items()}
    step = 0
    for order in orders:
        for begin in range(0, len(order), batch):
            rows = order[begin : begin + batch]
            _, by = loss_and_gradient(weights, states[rows], labels[rows])
            step += 1
            now = RATE * np.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step)
            for name, weight in weights.items():
                adam(weight.ravel(), by[name].ravel(), first[name], second[name], now)
    return weights


def _forward(weights: Mapping[str, Floats], states: Floats, labels: Floats) -> _Pass:
    tokens = np.empty((*labels.shape[:2], WIDTH))
    tokens[:, 0] = states @ weights["state"]
    tokens[:, 1:] = labels[:, :-1] @ weights["label"]
    tokens += weights["place"][: labels.shape[1]]
    layers = []
    for number in range(LAYERS):
        before = _norm(weights, f"{number}.attended", tokens)
        attended = _attend(weights, number, before.result)
        tokens = tokens + attended.result @ weights[f"{number}.joined"]
        between = _norm(weights, f"{number}.passed", tokens)
        inner = between.result @ weights[f"{number}.inner"] + weights[f"{number}.inner_bias"]
        hidden = np.tanh(inner)
        tokens = tokens + hidden @ weights[f"{number}.outer"] + weights[f"{number}.outer_bias"]
        layers.append(_Layer(before, attended, between, hidden))
    end = _norm(weights, "end", tokens)
    return _Pass(layers, end, end.result @ weights["out"] + weights["out_bias"])


def _layer_back(
    weights: Mapping[str, Floats], number: int, done: _Layer, flow: Floats, by: Weights
) -> Floats:
    """The gradient before a layer from that behind it; adds those of its weights to ``by``."""
    by[f"{number}.outer"] = np.einsum("bti,btd->id", done.hidden, flow)
    by[f"{number}.outer_bias"] = flow.sum(axis=(0, 1))
    inner = (flow @ weights[f"{number}.outer"].T) * (1.0 - done.hidden**2)
    by[f"{number}.inner"] = np.einsum("btd,bti->di", done.between.result, inner)
    by[f"{number}.inner_bias"] = inner.sum(axis=(0, 1))
    back = inner @ weights[f"{number}.inner"].T
    flow = flow + _norm_back(weights, f"{number}.passed", done.between, back, by)
    by[f"{number}.joined"] = np.einsum("btd,bte->de", done.attended.result, flow)
    back = flow @ weights[f"{number}.joined"].T
    back = _attend_back(weights, number, done, back, by)
    return flow + _norm_back(weights, f"{number}.attended", done.before, back, by)


def _norm(weights: Mapping[str, Floats], name: str, tokens: Floats) -> _Normed:
    centred = tokens - tokens.mean(axis=-1, keepdims=True)
    inverse = 1.0 / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    centred = centred * inverse
    result = centred * weights[f"{name}_scale"] + weights[f"{name}_shift"]
    return _Normed(result, centred, inverse)


def _norm_back(
    weights: Mapping[str, Floats], name: str, done: _Normed, flow: Floats, by: Weights
) -> Floats:
    by[f"{name}_scale"] = (flow * done.centred).sum(axis=(0, 1))
    by[f"{name}_shift"] = flow.sum(axis=(0, 1))
    flow = flow * weights[f"{name}_scale"]
    along = (flow * done.centred).mean(axis=-1, keepdims=True)
    mean = flow.mean(axis=-1, keepdims=True)
    return np.asarray((flow - mean - done.centred * along) * done.inverse)


def _attend(weights: Mapping[str, Floats], number: int, tokens: Floats) -> _Attended:
    query, key, value = (
        _by_head(tokens @ weights[f"{number}.{name}"]) for name in ("query", "key", "value")
    )
    scores = query @ key.swapaxes(2, 3) / np.sqrt(query.shape[3])
    n = scores.shape[2]
    scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return _Attended(query, key, value, shares, _joined(shares @ value))


def _attend_back(
    weights: Mapping[str, Floats], number: int, done: _Layer, flow: Floats, by: Weights
) -> Floats:
    tokens, found = done.before.result, done.attended
    of_heads = _by_head(flow)
    of_shares = of_heads @ found.value.swapaxes(2, 3)
    mean = (of_shares * found.shares).sum(axis=-1, keepdims=True)
    of_scores = found.shares * (of_shares - mean) / np.sqrt(found.query.shape[3])
    parts = {
        "query": of_scores @ found.key,
        "key": of_scores.swapaxes(2, 3) @ found.query,
        "value": found.shares.swapaxes(2, 3) @ of_heads,
    }
    back = np.zeros_like(tokens)
    for name, part in parts.items():
        joined = _joined(part)
        by[f"{number}.{name}"] = np.einsum("btd,bte->de", tokens, joined)
        back += joined @ weights[f"{number}.{name}"].T
    return back


def _by_head(tokens: Floats) -> Floats:
    """(B, T, WIDTH) -> (B, HEADS, T, WIDTH / HEADS)."""
    return tokens.reshape(*tokens.shape[:2], HEADS, -1).swapaxes(1, 2)


def _joined(heads: Floats) -> Floats:
    """Inverse of :func:`_by_head`."""
    return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)
