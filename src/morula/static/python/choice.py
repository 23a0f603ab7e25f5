"""Which tier is to differentiate plain functions, as the user has chosen."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["chosen", "tier"]

TIERS = ("auto", "eager", "static")
DEFAULT = os.environ.get("MORULA_TIER", "auto")
if DEFAULT not in TIERS:
    raise ValueError(f"MORULA_TIER is {DEFAULT!r}, but must be one of {', '.join(map(repr, TIERS))}")
_mode: ContextVar[str] = ContextVar("morula.tier", default=DEFAULT)
chosen: Callable[[], str] = _mode.get  # the name of the tier that holds here; each gradient asks


@contextmanager
def tier(name: str) -> Iterator[None]:
    """Choose for a block how plain functions are differentiated.

    Args:
        name: ``"auto"``, the default unless the environment variable ``MORULA_TIER`` is set: static adjoints where they
            pay; ``"eager"``: the eager tier; ``"static"``: static adjoints from the first call, wherever possible.

    Raises:
        ValueError: there is no tier of that name.

    >>> import morula
    >>> with morula.tier("eager"):
    ...     morula.gradient(lambda x: x * x, 3.0)
    (6.0,)
    """
    if name not in TIERS:
        raise ValueError(f"there is no tier {name!r}: use 'auto', 'eager' or 'static'")
    token = _mode.set(name)
    try:
        yield
    finally:
        _mode.reset(token)
