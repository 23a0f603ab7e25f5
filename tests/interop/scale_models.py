"""Functions as workers import them."""

import os
from typing import Any

import numpy as np


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


class Model:
    def __init__(self, w: Any):
        self.w = w

    def loss(self, shard: Any) -> Any:
        return float((self.w * shard).sum() ** 2)
