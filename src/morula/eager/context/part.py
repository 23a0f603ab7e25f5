"""What the parts of a context have in common.

A context is assembled from parts (`Arithmetic`, `Access`, `Calls` ...), one concept each. They are one object at
run time; `Context` says what each may ask of the others.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from morula.eager.context.protocol import Context
else:
    Context = object


class Part(Context):
    """Base of the parts of a context."""

    __slots__ = ()
