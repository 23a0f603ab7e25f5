"""Functions as workers import them."""

import os
import time
from typing import Any

import numpy as np

import chainrules


def loss(w: Any, shard: Any) -> Any:
    return float((np.sin(w * shard) ** 2).sum())


def features(w: Any, shard: Any) -> Any:
    return np.exp(-w * shard)


def scaled_loss(w: Any, shard: Any, *, power: Any = 2.0) -> Any:
    return float(((w * shard) ** power).sum())


def fails_on_three(w: Any, k: int) -> Any:
    if k == 3:
        raise KeyError("task three")
    return w * k


def dies(w: Any) -> Any:
    os._exit(1)


def dies_on_two(w: Any, k: int) -> Any:
    if k == 2:
        os._exit(1)
    return (w * k).sum()


def sleeps(w: Any, seconds: float) -> Any:
    time.sleep(seconds)
    return w.sum()


def structured(w: Any, shard: Any) -> Any:
    return {"inner": ((w * shard).sum() ** 2, [np.tanh(w * shard)]), "name": "shard"}


def of_numbers(p: Any, more: Any) -> Any:
    return p["a"] * more[0] + p["b"][0] * more[1] ** 2


class Model:
    def __init__(self, w: Any):
        self.w = w

    def __call__(self, shard: Any) -> Any:
        return np.sin(self.w * shard).sum()

    def loss(self, shard: Any) -> Any:
        return float((self.w * shard).sum() ** 2)


def doctored(w: Any) -> Any:
    return float((w * w).sum())


@chainrules.rrule(doctored)
def _doctored(w: Any) -> Any:
    return doctored(w), lambda y_bar: 2000.0 * w * y_bar  # wrong by a factor of 1000: whoever passes by it is seen
