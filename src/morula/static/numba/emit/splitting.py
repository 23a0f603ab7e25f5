"""One loop per place that is added to, where additions at neighbouring places would keep a loop from vectorising.

for i in ...:                          for i in ...: g = v_bar[i]; u_bar[i + 1] += g * c
    g = v_bar[i]; v_bar[i] = 0.0       for i in ...: g = v_bar[i]; u_bar[i] += g * d
    u_bar[i + 1] += g * c              for i in ...: v_bar[i] = 0.0
    u_bar[i] += g * d
"""

import re
from typing import Any

from morula.static.ir import is_complex_type
from morula.static.passes.memory import Memory

NAME = re.compile(r"[A-Za-z_]\w*")
SIMPLE = re.compile(r"\s*\w+(\[.*\])? [-+]?= ")


def split_by_target(lines: list[str], additions: list[tuple[int, Any, tuple]], memory: Memory) -> list[list[str]]:
    """The bodies of the loops that stand for one loop with this body, whose iterations may run in any order.

    Args:
        lines: the body.
        additions: the lines of it that add to shadows, each with the array and the index.
        memory: says which arrays share memory.
    """
    indent = len(lines[0]) - len(lines[0].lstrip())
    if any(len(x) - len(x.lstrip()) != indent for x in lines):
        return [lines]
    if not all(SIMPLE.match(x) for x in lines):
        return [lines]
    by_class: dict[Any, set] = {}
    for _, array, index in additions:
        if not is_complex_type(array.type):  # whose loops are hardly vectorised: several took up to 1.5 times as long
            by_class.setdefault(memory.of(array), set()).add((array, index))
    crowded = {klass for klass, places in by_class.items() if len(places) > 1 and _are_neighbours(places)}
    if not crowded:
        return [lines]
    groups: dict[Any, list[int]] = {}
    chosen = set()
    for number, array, index in additions:
        if memory.of(array) in crowded:
            groups.setdefault((array, index), []).append(number)
            chosen.add(number)
    effects = [
        k for k, x in enumerate(lines) if "] = " in x.split("  #")[0] and x.split(" = ")[0].rstrip().endswith("]")
    ]
    others = _sums(lines) + [k for k, x in enumerate(lines) if k not in chosen and re.match(r"\s*\w+\[.*\] [-+]= ", x)]
    bodies = [_slice(lines, kept, effects) for kept in groups.values()]
    if others:
        bodies.append(_slice(lines, others, effects))
    if effects:
        bodies.append(_slice(lines, effects, []))
    return bodies


def in_any_order(lines: list[str], numbers: set[str]) -> list[str]:
    """The body of a loop whose iterations may run in any order, where these numbers are sums of partial sums."""
    found = []
    for line in lines:
        code, _, remark = line.partition("  #")
        sum_ = re.fullmatch(r"(\s*)(\w+) ([-+])= (.*)", code)
        if sum_ is not None and sum_[2] in numbers:
            term = sum_[4] if sum_[3] == "+" else f"-({sum_[4]})"
            line = f"{sum_[1]}{sum_[2]} = added({sum_[2]}, {term})" + (f"  #{remark}" if remark else "")
        found.append(line)
    return found


def _sums(lines: list[str]) -> list[int]:
    """The lines that add to numbers from outside the loop."""
    own: set[str] = set()
    found = []
    for k, line in enumerate(lines):
        target = re.match(r"\s*(\w+) ([-+]?)= ", line)
        if target is not None and not target.group(2):
            own.add(target.group(1))
        elif target is not None and target.group(1) not in own:
            found.append(k)
    return found


def _are_neighbours(places: set) -> bool:
    """Whether the places are in vectors, or differ in their last index: rows of one loop run along each other."""
    if len({array for array, _ in places}) > 1:
        return True
    indices = [index for _, index in places]
    return len({index[:-1] for index in indices}) == 1 and not any(hasattr(x[-1], "value") for x in indices)


def _slice(lines: list[str], kept: list[int], effects: list[int]) -> list[str]:
    """The lines that these lines need, and they."""
    wanted: set[str] = set()
    found: list[str] = []
    for k in range(len(lines) - 1, -1, -1):
        code = lines[k].split("  #")[0]
        target = re.match(r"\s*(\w+) ([-+]?)= ", code)
        if k in kept:
            wanted |= set(NAME.findall(code))
            found.append(lines[k])
        elif target is not None and target.group(1) in wanted:
            if not target.group(2):
                wanted.discard(target.group(1))
            wanted |= set(NAME.findall(code.split("= ", 1)[1]))
            found.append(lines[k])
    return found[::-1]
