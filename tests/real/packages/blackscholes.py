from blackscholes import (
    BinaryCall,
    Black76Call,
    BlackScholesButterflyLong,
    BlackScholesCall,
    BlackScholesPut,
    BlackScholesStraddleLong,
)

GIVEN = (55.0, 50.0, 1.0, 0.0025, 0.15)

CALLS = {
    "call price": (lambda *a: BlackScholesCall(*a).price(), *GIVEN),
    "put price": (lambda *a: BlackScholesPut(*a).price(), *GIVEN),
    "delta": (lambda *a: BlackScholesCall(*a).delta(), *GIVEN),
    "gamma": (lambda *a: BlackScholesPut(*a).gamma(), *GIVEN),
    "vega": (lambda *a: BlackScholesPut(*a).vega(), *GIVEN),
    "get_all_greeks": (lambda s: sum(BlackScholesCall(s, *GIVEN[1:]).get_all_greeks().values()), 55.0),
    "Black76Call": (lambda f, k: Black76Call(f, k, 1.0, 0.01, 0.2).price(), 55.0, 50.0),
    "BinaryCall": (lambda s: BinaryCall(s, 50.0, 1.0, 0.01, 0.2).price(), 55.0),
    "straddle": (lambda s, v: BlackScholesStraddleLong(s, 50.0, 1.0, 0.01, v).price(), 55.0, 0.2),
    "butterfly": (lambda s: BlackScholesButterflyLong(s, 40.0, 50.0, 60.0, 1.0, 0.01, 0.2).price(), 55.0),
}
