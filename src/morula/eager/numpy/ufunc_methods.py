"""``np.add.reduce(x)`` and the other methods of ufuncs; ``np.add.at``, which writes."""

from typing import Any

import numpy as np

from chainrules import scatter
from morula.eager.calls.registry import structural
from morula.eager.context.part import Part
from morula.eager.memory.cells import Cells
from morula.eager.memory.outputs import AFTERWARDS
from morula.eager.numpy.python_ufuncs import folded_elements, function_of
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]

PARAMETERS = {
    "reduce": ("array", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("array", "axis", "dtype", "out"),
    "reduceat": ("array", "indices", "axis", "dtype", "out"),
}


class UfuncMethods(Part):
    """Methods of ufuncs in a reverse context."""

    __slots__ = ()

    def ufunc_method(self, f: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``f.name(*args, **kw)`` of a ufunc."""
        if name == "__call__":
            return self.call(f, args, ds, kw, kw_d)
        if name == "at":
            return self._at(f, args, ds, kw, kw_d)
        overridden = self.overridden(f, args, ds, kw, kw_d, name)
        if overridden is not None:
            return overridden
        method = getattr(f, name)
        names = PARAMETERS.get(name, ())
        if "out" in names and len(args) > names.index("out"):
            kw = {**dict(zip(names[2:], args[2:], strict=False)), **kw}
            kw_d = {**dict(zip(names[2:], ds[2:], strict=False)), **kw_d}
            args, ds = args[:2], ds[:2]
        out = kw.get("out")
        (x,) = out if isinstance(out, tuple) else (out,)
        if x is None:
            return self._reduced(f, name, args, ds, kw, kw_d)
        kw = {k: v for k, v in kw.items() if k != "out"}
        kw_d = {k: d for k, d in kw_d.items() if k != "out"}
        if type(x) is not ndarray:
            if self.any_active((*args, x), ds, kw, kw_d):
                raise NotDifferentiable(f"numpy.{f.__name__}.{name} writes into a {type(x).__qualname__}")
            return self.opaque(method, args, {**kw, "out": out}), None
        return self.written(
            (x,),
            lambda: self._reduced(f, name, args, ds, kw, kw_d),
            lambda outs: method(*args, out=outs[0], **kw),
        )

    def _reduced(self, f: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        method = getattr(f, name)
        function = function_of(f)
        if not self.any_active((function, *args), (None, *ds), kw, kw_d):
            return self.opaque(method, args, kw), None
        if function is not None:
            return folded_elements(self, f, function, name, args, ds, kw)
        found = self._try_rules(method, args, ds, kw, kw_d)
        if found is None:
            raise NotDifferentiable(f"numpy.{f.__name__}.{name} of active values is not supported")
        return found

    def _at(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``f.at(x, indices, b)``: ``x[indices] = f(x[indices], b)``, once for every index, also a repeated one."""
        x, key, *operand = args
        if not self.any_active(args, ds, kw, kw_d):
            if not isinstance(x, ndarray):
                return f.at(*args, **kw), None  # raises
            return self.logged_write(x, lambda: f.at(*args, **kw)), None
        if not isinstance(x, ndarray):
            return f.at(*args, **kw), None  # raises
        if type(x) is not ndarray or not x.flags.writeable:
            raise NotDifferentiable(f"numpy.{f.__name__}.at writes into an array that is read-only or of a subclass")
        cells = Cells(x)
        after = cells.copy()
        failure: BaseException | None = None
        try:
            f.at(cells.laid_out(after), key, *operand, **kw)
        except AFTERWARDS as error:
            failure = error
            after = cells.copy()
            with np.errstate(all="ignore"):
                f.at(cells.laid_out(after), key, *operand, **kw)
        picked = np.asarray(cells.laid_out(np.arange(len(after)))[key])
        operands = []
        for b, b_d in zip(operand, ds[2:], strict=True):
            if not isinstance(b, ndarray):
                b, b_d = self.call(np.asarray, (b,), (b_d,))
            b, b_d = self.call(np.broadcast_to, (b, picked.shape), (b_d, None))
            operands.append(self.call(np.ravel, (b,), (b_d,)))
        with np.errstate(all="ignore"):
            written = self._update(f, cells, picked.ravel(), operands)
        at = cells.key(written)
        if not np.allclose(cells.target[at], after[written], rtol=1e-3, equal_nan=True):
            # NumPy reads past the end of an operand that has fewer axes than the indices
            raise NotDifferentiable(f"numpy.{f.__name__}.at did not do what it documents; broadcast its operand first")
        cells.target[at] = after[written]
        if failure is not None:
            raise failure
        return None, None

    def _update(self, f: Any, cells: Cells, picked: ndarray, operands: list[Pair]) -> ndarray:
        """Let `f` work on the cells that were picked, one after the other; the numbers of those that were written."""
        x, key = cells.target, cells.key
        written, inverse = np.unique(picked, return_inverse=True)
        if f is np.add or f is np.subtract:
            ((b, b_d),) = operands
            total, total_d = self.call(scatter, (inverse, b, len(written)), (None, b_d, None))
            before, before_d = self.getitem(x, None, key(written), None)
            self.write(x, None, key(written), *self.call(f, (before, total), (before_d, total_d)))
            return written
        # Rounds in which no cell comes twice: in each cell the order is that of the indices.
        order = np.argsort(inverse, kind="stable")
        starts = np.searchsorted(inverse[order], np.arange(len(written)))
        rounds = np.empty(len(picked), int)
        rounds[order] = np.arange(len(picked)) - starts[inverse[order]]
        for i in range(rounds.max(initial=-1) + 1):
            now = np.flatnonzero(rounds == i)
            taken = [self.getitem(x, None, key(picked[now]), None)]
            taken += [self.getitem(b, b_d, now, None) for b, b_d in operands]
            y, y_d = self.call(f, tuple([v for v, _ in taken]), tuple([d for _, d in taken]))
            self.write(x, None, key(picked[now]), y, y_d)
        return written


def _method_of(f: np.ufunc, name: str) -> None:
    structural(getattr(f, name))(lambda ctx, args, ds, kw, kw_d: ctx.ufunc_method(f, name, args, ds, kw, kw_d))


for _f in {id(_f): _f for _f in vars(np).values() if isinstance(_f, np.ufunc)}.values():
    for _name in ("reduce", "accumulate", "reduceat", "outer", "at"):
        _method_of(_f, _name)
