"""What the prepared ways (`way_texts`) of compiled functions leave on the tape.

The entries of one way are of one class. What its calls have in common, the compiled function and the text of `pull`,
belongs to that class, so that an entry holds only what differs from call to call.
"""

from typing import Any

import numpy as np

from morula.eager.context.tape import Entry

ndarray = np.ndarray


class OfWay(Entry):
    """An entry of one way, whose arrays are small as long as its class does not say otherwise.

    Attributes:
        f: the compiled function.
    """

    __slots__ = ()
    f: Any

    def is_large(self) -> bool:
        return False


class PreparedCall(OfWay):
    """y = f(*args), where no two arguments share memory.

    Attributes:
        args: as they were given; arrays hold what the call has left there when a sweep comes here.
        kept: what the forward kernel has kept for the backward one.
        ds: the shadows of the arguments.
        y_d: that of the value.
    """

    __slots__ = ("args", "ds", "kept", "y_d")
    reads = ("args", "kept")

    def __init__(self, args: tuple, kept: Any, ds: tuple, y_d: Any):
        self.args = args
        self.kept = kept
        self.ds = ds
        self.y_d = y_d


class WritingCall(OfWay):
    """f(*args), where no two arguments share memory, of a function without a value that writes into one array.

    Attributes:
        args, kept, ds: as above.
        x, x_d: the array that is written, and its shadow.
        old: what it held before.
    """

    __slots__ = ("args", "ds", "kept", "old", "x", "x_d")
    reads = ("args", "kept")
    arrays = ("x",)
    undoes = True
    key = Ellipsis
    y_d = None

    def __init__(self, args: tuple, kept: Any, ds: tuple, x: ndarray, x_d: Any, old: ndarray):
        self.args = args
        self.kept = kept
        self.ds = ds
        self.x = x
        self.x_d = x_d
        self.old = old


class PartialsCall(OfWay):
    """y = f(*args), a number, with its partial derivatives, all of them finite.

    Attributes:
        y_d: the shadow of the value.
        ds: those of the arguments.
        partials: by the arrays, and by the numbers, that are active.
    """

    __slots__ = ("ds", "partials", "y_d")
    reads = ()

    def __init__(self, y_d: list, ds: tuple, partials: tuple):
        self.y_d = y_d
        self.ds = ds
        self.partials = partials


def entry_class(base: type, **own: Any) -> Any:
    """A class for the entries of one way."""
    return type(base.__name__, (base,), {"__slots__": (), **own})
