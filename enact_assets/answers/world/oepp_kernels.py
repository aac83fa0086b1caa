"""Numba kernel: training of a network with one hidden layer, in one thread, the same each time."""

from typing import NamedTuple

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Floats, Ints

RATE = 3e-3
"""Step size of Adam."""


class Network(NamedTuple):
    """Weights (inputs, hidden), (hidden,), (hidden, outputs), (outputs,); hidden units are tanh."""

    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats


@njit(cache=True)
def adam(weights: Floats, gradient: Floats, first: Floats, second: Floats, rate: float) -> None:
    """One step of Adam (Kingma and Ba 2015) for flat arrays; ``rate`` has the corrections."""
    for k in range(weights.size):
        first[k] = 0.9 * first[k] + 0.1 * gradient[k]
        second[k] = 0.999 * second[k] + 0.001 * gradient[k] * gradient[k]
        weights[k] -= rate * first[k] / (np.sqrt(second[k]) + 1e-8)


@njit(cache=True)
def train(network: Network, states: Floats, labels: Floats, orders: Ints, batch: int) -> None:
    """Fit ``network`` in place by half the mean squared error over batches.

    Shape: states (n, inputs), labels (n, outputs), orders (epochs, n): the rows in the order in
    which each epoch shows them.
    """
    n, n_in = states.shape
    n_hidden, n_out = network.outer.shape
    inner_by, bias_by = np.zeros((n_in, n_hidden)), np.zeros(n_hidden)
    outer_by, end_by = np.zeros((n_hidden, n_out)), np.zeros(n_out)
    inner_1, inner_2 = np.zeros(n_in * n_hidden), np.zeros(n_in * n_hidden)
    bias_1, bias_2 = np.zeros(n_hidden), np.zeros(n_hidden)
    outer_1, outer_2 = np.zeros(n_hidden * n_out), np.zeros(n_hidden * n_out)
    end_1, end_2 = np.zeros(n_out), np.zeros(n_out)
    hidden, error, back = np.zeros(n_hidden), np.zeros(n_out), np.zeros(n_hidden)
    step = 0
    for epoch in range(orders.shape[0]):
        for begin in range(0, n, batch):
            end = min(begin + batch, n)
            inner_by[:] = 0.0
            bias_by[:] = 0.0
            outer_by[:] = 0.0
            end_by[:] = 0.0
            for at in range(begin, end):
                row = orders[epoch, at]
                hidden[:] = network.inner_bias
                for i in range(n_in):
                    for h in range(n_hidden):
                        hidden[h] += states[row, i] * network.inner[i, h]
                error[:] = network.outer_bias
                for h in range(n_hidden):
                    hidden[h] = np.tanh(hidden[h])
                    for o in range(n_out):
                        error[o] += hidden[h] * network.outer[h, o]
                for o in range(n_out):
                    error[o] = (error[o] - labels[row, o]) / (end - begin)
                    end_by[o] += error[o]
                for h in range(n_hidden):
                    total = 0.0
                    for o in range(n_out):
                        total += error[o] * network.outer[h, o]
                        outer_by[h, o] += hidden[h] * error[o]
                    back[h] = total * (1.0 - hidden[h] * hidden[h])
                    bias_by[h] += back[h]
                for i in range(n_in):
                    for h in range(n_hidden):
                        inner_by[i, h] += states[row, i] * back[h]
            step += 1
            now = RATE * np.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step)
            adam(network.inner.ravel(), inner_by.ravel(), inner_1, inner_2, now)
            adam(network.inner_bias, bias_by, bias_1, bias_2, now)
            adam(network.outer.ravel(), outer_by.ravel(), outer_1, outer_2, now)
            adam(network.outer_bias, end_by, end_1, end_2, now)
