"""Programs that map their work over processes and threads, as they stand, against the serial gradient."""

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from scale_models import (
    Model,
    dies,
    dies_on_two,
    doctored,
    fails_on_three,
    features,
    loss,
    of_numbers,
    scaled_loss,
    sleeps,
    structured,
)

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


def central(f, h=1e-5):
    return np.array([(f(W + h * e) - f(W - h * e)) / (2 * h) for e in np.eye(5)])


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


def objects_and_containers(submit, w):
    found = submit(structured, w, SHARDS[0]).result()
    numbers = submit(of_numbers, {"a": w[0], "b": [w[1] * w[2]]}, [3.0, w[3]])
    model = submit(Model(w**2), SHARDS[1])
    done, others = wait([numbers, model])
    assert not others and numbers.done() and model.exception() is None and not model.cancelled()
    return found["inner"][0] * found["inner"][1][0].sum() + sum(c.result(timeout=60) for c in done) ** 2


def test_structures_of_arguments_and_results(pool):
    here, v = (lambda w: objects_and_containers(threads.submit, w)), np.arange(5.0)
    with ThreadPoolExecutor(1) as threads:
        there = lambda w: objects_and_containers(pool.submit, w)
        np.testing.assert_allclose(morula.gradient(there, W)[0], central(there), rtol=1e-7)
        np.testing.assert_allclose(morula.jvp(there, (W,), (v,)), morula.jvp(here, (W,), (v,)), rtol=1e-12)
        np.testing.assert_allclose(morula.hvp(there, W, v), morula.hvp(here, W, v), rtol=1e-11)


def test_exceptions_keep_type_and_message(pool):
    with pytest.raises(KeyError, match="task three"):
        morula.gradient(lambda w: sum(pool.map(fails_on_three, [w] * 4, range(1, 5))), 2.0)


def test_a_worker_that_dies_is_an_error():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as own, pytest.raises(BrokenProcessPool):
        morula.gradient(lambda w: own.submit(dies, w).result(), 2.0)


def test_timeouts_and_workers_of_multiprocessing_that_die(pool):
    with pytest.raises(TimeoutError):
        morula.gradient(lambda w: pool.submit(sleeps, w, 1.0).result(timeout=0.05), W)
    with multiprocessing.get_context("spawn").Pool(1) as own:
        with pytest.raises(multiprocessing.TimeoutError):
            morula.gradient(lambda w: own.apply_async(sleeps, (w, 1.0)).get(timeout=0.05), W)
        with pytest.raises(multiprocessing.ProcessError, match="a worker of the pool died"):
            morula.gradient(lambda w: sum(own.starmap(dies_on_two, [(w, k) for k in range(4)])), W)
        assert morula.gradient(lambda w: sum(own.starmap(dies_on_two, [(w, k) for k in (0, 1)])), W)[0].sum() == 5


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


@pytest.mark.parametrize(
    "options", [{}, {"prefer": "threads"}, {"return_as": "generator_unordered"}], ids=lambda d: str(*d.values())
)
def test_closures_defaults_and_callables_over_joblib(options):
    joblib = pytest.importorskip("joblib")

    def program(w, jobs=2):
        data = {"shards": SHARDS}

        def inner(k):
            return np.sin(w * data["shards"][k])

        def task(k, *, p=w * w):
            return (inner(k) * p).sum() * w[0]

        with joblib.Parallel(n_jobs=jobs, **options) as parallel:
            first = sum(parallel(joblib.delayed(task)(k) for k in range(4)))
            return first * sum(parallel(joblib.delayed(Model(w))(s) for s in SHARDS))

    v = np.arange(5.0)
    plain = lambda w: program(w, 1)
    np.testing.assert_allclose(morula.gradient(program, W)[0], central(program), rtol=1e-7)
    np.testing.assert_allclose(morula.hvp(program, W, v), morula.hvp(plain, W, v), rtol=1e-10)


def test_rules_hold_on_workers(pool):
    run = lambda g, tasks: list(pool.map(g, tasks))
    programs = [
        lambda w: sum(pool.map(doctored, [w, w])),
        lambda w: pool.submit(doctored, w).result() * 2.0,
        lambda w: sum(morula.remote_map(run, doctored, [(w,), (w,)])),
    ]
    for program in programs:
        np.testing.assert_allclose(morula.gradient(program, W)[0], 4000.0 * W)
