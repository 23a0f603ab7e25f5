import zepid.calc as zc

CALLS: dict = {}
CALLS["risk_ratio"] = (lambda a, b: zc.risk_ratio(a, b, 40.0, 60.0)[:4], 25.0, 75.0)
CALLS["risk_difference"] = (lambda a, b: zc.risk_difference(a, b, 40.0, 60.0)[:4], 25.0, 75.0)
CALLS["odds_ratio"] = (lambda a, b: zc.odds_ratio(a, b, 40.0, 60.0)[:4], 25.0, 75.0)
CALLS["number_needed_to_treat"] = (lambda a: zc.number_needed_to_treat(a, 75.0, 40.0, 60.0)[0], 25.0)
CALLS["attributable_community_risk"] = (lambda a: zc.attributable_community_risk(a, 75.0, 40.0, 60.0), 25.0)
CALLS["incidence_rate_ratio"] = (lambda a: zc.incidence_rate_ratio(a, 40.0, 250.0, 310.0)[:4], 25.0)
CALLS["rubins_rules"] = (lambda r: zc.rubins_rules([r, 0.3, 0.5], [0.1, 0.12, 0.09]), 0.4)
CALLS["semibayes"] = (lambda m: zc.semibayes(0.7, 0.3, 2.0, m, 1.2, 3.9, print_results=False)[0], 1.4)
