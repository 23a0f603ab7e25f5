"""Which tier is to differentiate plain functions: the one that the user has chosen, or one that has been paid for.

An attempt to make a static adjoint is paid for by the time that the eager tier has taken. All attempts that are in vain
may take a tenth of that. Before so much has come together, they may take as much as it has taken, up to a quarter of a
second.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import perf_counter, thread_time

__all__ = ["PURSE", "Account", "Budget", "Spent", "chosen", "tier"]

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


SHARE = 0.1  # of the time in the eager tier, which attempts in vain may take
ADVANCE = 0.25  # seconds that they may take before that has come together, if the eager tier has taken as long
LOADING = 0.07  # seconds that loading the generator is thought to take, for which the first attempt of all waits
EXPECTED = 0.05  # seconds that an attempt is thought to take of which nothing is known; where a run waits for it:
BRIEFLY = 0.025
FAIR = 0.25  # of its own time in the eager tier, which the first attempt for a program may take in any case
LOOKED_AT = 32  # runs, after which it is asked whether parts of a function are worth it
DEARER = 3.0  # times what it had taken when it was cut off has an attempt to be worth the next time


class Spent(Exception):
    """An attempt has taken all the time that it may take."""


class Budget:
    """The seconds that one attempt may take."""

    def __init__(self, seconds: float = inf):
        self.seconds = seconds
        self.start, self.begun = thread_time(), perf_counter()

    @property
    def taken(self) -> float:
        return thread_time() - self.start

    def check(self) -> None:
        """Raises Spent where no time is left."""
        # A thread never has more time than has passed, which is found without asking the operating system.
        if perf_counter() - self.begun > self.seconds and self.taken > self.seconds:
            raise Spent


class Account:
    """What the eager tier has taken, and what attempts to replace it have cost: of one function, or of all.

    Attributes:
        earlier, seconds: in the eager tier before the last attempt, and since.
        lost: of attempts in vain.
        need: what the next attempt is thought to take.
        is_cut: the last one took too long, and is made again.
    """

    __slots__ = ("earlier", "is_cut", "lost", "need", "seconds")

    def __init__(self) -> None:
        self.seconds = self.earlier = self.lost = 0.0
        self.need, self.is_cut = EXPECTED, False

    @property
    def total(self) -> float:
        return self.earlier + self.seconds

    @property
    def left(self) -> float:
        """Seconds that may be lost."""
        return self.allowance - self.lost

    @property
    def allowance(self) -> float:
        """Seconds that attempts in vain may take in all."""
        return max(SHARE * self.total, min(ADVANCE, self.total))


class Purse(Account):
    """The account of the whole process.

    Attributes:
        inside: seconds of attempts for functions that the run calls which goes on now.
    """

    __slots__ = ("inside",)

    def __init__(self) -> None:
        super().__init__()
        self.inside = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether it cannot pay for an attempt in the middle of a run."""
        return self.total > 0.0 and self.left < BRIEFLY

    def earned(self, seconds: float) -> float:
        """Of the seconds that a run has taken in the eager tier, those that were no attempts, which are noted."""
        seconds = max(seconds - self.inside, 0.0)
        self.inside = 0.0
        self.seconds += seconds
        return seconds

    def allows(self, account: Account, is_inside: bool = False) -> float:
        """Seconds that an attempt for a function may take now, 0.0 where it has to wait; `is_inside` an eager run."""
        is_new = not account.lost
        paid = account.allowance if account.is_cut else SHARE * account.total
        if not is_new and account.lost + account.need > paid:
            return 0.0
        left = self.left
        if is_inside and not self.total:  # the first call is not to take much longer
            left = SHARE * account.total
        elif is_new and not is_inside:
            left = max(left, FAIR * account.total)
        found = min(left, account.left) - (0.0 if is_loaded() else LOADING)
        return found if found >= (BRIEFLY if is_new and is_inside else account.need) else 0.0

    def lose(self, account: Account, seconds: float, is_cut: bool = False) -> None:
        """An attempt for a function was in vain, or cut off."""
        account.lost += seconds
        account.is_cut = is_cut
        account.need = seconds * (DEARER if is_cut else 1.0)
        self.lost += seconds


def is_loaded() -> bool:
    """Whether the generator is loaded."""
    return "morula.static.python.front" in sys.modules


PURSE = Purse()
