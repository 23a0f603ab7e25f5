from pythtb import tb_model

CALLS: dict = {}


def graphene(delta, t):
    model = tb_model(2, 2, [[1.0, 0.0], [0.5, 3**0.5 / 2]], [[1 / 3, 1 / 3], [2 / 3, 2 / 3]])
    model.set_onsite([-delta, delta])
    for cell in ([0, 0], [0, -1], [-1, 0]):
        model.set_hop(t, 0, 1, cell)
    return model


CALLS["solve_one"] = (lambda d, t: graphene(d, t).solve_one([0.21, 0.37]), 0.3, -1.1)
CALLS["solve_all"] = (lambda d, t: graphene(d, t).solve_all([[0.21, 0.37], [0.1, 0.4]]), 0.3, -1.1)
