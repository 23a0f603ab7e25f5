"""Programs as users write them that Morula refuses; `refusals.txt` has what it says of each."""

import asyncio
import contextvars
import ctypes
import datetime
import io
import pickle
import queue
import struct
import tempfile
import threading
import weakref
from array import array

import numpy as np
from numpy.lib import recfunctions
from scipy import integrate, interpolate, linalg, ndimage, optimize, sparse, special, stats

X = np.array([0.3, 0.7, 1.2])
M = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.1]])
PROGRAMS = []


def refused(*args):
    """A program and where it is to be differentiated."""

    def declare(f):
        PROGRAMS.append((f, args))
        return f

    return declare


@refused(X)
def order_of_a_struve_function(x):
    return special.struve(x[0], 1.5)


@refused(X)
def mixed_integers(x):
    return optimize.milp(x, integrality=np.ones(3), bounds=(0, 5)).fun


@refused(X)
def principal_values(x):
    return integrate.quad(lambda t: x[0] * t, 0.0, 1.0, weight="cauchy", wvar=0.5)[0]


@refused(X)
def older_integrator(x):
    solver = integrate.ode(lambda t, y: -x[0] * y).set_integrator("vode").set_initial_value([1.0])
    return solver.integrate(1.0, step=True)[0]


@refused(X)
def a_minimum_that_was_not_reached(x):
    def steep(z):
        return (z[0] - x[0]) ** 4 + x[1] * z[1] ** 2

    return optimize.minimize(steep, [3.0, 1.0], options={"maxiter": 1}).fun


@refused(X)
def brute_force(x):
    return optimize.brute(lambda z: (z[0] - x[0]) ** 2, ((0.0, 1.0),))[0]


@refused(X)
def smoothing_splines(x):
    t = np.linspace(0.0, 1.0, 20)
    return interpolate.SmoothBivariateSpline(t, np.cos(9.0 * t), np.sin(t * x[0]), kx=1, ky=1).ev(0.5, 0.2)


@refused(X)
def eigenvectors_from_the_left(x):
    _, left, right = linalg.eig(M + np.diag(x), left=True, right=True)
    return np.abs(left[0, 0]) + np.abs(right[0, 0])


@refused(X)
def sparse_eigenvalues(x):
    return sparse.linalg.lobpcg(sparse.csc_array(np.diag(np.arange(1.0, 30.0)) * x[0]), np.eye(29)[:, :2])[0].sum()


@refused(X)
def filter_of_the_users(x):
    return ndimage.generic_filter(x, np.median, size=3, output=np.zeros(3)).sum()


@refused(X)
def rank_statistics(x):
    return stats.shapiro(x).statistic


@refused(X)
def random_draws_with_active_parameters(x):
    return stats.poisson.rvs(x[2] * 5.0, size=3, random_state=0).sum() * 1.0


@refused(X)
def draws_of_a_generator(x):
    return np.random.default_rng(0).beta(x[0], x[1])


@refused(X)
def whole_records(x):
    table = np.zeros(3, dtype=[("a", float), ("b", float)])
    table["a"] = x
    return recfunctions.structured_to_unstructured(table).sum()


@refused(X)
def masked_arrays(x):
    return np.median(np.ma.masked_where(x > 1.0, x))


@refused(X)
def bytes_of_numbers(x):
    return np.frombuffer((x * 2.0).tobytes()).sum()


@refused(X)
def packed_numbers(x):
    return struct.unpack("d", struct.pack("d", x[0] * 2.0))[0]


@refused(X)
def pickled_numbers(x):
    return pickle.loads(pickle.dumps(x * 2.0)).sum()


@refused(X)
def saved_arrays(x):
    file = io.BytesIO()
    np.save(file, x * 2.0)
    file.seek(0)
    return np.load(file).sum()


@refused(X)
def arrays_of_the_standard_library(x):
    return sum(array("d", [x[0], x[1] * 2.0]))


@refused(X)
def memory_of_c(x):
    buffer = (ctypes.c_double * 3)()
    for i in range(3):
        buffer[i] = x[i]
    return buffer[0] * 2.0


@refused(X)
def numbers_at_an_address(x):
    y = x * 2.0
    ctypes.memmove(y.ctypes.data, np.ones(3).ctypes.data, 24)
    return y.sum()


@refused(X)
def other_dtypes_of_the_same_memory(x):
    return (x * 2.0).view(np.int64).sum() * 1.0


@refused(X)
def resized_arrays(x):
    y = x * 2.0
    y.resize(2, refcheck=False)
    return y.sum()


@refused(X)
def threads(x):
    found = []
    worker = threading.Thread(target=lambda: found.append(x[0] * 2.0))
    worker.start()
    worker.join()
    return found[0]


@refused(X)
def event_loops(x):
    async def twice():
        return x[0] * 2.0

    return asyncio.run(twice())


@refused(X)
def variables_of_a_context(x):
    scale = contextvars.ContextVar("scale")
    scale.set(x[0])
    return scale.get() * 2.0


@refused(X)
def queues_between_threads(x):
    tasks = queue.Queue()
    threading.Thread(target=tasks.get, daemon=True).start()
    tasks.put(x[0])
    return tasks.qsize() * x[0]


@refused(X)
def weak_references(x):
    class Node:
        def __init__(self, value):
            self.value = value

    node = Node(x[0])
    seen, value = weakref.ref(node), node.value
    del node
    return value if seen() is None else 2.0 * value


@refused(X)
def a_cache_in_an_observer(x):
    class Sized:
        def __init__(self, value):
            self.value, self.seen = value, 0.0

        def __len__(self):
            self.seen = self.value * 2.0
            return 3

    sized = Sized(x[0])
    return sized.seen if any([sized]) else 0.0


@refused(1.5)
def numbers_as_hexadecimal_text(x):
    return float.fromhex(x.hex())


@refused(1.5)
def integers_that_keep_all_digits(x):
    return int(x * 1e20) * 1e-20


@refused(1.5)
def ratios_of_integers(x):
    a, b = x.as_integer_ratio()
    return a / b


@refused(1.5)
def values_that_are_arrays(x):
    return np.array([x, x**2])


@refused(1.5)
def values_that_are_nothing(x):
    x * 2.0


@refused(1.5)
def values_that_are_complex(x):
    return x * 1j


@refused(X)
def numbers_formatted_by_numpy(x):
    return np.char.mod("%.3f", x).astype(float).sum()


@refused(X)
def objects_of_numbers(x):
    return np.linalg.norm(np.array([x[0], x[1]], dtype=object))


@refused(X)
def a_seed_of_another_shape(x):
    from morula import pullback

    return pullback(lambda v: v * 2.0, np.ones(3))[1](np.ones(2))[0].sum() * x[0]


@refused(X)
def a_duration(x):
    from datetime import timedelta

    return timedelta(seconds=x[0]).total_seconds()


@refused(X)
def shapes_of_gamma_draws(x):
    return np.random.default_rng(0).gamma(x, 2.0).sum()


@refused(X)
def shifts_by_active_numbers(x):
    return np.roll(x, x[0] * 3.0).sum()


@refused(X)
def code_made_of_text(x):
    return eval(compile("x[0] * 2.0", "<text>", "eval"))


@refused(X)
def a_closure_of_an_object_in_c(x):
    view = memoryview(x * 2.0)
    return view[0] + view.cast("B")[3]


@refused(X)
def a_rule_that_returns_no_pair(x):
    from chainrules import rrule

    def square(v):
        return v**2

    @rrule(square)
    def square_rule(v):
        return v**2

    return square(x[0])


@refused(X)
def a_derivative_by_an_unknown_order(x):
    return special.polygamma(x[0], 2.0)


@refused(X)
def interpolation_by_triangles(x):
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return interpolate.CloughTocher2DInterpolator(points, np.array([x[0], x[1], x[2], 1.0]))(0.3, 0.4)


@refused(X)
def a_determinant_of_a_sparse_factorization(x):
    return sparse.linalg.spilu(sparse.csc_array(np.diag(x))).solve(np.ones(3)).sum()


@refused(X)
def time_spans(x):
    return datetime.timedelta(seconds=x[0]).total_seconds()


@refused(X)
def choices_by_active_probabilities(x):
    return np.random.default_rng(0).choice(3, p=x / x.sum()) * x[0]


@refused(X)
def code_that_is_executed(x):
    space = {"x": x}
    exec("y = x[0] * 2.0", space)
    return space["y"]


@refused(X)
def text_that_is_executed(x):
    exec("x[0] * 2.0")
    return x[0]


@refused(X)
def objects_that_look_at_themselves_at_their_end(x):
    total = []

    class Logged:
        def __init__(self, value):
            self.value = value

        def __del__(self):
            total.append(self.value)

    Logged(x[0])
    return total[0]


@refused(X)
def slices_between_numbers(x):
    return slice(x[0], 2.0).start * 3.0


@refused(X)
def casting_to_integers(x):
    return np.einsum("i,i->", x, x, dtype=int, casting="unsafe") * 1.0


@refused(X)
def a_characteristic_value(x):
    return special.mathieu_a(1, x[0])


@refused(X)
def a_test_of_normality(x):
    return stats.shapiro(x).statistic


@refused(X)
def weighted_ranks(x):
    return stats.weightedtau(x, x[::-1]).statistic


@refused(X)
def complex_schur_forms(x):
    return np.abs(linalg.schur(M + np.diag(x) * 1j, output="complex")[0][0, 1])


@refused(X)
def memory_by_its_interface(x):
    return np.asarray(x * 2.0).__array_interface__["data"][0] * 1e-12


@refused(X)
def files_of_numbers(x):
    with tempfile.TemporaryFile() as file:
        (x * 2.0).tofile(file)
        file.seek(0)
        return np.fromfile(file).sum()
