"""The examples of the gallery run, agree with something that Morula has no part in, and draw."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NUMBER = r"([-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)"
CLAIMS = {  # example -> what it prints, with a number in place of each #, and whether these numbers are right
    "robot_arm": (r"lever arms #.*curve\s+#.*post\s+#", lambda e, miss, clear: e < 1e-12 and miss < 0.05 and clear > 0),
    "gaussian_process": (r"period\s+#.*5\.9: #", lambda period, error: abs(period - 1) < 0.02 and error < 1e-5),
    "garch": (r"by hand: #", lambda error: error < 1e-12),
    "deblurring": (r"by hand #.*observed \(dB\)\s+#.*restored \(dB\)\s+#", lambda e, a, b: e < 1e-13 and b > a + 3),
    "ladder_filter": (r"closed form #", lambda error: error < 1e-8),
    "phylogenetics": (r"Cantor: fitted #.*closed form #", lambda fitted, known: abs(fitted / known - 1) < 1e-5),
    "lens": (r"conic constant\s+#\s+Descartes\s+#", lambda fitted, known: abs(fitted - known) < 1e-5),
    "wave_focus": (r"direction #, by an exact difference #", lambda a, b: abs(a / b - 1) < 1e-9),
    "eight_schools": (
        r"mean effect\s+#\s+#\s+spread of schools\s+#\s+#",
        lambda mean, exact, spread, other: abs(mean - exact) < 1 and abs(spread - other) < 1,
    ),
    "sparse_solvers": (
        r"root [^\n]* #\n.*trf [^\n]* #\n.*dense Jacobian: #",
        lambda root, squares, error: max(root, squares, error) < 1e-8,
    ),
    "learned_aim": (
        r"weight #, by a central difference #.*training # m.*steps # m",
        lambda slope, other, before, after: abs(slope / other - 1) < 1e-6 and after < before / 10,
    ),
    "learned_conductivity": (
        r"direction #, by a central difference #.*conductivity: # %",
        lambda slope, other, error: abs(slope / other - 1) < 1e-6 and error < 10,
    ),
    "dask_fit": (r"difference #.*relative: #", lambda here, other: here < 1e-11 and other < 1e-7),
    "neural_network": (r"by hand #.*rightly #%", lambda error, right: error < 1e-14 and right > 99),
}  # fmt: skip
NEEDS = {"learned_aim": "torch", "learned_conductivity": "jax", "dask_fit": "distributed"}


@pytest.mark.parametrize("name", CLAIMS)
def test_an_example_says_what_is_known_otherwise(name: str, tmp_path: Path, capsys, monkeypatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip(NEEDS.get(name, "numpy"))
    monkeypatch.chdir(tmp_path)
    with pyplot.rc_context({"backend": "Agg"}):
        pyplot.switch_backend("Agg")
        runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]()
    pattern, is_right = CLAIMS[name]
    printed = capsys.readouterr().out
    found = re.search(pattern.replace("#", NUMBER), printed, re.DOTALL)
    assert found, printed
    assert is_right(*[float(text.replace(",", "")) for text in found.groups()]), printed
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
