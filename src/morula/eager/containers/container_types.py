"""Which of Python's containers something is. Each type of them has a file, which is imported here."""

from typing import Any

from morula.eager.containers import deques, dicts, lists, sets, tuples  # noqa: F401  (they register what they are)
from morula.eager.containers.registry import CONTAINERS, Container

ALL = tuple(CONTAINERS)
RECORDED = tuple([kind for kind in CONTAINERS if kind is not tuple])  # whose parts have their shadows beside them
SEQUENCES = frozenset([kind for kind, container in CONTAINERS.items() if container.is_sequence])
GIVEN_OTHERWISE = tuple([kind for kind, container in CONTAINERS.items() if not container.is_given_to_rules])
CHANGING = frozenset([kind for kind, container in CONTAINERS.items() if container.fill is not None])  # filled once made


def container_of(cls: type) -> Any:
    """The builtin container whose methods written in C the instances of `cls` have, or None."""
    for base in cls.__mro__:
        if base in CONTAINERS:
            return base
    return None


def recorded_as(x: Any) -> Container | None:
    """What is registered of a container with a record; None for anything else."""
    return CONTAINERS[container_of(type(x))] if isinstance(x, RECORDED) else None
