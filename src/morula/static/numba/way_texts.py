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
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from morula.eager.context.number_entries import WeightedArrays
from morula.eager.context.protocol import Context
from morula.eager.context.tape import LARGE, UNTOUCHED, Entry
from morula.eager.memory.array_shadows import is_stopped
from morula.eager.memory.layout import overwrite, owner_of
from morula.eager.memory.writes import refuse_asides
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
        for i in into:
            lines.append(f"m{i} = id(a{i} if a{i}.base is None else owner_of(a{i}))")
            tests.append(f"m{i} in ctx.records.aliased or m{i} in ctx.handed_out")
            if self.ds[i] is not None:
                tests.append(f"d{i}.buffer.place is not None and is_stopped(d{i}.buffer)")
        if tests:
            lines.append(f"if {' or '.join(tests)}: return None")
        run = f"y, kept = forward({', '.join(self.given)})"
        lines += self._writing(into, run) if into else self._run(run)
        new = [i for i in into if self.ds[i] is None]
        lines += [f"d{i} = shadow_of_written(ctx, a{i})" for i in new]
        if new:
            lines.append(f"ds = {self.tuple_of([f'd{i}' for i in range(len(self.args))])}")
        is_one = len(into) == 1 and self.kernels.value_kind == "none"
        if is_one:  # what it does and what it undoes is one entry
            (i,) = into
            lines += [f"entry = WritingCall(half, args, kept, ds, a{i}, d{i}, o{i})", "ctx.append(entry)"]
            lines += ["ctx.writes.append(entry)", "return None, None"]
        else:
            lines += [f"ctx.log(Overwritten(a{i}, d{i}, ..., o{i}, None, None, True), owner_of(a{i}))" for i in into]
            lines += self._value_and_shadow()
            lines += ["ctx.append(PreparedCall(half, args, kept, ds, y_d))", "return y, y_d"]
        half = Half(self.kernels.dispatcher, self._back(backward, into), tuple(map(itemgetter(0), self.arrays)))
        tools = {"forward": forward, "half": half, "kernels": self.kernels, **HALVES}
        way: Way = self._made("way(ctx, f, args, ds)", lines, **tools)
        return way

    def _writing(self, into: list[int], run: str) -> list[str]:
        """Run what writes into arguments; after an error of the program's, the general path looks what has changed."""
        copies = [f"o{i} = a{i}.copy()" for i in into]
        written, before = self.tuple_of([f"a{i}" for i in into]), self.tuple_of([f"o{i}" for i in into])
        failed = f"    return general['failed'](ctx, f, args, ds, {written}, {before}, error)"
        return [*copies, "try:", f"    {run}", "except Exception as error:", failed]

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

    def _back(self, backward: Callable, into: list[int]) -> Callable:
        """What adds the cotangents of the arguments, if there is one of the value or of what was written."""
        lines = [f"{self.tuple_of([f'd{i}' for i in range(len(self.args))])} = entry.ds"]
        untouched = [f"d{i}.buffer.bar is None" for i in into]
        seeds: list[str] = []
        fitting: list[str] = []
        kind = self.kernels.value_kind
        if kind == "array":
            lines.append("y_bar = entry.y_d.take()")
            untouched.append("y_bar is None")
            seeds = ["y_bar"]
            fitting.append(
                "if y_bar.dtype is not FLOAT or not y_bar.flags.c_contiguous: y_bar = in_order(y_bar, FLOAT)"
            )
        elif kind != "none":
            seeds = [f"e{k}" for k in range(self.size)]
            shadows = [f"z{k}" for k in range(self.size)]
            lines.append(f"{'z0' if kind == 'number' else self.tuple_of(shadows)} = entry.y_d")
            lines += [f"e{k} = z{k}[0]" for k in range(self.size)]
            lines.append(f"{' = '.join(f'z{k}[0]' for k in range(self.size))} = {UNTOUCHED}")
            untouched += [f"type(e{k}) is int" for k in range(self.size)]
            fitting += [f"if type(e{k}) is not float: e{k} = float(e{k}.real)" for k in range(self.size)]
        if untouched:
            lines.append(f"if {' and '.join(untouched)}: return")
        lines += [*fitting, f"{self.tuple_of(self.given)} = entry.args"]
        found = self.tuple_of([f"s{i}" for i in self.numbers]) if self.numbers else "_"
        given = ", ".join([*self.given, "entry.kept", *(f"d{i}.view()" for i in self.active), *seeds])
        lines += [f"{found} = backward({given})", *(f"d{i}[0] += s{i}" for i in self.numbers)]
        return self._made("back(entry)", lines, backward=backward, in_order=np.ascontiguousarray)

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


class Half(NamedTuple):
    """What the calls of one way have in common.

    Attributes:
        f: the compiled function.
        back: adds the cotangents of the arguments of an entry, once for what has come there.
        arrays: the arguments that are arrays.
    """

    f: Any
    back: Callable
    arrays: tuple[int, ...]


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
        args, arrays = self.args, self.half.arrays
        return bool(arrays) and max([args[i].size for i in arrays]) > LARGE

    def pull(self, strict: bool) -> None:
        self.half.back(self)


class WritingCall(PreparedCall):
    """The same of a function without a value that writes into one array.

    Attributes:
        x, x_d: that array, and its shadow.
        old: what it held before.
    """

    __slots__ = ("old", "x", "x_d")
    arrays = ("x",)
    undoes = True
    key = Ellipsis

    def __init__(self, half: Half, args: tuple, kept: Any, ds: tuple, x: ndarray, x_d: Any, old: ndarray):
        self.half = half
        self.args = args
        self.kept = kept
        self.ds = ds
        self.x = x
        self.x_d = x_d
        self.old = old
        self.y_d = None

    def pull(self, strict: bool) -> None:
        self.half.back(self)
        x, root = self.x, self.x_d.buffer
        if x.flags.writeable:
            x[...] = self.old
        else:
            overwrite(x, Ellipsis, self.old)
        if root.place is not None:
            refuse_asides(root)


HALVES: dict[str, Any] = {  # what ways of `with_halves` name
    "general": GENERAL,
    "is_stopped": is_stopped,
    "Overwritten": Overwritten,
    "owner_of": owner_of,
    "PreparedCall": PreparedCall,
    "WritingCall": WritingCall,
    "shadow_of_written": shadow_of_written,
    "shares": np.may_share_memory,
}
