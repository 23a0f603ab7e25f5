"""What matplotlib draws is a picture of values: it runs plainly, on copies. Loaded when the program has imported it.

Functions that also work out numbers for the program, such as histograms and spectra, are followed or refused as any.
"""

import re
import sys
from types import FunctionType
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]
COMPUTING = re.compile("_|get_|hist|hexbin|.*spectrum|psd|csd|cohere|.corr|specgram|contains|format_|.*transform")


def copied(x: Any) -> Any:
    """What an artist may keep: not the memory of the program."""
    if type(x) is np.ndarray:
        return x.copy()
    return type(x)(map(copied, x)) if type(x) is list or type(x) is tuple else x


def _drawing(f: Any) -> None:
    def drawn(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        return ctx.opaque(f, copied(args), {k: copied(v) for k, v in kw.items()}), None

    structural(f)(drawn)


def declare(owner: Any) -> None:
    """All that draws among the functions of a class or a module."""
    for name, f in list(vars(owner).items()):
        if not COMPUTING.match(name) and isinstance(f, FunctionType) and f.__module__.startswith("matplotlib."):
            _drawing(f)


def with_pyplot() -> None:
    """The functions of ``matplotlib.pyplot``."""
    declare(sys.modules["matplotlib.pyplot"])


for _class in {base for cls in (Axes, Figure) for base in cls.__mro__ if base.__module__.startswith("matplotlib.")}:
    declare(_class)
