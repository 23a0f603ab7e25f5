import trueskill
from trueskill import Rating, TrueSkill

CALLS: dict = {}


def duel(mu, sigma, beta):
    env = TrueSkill(beta=beta, draw_probability=0.1)
    new1, new2 = env.rate_1vs1(Rating(mu, sigma), env.create_rating())
    return new1.mu, new1.sigma, new2.mu, new2.sigma


def teams(a, b, c):
    env = TrueSkill(draw_probability=0.2)
    rated = env.rate([(Rating(a, 6.0), Rating(25.0, 7.0)), (Rating(b, 5.0),), (Rating(c, 8.0),)], ranks=[0, 1, 1])
    return [r.mu + 0.3 * r.sigma for team in rated for r in team]


CALLS["rate_1vs1"] = (duel, 28.0, 7.0, 4.2)
CALLS["rate teams with a draw"] = (teams, 25.0, 30.0, 22.0)
CALLS["quality"] = (lambda m, s: trueskill.quality([(Rating(m, s), Rating(24.0)), (Rating(27.0, 3.0),)]), 26.0, 5.0)
CALLS["expose"] = (lambda m, s: TrueSkill().expose(Rating(m, s)), 28.0, 6.0)
