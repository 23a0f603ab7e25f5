from openskill.models import PlackettLuce

CALLS: dict = {}


def rated(mu, sigma):
    model = PlackettLuce()
    teams = model.rate([[model.rating(mu=mu, sigma=sigma)], [model.rating(mu=27.0, sigma=6.0)]], ranks=[2, 1])
    return [x for team in teams for r in team for x in (r.mu, r.sigma)]


CALLS["PlackettLuce"] = (rated, 24.0, 7.0)
