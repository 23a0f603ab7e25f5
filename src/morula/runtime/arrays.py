"""Methods of arrays and of NumPy scalars; functions that write into arrays."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.errors import NotDifferentiable, no_rule
from morula.runtime.memory import owner_of
from morula.runtime.number_entries import Stacked
from morula.runtime.part import Part
from morula.runtime.registry import INSTANCE_HANDLERS, structural
from morula.runtime.writes import Write

ndarray = np.ndarray
Pair = tuple[Any, Any]

# Array methods that write into the array itself.
WRITERS = frozenset(
    "fill sort partition put itemset resize setfield setflags byteswap __setitem__ __iadd__ __isub__ __imul__ "
    "__itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__".split()
)
# Array methods that turn numbers into bytes.
SERIALIZERS = frozenset("tobytes tofile dump dumps __reduce__ __reduce_ex__ __array_interface__ __dlpack__".split())
# Array methods whose result holds no derivative.
FLAT_METHODS = frozenset(
    "argmax argmin argsort argpartition searchsorted nonzero any all "
    "setflags __len__ __array_namespace__ __sizeof__ __contains__ __bool__ __int__ __index__ __format__ "
    "__repr__ __str__".split()
)


ARRAY_FUNCTIONS = (np.ufunc, type(np.sum), type(ndarray.sum), type(np.dot))
_out_positions: dict[Any, int] = {}


def has_positional_out(f: Any, args: tuple) -> bool:
    """Whether the last positional argument of an array function is the array that it writes its result into."""
    if type(f) is np.ufunc:
        return len(args) > f.nin
    return len(args) > 1 and type(args[-1]) is ndarray and out_position(f) == len(args) - 1


def takes_two(f: Any) -> bool:
    """Whether the second positional argument of a function is an operand, not the array for the result."""
    return f.nin == 2 if type(f) is np.ufunc else type(f) not in ARRAY_FUNCTIONS or out_position(f) != 1


def out_position(f: Any) -> int:
    """The position of the parameter `out` of a function or method of arrays; -1 where it has none."""
    found = _out_positions.get(f)
    if found is None:
        found = -1
        for original in (f, getattr(np, f.__name__, None)):  # a method has the parameters of the function of its name
            try:
                parameters = list(inspect.signature(original).parameters.values())  # type: ignore[arg-type]
                found = [p.name if p.kind is p.POSITIONAL_OR_KEYWORD else "" for p in parameters].index("out")
                break
            except (TypeError, ValueError):
                continue
        _out_positions[f] = found
    return found


class Arrays(Part):
    """Array methods in a reverse context."""

    __slots__ = ()

    def array_method(self, o: ndarray, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``o.name(*args, **kw)``."""
        if name in SERIALIZERS:
            if o_d is not None or self.buffers.find(o) is not None:
                raise NotDifferentiable(f"ndarray.{name} of an active array would lose its derivative")
            return getattr(o, name)(*args, **kw), None
        if name in WRITERS:
            return self._writer(o, o_d, name, args, ds, kw, kw_d)
        f = getattr(ndarray, name, None)
        if f is None or name in FLAT_METHODS:
            return getattr(o, name)(*args, **kw), None
        if name == "item" and args:
            key = (
                args
                if len(args) > 1
                else (args[0] if isinstance(args[0], tuple) else np.unravel_index(args[0], o.shape))
            )
            y, y_d = self.getitem(o, o_d, tuple(int(k) for k in key), None)
            return y.item(), y_d
        if name == "view" and o_d is None:
            o_d = self.buffers.find(o)
        if name == "view" and o_d is not None:
            y = o.view(*args, **kw)
            if type(y) is not ndarray or (y.dtype != o.dtype and y.dtype.kind not in "fc"):
                raise NotDifferentiable(f"a view of an active array as {y.dtype} cannot be differentiated")
            return y, self.buffers.find(y)
        if o_d is None:
            o_d = self.buffers.find(o)
        if o_d is None and not ds and not kw:
            return getattr(o, name)(), None
        return self.call(f, (o, *args), (o_d, *ds), kw, kw_d)

    def _writer(self, o: ndarray, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if name == "fill":
            self.write(o, o_d, Ellipsis, args[0], ds[0])
            return None, None
        if name == "sort":
            y, y_d = self.call(np.sort, (o, *args), (o_d, *ds), kw, kw_d)
            self.write(o, o_d, Ellipsis, y, y_d)
            return None, None
        if name == "__setitem__":
            self.write(o, o_d, args[0], args[1], ds[1])
            return None, None
        if name.startswith("__i"):
            return getattr(self, name.strip("_"))(o, o_d, args[0], ds[0])
        if name == "setflags":
            o.setflags(*args, **kw)
            return None, None
        if self.buffers.find(o) is not None or self.any_active(args, ds, kw, kw_d):
            raise NotDifferentiable(
                f"ndarray.{name} writes into an active array and cannot be differentiated yet; use an assignment"
            )
        return self.logged_write(o, lambda: getattr(o, name)(*args, **kw)), None

    def logged_write(self, x: ndarray, run: Callable) -> Any:
        """Run code that writes into the inactive array `x`, so that the backward pass sees it as it was before."""
        old = x.copy()
        result = run()
        if x.shape == old.shape:
            self.log_write(x, old)
        return result

    def log_write(self, x: ndarray, old: ndarray) -> None:
        """Remember that the inactive array `x` was `old` until now."""
        self.log(Write(x, None, Ellipsis, old, None, None, True), owner_of(x))

    def call_with_out(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        """``f(*args, out=x)``: compute, then write; None where `out` is nothing that we know."""
        if isinstance(f, np.ufunc) and len(args) > f.nin:
            outs: Any = args[f.nin :]
            outs = (*outs, *(None for _ in range(f.nout - len(outs))))
            args, ds = args[: f.nin], ds[: f.nin]
        elif has_positional_out(f, args):
            outs = args[-1]
            args, ds = args[:-1], ds[:-1]
        else:
            outs = kw["out"]
            kw = {k: v for k, v in kw.items() if k != "out"}
            kw_d = {k: v for k, v in kw_d.items() if k != "out"}
        outs = outs if isinstance(outs, tuple) else (outs,)
        if not all(o is None or type(o) is ndarray for o in outs):
            return None
        written = [o for o in outs if o is not None]
        if not written:
            return self.call(f, args, ds, kw, kw_d)
        if len(outs) != 1 or "where" in kw:
            if self.any_active((*args, *written), (*ds, *(None for _ in written)), kw, kw_d):
                raise NotDifferentiable(
                    f"{getattr(f, '__name__', f)} with out= and where= (or several outputs) cannot be "
                    "differentiated yet; use np.where and an assignment"
                )
            out = outs if len(outs) > 1 else outs[0]
            return self.logged_write(written[0], lambda: f(*args, out=out, **kw)), None
        (x,) = outs
        y, y_d = self.call(f, args, ds, kw, kw_d)
        casting = kw.get("casting", "same_kind")
        if np.shape(y) != x.shape or not np.can_cast(np.asarray(y).dtype, x.dtype, casting):
            if np.broadcast_shapes(np.shape(y), x.shape) != x.shape:
                return f(*args, out=x, **kw), None  # raises
        self.write(x, None, Ellipsis, y, y_d)
        return x, self.buffers.find(x)

    def ufunc_method(self, f: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``np.add.reduce(x)`` and the other methods of ufuncs."""
        if name == "__call__":
            return self.call(f, args, ds, kw, kw_d)
        if not self.any_active(args, ds, kw, kw_d):
            if name == "at":
                return self.logged_write(args[0], lambda: f.at(*args)), None
            return self.opaque(getattr(f, name), args, kw), None
        function = UFUNC_METHODS.get((f, name))
        if function is None:
            raise NotDifferentiable(f"numpy.{f.__name__}.{name} of active values is not supported yet")
        if name == "reduce" and len(args) < 2 and "axis" not in kw:
            kw = {**kw, "axis": 0}
        if name == "accumulate" and len(args) < 2 and "axis" not in kw:
            kw = {**kw, "axis": 0}
        return self.call(function, args, ds, kw, kw_d)

    def number_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method of a NumPy scalar."""
        f = getattr(o, name)
        if o_d is None and not any(d is not None for d in ds):
            return f(*args, **kw), None
        if name in FLAT_METHODS or name == "is_integer":
            return f(*args, **kw), None
        if (
            name in ("item", "tolist", "copy", "__copy__", "__deepcopy__", "squeeze", "ravel", "flatten")
            and o.ndim == 0
        ):
            y = f(*args, **kw)
            if isinstance(y, ndarray):
                return self.call(np.reshape, (o, -1), (o_d, None))
            return y, o_d
        if name == "astype":
            y = f(*args, **kw)
            if not isinstance(y, np.inexact):
                return y, None
            return (
                self.call(np.real if isinstance(o, complex | np.complexfloating) else np.positive, (o,), (o_d,))
                if (isinstance(o, np.complexfloating) and not isinstance(y, np.complexfloating))
                else (y, o_d)
            )
        function = getattr(np, name, None)
        if function is not None:
            return self.call(function, (o, *args), (o_d, *ds), kw, kw_d)
        raise no_rule(getattr(type(o), name, f))


UFUNC_METHODS = {
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}


def _writing(ctx: Any, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> None:
    """Refuse functions that write into active memory and are not done yet."""
    if ctx.any_active(args, ds, kw, kw_d):
        raise NotDifferentiable(
            f"numpy.{f.__name__} writes into an array and cannot be differentiated yet; use an assignment instead"
        )


@structural(np.copyto)
def _copyto(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    values = [*args, *(kw[k] for k in ("dst", "src")[len(args) :])]
    shadows = [*ds, *(kw_d.get(k) for k in ("dst", "src")[len(args) :])]
    where = kw.get("where", True)
    casting = kw.get("casting", "same_kind")
    dst, src = values[:2]
    if not np.can_cast(np.asarray(src).dtype, dst.dtype, casting):
        np.copyto(*args, **kw)  # raises
    if where is True:
        ctx.write(dst, shadows[0], Ellipsis, src, shadows[1])
    else:
        mask = np.broadcast_to(where, dst.shape)
        src, src_d = ctx.call(np.broadcast_to, (src, dst.shape), (shadows[1], None))
        src, src_d = ctx.getitem(src, src_d, mask, None)
        ctx.write(dst, shadows[0], mask, src, src_d)
    return None, None


def _refusing(f: Any) -> Callable:
    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        _writing(ctx, f, args, ds, kw, kw_d)
        return ctx.logged_write(args[0], lambda: f(*args, **kw)), None

    return handler


for _writer in (np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis):
    structural(_writer)(_refusing(_writer))


def _view_handler(f: Any) -> Callable:
    """A function that makes nothing but a view of its array argument: the shadow is the same view."""

    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        y = f(*args, **kw)
        return y, ctx.buffers.find(y)

    return handler


def _memory_of(f: Any) -> Callable:
    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if any(isinstance(a, ndarray) and ctx.buffers.find(a) is not None for a in args):
            raise NotDifferentiable(f"{f.__name__}() of an active array would lose its derivative")
        if f is memoryview:
            ctx.hand_out(args[0], "a memoryview")
        return f(*args, **kw), None

    return handler


for _kind in (memoryview, bytes, bytearray):
    structural(_kind)(_memory_of(_kind))


def _array_of_numbers(f: Any) -> Callable:
    """``np.array([x, y, z])`` of numbers, the most frequent way to make an array; anything else is for the rule."""

    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) == 1 and not kw and type(args[0]) is list:
            record = ctx.records.list_of(args[0])
            if record is not None and all(type(v) is float or type(v) is np.float64 for v in args[0]):
                y = f(args[0])
                shadows = [(i, s) for i, s in enumerate(record.slots) if s is not None]
                if not shadows:
                    return y, None
                y_d = ctx.buffers.new(y)
                ctx.append(Stacked(y_d, shadows))
                return y, y_d
        found = ctx._try_rules(f, args, ds, kw, kw_d)
        if found is not None:
            return found
        if ctx.any_active(args, ds, kw, kw_d):
            raise no_rule(f)
        return f(*args, **kw), None

    return handler


for _make in (np.array, np.asarray):
    structural(_make)(_array_of_numbers(_make))


def _vectorized(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    f, *rest = args
    if ctx.any_active((f.pyfunc, *rest), ds, kw, kw_d):
        raise NotDifferentiable(
            "numpy.vectorize of active values is not supported yet; use a comprehension and np.array"
        )
    return f(*rest, **kw), None


INSTANCE_HANDLERS[np.vectorize] = _vectorized
for _view in (np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view):
    structural(_view)(_view_handler(_view))
