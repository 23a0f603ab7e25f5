"""Comprehensions, and assignment expressions inside them."""

from corpus import NUMBERS, Programs, X

program = Programs()


@program(NUMBERS)
def last_of_a_condition(xs):
    s = [last for v in xs if (last := (v * v)) > 0.1]
    return last + sum(s)


@program(NUMBERS)
def last_of_a_list(xs):
    s = [(last := (v * v)) for v in xs]
    return last + sum(s)


@program(NUMBERS)
def last_of_a_generator(xs):
    s = sum((last := (v * v)) for v in xs)
    return last + s


@program(NUMBERS)
def last_of_any(xs):
    s = any((last := v) < 0 for v in xs)
    return last


@program(NUMBERS)
def last_of_nested_lists(xs):
    s = [[(q := (v * w)) for v in xs] for w in xs]
    return q


@program(NUMBERS)
def last_of_a_dict(xs):
    s = {k: (q := (v * 2)) for k, v in enumerate(xs)}
    return q


@program(NUMBERS)
def bound_in_a_lambda(xs):
    f = lambda v: (u := (v * 2)) * u
    return f(xs[0])


@program(NUMBERS)
def bound_function(xs):
    g = [h(v) for v in xs if (h := (lambda z: z * v))]  # noqa: B023
    return sum(g) + h(2.0)


@program(NUMBERS)
def assignment_expressions(xs):
    r = [(y := (v * 2)) for v in xs]
    s = [last for v in xs if (last := (v * v)) > 0.1]
    while (y := (y * 0.5)) > 0.1:
        pass
    return y + last + sum(r) + any((f := v) < 0 for v in xs) * f


@program(X)
def scopes_of_comprehensions(x):
    y = x * x
    fs = [lambda v, i=i: v * i * y for i in range(3)]
    gs = [lambda: y * j for j in range(3)]  # noqa: B023
    y = y * 2
    d = {k: lambda k=k: k * x for k in range(3)}
    return (
        sum(f(x) for f in fs)
        + sum(g() for g in gs)
        + sum(d[k]() for k in d)
        + sum(a * b for a in (x, y) for b in (y, a))
    )
