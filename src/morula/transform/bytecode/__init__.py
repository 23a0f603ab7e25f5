"""Byte code: whether two code objects do the same (`same`), and the way back to a syntax tree (`functions`).

A decompiled tree counts only if it compiles to code that does the same, step by step, as the code it was read
from. So nothing here needs to be trusted but `same`.
"""
