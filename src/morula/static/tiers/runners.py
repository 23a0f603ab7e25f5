"""Runners: the Python between a verb and the joint kernel, written for the types of the arguments.

A runner of ``f(x, s)`` with an array and a float reads::

    def run(args):
        if not (holds() or settle()): return None
        a0, a1 = args
        if type(a0) is not ndarray: return None
        b0 = zeros(len(a0))
        y, (s1,) = joint(a0, a1, b0, 1.0)
        if type(y) is not float: refuse(y)
        return y, (b0, s1 if type(a1) is float else project(s1, a1))

What it returns None for needs the engine: a function whose globals have changed (`native.frozen`), arrays of classes of
their own, short arrays of other lengths, arrays whose elements share memory, and arrays that share it with one that is
written.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chainrules import project
from morula.eager.context.seeds import or_zero, unit_seed
from morula.eager.memory.layout import may_overlap
from morula.static.numba.sharing import shared
from morula.static.tiers.dispatch import straight
from morula.static.tiers.kernel_table import at

ndarray = np.ndarray
Runner = Callable[[tuple], Any]


class Wanted(NamedTuple):
    """What a runner gives: cotangents of some arguments, with zeros where there are none.

    Attributes:
        positions: of these arguments.
        is_one: whether one cotangent is meant, and not a tuple of one.
        value: whether the value comes with it.
    """

    positions: tuple[int, ...]
    is_one: bool
    value: bool


def runner_for(kernels: Any, args: tuple, given: int, wanted: Wanted | None) -> Runner | None:
    """The runner for arguments of these types; None where the value is not one number.

    Args:
        kernels: of the function.
        args: its arguments, of which the first `given` were given, and the rest are defaults.
        wanted: what it gives; None: the value, and the gradient with respect to all arguments, or None.
    """
    value = kernels.value_leaves
    if len(value) != 1 or value[0].is_array or value[0].path or getattr(kernels, "frozen", ()):
        return None
    code = Code(kernels, args)
    lines = code.before(given) + code.call()
    if wanted is None:
        result = "y, " + code.tuple_of([code.gradient(i) for i in range(given)])
    else:
        found = [code.or_zero(i) for i in wanted.positions]
        result = ("y, " if wanted.value else "") + (found[0] if wanted.is_one else code.tuple_of(found))
    text = "\n    ".join(["def run(args):", *lines, f"return {result}"])
    watch = {"holds": kernels.watch.holds, "settle": kernels.watch.settle}
    namespace = {"rest": args[given:], **watch, **TOOLS, **code.constants}
    namespace["joint"] = straight(kernels.plain, namespace, "joint")
    if code.may_burst:
        namespace["guarded"] = lambda *given: kernels.guarded(*given)[:2]  # compiled where it is needed
    exec(text, namespace)
    runner: Runner = namespace["run"]
    return runner


def refuse_value(y: Any) -> None:
    """Raise where a value is not one real number."""
    unit_seed(y, "gradient")


def zeros_for(x: Any) -> Any:
    return or_zero(None, x)


TOOLS: dict[str, Any] = {
    "may_overlap": may_overlap,
    "ndarray": ndarray,
    "project": project,
    "refuse": refuse_value,
    "shared": shared,
    "zeros": np.zeros,
    "zeros_for": zeros_for,
}


class Code:
    """The parts of a runner's text."""

    def __init__(self, kernels: Any, args: tuple):
        self.args = args
        self.may_burst = kernels.may_burst
        self.is_idle = kernels.watch.is_idle
        self.lengths = kernels.lengths
        self.leaves = {(leaf.argument, *leaf.path): leaf for leaf in kernels.leaves}
        self.names: dict[tuple[int, ...], str] = {}
        for k, (path, leaf) in enumerate(self.leaves.items()):
            self.names[path] = f"{'b' if leaf.is_array else 's'}{k}"
        self.arrays: list[tuple[int, ...]] = []
        for i, a in enumerate(args):
            self.arrays += paths_of_arrays(a, (i,))
        self.written = [path for path in self.arrays if path[0] in kernels.written]
        self.constants: dict[str, Any] = {}

    def before(self, given: int) -> list[str]:
        """Take the arguments apart, and look whether a kernel may have them."""
        lines = [] if self.is_idle else ["if not (holds() or settle()): return None"]
        if given != len(self.args):
            lines.append("args = args + rest")
        lines.append(f"{self.tuple_of([f'a{i}' for i in range(len(self.args))])} = args")
        tests = [f"type({part(path)}) is not ndarray" for path in self.arrays]
        for path, lengths in self.lengths:
            for axis, n in enumerate(lengths):
                if n is not None:
                    other = f"{part(n[0])}.shape[{n[1]}]" if isinstance(n, tuple) else n
                    own = f"{part(path)}.shape[{axis}]" if axis else f"len({part(path)})"
                    tests.append(f"{own} != {other}")
        for path in self.arrays:
            x = at(self.args, path)
            if not (x.flags.c_contiguous or x.flags.f_contiguous):
                p = part(path)
                tests.append(f"may_overlap({p}.shape, {p}.strides, {p}.itemsize)")
        for k, path in enumerate(self.arrays):
            for other in self.arrays[:k]:
                if path in self.written or other in self.written:
                    tests.append(self.share(path, other))
        if tests:
            lines.append(f"if {' or '.join(tests)}: return None")
        return lines

    def share(self, path: tuple[int, ...], other: tuple[int, ...]) -> str:
        """The test whether two arrays share elements."""
        return f"shared({part(path)}, {part(other)})"

    def call(self) -> list[str]:
        """Make the arrays for the cotangents, and run the kernel; arguments are afterwards as they were."""
        lines = []
        bars, numbers = [], []
        for path, leaf in self.leaves.items():
            name = self.names[path]
            if not leaf.is_array:
                numbers.append(name)
                continue
            x = at(self.args, path)
            self.constants[f"d{name}"] = x.dtype
            order = "" if x.flags.c_contiguous or not x.flags.f_contiguous else ", 'F'"
            dtype = "" if x.dtype == float and not order else f", d{name}{order}"
            shape = f"len({part(path)})" if x.ndim == 1 else f"{part(path)}.shape"
            lines.append(f"{name} = zeros({shape}{dtype})")
            bars.append(name)
        found = self.tuple_of(numbers) if numbers else "_"
        given = ", ".join([*(f"a{i}" for i in range(len(self.args))), *bars, "1.0"])
        restore = [f"{part(path)}[...] = o{k}" for k, path in enumerate(self.written)]
        if not self.may_burst:
            run = [f"y, {found} = joint({given})"]
        else:  # again where something infinite or no number came up, with strong zeros
            emptied = [*restore, *(f"{name}[...] = 0.0" for name in bars), f"y, {found} = guarded({given})"]
            run = [f"y, {found}, is_finite = joint({given})", "if not is_finite:", *(f"    {line}" for line in emptied)]
        if not self.written:
            lines += run
        else:
            lines += [f"o{k} = {part(path)}.copy()" for k, path in enumerate(self.written)]
            lines += ["try:", *(f"    {line}" for line in run), "finally:", *(f"    {line}" for line in restore)]
        return [*lines, "if type(y) is not float: refuse(y)"]

    def gradient(self, i: int) -> str:
        return self._gradient(self.args[i], (i,))

    def _gradient(self, x: Any, path: tuple[int, ...]) -> str:
        """The gradient with respect to what lies at a path, as an expression."""
        name = self.names.get(path)
        if name is not None:
            if isinstance(x, ndarray):
                return name
            kind = "complex" if isinstance(x, complex) else "float"
            return f"{name} if type({part(path)}) is {kind} else project({name}, {part(path)})"
        if not isinstance(x, tuple):
            return "None"
        parts = [self._gradient(v, (*path, k)) for k, v in enumerate(x)]
        if all(p == "None" for p in parts):
            return "None"
        return f"type({part(path)})({', '.join(parts)})" if hasattr(x, "_fields") else self.tuple_of(parts)

    def or_zero(self, i: int) -> str:
        """The same with zeros where a number or an array has none."""
        found = self.gradient(i)
        return f"zeros_for(a{i})" if found == "None" else found

    @staticmethod
    def tuple_of(parts: list[str]) -> str:
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def part(path: tuple[int, ...]) -> str:
    return f"a{path[0]}" + "".join(f"[{i}]" for i in path[1:])


def paths_of_arrays(a: Any, path: tuple[int, ...]) -> list[tuple[int, ...]]:
    if isinstance(a, ndarray):
        return [path]
    if isinstance(a, tuple):
        return [found for k, v in enumerate(a) for found in paths_of_arrays(v, (*path, k))]
    return []
