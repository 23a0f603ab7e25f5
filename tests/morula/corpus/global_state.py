"""Module variables, lists and objects of the module, attributes of functions and classes."""

import types

import numpy as np

from corpus import Programs, X

program = Programs()


KEPT = []


@program(X)
def global_list(x):
    KEPT.append(x * x)
    r = KEPT[-1] * 2
    KEPT.pop()
    return r


BUFFER = np.zeros(3)


def total_of_the_buffer():
    return BUFFER.sum() + BUFFER[1]


@program(X)
def global_array(x):
    BUFFER[:] = 0.0
    BUFFER[1] = x * x
    r = total_of_the_buffer() * 2
    BUFFER[:] = 0.0
    return r


FACTOR = 0.0


@program(X)
def global_rebind(x):
    global FACTOR
    FACTOR = 3.0
    r = FACTOR * x
    FACTOR = 0.0
    return r


HOLDER = types.SimpleNamespace(v=0.0)


def read_holder():
    return HOLDER.v


@program(X)
def global_object(x):
    HOLDER.v = x * x
    r = read_holder()
    HOLDER.v = 0.0
    return r * x


class Config:
    v = 1.0
    xs = []
    d = {}


@program(X)
def containers_of_a_module_class(x):
    Config.xs.append(x)
    Config.d["k"] = x * x
    r = Config.xs[-1] * Config.d["k"]
    Config.xs.clear()
    Config.d.clear()
    return r


def keeps_its_argument(v):
    keeps_its_argument.n = getattr(keeps_its_argument, "n", 0.0) * 0 + v
    return keeps_its_argument.n * v


@program(X)
def attribute_of_a_function(x):
    r = keeps_its_argument(x) * keeps_its_argument.n
    del keeps_its_argument.n
    return r
