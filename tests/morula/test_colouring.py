"""Colourings: what they promise, and how many colours they take where the optimum is known."""

import numpy as np
import pytest

from morula.verbs.colouring import ORDERS, column_colours, count, row_colours, star_colours, two_sided

sparse = pytest.importorskip("scipy.sparse")


def banded(n, width):
    return sparse.diags_array([np.ones(n - abs(k)) for k in range(-width, width + 1)], offsets=range(-width, width + 1))


def arrowhead(n, heads):
    a = np.eye(n, dtype=bool)
    a[:heads] = a[:, :heads] = True
    return sparse.csr_array(a)


def block(n, size):
    return sparse.block_diag([sparse.coo_array(np.ones((size, size)))] * n)


def grid(m, n, corners):
    a, b = banded(m, 1), banded(n, 1)
    if corners:
        return sparse.kron(a, b)
    return sparse.kron(a, sparse.eye_array(n)) + sparse.kron(sparse.eye_array(m), b)


def pattern(a):
    return sparse.csr_array(sparse.csr_array(a) != 0)


# Columns: a band of width w needs 2 w + 1 colours; the five points 5, the nine 9 (each is a clique, and tilings do it).
OF_COLUMNS = [
    (banded(60, 1), 3), (banded(60, 3), 7), (block(10, 4), 4), (grid(12, 15, False), 5), (grid(12, 15, True), 9),
    (arrowhead(40, 1), 40),
]  # fmt: skip
# Stars: a path needs 3 colours, the band of width 2 at least 4; heads one each and one for the rest.
OF_STARS = [(banded(60, 1), 3), (block(10, 4), 4), (arrowhead(40, 3), 4), (arrowhead(400, 1), 2)]


@pytest.mark.parametrize(("a", "optimum"), OF_COLUMNS)
@pytest.mark.parametrize("order", [*ORDERS, None])
def test_columns_take_at_most_two_colours_too_many(a, optimum, order):
    p = pattern(a)
    colours = column_colours(p, order)
    assert is_partial(p, colours)
    assert optimum <= count(colours) <= optimum + 2
    assert is_partial(p.T.tocsr(), row_colours(p, order))


@pytest.mark.parametrize(("a", "optimum"), OF_STARS)
@pytest.mark.parametrize("order", [*ORDERS, None])
def test_stars_take_at_most_two_colours_too_many(a, optimum, order):
    p = pattern(a)
    colours = star_colours(p, order)
    assert is_star(p, colours)
    if order in ("natural", None, "largest first"):
        assert optimum <= count(colours) <= optimum + 2


@pytest.mark.parametrize("a", [grid(8, 9, False), grid(8, 9, True), banded(40, 2), banded(40, 5)])
def test_stars_of_stencils(a):
    """A star colouring takes no more colours than one of columns, and no fewer than a clique has."""
    p = pattern(a)
    assert is_star(p, star_colours(p))
    assert count(star_colours(p)) <= count(column_colours(p)) + 2


def test_an_arrowhead_takes_two_products_on_each_side():
    rows, columns = two_sided(pattern(arrowhead(200, 2)))
    assert count(rows) + count(columns) <= 2 + 2 + 2


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("order", [*ORDERS, None])
def test_colourings_of_random_matrices_are_ones(seed, order):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 14, 2)
    a = sparse.csr_array(rng.random((m, n)) < rng.choice([0.1, 0.3, 0.6]))
    assert is_partial(a, column_colours(a, order))
    rows, columns = two_sided(a, order)
    for i, j in np.argwhere(a.toarray()):
        if rows[i] >= 0:
            others = [k for k in range(m) if k != i and rows[k] == rows[i] and a[k, j]]
        else:
            others = [k for k in range(n) if k != j and columns[k] == columns[j] and a[i, k]]
            assert columns[j] >= 0
        assert not others
    s = rng.random((n, n)) < 0.3
    s = sparse.csr_array(s | s.T)
    assert is_star(s, star_colours(s, order))


def is_partial(p, colours):
    """Whether no row has two entries in columns of one colour."""
    for i in range(p.shape[0]):
        found = colours[p.toarray()[i]]
        if len(set(found.tolist())) < len(found) or (found < 0).any():
            return False
    return True


def is_star(p, colours):
    """Whether each entry stands alone in a product, on one side of the diagonal or the other."""
    a = p.toarray()
    same = a.astype(int) @ (colours[:, None] == np.arange(colours.max(initial=0) + 1)).astype(int)
    return all(same[i, colours[j]] == 1 or same[j, colours[i]] == 1 for i, j in np.argwhere(a))
