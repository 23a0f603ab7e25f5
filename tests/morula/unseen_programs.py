"""Programs in which C code, or code that is not transformed, runs code of the user's.

Each is right or refused, but those of `ONLY_LOOK`, which must be right.
"""

import contextlib
import functools
import io
import sys
import traceback
import warnings
import xml.parsers.expat

import numpy as np


class Scaled:
    """An object whose `q` is written by a method that C code calls."""

    def __init__(self, q):
        self.q = q

    def write(self, text):
        self.q = self.q * 2.0

    def flush(self):
        pass


def printed_to(x):
    w = Scaled(x)
    print("a", file=w, end="")
    return w.q * 3.0


def printed_to_one_that_captures(x):
    q = 1.0

    class W:
        def write(self, text):
            nonlocal q
            q = q * x

    print("a", file=W(), end="")
    return q * 3.0


def printed_to_one_that_becomes_active(x):
    w = Scaled(1.0)

    class W:
        def write(self, text):
            w.q = w.q * x

    print("a", file=W(), end="")
    return w.q * 3.0


def printed_to_a_replaced_stdout(x):
    w = Scaled(x)
    before = sys.stdout
    sys.stdout = w
    try:
        print("a", end="")
    finally:
        sys.stdout = before
    return w.q * 3.0


def printed_to_a_redirected_stdout(x):
    w = Scaled(x)
    with contextlib.redirect_stdout(w):
        print("a", end="")
    return w.q * 3.0


def saved_as_text(x):
    w = Scaled(x)
    np.savetxt(w, np.ones(2))
    return w.q * 3.0


def traceback_printed(x):
    w = Scaled(x)
    try:
        raise ValueError
    except ValueError:
        traceback.print_exc(file=w)
    return w.q * 3.0


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


def formatted_by_a_field(x):
    o = WithProperty(x)
    f"{o.q}"
    return o.x * 3.0


def formatted_by_a_keyword_field(x):
    o = WithProperty(x)
    f"{o.q}"
    return o.x * 3.0


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


def formatted_by_a_map(x):
    m = Missing(x)
    "{a}".format_map(m)
    return m.q * 3.0


class Number:
    def __init__(self, x):
        self.x = x

    def __float__(self):
        return self.x * 2.0


def an_array_of_objects(x):
    return np.array([Number(x), Number(2.0)], float).sum() * 3.0


def an_array_of_objects_that_capture(x):
    class Captures:
        def __float__(self):
            return x * 2.0

    return np.array([Captures(), 2.0], float).sum() * 3.0


def an_array_of_objects_that_store(x):
    n = Scaled(x)

    class Stores:
        def __float__(self):
            n.q = n.q * 2.0
            return 1.0

    return np.array([Stores()], float).sum() * n.q


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


def an_instance_check(x):
    Watching.q = x
    isinstance(3, Watched)
    y = Watching.q * 3.0
    Watching.q = 1.0
    return y


def an_expat_handler(x):
    q = x

    def start(name, attrs):
        nonlocal q
        q = q * 2.0

    p = xml.parsers.expat.ParserCreate()
    p.StartElementHandler = start
    p.Parse("<a/>", True)
    return q * 3.0


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


def stored_by_repr(x):
    o = Lazy(x)
    repr(o)
    return o.kept * 3.0


def stored_by_str(x):
    o = Lazy(x)
    str(o)
    return o.kept * 3.0


def stored_by_an_f_string(x):
    o = Lazy(x)
    f"{o}"
    return o.kept * 3.0


def stored_by_a_test(x):
    o = Lazy(x)
    if o:
        return o.kept * 3.0


def stored_by_not(x):
    o = Lazy(x)
    if not o:
        return 0.0
    return o.kept * 3.0


def stored_by_a_hash(x):
    o = Lazy(x)
    {o: 1}  # noqa: B018
    return o.kept * 3.0


def stored_by_a_look_up(x):
    o, p = Lazy(x), Lazy(x)
    {o: 1}.get(p)
    return p.kept * 3.0 + o.kept


def stored_by_in(x):
    o = Lazy(x)
    _ = 1.0 in [o]
    return o.kept * 3.0


def stored_by_len(x):
    o = Lazy(x)
    len(o)
    return o.kept * 3.0


def stored_by_print(x):
    o = Lazy(x)
    print(o, file=io.StringIO())
    return o.kept * 3.0


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


def a_new_attribute(x):
    o = New(x)
    repr(o)
    return o.later * 3.0


def a_new_attribute_in_the_dict(x):
    o = New(x)
    repr(o)
    return o.__dict__["later"] * 3.0


def a_new_attribute_by_getattr(x):
    o = New(x)
    repr(o)
    return o.later * 3.0


class Cached:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def doubled(self):
        return self.x * 2.0

    def __repr__(self):
        return f"Cached {self.doubled}"


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


def stored_in_a_dict_of_the_object(x):
    o = Listing(x)
    repr(o)
    return o.kept["a"] * 3.0


RUN = [
    printed_to,
    printed_to_one_that_captures,
    printed_to_one_that_becomes_active,
    printed_to_a_replaced_stdout,
    printed_to_a_redirected_stdout,
    saved_as_text,
    traceback_printed,
    called_by_numpy,
    warned,
    formatted_by_percent,
    formatted_by_a_field,
    formatted_by_a_keyword_field,
    translated,
    formatted_by_a_map,
    an_array_of_objects,
    an_array_of_objects_that_capture,
    an_array_of_objects_that_store,
    a_class_property,
    an_instance_check,
    an_expat_handler,
    an_expat_handler_set_before,
]
STORED = [
    stored_by_repr,
    stored_by_str,
    stored_by_an_f_string,
    stored_by_a_test,
    stored_by_not,
    stored_by_a_hash,
    stored_by_a_look_up,
    stored_by_in,
    stored_by_len,
    stored_by_print,
    stored_by_repr_of_a_list,
    a_new_attribute,
    a_new_attribute_in_the_dict,
    a_new_attribute_by_getattr,
    a_cached_property_filled_by_repr,
    stored_in_a_slot,
    stored_in_a_dict_of_the_object,
]

# -- observers that keep what they need, and do no harm ----------------------------------------------------------


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


def a_cached_text(x):
    o = CachedText(x)
    return len(str(o)[:1]) * o.x * 2.0


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


def printed_to_a_log(x):
    log = Log()
    print("a", file=log, end="")
    print(x, file=log, end="")
    return x * (2.0 + (log.lines > 1))


def printed_beside_what_is_active(x):
    w = Scaled(1.0)
    print("a", file=w, end="")
    return w.q * x


ONLY_LOOK = [
    a_memoised_hash,
    a_lazy_title,
    a_local_dict,
    a_lazy_number,
    a_counter,
    a_cached_text,
    printed_to_a_file,
    printed_to_a_log,
    printed_beside_what_is_active,
]
