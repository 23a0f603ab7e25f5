"""What transformed code has left in the attributes of an object: what differs was stored by other code.

Python and C code call methods of the user's without shadows (``__repr__``, ``__hash__``, ``write``). They may keep what
they like; only when the program reads a number that they stored, its derivative is missed.
"""

from typing import Any

from morula.eager.containers.parts import DEPTH, MISSING, attribute_names, consists_of, holds_number
from morula.errors import NotDifferentiable

COUNTS = (int, bool)  # what holds no derivative


class Seen:
    """The attributes of an object, as they were last seen.

    Attributes:
        obj: the object.
        seen: attribute -> what transformed code has left there.
        all_seen: whether `seen` has every attribute, so that a new one was stored by other code.
    """

    __slots__ = ("all_seen", "obj", "seen")

    obj: Any
    seen: dict[str, Any]
    all_seen: bool

    def see_all(self) -> None:
        """Look at the attributes as they are now: from here on other code must store no numbers in them."""
        self.seen = {name: getattr(self.obj, name, MISSING) for name in attribute_names(self.obj)}
        self.all_seen = True

    def check(self, name: str, value: Any, shadow: Any) -> None:
        """Raise where an attribute is not what transformed code has left, and matters for a derivative.

        Raises:
            NotDifferentiable: it is.
        """
        left = self.seen.get(name, MISSING)
        if left is value or (left is MISSING and not self.all_seen) or getattr(type(self.obj), name, self) is value:
            return
        if shadow is not None or (not consists_of(value, COUNTS) and holds_number(value, DEPTH)):
            raise NotDifferentiable(
                f"the attribute {name!r} of a {type(self.obj).__qualname__} is read, but it was stored by a method "
                "that Python or C code called (such as __repr__, __hash__, write), where it could not be "
                "followed: store it in a method that the program calls directly"
            )

    def check_all(self) -> None:
        """The same for all attributes, which other code may store in from here on."""
        if self.all_seen:
            for name in attribute_names(self.obj):
                self.check(name, getattr(self.obj, name), None)
        self.seen.clear()
        self.all_seen = False
