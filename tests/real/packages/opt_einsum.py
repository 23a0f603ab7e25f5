import numpy as np
from opt_einsum import contract, contract_expression

a, b, c = np.arange(6.0).reshape(2, 3) / 5, np.ones((3, 4)) * 0.3 + np.eye(3, 4), np.arange(8.0).reshape(4, 2) / 7

CALLS = {
    "contract": (lambda a, b, c: contract("ij,jk,kl->il", a, b, c), a, b, c),
    "trace": (lambda a, b, c: contract("ij,jk,ki->", a, b, c), a, b, c),
    "greedy": (lambda a, b, c: contract("ij,jk,kl->li", a, b, c, optimize="greedy"), a, b, c),
    "contract_expression": (lambda a, b: contract_expression("ij,jk->ik", (2, 3), (3, 4))(a, b), a, b),
    "interleaved": (lambda a, b: contract(a, [0, 1], b, [1, 2], [2, 0]), a, b),
    "scaled": (lambda a: contract("ij,ij->i", a, a), a),
}
