"""Names in generated code: each variable keeps its own, and leaves room for the names of its cotangent."""

import builtins
import re
from collections.abc import Iterable

from morula.static.ir import Function, Loop, Op, Value, values_of, walk

BUILTINS = frozenset(
    "abs bool complex divmod enumerate float int len max min pow print range round slice sum tuple zip".split()
)
"""The names of Python's own that generated code uses."""
assert all(hasattr(builtins, name) for name in BUILTINS)


class Names:
    """Names that are not in use.

    Whoever gets a name owns the name of its cotangent, too: where there is `x`, no other variable may be called
    `x_bar`, which the adjoint assigns.

    Args:
        taken: names in use.
        is_parallel: whether the code has parallel loops. There Numba itself calls the second value of `x` by the name
            `x_2`, and trips over another variable of that name.
    """

    def __init__(self, taken: Iterable[str] = (), is_parallel: bool = False):
        self.taken = {"np", "math", "cmath", *BUILTINS, *taken}
        self.is_parallel = is_parallel

    def __call__(self, base: str) -> str:
        """`base`, with a number where it is in use."""
        if self.is_parallel and re.search(r"_\d+$", base):
            base += "_"
        name, k = base, 1
        while name in self.taken or f"{name}_bar" in self.taken:
            name, k = f"{base}_{'v' if self.is_parallel else ''}{k}", k + 1
        self.taken |= {name, f"{name}_bar"}
        return name


def named(f: Function) -> list[Value]:
    """The parameters and variables of a function, in program order."""
    found = list(f.parameters)
    for s in walk(f.body):
        if not (isinstance(s, Op) and s.kind == "constant"):  # constants are called what they are in the namespace
            found += values_of(s)
    return found


def rename(f: Function, reserved: Iterable[str] = ()) -> None:
    """Give the values that are left the names of their variables, with as few numbers as can be.

    Args:
        f: the function; its parameters are given by position, so that they can change their names.
        reserved: names that generated code uses for itself.
    """
    names = Names([*f.namespace, *reserved], has_parallel_loops(f))
    for v in named(f):
        v.name = names(v.base or v.name)


def unused(f: Function, reserved: Iterable[str] = ()) -> Names:
    """Names for what the adjoint needs beside the variables of a function and their cotangents."""
    own = [f"{f.name}_{half}" for half in ("adjoint", "forward", "backward", "tangent")]
    taken = (form for v in named(f) for form in (v.name, f"{v.name}_bar"))
    return Names([*own, *f.namespace, *reserved, *taken], has_parallel_loops(f))


def has_parallel_loops(f: Function) -> bool:
    return any(isinstance(s, Loop) and s.parallel for s in walk(f.body))
