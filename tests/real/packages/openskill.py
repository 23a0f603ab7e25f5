from openskill.models import (
    BradleyTerryFull,
    BradleyTerryPart,
    PlackettLuce,
    ThurstoneMostellerFull,
    ThurstoneMostellerPart,
)


def rated(kind, mu, sigma):
    model = kind()
    first, second, third = (
        [model.rating(mu=mu, sigma=sigma)],
        [model.rating(mu=27.0, sigma=6.0)],
        [model.rating(), model.rating(mu=20.0)],
    )
    teams = model.rate([first, second, third], ranks=[2, 1, 3])
    return [x for team in teams for r in team for x in (r.mu, r.sigma)]


CALLS: dict = {
    kind.__name__: (lambda mu, sigma, kind=kind: rated(kind, mu, sigma), 24.0, 7.0)
    for kind in (PlackettLuce, BradleyTerryFull, BradleyTerryPart, ThurstoneMostellerFull, ThurstoneMostellerPart)
}
CALLS["predict_win"] = (
    lambda mu, sigma: PlackettLuce().predict_win([[PlackettLuce().rating(mu, sigma)], [PlackettLuce().rating()]]),
    24.0,
    7.0,
)
CALLS["predict_draw"] = (
    lambda mu, sigma: PlackettLuce().predict_draw([[PlackettLuce().rating(mu, sigma)], [PlackettLuce().rating()]]),
    24.0,
    7.0,
)
CALLS["ordinal"] = (lambda mu, sigma: PlackettLuce().rating(mu, sigma).ordinal(), 24.0, 7.0)
