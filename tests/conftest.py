"""What all tests share: how a second Python repeats a part of them."""

import os
from zlib import crc32

import pytest

FEW = os.environ.get("MORULA_TESTS") == "few"  # what shows that it works on this Python, too


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every second case of the rule library; `tests/native` leaves out whole files."""
    if not FEW:
        return
    left_out = [x for x in items if "/chainrules/" in f"/{x.nodeid}" and crc32(x.nodeid.encode()) % 2]
    if left_out:
        known = {id(x) for x in left_out}
        items[:] = [x for x in items if id(x) not in known]
        config.hook.pytest_deselected(items=left_out)
