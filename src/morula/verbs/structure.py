"""The numbers of a nested structure in order: `ravel`, and what jacobians and optimisers need to know of it."""

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules import Tangent, is_absent, tangent_of_fields
from morula.eager.containers.container_types import SEQUENCES, container_of
from morula.eager.containers.parts import varying_names
from morula.eager.context.kinds import is_exact_number, is_plain_object
from morula.eager.memory.layout import owner_of
from morula.errors import AliasedArgumentsError, NotDifferentiable

ndarray = np.ndarray


@dataclasses.dataclass(frozen=True, slots=True)
class Leaf:
    """A number or an array inside a structure.

    Attributes:
        shape: of the array; () for a number.
        dtype: of its tangents: that of the number, float where that is an integer.
        number: the type of the number; None for an array.
        path: how one reads it from the structure, for messages.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    number: type | None
    path: str

    @property
    def count(self) -> int:
        """How many numbers, a complex one counting once."""
        return math.prod(self.shape)

    @property
    def is_complex(self) -> bool:
        """Whether the leaf holds complex numbers."""
        return self.dtype.kind == "c"

    @property
    def size(self) -> int:
        """How many real numbers."""
        return self.count * (2 if self.is_complex else 1)

    def cast(self, part: ndarray) -> Any:
        """An array of this leaf's shape as what stands in the structure: a number where there was one."""
        if self.number is None:
            return part
        return part[()] if issubclass(self.number, np.generic) else part.item()


class Structure:
    """The leaves of a nested structure (tuples, lists, dicts, dataclasses, objects), and the way back from them.

    Numbers and arrays are leaves; an object's are those of its attributes. Strings, None, booleans, functions and
    the like are no leaves and stay what they are.

    Args:
        x: the structure.
        what: what `x` is, for messages.

    Attributes:
        leaves: in the order in which they stand.
        size: how many real numbers there are; a complex number is two.
        dtype: the real dtype that holds all of them: float32 for nothing but float32, and so on.
        is_real_array: whether all of them are those of one array of real numbers.

    Raises:
        NotDifferentiable: there is something in it that has numbers without an order (a set, an iterator), or
            whose tangents are no arrays.
    """

    def __init__(self, x: Any, what: str = "the argument"):
        self.leaves: list[Leaf] = []
        self._what = what
        self._tree = self._node(x, "", ())
        self.size = sum(leaf.size for leaf in self.leaves)
        dtypes = {np.zeros(0, leaf.dtype).real.dtype for leaf in self.leaves}
        self.dtype = np.result_type(*dtypes) if dtypes else np.dtype(float)
        self.is_real_array = len(self.leaves) == 1 and self.leaves[0].number is None and not self.leaves[0].is_complex

    def _node(self, x: Any, path: str, above: tuple[int, ...]) -> tuple:
        first = len(self.leaves)
        node = self._node_of(x, path, above)
        return node if len(self.leaves) > first else ("constant", x)

    def _node_of(self, x: Any, path: str, above: tuple[int, ...]) -> tuple:
        if isinstance(x, ndarray):
            return self._array(x, path)
        if isinstance(x, bool | np.bool_):
            return "constant", x
        if isinstance(x, float | int | complex | np.number) or is_exact_number(type(x)):
            dtype = np.dtype(type(x)) if isinstance(x, np.inexact | complex) else np.dtype(float)
            kind = type(x) if isinstance(x, np.inexact) else complex if isinstance(x, complex) else float
            return self._leaf(Leaf((), dtype, kind, path))
        if isinstance(x, set | frozenset) or hasattr(type(x), "__next__"):
            if isinstance(x, set | frozenset) and not any(isinstance(v, float | int | complex | np.number) for v in x):
                return "constant", x
            raise NotDifferentiable(
                f"{self._what}{path} is a {type(x).__qualname__}, whose items have no stable order; use a list"
            )
        if id(x) in above:
            raise NotDifferentiable(f"{self._what}{path} contains itself, so its numbers have no order")
        above = (*above, id(x))
        if container_of(type(x)) in SEQUENCES:
            return "items", x, [(i, self._node(v, f"{path}[{i}]", above)) for i, v in enumerate(x)]
        if isinstance(x, dict):
            return "dict", x, [(k, self._node(v, f"{path}[{k!r}]", above)) for k, v in x.items()]
        if is_plain_object(x):
            names = varying_names(x)
            return "object", x, [(n, self._node(getattr(x, n), f"{path}.{n}", above)) for n in names]
        return "constant", x

    def _leaf(self, leaf: Leaf) -> tuple:
        self.leaves.append(leaf)
        return "leaf", len(self.leaves) - 1

    def _array(self, x: ndarray, path: str) -> tuple:
        if isinstance(x, np.ma.MaskedArray):
            raise NotDifferentiable(f"{self._what}{path} is a masked array; pass its numbers as a plain array")
        if x.dtype.kind in "fciu":
            dtype = x.dtype.newbyteorder("=") if x.dtype.kind in "fc" else np.dtype(float)
            return self._leaf(Leaf(x.shape, dtype, None, path))
        if x.dtype.kind in "OV":
            raise NotDifferentiable(
                f"{self._what}{path} is an array of dtype {x.dtype}; put its numbers into plain arrays"
            )
        return "constant", x

    # -- leaves of a value or a tangent, and back --------------------------------------------------------------

    def values(self, x: Any) -> list:
        """The leaves of `x`, which has this structure."""
        return list(self._parts(self._tree, x))

    def parts(self, tangent: Any) -> list:
        """The leaves of a tangent or a gradient of this structure; None for each part that is None there."""
        return self.values(tangent)

    def _parts(self, node: tuple, x: Any) -> Iterator[Any]:
        if node[0] == "leaf":
            leaf = self.leaves[node[1]]
            if not (x is None or is_absent(x) or np.shape(x) == leaf.shape):
                given = f"an array of shape {x.shape}" if isinstance(x, ndarray) else f"{x!r:.60}"
                raise ValueError(f"in place of {given}, {self._what}{leaf.path} needs {_kind(leaf)}")
            yield None if is_absent(x) else x
        elif node[0] != "constant":
            kind, like, children = node
            part_of = _reader(kind, like, x)
            if part_of is None:
                raise self._misfit("", x)
            for key, child in children:
                yield from self._parts(child, part_of(key))

    def _misfit(self, path: str, x: Any) -> ValueError:
        return ValueError(f"{self._what}{path} does not have the structure of {x!r:.60}")

    def value(self, parts: Any) -> Any:
        """What was laid out, with these leaves in the place of its own."""
        return _with(self._tree, list(parts))

    def tangent(self, parts: Any) -> Any:
        """A tangent or a gradient with these leaves: a `Tangent` for an object, None for what has no derivative."""
        return _tangent(self._tree, list(parts))

    # -- one real vector ---------------------------------------------------------------------------------------

    def vector(self, x: Any) -> ndarray:
        """The numbers of `x`, or of a tangent of it (where None is zero), as one real vector."""
        return self.joined(self.values(x))

    def joined(self, parts: Any) -> ndarray:
        """The same for the leaves; memory of its own."""
        parts = list(parts)
        if self.is_real_array and len(parts) == 1 and type(parts[0]) is ndarray:
            if parts[0].size == self.size and parts[0].dtype == self.dtype:
                return parts[0].flatten()
        found = np.zeros(self.size, self.dtype)
        start = 0
        for leaf, part in zip(self.leaves, parts, strict=True):
            if part is not None:
                try:
                    array = np.asarray(float(part) if is_exact_number(type(part)) else part)
                    array = array.astype(leaf.dtype, casting="same_kind").ravel()
                except (TypeError, ValueError):
                    array = None
                if array is None or array.size != leaf.count:
                    raise ValueError(
                        f"{self._what}{leaf.path} must be {_kind(leaf)}, as in the original structure; this is "
                        f"{part!r:.60}"
                    )
                found[start : start + leaf.size] = array.view(array.real.dtype) if leaf.is_complex else array
            start += leaf.size
        return found

    def split(self, vector: Any) -> list:
        """The leaves that stand in a real vector, each with its dtype and shape; memory of their own."""
        vector = np.asarray(vector)
        if vector.shape != (self.size,):
            raise ValueError(f"{self._what} has {self.size} numbers, and the vector has shape {vector.shape}")
        if self.is_real_array:
            return [vector.astype(self.dtype).reshape(self.leaves[0].shape)]
        found = []
        start = 0
        for leaf in self.leaves:
            part = vector[start : start + leaf.size]
            if leaf.is_complex:
                part = part[0::2] + 1j * part[1::2]
            found.append(leaf.cast(part.astype(leaf.dtype).reshape(leaf.shape)))
            start += leaf.size
        return found


def _reader(kind: str, like: Any, x: Any) -> Callable[[Any], Any] | None:
    """How to read the parts of `x`, which should be like `like` or a tangent of it; None where it is not."""
    if x is None or is_absent(x):
        return lambda key: None
    if kind == "items":
        fits = container_of(type(x)) in SEQUENCES and len(x) == len(like)
        return x.__getitem__ if fits else None
    if isinstance(x, dict):
        allowed = like if kind == "dict" else varying_names(like)
        return x.get if all(key in allowed for key in x) else None
    if kind == "object" and isinstance(x, Tangent | type(like)):
        return lambda name: getattr(x, name, None)
    return None


def _kind(leaf: Leaf) -> str:
    return "a number" if leaf.number is not None else f"an array of shape {leaf.shape}"


def _with(node: tuple, parts: list) -> Any:
    if node[0] == "leaf":
        return parts[node[1]]
    if node[0] == "constant":
        return node[1]
    kind, x, children = node
    made = [(key, _with(child, parts)) for key, child in children]
    if kind == "items":
        if hasattr(x, "_fields"):
            return type(x)(*[v for _, v in made])
        if type(x) is list or isinstance(x, tuple):
            return type(x)([v for _, v in made])
        found = copy.copy(x)
        for key, v in made:
            found[key] = v
        return found
    if kind == "dict":
        if type(x) is dict:
            return dict(made)
        found = copy.copy(x)
        for key, v in made:
            found[key] = v
        return found
    found = copy.copy(x)
    for key, v in made:
        object.__setattr__(found, key, v)
    return found


def _tangent(node: tuple, parts: list) -> Any:
    if node[0] == "leaf":
        return parts[node[1]]
    if node[0] == "constant":
        return None
    kind, x, children = node
    made = {key: _tangent(child, parts) for key, child in children}
    if kind == "object":
        return tangent_of_fields(x, made)
    if kind == "dict":
        return made
    items = list(made.values())
    if hasattr(x, "_fields"):
        return type(x)(*items)
    return tuple(items) if isinstance(x, tuple) else items


def refuse_shared(x: Any, structure: Structure) -> None:
    """Raise where two arrays of a structure share memory: as numbers of a vector they would be two, and are one."""
    seen: dict[int, list[tuple[ndarray, str]]] = {}
    for leaf, part in zip(structure.leaves, structure.values(x), strict=True):
        if isinstance(part, ndarray):
            others = seen.setdefault(id(owner_of(part)), [])
            for other, path in others:
                if part is other or np.shares_memory(part, other):
                    raise AliasedArgumentsError(
                        f"two arrays of the structure, {path or 'itself'} and {leaf.path}, share memory, so they "
                        "cannot be independent parts of a vector: put a copy in one place"
                    )
            others.append((part, leaf.path))


def ravel(x: Any) -> tuple[ndarray, Callable[[Any], Any]]:
    """A nested structure of numbers and arrays as one real vector, and the way back.

    Args:
        x: a number, an array of any shape, or tuples, lists, dicts, named tuples, dataclasses and objects of them,
            nested. Strings, booleans, None and functions in there are kept as they are.

    Returns:
        ``(vector, unravel)``. The vector has the numbers in the order in which they stand, arrays in C order, a
        complex number as its real and imaginary part; its dtype is the smallest real one that holds all
        of them (integers count as float64). ``unravel(vector)`` makes a new structure, in which every leaf has the
        dtype and shape it had, but integers are floats.

    Raises:
        NotDifferentiable: `x` holds sets or iterators of numbers, or arrays of objects or records.
        AliasedArgumentsError: two of its arrays share memory.
        ValueError: ``unravel`` is given a vector of another length.

    >>> import numpy as np, morula
    >>> vector, unravel = morula.ravel({"w": np.array([[1.0, 2.0]]), "b": 3.0, "name": "layer"})
    >>> vector
    array([1., 2., 3.])
    >>> unravel(10 * vector)
    {'w': array([[10., 20.]]), 'b': 30.0, 'name': 'layer'}
    """
    structure = Structure(x)
    refuse_shared(x, structure)

    def unravel(vector: Any) -> Any:
        return structure.value(structure.split(vector))

    return structure.vector(x), unravel
