"""Programs that map their work by Ray, as they stand, against the serial gradient."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from scale_models import dies, fails_on_three, features, loss, scaled_loss, structured

import chainrules
import morula

ray = pytest.importorskip("ray")

SHARDS = [np.linspace(0.1, 1.0, 5) * k for k in range(1, 5)]
W = np.linspace(0.5, 1.5, 5)
V = np.arange(5.0)


@pytest.fixture(scope="module", autouse=True)
def _cluster():
    paths = os.pathsep.join([str(Path(__file__).parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": paths}}
    )  # fmt: skip
    yield
    ray.shutdown()


def same(program, plain, orders=2):
    np.testing.assert_allclose(morula.gradient(program, W)[0], morula.gradient(plain, W)[0], rtol=1e-12)
    if orders > 1:
        np.testing.assert_allclose(morula.jvp(program, (W,), (V,)), morula.jvp(plain, (W,), (V,)), rtol=1e-12)
        np.testing.assert_allclose(morula.hvp(program, W, V), morula.hvp(plain, W, V), rtol=1e-11)


def test_tasks():
    later, made, scaled = ray.remote(loss), ray.remote(features), ray.remote(scaled_loss)
    shards = [ray.put(s) for s in SHARDS]

    def program(w):
        numbers = sum(ray.get([later.remote(w, s) for s in shards]))
        first = made.options(num_cpus=1).remote(w, shards[0])
        array = ray.get(made.remote(w, shards[1]))
        array *= 2.0
        return numbers + ray.get(scaled.remote(
            first, SHARDS[2], power=3.0
        )) + (array**2).sum()  # fmt: skip

    same(
        program,
        lambda w: (
            sum(loss(w, s) for s in SHARDS)
            + scaled_loss(features(w, SHARDS[0]), SHARDS[2], power=3.0)
            + 4.0 * (features(w, SHARDS[1]) ** 2).sum()
        ),
    )


def test_functions_that_hold_active_values_and_results_as_they_come():
    def program(w):
        @ray.remote
        def of_shard(s):
            return loss(w, s)

        waiting, total = [of_shard.remote(s) for s in SHARDS], 0.0
        while waiting:
            ready, waiting = ray.wait(waiting)
            total += ray.get(ready[0])
        return total

    same(program, lambda w: sum(loss(w, s) for s in SHARDS), orders=1)


def test_structures_and_several_results():
    made = ray.remote(structured)
    pair = ray.remote(num_returns=2)(lambda w: (np.sin(w), (w**2).sum()))

    def program(w):
        a, b = pair.remote(ray.put(w))
        return ray.get(made.remote(w, SHARDS[0]))["inner"][0] + (ray.get(a) ** 2).sum() * ray.get(b)

    same(program, lambda w: structured(w, SHARDS[0])["inner"][0] + (np.sin(w) ** 2).sum() * (w**2).sum(), orders=1)


class Shard:
    def __init__(self, data):
        self.data = data

    def loss(self, w):
        return loss(w, self.data)

    def features(self, w):
        return features(w, self.data)

    def kept(self):
        return len(vars(self).get("_morula_pullbacks", {}))


def test_pullbacks_stay_with_actors():
    actors = [ray.remote(Shard).remote(s) for s in SHARDS[:2]]

    def program(w):
        numbers = sum(ray.get([a.loss.remote(w) for a in actors]))
        return numbers + sum(k * (y**2).sum() for k, y in enumerate(ray.get([a.features.remote(w) for a in actors])))

    same(program, lambda w: sum(loss(w, s) for s in SHARDS[:2]) + (features(w, SHARDS[1]) ** 2).sum())
    gc.collect()  # earlier tapes
    _, back = morula.pullback(program, W)
    assert sum(ray.get([a.kept.remote() for a in actors])) == 2
    back(1.0)
    del back
    gc.collect()
    assert sum(ray.get([a.kept.remote() for a in actors])) == 0
    with pytest.raises(morula.NotDifferentiable, match="to its methods"):
        morula.gradient(lambda w: ray.get(ray.remote(Shard).remote(w).loss.remote(2.0)), W)


def test_exceptions_and_workers_that_die():
    third = ray.remote(fails_on_three)
    with pytest.raises(KeyError, match="task three"):
        morula.gradient(lambda w: sum(ray.get([third.remote(w, k) for k in range(1, 5)])), 2.0)
    with pytest.raises(ray.exceptions.WorkerCrashedError):
        morula.gradient(lambda w: ray.get(ray.remote(max_retries=0)(dies).remote(w)), 2.0)


def times_1000(x):
    @chainrules.rrule(np.square)
    def _(x):
        return np.square(x), lambda y_bar: 2000.0 * x * y_bar

    return np.square(x).sum()


def test_rules_of_the_worker_hold():
    found = morula.gradient(lambda w: ray.get(ray.remote(times_1000).remote(w)), W)[0]
    np.testing.assert_allclose(found, 2000.0 * W)
