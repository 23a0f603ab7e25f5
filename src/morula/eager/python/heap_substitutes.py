"""`heapq` and `bisect` in plain Python, which is transformed like any code (see `substitutes`).

The comparisons are those of the C code, in its order, so that heaps have the same layout and ties fall the same way.
"""

import bisect
import heapq

from morula.eager.calls.substitutes import checked, substitute

check_list = checked(heapq.heapify)
check_some = checked(heapq.heappop)


def is_less(x, y):
    return x < y


def is_greater(x, y):
    return y < x


def sift_down(heap, start, place, before):
    """Move the item at `place` towards the root, to where it belongs above `start`."""
    item = heap[place]
    while place > start:
        parent_place = (place - 1) >> 1
        parent = heap[parent_place]
        if not before(item, parent):
            break
        heap[place] = parent
        place = parent_place
    heap[place] = item


def sift_up(heap, place, before):
    """Move the item at `place` to a leaf, where the better child always takes its place, and from there up again."""
    end, start = len(heap), place
    item = heap[place]
    while place < end >> 1:
        child = 2 * place + 1
        if child + 1 < end and not before(heap[child], heap[child + 1]):
            child += 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    sift_down(heap, start, place, before)


def make_heap(heap, before):
    if not isinstance(heap, list):
        check_list(heap)  # raises
    for place in reversed(range(len(heap) // 2)):
        sift_up(heap, place, before)


def push(heap, item, before):
    if not isinstance(heap, list):
        check_list(heap)  # raises
    heap.append(item)
    sift_down(heap, 0, len(heap) - 1, before)


def pop(heap, before):
    if not isinstance(heap, list) or not heap:
        check_some(heap)  # raises
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    sift_up(heap, 0, before)
    return first


def replace(heap, item, before):
    if not isinstance(heap, list) or not heap:
        check_some(heap)  # raises
    first = heap[0]
    heap[0] = item
    sift_up(heap, 0, before)
    return first


def push_pop(heap, item, before):
    if not isinstance(heap, list):
        check_list(heap)  # raises
    if heap and before(heap[0], item):
        item, heap[0] = heap[0], item
        sift_up(heap, 0, before)
    return item


@substitute(heapq.heapify)
def heapify(heap, /):
    make_heap(heap, is_less)


@substitute(heapq.heappush)
def heappush(heap, item, /):
    push(heap, item, is_less)


@substitute(heapq.heappop)
def heappop(heap, /):
    return pop(heap, is_less)


@substitute(heapq.heapreplace)
def heapreplace(heap, item, /):
    return replace(heap, item, is_less)


@substitute(heapq.heappushpop)
def heappushpop(heap, item, /):
    return push_pop(heap, item, is_less)


def heapify_max(heap, /):
    make_heap(heap, is_greater)


def heappush_max(heap, item, /):
    push(heap, item, is_greater)


def heappop_max(heap, /):
    return pop(heap, is_greater)


def heapreplace_max(heap, item, /):
    return replace(heap, item, is_greater)


def heappushpop_max(heap, item, /):
    return push_pop(heap, item, is_greater)


for _body in (heapify_max, heappush_max, heappop_max, heapreplace_max, heappushpop_max):
    for _name in (_body.__name__, "_" + _body.__name__):  # public since Python 3.14
        if hasattr(heapq, _name):
            substitute(getattr(heapq, _name))(_body)


# -- bisect -----------------------------------------------------------------------------------------------


@substitute(bisect.bisect_right)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle]
        if x < (item if key is None else key(item)):
            hi = middle
        else:
            lo = middle + 1
    return lo


@substitute(bisect.bisect_left)
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle]
        if (item if key is None else key(item)) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@substitute(bisect.insort_right)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


@substitute(bisect.insort_left)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)
