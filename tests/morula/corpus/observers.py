"""Code that Python or C runs on its own: texts, lengths, hashes, writers, handlers, finalizers."""

import abc
import contextlib
import functools
import io
import math
import sys
import traceback
import warnings
import xml.parsers.expat
from typing import ClassVar

import numpy as np

from corpus import TWO, Programs, X
from morula import checkpoint, hook

program = Programs()


class Scaled:
    """An object whose `q` is written by a method that C code calls."""

    def __init__(self, q):
        self.q = q

    def write(self, text):
        self.q = self.q * 2.0

    def flush(self):
        pass


@program(1.7)
def printed_to(x):
    w = Scaled(x)
    print("a", file=w, end="")
    return w.q * 3.0


@program(1.7)
def printed_to_one_that_captures(x):
    q = 1.0

    class W:
        def write(self, text):
            nonlocal q
            q = q * x

    print("a", file=W(), end="")
    return q * 3.0


@program(1.7)
def printed_to_one_that_becomes_active(x):
    w = Scaled(1.0)

    class W:
        def write(self, text):
            w.q = w.q * x

    print("a", file=W(), end="")
    return w.q * 3.0


@program(1.7)
def printed_to_a_replaced_stdout(x):
    w = Scaled(x)
    before = sys.stdout
    sys.stdout = w
    try:
        print("a", end="")
    finally:
        sys.stdout = before
    return w.q * 3.0


@program(1.7)
def printed_to_a_redirected_stdout(x):
    w = Scaled(x)
    with contextlib.redirect_stdout(w):
        print("a", end="")
    return w.q * 3.0


@program(1.7, refused="called a method that stored values")
def saved_as_text(x):
    w = Scaled(x)
    np.savetxt(w, np.ones(2))
    return w.q * 3.0


@program(1.7)
def traceback_printed(x):
    w = Scaled(x)
    try:
        raise ValueError
    except ValueError:
        traceback.print_exc(file=w)
    return w.q * 3.0


@program(1.7, refused="becomes a hook of numpy.seterrcall")
def called_by_numpy(x):
    q = x

    def seen(kind, flag):
        nonlocal q
        q = q * 2.0

    before = np.seterrcall(seen)
    try:
        with np.errstate(divide="call"):
            np.ones(1) / np.zeros(1)
    finally:
        np.seterrcall(before)
    return q * 3.0


@program(1.7, refused="becomes warnings.showwarning")
def warned(x):
    q = x

    def show(*args, **kw):
        nonlocal q
        q = q * 2.0

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        warnings.warn("a", stacklevel=1)
    return q * 3.0


class Mapping:
    def __init__(self, x):
        self.q = x

    def __getitem__(self, key):
        self.q = self.q * 2.0
        return "b"

    keys = None


@program(1.7, refused="called a method that stored values")
def formatted_by_percent(x):
    m = Mapping(x)
    text = "%(a)s"
    text % m
    return m.q * 3.0


class WithProperty:
    def __init__(self, x):
        self.x = x

    @property
    def q(self):
        self.x = self.x * 2.0
        return "b"


@program(1.7, refused="str.format called a method that stored values")
def formatted_by_a_field(x):
    o, text = WithProperty(x), "{0.q}"
    text.format(o)
    return o.x * 3.0


@program(1.7, refused="'x' of an? .* is read, but it was stored by a method")
def formatted_by_a_keyword_field(x):
    o, text = WithProperty(x), "{o.q}"
    text.format(o=o)
    return o.x * 3.0


@program(1.7, refused="called a method that stored values")
def translated(x):
    m = Mapping(x)
    m.q = x
    "a".translate(m)
    return m.q * 3.0


class Missing(dict):
    def __init__(self, x):
        self.q = x

    def __missing__(self, key):
        self.q = self.q * 2.0
        return "b"


@program(1.7, refused="'q' of an? .* is read, but it was stored by a method")
def formatted_by_a_map(x):
    m = Missing(x)
    "{a}".format_map(m)
    return m.q * 3.0


class Number:
    def __init__(self, x):
        self.x = x

    def __float__(self):
        return self.x * 2.0


@program(1.7)
def an_array_of_objects(x):
    return np.array([Number(x), Number(2.0)], float).sum() * 3.0


@program(1.7)
def an_array_of_objects_that_capture(x):
    class Captures:
        def __float__(self):
            return x * 2.0

    return np.array([Captures(), 2.0], float).sum() * 3.0


@program(1.7)
def an_array_of_objects_that_store(x):
    n = Scaled(x)

    class Stores:
        def __float__(self):
            n.q = n.q * 2.0
            return 1.0

    return np.array([Stores()], float).sum() * n.q


@program(1.7, refused="'q' of an? .* is read, but it was stored by a method")
def a_class_property(x):
    class Odd:
        def __init__(self):
            self.q = x

        @property
        def __class__(self):
            self.q = self.q * 2.0
            return int

    o = Odd()
    isinstance(o, int)
    return o.q * 3.0


class Watching(type):
    q = 1.0

    def __instancecheck__(cls, o):
        Watching.q = Watching.q * 2.0
        return True


class Watched(metaclass=Watching):
    pass


@program(1.7, refused="code that is not transformed has stored another number")
def an_instance_check(x):
    Watching.q = x
    isinstance(3, Watched)
    y = Watching.q * 3.0
    Watching.q = 1.0
    return y


@program(1.7, refused="xmlparser.Parse was given active values")
def an_expat_handler(x):
    q = x

    def start(name, attrs):
        nonlocal q
        q = q * 2.0

    p = xml.parsers.expat.ParserCreate()
    p.StartElementHandler = start
    p.Parse("<a/>", True)
    return q * 3.0


@program(1.7, refused="xmlparser.Parse was given active values")
def an_expat_handler_set_before(x):
    q = 1.0
    p = xml.parsers.expat.ParserCreate()

    def start(name, attrs):
        nonlocal q
        q = q * 2.0

    p.StartElementHandler = start
    q = x
    p.Parse("<a/>", True)
    return q * 3.0


class Lazy:
    """Keeps what it computes, in an observer."""

    def __init__(self, x):
        self.x = x
        self.kept = 1.0

    def __repr__(self):
        self.kept = self.x * 2.0
        return "Lazy"

    def __bool__(self):
        self.kept = self.x * 2.0
        return True

    def __hash__(self):
        self.kept = self.x * 2.0
        return 1

    def __eq__(self, other):
        self.kept = self.x * 2.0
        return self is other

    def __len__(self):
        self.kept = self.x * 2.0
        return 1


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_repr(x):
    o = Lazy(x)
    repr(o)
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_str(x):
    o = Lazy(x)
    str(o)
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_an_f_string(x):
    o = Lazy(x)
    f"{o}"
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_a_test(x):
    o = Lazy(x)
    if o:
        return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_not(x):
    o = Lazy(x)
    if not o:
        return 0.0
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_a_hash(x):
    o = Lazy(x)
    {o: 1}  # noqa: B018
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_a_look_up(x):
    o, p = Lazy(x), Lazy(x)
    {o: 1}.get(p)
    return p.kept * 3.0 + o.kept


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_in(x):
    o = Lazy(x)
    _ = 1.0 in [o]
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_len(x):
    o = Lazy(x)
    len(o)
    return o.kept * 3.0


@program(1.7, refused="called a method that stored values")
def stored_by_print(x):
    o = Lazy(x)
    print(o, file=io.StringIO())
    return o.kept * 3.0


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_by_repr_of_a_list(x):
    o = Lazy(x)
    repr([o])
    return o.kept * 3.0


class New:
    """Its observer makes an attribute that it did not have."""

    def __init__(self, x):
        self.x = x

    def __repr__(self):
        self.later = self.x * 2.0
        return "New"


@program(1.7, refused="'later' of an? .* is read, but it was stored by a method")
def a_new_attribute(x):
    o = New(x)
    repr(o)
    return o.later * 3.0


@program(1.7, refused="'later' of an? .* is read, but it was stored by a method")
def a_new_attribute_in_the_dict(x):
    o = New(x)
    repr(o)
    return o.__dict__["later"] * 3.0


@program(1.7, refused="'later' of an? .* is read, but it was stored by a method")
def a_new_attribute_by_getattr(x):
    o, name = New(x), "later"
    repr(o)
    return getattr(o, name) * 3.0


class Cached:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def doubled(self):
        return self.x * 2.0

    def __repr__(self):
        return f"Cached {self.doubled}"


@program(1.7, refused="'doubled' of an? .* is read, but it was stored by a method")
def a_cached_property_filled_by_repr(x):
    o = Cached(x)
    repr(o)
    return o.doubled * 3.0


class Slotted:
    __slots__ = ("kept", "x")

    def __init__(self, x):
        self.x = x
        self.kept = 1.0

    def __repr__(self):
        self.kept = self.x * 2.0
        return "Slotted"


@program(1.7, refused="'kept' of an? .* is read, but it was stored by a method")
def stored_in_a_slot(x):
    o = Slotted(x)
    repr(o)
    return o.kept * 3.0


class Listing:
    def __init__(self, x):
        self.x = x
        self.kept = {}

    def __repr__(self):
        self.kept["a"] = self.x * 2.0
        return "Listing"


@program(1.7, refused="stores values, and Python called it where")
def stored_in_a_dict_of_the_object(x):
    o = Listing(x)
    repr(o)
    return o.kept["a"] * 3.0


class Memoised:
    """A hash that is computed once."""

    def __init__(self, x):
        self.x = x
        self.name = "a"
        self._hash = None

    def __hash__(self):
        if self._hash is None:
            self._hash = hash(self.name)
        return self._hash

    def __eq__(self, other):
        return self.name == other.name


@program(1.7)
def a_memoised_hash(x):
    o = Memoised(x)
    return {o: 2.0}[o] * o.x


class Titled:
    """A lazy property that its text needs."""

    def __init__(self, x):
        self.x = x
        self._title = None

    @property
    def title(self):
        if self._title is None:
            self._title = f"at {self.x}"
        return self._title

    def __repr__(self):
        return self.title


@program(1.7)
def a_lazy_title(x):
    o = Titled(x)
    repr(o)
    return o.x * len(o.title[:2])


class Described:
    """Text made of a dict and a list of its own."""

    def __init__(self, x):
        self.x = x

    def __repr__(self):
        found = dict(vars(self))
        found["twice"] = self.x * 2.0
        parts = list(found.items())
        parts.append(("thrice", self.x * 3.0))
        return str(parts)


@program(1.7)
def a_local_dict(x):
    o = Described(x)
    repr(o)
    return o.x * 3.0


class Summed:
    """A lazy number that nobody but its text reads."""

    def __init__(self, x):
        self.x = x
        self._norm = None

    def __repr__(self):
        if self._norm is None:
            self._norm = float(self.x) ** 2
        return f"Summed({self._norm})"


@program(1.7)
def a_lazy_number(x):
    o = Summed(x)
    repr(o)
    return o.x * 3.0


class Counted:
    def __init__(self, x):
        self.x = x
        self.looks = 0

    def __bool__(self):
        self.looks += 1
        return True


@program(1.7)
def a_counter(x):
    o = Counted(x)
    if o and o:
        return o.x * (1.0 + o.looks)


class CachedText:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def text(self):
        return str(self.x)

    def __str__(self):
        return self.text


@program(1.7)
def a_cached_text(x):
    o = CachedText(x)
    return len(str(o)[:1]) * o.x * 2.0


@program(1.7)
def printed_to_a_file(x):
    file = io.StringIO()
    print(x, file=file)
    return x * 3.0


class Log:
    """A file that counts."""

    def __init__(self):
        self.lines = 0
        self.text = ""

    def write(self, text):
        self.lines = self.lines + 1
        self.text = self.text + text

    def flush(self):
        pass


@program(1.7)
def printed_to_a_log(x):
    log = Log()
    print("a", file=log, end="")
    print(x, file=log, end="")
    return x * (2.0 + (log.lines > 1))


@program(1.7)
def printed_beside_what_is_active(x):
    w = Scaled(1.0)
    print("a", file=w, end="")
    return w.q * x


@program(TWO)
def observers_that_only_look(x):
    class Vector:
        def __init__(self, x):
            self.x = x

        def total(self):
            return sum(self.x)

        def __repr__(self):
            parts = []
            for v in self.x:
                parts.append(format(v * 2.0, ".2f"))
            return ", ".join(parts) + f" {self.total():.2f}"

        def __len__(self):
            return len(self.x)

        def __eq__(self, other):
            return np.allclose(self.x, other.x)

        __hash__ = None

    v = Vector(x)
    assert repr(v) and len(v) == len(x) and v == v
    return v.total() * v.x[0]


@program(X, refused="'v' of an? .* is read, but it was stored by a method")
def stored_by_bool(x):
    class A:
        def __init__(self):
            self.v = x

        def __bool__(self):
            self.v = self.v * 2
            return True

    a = A()
    if a:
        pass
    t = a.v
    while a:
        break
    r = (a and x) + t
    return r + a.v * (1 if not a else 2)


@program(X, refused="stores values, and Python called it where")
def length_that_logs(x):
    class A:
        def __init__(self):
            self.v = x
            self.log = []

        def __len__(self):
            self.log.append(self.v)
            return 3

    a = A()
    n = len(a)
    if a:
        n += 1
    return sum(a.log) * n


@program(X, refused="stores values, and Python called it where")
def texts_that_log(x):
    class A:
        def __init__(self):
            self.v = x
            self.log = []

        def __repr__(self):
            self.log.append(self.v)
            return "a"

        def __format__(self, s):
            self.log.append(self.v * 2)
            return "b"

        def __str__(self):
            self.log.append(self.v * 3)
            return "c"

        def __hash__(self):
            self.log.append(self.v * 4)
            return 1

        def __eq__(self, o):
            self.log.append(self.v * 5)
            return True

        def __int__(self):
            self.log.append(self.v * 6)
            return 1

        def __index__(self):
            self.log.append(self.v * 7)
            return 1

        def __bool__(self):
            self.log.append(self.v * 8)
            return True

    a = A()
    s = repr(a) + f"{a}" + str(a) + f"{a!r}" + f"{a}"
    h = hash(a)
    d = {a: 1.0}
    e = a == 3
    i = int(a) + [1, 2][a] + bool(a)
    return sum(a.log) + len(s)


@program(X, refused="stores values, and Python called it where")
def stored_by_contains(x):
    class A:
        def __init__(self, v):
            self.v = v
            self.n = []

        def __eq__(self, o):
            self.n.append(self.v)
            return False

        __hash__ = object.__hash__

    a = A(x)
    r = 3.0 in [a, a]
    r2 = [a].count(4)
    return sum(a.n)


@program(X, refused="stores values, and Python calls it where")
def stored_by_isinstance(x):
    log = []

    class M(type):
        def __instancecheck__(cls, o):
            log.append(x)
            return True

    class A(metaclass=M):
        pass

    t = isinstance(x, A)
    return x * t + sum(log)


@program(X, refused="stores values, and Python calls it where")
def stored_by_issubclass(x):
    log = []

    class M(abc.ABCMeta):
        def __subclasscheck__(cls, o):
            log.append(x * 2)
            return True

    class A(metaclass=M):
        pass

    t = issubclass(int, A)
    return x * t + sum(log)


@program(X, refused="stores values, and Python called it where")
def stored_by_dir(x):
    log = []

    class A:
        def __dir__(self):
            log.append(x)
            return ["a"]

    return len(dir(A())) * x + sum(log)


@program(TWO, refused="'made' of an? .* is read, but it was stored by a method")
def length_by_a_lazy_helper(x):
    class Lazy:
        def __init__(self, x):
            self.x, self.made = x, None

        def data(self):
            if self.made is None:
                self.made = [v * 2.0 for v in self.x]
            return self.made

        def __len__(self):
            return len(self.data())

    lazy = Lazy(x)
    n = len(lazy)
    return sum(lazy.data()) * n


@program(TWO, refused="'norm' of an? .* is read, but it was stored by a method")
def text_by_a_cached_property(x):
    class Norm:
        def __init__(self, x):
            self.x = x

        @functools.cached_property
        def norm(self):
            return math.sqrt(self.x @ self.x)

        def __repr__(self):
            return f"{self.norm:.2f}"

    made = Norm(x)
    repr(made)
    return made.norm


@program(TWO, refused="stores values, and Python called it where")
def text_by_a_function_that_notes(x):
    seen = []

    def note(v):
        seen.append(v)
        return True

    class Noted:
        def __init__(self, x):
            self.x = x

        def __str__(self):
            return str(note(self.x[0] * 2.0))

    str(Noted(x))
    return seen[0]


@program(TWO, refused="which has a __del__ method")
def finalizer_that_stores_what_it_captures(x):
    a, seen = x[0] * 2.0, []

    class Final:
        def __del__(self):
            seen.append(a)

    made = Final()
    del made
    return seen[0] * x[1]


class Temporary:
    log: ClassVar[list] = []

    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x

    def __del__(self):
        Temporary.log.append(1.0)


@program(1.7)
def one_that_dies(x):
    Temporary.log.clear()
    y = Temporary(2.0).get() * x
    return y * (1.0 + len(Temporary.log))


MEMORY = np.ones(2)


def writes_a_global(v):
    MEMORY[0] = 5.0
    return v * 2.0


@program(TWO, refused="under checkpoint stores numbers")
def under_checkpoint(x):
    MEMORY[:] = 1.0
    s = (x * MEMORY).sum()
    return s + checkpoint(writes_a_global, x).sum()


@program(TWO, refused="could reach it through exec")
def by_exec(x):
    c = np.ones(2)
    s = (x * c).sum()
    exec("c[0] = 99.0")
    return s


@program(TWO, refused="could reach it through numpy.ctypeslib.as_ctypes")
def by_ctypes(x):
    c = np.ones(2)
    s = (x * c).sum()
    np.ctypeslib.as_ctypes(c)[0] = 9.0
    return s


@program(TWO, refused="NumPy would read a")
def by_a_sequence_of_its_own(x):
    class Lazy:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return x[i] * 2.0

    a = np.zeros(2)
    a[:] = Lazy()
    return a.sum()


@program(TWO, refused="went through a hook")
def through_a_hook_of_a_hook(x):
    y = x * 2.0
    h = hook(lambda g: g, hook(lambda g: g, y))
    y[0] = x[1]
    return (h**2).sum()


@program(TWO, refused="changes an array in place")
def in_place_by_an_object(x):
    class Vector:
        __array_priority__ = 100.0

        def __rmul__(self, other):
            return Vector()

    a = x * 1.0
    a *= Vector()
    return a.sum()
