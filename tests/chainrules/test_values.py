"""The value that a rule gives is the plain one: its bits, type and layout, and the memory it lies in."""

import struct

import cases
import numpy as np
from cases import each_function

from chainrules import candidates
from chainrules.testing import FiniteDifferenceConfig
from chainrules.testing.leaves import copied

CASES = [*cases.CASES, *cases.UNVARIED]


def parts(x, path=()):
    """Every value in nested lists and tuples, the containers too."""
    yield path, x
    if isinstance(x, (list, tuple)):
        for i, v in enumerate(x):
            yield from parts(v, (*path, i))


def bits(x):
    if isinstance(x, (np.ndarray, np.generic)):
        return x.tobytes()
    if isinstance(x, complex):
        return struct.pack("dd", x.real, x.imag)
    return struct.pack("d", x) if isinstance(x, float) else x


def described(y, arguments):
    """What one can find out about a value without its number."""
    found = [type(y).__name__, *(y is a for a in arguments)]
    if isinstance(y, np.ndarray):
        found += [y.dtype.str, y.shape, y.strides, y.flags.num]
        found += [np.shares_memory(y, a) for a in arguments]
    return found


def arrays_in(args):
    return [a for _, a in parts(args) if isinstance(a, np.ndarray)]


def value_by_rule(f, args, kwargs):
    """The value of the first rule that takes the arguments, or `NotImplemented`."""
    config = FiniteDifferenceConfig()
    for rule in candidates(f, args, config):
        answer = rule.function(*(config,) * bool(rule.needs), *(f,) * rule.instances, *args, **kwargs)
        if answer is not NotImplemented:
            return answer[0]
    return NotImplemented


def plain(f, args, kwargs):
    return f(*args, **kwargs) if callable(f) else f.__get__(*args, **kwargs)


def strided(a):
    """The same numbers in every other cell of a larger array."""
    wide = np.empty((*a.shape[:-1], 2 * a.shape[-1]), a.dtype) if a.ndim else a
    if a.ndim:
        wide[..., ::2] = a
        return wide[..., ::2]
    return a


def read_only(a):
    a.flags.writeable = False
    return a


def converted(dtype):
    return lambda a: a.astype(dtype) if a.dtype.kind == "f" else a


LAYOUTS = {
    "as it is": lambda a: a,
    "in Fortran's order": lambda a: a.copy("F"),
    "strided": strided,
    "read-only": read_only,
    "integers": converted(np.int64),
    "single precision": converted(np.float32),
    "complex": converted(np.complex128),
}


def changed(x, how):
    if isinstance(x, (list, tuple)):
        return type(x)([changed(v, how) for v in x])
    return how(x) if isinstance(x, np.ndarray) else x


@each_function(CASES)
def test_the_value_is_the_plain_one(case):
    f, args, kwargs = case
    for layout in LAYOUTS:
        compare(f, args, kwargs, layout)


def compare(f, args, kwargs, layout):
    with np.errstate(all="ignore"):
        args = changed(copied(args), LAYOUTS[layout])
        try:
            wanted = plain(f, args, kwargs)
        except Exception:
            assert layout != "as it is"
            return  # no such call: a function that is not for complex numbers
        try:
            y = value_by_rule(f, args, kwargs)
        except NotImplementedError:
            assert layout != "as it is"
            return
    if y is NotImplemented:
        assert layout != "as it is"
        return
    arguments = arrays_in(args)
    mine, theirs = list(parts(y)), list(parts(wanted))
    assert [p for p, _ in mine] == [p for p, _ in theirs], layout
    for (_, a), (_, b) in zip(mine, theirs, strict=True):
        assert described(a, arguments) == described(b, arguments), layout
        if not isinstance(b, (list, tuple)):
            assert bits(a) == bits(b), layout
