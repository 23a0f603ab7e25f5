from elote import DWZCompetitor, EloCompetitor

CALLS: dict = {}


def after_games(kind, rating):
    def result(r):
        a, b = kind(initial_rating=r), kind(initial_rating=rating)
        a.beat(b)
        a.lost_to(b)
        a.beat(b)
        return a.rating, b.rating, a.expected_score(b)

    return result


CALLS["Elo"] = (after_games(EloCompetitor, 1450.0), 1500.0)
CALLS["DWZ"] = (after_games(DWZCompetitor, 1450.0), 1500.0)
