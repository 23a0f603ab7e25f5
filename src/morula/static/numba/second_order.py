"""Second derivatives of compiled functions: the tangent function of the generated joint adjoint.

The joint adjoint is a plain function in the subset that the generator reads, so it goes through the generator once
more, forward: along a direction of the arguments its bars have tangents, which are products of the Hessian with it
(forward over reverse; Griewank & Walther, Evaluating Derivatives, 2008, section 5.1).
"""

import ast
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

from morula.static.numba.emit.lanes import WIDTHS
from morula.static.numba.emit.many import products_text
from morula.static.numba.emit.tangent import EmittedTangent, emit_tangent
from morula.static.numba.jacobian_kernels import Text
from morula.static.numba.lanes import FEWEST, width_for
from morula.static.numba.opaque_helpers import KEPT
from morula.static.pipeline import Front, front
from morula.static.tiers.kernel_summary import in_order
from morula.static.tiers.kernel_table import at, unforeseen
from morula.static.tiers.runners import part
from morula.static.unsupported import Unsupported
from morula.transform.syntax import parsed

ndarray = np.ndarray
MANY = 64  # directions, before code for several at once is compiled beside that for one


class SecondOrder:
    """Products of the Hessian of a real function with directions, for one combination of argument types.

    Args:
        kernels: the adjoints of the function, whose value is one float.
        args: arguments of these types.

    Raises:
        Unsupported: the generated adjoint holds something that the generator does not read.
    """

    def __init__(self, kernels: Any, args: tuple):
        self.kernels = kernels
        self._types = tuple(numba.typeof(x) for x in (*args, *zeros(kernels, args), 1.0))
        self._asked = 0  # directions
        self._several: dict[int, Callable | None] = {}  # by the number of lanes

    @cached_property
    def _adjoint(self) -> tuple[Front, tuple[bool, ...]]:
        """The joint adjoint, read once more, and which of its arguments move."""
        made, active = self.kernels.emitted_again, self.kernels.active
        function = self.kernels.compiled(plain_text(made.text), made.name, made.namespace).py_func
        bars = len(self._types) - len(active) - 1
        return front(function, self._types, False, KEPT), (*active, *[True] * bars, False)

    @property
    def _name(self) -> str:
        return f"{self.kernels.read.form.name}_hvp"

    def _tangent(self, *how: Any) -> EmittedTangent:
        read, active = self._adjoint
        return emit_tangent(read.representation(), active, self._name, *how)

    @cached_property
    def compiled(self) -> Callable:
        """``(*args, *bars, seed, *dots of args, *dots of bars) -> ((y, numbers), (y_dot, *dots of numbers))``."""

        def text() -> Text:
            made = self._tangent()
            return made.text, made.names, made.namespace

        found: Callable = self.kernels.functions("second", text)[-1]
        return found

    def compile(self, args: tuple) -> None:
        """Compile it for arguments of these types."""
        bars = zeros(self.kernels, args)
        dots = [_contiguous(0.0, at(args, (leaf.argument, *leaf.path))) for leaf in self.kernels.leaves]
        self.compiled.compile(tuple(numba.typeof(x) for x in (*args, *bars, 1.0, *dots, *bars)))  # type: ignore

    def product(self, args: tuple, direction: tuple) -> list[Any]:
        """The product of the Hessian and a direction: one part for each of the kernels' leaves.

        Args:
            args: of the function; those that it writes into are written into.
            direction: a number or an array for each leaf.
        """
        return self.along(args, direction)[3]

    def several(self, args: tuple, directions: Sequence[ndarray]) -> Sequence[ndarray] | None:
        """The products with directions, of which there are ``(n, *shape)`` for each leaf; None: they are one by one."""
        n = len(directions[0])
        self._asked += n
        points = [np.asarray(at(args, (leaf.argument, *leaf.path))) for leaf in self.kernels.leaves]
        if n < FEWEST or self._asked < MANY or self.kernels.written or any(x.dtype != float for x in points):
            return None
        width = width_for(n, args)
        flat = [np.ascontiguousarray(d, float).reshape(n, math.prod(d.shape[1:])) for d in directions]
        given = (*args, *zeros(self.kernels, args), *flat)
        if width not in self._several:
            self._several[width] = self._in_lanes(width, given)
        run = self._several[width]
        return None if run is None else run(*given)

    def _in_lanes(self, width: int, given: tuple) -> Callable | None:
        leaves = [(part((leaf.argument, *leaf.path)), leaf.is_array) for leaf in self.kernels.leaves]

        def text() -> Text:
            made, name = self._tangent(WIDTHS[width]), f"{self._name}_several"
            more = products_text(name, self._name, len(self.kernels.active), leaves, width)
            return f"{made.text}\n\n{more}", (*made.names, name), made.namespace

        try:
            run: Callable = self.kernels.functions(f"second{width}", text)[-1]
            run.compile(tuple(map(numba.typeof, given)))  # type: ignore[attr-defined]
        except (Unsupported, NumbaError):
            return None
        return run

    def along(self, args: tuple, direction: Sequence[Any]) -> tuple[Any, float, list[Any], list[Any]]:
        """The value, its tangent along a direction, the gradient, and the product; arguments as above."""
        leaves = self.kernels.leaves
        bars = zeros(self.kernels, args)
        found = zeros(self.kernels, args)
        dots = [
            _contiguous(d, at(args, (leaf.argument, *leaf.path))) for d, leaf in zip(direction, leaves, strict=True)
        ]
        (y, numbers), (y_dot, *numbers_dot) = self.compiled(*args, *bars, 1.0, *dots, *found)
        return y, y_dot, in_order(leaves, bars, numbers), in_order(leaves, found, numbers_dot)


def zeros(kernels: Any, args: tuple) -> list[ndarray]:
    """Bars of the arrays among the leaves."""
    return [np.zeros_like(at(args, (leaf.argument, *leaf.path))) for leaf in kernels.leaves if leaf.is_array]


def _contiguous(d: Any, x: Any) -> Any:
    if not isinstance(x, ndarray):
        return float(d)
    made = np.empty_like(x)  # of its layout
    made[...] = d
    return made


def second_order(kernels: Any, args: tuple) -> SecondOrder:
    """That of kernels, made once.

    Raises:
        Unsupported: it cannot be made.
    """
    found = vars(kernels).get("second_order")
    if found is None:
        try:
            found = SecondOrder(kernels, args)
            found.compile(args)
        except Unsupported as reason:
            found = reason
        except Exception as error:  # nothing of the user's has run
            found = unforeseen(kernels.dispatcher, error)
        kernels.second_order = found
    if isinstance(found, Unsupported):
        raise found
    return found


def plain_text(text: str) -> str:
    """A generated text without what only helps the compiler: unsigned indices, hidden zeros, vectors.

    The third result goes, too: whether all is finite.
    """
    return ast.unparse(ast.fix_missing_locations(_Plain().visit(parsed(text))))


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if name == "len" and isinstance(node.args[0], ast.Call):  # of a range
            start, stop, step = (ast.unparse(a) for a in node.args[0].args)
            text = f"max(({stop} - {start} + {step} - (1 if {step} > 0 else -1)) // {step}, 0)"
            return parsed(text, "eval").body
        return node.args[0] if name in ("np.uintp", "opaque") else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "vector_math":
            node.value.id = "np" if node.attr in ("exp2", "cbrt") else "math"
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        is_hidden = isinstance(node.right, ast.Name) and node.right.id.startswith("hidden_zero")
        return node.left if is_hidden and isinstance(node.op, ast.BitXor) else node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        assert isinstance(node.value, ast.Tuple)
        del node.value.elts[2:]
        return node
