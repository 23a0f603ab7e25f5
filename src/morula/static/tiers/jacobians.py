"""Jacobians of compiled functions in one call of compiled code, which runs a kernel for each row or column.

Calls that need more are left to the engine, which is told by None: as in `verbs`.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import registry_version
from morula.eager.calls.meanings import has_rule
from morula.static.tiers import fallback, kernel_table
from morula.static.tiers.dispatch import is_dispatcher, positional, straight
from morula.static.tiers.kernel_table import kernels_for, when_gone
from morula.static.tiers.runners import TOOLS, Code
from morula.static.tiers.verbs import Runners
from morula.static.unsupported import Unsupported

ndarray = np.ndarray
Found = tuple[Any, tuple]  # the value, and a Jacobian for each argument

_of_function: dict[tuple, Runners] = {}
_alive: dict[tuple, Any] = {}


def value_and_jacobians(f: Any, args: tuple, kwargs: dict, mode: str | None) -> Found | None:
    """The value of a function, one float or an array of them, and its Jacobians by all arguments in `args`.

    Args:
        f: a function.
        args: its arguments, floats and arrays of floats.
        kwargs: more arguments, constants.
        mode: "forward", "reverse", or None for the faster one.
    """
    key = (id(f), len(args), mode)
    runners = _of_function.get(key)
    if runners is not None and not kwargs:
        found = runners.run(args)
        if found is not None:
            return found
    if not is_dispatcher(f):
        return None
    every = positional(f, args, kwargs)
    if every is None:
        return None
    if runners is None:
        _alive[key] = when_gone(f, key, _of_function, _alive)  # type: ignore[arg-type]
        runners = _of_function[key] = Runners()
    found = None if every is args else runners.run(every)
    return found or _first(runners, f, every, len(args), mode)


def _first(runners: Runners, f: Any, every: tuple, given: int, mode: str | None) -> Found | None:
    """A call with arguments of types that were not met before, or that the runner does not take."""
    if fallback.current_mode() == "never" or has_rule(f):
        return None
    if not all(type(a) is float or (type(a) is ndarray and a.dtype == float) for a in every[:given]):
        return None
    kernel_table.prepare()
    version = registry_version()
    active = tuple([i < given for i in range(len(every))])
    try:
        types = kernel_table.fingerprint(every)
        kernels = kernels_for(f, every, active)
    except (Unsupported, NotImplementedError):
        return None
    if kernels is None or not _may_run(kernels):
        return None
    if not all(type(a) is ndarray and a.flags.c_contiguous for a in every if isinstance(a, ndarray)):
        return None
    run = _runner(kernels, every, given, mode)
    try:
        found = run(every)
    except Exception as error:
        if not kernel_table.is_of_compiler(error):
            raise
        return None
    if found is not None and not fallback.never_blocks and registry_version() == version:
        runners[types] = run
    return found


def _may_run(kernels: Any) -> bool:
    """Whether kernels can run several times in a row, for arguments that stay what they are."""
    value = kernels.value_leaves
    if len(value) != 1 or value[0].path or kernels.written or kernels.frozen or not kernels.is_repeatable:
        return False
    return not any(leaf.path for leaf in kernels.leaves)


def _runner(kernels: Any, every: tuple, given: int, mode: str | None) -> Callable[[tuple], Found | None]:
    """What runs the kernels for arguments of these types.

    Its text is, for two arguments::

        def run(args):
            a0, a1 = args
            if type(a0) is not ndarray: return None
            if not (rows[0] or may_begin(args)): return None
            n = a0.size + 1
            run = runs.get((rows[0], n)) or chosen(n, args)
            y, is_finite, found = run(a0, a1)
            if not is_finite: return None
            rows[0] = y.size
            return y, found
    """
    places = {leaf.argument: k for k, leaf in enumerate(kernels.leaves)}
    code = Code(kernels, every)
    rows = [0]  # of the last call

    def may_begin(every: tuple) -> bool:
        y = kernels.dispatcher(*every)
        if type(y) is not float and (type(y) is not ndarray or y.dtype != float or y.ndim == 0):
            return False
        rows[0] = np.size(y)
        return True

    runs: dict[tuple[int, int], Callable] = {}  # by the number of rows and of columns

    def chosen(n: int, every: tuple) -> Callable:
        if mode == "reverse":
            made = kernels.rows
        else:
            made = kernels.along(n, every) if mode == "forward" else kernels.faster(rows[0], n, every)
        runs[rows[0], n] = straight(made, runs, (rows[0], n))
        return runs[rows[0], n]

    columns = " + ".join([_size(leaf.argument, kernels.lengths) if leaf.is_array else "1" for leaf in kernels.leaves])
    given_all = ", ".join([f"a{i}" for i in range(len(every))])
    parts = [f"found[{places[i]}]" if i in places else f"zeros_by(y, a{i})" for i in range(given)]
    size = "y.size" if kernels.value_leaves[0].is_array else "1"
    lines = [
        *code.before(len(every)),
        "if not (rows[0] or may_begin(args)): return None",
        f"n = {columns}",
        "run = runs.get((rows[0], n)) or chosen(n, args)",
        f"y, is_finite, found = run({given_all})",
        "if not is_finite: return None",
        f"rows[0] = {size}",
        f"return y, {'found' if len(places) == given else code.tuple_of(parts)}",
    ]
    own = {"runs": runs, "chosen": chosen, "may_begin": may_begin, "rows": rows, "zeros_by": _zeros}
    namespace = {**TOOLS, **own, "holds": kernels.watch.holds, "settle": kernels.watch.settle}
    exec("\n    ".join(["def run(args):", *lines]), namespace)
    made: Callable[[tuple], Found | None] = namespace["run"]
    return made


def _size(i: int, known: Any) -> str:
    """How many numbers argument number `i` has, where its lengths are known, or what says so."""
    lengths = dict(known).get((i,), (None,))
    return str(math.prod(lengths)) if all(isinstance(n, int) for n in lengths) else f"a{i}.size"


def _zeros(y: Any, a: Any) -> Any:
    shape = np.shape(y) + np.shape(a)
    return np.zeros(shape) if shape else 0.0
