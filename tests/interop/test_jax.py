"""`morula.jax`, against JAX's own derivatives of the same mathematics."""

import pickle
import threading
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import chainrules
import morula

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of its own code
jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from interop_models import doctored, model, scalar_of, written_in  # noqa: E402

from morula.interop.jax_callbacks import call_host  # noqa: E402
from morula.jax import enable_x64, from_jax, to_jax  # noqa: E402


@pytest.fixture(autouse=True)
def _wide() -> Any:
    jax.config.update("jax_enable_x64", True)  # for all threads, as enable_x64 is not
    yield
    jax.config.update("jax_enable_x64", False)


ours, native = to_jax(model), written_in(jnp)
sc, rc = scalar_of(ours, jnp), scalar_of(native, jnp)


def agree(found: Any, wanted: Any, tol: float = 1e-10) -> None:
    a, b = jax.tree_util.tree_leaves(found), jax.tree_util.tree_leaves(wanted)
    assert jax.tree_util.tree_structure(found) == jax.tree_util.tree_structure(wanted)
    assert len(a) > 0
    for u, v in zip(a, b, strict=True):
        assert u.dtype == v.dtype
        np.testing.assert_allclose(u, v, rtol=tol, atol=tol)


def inputs() -> tuple[dict, Any]:
    return {"w": jnp.array(2.0), "b": jnp.array(0.5)}, jnp.array([0.1, 0.2, 0.3])


def scanned(f: Any, p: Any) -> Any:
    return lambda x: jax.lax.scan(lambda c, _: (f(p, c)["y"], None), x, None, length=3)[0].sum()


def rows(x: Any) -> Any:
    return jnp.stack([x, 2 * x])


# each takes a compiler (or none), f and a scalar of it, and the inputs
WAYS = {
    "value": lambda c, f, s, p, x: c(f)(p, x),
    "grad": lambda c, f, s, p, x: c(jax.grad(s, argnums=(0, 1)))(p, x),
    "jvp": lambda c, f, s, p, x: c(lambda x: jax.jvp(lambda x: f(p, x), (x,), (x,)))(x),
    "jacrev": lambda c, f, s, p, x: c(jax.jacrev(f, argnums=(0, 1)))(p, x),
    "jacfwd": lambda c, f, s, p, x: c(jax.jacfwd(f, argnums=(0, 1)))(p, x),
    "hessian": lambda c, f, s, p, x: c(jax.hessian(s, argnums=(0, 1)))(p, x),
    "reverse over reverse": lambda c, f, s, p, x: c(jax.jacrev(jax.grad(s, argnums=1), argnums=1))(p, x),
    "reverse over forward": lambda c, f, s, p, x: c(jax.jacrev(jax.jacfwd(s, argnums=1), argnums=1))(p, x),
    "forward over forward": lambda c, f, s, p, x: c(jax.jacfwd(jax.jacfwd(s, argnums=1), argnums=1))(p, x),
    "third": lambda c, f, s, p, x: c(jax.jacfwd(jax.hessian(s, argnums=1), argnums=1))(p, x),
    "third in reverse": lambda c, f, s, p, x: c(jax.jacrev(jax.jacrev(jax.grad(s, argnums=1), argnums=1), argnums=1))(
        p, x
    ),
    "vmap": lambda c, f, s, p, x: c(jax.vmap(f, (None, 0)))(p, rows(x)),
    "vmap of grad": lambda c, f, s, p, x: c(jax.vmap(jax.grad(s, argnums=(0, 1)), (None, 0)))(p, rows(x)),
    "grad of vmap": lambda c, f, s, p, x: c(jax.grad(lambda p, X: jax.vmap(s, (None, 0))(p, X).sum(), argnums=(0, 1)))(
        p, rows(x)
    ),
    "hessian of vmap": lambda c, f, s, p, x: c(jax.hessian(lambda p, X: jax.vmap(s, (None, 0))(p, X).sum()))(
        p, rows(x)
    ),
    "vmap of vmap": lambda c, f, s, p, x: c(jax.vmap(jax.vmap(f, (None, 0)), (None, 1)))(
        p, jnp.stack([rows(x), rows(x) + 1], 1)
    ),
    "scan": lambda c, f, s, p, x: c(jax.grad(scanned(f, p)))(x),
    "checkpoint": lambda c, f, s, p, x: c(jax.grad(jax.checkpoint(s), argnums=1))(p, x),
    "cond": lambda c, f, s, p, x: c(jax.grad(lambda x: jax.lax.cond(x[0] > 0, lambda: s(p, x), lambda: 0.0)))(x),
    "linearize": lambda c, f, s, p, x: jax.linearize(c(lambda x: f(p, x)), x)[1](2 * x),
    "keywords": lambda c, f, s, p, x: c(lambda p, x: f(p, x=x, n=3, mode="a"))(p, x),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_jax(way: str, compiled: bool) -> None:
    compiler = jax.jit if compiled else lambda f: f
    agree(WAYS[way](compiler, ours, sc, *inputs()), WAYS[way](compiler, native, rc, *inputs()))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
def test_precision(wide: bool, compiled: bool) -> None:
    """Of arguments in single precision, in processes with 64 bits and without."""
    compiler = jax.jit if compiled else lambda f: f
    with enable_x64(wide):
        p, x = jax.tree.map(jnp.float32, inputs())
        agree(compiler(ours)(p, x), native(p, x), 1e-5)
        agree(compiler(jax.grad(sc, argnums=(0, 1)))(p, x), jax.grad(rc, argnums=(0, 1))(p, x), 1e-5)
        agree(compiler(jax.hessian(sc))(p, x), jax.hessian(rc)(p, x), 1e-5)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
def test_complex_numbers(compiled: bool) -> None:
    compiler = jax.jit if compiled else lambda f: f
    f = to_jax(lambda z: np.abs(z * z + z.conj() * 2) ** 2)
    z = jnp.array([1 + 2j, 0.5 - 1j])
    r = jnp.stack([z.real, z.imag])

    def g(z: Any) -> Any:
        return jnp.abs(z * z + jnp.conj(z) * 2) ** 2

    def second(f: Any) -> Any:
        return lambda r: jax.grad(lambda z: f(z).sum())(r[0] + 1j * r[1])

    agree(compiler(jax.grad(lambda z: f(z).sum()))(z), jax.grad(lambda z: g(z).sum())(z))
    agree(compiler(lambda z: jax.jvp(f, (z,), (1j * z,)))(z), jax.jvp(g, (z,), (1j * z,)))
    for mode in (jax.jacfwd, lambda f: jax.jacrev(lambda r: (f(r).real, f(r).imag))):
        agree(compiler(mode(second(f)))(r), mode(second(g))(r))
    h = to_jax(lambda x: np.exp(1j * x) * x)
    x = jnp.array([0.3, 0.7])
    agree(compiler(jax.jacfwd(h))(x), jax.jacfwd(lambda x: jnp.exp(1j * x) * x)(x))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
def test_integers_unused_arguments_and_constants(compiled: bool) -> None:
    compiler = jax.jit if compiled else lambda f: f

    def f(x: Any, i: Any, label: str, unused: Any) -> dict:
        return {"v": x[i] * 2.0, "n": np.argmax(x), "flag": 1.0 if label == "a" else 0.0, "none": None}

    def loss(x: Any, unused: Any, i: Any) -> Any:
        return (to_jax(f)(x, i, "a", unused)["v"] ** 2).sum()

    x, i = jnp.array([0.3, 0.9, 0.1]), jnp.array([1, 1])
    agree(compiler(jax.grad(loss, (0, 1)))(x, 3.0, i), (jnp.array([0.0, 14.4, 0.0]), jnp.array(0.0)))
    agree(compiler(jax.hessian(loss))(x, 3.0, i), jax.hessian(lambda x: 4.0 * (x[i] ** 2).sum())(x))
    found = compiler(lambda x: to_jax(f)(x, 1, "a", 2.0))(x)
    assert (float(found["v"]), int(found["n"]), float(found["flag"]), found["none"]) == (1.8, 1, 1.0, None)
    grads = compiler(jax.grad(lambda x, i: to_jax(f)(x, i, "a", 0.0)["v"].sum(), (0, 1), allow_int=True))(x, i)
    assert grads[1].dtype == jax.dtypes.float0


def test_named_tuples_and_lists() -> None:
    Pair = namedtuple("Pair", "a b")

    def f(pair: Any, *, scale: Any) -> Any:
        return Pair(pair.a * scale[0], [pair.b + scale[1]])

    def g(a: Any, b: Any, s: Any) -> Any:
        found = to_jax(f)(Pair(a, b), scale=[s, 2.0])
        assert isinstance(found, Pair)
        return (found.a * found.b[0]).sum()

    a, b, s = jnp.array([1.0, 2.0]), jnp.array([3.0, 5.0]), 3.0
    wanted = jax.hessian(lambda a, b, s: (a * s * (b + 2.0)).sum(), (0, 1, 2))
    agree(jax.hessian(g, (0, 1, 2))(a, b, s), wanted(a, b, s))


def test_shapes_are_told_by_out_like() -> None:
    calls = []

    def f(x: Any) -> Any:
        calls.append(float(x.sum()))
        return {"y": x * 2.0, "s": (x**2).sum()}

    def like(x: Any) -> Any:
        return {"y": x, "s": jax.ShapeDtypeStruct((), x.dtype)}

    x = jnp.array([1.0, 2.0])
    compiled = jax.jit(to_jax(f, out_like=like))
    agree(compiled(x), {"y": 2 * x, "s": jnp.array(5.0)})
    assert set(calls) == {3.0}  # never on made-up numbers
    wrong = jax.jit(to_jax(f, out_like=lambda x: {"y": x, "s": x}))
    with pytest.raises(Exception, match="were announced"):
        jax.block_until_ready(wrong(x))


def test_shapes_that_depend_on_values_are_refused_under_jit() -> None:
    f = to_jax(lambda x: x[x > 0.5])
    agree(f(jnp.array([0.1, 0.9])), jnp.array([0.9]))
    with pytest.raises(Exception, match="were announced"):
        jax.block_until_ready(jax.jit(f)(jnp.array([-1.0, -2.0, -3.0])))


def test_rules_hold() -> None:
    @chainrules.rrule(doctored)
    def _(x: Any) -> Any:
        return doctored(x), lambda y_bar: 2000.0 * x * y_bar

    x = jnp.array([1.0, 2.0])
    for compiler in (jax.jit, lambda f: f):
        agree(compiler(jax.grad(to_jax(doctored)))(x), 2000.0 * x)
        agree(compiler(jax.hessian(to_jax(doctored)))(x), 2000.0 * jnp.eye(2))


@pytest.mark.parametrize("hold", ["closure", "attribute", "default"])
def test_arrays_that_are_no_arguments_are_refused(hold: str) -> None:
    def loss(w: Any) -> Any:
        class Model:
            def __init__(self) -> None:
                self.parts = [{"w": w}]

            def f(self, x: Any) -> Any:
                return x * float(self.parts[0]["w"])

        def default(x: Any, w: Any = w) -> Any:
            return x * float(w)

        f = {"closure": lambda x: x * float(w), "attribute": Model().f, "default": default}[hold]
        return to_jax(f)(jnp.ones(2)).sum()

    for w in (2.0, jnp.array(2.0)):
        with pytest.raises(morula.NotDifferentiable, match=r"to_jax.*as an argument"):
            jax.grad(loss)(w)


def test_exceptions_are_the_users_own() -> None:
    def f(x: Any) -> Any:
        if x[0] < 0:
            raise KeyError("mine")
        return x

    with pytest.raises(KeyError, match="mine") as caught:
        to_jax(f)(-jnp.ones(2))
    assert caught.traceback[-1].path.samefile(__file__)
    with pytest.raises(Exception, match=r"(?s)test_jax\.py.*KeyError.*mine"):
        jax.block_until_ready(jax.jit(to_jax(f))(-jnp.ones(2)))


def test_large_arrays_and_threads_under_jit() -> None:
    x = jnp.linspace(0.0, 1.0, 400_000)
    f = jax.jit(jax.grad(lambda x: to_jax(lambda x: (np.sin(x) * x).sum())(jnp.cos(x))))
    wanted = jax.grad(lambda x: (jnp.sin(jnp.cos(x)) * jnp.cos(x)).sum())(x)
    found: list = []
    workers = [threading.Thread(target=lambda: found.append(f(x)), daemon=True) for _ in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(60)
    assert len(found) == 3
    for each in found:
        agree(each, wanted)


# -- the other way ------------------------------------------------------------------------------------------


def plainly(p: dict, x: Any, n: int = 2) -> dict:
    return {"y": np.sin(x) * p["w"], "e": np.sum(x**n) * p["w"]}


def in_jax(p: dict, x: Any, n: int = 2) -> dict:
    return {"y": jnp.sin(x) * p["w"], "e": jnp.sum(x**n) * p["w"]}


def program(f: Any) -> Any:
    def loss(w: Any, x: Any) -> Any:
        a, total = np.zeros(3), 0.0
        for i in range(2):
            out = f({"w": w * (i + 1)}, x, n=3)
            a += out["y"]
            total += float(out["e"])
        return total * a.sum() + w

    return loss


VERBS = {
    "gradient": lambda f: morula.gradient(f, 1.5, np.array([0.1, 0.2, 0.3])),
    "jvp": lambda f: morula.jvp(f, (1.5, np.array([0.1, 0.2, 0.3])), (1.0, np.ones(3))),
    "hessian": lambda f: morula.hessian(lambda v: f(v[0], v[1:]), np.array([1.5, 0.1, 0.2, 0.3])),
    "grad of grad": lambda f: morula.gradient(
        lambda x: (morula.gradient(f, 1.5, x)[1] ** 2).sum(), np.array([0.1, 0.2, 0.3])
    ),
    "third": lambda f: morula.taylor(lambda t: f(1.5, np.array([0.1, 0.2, 0.3]) * t), 1.0, 1.0, 3),
}


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("verb", VERBS)
def test_jax_in_plain_programs(verb: str, wide: bool) -> None:
    with enable_x64(wide):
        found = VERBS[verb](program(from_jax(in_jax)))
    for a, b in zip(found, VERBS[verb](program(plainly)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def test_compiled_functions_of_jax() -> None:
    f = from_jax(jax.jit(lambda p, x: jnp.sum(jnp.sin(x) * p["w"])))
    w, x = 1.5, np.array([0.1, 0.2, 0.3])
    for _ in range(2):
        found = morula.gradient(lambda w, x: f({"w": w}, x), w, x)
        np.testing.assert_allclose(found[0], np.sin(x).sum())
        np.testing.assert_allclose(found[1], w * np.cos(x))
    np.testing.assert_allclose(morula.hessian(lambda x: f({"w": w}, x), x), -np.diag(w * np.sin(x)))


def test_branches_on_values_and_state_of_jax_functions_that_are_not_compiled() -> None:
    state = {"k": 2.0}
    f = from_jax(lambda x: state["k"] * jnp.sum(x**2) if x[0] > 0 else jnp.sum(x))
    assert morula.gradient(f, np.ones(2))[0].tolist() == [4.0, 4.0]
    state["k"] = 3.0
    assert morula.gradient(f, np.ones(2))[0].tolist() == [6.0, 6.0]
    assert morula.gradient(f, -np.ones(2))[0].tolist() == [1.0, 1.0]


def test_rules_of_foreign_functions_pass_the_laws() -> None:
    from chainrules.testing import test_frule, test_rrule

    test_rrule(from_jax(in_jax), {"w": 1.5}, np.array([0.1, 0.2, 0.3]))
    test_frule(from_jax(lambda w, x: jnp.sin(x) * w), 1.5, np.array([0.1, 0.2, 0.3]))


def test_foreign_complex_single_and_integers() -> None:
    f = from_jax(lambda z: jnp.abs(z * z + 2 * jnp.conj(z)).sum())
    z = np.array([1 + 2j, 0.3 - 1j])

    def plain(z: Any) -> Any:
        return np.abs(z * z + 2 * z.conj()).sum()

    np.testing.assert_allclose(morula.gradient(f, z)[0], morula.gradient(plain, z)[0])

    def again(f: Any) -> Any:
        return morula.gradient(lambda z: np.abs(morula.gradient(f, z)[0]).sum(), z)[0]

    np.testing.assert_allclose(again(f), again(plain))
    (single,) = morula.gradient(from_jax(lambda x: (x * x).sum()), np.ones(2, np.float32))
    assert single.dtype == np.float32
    pick = from_jax(lambda x, i: (x[i] ** 2).sum())
    assert morula.gradient(lambda x: pick(x, np.array([1, 1])), np.arange(3.0))[0].tolist() == [0.0, 4.0, 0.0]


def test_foreign_results_may_be_written() -> None:
    f = from_jax(lambda x: (jnp.argmax(x), x * 1.0))

    def loss(x: Any) -> Any:
        n, y = f(x)
        y[0] = n * y[1]
        return y.sum()

    assert morula.gradient(loss, np.arange(3.0))[0].tolist() == [0.0, 3.0, 1.0]


def test_active_values_in_a_foreign_closure_are_refused() -> None:
    def loss(w: Any) -> Any:
        return from_jax(lambda x: (w * x).sum())(np.ones(2))

    with pytest.raises(morula.NotDifferentiable, match=r"from_jax.*captures"):
        morula.gradient(loss, 2.0)


def test_arrays_that_are_spread_over_devices() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
    spread, same = jax.sharding.PartitionSpec("d"), jax.sharding.PartitionSpec()
    x, w = jnp.array([0.1, 0.2]), jnp.array(0.3)

    def total(f: Any) -> Any:
        def on_each(w: Any, x: Any) -> Any:
            return jax.lax.psum(f(w, x) + jax.vmap(f, (None, 0))(w, x).sum(), "d")

        return jax.shard_map(on_each, mesh=mesh, in_specs=(same, spread), out_specs=same)

    def both(f: Any) -> Any:
        return jax.jit(jax.hessian(total(f), argnums=(0, 1)))(w, x)

    agree(both(to_jax(lambda w, x: np.sum(np.sin(w * x)))), both(lambda w, x: jnp.sum(jnp.sin(w * x))))


def test_the_public_interface_of_jax_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("morula.jax.call_host", call_host)
    f = to_jax(lambda d, i: (d["x"][i] * d["w"], d["x"] > 0))
    g = lambda d, i: (d["x"][i] * d["w"], d["x"] > 0)
    d, i = {"x": jnp.array([0.1, 0.2]), "w": jnp.array(0.3)}, jnp.array([0, 1, 1])
    ways: list[Any] = [
        lambda f: f(d, i),
        lambda f: jax.grad(lambda d, i: (f(d, i)[0] ** 2).sum())(d, i),
        lambda f: jax.jit(jax.jacrev(jax.grad(lambda d, i: (f(d, i)[0] ** 2).sum())))(d, i),
        lambda f: jax.vmap(jax.jit(jax.grad(lambda w: f(d | {"w": w}, i)[0].sum())))(jnp.arange(3.0)),
    ]
    for way in ways:
        agree(way(f), way(g))
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jacfwd(lambda w: f(d | {"w": w}, i)[0])(0.3)


def test_dtypes_that_numpy_lacks_are_refused() -> None:
    with pytest.raises(morula.NotDifferentiable, match=r"bfloat16.*astype"):
        to_jax(np.sum)(jnp.ones(2, jnp.bfloat16))


def square(x: Any) -> Any:
    return (x**2).sum(axis=-1)


square_of = to_jax(square, vmap_method="expand_dims")


def test_functions_of_both_sides_are_pickled() -> None:
    again = pickle.loads(pickle.dumps(square_of))
    assert again.options["vmap_method"] == "expand_dims"
    agree(jax.vmap(jax.grad(again))(jnp.eye(2)), 2 * jnp.eye(2))
    with pytest.raises(morula.ResultError, match="axis in front"):
        jax.vmap(to_jax(np.sum, vmap_method="expand_dims"))(jnp.eye(2))
    foreign = pickle.loads(pickle.dumps(from_jax(jnp.sum, x64=True)))
    assert morula.gradient(foreign, np.ones(2))[0].tolist() == [1.0, 1.0]


def test_there_and_back() -> None:
    inner = from_jax(lambda x: jnp.tanh(x).sum())
    x = jnp.array([0.1, 0.2])
    for compiler in (jax.jit, lambda f: f):
        agree(compiler(jax.hessian(to_jax(inner)))(x), jax.hessian(lambda x: jnp.tanh(x).sum())(x))


def test_torch_inside_jax_and_the_reverse() -> None:
    torch = pytest.importorskip("torch")
    from morula.torch import from_torch, to_torch

    x = jnp.array([0.1, 0.2])
    wanted = np.diag(-2 * np.tanh(x) / np.cosh(x) ** 2)
    np.testing.assert_allclose(jax.jit(jax.hessian(to_jax(from_torch(lambda x: torch.tanh(x).sum()))))(x), wanted)
    net = to_torch(from_jax(lambda x: jnp.tanh(x).sum()))
    np.testing.assert_allclose(torch.func.hessian(net)(torch.tensor([0.1, 0.2], dtype=torch.float64)), wanted)


def test_active_keywords_of_foreign_functions() -> None:
    f = from_jax(lambda x, scale: (x * scale).sum())
    assert morula.gradient(lambda s: f(np.ones(2), scale=s), 3.0) == (2.0,)
    assert morula.jvp(lambda s: f(np.ones(2), scale=s), (3.0,), (1.0,)) == (6.0, 2.0)
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(morula.hessian(lambda v: f(v, scale=v[0]), v), [[2.0, 1.0], [1.0, 0.0]])

    def keyword_only(x: Any, *, scale: Any) -> Any:
        return (x * scale).sum()

    with pytest.raises(morula.NotDifferentiable, match="keyword argument 'scale'"):
        morula.gradient(lambda s: from_jax(keyword_only)(np.ones(2), scale=s), 3.0)


def test_what_is_a_constant_to_a_foreign_function_is_not_differentiated_silently() -> None:
    class Holder:
        def __init__(self, w: Any) -> None:
            self.w = w

    product = from_jax(lambda x, n: (x * n).sum())
    held = from_jax(lambda o: jnp.asarray(o.w).sum())
    for f, x in (
        (lambda n: product(np.ones(2), n), 3),
        (lambda n: product(np.ones(2), n), np.array([3, 4])),
        (lambda w: held(Holder(w)), np.ones(2)),
    ):
        with pytest.raises(morula.NotDifferentiable, match="as a constant"):
            morula.gradient(f, x)
    assert morula.gradient(lambda x: product(x, 3), np.ones(2))[0].tolist() == [3.0, 3.0]


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("method", ["sequential", "expand_dims", "broadcast_all"])
def test_functions_that_work_along_axes_in_front(method: str, compiled: bool) -> None:
    sizes = []

    def f(w: Any, x: Any) -> Any:
        return (np.sin(w * x) ** 2).sum(-1)

    def told(w: Any, x: Any) -> Any:
        sizes.append(np.ndim(x))
        return f(w, x)

    compiler = jax.jit if compiled else lambda f: f
    like = lambda w, x: jax.ShapeDtypeStruct(np.broadcast_shapes(w.shape, x.shape)[:-1], x.dtype)
    layer, telling = (to_jax(g, out_like=like, vmap_method=method) for g in (f, told))
    wanted = lambda w, x: (jnp.sin(w * x) ** 2).sum(-1)
    w, x = jnp.array([0.5, 1.5]), jnp.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    agree(compiler(jax.vmap(telling, (None, 0)))(w, x), jax.vmap(wanted, (None, 0))(w, x))
    assert set(sizes) == ({1} if method == "sequential" else {2})
    rows = lambda f: lambda w: jax.vmap(f, (None, 0))(w, x).sum()
    agree(compiler(jax.grad(rows(layer)))(w), jax.grad(rows(wanted))(w))
    agree(compiler(jax.vmap(jax.grad(layer), (None, 0)))(w, x), jax.vmap(jax.grad(wanted), (None, 0))(w, x))
    agree(compiler(jax.hessian(rows(layer)))(w), jax.hessian(rows(wanted))(w))
    with pytest.raises(ValueError, match="vmap_method"):
        to_jax(f, vmap_method="parallel")
