"""Programs that map their work over processes and threads, as they stand, against the serial gradient."""

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from scale_models import Model, dies, fails_on_three, features, loss, scaled_loss

import morula

SHARDS = [np.linspace(0.1, 1.0, 5) * k for k in range(1, 5)]
W = np.linspace(0.5, 1.5, 5)


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        yield pool


def mapped(map_, w):
    return sum(map_(functools.partial(loss, w), SHARDS))


def with_two_iterables(map_, w):
    return sum(map_(loss, [w, 2 * w], SHARDS)) ** 2


def arrays(map_, w):
    total = np.zeros(5)
    for k, y in enumerate(map_(features, [w] * 4, SHARDS)):
        total += k * y
    return (total**2).sum()


def methods(map_, w):
    return sum(map_(Model(w * 2).loss, SHARDS))


PROGRAMS = [mapped, with_two_iterables, arrays, methods]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_map_over_processes(pool, program):
    found = morula.gradient(lambda w: program(pool.map, w), W)[0]
    np.testing.assert_allclose(found, morula.gradient(lambda w: program(map, w), W)[0], rtol=1e-12)


@pytest.mark.parametrize("program", [mapped, with_two_iterables, arrays], ids=lambda p: p.__name__)
def test_second_order_and_forward_mode(pool, program):
    v = np.arange(5.0)
    there, here = (lambda w: program(pool.map, w)), (lambda w: program(map, w))
    np.testing.assert_allclose(morula.jvp(there, (W,), (v,)), morula.jvp(here, (W,), (v,)), rtol=1e-12)
    np.testing.assert_allclose(morula.hvp(there, W, v), morula.hvp(here, W, v), rtol=1e-11)


def test_submit_keywords_and_as_completed(pool):
    def program(w):
        calls = [pool.submit(scaled_loss, w, s, power=3.0) for s in SHARDS]
        return sum(c.result() for c in as_completed(calls))

    np.testing.assert_allclose(
        morula.gradient(program, W)[0],
        morula.gradient(lambda w: sum(scaled_loss(w, s, power=3.0) for s in SHARDS), W)[0],
    )


def test_a_pool_that_is_closed_before_the_way_back():
    def program(w):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as own:
            return arrays(own.map, w)

    np.testing.assert_allclose(morula.gradient(program, W)[0], morula.gradient(lambda w: arrays(map, w), W)[0])


def test_pullbacks_run_any_number_of_times(pool):
    _, back = morula.pullback(lambda w: np.array(list(pool.map(functools.partial(loss, w), SHARDS))), W)
    _, wanted = morula.pullback(lambda w: np.array([loss(w, s) for s in SHARDS]), W)
    for seed in (np.ones(4), np.arange(4.0)):
        np.testing.assert_allclose(back(seed)[0], wanted(seed)[0])


def test_unused_results_and_plain_calls(pool):
    def program(w):
        first, *_ = pool.map(loss, [w] * 4, SHARDS)
        plain = sum(pool.map(loss, [np.ones(5)] * 4, SHARDS))
        return first + 0.0 * plain

    np.testing.assert_allclose(morula.gradient(program, W)[0], morula.gradient(loss, W, SHARDS[0])[0])


def test_exceptions_keep_type_and_message(pool):
    with pytest.raises(KeyError, match="task three"):
        morula.gradient(lambda w: sum(pool.map(fails_on_three, [w] * 4, range(1, 5))), 2.0)


def test_a_worker_that_dies_is_an_error():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as own, pytest.raises(BrokenProcessPool):
        morula.gradient(lambda w: own.submit(dies, w).result(), 2.0)


def test_threads_run_here_and_keep_closures():
    def program(w):
        total = 0.0
        with ThreadPoolExecutor(2) as pool:
            for y in pool.map(lambda s: (w * s).sum(), SHARDS):
                total += y
            total += pool.submit(loss, w, SHARDS[0]).result()
        return total

    wanted = morula.gradient(lambda w: sum((w * s).sum() for s in SHARDS) + loss(w, SHARDS[0]), W)[0]
    np.testing.assert_allclose(morula.gradient(program, W)[0], wanted)


@pytest.mark.parametrize("closed", [False, True])
def test_pools_of_multiprocessing(closed):
    context = multiprocessing.get_context("spawn")

    def program(own, w):
        return arrays(lambda f, *rows: own.starmap(f, zip(*rows, strict=True)), w) + sum(
            own.map(functools.partial(loss, w), SHARDS)
        ) + own.apply(scaled_loss, (w, SHARDS[0]), {"power": 3.0})  # fmt: skip

    wanted = morula.gradient(lambda w: arrays(map, w) + mapped(map, w) + scaled_loss(w, SHARDS[0], power=3.0), W)[0]
    if closed:

        def whole(w):
            with context.Pool(1) as own:
                return program(own, w)

        np.testing.assert_allclose(morula.gradient(whole, W)[0], wanted)
    else:
        with context.Pool(1) as own:
            np.testing.assert_allclose(morula.gradient(lambda w: program(own, w), W)[0], wanted)


@pytest.mark.parametrize("jobs", [1, 2])
def test_joblib(jobs):
    joblib = pytest.importorskip("joblib")

    def program(w):
        return sum(joblib.Parallel(n_jobs=jobs)(joblib.delayed(scaled_loss)(w, s, power=3.0) for s in SHARDS))

    def plain(w):
        return sum(scaled_loss(w, s, power=3.0) for s in SHARDS)

    np.testing.assert_allclose(morula.gradient(program, W)[0], morula.gradient(plain, W)[0])
    np.testing.assert_allclose(morula.hvp(program, W, np.ones(5)), morula.hvp(plain, W, np.ones(5)))
