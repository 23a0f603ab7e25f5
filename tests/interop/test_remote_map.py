"""Maps by engines that nobody has told Morula of."""

import functools
import math
import multiprocessing

import numpy as np
import pytest
from scale_models import Model, features, loss, scaled_loss

import morula

SHARDS = [np.linspace(0.1, 1.0, 5) * k for k in range(1, 5)]
W = np.linspace(0.5, 1.5, 5)


def here(f, tasks):
    return [f(task) for task in tasks]


def numbers(run, w):
    return sum(morula.remote_map(run, loss, [(w, s) for s in SHARDS])) ** 2


def arrays(run, w):
    return sum((y**2).sum() * k for k, y in enumerate(morula.remote_map(run, features, [(w, s) for s in SHARDS])))


def unused(run, w):
    return morula.remote_map(run, features, [(w, s) for s in SHARDS])[2].sum()


@pytest.mark.parametrize("program", [numbers, arrays, unused], ids=lambda p: p.__name__)
def test_all_orders(program):
    def plain(w):
        def run(f, tasks):
            raise AssertionError

        ys = [(loss if program is numbers else features)(w, s) for s in SHARDS]
        if program is numbers:
            return sum(ys) ** 2
        return ys[2].sum() if program is unused else sum((y**2).sum() * k for k, y in enumerate(ys))

    v = np.arange(5.0)
    f = lambda w: program(here, w)
    np.testing.assert_allclose(morula.gradient(f, W)[0], morula.gradient(plain, W)[0], rtol=1e-12)
    np.testing.assert_allclose(morula.jvp(f, (W,), (v,)), morula.jvp(plain, (W,), (v,)), rtol=1e-12)
    np.testing.assert_allclose(morula.hvp(f, W, v), morula.hvp(plain, W, v), rtol=1e-11)


def test_numbers_take_one_visit():
    visits = []

    def run(f, tasks):
        visits.append(len(tasks))
        return here(f, tasks)

    morula.gradient(lambda w: numbers(run, w), W)
    assert visits == [4]
    visits.clear()
    morula.gradient(lambda w: arrays(run, w), W)
    assert visits == [4, 4]
    visits.clear()
    assert morula.remote_map(run, math.pow, [(2.0, 3.0)]) == [8.0]
    assert morula.gradient(lambda x: sum(morula.remote_map(run, math.pow, [])) + x, 2.0) == (1.0,)


def test_over_a_pool_and_calls_that_go_on():
    with multiprocessing.get_context("spawn").Pool(1) as pool:

        def program(w):
            one = pool.apply_async(scaled_loss, (w, SHARDS[0]), {"power": 3.0})
            many = pool.starmap_async(features, [(w, s) for s in SHARDS])
            same = pool.map_async(np.sum, [w, w * w])
            return one.get() + sum(y.sum() for y in many.get(timeout=60)) * sum(same.get()) + numbers(pool.map, w)

        wanted = morula.gradient(
            lambda w: (
                scaled_loss(w, SHARDS[0], power=3.0)
                + sum(features(w, s).sum() for s in SHARDS) * (w.sum() + (w * w).sum())
                + sum(loss(w, s) for s in SHARDS) ** 2
            ),
            W,
        )[0]
        np.testing.assert_allclose(morula.gradient(program, W)[0], wanted, rtol=1e-12)
        with pytest.raises(morula.NotDifferentiable, match="callback"):
            morula.gradient(lambda w: pool.apply_async(loss, (w, SHARDS[0]), callback=print).get(), W)


def test_functions_that_hold_active_values():
    held = lambda w: [Model(w), Model(w).loss, functools.partial(loss, w), lambda s: (w * s).sum() ** 3]
    program = lambda w: sum([sum(morula.remote_map(here, f, [(s,) for s in SHARDS])) for f in held(w)])
    plain = lambda w: sum([sum(map(f, SHARDS)) for f in held(w)])
    np.testing.assert_allclose(morula.gradient(program, W)[0], morula.gradient(plain, W)[0], rtol=1e-12)
    np.testing.assert_allclose(morula.hvp(program, W, W), morula.hvp(plain, W, W), rtol=1e-11)
