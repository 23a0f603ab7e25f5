"""Packages that only some parts of Morula need: if one is missing, the error names the extra that installs it."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str, package: str) -> Iterator[None]:
    """Imports inside the block may fail because `package` is missing; `extra` is what installs it.

    Raises:
        ModuleNotFoundError: the package is not installed. A package that is there, but fails to import, raises its
            own error.

    >>> with needs("sparse", "no_such_package"):
    ...     import no_such_package
    Traceback (most recent call last):
    ModuleNotFoundError: this part of Morula needs no_such_package, which is not installed: pip install "morula[sparse]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f'this part of Morula needs {package}, which is not installed: pip install "morula[{extra}]"', name=package
        ) from None
