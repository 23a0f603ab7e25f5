"""Objects of SciPy's that a program makes: as SciPy makes them, but for what varies. Declares nothing."""

from __future__ import annotations

from typing import Any


def state_of(made: Any) -> dict[str, Any]:
    """The attributes of an object, in slots too.

    >>> class Knots:
    ...     __slots__ = ("t", "unset")
    >>> o = Knots()
    >>> o.t = 1.0
    >>> state_of(o)
    {'t': 1.0}
    """
    slots = [name for cls in type(made).__mro__ for name in getattr(cls, "__slots__", ())]
    found = {name: getattr(made, name) for name in slots if hasattr(made, name)}
    return {**found, **getattr(made, "__dict__", {})}


def adopt(config: Any, obj: Any, cls: Any, *args: Any, **named: Any) -> Any:
    """Give ``obj`` the attributes of ``cls(*args, **named)`` as constants; that object is returned."""
    made = config.plainly(cls, *args, **named)
    config.take_state(obj, config.plainly(state_of, made))
    return made


def take_state(config: Any, obj: Any, cls: Any, *args: Any, **named: Any) -> None:
    """As `adopt`, where nobody needs the object: an engine has less to look through."""
    config.take_state(obj, config.plainly(state_of_new, cls, args, named))


def state_of_new(cls: Any, args: Any, named: Any) -> dict[str, Any]:
    return state_of(cls(*args, **named))


def set_state(obj: Any, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(obj, name, value)


def keeper(obj: Any) -> Any:
    """The object that keeps the numbers of an interpolator: itself, or in newer versions of SciPy another one."""
    return getattr(obj, "_delegate_to", obj)


def hidden(sample: Any, name: str) -> str:
    """The attribute in which an object keeps ``name``: some versions of SciPy convert it where the property is read."""
    return "_" + name if hasattr(keeper(sample), "_" + name) else name


def classes_of(*samples: Any) -> set[Any]:
    """The classes of some objects, and those of their keepers."""
    return {type(o) for sample in samples for o in (sample, keeper(sample))}


def axes_moved(out: Any, n: int, axis: int) -> Any:
    """The values of an interpolator at points of ``n`` axes, with these where the axis of the data was."""
    if axis == 0:
        return out
    order = list(range(out.ndim))
    return out.transpose(order[n : n + axis] + order[:n] + order[n + axis :])
