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
        ctx.append(Call(y_d, ds, (b0, s1)))
        return y, y_d

and its entry on the tape is of a class of its own, ``Call``, whose `pull` is written for these types, too.

A value that is one number has its partial derivatives computed at once, so that nothing of the call has to be kept.
Other values keep what the forward kernel keeps. What a way returns None for, and what has none, takes the general path
(`numba.calls`): tuples that hold arrays, memory that arguments share, what is not finite.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numba import _dispatcher

from chainrules import strong_mul
from morula.eager.context.protocol import Context
from morula.eager.context.tape import LARGE, UNTOUCHED, Entry
from morula.eager.memory.array_shadows import LAID_OUT, Buffer, is_stopped
from morula.eager.memory.layout import overwrite, owner_of
from morula.eager.memory.writes import refuse_asides
from morula.eager.replay.lost import mark
from morula.errors import describe
from morula.static.numba.compiling import always_as_typed
from morula.static.numba.entries import Overwritten, shadow_of_written
from morula.static.numba.kernels import Kernels
from morula.static.numba.sharing import is_special
from morula.static.numba.way_entries import PartialsCall, PreparedCall, WritingCall, entry_class
from morula.static.tiers.dispatch import entry_point, straight
from morula.static.tiers.kernel_table import is_of_compiler
from morula.static.tiers.runners import TOOLS, Code, part

Pair = tuple[Any, Any]
Way = Callable[[Context, Any, tuple, tuple], Pair | None]
ndarray = np.ndarray
fingerprint = _dispatcher.compute_fingerprint
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
        lines += [f"b{i} = zeros(a{i}.shape{self._order(i)})" for i in self.active]
        partials = self.tuple_of([f"s{i}" for i in self.numbers]) if self.numbers else "_"
        given = ", ".join([*self.given, *(f"b{i}" for i in self.active), "1.0"])
        lines += self._run(f"y, {partials}{', is_finite' if self.may_burst else ''} = joint({given})")
        if self.may_burst:
            lines.append("if not is_finite: return None")
        if self.active or len(self.numbers) > 2:
            found = self.tuple_of([*(f"b{i}" for i in self.active), *(f"s{i}" for i in self.numbers)])
            lines += ["y_d = [0]", f"ctx.append(Call(y_d, ds, {found}))"]
        else:
            terms = ", ".join(f"d{i}, s{i}" for i in self.numbers)
            lines += [self._shadows("ds"), f"y_d = [0, {terms}]", "ctx.append(y_d)"]
        lines.append("return y, y_d")
        call = entry_class(PartialsCall, pull=self._pull_partials())
        way: Way = self._made("way(ctx, f, args, ds)", lines, Call=call)
        way.__globals__["joint"] = straight(self.kernels.plain, way.__globals__, "joint")
        return way

    def _pull_partials(self) -> Callable:
        """What adds the cotangents of the arguments by the partial derivatives."""
        lines = ["y_d = self.y_d", "y_bar = y_d[0]", "if type(y_bar) is int: return", f"y_d[0] = {UNTOUCHED}"]
        found = [*(f"b{i}" for i in self.active), *(f"s{i}" for i in self.numbers)]
        lines += [self._shadows("self.ds"), f"{self.tuple_of(found)} = self.partials"]
        strictly = [f"    d{i}.add(strong_mul(b{i}, y_bar), True)" for i in self.active]
        strictly += [f"    d{i}[0] += strong_mul(s{i}, y_bar)" for i in self.numbers]
        lines += ["if strict:", *strictly, "    return"]
        lines += [f"d{i}.add(b{i}) if y_bar == 1.0 else d{i}.add(b{i} * y_bar, True)" for i in self.active]
        lines += [f"d{i}[0] += s{i} * y_bar" for i in self.numbers]
        return self._made("pull(self, strict)", lines, strong_mul=strong_mul)

    def with_halves(self, forward: Callable, backward: Callable) -> Way:
        lines = [self._shadows("ds"), *self.before(len(self.args))]
        found = [i for i in self.active if self.ds[i] is not None]
        into = sorted(self.kernels.written)
        kind = self.kernels.value_kind
        roots = [i for i in found if len(found) > 1 or i in into]
        lines += [f"r{i} = {_root(f'd{i}')}" for i in roots]
        tests = [f"d{i}.overlaps" for i in found]
        tests += [f"r{i} is r{j}" for k, i in enumerate(found) for j in found[:k]]
        if into:
            tests.append(f"(ctx.records.aliased or ctx.handed_out) and is_special(ctx, {self._all('a', into)})")
        tests += [f"r{i}.place is not None and is_stopped(r{i})" for i in into if i in found]
        tests += [f"ctx.buffers.is_original(a{i})" for i in into if i not in found]
        if tests:
            lines.append(f"if {' or '.join(tests)}: return None")
        run = f"y, kept = forward({', '.join(self.given)})"
        lines += self._writing(into, run) if into else self._run(run)
        new = [i for i in into if self.ds[i] is None]
        lines += [f"d{i} = shadow_of_written(ctx, a{i})" for i in new]
        if new:
            lines.append(f"ds = {self._all('d', range(len(self.args)))}")
        if len(into) == 1 and kind == "none":  # what it does and what it undoes is one entry
            (i,) = into
            root = f"r{i}" if i in found else _root(f"d{i}")
            lines += [f"entry = Call(args, kept, ds, a{i}, {root}, o{i})", "ctx.append(entry)"]
            lines += ["ctx.writes.append(entry)", "return None, None"]
            call = entry_class(WritingCall)
        else:
            lines += [f"ctx.log(Overwritten(a{i}, d{i}, ..., o{i}, None, None, True), owner_of(a{i}))" for i in into]
            lines += self._value_and_shadow()
            lines += ["ctx.append(Call(args, kept, ds, y_d))", "return y, y_d"]
            call = entry_class(PreparedCall)
        call.f = self.kernels.dispatcher
        call.pull = self._pull(forward, backward, into, call)
        if self.arrays:
            sizes = [f"{part(path)}.size > {LARGE}" for path in self.arrays]
            test = [f"{self._all('a', range(len(self.args)))} = self.args", f"return {' or '.join(sizes)}"]
            call.is_large = self._made("is_large(self)", test)
        tools = {"forward": entry_point(forward, self.args), "kernels": self.kernels, "Call": call, **HALVES}
        way: Way = self._made("way(ctx, f, args, ds)", lines, **tools)
        return way

    def _writing(self, into: list[int], run: str) -> list[str]:
        """Run what writes into arguments; after an error of the program's, the general path looks what has changed."""
        copies = [f"o{i} = a{i}.copy()" for i in into]
        written, before = self._all("a", into), self._all("o", into)
        failed = f"    return general['failed'](ctx, f, args, ds, {written}, {before}, error)"
        return [*copies, "try:", f"    {run}", "except Exception as error:", failed]

    def share(self, path: tuple[int, ...], other: tuple[int, ...]) -> str:
        """Two owners of memory, which their shadows tell, have elements in common only where arguments share memory."""
        test = super().share(path, other)
        (i, *_), (j, *_) = path, other
        if self.ds[i] is None or self.ds[j] is None:
            return test
        apart = f"d{i} is not d{j} and type(d{i}) is type(d{j}) is Buffer and d{i}.place is d{j}.place is None"
        return f"(ctx.records.aliased or not ({apart})) and {test}"

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

    def _pull(self, forward: Callable, backward: Callable, into: list[int], call: type[Entry]) -> Callable:
        """What adds the cotangents of the arguments, if there is one of the value or of what was written.

        It also undoes the write of a `WritingCall`.
        """
        shadows = self._shadows("self.ds")
        lines = [] if call.undoes else [shadows]  # where a write is undone, they are needed for a cotangent only
        untouched = [f"d{i}.buffer.bar is None" for i in into]
        seeds: list[str] = []
        fitting: list[str] = []
        kind = self.kernels.value_kind
        if kind == "array":
            lines.append("y_bar = self.y_d.take()")
            untouched.append("y_bar is None")
            seeds = ["y_bar"]
            fitting.append(
                "if y_bar.dtype is not FLOAT or not y_bar.flags.c_contiguous: y_bar = in_order(y_bar, FLOAT)"
            )
        elif kind != "none":
            seeds = [f"e{k}" for k in range(self.size)]
            cells = [f"z{k}" for k in range(self.size)]
            lines.append(f"{'z0' if kind == 'number' else self.tuple_of(cells)} = self.y_d")
            lines += [f"e{k} = z{k}[0]" for k in range(self.size)]
            lines.append(f"{' = '.join(f'z{k}[0]' for k in range(self.size))} = {UNTOUCHED}")
            untouched += [f"type(e{k}) is int" for k in range(self.size)]
            fitting += [f"if type(e{k}) is not float: e{k} = float(e{k}.real)" for k in range(self.size)]
        given = ", ".join([*self.given, "self.kept", *(f"v{i}" for i in self.active), *seeds])
        numbers = self.tuple_of([f"s{i}" for i in self.numbers]) if self.numbers else "_"
        run = [f"{numbers} = run({given})", *(f"d{i}[0] += s{i}" for i in self.numbers)]
        args = f"{self._all('a', range(len(self.args)))} = self.args"
        work = [args, *fitting, *self._chosen_run(forward, kind, given), *run]
        if call.undoes:
            lines += ["root = self.x_d", "if root.bar is not None:", *_indented([shadows, *work])]
            lines += ["try: self.x[...] = self.old", "except ValueError: overwrite(self.x, ..., self.old)"]  # read-only
            lines.append("if root.place is not None: refuse_asides(root)")
        else:
            lines += [*([f"if {' and '.join(untouched)}: return"] if untouched else []), *work]
        tools = {"backward": backward, "in_order": np.ascontiguousarray, "direct": {}, **UNDOING}
        return self._made("pull(self, strict)", lines, **tools, entry_point=entry_point, fingerprint=fingerprint)

    def _chosen_run(self, forward: Callable, kind: str, given: str) -> list[str]:
        """Lay out the cotangents, and choose what runs the backward kernel.

        That is its compiled code, where this is what would be found for these arguments. Cotangents that lie as the
        arguments do have the types of these.
        """
        lines = [f"v{i} = d{i}.view()" for i in self.active]
        if not always_as_typed(forward):
            return [*lines, "run = backward"]
        bars = [*(f"v{i}" for i in self.active), *(["y_bar"] if kind == "array" else [])]
        lines.append(f"key = fingerprint({self.tuple_of(bars)})" if bars else "key = None")
        if self.active and kind != "array":
            tests = [f"type(d{i}) is Buffer and d{i}.owned is LAID_OUT and d{i}.dtype is FLOAT" for i in self.active]
            taken = [*(f"v{i} = d{i}.bar" for i in self.active), "key = LAID_OUT"]
            lines = [f"if {' and '.join(tests)}:", *_indented(taken), "else:", *_indented(lines)]
        met = f"if run is None: run = direct[key] = entry_point(backward, ({given}))"
        return [*lines, "run = direct.get(key)", met]

    def _shadows(self, where: str) -> str:
        return f"{self._all('d', range(len(self.args)))} = {where}"

    def _all(self, letter: str, which: Iterable[int]) -> str:
        return self.tuple_of([f"{letter}{i}" for i in which])

    def _order(self, i: int) -> str:
        flags = self.args[i].flags
        return "" if flags.c_contiguous or not flags.f_contiguous else ", order='F'"

    @staticmethod
    def _run(line: str) -> list[str]:
        return ["try:", f"    {line}", "except Exception as error:", "    lost(ctx, f, error)", "    raise"]

    def _made(self, head: str, lines: list[str], **tools: Any) -> Callable:
        watch = {"holds": self.kernels.watch.holds, "settle": self.kernels.watch.settle}
        namespace = {**TOOLS, **watch, **self.constants, "FLOAT": FLOAT, "lost": lost, **tools}
        exec("\n    ".join([f"def {head}:", *lines]), namespace)
        made: Callable = namespace[head.partition("(")[0]]
        return made


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _root(d: str) -> str:
    """The root of a shadow; of most arrays it is the shadow itself, which is told sooner than asked."""
    return f"{d} if type({d}) is Buffer else {d}.buffer"


def lost(ctx: Context, f: Any, error: Exception) -> None:
    """An error leaves compiled code: the numbers that it holds have no derivative."""
    if not is_of_compiler(error):
        mark(ctx, describe(f), error)


UNDOING: dict[str, Any] = {
    "Buffer": Buffer,
    "LAID_OUT": LAID_OUT,
    "overwrite": overwrite,
    "refuse_asides": refuse_asides,
}
HALVES: dict[str, Any] = {  # what ways of `with_halves` name
    "Buffer": Buffer,
    "general": GENERAL,
    "is_special": is_special,
    "is_stopped": is_stopped,
    "Overwritten": Overwritten,
    "owner_of": owner_of,
    "shadow_of_written": shadow_of_written,
    "shares": np.may_share_memory,
}
