from optionlab import black_scholes as bs

CALLS: dict = {}
CALLS["get_bs_info"] = (
    lambda s, v: [getattr(bs.get_bs_info(s, 95.0, 0.03, v, 0.5), n) for n in ("call_price", "put_delta", "vega")],
    100.0,
    0.25,
)
CALLS["get_implied_vol"] = (lambda p: bs.get_implied_vol("call", p, 100.0, 95.0, 0.03, 0.5), 11.0)
