"""What becomes of a callable: which names of a module have rules, which have none, and why.

>>> import math
>>> status_of(math.sin).kind, status_of(math.floor).kind
('covered', 'covered')
>>> [name for name, f in public_callables(math) if status_of(f).kind == "missing"]
[]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Literal

import numpy as np

from .checks import TypeSpec
from .declarations import is_non_differentiable, reason_unsupported
from .registry import FOLLOWED, FORWARD_RULES, INSTANCE_RULES, OPTED_OUT, PROGRAMS, RULES, up_to_date
from .rules import Rule

__all__ = ["KINDS", "NAMESPACES", "Status", "named", "public_callables", "status_of"]

Kind = Literal["covered", "followed", "non-differentiable", "unsupported", "missing"]
KINDS: tuple[Kind, ...] = ("covered", "followed", "non-differentiable", "unsupported", "missing")
NAMESPACES = """
    builtins operator math cmath itertools functools statistics fractions random numpy numpy.ndarray numpy.ufunc
    numpy.linalg numpy.fft numpy.polynomial numpy.polynomial.polynomial numpy.polynomial.chebyshev
    numpy.polynomial.legendre numpy.polynomial.hermite numpy.polynomial.hermite_e numpy.polynomial.laguerre
    numpy.random numpy.lib.stride_tricks
""".split()
if find_spec("scipy") is not None:
    NAMESPACES += ["scipy.special", "scipy.linalg", "scipy.fft", "scipy.ndimage"]
    NAMESPACES += ["scipy.signal", "scipy.signal.windows"]
    NAMESPACES += ["scipy.sparse", "scipy.sparse.linalg", "scipy.sparse.csgraph"]
    NAMESPACES += ["scipy.integrate", "scipy.interpolate", "scipy.optimize"]
    NAMESPACES += ["scipy.cluster.hierarchy"]
    NAMESPACES += ["scipy.spatial", "scipy.spatial.distance", "scipy.spatial.transform"]
"""The modules and classes whose public names the library answers for, each and all."""


@dataclass(frozen=True, slots=True)
class Status:
    """What is declared for a callable.

    Attributes:
        kind: ``"covered"`` by a rule or a program, ``"followed"`` as Python, ``"non-differentiable"``,
            ``"unsupported"`` on purpose, or ``"missing"``.
        rules: the reverse rules, most specific first, those that need something of the engine too.
        forward: the forward rules.
        of_instances: the rules for calls of its instances, where it is a class.
        reason: why it is unsupported.
        opted_out: the types for which its rules do not hold.
    """

    kind: Kind
    rules: tuple[Rule, ...] = ()
    forward: tuple[Rule, ...] = ()
    of_instances: tuple[Rule, ...] = ()
    reason: str | None = None
    opted_out: tuple[tuple[TypeSpec, ...], ...] = ()


def status_of(f: Any) -> Status:
    """What is declared for ``f``; the rules of engines, which hold for one of them only, do not count.

    Args:
        f: any callable or descriptor.

    >>> import numpy as np
    >>> status_of(np.linalg.solve).kind, status_of(np.argmax).kind
    ('covered', 'non-differentiable')
    """
    up_to_date()
    try:
        hash(f)
    except TypeError:
        return Status("missing")
    rules, of_instances = RULES.get(f, ()), INSTANCE_RULES.get(f, ())
    reason = reason_unsupported(f)
    kind: Kind
    if is_non_differentiable(f):
        kind = "non-differentiable"
    elif rules or of_instances:
        kind = "covered"
    elif reason is not None:
        kind = "unsupported"
    elif f in PROGRAMS or type(f).__dict__.get("__call__") in PROGRAMS:  # an object with a rule for its calls
        kind = "covered"
    else:
        kind = "followed" if f in FOLLOWED else "missing"
    return Status(kind, rules, FORWARD_RULES.get(f, ()), of_instances, reason, OPTED_OUT.get(f, ()))


def public_callables(space: Any) -> Iterator[tuple[str, Any]]:
    """The public names of a module or class that can be called, or read from instances; exceptions left out.

    Args:
        space: a module or a class.

    Names of other modules that happen to be imported there are left out too, where ``space`` is a module that
    says by ``__all__`` what is its own. For ``numpy.ufunc`` they are the methods of every ufunc, ``add.reduce``.

    >>> import cmath
    >>> dict(public_callables(cmath))["sqrt"] is cmath.sqrt
    True
    """
    if space is np.ufunc:
        yield from _ufunc_methods()
        return
    names = dir(space)
    if isinstance(space, ModuleType) and hasattr(space, "__all__") and space.__name__ != "numpy":
        names = sorted(space.__all__)
    for name in names:
        if name.startswith("_"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecated names warn where they are read
            try:
                f = getattr(space, name)
            except AttributeError:
                continue
        if isinstance(f, type) and issubclass(f, BaseException):
            continue
        if callable(f) or (isinstance(space, type) and hasattr(f, "__get__")):
            yield name, f


def _ufunc_methods() -> Iterator[tuple[str, Any]]:
    for f in {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc) and f.signature is None}.values():
        binary = f.nin == 2 and f.nout == 1
        for method in ("reduce", "accumulate", "reduceat", "outer", "at") if binary else ("at",):
            yield f"{f.__name__}.{method}", getattr(f, method)


def named(name: str) -> Any:
    """What a dotted name stands for: ``"numpy.linalg.solve"``, ``"abs"``; its module is imported.

    Raises:
        LookupError: where there is no such thing.

    >>> named("math.sin")(0.0), named("abs")(-1)
    (0.0, 1)
    """
    parts = name.split(".")
    for n in range(len(parts), -1, -1):
        module_name = ".".join(parts[:n]) or "builtins"
        try:
            found: Any = sys.modules.get(module_name) or import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is not None and not (module_name + ".").startswith(error.name + "."):
                raise
            continue
        try:
            for part in parts[n:]:
                found = getattr(found, part)
        except AttributeError:
            continue
        return found
    raise LookupError(f"cannot import {name!r}")
