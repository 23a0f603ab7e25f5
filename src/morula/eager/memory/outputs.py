"""Functions of arrays that write their result into an array of the caller's: ``out=``, and ufuncs with ``where=``.

The result is computed as if there were no `out`, and then written; where NumPy itself could round otherwise on the way
into that memory (another dtype, other strides), its own call decides about the values.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.context.part import Part
from morula.eager.context.signatures import signature_of
from morula.eager.memory.cells import copied, empty_alike, same_bytes
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray
Pair = tuple[Any, Any]

METHOD = type(ndarray.sum)
ARRAY_FUNCTIONS = (np.ufunc, type(np.sum), METHOD, type(np.dot))
# Correctly rounded, so that the layout of operands and result cannot matter.
EXACT = frozenset({
    np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.positive, np.absolute, np.square, np.sqrt,
    np.reciprocal, np.maximum, np.minimum, np.fmax, np.fmin, np.floor, np.ceil, np.trunc, np.rint, np.copysign,
    np.fabs, np.conjugate, np.clip, np.copyto, np.take, np.concatenate, np.stack, np.choose, np.compress,
})  # fmt: skip
# Errors that NumPy raises when the result is written already.
AFTERWARDS = (FloatingPointError, RuntimeWarning)
_positions: dict[Any, tuple[int, list[str]]] = {}


def has_out(f: Any, args: tuple, kw: dict) -> bool:
    """Whether a call of an array function writes into an array that it was given, or leaves elements out."""
    if kw and (kw.get("out") is not None or (type(f) is np.ufunc and kw.get("where", True) is not True)):
        return True
    if type(f) is np.ufunc:
        return len(args) > f.nin
    if len(args) < 2:
        return False
    at = out_position(f)
    return 0 < at < len(args) and isinstance(args[at], ndarray | tuple)


def out_position(f: Any) -> int:
    """The position of the parameter `out` of a function or method of arrays; -1 where it has none."""
    return _parameters(f)[0]


def _parameters(f: Any) -> tuple[int, list[str]]:
    """The position of `out`, and the names of the positional parameters."""
    found = _positions.get(f)
    if found is None:
        found = (-1, [])
        for original in (f, getattr(np, f.__name__, None)):  # a method has the parameters of the function of its name
            try:
                parameters = list(signature_of(original).parameters.values())
                names = [p.name if p.kind is p.POSITIONAL_OR_KEYWORD else "" for p in parameters]
                found = (names.index("out"), names)
                break
            except (TypeError, ValueError):
                continue
        _positions[f] = found
    return found


class Outputs(Part):
    """Calls with ``out=`` in a reverse context."""

    __slots__ = ()

    def call_with_out(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        """``f(*args, out=x)``: compute, then write; None where `out` is nothing that we know."""
        outs: Any
        asked = "out" in kw
        kw, kw_d = dict(kw), dict(kw_d)
        if type(f) is METHOD and type(getattr(np, f.__name__, None)) is np.ufunc:
            f = getattr(np, f.__name__)  # `conjugate`, which as a method takes no keywords
        if type(f) is np.ufunc:
            if len(args) > f.nin:
                if "out" in kw:
                    return f(*args, **kw), None  # raises
                outs = args[f.nin :]
                outs = (*outs, *(None for _ in range(f.nout - len(outs))))
                args, ds = args[: f.nin], ds[: f.nin]
            else:
                outs = kw.pop("out", None)
        elif kw.get("out") is None:
            at, names = _parameters(f)
            outs = args[at]
            kw.update(zip(names[at + 1 :], args[at + 1 :], strict=False))
            kw_d.update(zip(names[at + 1 :], ds[at + 1 :], strict=False))
            args, ds = args[:at], ds[:at]
        else:
            outs = kw.pop("out")
        kw_d.pop("out", None)
        if outs is Ellipsis:  # an array in any case
            y, y_d = self.call(f, args, ds, kw, kw_d)
            return (y, y_d) if isinstance(y, ndarray | tuple) else self.call(np.asarray, (y,), (y_d,))
        if not isinstance(outs, tuple):
            outs = (outs,) if outs is not None else (None,) * f.nout
        if not all(o is None or isinstance(o, ndarray) for o in outs):
            return None

        def plain(into: tuple, **more: Any) -> Any:
            return f(*args, out=into if len(into) > 1 else into[0], **kw, **more)

        given = [o for o in outs if o is not None]
        if any(type(o) is not ndarray for o in given) or _overlap(given):
            if self.any_active((*args, *given), ds, kw, kw_d):
                raise NotDifferentiable(
                    f"{describe(f)} writes into arrays that overlap or belong to a subclass: compute the result "
                    "and assign it"
                )
            return self.logged_writes(given, lambda: plain(outs)), None
        if type(f) is np.ufunc and kw.get("where", True) is not True:
            return self._masked(f, args, ds, kw, kw_d, outs, asked)
        if not given:
            return self.call(f, args, ds, kw, kw_d)
        if type(f) is not np.ufunc and _reads(args, given[0]):
            return self._written_over(given[0], f, args, ds, kw, kw_d, plain)
        # how numbers are converted concerns the memory that is written, unless the operation has a type of its own
        rest = kw if kw.get("dtype") is not None else {k: v for k, v in kw.items() if k != "casting"}
        return self.written(outs, lambda: self.call(f, args, ds, rest, kw_d), plain, f in EXACT)

    def _written_over(
        self, x: ndarray, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict, plain: Callable
    ) -> Pair:  # fmt: skip
        """A result written into memory that `f` reads: ufuncs read it before, other functions perhaps do not."""
        if not self.any_active((*args, x), ds, kw, kw_d):
            return self.logged_write(x, lambda: plain((x,))), None
        before = x.copy()
        with np.errstate(all="ignore"):
            try:
                plain((x,))
            finally:
                after = x.copy()
                x[...] = before
        y, y_d = self.written((x,), lambda: self.call(f, args, ds, kw, kw_d), plain, True)
        if not same_bytes(x, after):
            raise NotDifferentiable(f"{describe(f)} writes into the memory that it reads; give it another array as out")
        return y, y_d

    def written(self, outs: tuple, compute: Callable[[], Pair], plain: Callable, exact: bool = False) -> Pair:
        """The results of `compute`, written into `outs` as ``plain(outs)`` would; `exact`: whatever their layout."""
        if not all(o is None or o.flags.writeable for o in outs):
            return plain(outs), None  # raises
        failure: BaseException | None = None
        try:
            y, y_d = compute()
        except AFTERWARDS as error:
            failure = error
            with np.errstate(all="ignore"):
                y, y_d = compute()
        n = len(outs)
        ys = y if n > 1 else (y,)
        y_ds = ((None,) * n if y_d is None else y_d) if n > 1 else (y_d,)
        values: Any = None
        if not all(o is None or _alike(o, v, exact) for o, v in zip(outs, ys, strict=True)):
            with np.errstate(all="ignore"):
                values = plain(tuple([None if o is None else empty_alike(o) for o in outs]))  # raises what NumPy raises
            values = values if n > 1 else (values,)
        results, shadows = [], []
        for i, (o, v, d) in enumerate(zip(outs, ys, y_ds, strict=True)):
            if o is not None:
                self.write(o, None, Ellipsis, v, d)
                if values is not None:
                    o[...] = values[i]
                v, d = o, self.buffers.find(o)
            results.append(v)
            shadows.append(d)
        if failure is not None:
            raise failure
        return (tuple(results), self.packed(tuple(shadows))) if n > 1 else (results[0], shadows[0])

    def _masked(self, f: np.ufunc, args: tuple, ds: tuple, kw: dict, kw_d: dict, outs: tuple, asked: bool) -> Pair:
        """``f(*args, out=outs, where=mask)``: the elements that are left out keep what memory holds."""
        where = kw.pop("where")
        given = tuple(o for o in outs if o is not None)
        if not all(o.flags.writeable for o in given):
            return f(*args, out=outs, where=where, **kw), None  # raises
        failure: BaseException | None = None
        into = {"out": tuple([None if o is None else copied(o) for o in outs])} if given or asked else {}
        try:
            y = f(*args, where=where, **into, **kw)
        except AFTERWARDS as error:
            failure = error
            with np.errstate(all="ignore"):
                y = f(*args, where=where, **into, **kw)
        n = len(outs)
        values = y if f.nout > 1 else (y,)
        shape = np.shape(values[0])
        if not shape and not given:
            return self.call(f, args, ds, kw, kw_d) if where else (y, None)
        mask = np.broadcast_to(np.asarray(where, bool), shape).copy()
        picked = [self._picked(a, d, mask) for a, d in zip(args, ds, strict=True)]
        with np.errstate(all="ignore"):
            found, found_d = self.call(f, tuple([a for a, _ in picked]), tuple([d for _, d in picked]), kw, kw_d)
        founds = found if f.nout > 1 else (found,)
        found_ds = ((None,) * n if found_d is None else found_d) if f.nout > 1 else (found_d,)
        results = []
        for o, v, part, d in zip(outs, values, founds, found_ds, strict=True):
            x = v if o is None else o
            if mask.any() and (o is not None or d is not None):
                exactly = v[mask]
                self.write(x, None, mask, part, d)
                x[mask] = exactly
            results.append(x)
        if failure is not None:
            raise failure
        shadows = tuple([self.buffers.find(x) for x in results])
        return (tuple(results), self.packed(shadows)) if f.nout > 1 else (results[0], shadows[0])

    def _picked(self, a: Any, a_d: Any, mask: ndarray) -> Pair:
        """The elements of an operand that a mask selects; a number as it is."""
        if isinstance(a, list | tuple):
            a, a_d = self.call(np.asarray, (a,), (a_d,))
        if not isinstance(a, ndarray) or a.ndim == 0:
            return a, a_d
        a, a_d = self.call(np.broadcast_to, (a, mask.shape), (a_d, None))
        return self.getitem(a, a_d, mask, None)


def _overlap(arrays: list[ndarray]) -> bool:
    pairs = [(a, b) for i, a in enumerate(arrays) for b in arrays[:i]]
    return any(np.may_share_memory(a, b) and np.shares_memory(a, b) for a, b in pairs)


def _reads(args: Any, x: ndarray) -> bool:
    """Whether an argument, or an item of it, may share memory with `x`."""
    return any(
        np.may_share_memory(a, x) if isinstance(a, ndarray) else isinstance(a, list | tuple) and _reads(a, x)
        for a in args
    )


def _alike(x: ndarray, v: Any, exact: bool) -> bool:
    """Whether writing `v` into `x` is all that NumPy would have done."""
    v = np.asarray(v)
    return v.dtype == x.dtype and v.shape == x.shape and (exact or v.strides == x.strides or v.ndim == 0)
