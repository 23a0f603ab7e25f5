"""Methods of arrays and of NumPy scalars."""

from typing import Any

import numpy as np

from morula.eager.calls.registry import no_rule, structural
from morula.eager.containers.container_types import SEQUENCES, container_of
from morula.eager.context.kinds import ATOMS, has_method, is_exact_number, module_of
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.memory.layout import may_overlap
from morula.eager.memory.outputs import has_out
from morula.eager.memory.structured import active_view
from morula.eager.numpy.array_subclasses import WRITERS, is_matrix, is_subclass
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]

# Array methods that turn numbers into bytes.
SERIALIZERS = frozenset("tobytes tofile dump dumps __reduce__ __reduce_ex__ __array_interface__ __dlpack__".split())
# Array methods whose result holds no derivative.
FLAT_METHODS = frozenset(
    "argmax argmin argsort argpartition searchsorted nonzero any all "
    "setflags __len__ __array_namespace__ __sizeof__ __contains__ __bool__ __int__ __index__ __format__ "
    "__repr__ __str__".split()
)
# The same of numbers, which have some methods of Python's.
FLAT_NUMBER_METHODS = frozenset("is_integer bit_count __trunc__ __floor__ __ceil__ __hash__".split())


# Methods that are functions of the array, and nothing else; quick rules answer for them.
COMPUTING: dict[str, Any] = {
    name: getattr(ndarray, name)
    for name in "sum mean max min prod std var dot cumsum cumprod copy reshape ravel flatten transpose swapaxes squeeze"
    " trace diagonal clip round repeat take".split()
}
TO_OBJECTS = (object, "O", "object", np.dtype(object))


def becomes_array(x: Any) -> bool:
    """Whether NumPy asks `x`, or the first object in a list, for an array by its ``__array__``, or for its items."""
    kind = type(x)
    if kind is list or kind is tuple:
        return bool(x) and becomes_array(x[0])
    if isinstance(x, list | tuple):
        return has_method(kind, "__iter__")
    return kind not in ATOMS and not isinstance(x, ndarray) and (kind is np.flatiter or has_method(kind, "__array__"))


OF_POLYNOMIALS = (np.polyadd, np.polyder, np.polydiv, np.polyint, np.polymul, np.polysub, np.polyval)


def is_of_arrays(f: Any, x: Any) -> bool:
    """Whether a function makes an array of its argument `x` by itself."""
    if isinstance(x, np.poly1d) and f in OF_POLYNOMIALS:  # it returns polynomials of that class then
        return False
    return np.ufunc in (type(f), type(getattr(f, "__self__", None))) or module_of(f).startswith(("numpy", "scipy"))


class ArrayMethods(Part):
    """Methods of arrays in a reverse context."""

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
        if f is None or (name in FLAT_METHODS and not has_out(f, (o, *args), kw)):
            return getattr(o, name)(*args, **kw), None
        if name == "item" and args:
            o.item(*args)  # raises where there is no such element
            if len(args) > 1 or isinstance(args[0], tuple):
                key = args if len(args) > 1 else args[0]
            else:
                key = np.unravel_index(int(args[0]) % o.size, o.shape)
            y, y_d = self.getitem(o, o_d, tuple(int(k) for k in key), None)
            return (y, y_d) if o.dtype.kind == "O" else (y.item(), y_d)
        if name == "item" and o.dtype.kind == "O" and o.size == 1:
            return self.getitem(o, o_d, (0,) * o.ndim, None)
        if name == "__getitem__" and len(args) == 1:
            return self.getitem(o, o_d, args[0], ds[0])
        if name == "view":
            y = o.view(*args, **kw)
            if o_d is None and self.buffers.find(o) is None:
                return y, None
            if isinstance(y, ndarray) and y.dtype == o.dtype and (is_subclass(y) or is_matrix(y)):
                return y, None
            if type(y) is not ndarray or (y.dtype != o.dtype and y.dtype.kind not in "fc"):
                what = y.dtype if type(y) is ndarray else f"a {type(y).__qualname__}"
                raise NotDifferentiable(f"a view of an active array as {what} cannot be differentiated")
            return y, self.buffers.find(y)
        if name == "astype" and self.told and o.dtype.kind in "US":
            y = o.astype(*args, **kw)
            return y, self.read_back(y)
        if o_d is None:
            o_d = self.array_shadow(o, None)
        if o_d is None and not ds and not kw and name != "__iter__":
            return getattr(o, name)(), None
        if name == "tolist" and o.ndim == 1 and o.dtype.kind in "fc":  # as one reads element after element
            nodes: list[Any] = [[0, o_d, i, None] for i in range(len(o))]
            for node in nodes:
                self.append(node)
            y = o.tolist()
            self.new_list(y, nodes)
            return y, None
        if name == "astype" and o_d is not None and np.dtype((*args, kw.get("dtype"))[0]).kind in "US":
            self.tell_elements(o, o_d)
            return o.astype(*args, **kw), None
        if name == "astype" and len(args) == 1 and not kw and args[0] in TO_OBJECTS and type(o) is ndarray:
            return self.objects_from(o, o_d, {"dtype": object}), None
        return self.call(f, (o, *args), (o_d, *ds), kw, kw_d)

    def _writer(self, o: ndarray, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method that writes into the array."""
        if name == "setflags":
            o.setflags(*args, **kw)
            return None, None
        if name == "fill" and len(args) == 1 and not kw and o.dtype.kind == "O":
            self.objects_written(o, args[0], ds[0], lambda y, v: y.fill(v))
            return None, None
        if name == "fill" and len(args) == 1 and not kw and np.ndim(args[0]) == 0:
            self.write(o, o_d, Ellipsis, args[0], ds[0])
            return None, None
        if name in ("sort", "partition"):
            return self._reordered(o, o_d, name, args, ds, kw, kw_d)
        if name == "put":
            names = {"indices": "ind", "values": "v"}  # what the function calls them
            kw, kw_d = ({names.get(k, k): v for k, v in d.items()} for d in (kw, kw_d))
            return self.call(np.put, (o, *args), (o_d, *ds), kw, kw_d)
        if name == "__setitem__" and len(args) == 2:
            self.write(o, o_d, args[0], args[1], ds[1])
            return None, None
        if name.startswith("__i") and len(args) == 1:
            return self.in_place(IN_PLACE[name], o, o_d, args[0], ds[0])
        if name == "resize":
            self.refuse_if_kept(o, "resizing an array")
        if self.buffers.find(o) is not None or self.any_active(args, ds, kw, kw_d):
            getattr(o.copy(), name)(*args, **kw)  # raises, where NumPy does
            raise NotDifferentiable(
                f"ndarray.{name} writes into an active array and cannot be differentiated; use an assignment"
            )
        return self.logged_write(o, lambda: getattr(o, name)(*args, **kw)), None

    def _reordered(self, o: ndarray, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``o.sort()`` and ``o.partition(k)``."""
        if o_d is None:
            o_d = self.buffers.find(o)
        if o_d is None:
            return self.logged_write(o, lambda: getattr(o, name)(*args, **kw)), None
        getattr(o if not o.flags.writeable else o.copy(), name)(*args, **kw)  # raises, where NumPy does
        if o.size and may_overlap(o.shape, o.strides, o.itemsize):
            raise NotDifferentiable(f"ndarray.{name} of an active array whose elements share memory; use a copy")
        if o.dtype.names is not None and name == "sort":
            self.setitem(o, o_d, Ellipsis, *self.records_call(np.sort, (o, *args), (o_d, *ds), kw, kw_d))
            return None, None
        y, y_d = self.call(np.sort if name == "sort" else np.partition, (o, *args), (o_d, *ds), kw, kw_d)
        self.write(o, o_d, Ellipsis, y, y_d)
        return None, None

    def as_array(self, o: Any, o_d: Any) -> Pair | None:
        """What NumPy makes of an object that it meets beside an array; None where nothing active is in it.

        Raises:
            NotDifferentiable: it is an object that NumPy reads in another way than through ``__array__``.
        """
        kind = type(o)
        if isinstance(o, ndarray | np.generic | float | int | complex | str | bytes):
            return None
        if has_method(kind, "__array__"):
            return self.call1(kind.__array__, o, o_d)
        if container_of(kind) in SEQUENCES:
            return self.sequence_as_array(o, o_d)
        if kind is np.flatiter:
            return self.call1(np.ravel, o.base.view(ndarray), self.buffers.find(o.base))
        if has_method(kind, "__float__") or is_exact_number(kind) or not self.any_active((o,), (o_d,), {}, {}):
            return None
        raise NotDifferentiable(
            f"NumPy would read a {kind.__qualname__} that holds active values as a sequence; make an array of it first"
        )

    def with_arrays(self, args: tuple, ds: tuple) -> tuple[tuple, tuple]:
        """Arguments of a function of arrays, with what ``__array__`` makes of them."""
        values, shadows = [], []
        for a, d in zip(args, ds, strict=True):
            if becomes_array(a):
                if isinstance(a, list | tuple):
                    pairs = list(self.iter(a, d))
                    inner, inner_d = self.with_arrays(tuple([v for v, _ in pairs]), tuple([s for _, s in pairs]))
                    a, d = inner, self.packed(inner_d)
                else:
                    a, d = self.as_array(a, d) or (a, d)
            values.append(a)
            shadows.append(d)
        return tuple(values), tuple(shadows)

    def sequence_as_array(self, o: Any, o_d: Any) -> Pair:
        """``np.asarray(o)`` of a list, a tuple or a deque, of a class of its own perhaps."""
        if has_method(type(o), "__iter__"):
            o, o_d = self.call1(list, o, o_d)
        shadows = self.shadow_of(o, o_d)
        return self.call1(np.asarray, o if type(o) is list or type(o) is tuple else tuple(o), shadows)

    def number_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method of a NumPy scalar: as in NumPy, that of an array without dimensions, whose result is a scalar."""
        f = getattr(o, name)
        if name in FLAT_METHODS or name in FLAT_NUMBER_METHODS:
            return f(*args, **kw), None
        if type(o) is np.void and (record := active_view(self, o)) is not None:
            return self.record_method(o, record, name, args, kw)
        if o_d is None and not self.any_active(args, ds, kw, kw_d):
            return self.opaque(f, args, kw), None
        if name in SERIALIZERS:
            raise NotDifferentiable(f"{type(o).__qualname__}.{name} of an active number would lose its derivative")
        own = self.number_dunder(o, o_d, name, args, ds)
        if own is not None:
            return own
        if name.startswith("__") or not hasattr(ndarray, name):
            raise no_rule(getattr(type(o), name, f))
        f(*args, **kw)  # raises, where NumPy does
        if name in ("item", "tolist"):
            return f(*args, **kw), o_d
        a, a_d = self.call(np.asarray, (o,), (o_d,))
        y, y_d = self.array_method(a, a_d, name, args, ds, kw, kw_d)
        return self.getitem(y, y_d, (), None) if type(y) is ndarray and y.ndim == 0 else (y, y_d)


IN_PLACE = {
    name: name.strip("_")[1:] + ("_" if name in ("__iand__", "__ior__") else "")
    for name in WRITERS
    if name.startswith("__i")
}


def _unbound(name: str) -> None:
    """``np.ndarray.name(o, *args)``."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if args and is_subclass(args[0]):
            return ctx.subclass_method(args[0], name, args[1:], ds[1:], kw, kw_d)
        if not args or type(args[0]) is not ndarray:
            if ctx.any_active(args, ds, kw, kw_d):
                raise no_rule(getattr(ndarray, name))
            return ctx.opaque(getattr(ndarray, name), args, kw), None
        return ctx.array_method(args[0], ds[0], name, args[1:], ds[1:], kw, kw_d)

    structural(getattr(ndarray, name))(handler)


for _name in (*WRITERS, "view", "__getitem__"):
    if hasattr(ndarray, _name):
        _unbound(_name)
