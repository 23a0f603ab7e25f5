"""The loss of a character model of two LSTM layers with diagonal gates, one of the objectives of ADBench.

`weights` has two rows for each layer: the weights of its forget, input, output and change gates, and their biases.
`extra` has the weights of the input, and weights and biases of the output. `state` has the hidden values and the cell's
of each layer. `text` has one row of 0 and 1 for every character.
"""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

LAYERS, BITS, CHARACTERS = 2, 14, 1024


@njit
def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


@njit
def loss(weights, extra, state, text):
    layers = weights.shape[0] // 2
    length, b = text.shape
    state = state.copy()
    x = np.empty(b)
    y = np.empty(b)
    total = 0.0
    count = 0
    for t in range(length - 1):
        for i in range(b):
            x[i] = text[t, i] * extra[0, i]
        for layer in range(layers):
            w = weights[2 * layer]
            bias = weights[2 * layer + 1]
            hidden = state[2 * layer]
            cell = state[2 * layer + 1]
            for i in range(b):
                forget = sigmoid(x[i] * w[i] + bias[i])
                ingate = sigmoid(hidden[i] * w[b + i] + bias[b + i])
                outgate = sigmoid(x[i] * w[2 * b + i] + bias[2 * b + i])
                change = math.tanh(hidden[i] * w[3 * b + i] + bias[3 * b + i])
                cell[i] = cell[i] * forget + ingate * change
                hidden[i] = outgate * math.tanh(cell[i])
            for i in range(b):
                x[i] = hidden[i]
        total_exp = 2.0
        for i in range(b):
            y[i] = x[i] * extra[1, i] + extra[2, i]
            total_exp += math.exp(y[i])
        log_total = math.log(total_exp)
        for i in range(b):
            total += text[t + 1, i] * (y[i] - log_total)
        count += b
    return -total / count


@njit
def loss_by_hand(weights, extra, state, text):
    """Keeps gates and states of every step."""
    layers = weights.shape[0] // 2
    length, b = text.shape
    steps = length - 1
    states = np.empty((steps + 1, 2 * layers, b))
    gates = np.empty((steps, layers, 5, b))
    exps = np.empty((steps, b))
    totals = np.empty(steps)
    states[0] = state
    for t in range(steps):
        for layer in range(layers):
            w = weights[2 * layer]
            bias = weights[2 * layer + 1]
            for i in range(b):
                x = text[t, i] * extra[0, i] if layer == 0 else states[t + 1, 2 * layer - 2, i]
                hidden = states[t, 2 * layer, i]
                forget = sigmoid(x * w[i] + bias[i])
                ingate = sigmoid(hidden * w[b + i] + bias[b + i])
                outgate = sigmoid(x * w[2 * b + i] + bias[2 * b + i])
                change = math.tanh(hidden * w[3 * b + i] + bias[3 * b + i])
                cell = states[t, 2 * layer + 1, i] * forget + ingate * change
                tanh_cell = math.tanh(cell)
                states[t + 1, 2 * layer + 1, i] = cell
                states[t + 1, 2 * layer, i] = outgate * tanh_cell
                gates[t, layer, 0, i] = forget
                gates[t, layer, 1, i] = ingate
                gates[t, layer, 2, i] = outgate
                gates[t, layer, 3, i] = change
                gates[t, layer, 4, i] = tanh_cell
        total_exp = 2.0
        for i in range(b):
            exps[t, i] = math.exp(states[t + 1, 2 * layers - 2, i] * extra[1, i] + extra[2, i])
            total_exp += exps[t, i]
        totals[t] = total_exp
    weights_bar = np.zeros_like(weights)
    extra_bar = np.zeros_like(extra)
    state_bar = np.zeros((2 * layers, b))
    x_bar = np.empty(b)
    total_bar = -1.0 / (steps * b)
    for t in range(steps - 1, -1, -1):
        ones = 0.0
        for i in range(b):
            ones += text[t + 1, i]
        for i in range(b):
            y_bar = total_bar * (text[t + 1, i] - ones * exps[t, i] / totals[t])
            extra_bar[1, i] += states[t + 1, 2 * layers - 2, i] * y_bar
            extra_bar[2, i] += y_bar
            x_bar[i] = extra[1, i] * y_bar
        for layer in range(layers - 1, -1, -1):
            w = weights[2 * layer]
            w_bar = weights_bar[2 * layer]
            bias_bar = weights_bar[2 * layer + 1]
            for i in range(b):
                x = text[t, i] * extra[0, i] if layer == 0 else states[t + 1, 2 * layer - 2, i]
                hidden = states[t, 2 * layer, i]
                cell = states[t, 2 * layer + 1, i]
                forget = gates[t, layer, 0, i]
                ingate = gates[t, layer, 1, i]
                outgate = gates[t, layer, 2, i]
                change = gates[t, layer, 3, i]
                tanh_cell = gates[t, layer, 4, i]
                hidden_bar = state_bar[2 * layer, i] + x_bar[i]
                outgate_bar = tanh_cell * hidden_bar
                cell_bar = state_bar[2 * layer + 1, i] + outgate * (1 - tanh_cell * tanh_cell) * hidden_bar
                forget_bar = cell * cell_bar * forget * (1 - forget)
                ingate_bar = change * cell_bar * ingate * (1 - ingate)
                change_bar = ingate * cell_bar * (1 - change * change)
                outgate_bar = outgate_bar * outgate * (1 - outgate)
                state_bar[2 * layer + 1, i] = forget * cell_bar
                state_bar[2 * layer, i] = w[b + i] * ingate_bar + w[3 * b + i] * change_bar
                x_bar[i] = w[i] * forget_bar + w[2 * b + i] * outgate_bar
                w_bar[i] += x * forget_bar
                bias_bar[i] += forget_bar
                w_bar[b + i] += hidden * ingate_bar
                bias_bar[b + i] += ingate_bar
                w_bar[2 * b + i] += x * outgate_bar
                bias_bar[2 * b + i] += outgate_bar
                w_bar[3 * b + i] += hidden * change_bar
                bias_bar[3 * b + i] += change_bar
        for i in range(b):
            extra_bar[0, i] += text[t, i] * x_bar[i]
    return weights_bar, extra_bar


def step_of(xp):
    """One character: the new state, and what it adds to the loss's total."""

    def gate(x):
        return 1 / (1 + xp.exp(-x))

    def step(weights, extra, state, character, following):
        b = character.shape[0]
        x = character * extra[0]
        new = []
        for layer in range(weights.shape[0] // 2):
            w, bias = weights[2 * layer], weights[2 * layer + 1]
            hidden, cell = state[2 * layer], state[2 * layer + 1]
            forget = gate(x * w[:b] + bias[:b])
            ingate = gate(hidden * w[b : 2 * b] + bias[b : 2 * b])
            outgate = gate(x * w[2 * b : 3 * b] + bias[2 * b : 3 * b])
            change = xp.tanh(hidden * w[3 * b :] + bias[3 * b :])
            cell = cell * forget + ingate * change
            x = outgate * xp.tanh(cell)
            new += [x, cell]
        y = x * extra[1] + extra[2]
        return new, xp.sum(following * (y - xp.log(2.0 + xp.sum(xp.exp(y)))))

    return step


def loss_of(xp):
    step = step_of(xp)

    def run(weights, extra, state, text):
        state = list(state)
        total = 0.0
        for t in range(len(text) - 1):
            state, part = step(weights, extra, state, text[t], text[t + 1])
            total = total + part
        return -total / ((text.shape[0] - 1) * text.shape[1])

    return run


def loss_with_jax(xp):
    from jax import lax

    step = step_of(xp)

    def run(weights, extra, state, text):
        def scanned(state, characters):
            return step(weights, extra, state, *characters)

        _, parts = lax.scan(scanned, list(state), (text[:-1], text[1:]))
        return -xp.sum(parts) / ((text.shape[0] - 1) * text.shape[1])

    return run


def data(length: int) -> tuple:
    rng = np.random.default_rng(0)
    weights, extra = 0.1 * rng.normal(size=(2 * LAYERS, 4 * BITS)), rng.normal(size=(3, BITS))
    state = rng.normal(size=(2 * LAYERS, BITS))
    return weights, extra, state, (rng.random((length, BITS)) < 0.1).astype(float)


PROBLEMS = (
    Problem(
        name="lstm",
        title=f"LSTM, {LAYERS} layers, {CHARACTERS} characters",
        primal=loss,
        by_hand=loss_by_hand,
        wrt=(0, 1),
        arguments=data,
        size=CHARACTERS,
        sizes=(1024, 4096, 16_384, 65_536),
        goal=1.5,
        peers={"JAX": loss_with_jax, "PyTorch": loss_of, "HIPS autograd": loss_of},
    ),
)
