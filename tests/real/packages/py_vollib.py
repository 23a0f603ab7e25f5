from py_vollib.black import black
from py_vollib.black_scholes import black_scholes
from py_vollib.black_scholes.greeks import analytical, numerical
from py_vollib.black_scholes.implied_volatility import implied_volatility
from py_vollib.black_scholes_merton import black_scholes_merton

CALLS = {
    "black_scholes": (lambda S, t, s: black_scholes("c", S, 100.0, t, 0.02, s), 102.0, 0.5, 0.25),
    "black": (lambda F, s: black("p", F, 100.0, s, 0.02, 0.5), 101.0, 0.25),
    "black_scholes_merton": (lambda S, q: black_scholes_merton("c", S, 100.0, 0.5, 0.02, 0.25, q), 102.0, 0.01),
    "delta": (lambda S, s: analytical.delta("c", S, 100.0, 0.5, 0.02, s), 102.0, 0.25),
    "gamma": (lambda S, s: analytical.gamma("c", S, 100.0, 0.5, 0.02, s), 102.0, 0.25),
    "vega": (lambda S, s: analytical.vega("c", S, 100.0, 0.5, 0.02, s), 102.0, 0.25),
    "numerical theta": (lambda S, s: numerical.theta("c", S, 100.0, 0.5, 0.02, s), 102.0, 0.25),
    "implied_volatility": (lambda p: implied_volatility(p, 100.0, 100.0, 0.5, 0.02, "c"), 7.5),
}
