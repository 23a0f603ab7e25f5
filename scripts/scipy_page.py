"""Write the page that says of every function of SciPy what becomes of its derivative, from what the rules declare.

    python scripts/scipy_page.py            writes docs/chainrules/scipy.md
    python scripts/scipy_page.py --check    says whether it is up to date

The tests compare the two where SciPy has the version that the page names.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import scipy
from scipy import stats

from chainrules.coverage import NAMESPACES, named, public_callables, status_of
from chainrules.library.scipy.stats.densities import DENSITIES
from chainrules.library.scipy.stats.discrete import MASSES

PAGE = Path(__file__).parent.parent / "docs" / "chainrules" / "scipy.md"
VERSION = ".".join(scipy.__version__.split(".")[:2])
OUTCOMES = {"covered": "rule", "followed": "followed", "non-differentiable": "constant"}
HEAD = """# SciPy, function by function

How a call is differentiated, for each public name of SciPy {version}. `scripts/scipy_page.py` generates this page from
the declarations of the rules.

| | |
|---|---|
| rule | the name has a rule or a [program](functions.md#programs); a class has them for its methods |
| followed | the engine follows SciPy's own code, whose calls have rules |
| constant | the derivative is zero by definition |
| refused | if a derivative is needed, an error says why, and what to call instead; otherwise the call is plain |

To look up one name: `python -m chainrules scipy.linalg.solve`.
"""
STATS = """
## scipy.stats

Distributions have rules for `logpdf`, `pdf`, `cdf`, `logcdf`, `sf`, `logsf`, `ppf`, `isf` (`logpmf` and `pmf` for
discrete ones), with respect to points and parameters, frozen or not. Other methods and other distributions are
followed as far as the functions that SciPy calls have rules. So are functions not listed here; ranks are constant.
"""


def rows(groups: dict[str, list[str]]) -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for outcome, names in groups.items():
        yield f"| {outcome} | {', '.join(f'`{name}`' for name in names)} |"


def grouped(statuses: dict) -> dict[str, list[str]]:
    """Outcome -> names; what is refused has its reason there, and comes last."""
    groups: dict[str, list[str]] = {outcome: [] for outcome in OUTCOMES.values()}
    refused = defaultdict(list)
    for name, status in statuses.items():
        if status.kind == "unsupported":
            refused[f"refused: it {status.reason}"].append(name)
        elif status.kind in OUTCOMES:
            groups[OUTCOMES[status.kind]].append(name)
    return {outcome: names for outcome, names in (groups | dict(sorted(refused.items()))).items() if names}


def distributions() -> dict[str, list[str]]:
    """Outcome -> distributions of a real or a whole number."""
    known = DENSITIES | MASSES
    found: dict[str, list[str]] = {"rule": [], "followed": []}
    for name, value in vars(stats).items():
        if isinstance(value, stats.rv_continuous | stats.rv_discrete):
            found["rule" if type(value) in known else "followed"].append(name)
    return {outcome: sorted(names) for outcome, names in found.items()}


def page() -> str:
    lines = [HEAD.format(version=VERSION)]
    for namespace in sorted(name for name in NAMESPACES if name.startswith("scipy.")):
        lines += [f"\n## {namespace}\n", *rows(grouped(statuses_of(namespace)))]
    lines += [STATS, *rows(distributions()), "", *rows(grouped(statuses_of("scipy.stats")))]
    return "\n".join(lines) + "\n"


def statuses_of(namespace: str) -> dict:
    return {name: status_of(f) for name, f in public_callables(named(namespace))}


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
