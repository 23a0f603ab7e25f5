"""Functions that solvers, quadratures and inner derivatives call, and the ways by which they reach active values."""

from ..grammar import Group, each_line, each_paragraph

CALLBACKS = Group(
    "callbacks of solvers",
    module="""
import functools

from scipy import integrate, optimize

import morula

RATES = {'rate': 0.4, 'curve': None}
TIGHT = {'rtol': 1e-9, 'atol': 1e-11}


class Curve:
    power = 0.6

    def __init__(self, k, w):
        self.k, self.w = k, w

    def at(self, t):
        return math.sin(t * self.k) + t * self.w[1] * self.power

    def __call__(self, t):
        return self.k * t + self.w[0]

    @property
    def total(self):
        return quad(self.at)


def quad(f, *args):
    return integrate.quad(f, 0.0, 1.0, args)[0]


def root(f, *args):
    return optimize.brentq(lambda t, *args: t + 0.3 * math.tanh(f(t, *args)), -3.0, 3.0, args, xtol=1e-14)


def flow(f, *args):
    slope = lambda t, y, *args: [-0.5 * y[0] + 0.1 * math.tanh(f(y[0], *args))]
    return integrate.solve_ivp(slope, (0.0, 0.5), [0.8], args=args, **TIGHT).y[0, -1]


def slope(f, *args):
    return morula.gradient(f, 0.4, *args)[0]


def rated(t):
    return math.sin(RATES['rate'] * t)


def curved(t):
    return t if RATES['curve'] is None else RATES['curve'].at(t)


def scaled(k, t):
    return math.tanh(k * t) + k


def noted(t, k=0.3, *, w=None):
    return k * t * t if w is None else k * t + w[0]


solve = [quad, root, flow, slope]
""",
    setup="""
curve = Curve(s, u)
held = [a, b]
named = {'k': a}
rate = s * 0.8

def rising(t):
    return rate * t + held[0]

rising.bias = b

def biased(t):
    return t * rising.bias

def wrapped(t, f=rising):
    return f(t) * 0.5

def bumped(t):
    global_rate = RATES['rate']
    return global_rate * t * named['k']
""",
    result="""
out += curve.k + sum(held) + named['k'] + math.tanh(rate)
RATES['rate'], RATES['curve'] = 0.4, None
""",
    shown=("curve.k", "held", "named", "rate"),
    scalars=each_line("""
quad(lambda t, p=$S: math.sin(p * t))
quad(lambda t, *, p=$S: p * t)
quad(lambda t, p, q: math.sin(p * t) * q, $S, $S)
quad(lambda t, h: h[0] * t + h[1], ($S, $S))
quad(lambda t, h: h[0] * t, [$S, 2.0])
quad(lambda t, h=($S, 0.3): h[0] * t + h[1])
quad(lambda t: $X * t + held[1])
quad(lambda t: math.sin(t * $S))
quad(lambda t: ($V * t).sum() * 0.1)
quad(rated)
quad(curved)
quad(curve.at)
quad(curve)
quad(lambda t, o: o.at(t), curve)
quad(functools.partial(scaled, $S))
quad(functools.partial(noted, k=$S))
quad(rising)
quad(biased)
quad(wrapped)
quad(bumped)
quad(lambda t: rising(t) * $S)
quad(lambda t: rising(t))
quad(lambda t: t * slope(lambda r: r * r * rate))
quad(lambda t: root(lambda r: r * t - rate))
curve.total
root(lambda t, p=$S: t - p)
root(lambda t, p: t * p - 0.2, $S)
root(rising)
root(rated)
root(curve.at)
root(wrapped)
root(functools.partial(scaled, $S))
root(lambda t: quad(lambda r: r * t * rate))
flow(rising)
flow(curve.at)
flow(lambda y, p: p * y, $S)
flow(lambda y: rate * y)
flow(rated)
slope(rising)
slope(curve.at)
slope(lambda t: t * t * $S)
slope(lambda t, p: t * p * p, $S)
slope(rated)
slope(wrapped)
slope(lambda t: math.sin(t * held[0]))
slope(functools.partial(scaled, $S))
slope(lambda t: quad(lambda r: math.sin(r * t * rate)))
morula.jvp(rising, ($S,), (1.0,))[1]
morula.jvp(lambda t: t * t * rate, (0.3,), ($S,))[1]
morula.hessian(lambda t: t ** 3 * rate, $S)
morula.withgradient(curve.at, $S).gradient[0]
morula.checkpoint(curve.at, $S)
optimize.newton(lambda t: t + 0.3 * math.tanh(t * rate) - 0.2, 0.1, tol=1e-13)
optimize.fixed_point(lambda t: 0.3 * math.sin(t) + math.tanh($S), 0.2, xtol=1e-13)
float(optimize.root(lambda z: z + 0.3 * np.tanh(z * rate) - 0.1, [0.2], tol=1e-13).x[0])
integrate.fixed_quad(lambda t: np.sin(t * $S), 0.0, 1.0)[0]
integrate.quad(math.sin, 0.0, $S)[0]
integrate.quad(rising, $S, 1.5)[0]
"""),
    vectors=each_line("""
np.array([quad(lambda t, k=k: t * k) for k in $A])
integrate.quad_vec(lambda t: np.sin(t * $V), 0.0, 1.0)[0]
morula.gradient(lambda r: (r * r * rate).sum(), $A)[0]
morula.gradient(lambda r: (r * curve.w).sum() * rate, $A)[0]
optimize.root(lambda z: z + 0.3 * np.tanh(z * rate) - 0.1, np.zeros(4), tol=1e-13).x
optimize.root(lambda z, q: z + 0.3 * np.tanh(z) - q, np.zeros(4), args=($A,), tol=1e-13).x
integrate.solve_ivp(lambda t, y: -rate ** 2 * y, (0.0, 0.4), $A, **TIGHT).y[:, -1]
morula.checkpoint(lambda r: r * rate, $A)
"""),
    lines=each_line("""
rate = $S
held[0] = $S
held.append($S); del held[0]
held = [$S, $S]
curve.k = $S
curve.w = $A
curve.w[0] = $S
curve = Curve($S, $A)
curve.at = lambda t, k=$S: k * t
named['k'] = $S
RATES['rate'] = $S
RATES['curve'] = curve
RATES['rate'] = 0.7
rising.bias = $S
solve[0], solve[1] = solve[1], solve[0]
a = math.tanh(solve[0](rising))
a = math.tanh(solve[1](rated))
b = math.tanh($S) * quad(rising)
"""),
    blocks=each_paragraph("""
for f$0 in (rising, curve.at, rated):
    a = math.tanh(a + quad(f$0))
    $b

def f$0(t$0):
    b = math.sin(t$0) * rate
    return b * held[0]
$b
a = math.tanh(quad(f$0) + slope(f$0))

def f$0(t$0, r$0=$V):
    return t$0 * r$0[1] + r$0[0]
$b
c = math.tanh(root(f$0))

def f$0(t$0):
    def inner(q): return q * t$0 * rate
    return quad(inner)
rate = $S
b = math.tanh(quad(f$0))

before$0 = rate
rate = rate * 0.5
a = math.tanh(quad(rising) * before$0)
$b
b = math.tanh(slope(rising) * rate)

try:
    a = quad(lambda t: t * (rate if rate < 0.9 else 1 / 0))
except ZeroDivisionError:
    a = rate * 0.3
"""),
)
