"""Byte code: whether two code objects do the same, and the way back from byte code to a syntax tree.

A decompiled tree counts only if it compiles to code that does the same, step by step, as the code it was read
from. So nothing here needs to be trusted but `same`.
"""

from morula.transform.bytecode.functions import decompiled
from morula.transform.bytecode.same import same_code
from morula.transform.bytecode.values import Unreadable

__all__ = ["Unreadable", "decompiled", "same_code"]
