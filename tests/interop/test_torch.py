"""`morula.torch`, against PyTorch's own derivatives of the same mathematics."""

import copy
import inspect
import pickle
import threading
import warnings
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import chainrules
import morula

torch = pytest.importorskip("torch")

from interop_models import doctored, model, scalar_of, written_in  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.utils import _pytree  # noqa: E402

from morula.torch import from_torch, to_torch  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of its own code
F = torch.func
ours, native = to_torch(model), written_in(torch)
sc, rc = scalar_of(ours, torch), scalar_of(native, torch)


def inputs(dtype: Any = torch.float64) -> tuple[dict, Any]:
    p = {"w": torch.tensor(2.0, dtype=dtype), "b": torch.tensor(0.5, dtype=dtype)}
    return p, torch.tensor([0.1, 0.2, 0.3], dtype=dtype)


def agree(found: Any, wanted: Any, tol: float = 1e-10) -> None:
    a, b = _pytree.tree_leaves(found), _pytree.tree_leaves(wanted)
    assert len(a) == len(b) > 0
    for u, v in zip(a, b, strict=True):
        assert u.dtype == v.dtype
        assert u.shape == v.shape
        torch.testing.assert_close(u, v, rtol=tol, atol=tol)


def leaves_of(dtype: Any) -> tuple[dict, Any]:
    p, x = inputs(dtype)
    return {k: v.requires_grad_() for k, v in p.items()}, x.requires_grad_()


def backward(scalar: Any, dtype: Any) -> list:
    q, z = leaves_of(dtype)
    scalar(q, z).backward()
    return [q["w"].grad, q["b"].grad, z.grad]


def twice(scalar: Any) -> list:
    q, z = leaves_of(torch.float64)
    g = torch.autograd.grad(scalar(q, z), z, create_graph=True)[0]
    (g**2).sum().backward()
    return [q["w"].grad, z.grad]


def thrice(scalar: Any) -> Any:
    q, z = leaves_of(torch.float64)
    g = torch.autograd.grad(scalar(q, z), z, create_graph=True)[0]
    h = torch.autograd.grad((g**2).sum(), z, create_graph=True)[0]
    return torch.autograd.grad((h**2).sum(), z)


P, X = inputs()
BATCH = torch.stack([X, 2 * X])
WAYS = {
    "value": lambda f, s: f(P, X),
    "backward": lambda f, s: backward(s, torch.float64),
    "double backward": lambda f, s: twice(s),
    "triple backward": lambda f, s: thrice(s),
    "grad": lambda f, s: F.grad(s, argnums=(0, 1))(P, X),
    "jvp": lambda f, s: F.jvp(lambda x: f(P, x), (X,), (torch.ones_like(X),)),
    "jacrev": lambda f, s: F.jacrev(f, argnums=(0, 1))(P, X),
    "jacfwd": lambda f, s: F.jacfwd(f, argnums=(0, 1))(P, X),
    "hessian": lambda f, s: F.hessian(s, argnums=(0, 1))(P, X),
    "reverse over reverse": lambda f, s: F.jacrev(F.jacrev(s, argnums=1), argnums=1)(P, X),
    "forward over forward": lambda f, s: F.jacfwd(F.jacfwd(s, argnums=1), argnums=1)(P, X),
    "reverse over forward": lambda f, s: F.jacrev(F.jacfwd(s, argnums=1), argnums=1)(P, X),
    "vmap": lambda f, s: F.vmap(f, (None, 0))(P, BATCH),
    "vmap of grad": lambda f, s: F.vmap(F.grad(s, argnums=(0, 1)), (None, 0))(P, BATCH),
    "grad of vmap": lambda f, s: F.grad(lambda p, x: F.vmap(s, (None, 0))(p, x).sum(), argnums=(0, 1))(P, BATCH),
    "hessian of vmap": lambda f, s: F.hessian(lambda p: F.vmap(s, (None, 0))(p, BATCH).sum())(P),
    "vmap of vmap": lambda f, s: F.vmap(F.vmap(f, (None, 0)), (None, 1))(P, torch.stack([BATCH, BATCH + 1], 1)),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_torch(way: str) -> None:
    agree(WAYS[way](ours, sc), WAYS[way](native, rc))


def test_single_precision_stays() -> None:
    agree(backward(sc, torch.float32), backward(rc, torch.float32), 1e-5)


@pytest.mark.parametrize("kind", ["gradcheck", "gradgradcheck"])
@pytest.mark.parametrize("forward", [False, True])
def test_gradcheck(kind: str, forward: bool) -> None:
    p, x = leaves_of(torch.float64)
    how = {"gradcheck": "check_forward_ad", "gradgradcheck": "check_fwd_over_rev"}[kind]

    def flat(w: Any, b: Any, x: Any) -> tuple:
        return tuple(ours({"w": w, "b": b}, x).values())

    assert getattr(torch.autograd, kind)(flat, (p["w"], p["b"], x), check_batched_grad=True, **{how: forward})


def test_rows_of_cotangents_and_recorded_programs() -> None:
    functional, x, f = torch.autograd.functional, X.clone().requires_grad_(), to_torch(np.sin)
    fixed = functional.hessian(lambda x: torch.sin(x).prod(), X)
    for strategy in ("reverse-mode", "forward-mode"):
        agree(functional.hessian(to_torch(lambda x: np.sin(x).prod()), X, vectorize=True,
                                 outer_jacobian_strategy=strategy), fixed)  # fmt: skip
    jacobian = functional.jacobian(f, x, vectorize=True, create_graph=True)
    agree(torch.autograd.grad((jacobian**2).sum(), x)[0], -torch.sin(2 * X))
    recorded = make_fx(torch.func.grad(lambda x: f(x).sum()))(X)
    agree(recorded(2 * X), torch.cos(2 * X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch's own
        linear = torch.func.linearize(f, X)[1]
    agree(linear(2 * X), 2 * X * torch.cos(X))  # numbers in uninitialized memory, as long as it went through NumPy


def square(x: Any) -> Any:
    return (x**2).sum()


square_of = to_torch(square)


class Holder:
    @to_torch
    def layer(self, x: Any) -> Any:
        return (x**2).sum()


def test_layers_are_pickled_copied_and_bound() -> None:
    layers = (square_of, pickle.loads(pickle.dumps(square_of)), copy.deepcopy(square_of), Holder().layer)
    for layer in layers:
        agree(F.grad(layer)(X), 2 * X)
    assert pickle.loads(pickle.dumps(Holder.layer)) is Holder.__dict__["layer"]
    assert str(inspect.signature(square_of)) == "(x: Any) -> Any"
    foreign = pickle.loads(pickle.dumps(from_torch(torch.sum)))
    assert morula.gradient(foreign, np.ones(2))[0].tolist() == [1.0, 1.0]


def test_complex_numbers() -> None:
    def f(z: Any) -> Any:
        return np.abs(z * z + z.conj() * 2) ** 2

    def grads(f: Any) -> Any:
        z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
        g = torch.autograd.grad(f(z).sum(), z, create_graph=True)[0]
        return g.detach(), torch.autograd.grad(g.abs().sum(), z)

    agree(grads(to_torch(f)), grads(lambda z: torch.abs(z * z + z.conj() * 2) ** 2))


def test_strides_do_not_matter() -> None:
    f = to_torch(lambda x: (x**3).sum())
    for make in (lambda x: x.expand(4, 3), lambda x: x.expand(4, 3).T, lambda x: x.flip(0), lambda x: x[::2]):
        x = X.clone().requires_grad_()
        f(make(x)).backward()
        z = X.clone().requires_grad_()
        (make(z) ** 3).sum().backward()
        agree(x.grad, z.grad)


def test_integers_unused_arguments_and_constants() -> None:
    def f(x: Any, i: Any, label: str, unused: Any, k: int) -> tuple:
        return x[i] * k, np.argmax(x), 1.0 if label == "a" else 0.0, None

    x, unused = X.clone().requires_grad_(), torch.ones(2, dtype=torch.float64, requires_grad=True)
    y, largest, flag, nothing = to_torch(f)(x, torch.tensor([1, 1]), "a", unused, 3)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 6.0, 0.0]
    assert unused.grad.tolist() == [0.0, 0.0]
    assert (largest.item(), largest.requires_grad, flag.item(), nothing) == (2, False, 1.0, None)


def test_keywords_lists_and_named_tuples() -> None:
    Pair = namedtuple("Pair", "a b")

    def f(pair: Any, *, scale: Any) -> Any:
        return Pair(pair.a * scale[0], [pair.b + scale[1]])

    def g(a: Any, b: Any, s: Any) -> Any:
        found = to_torch(f)(Pair(a, b), scale=[s, 2.0])
        assert isinstance(found, Pair)
        return (found.a * found.b[0]).sum()

    a, b, s = X, X + 1, torch.tensor(3.0, dtype=torch.float64)
    agree(F.hessian(g, (0, 1, 2))(a, b, s), F.hessian(lambda a, b, s: (a * s * (b + 2.0)).sum(), (0, 1, 2))(a, b, s))


def test_rules_hold() -> None:
    @chainrules.rrule(doctored)
    def _(x: Any) -> Any:
        return doctored(x), lambda y_bar: 2000.0 * x * y_bar

    x = X.clone().requires_grad_()
    f = to_torch(doctored)
    f(x).backward()
    agree(x.grad, 2000.0 * X)
    agree(F.hessian(f)(X), 2000.0 * torch.eye(3, dtype=torch.float64))


@pytest.mark.parametrize("hold", ["closure", "global", "attribute", "default", "partial"])
def test_tensors_that_are_no_arguments_are_refused(hold: str) -> None:
    import functools

    w = torch.tensor(2.0, requires_grad=True)

    class Model:
        def __init__(self) -> None:
            self.parts = [{"w": w}]

        def f(self, x: Any) -> Any:
            return x * self.parts[0]["w"]

    def default(x: Any, w: Any = w) -> Any:
        return x * w

    space: dict = {"w": w}
    exec("def f(x): return x * w", space)
    f = {
        "closure": lambda x: x * w, "global": space["f"], "attribute": Model().f, "default": default,
        "partial": functools.partial(default, w=w),
    }[hold]  # fmt: skip
    with pytest.raises(morula.NotDifferentiable, match=r"to_torch.*reaches a torch\.Tensor.*as an argument"):
        to_torch(f)(X)


def test_a_dtype_that_numpy_lacks_is_refused() -> None:
    with pytest.raises(morula.NotDifferentiable, match="bfloat16"):
        to_torch(lambda x: x)(X.bfloat16())


def test_exceptions_are_the_users_own() -> None:
    def f(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        to_torch(f)(X)
    assert caught.traceback[-1].path.samefile(__file__)


def test_arguments_are_not_written() -> None:
    def f(x: Any) -> Any:
        x[0] = 1.0
        return x.sum()

    with pytest.raises(ValueError, match="read-only"):
        to_torch(f)(X.clone())


def test_results_have_memory_of_their_own() -> None:
    table = np.ones(3)
    x = X.clone()
    y, t = to_torch(lambda x: (x, table))(x)
    y.mul_(2.0)
    t.mul_(2.0)
    agree(x, X)
    assert table.tolist() == [1.0, 1.0, 1.0]


def test_training() -> None:
    class Layer(torch.nn.Module):
        def __init__(self, f: Any) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.w = torch.nn.Parameter(torch.tensor(2.0, dtype=torch.float64))
            self.lin = torch.nn.Linear(3, 3, dtype=torch.float64)
            self.f = f

        def forward(self, x: Any) -> Any:
            return self.f({"w": self.w, "b": torch.tensor(0.5, dtype=torch.float64)}, self.lin(x))["e"]

    def losses(f: Any) -> list:
        layer, found = Layer(f), []
        optimiser = torch.optim.Adam(layer.parameters(), 1e-2)
        for _ in range(5):
            optimiser.zero_grad()
            loss = layer(X)
            loss.backward()
            optimiser.step()
            found.append(loss.item())
        return found

    assert losses(ours) == pytest.approx(losses(native), rel=1e-10)


def test_threads() -> None:
    found: list = []
    workers = [threading.Thread(target=lambda: found.append(backward(sc, torch.float64))) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(60)
    assert len(found) == 4
    for each in found:
        agree(each, backward(rc, torch.float64))


# -- the other way ------------------------------------------------------------------------------------------


def plainly(p: dict, x: Any, n: int = 2) -> dict:
    return {"y": np.sin(x) * p["w"], "e": np.sum(x**n) * p["w"]}


def in_torch(p: dict, x: Any, n: int = 2) -> dict:
    return {"y": torch.sin(x) * p["w"], "e": torch.sum(x**n) * p["w"]}


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


@pytest.mark.parametrize("verb", VERBS)
def test_torch_in_plain_programs(verb: str) -> None:
    found, wanted = VERBS[verb](program(from_torch(in_torch))), VERBS[verb](program(plainly))
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def test_rules_of_foreign_functions_pass_the_laws() -> None:
    from chainrules.testing import test_frule, test_rrule

    test_rrule(from_torch(in_torch), {"w": 1.5}, np.array([0.1, 0.2, 0.3]))
    test_frule(from_torch(lambda w, x: torch.sin(x) * w), 1.5, np.array([0.1, 0.2, 0.3]))


def test_foreign_complex_single_and_integers() -> None:
    f = from_torch(lambda z: torch.abs(z * z + 2 * torch.conj(z)).sum())
    z = np.array([1 + 2j, 0.3 - 1j])
    np.testing.assert_allclose(
        morula.gradient(f, z)[0], morula.gradient(lambda z: np.abs(z * z + 2 * z.conj()).sum(), z)[0]
    )
    (single,) = morula.gradient(from_torch(lambda x: (x * x).sum()), np.ones(2, np.float32))
    assert single.dtype == np.float32
    pick = from_torch(lambda x, i: (x[i] ** 2).sum())
    assert morula.gradient(lambda x: pick(x, np.array([1, 1])), np.arange(3.0))[0].tolist() == [0.0, 4.0, 0.0]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_foreign_functions_in_every_mode_of_torch(mode: Any) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 9), torch.nn.ReLU(inplace=True)).double()
    f, x = from_torch(lambda x: (net(x.mul_(2.0)) ** 2).sum()), np.array([0.1, -0.2, 0.3])
    with mode():
        found = morula.gradient(f, x)[0]
        wanted = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)
    assert all(p.grad is None for p in net.parameters())


def test_a_layer_whose_result_changes_its_kind() -> None:
    f = to_torch(lambda x, number: (x**2).sum() if number else (x**2, x.sum()))
    for number in (True, True, False, True):
        x = X.clone().requires_grad_()
        y = f(x, number)
        (y if number else y[0].sum() + 0.0 * y[1]).backward()
        agree(x.grad, 2 * X)


def test_foreign_results_may_be_written() -> None:
    p = torch.nn.Parameter(torch.ones(3, dtype=torch.float64))
    f = from_torch(lambda x: (p, x * 1.0))

    def loss(x: Any) -> Any:
        w, y = f(x)
        w[0] = 5.0
        y[0] = 2.0 * y[1]
        return (w * y).sum()

    assert morula.gradient(loss, np.arange(3.0))[0].tolist() == [0.0, 11.0, 1.0]
    assert p.tolist() == [1.0, 1.0, 1.0]


def test_active_values_in_a_foreign_closure_are_refused() -> None:
    def loss(w: Any) -> Any:
        return from_torch(lambda x: (w * x).sum())(np.ones(2))

    with pytest.raises(morula.NotDifferentiable, match=r"from_torch.*captures"):
        morula.gradient(loss, 2.0)


def test_there_and_back() -> None:
    inner = from_torch(lambda x: torch.tanh(x).sum())
    agree(F.hessian(to_torch(inner))(X), F.hessian(lambda x: torch.tanh(x).sum())(X))


def test_on_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU: nothing of morula.torch was checked on CUDA")
    x = X.cuda().requires_grad_()
    y = sc({k: v.cuda() for k, v in P.items()}, x)
    assert y.device == x.device
    y.backward()
    agree(x.grad.cpu(), backward(rc, torch.float64)[2])
    f = from_torch(lambda x: torch.sin(x).sum(), device="cuda")
    np.testing.assert_allclose(morula.gradient(f, np.ones(2))[0], np.cos(np.ones(2)))


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("whole", [False, True], ids=["breaks the graph", "fullgraph"])
def test_compiled(whole: bool) -> None:
    f = to_torch(model)
    if whole:
        f.prepare(*leaves_of(torch.float64))
    scalar = scalar_of(f, torch)

    def around(scalar: Any) -> Any:
        return lambda p, x: 2 * scalar(p, torch.sin(x))

    torch._dynamo.reset()
    agree(
        backward(torch.compile(around(scalar), backend="eager", fullgraph=whole), torch.float64),
        backward(around(rc), torch.float64),
    )


def test_a_backward_pass_goes_with_the_value_that_was_drawn() -> None:
    rng = np.random.default_rng(0)
    f = to_torch(lambda x: (x * rng.random(3)).sum())
    x = X.clone().requires_grad_()
    y = f(x)
    y.backward(retain_graph=True)
    assert (x.grad * X).sum().item() == pytest.approx(y.item(), rel=1e-12)
    y.backward()
    assert (x.grad * X).sum().item() == pytest.approx(2 * y.item(), rel=1e-12)


def test_arguments_that_are_changed_before_the_way_back_are_an_error() -> None:
    x = X.clone().requires_grad_()
    z = x * 1.0
    y = to_torch(lambda z: (z**2).sum())(z)
    with torch.no_grad():
        z.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_active_keywords_of_foreign_functions() -> None:
    f = from_torch(lambda x, scale: (x * scale).sum())
    assert morula.gradient(lambda s: f(np.ones(2), scale=s), 3.0) == (2.0,)
    assert morula.jvp(lambda s: f(np.ones(2), scale=s), (3.0,), (1.0,)) == (6.0, 2.0)
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(morula.hessian(lambda v: f(v, scale=v[0]), v), [[2.0, 1.0], [1.0, 0.0]])

    def keyword_only(x: Any, *, scale: Any) -> Any:
        return (x * scale).sum()

    with pytest.raises(morula.NotDifferentiable, match="keyword argument 'scale'"):
        morula.gradient(lambda s: from_torch(keyword_only)(np.ones(2), scale=s), 3.0)


def test_tensors_that_share_memory() -> None:
    def plain(a: Any, b: Any) -> Any:
        c = a.copy() if hasattr(a, "copy") else a.clone()
        c[0] = 2 * b[0]
        return (c * b**2).sum()

    f, x = to_torch(plain), torch.arange(1.0, 7.0, dtype=torch.float64)
    for pair in (
        lambda x: (x, x),
        lambda x: (x[:4], x[2:]),
        lambda x: (x.expand(2, 6)[1], x.flip(0)),
        lambda x: x.split(3),
    ):
        g, reference = (lambda x, h=h, pair=pair: h(*pair(x)) for h in (f, plain))
        agree(F.grad(g)(x), F.grad(reference)(x))
        agree(F.hessian(g)(x), F.hessian(reference)(x))
        agree(F.jvp(g, (x,), (x,)), F.jvp(reference, (x,), (x,)))
        agree(
            *(torch.autograd.grad(h(z), z, torch.ones_like(h(z))) for h in (g, reference) for z in [x.requires_grad_()])
        )
        x.requires_grad_(False)


def test_what_is_a_constant_to_a_foreign_function_is_not_differentiated_silently() -> None:
    class Holder:
        def __init__(self, w: Any) -> None:
            self.w = w

    product = from_torch(lambda x, n: (x * n).sum())
    held = from_torch(lambda o: torch.as_tensor(o.w).sum())
    for f, x in (
        (lambda n: product(np.ones(2), n), 3),
        (lambda n: product(np.ones(2), n), np.array([3, 4])),
        (lambda w: held(Holder(w)), np.ones(2)),
    ):
        with pytest.raises(morula.NotDifferentiable, match="as a constant"):
            morula.gradient(f, x)
    assert morula.gradient(lambda x: product(x, 3), np.ones(2))[0].tolist() == [3.0, 3.0]
