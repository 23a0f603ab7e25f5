"""The Python around the kernels of a compiled function that a differentiated one calls, written for types of arguments.

For the types of the arguments of a call, and for which of them are active, one *way* is written. The way of
``f(x, s)`` with an array and a float, whose value is a float, reads::

    def way(ctx, f, args, ds):
        a0, a1 = args
        if type(a0) is not ndarray or a0.size > 256: return None
        d0, d1 = ds
        b0 = zeros(a0.shape)
        y, (s1,), is_finite = joint(a0, a1, b0, 1.0)
        if not is_finite: return None
        y_d = [0]
        ctx.append(WeightedArrays(y_d, [(d0, b0), (d1, s1)]))
        return y, y_d

A value that is one number has its partial derivatives computed at once, so that nothing of the call has to be kept.
Other values keep what the forward kernel keeps. What a way returns None for, and what has none, takes the general path
(`numba.calls`): tuples that hold arrays, memory that arguments share, what is not finite.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from morula.eager.context.number_entries import WeightedArrays
from morula.eager.context.protocol import Context
from morula.eager.context.tape import LARGE, Entry, take
from morula.eager.memory.array_shadows import is_stopped
from morula.eager.memory.layout import owner_of
from morula.eager.replay.lost import mark
from morula.errors import describe
from morula.static.numba.entries import Overwritten, shadow_of_written
from morula.static.numba.kernels import Kernels
from morula.static.tiers.kernel_table import is_of_compiler
from morula.static.tiers.runners import TOOLS, Code, part

Pair = tuple[Any, Any]
Way = Callable[[Context, Any, tuple, tuple], Pair | None]
ndarray = np.ndarray
FLOAT = np.dtype(float)
FLOATS = (float, np.float64)
NUMBERS = (*FLOATS, int, bool)
ACTIVE = (*FLOATS, int)
GENERAL: dict[str, Callable] = {}  # parts of the general path: after the forward kernel, and after an error
LARGEST = 256  # elements of an array whose partial derivatives are kept in place of what gives them


def is_plain(kernels: Kernels, args: tuple, ds: tuple) -> bool:
    """Whether ways can be written: for active numbers that are not complex, and arrays of floats."""
    if kernels.frozen or any(leaf.path for leaf in kernels.leaves):
        return False
    for i, (a, d) in enumerate(zip(args, ds, strict=True)):
        if type(a) is ndarray:
            if (d is not None or i in kernels.written) and a.dtype != FLOAT:
                return False
        elif type(a) not in (NUMBERS if d is None else ACTIVE):
            return False
    return True


def with_partials(kernels: Kernels, args: tuple, ds: tuple) -> Way | None:
    """The way that keeps the partial derivatives of a value that is one number."""
    if kernels.value_kind != "number" or kernels.written or (kernels.may_burst and not kernels.is_repeatable):
        return None
    return _Code(kernels, args, ds).with_partials()


def with_halves(kernels: Kernels, args: tuple, ds: tuple) -> Way | None:
    """The way that keeps what the forward kernel keeps."""
    if kernels.halves is None or (kernels.written and kernels.value_kind == "array"):
        return None
    return _Code(kernels, args, ds).with_halves(*kernels.halves)


class _Code(Code):
    """The parts of a way's text."""

    def __init__(self, kernels: Kernels, args: tuple, ds: tuple):
        super().__init__(kernels, args)
        self.kernels = kernels
        self.ds = ds
        self.active = [leaf.argument for leaf in kernels.leaves if leaf.is_array]  # arrays, also those that are written
        self.numbers = [leaf.argument for leaf in kernels.leaves if not leaf.is_array]
        self.given = [f"a{i}" for i in range(len(args))]

    def with_partials(self) -> Way:
        lines = self.before(len(self.args))
        if self.active:
            lines.append(f"if {' or '.join(f'a{i}.size > {LARGEST}' for i in self.active)}: return None")
        lines += [self._shadows(), *(f"b{i} = zeros(a{i}.shape{self._order(i)})" for i in self.active)]
        partials = self.tuple_of([f"s{i}" for i in self.numbers]) if self.numbers else "_"
        given = ", ".join([*self.given, *(f"b{i}" for i in self.active), "1.0"])
        lines += self._run(f"y, {partials}{', is_finite' if self.may_burst else ''} = joint({given})")
        if self.may_burst:
            lines.append("if not is_finite: return None")
        if self.active or len(self.numbers) > 2:
            pairs = [*(f"(d{i}, b{i})" for i in self.active), *(f"(d{i}, s{i})" for i in self.numbers)]
            lines += ["y_d = [0]", f"ctx.append(WeightedArrays(y_d, [{', '.join(pairs)}]))"]
        else:
            lines += [f"y_d = [0, {', '.join(f'd{i}, s{i}' for i in self.numbers)}]", "ctx.append(y_d)"]
        lines.append("return y, y_d")
        way: Way = self._made("way(ctx, f, args, ds)", lines, joint=self.kernels.plain)
        return way

    def with_halves(self, forward: Callable, backward: Callable) -> Way:
        lines = [*self.before(len(self.args)), self._shadows()]
        found = [i for i in self.active if self.ds[i] is not None]
        tests = [f"d{i}.overlaps" for i in found]
        tests += [f"d{i}.buffer is d{j}.buffer" for k, i in enumerate(found) for j in found[:k]]
        into = sorted(self.kernels.written)
        written = self.tuple_of([f"a{i}" for i in into]) if into else "()"
        for i in into:
            lines.append(f"m{i} = id(a{i} if a{i}.base is None else owner_of(a{i}))")
            tests.append(f"m{i} in ctx.records.aliased or m{i} in ctx.handed_out")
            tests.append(f"(d{i} is not None and (d{i}.overlaps or is_stopped(d{i}.buffer)))")
        if tests:
            lines.append(f"if {' or '.join(tests)}: return None")
        run = f"y, kept = forward({', '.join(self.given)})"
        if not into:
            lines += self._run(run)
        else:
            before = self.tuple_of([f"o{i}" for i in into])
            lines += [f"o{i} = a{i}.copy()" for i in into]
            lines += ["try:", f"    {run}", "except Exception as error:"]
            lines.append(f"    return general['failed'](ctx, f, args, ds, {written}, {before}, error)")
        lines += [f"if d{i} is None: d{i} = shadow_of_written(ctx, a{i})" for i in into]
        lines += [f"ctx.log(Overwritten(a{i}, d{i}, ..., o{i}, None, None, True), owner_of(a{i}))" for i in into]
        lines += self._value_and_shadow()
        if into:
            lines.append(f"ds = {self.tuple_of([f'd{i}' for i in range(len(self.args))])}")
        lines += ["ctx.append(PreparedCall(half, args, kept, ds, y_d))", "return y, y_d"]
        half = Half(self.kernels.dispatcher, self._back(backward), tuple(into))
        tools = {"forward": forward, "half": half, "kernels": self.kernels, **HALVES}
        way: Way = self._made("way(ctx, f, args, ds)", lines, **tools)
        return way

    def _value_and_shadow(self) -> list[str]:
        kind = self.kernels.value_kind
        if kind == "array":
            shares = " or ".join([f"shares(y, {part(path)})" for path in self.arrays]) or "False"
            test = f"y.size > {LARGE} or (getattr(y.base, 'parent', y) is not None and ({shares}))"
            rest = f"if {test}: return general['finished'](ctx, f, kernels, args, ds, y, kept)"
            # (memory that compiled code has allocated has no parent)
            # in memory of its own: what the kernels have kept of it is out of the program's reach, and it is no view
            return [rest, "y = y.copy('K')", "y_d = ctx.buffers.of_owner(y)"]
        shadows = {"number": "[0]", "none": "None"}.get(kind) or self.tuple_of(["[0]"] * self.size)
        return [f"y_d = {shadows}"]

    @property
    def size(self) -> int:
        """How many numbers the value has."""
        return len(self.kernels.value_leaves)

    def _back(self, backward: Callable) -> Callable:
        """What adds the cotangents of the arguments, given that of the value."""
        lines = [f"{self.tuple_of(self.given)} = args", self._shadows()]
        kind = self.kernels.value_kind
        seeds = ["y_bar"]
        if kind == "array":
            lines.append("if y_bar.dtype is not FLOAT or not y_bar.flags.c_contiguous: y_bar = in_order(y_bar, FLOAT)")
        elif kind == "number":
            lines.append("if type(y_bar) is not float: y_bar = number(y_bar)")
        elif kind == "none":
            seeds = []
        else:
            seeds = [f"number(e{k})" for k in range(self.size)]
            names = self.tuple_of([f"e{k}" for k in range(self.size)])
            lines.append(f"{names} = y_bar or {self.tuple_of(['None'] * self.size)}")
        found = self.tuple_of([f"s{i}" for i in self.numbers]) if self.numbers else "_"
        given = ", ".join([*self.given, "kept", *(f"d{i}.view()" for i in self.active), *seeds])
        lines += [f"{found} = backward({given})", *(f"d{i}[0] += s{i}" for i in self.numbers)]
        tools = {"backward": backward, "in_order": np.ascontiguousarray, "number": as_seed}
        return self._made("back(args, kept, ds, y_bar)", lines, **tools)

    def _shadows(self) -> str:
        return f"{self.tuple_of([f'd{i}' for i in range(len(self.args))])} = ds"

    def _order(self, i: int) -> str:
        flags = self.args[i].flags
        return "" if flags.c_contiguous or not flags.f_contiguous else ", order='F'"

    @staticmethod
    def _run(line: str) -> list[str]:
        return ["try:", f"    {line}", "except Exception as error:", "    lost(ctx, f, error)", "    raise"]

    def _made(self, head: str, lines: list[str], **tools: Any) -> Callable:
        watch = {"holds": self.kernels.watch.holds, "settle": self.kernels.watch.settle}
        own = {"FLOAT": FLOAT, "WeightedArrays": WeightedArrays, "lost": lost}
        namespace = {**TOOLS, **watch, **self.constants, **own, **tools}
        exec("\n    ".join([f"def {head}:", *lines]), namespace)
        made: Callable = namespace[head.partition("(")[0]]
        return made


def lost(ctx: Context, f: Any, error: Exception) -> None:
    """An error leaves compiled code: the numbers that it holds have no derivative."""
    if not is_of_compiler(error):
        mark(ctx, describe(f), error)


def as_seed(bar: Any) -> float:
    """The cotangent of a number as kernels take it."""
    return 0.0 if bar is None else float(bar.real)


class Half(NamedTuple):
    """What the calls of one way have in common.

    Attributes:
        f: the compiled function.
        back: adds the cotangents of the arguments.
        written: the arguments that it writes into.
    """

    f: Any
    back: Callable
    written: tuple[int, ...]


class PreparedCall(Entry):
    """y = f(*args), where no two arguments share memory.

    Attributes:
        half: what does it.
        args: as they were given; arrays hold what the call has left there when a sweep comes here.
        kept: what the forward kernel has kept for the backward one.
        ds: the shadows of the arguments.
        y_d: that of the value.
    """

    __slots__ = ("args", "ds", "half", "kept", "y_d")
    reads = ("args", "kept")

    def __init__(self, half: Half, args: tuple, kept: Any, ds: tuple, y_d: Any):
        self.half = half
        self.args = args
        self.kept = kept
        self.ds = ds
        self.y_d = y_d

    @property
    def f(self) -> Any:
        return self.half.f

    def is_large(self) -> bool:
        return any(type(x) is ndarray and x.size > LARGE for x in self.args)

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        half = self.half
        if y_bar is None:
            for i in half.written:
                if self.ds[i].buffer.bar is not None:
                    break
            else:
                return
        half.back(self.args, self.kept, self.ds, y_bar)


HALVES: dict[str, Any] = {  # what ways of `with_halves` name
    "general": GENERAL,
    "is_stopped": is_stopped,
    "Overwritten": Overwritten,
    "owner_of": owner_of,
    "PreparedCall": PreparedCall,
    "shadow_of_written": shadow_of_written,
    "shares": np.may_share_memory,
}
