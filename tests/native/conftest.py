"""Tests of the native tier need Numba, and share what the engine's tests compare with."""

import sys
from pathlib import Path

import pytest

from extent import FEW

sys.path.insert(0, str(Path(__file__).parent.parent / "morula"))
sys.path.insert(0, str(Path(__file__).parent))
collect_ignore_glob = []
if FEW:  # what shows that it works on this Python: compiling takes minutes
    collect_ignore_glob = ["test_array_*", "test_native_language.py", "test_native_forward.py", "test_disk_cache.py",
                           "test_engine*", "test_numeric_fuzz.py", "test_user_rules.py", "test_called_rules.py",
                           "test_vector_math.py", "test_kept_calls.py", "test_lists.py"]  # fmt: skip
try:
    import numba  # noqa: F401
except ImportError:
    collect_ignore_glob = ["*"]


@pytest.fixture
def handmade(monkeypatch):
    """Kernels written by hand stand in the place of generated ones; gives the list of those that ran."""
    import fake_kernels

    import morula.static.numba.kernels as kernels

    monkeypatch.setattr(kernels, "kernels_of", fake_kernels.kernels_of, raising=False)
    forget()
    fake_kernels.RUNS.clear()
    yield fake_kernels.RUNS
    forget()


def forget():
    """All that is known of functions that were met."""
    from morula.static.numba import prepared
    from morula.static.tiers import fallback, verbs
    from morula.static.tiers import kernel_table as known

    prepared.forget_ways()
    known.forget_kernels()
    verbs.forget_runners()
    fallback.forget_told()


@pytest.fixture(params=["handmade", "generated"])
def kernels(request):
    """Both kinds of kernels, one after the other; the list of those that ran, or None for generated ones."""
    return request.getfixturevalue("handmade") if request.param == "handmade" else None
