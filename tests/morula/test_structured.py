"""Arrays of records: fields are views."""

import numpy as np
import pytest
from morula_helpers import verify

import morula

D = np.dtype([("a", float), ("b", float, (2,)), ("n", int)])
X = np.array([1.0, 5.0, 3.0])


def fields_as_columns(x):
    s = np.zeros(3, D)
    s["a"] = x
    s["b"][:, 0] = x * x
    s["n"] = [1, 2, 3]
    return (s["a"] * s["b"][:, 0] * s["n"]).sum()


def a_tuple_as_record(x):
    s = np.zeros(3, D)
    s[0] = (x[0], (x[1], 2.0), 3)
    return s["a"][0] * s["b"][0, 0] * s["n"][0]


def a_field_of_a_record(x):
    s = np.zeros(3, D)
    s["a"] = x
    r = s[1]
    return r["a"] * x[0]


def a_slice_then_a_field(x):
    s = np.zeros(3, D)
    s["a"] = x
    t = s[1:]
    t["a"][0] *= x[0]
    return s["a"].sum()


def through_a_record(x):
    s = np.zeros(3, D)
    r = s[0]
    r["a"] = x[0]
    return s["a"][0] * x[1]


def constant_overwritten_through_a_record(x):
    s = np.zeros(3, D)
    k = s["a"]
    k[:] = 2.0
    y = x * k
    r = s[0]
    r["a"] = 50.0
    return y.sum()


def iteration(x):
    s = np.zeros(3, D)
    s["a"] = x
    t = 0.0
    for r in s:
        t = t + r["a"]
    return t


def seen_as_floats(x):
    s = np.zeros(3, [("a", float), ("b", float)])
    s["a"] = x
    v = s.view(float)
    v[1] = x[0]
    return (v * np.arange(6)).sum()


def written_as_floats(x):
    s = np.zeros(3, [("a", float), ("b", float)])
    v = s.view((float, 2))
    v[:, 0] = x
    return s["a"].sum()


def fields_swapped(x):
    s = np.zeros(3, D)
    s["a"] = x
    s["a"], s["b"][:, 1] = s["b"][:, 1] + 1, s["a"] * 2
    return (s["a"] * x).sum() + s["b"].sum()


def several_fields(x):
    s = np.zeros(3, D)
    s["a"] = x
    return s[["a", "n"]]["a"].sum()


def fancy_index(x):
    s = np.zeros(3, D)
    s["a"] = x
    u = s[np.array([0, 0, 2])]
    return u["a"].sum()


def without_dimensions(x):
    s = np.zeros((), D)
    s["a"] = x[0]
    return s["a"] * 2


def record_to_record(x):
    s = np.zeros(3, D)
    s["a"] = x
    s[0] = s[2]
    return s["a"].sum()


def reversed_onto_itself(x):
    s = np.zeros(3, D)
    s["a"] = x
    s[:] = s[::-1]
    return (s["a"] * np.arange(3)).sum()


def complex_and_single(x):
    s = np.zeros(3, np.dtype([("z", complex), ("f", np.float32)]))
    s["z"] = x * (1 + 2j)
    s["f"] = x
    return (s["z"].real * s["f"] + s["z"].imag).sum()


def inactive_records_written_later(x):
    rec = np.zeros(3, dtype=[("p", float)])
    y = x * rec["p"]
    rec[2] = 4.0
    rec[1] = rec[2]
    return y.sum() + (x * rec["p"]).sum()


def whole_copy(x):
    s = np.zeros(3, D)
    s["a"] = x
    return s.copy()["a"].sum()


def sorted_by_field(x):
    s = np.zeros(3, D)
    s["a"] = x
    s.sort(order="a")
    return s["a"][0]


def moved(x):
    s = np.zeros(3, D)
    s["a"], s["b"][:, 1] = x, x**2
    t = np.append(np.concatenate([s, s[::-1]])[1:], s[1])
    t["a"][0] *= x[1]
    u = np.stack([np.roll(s, 1), np.sort(s, order=["b", "a"])])
    first = s[0].copy()
    first["b"] = x[:2]
    return (
        (t["a"] * t["b"][:, 1] * np.arange(6)).sum() + (u["a"] ** 2).sum() + first["a"] * first["b"][1] * s["b"][0, 1]
    )


def made_of_tuples(x):
    s = np.array([[(x[0], (x[1], 2.0), 1)], [(x[2], x[:2], 3)]], D)
    total = 0.0
    for a, b, n in s[:, 0]:
        total += a * b[0] * n
    pair = np.array((x[0], x[1]), [("p", float), ("q", float)])[()]
    q, _ = s[:, 0][["a", "n"]].tolist()[1]
    return total * pair.item()[1] * q


def active_after_a_record_was_taken(x):
    s = np.zeros(2, [("p", float), ("q", float)])
    r = s[1]
    s["p"] = x[:2]
    p, q = r.item()
    return p * x[2] + q


PROGRAMS = [v for v in list(globals().values()) if callable(v) and getattr(v, "__module__", "") == __name__]


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not complex_and_single], ids=lambda f: f.__name__)
def test_records(f):
    verify(f, X)


def test_complex_and_single_precision():
    (g,) = morula.gradient(complex_and_single, X)
    np.testing.assert_allclose(g, 2 * X + 2, rtol=1e-6)


def recarray(x):
    s = np.zeros(3, D).view(np.recarray)
    s.a = x
    return s.a.sum()


@pytest.mark.parametrize("f", [recarray])
def test_record_arrays_are_refused(f):
    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(f, X)


def test_an_integer_field_cuts_the_derivative():
    def f(x):
        s = np.zeros(3, D)
        s["n"] = x
        return s["n"].sum() * x[0]

    np.testing.assert_array_equal(morula.gradient(f, X)[0], [9.0, 0.0, 0.0])
