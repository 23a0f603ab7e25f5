"""What one operation costs in the eager tier, beside the plain primal, hand-written NumPy and HIPS autograd.

    python benchmarks/eager.py [--repeat 40] [--json docs/benchmarks/eager.json]

All columns are measured in one interleaved run, in processor time; the medians are printed, ratios count. HIPS autograd
is left out where it is not installed. Linear algebra is to run in one thread: OPENBLAS_NUM_THREADS=1.
"""

import argparse
import math
import time

import numpy as np
from timing import interleaved, keep

import morula

try:
    import autograd
    import autograd.numpy as anp
except ImportError:
    autograd = anp = None


ROWS: dict[str, dict[str, float]] = {}


def show(title: str, result: dict[str, float], per: int | None = None, unit: str = "operation") -> None:
    print(f"\n{title}")
    ROWS[title] = result
    base = result.get("primal")
    for name, seconds in result.items():
        line = f"  {name:<22}{seconds * 1e6:12.2f} us"
        if base is not None and name != "primal":
            line += f"{seconds / base:9.2f}x primal"
        if per is not None and name == "morula gradient":
            line += f"   {(seconds - (base or 0.0)) / per * 1e6:.3f} us per {unit} beyond the primal"
            line += f", {seconds / per * 1e6:.3f} in all"
        print(line)
    if "HIPS autograd" in result:
        print(f"  HIPS autograd / morula: {result['HIPS autograd'] / result['morula gradient']:.1f}")


# -- programs -------------------------------------------------------------------------------------------------


def chain(x):
    for _ in range(1000):
        x = math.sin(x) * 1.01 + 0.1
    return x


def chain_autograd(x):
    for _ in range(1000):
        x = anp.sin(x) * 1.01 + 0.1
    return x


def products(x):
    y = x
    for _ in range(1000):
        y = y * x + x
    return y


def mse(y, t):
    total = 0.0
    for i in range(len(y)):
        total = total + (y[i] - t[i]) ** 2
    return total / len(y)


def sum3(a):
    return a[0] + a[1] + a[2]


def logistic(w, X, y):
    p = 1 / (1 + np.exp(-X @ w))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def logistic_autograd(w, X, y):
    p = 1 / (1 + anp.exp(anp.dot(-X, w)))
    return -anp.mean(y * anp.log(p) + (1 - y) * anp.log(1 - p))


def logistic_by_hand(w, X, y):
    """Value and gradient, as one writes them with the model in view."""
    p = 1 / (1 + np.exp(-X @ w))
    value = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    return value, X.T @ (p - y) / len(y)


def logistic_by_rules(w, X, y):
    """Value and gradient, each operation of `logistic` reversed by hand: what no tool can beat without algebra."""
    u = np.exp(-X @ w)
    p = 1 / (1 + u)
    log_p, q = np.log(p), 1 - p
    log_q = np.log(q)
    value = -np.mean(y * log_p + (1 - y) * log_q)
    scale = -1 / len(y)
    p_bar = scale * y / p - scale * (1 - y) / q
    z_bar = p_bar * (-p * p) * u
    return value, -(X.T @ z_bar)


def ufuncs(x):
    for _ in range(100):
        x = np.sin(x)
    return x.sum()


def mixed(x, c):
    y = x
    for _ in range(25):
        y = np.exp(-y)
        y = y * c
        y = y + x
        y = np.tanh(y)
    return y.sum()


# -- tables ---------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--json", metavar="PATH", help="keep the figures for the site")
    options = parser.parse_args()
    with morula.tier("eager"):
        measure(options.repeat)
    keep(options.json, "The eager tier beside HIPS autograd", "primal", ROWS)


def measure(repeat: int) -> None:

    columns = {"primal": lambda: chain(0.5), "morula gradient": lambda: morula.gradient(chain, 0.5)}
    if autograd is not None:
        peer = autograd.grad(chain_autograd)
        columns["HIPS autograd"] = lambda: peer(0.5)
    show("x = sin(x) * 1.01 + 0.1, 1000 times", interleaved(repeat, time.process_time, **columns), 3000)

    columns = {"primal": lambda: products(0.5), "morula gradient": lambda: morula.gradient(products, 0.5)}
    if autograd is not None:
        peer2 = autograd.grad(products)
        columns["HIPS autograd"] = lambda: peer2(0.5)
    show(
        "y = y * x + x, 1000 times",
        interleaved(repeat, time.process_time, **columns),
        2000,
    )

    rng = np.random.default_rng(0)
    y, t = rng.normal(size=30), rng.normal(size=30)
    f = morula.grad(mse)
    columns = {"primal": lambda: mse(y, t), "morula gradient": lambda: f(y, t)}
    if autograd is not None:
        peer3 = autograd.grad(mse)
        columns["HIPS autograd"] = lambda: peer3(y, t)
    show("mean square, an explicit loop over 30 elements", interleaved(repeat, time.process_time, **columns), 120)

    g = morula.grad(sum3)
    columns = {"primal": lambda: sum3(y), "morula gradient": lambda: g(y)}
    if autograd is not None:
        peer4 = autograd.grad(sum3)
        columns["HIPS autograd"] = lambda: peer4(y)
    show("the sum of three of 30 elements", interleaved(repeat, time.process_time, **columns))

    small = rng.normal(size=10)
    cosine = np.cos(small)

    def numpy_sines():
        """The NumPy calls that forward and backward must make, and nothing else."""
        x = small
        for _ in range(100):
            x = np.sin(x)
        bar = cosine
        for _ in range(100):
            bar = np.cos(x) * bar
        return bar

    columns = {
        "primal": lambda: ufuncs(small),
        "NumPy's own share": numpy_sines,
        "morula gradient": lambda: morula.gradient(ufuncs, small),
    }
    result = interleaved(repeat, time.process_time, **columns)
    show("np.sin 100 times on 10 elements", result)
    over = (result["morula gradient"] - result["NumPy's own share"]) / 100
    print(f"  {over * 1e6:.3f} us per NumPy call on top of NumPy, forward and backward together")

    def numpy_mixed():
        x = small
        y = x
        kept = []
        for _ in range(25):
            n = -y
            e = np.exp(n)
            m = e * cosine
            s = m + x
            y = np.tanh(s)
            kept.append((e, y))
        bar = cosine
        x_bar = None
        for e, y in reversed(kept):
            bar = (1 - y * y) * bar
            x_bar = bar if x_bar is None else x_bar + bar
            bar = -((cosine * bar) * e)
        return x_bar

    columns = {
        "primal": lambda: mixed(small, cosine),
        "NumPy's own share": numpy_mixed,
        "morula gradient": lambda: morula.grad(mixed)(small, cosine),
    }
    result = interleaved(repeat, time.process_time, **columns)
    show("exp, neg, *, +, tanh: 125 NumPy calls on 10 elements", result)
    over = (result["morula gradient"] - result["NumPy's own share"]) / 125
    print(f"  {over * 1e6:.3f} us per NumPy call on top of NumPy, forward and backward together")

    X = rng.normal(size=(10000, 100))
    w = rng.normal(size=100) / 10
    labels = (rng.random(10000) > 0.5).astype(float)
    h = morula.value_and_grad(logistic)
    columns = {
        "primal": lambda: logistic(w, X, labels),
        "by hand (algebra)": lambda: logistic_by_hand(w, X, labels),
        "by hand (rule by rule)": lambda: logistic_by_rules(w, X, labels),
        "morula gradient": lambda: h(w, X, labels),
    }
    if autograd is not None:
        peer5 = autograd.value_and_grad(logistic_autograd)
        columns["HIPS autograd"] = lambda: peer5(w, X, labels)
    result = interleaved(repeat, time.process_time, **columns)
    show("logistic regression, 10,000 x 100, value and gradient", result)
    for name in ("by hand (algebra)", "by hand (rule by rule)"):
        print(f"  morula / {name}: {result['morula gradient'] / result[name]:.2f}")


if __name__ == "__main__":
    main()
