"""What a run tells somebody who watches it, see `morula.diagnostics`; nobody does so by default, at no cost.

`WATCH` holds whom to tell that a run begins. Whoever wants to see it becomes the ``observer`` of its context, takes the
place of ``append``, and has the way back. Marked twins (`morula.transform.marks`) ask the context for the rest.
"""

from collections.abc import Callable
from typing import Any

from morula.eager.context.part import Part

__all__ = ["WATCH", "Observed"]

WATCH: list[Callable[[Any, Any, Any], None]] = []  # context, function, run


class Observed(Part):
    """What marked twins ask of a context.

    Attributes:
        observer: who watches; None by default.
        at, again: what the observer has called where a line begins, and where it goes on after a call.
    """

    __slots__ = ()

    observer: Any
    at: Callable[[tuple[str, int]], None]
    again: Callable[[tuple[str, int]], None]

    def watched(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """A method of the context that calls."""
        result = getattr(self, name)(*args, **kwargs)
        self.observer.operation(self, name, args, result)
        return result

    def watched1(self, f: Any, x: Any, x_d: Any) -> Any:
        """``f(x)``."""
        handler = self.on1.get(f) or self.observer.handler(self.on1, f)
        result = handler(self, x, x_d)
        y, y_d = result
        if y_d is None or type(y) is not float or y - y != 0:
            self.observer.call(self, f, (x,), (x_d,), result)
        return result

    def watched2(self, f: Any, x: Any, y: Any, x_d: Any, y_d: Any) -> Any:
        """``f(x, y)``."""
        handler = self.on2.get(f) or self.observer.handler(self.on2, f)
        result = handler(self, x, y, x_d, y_d)
        z, z_d = result
        if z_d is None or type(z) is not float or z - z != 0:
            self.observer.call(self, f, (x, y), (x_d, y_d), result)
        return result

    def watched3(self, f: Any, x: Any, y: Any, z: Any, x_d: Any, y_d: Any, z_d: Any) -> Any:
        """``f(x, y, z)``."""
        handler = self.on3.get(f) or self.observer.handler(self.on3, f)
        result = handler(self, x, y, z, x_d, y_d, z_d)
        w, w_d = result
        if w_d is None or type(w) is not float or w - w != 0:
            self.observer.call(self, f, (x, y, z), (x_d, y_d, z_d), result)
        return result

    def watched_list(self, f: Any, xs: list, ds: list) -> Any:
        """``f([x, y, ...])``."""
        self.new_list(xs, ds)
        return self.watched1(f, xs, None)

    def ended(self, name: str, result: Any, *shadows: Any) -> Any:
        """The result of what loses derivatives, of something with these shadows."""
        for shadow in shadows:
            if shadow is not None:
                self.observer.ended(self, name, shadows)
                break
        return result
