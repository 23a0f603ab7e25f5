"""The page that says of every function of SciPy what becomes of its derivative is what the rules declare."""

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def scipy_page(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    yield __import__("scipy_page")
    del sys.modules["scipy_page"]


def test_the_page_is_up_to_date(scipy_page) -> None:
    written = scipy_page.PAGE.read_text(encoding="utf-8")
    if f"of SciPy {scipy_page.VERSION}." not in written:
        pytest.skip("the page is that of another version of SciPy")
    assert written == scipy_page.page(), "python scripts/scipy_page.py writes it anew"


def test_what_the_page_says_of_single_names(scipy_page) -> None:
    of_linalg = scipy_page.grouped(scipy_page.statuses_of("scipy.linalg"))
    assert "solve" in of_linalg["rule"] and "companion" in of_linalg["followed"] and "pascal" in of_linalg["constant"]
    assert "ldl" in of_linalg["refused: it pivots with blocks of two rows; use cholesky or lu"]
    assert "norm" in scipy_page.distributions()["rule"] and "burr" in scipy_page.distributions()["followed"]
