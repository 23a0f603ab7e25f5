"""What all tests share: the quick tier, and how a second Python repeats a part of the tests."""

import gc
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

import compiled_modules  # noqa: F401 - before others are loaded
from extent import EVERYTHING, FEW, SAMPLED, TURN
from morula.static.python import choice

settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # of a busy machine
settings.load_profile("suite")

WHOLE = ("test_byte_code.py", "test_exceptions.py", "test_foreign_memory.py", "test_source.py")  # where Pythons differ
MANY = 2  # cases of a test, of more than which a plain run takes a seventh, but no fewer than these
UNSAMPLED = ("test_docs.py", "test_gallery.py", "test_architecture.py")
COMPILING = "tests/native/"  # where one case is enough, and a plain run takes a fifth of a file's other tests, too
LONG = (  # whole files and folders that compile, start processes or measure; `slow` marks single tests
    "tests/native/",
    "tests/test_",
    "tests/chainrules/test_testing_tools_packages.py",
    "tests/morula/test_fuzz.py",
    "tests/morula/test_memory.py",
    "tests/morula/test_threads.py",
)
RULES = (  # one case for each rule
    "test_rules_numerically.py",
    "test_values.py",
    "test_other_shapes.py",
    "test_rule_contracts.py",
    "test_contracts.py",
    "test_refused_arrays.py",
    "test_rules_forward.py",
    "test_rules_second_order.py",
    "test_forward_rules_second_order.py",
)


@pytest.fixture(autouse=True)
def purse() -> None:
    """What attempts to make static adjoints have cost in one test keeps no other from making its own."""
    choice.PURSE.__init__()  # type: ignore[misc]


def pytest_report_header() -> str:
    """Which part of the matrices runs."""
    return "all of every matrix" if EVERYTHING else f"MORULA_TURN={TURN}; MORULA_TESTS=most or all runs more"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "quick: the first case of each test that is not long; under a minute")
    config.addinivalue_line("markers", "slow: not one of the quick tests")
    config.addinivalue_line("markers", "rules: the rule matrix, every rule under every law")


def pytest_collection_finish() -> None:
    """What is collected stays: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose what runs today. Mark the quick tests and the rule matrix; a second Python runs these and some others."""
    if SAMPLED:
        cases, singles = by_test(items)
        leave_out(config, items, [x for xs in cases for x in not_today(xs, 7)])
        leave_out(config, items, [x for xs in singles for x in not_today(xs, 5)])
    met = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if item.path.name in RULES:
            item.add_marker("rules")
        if test not in met and not item.nodeid.startswith(LONG) and not item.get_closest_marker("slow"):
            item.add_marker("quick")
        met.add(test)
    if FEW:
        others = [x for x in items if x.path.name not in WHOLE and not x.get_closest_marker("quick")]
        leave_out(config, items, [x for x in others if crc32(x.nodeid.encode()) % 6])


def by_test(items: list[pytest.Item]) -> tuple[list[list[pytest.Item]], list[list[pytest.Item]]]:
    """The cases of each test that may be sampled; the tests with few cases of each file that compiles."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.path.name not in UNSAMPLED:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    singles: dict[str, list[pytest.Item]] = {}
    for test, found in cases.items():
        if test.startswith(COMPILING) and len(found) <= MANY:
            singles.setdefault(test.partition("::")[0], []).extend(found)
    return list(cases.values()), list(singles.values())


def not_today(cases: list[pytest.Item], one_of: int) -> list[pytest.Item]:
    """The cases that come last in an order that is another one each day."""
    fewest = 1 if cases[0].nodeid.startswith(COMPILING) and len(cases) > MANY else MANY
    return sorted(cases, key=lambda x: crc32(f"{TURN} {x.nodeid} {TURN}".encode()))[max(fewest, len(cases) // one_of) :]


def leave_out(config: pytest.Config, items: list[pytest.Item], left_out: list[pytest.Item]) -> None:
    if left_out:
        known = {id(x) for x in left_out}
        items[:] = [x for x in items if id(x) not in known]
        config.hook.pytest_deselected(items=left_out)
