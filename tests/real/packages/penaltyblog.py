import penaltyblog as pb

CALLS: dict = {}
CALLS["Elo"] = (
    lambda k: (lambda e: (e.update_ratings("a", "b", 0), e.get_team_rating("a"))[1])(pb.ratings.Elo(k=k)),
    20.0,
)
