"""Every public name of Python's own numeric modules has a rule, is declared, or has a reason to have none."""

import builtins
import cmath
import decimal
import fractions
import functools
import itertools
import math
import operator
import random
import statistics

import pytest

from chainrules import reason_unsupported
from chainrules.coverage import public_callables, status_of

MODULES = [builtins, cmath, decimal, fractions, functools, itertools, math, operator, random, statistics]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_name_is_missing(module):
    names = dict(public_callables(module))
    assert names
    missing = [name for name, f in names.items() if status_of(f).kind == "missing"]
    assert not missing, missing


def test_a_missing_name_is_noticed(monkeypatch):
    monkeypatch.setattr(math, "quite_new", lambda x: x, raising=False)
    assert [name for name, f in public_callables(math) if status_of(f).kind == "missing"] == ["quite_new"]


def test_reasons_are_sentences():
    for module in MODULES:
        for name, f in public_callables(module):
            reason = reason_unsupported(f)
            assert reason is None or len(reason.split()) > 4, (module.__name__, name)
