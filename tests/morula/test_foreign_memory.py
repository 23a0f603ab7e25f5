"""Memory that something beside NumPy reads or releases: right or refused, and never read when it is gone.

Each program runs in a process of its own, so that one that dies is seen to.
"""

import os
import warnings

import foreign_memory_programs as programs
import numpy as np
import pytest
from morula_helpers import assert_same

import morula

STEP = 1e-5


def outcome(f, x):
    """What a gradient gives beside the difference quotient: "right", "refused: ..." or what is wrong with it."""
    want = (f(x + STEP) - f(x - STEP)) / (2 * STEP)
    try:
        (got,) = morula.gradient(f, x)
    except morula.MorulaError as error:
        return f"refused: {error} {getattr(error, '__notes__', None)}"
    if got is not None and abs(got - want) < 1e-6 * (1 + abs(want)):
        return "right"
    return f"{got} is not {want}"


def outcome_apart(f, x):
    """The same, found in a process of its own."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forking beside threads, of memory that is shared still
        child = os.fork()
        if child == 0:
            try:
                found = outcome(f, x)
            except BaseException as error:
                found = f"raised {error!r}"
            os.write(writing, found.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = pipe.read()
    _, status = os.waitpid(child, 0)
    return found or f"died of signal {os.WTERMSIG(status)}"


@pytest.mark.parametrize("f", [*programs.READ, *programs.RELEASED, *programs.ROUND_TRIPS], ids=lambda f: f.__name__)
def test_right_or_refused(f):
    found = outcome_apart(f, 1.7)
    assert found == "right" or found.startswith("refused"), found


@pytest.mark.parametrize("f", programs.RELEASED, ids=lambda f: f.__name__)
def test_a_pullback_is_refused_alike(f):
    def by_pullback(x):
        _, back = morula.pullback(f, x)
        return back(1.0)[0]

    def tried(x):
        want = (f(x + STEP) - f(x - STEP)) / (2 * STEP)
        got = by_pullback(x)
        return 0.0 if abs(got - want) < 1e-6 * (1 + abs(want)) else np.nan

    def both(x):
        try:
            return "right" if tried(x) == 0.0 else "wrong"
        except morula.MorulaError:
            return "refused"

    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            os.write(writing, both(1.7).encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() in ("right", "refused")
    assert os.waitpid(child, 0)[1] == 0


def test_memory_released_between_a_pullback_and_back():
    raw = bytearray(64)
    n = np.ndarray(8, float, raw)
    n[:] = 2.0
    kept = [n]
    _, back = morula.pullback(lambda x: (x * kept[0]).sum(), np.ones(8))
    np.testing.assert_array_equal(back(1.0)[0], 2.0)
    del n, kept[:]
    raw.extend(bytes(1 << 20))
    with pytest.raises(morula.StaleMemoryError, match="was released"):
        back(1.0)


def test_lent_memory_that_stays_is_a_constant():
    raw = bytearray(64)
    n = np.frombuffer(raw)
    n[:] = 2.0
    np.testing.assert_array_equal(morula.gradient(lambda x: (x * n).sum(), np.ones(8))[0], 2.0)

    def written(x):
        n[0] = 5.0
        return (x * n).sum()

    np.testing.assert_array_equal(morula.gradient(written, np.ones(8))[0], [5.0, *[2.0] * 7])


def test_an_argument_in_lent_memory_has_a_gradient():
    raw = bytearray(16)
    n = np.frombuffer(raw)
    n[:] = [1.0, 3.0]
    np.testing.assert_array_equal(morula.gradient(lambda x: (x**2).sum(), n)[0], [2.0, 6.0])
    with pytest.raises(morula.NotDifferentiable, match="memoryview"):
        morula.gradient(lambda x: x.__imul__(2.0).sum(), n)


def test_constants_are_kept_in_files_and_bytes():
    def kept(x):
        import io

        np.save(io.BytesIO(), np.ones(2))
        return x * len(np.ones(2).tobytes())

    assert morula.gradient(kept, 2.0) == (16.0,)


class TestTrees:
    """A tree that C code has made over an array: it reads what is written into that later."""

    def test_one_made_before(self):
        spatial = pytest.importorskip("scipy.spatial")
        points = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
        tree = spatial.cKDTree(points)

        def nearest(p):
            points[1] = p
            return tree.query([2.0, 0.0])[0]

        assert nearest(np.array([1.5, 0.0])) == 0.5
        assert_same(morula.gradient(nearest, np.array([1.5, 0.0])), (np.array([-1.0, 0.0]),))

    @pytest.mark.parametrize("kind", ["cKDTree", "KDTree"])
    def test_one_made_inside(self, kind):
        spatial = pytest.importorskip("scipy.spatial")

        def nearest(p):
            points = np.zeros((2, 2))
            tree = getattr(spatial, kind)(points)
            points[1] = p
            return tree.query([2.0, 0.0])[0]

        assert_same(morula.gradient(nearest, np.array([1.5, 0.0])), (np.array([-1.0, 0.0]),))

    def test_what_has_no_rule(self):
        spatial = pytest.importorskip("scipy.spatial")
        points = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
        tree = spatial.cKDTree(points)

        def near(p):
            points[1] = p
            return tree.sparse_distance_matrix(tree, 3.0).sum()

        with pytest.raises(morula.NotDifferentiable, match="query_pairs"):
            morula.gradient(near, np.array([1.5, 0.0]))

    @pytest.mark.parametrize("kind", ["cKDTree", "KDTree"])
    def test_a_constant_one(self, kind):
        spatial = pytest.importorskip("scipy.spatial")
        tree = getattr(spatial, kind)(np.array([[0.0, 0.0], [1.0, 0.0]]))
        assert morula.gradient(lambda x: x * tree.query([3.0, 0.0])[0], 1.0) == (2.0,)
