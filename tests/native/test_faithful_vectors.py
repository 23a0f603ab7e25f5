"""Loops in vectors: sums whose additions keep their order, and elements that are read before they are written."""

import platform
import random
import re
from textwrap import indent

import numpy as np
import pytest

from extent import EVERYTHING

numba = pytest.importorskip("numba")
import llvmlite.binding as llvm

from morula.static.numba import vector_math
from morula.static.numba.faithful_vectors import faithful_vectors
from morula.static.numba.masks import may_use_masks


def compiled():
    @numba.njit(error_model="numpy")
    def total(x, w):
        s = 0.25
        for i in range(x.size):
            s += vector_math.sin(x[i]) * w[i]
        return s

    return total


def vector_calls(f) -> set[str]:
    return set(re.findall(r"_ZGV\w+", next(iter(f.inspect_asm().values()))))


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=1003) * 10.0 ** rng.integers(-8, 8, 1003), rng.normal(size=1003)


def test_terms_are_vectorised_and_added_in_order(data) -> None:
    x, w = data
    with faithful_vectors():
        total = compiled()
        s = total(x, w)

    @numba.njit(error_model="numpy")
    def terms(x, w):
        t = np.empty_like(x)
        for i in range(x.size):
            t[i] = vector_math.sin(x[i]) * w[i]
        return t

    in_order = 0.25
    for t in terms(x, w).tolist():
        in_order += t
    assert s == in_order
    assert np.sum(terms(x, w)[::-1]) + 0.25 != in_order  # another order can be told from this one
    if "sin" in vector_math.available():
        assert vector_calls(total)


def test_the_option_is_off_afterwards_and_can_be_nested(data) -> None:
    if "sin" not in vector_math.available():
        pytest.skip("no vector version of sin on this machine")
    with faithful_vectors():
        with faithful_vectors():
            pass
        inside = compiled()
        inside(*data)
    outside = compiled()
    outside(*data)
    assert vector_calls(inside) and not vector_calls(outside)


def test_it_is_off_after_an_error(data) -> None:
    if "sin" not in vector_math.available():
        pytest.skip("no vector version of sin on this machine")
    with pytest.raises(KeyError), faithful_vectors():
        raise KeyError
    outside = compiled()
    outside(*data)
    assert not vector_calls(outside)


def emptied_under_a_condition(u, c, out):
    for k in range(u.shape[0]):
        v = 7.0
        if c[np.uintp(k)] > 0.0:
            v = u[np.uintp(k)]
            u[np.uintp(k)] = c[np.uintp(k)]
        else:
            v = 5.0
        out[np.uintp(k)] = v


def a_few_summed_and_emptied(u, c, out):
    s = 0.0
    for k in range(min(u.shape[0], 7)):
        s += u[np.uintp(k)]
        u[np.uintp(k)] = 0.0
    out[0] = s


@pytest.mark.parametrize("n", [3, 7, 37])
@pytest.mark.parametrize("f", [emptied_under_a_condition, a_few_summed_and_emptied])
def test_what_is_overwritten_is_read_before(f, n) -> None:
    """LLVM moves loads under a mask past the writes after them, where Numba compiles these without the options."""
    rng = np.random.default_rng(n)
    u, c = rng.normal(size=(2, n))
    ours, plain = (u.copy(), np.zeros(n)), (u.copy(), np.zeros(n))
    with faithful_vectors():
        numba.njit(error_model="numpy")(f)(ours[0], c, ours[1])
    f(plain[0], c, plain[1])
    assert np.array_equal(ours, plain)


# -- where branches may become masks ----------

MASKS = """
def f(u, v, w, c, out):
    s = 0.0
    x_bar = 0.0
    for k in range(u.shape[0]):
        k_u = np.uintp(k)
{body}
    out[0] = s
"""


def python_of(text: str):
    namespace = {"np": np}
    exec(text, namespace)
    return namespace["f"]


def body_of(rng: random.Random) -> str:
    """Statements of a loop with branches, as adjoints have them."""
    numbers = ["x", "y", "s"]

    def statement() -> str:
        array, number = rng.choice("uvw"), rng.choice("xy")
        return rng.choice(
            [
                f"{number} = {array}[k_u]",
                f"{number} = {array}[k_u] * 2.0",
                f"{array}[k_u] = {rng.choice(['0.0', *numbers[:2]])}",
                f"{array}[k_u] += {rng.choice(numbers[:2])}",
                f"{number} = ({rng.choice(numbers[:2])} if c[k_u] > 0.3 else {array}[k_u])",
                f"s += {rng.choice(numbers[:2])}",
            ]
        )

    def taken(array: str) -> list[str]:
        return [f"    x = {array}[k_u]", f"    {array}[k_u] = {rng.choice(['0.0', 'y'])}"]

    def branch() -> list[str]:
        return ["    " + statement() for _ in range(rng.randint(1, 3))]

    lines = ["x = 7.0", "y = c[k_u]", *(statement() for _ in range(rng.randint(0, 2)))]
    for _ in range(rng.randint(1, 2)):
        first = taken(rng.choice("uvw")) if rng.random() < 0.3 else branch()
        lines += ["if c[k_u] > 0.0:", *first, *(["else:", *branch()] if rng.random() < 0.6 else [])]
    lines += [*(statement() for _ in range(rng.randint(0, 2))), rng.choice(["s += x - y", "w[k_u] = x"])]
    return indent("\n".join(lines), "        ")


def runs(text: str, under_masks: bool, n: int = 37) -> bool:
    """Whether compiled code does what Python does."""
    data = np.random.default_rng(0).normal(size=(4, n))
    ours, plain = ([*map(np.copy, data), np.zeros(1)] for _ in range(2))
    with faithful_vectors(under_masks):
        numba.njit(error_model="numpy")(python_of(text))(*ours)
    python_of(text)(*plain)
    return all(map(np.array_equal, ours, plain))


def test_random_loops_that_may_use_masks_do_what_python_does() -> None:
    rng = random.Random(5)
    allowed = []
    while len(allowed) < (60 if EVERYTHING else 8):
        text = MASKS.format(body=body_of(rng))
        if may_use_masks(text, "f"):
            allowed.append(text)
    for text in allowed:
        assert runs(text, True), text


def test_masks_would_do_harm_where_they_are_not_used() -> None:
    """The test above can fail: under masks LLVM 20 reads the element after it is overwritten."""
    body = "v_k = 7.0\nif c[k_u] > 0.0:\n    v_k = u[k_u]\n    u[k_u] = c[k_u]\nw[k_u] = v_k"
    text = MASKS.format(body=indent(body, "        "))
    assert not may_use_masks(text, "f")
    assert runs(text, False)
    if llvm.llvm_version_info[0] == 20 and platform.machine().lower() in ("x86_64", "amd64"):
        assert not runs(text, True)


@pytest.mark.parametrize(
    ("body", "is_fine"),
    [
        ("x = 0.0\nif c[k_u] > 0.0:\n    x = u[k_u]\nv[k_u] += x", True),
        ("x = 0.0\nif c[k_u] > 0.0:\n    x = u[k_u]\nu[k_u] = x", False),
        ("x = u[k_u]\nif c[k_u] > 0.0:\n    u[k_u] = 0.0\nv[k_u] += x", False),
        ("x = u[k_u]\nu[k_u] = 0.0\nif c[k_u] > 0.0:\n    v[k_u] += x", True),
        ("t = u\nx = 0.0\nif c[k_u] > 0.0:\n    x = u[k_u]\nt[k_u] = x", False),
        ("t = u[1:]\nx = 0.0\nif c[k_u] > 0.0:\n    x = u[k_u]\nt[k_u] = x", False),
        ("x = u[k_u] if c[k_u] > 0.0 else 0.0\nu[k_u] = x", False),
        ("x = 0.0\nif c[k_u] > 0.0 and u[k_u] > 0.0:\n    x = 1.0\nu[k_u] = x", False),
        ("x = 0.0\nif c[k_u] > 0.0:\n    x = helper(u)\nv[k_u] += x", False),
        ("x = u[k_u]\nu[k_u] = 0.0\nv[k_u] = x\nif x > 0.0:\n    break", False),
        ("x = u[k_u]\nu[k_u] = 0.0\nv[k_u] = x", True),
        ("x = 0.0\nif c[k_u] > 0.0:\n    x = u[k_u]\nu.fill(x)", False),
        ("for i in range(3):\n    x = 0.0\n    if c[i] > 0.0:\n        x = u[i]\n    v[i] = x\nu[k_u] = 0.0", False),
    ],
)
def test_which_branches_may_become_masks(body: str, is_fine: bool) -> None:
    assert may_use_masks(MASKS.format(body=indent(body, "        ")), "f") is is_fine
