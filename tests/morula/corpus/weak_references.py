"""Weak references: followed where the program certainly keeps what they lead to, refused where it may have died."""

import weakref
from typing import ClassVar

import numpy as np

from corpus import TWO, Programs, X

program = Programs()
DIED = "a weak reference leads to"


class Node:
    """Part of a tree that knows its parent weakly."""

    def __init__(self, v, parent=None):
        self.v = v
        self.kids = []
        self.parent = None if parent is None else weakref.ref(parent)
        if parent is not None:
            parent.kids.append(self)

    def get(self):
        return self.v

    def scaled(self):
        return self.v * self.parent().v

    def __mul__(self, other):
        return self.v * other

    def __rsub__(self, other):
        return other - self.v

    def __call__(self, t):
        return self.v * t


class Listed:
    """Objects that their class finds by name."""

    known: ClassVar = weakref.WeakValueDictionary()

    def __init__(self, name, v):
        self.v = v
        Listed.known[name] = self


class Subject:
    def __init__(self):
        self.observers = []

    def attach(self, method):
        self.observers.append(weakref.WeakMethod(method))

    def fire(self, x):
        for reference in self.observers:
            notify = reference()
            if notify is not None:
                notify(x)


class Observer:
    def __init__(self, k):
        self.k = k
        self.total = 0.0

    def notify(self, x):
        self.total = self.total + self.k * x


KEPT = []


@program(X)
def parent(x):
    root = Node(x)
    return Node(2.0, root).parent().v


@program(X)
def children(x):
    root = Node(x)
    Node(2.0 * x, root), Node(3.0, root)
    total = 0.0
    for kid in root.kids:
        total = total + kid.scaled()
    return total + sum(kid.scaled() for kid in root.kids)


@program(X)
def kept_by_a_module(x):
    KEPT[:] = [Node(x)]
    seen = weakref.ref(KEPT[0])
    y = seen().v ** 2
    KEPT.clear()
    return y


@program(X)
def found_by_name(x):
    a, b = Listed("a", x), Listed("b", x * x)
    return sum(o.v for o in Listed.known.values()) * len(Listed.known) + Listed.known["a"].v * a.v * b.v


@program(X)
def values(x):
    node = Node(x)
    table = weakref.WeakValueDictionary()
    table["node"] = node
    return table["node"].v * ("node" in table) * ("other" not in table)


@program(X)
def keys(x):
    table, node, other = weakref.WeakKeyDictionary(), Node(1.0), Node(x)
    table[node], table[other] = x, x * x
    return table[node] * table[other] + sum(k.v * v for k, v in table.items())


@program(X)
def members(x):
    nodes, seen = [Node(x * i) for i in range(4)], weakref.WeakSet()
    for node in nodes:
        seen.add(node)
    return max(node.v for node in seen) * len(seen)


@program(X)
def observed(x):
    subject, a, b = Subject(), Observer(2.0), Observer(x)
    subject.attach(a.notify)
    subject.attach(b.notify)
    subject.fire(x)
    subject.fire(x * x)
    return a.total * b.total


@program(X)
def proxy(x):
    node = Node(x)
    stand_in = weakref.proxy(node)
    stand_in.w = stand_in.v * 2
    return stand_in.get() * stand_in.w + stand_in * 3.0 + (1.0 - stand_in) * stand_in(x) + node.w


@program(1.7)
def proxy_before_active(x):
    node = Node(0.0)
    stand_in = weakref.proxy(node)
    node.v = x
    return stand_in.v * 3.0


@program(X)
def subclass_of_references(x):
    class Named(weakref.ref):
        def __init__(self, o, callback=None):
            super().__init__(o, callback)
            self.scale = x

        def __call__(self):
            return super().__call__().v * self.scale

    node = Node(x)
    return Named(node)() + 1.0


@program(X)
def captured(x):
    node = Node(x)

    def f():
        return node.v

    return weakref.ref(node)().v * weakref.ref(f)()()


@program(X)
def array(x):
    a = np.ones(3) * x
    return weakref.ref(a)().sum() * a[0]


@program(X)
def array_that_dies(x):
    a = np.ones(3) * x
    seen, y = weakref.ref(a), a.sum()
    a = None
    return y * (2.0 if seen() is None else 1.0)


@program(X, refused=DIED)
def dies(x):
    node = Node(2.0)
    seen = weakref.ref(node)
    node.v = x
    value = node.v
    del node
    return value if seen() is None else 0.0


@program(X, refused=DIED)
def parent_that_dies(x):
    node = Node(2.0, Node(x))
    return x if node.parent() is None else node.scaled()


@program(X, refused=DIED)
def members_that_die(x):
    seen = weakref.WeakSet()

    def made(i):
        node = Node(x * i)
        seen.add(node)
        return node

    y = 0.0
    for i in range(3):
        y = y + made(i).get()
    return y * (1 + len(seen))


@program(X, refused=DIED)
def inactive_members_that_die(x):
    seen = weakref.WeakSet()

    def made(i):
        node = Node(float(i))
        seen.add(node)
        return node

    return made(3).get() * x * (1 + len(seen))


@program(X, refused=DIED)
def inactive_that_dies(x):
    seen = weakref.ref(Node(2.0))
    return x if seen() is None else 2 * x


@program(X, refused=DIED)
def inactive_that_dies_later(x):
    seen = []

    def made():
        node = Node(3.0)
        seen.append(weakref.ref(node))
        return node

    return made().get() * x + (1.0 if seen[0]() is None else 2.0) * x


@program(X, refused=DIED)
def name_of_what_died(x):
    a = Listed("a", x)
    a = Listed("b", x * x)
    return a.v * len(Listed.known)


@program(X, refused=DIED)
def held_by_an_exhausted_generator(x):
    seen = []

    def parts(node):
        yield node.v

    def made():
        node = Node(x)
        seen.append(weakref.ref(node))
        return parts(node)

    it = made()
    y = sum(it)
    return y * (2.0 if seen[0]() is None else 1.0)


@program(X, refused=DIED)
def held_by_an_exhausted_iterator(x):
    nodes = [Node(x), Node(x * x)]
    seen = [weakref.ref(node) for node in nodes]
    it = iter(nodes)
    del nodes
    y = 0.0
    for node in it:
        y = y + node.v
    del node
    return y * (1 + sum(reference() is None for reference in seen))


@program(X, refused=DIED)
def proxy_of_what_died(x):
    node = Node(x)
    stand_in = weakref.proxy(node)
    y = stand_in.v
    del node
    try:
        return y * stand_in.v
    except ReferenceError:
        return y * 3.0


@program(X, refused="a weak reference with a callback leads to")
def callback(x):
    seen, node = [], Node(x)
    reference = weakref.ref(node, lambda _: seen.append(1))
    node = None
    return x * (1 + len(seen) + (reference() is None))


@program(TWO, refused="a weak reference with a callback leads to")
def finalize(x):
    seen = []
    node = Node(1.0)
    weakref.finalize(node, seen.append, x[0])
    del node
    return seen[0] * x[1]
