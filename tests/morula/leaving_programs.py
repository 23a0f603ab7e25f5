"""Programs in which values go through methods made by hand, exceptions, slices, proxies, and code that C code calls."""

import types
import weakref
from typing import ClassVar

import numpy as np


def times_three(x, y=1.0):
    return x * 3.0 * y


def second(t):
    return t[1] * 3.0


def a_method_made_by_hand(x):
    return types.MethodType(times_three, x)(2.0)


def a_method_of_a_function(x):
    return times_three.__get__(x)(2.0)


def a_method_of_a_function_with_owner(x):
    return times_three.__get__(x, float)(2.0)


def a_method_by_the_class(x):
    return types.FunctionType.__get__(times_three, x)(2.0)


def a_method_of_a_tuple(x):
    return types.MethodType(second, (1.0, x))()


def a_method_got_of_a_tuple(x):
    return second.__get__((1.0, x))()


def a_method_of_a_numpy_number(x):
    return types.MethodType(times_three, np.float64(x))(2.0)


def a_method_kept_in_a_dict(x):
    d = {"m": types.MethodType(times_three, x)}
    return d["m"](2.0) + d["m"](y=4.0)


def a_method_mapped(x):
    return sum(map(types.MethodType(times_three, x), [1.0, 2.0]))


def a_bound_wrapper(x):
    bind = times_three.__get__
    return bind(x)(2.0)


def the_self_of_a_method(x):
    return types.MethodType(times_three, x).__self__ * 2.0


BOUND = [
    a_method_made_by_hand,
    a_method_of_a_function,
    a_method_of_a_function_with_owner,
    a_method_by_the_class,
    a_method_of_a_tuple,
    a_method_got_of_a_tuple,
    a_method_of_a_numpy_number,
    a_method_kept_in_a_dict,
    a_method_mapped,
    a_bound_wrapper,
    the_self_of_a_method,
]


def a_slice(x):
    return slice(x, 2).start * 3.0


def the_file_of_an_error(x):
    try:
        raise OSError(2, "no", x)
    except OSError as error:
        return error.filename * 3.0


def the_code_of_an_exit(x):
    try:
        raise SystemExit(x)
    except SystemExit as error:
        return error.code * 3.0


class Box:
    pass


def through_a_proxy(x):
    box = Box()
    weakref.proxy(box).q = x
    return box.q * 3.0


def read_through_a_proxy(x):
    box = Box()
    proxy = weakref.proxy(box)
    box.q = x
    return proxy.q * 3.0


class Temporary:
    log: ClassVar[list] = []

    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x

    def __del__(self):
        Temporary.log.append(1.0)


def one_that_dies(x):
    Temporary.log.clear()
    y = Temporary(2.0).get() * x
    return y * (1.0 + len(Temporary.log))


def one_that_dies_in_the_middle(x):
    Temporary.log.clear()
    return Temporary(2.0).get() * (1.0 + len(Temporary.log)) * x


def one_that_dies_as_an_argument(x):
    Temporary.log.clear()
    return times_three(Temporary(2.0).get(), x) * (1.0 + len(Temporary.log))


# temporaries live longer than plainly (docs/language.md, "What Morula cannot see")
DOCUMENTED = [one_that_dies_in_the_middle, one_that_dies_as_an_argument]

RARE = [
    a_slice,
    the_file_of_an_error,
    the_code_of_an_exit,
    through_a_proxy,
    read_through_a_proxy,
    one_that_dies,
]
