"""The compiled functions of `collections` in plain Python, which is transformed like any code (see `substitutes`)."""

import collections

from morula.eager.calls.substitutes import substitute


@substitute(collections._count_elements)  # type: ignore[attr-defined]  # behind `Counter`
def count_elements(mapping, iterable):
    get = mapping.get
    for item in iterable:
        mapping[item] = get(item, 0) + 1
