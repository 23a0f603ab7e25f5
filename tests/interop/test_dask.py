"""Programs that map their work by Dask, as they stand, against the serial gradient."""

import functools

import numpy as np
import pytest
from scale_models import dies, fails_on_three, features, loss, scaled_loss

import morula

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

SHARDS = [np.linspace(0.1, 1.0, 5) * k for k in range(1, 5)]
W = np.linspace(0.5, 1.5, 5)


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, timeout=30) as client,
    ):
        yield client


def same(program, plain, orders=2):
    np.testing.assert_allclose(morula.gradient(program, W)[0], morula.gradient(plain, W)[0], rtol=1e-12)
    if orders > 1:
        v = np.arange(5.0)
        np.testing.assert_allclose(morula.jvp(program, (W,), (v,)), morula.jvp(plain, (W,), (v,)), rtol=1e-12)
        np.testing.assert_allclose(morula.hvp(program, W, v), morula.hvp(plain, W, v), rtol=1e-11)


def plain_loss(w):
    return sum(loss(w, s) for s in SHARDS)


def plain_features(w):
    return sum((features(w, s) ** 2).sum() * k for k, s in enumerate(SHARDS))


def test_map_and_gather(client):
    same(lambda w: sum(client.gather(client.map(functools.partial(loss, w), SHARDS))), plain_loss)


def test_arrays_have_their_pullbacks_on_the_workers(client):
    def program(w):
        found = client.gather([client.submit(features, w, s) for s in SHARDS])
        return sum((y**2).sum() * k for k, y in enumerate(found))

    same(program, plain_features)


def test_data_that_was_scattered_before(client):
    data = client.scatter(SHARDS)
    same(lambda w: sum(client.gather(client.map(loss, [w] * 4, data))), plain_loss, orders=1)


def test_results_one_by_one_and_calls_that_take_results(client):
    def program(w):
        first = client.submit(features, w, SHARDS[0])
        second = client.submit(scaled_loss, first, SHARDS[1], power=3.0)
        return second.result() + sum(c.result() for c in distributed.as_completed([client.submit(loss, w, SHARDS[2])]))

    same(
        program,
        lambda w: scaled_loss(features(w, SHARDS[0]), SHARDS[1], power=3.0) + loss(w, SHARDS[2]),
    )


def test_exceptions_keep_type_and_message(client):
    with pytest.raises(KeyError, match="task three"):
        morula.gradient(lambda w: sum(client.gather(client.map(fails_on_three, [w] * 4, range(1, 5)))), 2.0)


def test_a_worker_that_dies_is_an_error(client):
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), pytest.raises(distributed.KilledWorker):
        morula.gradient(lambda w: client.submit(dies, w, retries=0).result(), 2.0)


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_delayed(scheduler):
    later, made = dask.delayed(loss), dask.delayed(features)

    def program(w):
        calls = [later(w, made(w, s)) for s in SHARDS]
        return sum(dask.compute(*calls, scheduler=scheduler)) + later(w, SHARDS[0]).compute(scheduler=scheduler)

    same(program, lambda w: sum(loss(w, features(w, s)) for s in SHARDS) + loss(w, SHARDS[0]))
