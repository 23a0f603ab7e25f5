"""Classes that say themselves what NumPy's functions mean to them: ``__array_ufunc__`` and ``__array_function__``.

These methods are Python, and run transformed; what they hand on to NumPy are plain arrays again. An array of such a
class is a way to look at memory, as one of any other subclass is, but its class is asked about every function that
computes.
"""

from collections.abc import Iterable
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import no_rule, structural
from morula.eager.context.kinds import ATOMS, has_method, is_plain_numpy_code
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.numpy.array_subclasses import as_plain, is_overriding
from morula.eager.numpy.ufunc_methods import PARAMETERS
from morula.eager.operators.operations import UFUNC

ndarray = np.ndarray
Pair = tuple[Any, Any]
ASKING = (np.ufunc, type(np.sum))
EINSUM = np.einsum._implementation  # type: ignore[attr-defined]
UNASKED = ATOMS | {ndarray}
# Methods written in C that are reductions by a ufunc, which NumPy asks of the class.
REDUCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "any": np.logical_or,
              "all": np.logical_and}  # fmt: skip
ACCUMULATIONS = {"cumsum": np.add, "cumprod": np.multiply}
# The arguments of methods of ufuncs behind the array, and of methods of arrays that are reductions.
BY_NAME = {
    "reduce": PARAMETERS["reduce"][1:],
    "extreme": tuple(name for name in PARAMETERS["reduce"][1:] if name != "dtype"),
    "accumulate": PARAMETERS["accumulate"][1:],
}
METHODS = np._core._methods  # type: ignore[attr-defined]  # those methods that C code leaves to Python
IN_C = ("dot", "repeat", "trace")  # functions that call methods of ufuncs themselves, or none
COMPARISONS = {"__lt__": np.less, "__le__": np.less_equal, "__gt__": np.greater, "__ge__": np.greater_equal,
               "__eq__": np.equal, "__ne__": np.not_equal}  # fmt: skip
# Functions and methods that look at the same memory in another way, or copy it.
LOOKING = frozenset(
    "astype copy diagonal flatten item ravel repeat reshape squeeze swapaxes take tolist transpose view __copy__ "
    "__deepcopy__ __getitem__ __setitem__ __iter__ __array__ __len__ __array_finalize__ "
    "atleast_1d atleast_2d atleast_3d broadcast_to expand_dims flip fliplr flipud moveaxis roll rollaxis rot90 "
    "shape size ndim setflags fill sort partition argsort argpartition argmax argmin nonzero".split()
)  # fmt: skip
WRITING = frozenset([np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis])


def overrides(x: Any, name: str) -> bool:
    """Whether the class of `x` defines the protocol's method in Python."""
    kind = type(x)
    return kind not in UNASKED and has_method(kind, name) and getattr(kind, name) is not None


def asked(values: Iterable[Any], name: str) -> list[Any]:
    """One object of each class that is to be asked, in NumPy's order: from the left, subclasses first."""
    found: list[Any] = []
    for x in values:
        if overrides(x, name) and not any(type(x) is type(o) for o in found):
            at = next((i for i, o in enumerate(found) if isinstance(x, type(o))), len(found))
            found.insert(at, x)
    return found


def named(method: str, args: tuple, kw: dict) -> dict:
    """Arguments by their names, as classes are given them."""
    return {**dict(zip(BY_NAME[method], args, strict=False)), **kw}


def values_in(given: Iterable[Any]) -> list[Any]:
    """The arguments of a function of NumPy's, and what those that are lists or tuples hold."""
    return [v for a in given for v in (a if type(a) in (list, tuple) else (a,))]


class Overrides(Part):
    """Functions of NumPy's given objects that have a say in what these mean."""

    __slots__ = ()

    def overridden(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict, method: str = "__call__") -> Pair | None:
        """What the classes of the arguments make of ``f(*args, **kw)``, or of a ufunc's method; None without such."""
        if type(f) is np.ufunc:
            if not kw and UNASKED.issuperset(map(type, args)):
                return None
            if method in BY_NAME and len(args) > 1:
                kw, kw_d = named(method, args[1:], kw), named(method, ds[1:], kw_d)
                args, ds = args[:1], ds[:1]
            if method == "__call__" and len(args) > f.nin:
                given = args[f.nin :]
                kw = kw if all(x is None for x in given) else {**kw, "out": given}
                args, ds = args[: f.nin], ds[: f.nin]
            outs = kw.get("out")
            if outs is None or outs is ...:  # a new array
                kw, outs = {k: v for k, v in kw.items() if k != "out"}, None
            elif type(outs) is not tuple:
                kw = {**kw, "out": (outs,)}
            every = asked((*args, *(outs if type(outs) is tuple else (outs,))), "__array_ufunc__")
            for o in every:
                given = (o, f, method, *args)
                found = self.call(type(o).__array_ufunc__, given, (None, None, None, *ds), kw, kw_d)
                if found[0] is not NotImplemented:
                    return found
            if every:
                (f if method == "__call__" else getattr(f, method))(*args, **kw)  # raises
                raise no_rule(f)
            return None
        if UNASKED.issuperset(map(type, args)) and not kw:
            return None
        values = values_in((*args, *kw.values()))
        every = asked(values, "__array_function__")
        if not every:
            every = asked(values, "__array_ufunc__")  # by what the function calls in turn
            if not every or not all(isinstance(o, ndarray) for o in every) or not self.any_active(args, ds, kw, kw_d):
                return None
            return self.array_function(None, f, tuple(map(type, every)), args, ds, kw, kw_d)
        types = tuple(map(type, every)) + ((ndarray,) if any(type(v) is ndarray for v in values) else ())
        keywords = dict(kw)
        if any(d is not None for d in kw_d.values()):
            self.records.make(keywords).slots.update(kw_d)
        for o in every:
            found = self.call(
                type(o).__array_function__, (o, f, types, args, keywords), (None, None, None, self.packed(ds), None)
            )
            if found[0] is not NotImplemented:
                return found
        if ndarray in types:  # which is asked, too
            found = self.array_function(None, f, types, args, ds, kw, kw_d)
            if found[0] is not NotImplemented:
                return found
        f(*args, **kw)  # raises
        raise no_rule(f)

    def overriding_method(self, o: ndarray, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method that arrays have, of an array whose class has a say in NumPy's functions: methods ask for ufuncs."""
        if name in LOOKING or not has_method(type(o), "__array_ufunc__"):
            return self.subclass_method(o, name, args, ds, kw, kw_d)
        if name in REDUCTIONS:
            method = "extreme" if name in ("max", "min", "any", "all") else "reduce"
            kw, kw_d = {"axis": None, **named(method, args, kw)}, named(method, ds, kw_d)
            found = self.overridden(REDUCTIONS[name], (o,), (None,), kw, kw_d, "reduce")
            if found is not None:
                return found
        if not self.any_active((o, *args), (None, *ds), kw, kw_d):
            return self.opaque(getattr(o, name), args, kw), None
        if name in ACCUMULATIONS:
            kw, kw_d = named("accumulate", args, kw), named("accumulate", ds, kw_d)
            if kw.get("axis") is None:
                o = o if o.ndim == 1 else self.method(o, None, "ravel", (), ())[0]
                kw = {**kw, "axis": 0}
            found = self.overridden(ACCUMULATIONS[name], (o,), (None,), kw, kw_d, "accumulate")
            if found is not None:
                return found
        in_python = getattr(METHODS, f"_{name}", None)
        if type(in_python) is FunctionType:
            return self.call_function(in_python, (o, *args), (None, *ds), kw, kw_d)
        if name in IN_C:
            return self.call(getattr(np, name), (o, *args), (None, *ds), kw, kw_d)
        raise no_rule(getattr(ndarray, name))

    def array_super(self, o: ndarray, name: str, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``super().name(*args, **kw)`` of a method that `numpy.ndarray` defines."""
        if name in ("__array_ufunc__", "__array_function__", "__array_finalize__"):
            return self.call(getattr(ndarray, name), (o, *args), (None, *ds), kw, kw_d)
        if name == "__iter__" and not args and o.ndim:  # which asks for the items as the class has them
            items = (self.getitem(o, None, i, None) for i in range(ndarray.__len__(o)))
            return self.generator(items, "iterator"), None
        found = self.array_operator(o, None, name, args, ds)
        if found is not None:
            return found
        if name in LOOKING or not is_overriding(type(o)):
            return self.subclass_method(o, name, args, ds, kw, kw_d)
        return self.overriding_method(o, name, args, ds, kw, kw_d)

    def array_operator(self, o: ndarray, o_d: Any, name: str, args: tuple, ds: tuple) -> Pair | None:
        """``ndarray.name(o, *args)`` of an operator's method, as the ufunc that it is; None where it is none."""
        operator = name.strip("_")
        if operator.removeprefix("r") == "pow" and args[1:] == (None,):  # a modulus
            args, ds = args[:1], ds[:1]
        if name in COMPARISONS and len(args) == 1:
            return self.call(COMPARISONS[name], (o, *args), (o_d, *ds))
        if name == "__abs__" and not args:
            return self.call(np.absolute, (o,), (o_d,))
        if name.startswith("__") and len(args) < 2:
            if operator in UFUNC and UFUNC[operator].nin == 1 + len(args):
                return self.call(UFUNC[operator], (o, *args), (o_d, *ds))
            if operator.removeprefix("r") in UFUNC and len(args) == 1:
                return self.call(UFUNC[operator.removeprefix("r")], (*args, o), (*ds, o_d))
        return None

    def array_ufunc(self, o: Any, f: Any, method: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``ndarray.__array_ufunc__``: the function itself, where no other class has a say."""
        outs = kw.get("out") or ()
        if asked((*args, *outs), "__array_ufunc__"):
            return NotImplemented, None
        if outs == (None,):
            kw = {k: v for k, v in kw.items() if k != "out"}
        return self.call(f if method == "__call__" else getattr(f, method), args, ds, kw, kw_d)

    def array_function(self, o: Any, f: Any, types: tuple, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``ndarray.__array_function__``: NumPy's implementation, as far as that only looks at memory."""
        if not all(issubclass(t, ndarray) for t in types):
            return NotImplemented, None
        own = f._implementation
        if not self.any_active(args, ds, kw, kw_d):
            return own(*args, **kw), None
        given = values_in((*args, *kw.values()))
        if not (asked(given, "__array_function__") or asked(given, "__array_ufunc__")):  # a class took its own apart
            return self.call(f, args, ds, kw, kw_d)
        if f.__name__ in LOOKING:
            return self.subclass_call(f, args, ds, kw, kw_d, own)
        if f in WRITING:
            return self.call(f, tuple(map(as_plain, args)), ds, {k: as_plain(v) for k, v in kw.items()}, kw_d)
        asks = any(has_method(t, "__array_ufunc__") for t in types)  # what the function calls in turn
        if type(own) is FunctionType and (is_plain_numpy_code(own) or (asks and own is not EINSUM)):
            return self.call_function(own, args, ds, kw, kw_d)
        if meaning_of(f).constant and not (asks and type(own) is FunctionType):
            return own(*args, **kw), None
        if own is EINSUM and asks and kw.get("optimize"):
            raise no_rule(f)
        if kw.get("out") is not None:
            raise no_rule(f)
        n = len(args)
        y = own(*args, **kw)

        def again(*given: Any) -> Pair:  # it looks at plain arrays of the same memory
            found = self.call(f, given[:n], given[n:], {k: as_plain(v) for k, v in kw.items()}, kw_d)
            if not is_twin(y, found[0]):
                raise no_rule(f)
            return found

        return self.through_plain(lambda *_: y, again, args, ds)


def is_twin(y: Any, z: Any) -> bool:
    """Whether `z` holds the numbers of `y`, whose arrays may be of classes of their own."""
    if isinstance(y, tuple):
        return type(y) is type(z) and len(y) == len(z) and all(map(is_twin, y, z))
    if not isinstance(y, ndarray | np.generic) or np.shape(y) != np.shape(z):
        return False
    return np.asarray(y).dtype == np.asarray(z).dtype and np.asarray(y).tobytes() == np.asarray(z).tobytes()


@structural(ndarray.__array_ufunc__)
def _array_ufunc(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.array_ufunc(args[0], args[1], args[2], args[3:], ds[3:], kw, kw_d)


def _unbound_operator(name: str) -> None:
    """``np.ndarray.name(o, *args)``."""

    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if args and not kw and isinstance(args[0], ndarray):
            found = ctx.array_operator(args[0], ds[0], name, args[1:], ds[1:])
            if found is not None:
                return found
        return getattr(ndarray, name)(*args, **kw), None  # raises

    structural(getattr(ndarray, name))(handler)


for _name in (*UFUNC, "abs"):
    for _method in (f"__{_name}__", f"__r{_name}__"):
        if hasattr(ndarray, _method):
            _unbound_operator(_method)


@structural(ndarray.__array_finalize__)
def _array_finalize(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return None, None  # it does nothing


@structural(ndarray.__array_function__)
def _array_function(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    o, f, types, given, keywords = args
    shadows = ds[3] if ds[3] is not None else (None,) * len(given)
    keywords, keywords_d = ctx.spread_dict(keywords, ds[4])
    return ctx.array_function(o, f, types, tuple(given), tuple(shadows), keywords, keywords_d)
