import glicko2

CALLS: dict = {}


def updated(rating, rd, vol):
    player = glicko2.Player(rating, rd, vol)
    player.update_player([1400.0, 1550.0, 1700.0], [30.0, 100.0, 300.0], [1, 0, 0])
    return player.rating, player.rd, player.vol * 1e3


CALLS["update_player"] = (updated, 1500.0, 200.0, 0.06)
