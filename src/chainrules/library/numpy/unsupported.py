"""Names that deliberately have no rule, by reason. A test holds the public names of NumPy against the rules, `nondiff`
and these tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...declarations import unsupported
from ...refused import refuse_instances
from .nondiff import words

WRITES = "writes into its argument: a rule is about values, an engine follows writes"
READS = "reads memory or files, through which no derivative passes; make it a constant first"
REINTERPRETS = "reads the bytes of its argument as something else; use astype"
ITERATES = "walks through memory; index the array, or iterate over it"
MATRIX = "makes or uses an np.matrix, whose operators mean other things; use arrays and @"
RECORDS = "makes an array of records, which is not an array of numbers; use one array for each field"
OBJECTS = "works on Python objects one by one; use a function of arrays, or numpy.vectorize"
MEMORY = "is memory, not a value"
SERIALIZES = (
    "turns numbers into bytes, and reading them back loses their derivative; to keep a copy, pass constants "
    "(chainrules.ignore_derivatives)"
)

FUNCTIONS = {
    WRITES: "copyto fill_diagonal place put put_along_axis putmask",
    READS: "fromfile fromregex fromstring load memmap frombuffer",
    SERIALIZES: "save savez savez_compressed",
    "shares the memory of its argument behind a capsule that hides it; use the array itself": "from_dlpack",
    "picks a letter, or hands back its default": "mintypecode",
    ITERATES: "broadcast flatiter ndenumerate nditer nested_iters",
    MATRIX: "asmatrix bmat matrix",
    RECORDS: "recarray record void",
    OBJECTS: "frompyfunc object_",
    "makes an array out of raw memory; use numpy.array, numpy.zeros or numpy.reshape": "ndarray",
}

METHODS = {
    WRITES: """
        fill partition put resize setfield sort __setitem__ __delitem__ __iadd__ __isub__ __imul__ __itruediv__
        __ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ __setstate__
    """,
    REINTERPRETS: "byteswap getfield view",
    MEMORY: "base data ctypes __array_interface__ __array_struct__ __dlpack__",
    ITERATES: "flat",
    SERIALIZES: "tobytes tofile dump dumps",
}


def _named(owner: Any, names: Iterable[str]) -> list[Any]:
    return [getattr(owner, n) for n in names if hasattr(owner, n)]


for reason, names in FUNCTIONS.items():
    unsupported(reason, *_named(np, words(names)))
for reason, names in METHODS.items():
    unsupported(reason, *_named(np.ndarray, words(names)))

refuse_instances(MATRIX, np.matrix)
refuse_instances(RECORDS, np.recarray, np.void)
