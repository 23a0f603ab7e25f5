"""How much runs: everything with ``MORULA_TESTS=all``, else parts of the large matrices that change from day to day.

A plain run takes some cases of each test, and some tests that compile (see `conftest`); ``MORULA_TESTS=most`` takes
them all.

``MORULA_TURN`` says which part; pytest shows it in its header, and a run with the same number repeats it.
"""

import os
import time

EVERYTHING = os.environ.get("MORULA_TESTS") == "all"
FEW = os.environ.get("MORULA_TESTS") == "few"  # on a second Python: what shows that it works there, too
SAMPLED = "MORULA_TESTS" not in os.environ
TURN = int(os.environ.setdefault("MORULA_TURN", str(int(time.time() // 86400))))  # processes started later see it


def part_of(items, one_of):
    """Every `one_of`-th item, beginning elsewhere each day, and at least one; all of them where everything runs."""
    if EVERYTHING or not items:
        return items
    return items[TURN % one_of :: one_of] or [items[TURN % len(items)]]
