"""Programs that map their work by Dask, as they stand, against the serial gradient."""

import functools
import subprocess
import sys

import numpy as np
import pytest
from scale_models import dies, doctored, fails_on_three, features, loss, scaled_loss

import morula

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
db = pytest.importorskip("dask.bag")

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


def test_operators_attributes_and_methods_of_what_is_computed_later():
    later = dask.delayed(features)

    def program(w):
        first = later(w, SHARDS[0])
        return dask.delayed(sum)([first.sum() * 2.0, -(first[1:] ** 2).sum(), first.T[0] / 3.0]).compute(
            scheduler="sync"
        )

    def plain(w):
        first = features(w, SHARDS[0])
        return 2.0 * first.sum() - (first[1:] ** 2).sum() + first[0] / 3.0

    same(program, plain)


def test_values_are_no_views_of_arguments_where_all_runs_in_one_process():
    given = dask.delayed(lambda w, s: (w, float((w * s).sum()), s))

    def program(w):
        own, number, shard = given(w, SHARDS[1]).compute(scheduler="sync")
        return (own**2).sum() + number + (shard * w).sum()

    same(program, lambda w: (w**2).sum() + 2.0 * (w * SHARDS[1]).sum())


BAGS = {
    "map": (lambda bag, w: bag.map(lambda s: loss(w, s)).sum(), lambda y: sum(y)),
    "keywords": (lambda bag, w: bag.map(loss_of, w=w).mean(), lambda y: sum(y) / 6),
    "fold": (lambda bag, w: bag.map(lambda s: loss(w, s)).fold(lambda a, b: a + b, initial=0.0), lambda y: sum(y)),
    "deviation": (lambda bag, w: bag.map(lambda s: loss(w, s)).std(), lambda y: np.std(y)),
    "filter": (lambda bag, w: bag.map(lambda s: loss(w, s)).filter(lambda y: y > 1.5).sum(), lambda y: sum(
        [v for v in y if v > 1.5]
    )),
    "partitions": (
        lambda bag, w: bag.map_partitions(lambda part: [sum(loss(w, s) for s in part) ** 2]).sum(),
        lambda y: (y[0] + y[1]) ** 2 + (y[2] + y[3]) ** 2 + (y[4] + y[5]) ** 2,
    ),
    "zip": (
        lambda bag, w: db.zip(bag.map(lambda s: loss(w, s)), bag).map(lambda t: t[0] * t[1][0]).sum(),
        lambda y: sum([v * s[0] for v, s in zip(y, BAG, strict=True)]),
    ),
    "foldby": (lambda bag, w: bag.map(lambda s: (loss(w, s), s[0] > 0.35)).foldby(
        lambda t: t[1], lambda a, t: a + t[0], 0.0, lambda a, b: a + b, 0.0
    ).map(lambda found: found[1] ** 2).sum(), lambda y: sum(y[:3]) ** 2 + sum(y[3:]) ** 2),
}  # fmt: skip
BAG = [np.linspace(0.1, 1.0, 5) * k for k in range(1, 7)]


def loss_of(shard, w):
    return loss(w, shard)


@pytest.mark.parametrize("name", BAGS)
def test_bags(name):
    program, of_losses = BAGS[name]
    bag = db.from_sequence(BAG, npartitions=3)
    same(lambda w: program(bag, w).compute(scheduler="sync"), lambda w: of_losses([loss(w, s) for s in BAG]), orders=1)


def test_a_bag_of_active_values_and_second_order():
    def program(w):
        bag = db.from_sequence([w * k for k in range(4)], npartitions=2)
        return bag.map(lambda x: (x**3).sum()).accumulate(lambda a, b: 0.5 * a + b).compute(scheduler="sync")[-1]

    same(program, lambda w: (w**3).sum() * (1 * 0.25 + 8 * 0.5 + 27))


def test_joins():
    def program(w, other, *keys):
        bag = db.from_sequence([(k % 2, w[k] ** 2) for k in range(4)], npartitions=2)
        return bag.join(other, *keys).map(lambda ab: ab[0][1] * ab[1][1] ** 2).sum().compute(scheduler="sync")

    table = [(0, 1.0), (1, 2.0), (7, 3.0)]
    for other, *keys in (
        (table, 0),
        (table, [0], lambda t: (t[0],)),
        (dask.delayed(table), lambda t: t[0]),
        (db.from_sequence(table, npartitions=1), 0, lambda t: t[0]),
    ):
        same(lambda w: program(w, other, *keys), lambda w: sum((k % 2 + 1.0) * w[k] ** 4 for k in range(4)))  # noqa: B023
    same(
        lambda w: program(w, [(0, w[4]), (1, w[0])], 0),
        lambda w: sum([w[4], w[0]][k % 2] * w[k] ** 4 for k in range(4)),
    )
    for other, error in ((iter(table), "use a list"), (db.from_sequence(table, npartitions=2), "Multi-bag joins")):
        with pytest.raises(NotImplementedError, match=error):
            morula.gradient(program, W, other, 0)


def test_rules_hold_on_workers(client):
    for program in (
        lambda w: client.submit(doctored, w).result(),
        lambda w: dask.delayed(doctored)(w).compute(scheduler="sync"),
        lambda w: db.from_sequence([w], npartitions=1).map(doctored).sum().compute(scheduler="sync"),
    ):
        np.testing.assert_allclose(morula.gradient(program, W)[0], 2000.0 * W)


def test_adapters_are_imported_after_dask():
    program = "import distributed, dask.bag, joblib, morula, morula.interop.maps, morula.interop.calling"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
