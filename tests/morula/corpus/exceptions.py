"""Exceptions: what they carry, `finally`, `else`, groups, and what was done before they were raised."""

import collections
import math
import operator
import types

import numpy as np

from corpus import LOG, TWO, VECTOR, Programs, X, floats

program = Programs()


@program(X)
def args_of_an_exception(x):
    try:
        raise ValueError(x * x)
    except ValueError as e:
        return e.args[0]


class ErrorWithValue(Exception):
    def __init__(self, v):
        super().__init__(v)
        self.v = v


@program(X)
def args_through_super(x):
    try:
        raise ErrorWithValue(x * x)
    except ErrorWithValue as e:
        return e.args[0]


@program(X)
def attribute_of_an_exception(x):
    try:
        raise ErrorWithValue(x * x)
    except ErrorWithValue as e:
        return e.v


class PlainError(Exception):
    pass


@program(X)
def args_of_a_plain_subclass(x):
    try:
        raise PlainError(x * x, 3)
    except PlainError as e:
        a, b = e.args
        return a * b


class ErrorWithoutSuper(Exception):
    def __init__(self, v):
        self.v = v


@program(X)
def args_without_super(x):
    try:
        raise ErrorWithoutSuper(x * x)
    except ErrorWithoutSuper as e:
        return e.args[0] + e.v


@program(VECTOR)
def array_in_an_exception(a):
    try:
        raise ValueError(a * a)
    except ValueError as e:
        return e.args[0].sum()


@program(X)
def keyword_of_an_exception(x):
    class E(Exception):
        def __init__(self, v, *, code=1):
            super().__init__(f"v={v:.2f}")
            self.v = v
            self.code = code

    try:
        raise E(x * x, code=x)
    except E as e:
        return e.v * e.code + len(e.args[0])


@program(VECTOR)
def loop_with_all_clauses(a):
    y = a * 1.0
    s = 0.0
    for i in range(6):
        try:
            y[i] *= a[0]
            if i == 1:
                raise KeyError(y[i])
            s += y[i]
        except KeyError as e:
            s += e.args[0] * 3
            continue
        except IndexError:
            s -= a[1]
            break
        else:
            s += 1
        finally:
            y[0] += 0.5
    else:
        s *= 100
    return s + (y * y).sum()


@program(X)
def return_in_finally(x):
    def g():
        try:
            t = x * x
            return t
        finally:
            t = x * 3
            LOG.append(1)

    def h():
        for i in range(3):
            try:
                return x
            finally:
                if i < 2:
                    continue  # noqa: B012

    def k():
        try:
            raise ValueError
        finally:
            return x * 5  # noqa: B012

    return g() + h() * 2 + k()


@program(X)
def break_in_finally(x):
    def f(v):
        try:
            return v
        finally:
            return v * v  # noqa: B012, SIM107

    def g(v):
        for i in range(3):
            try:
                raise ValueError(v)
            except ValueError as e:
                v = e.args[0] * 2
                continue
            finally:
                v = v + 1
                if i == 1:
                    break  # noqa: B012
        return v

    return f(x) * g(x)


@program(X)
def raised_from(x):
    def g(v):
        try:
            raise ValueError(v)
        except ValueError as e:
            raise KeyError(v * 2) from e

    try:
        g(x * x)
    except KeyError as e:
        return e.args[0] * e.__cause__.args[0]


@program(X)
def exception_group(x):
    try:
        raise ExceptionGroup("g", [ValueError(x), KeyError(x * x)])
    except* ValueError as e:
        r = e.exceptions[0].args[0]
    except* KeyError as e:
        q = e.exceptions[0].args[0]
    return r * q


@program(X)
def nested_try(x):
    r = x
    for i in range(4):
        try:
            try:
                if i == 0:
                    r *= 2
                    continue
                if i == 1:
                    raise KeyError(r)
                if i == 2:
                    raise ValueError(r * x)
                r += 1
                break
            except KeyError as e:
                r = e.args[0] * 3
            finally:
                r += 0.1 * x
        except ValueError as e:
            r = e.args[0] - x
    else:
        r = 0.0
    return r


@program(X)
def context_of_an_exception(x):
    try:
        try:
            raise ValueError(x)
        except ValueError:
            raise KeyError(x * 2)  # noqa: B904
    except KeyError as e:
        return e.__context__.args[0] * e.args[0]


@program(floats(2, -1), want=floats(12, 0))
@program(floats(2, 1), want=floats(4, 1))
def except_of_a_domain_error(x):
    s = 0.0
    try:
        s += x[0] ** 2
        s += math.log(x[1])
    except ValueError:
        s *= 3
    return s


@program(floats(2, 3), want=floats(8, 4))
def writes_in_all_clauses(x):
    try:
        x[0] *= 2
        raise KeyError
    except KeyError:
        x[1] *= x[0]
    finally:
        x[0] += 1
    return x.sum()


@program(floats(1, 2, 3))
def exception_between_two_writes(x):
    try:
        x[0] *= 3
        x[1] = x[5]
    except IndexError:
        x[2] *= x[0]
    return x.sum()


@program(X)
def recursion_error(x):
    def g(n):
        return g(n + 1) * x

    try:
        return g(0)
    except RecursionError:
        return x * x


@program(1.7)
def the_file_of_an_error(x):
    try:
        raise OSError(2, "no", x)
    except OSError as error:
        return error.filename * 3.0


@program(1.7)
def the_code_of_an_exit(x):
    try:
        raise SystemExit(x)
    except SystemExit as error:
        return error.code * 3.0


@program(TWO)
def a_write_that_raises_when_it_has_written(x):
    c = np.zeros(3, np.float32)
    try:
        with np.errstate(all="raise"):
            c[:] = np.array([5.0, 1e300, 2.0])
    except FloatingPointError:
        pass
    s = (c * 2)[0] * x[0]
    c[0] = 1.0
    return s


@program(X)
def the_key_that_is_not_there(x):
    d, s = {1.0: 2.0}, {2.0}
    factory, ordered = collections.defaultdict(None, d), collections.OrderedDict(d)

    def deleted(key):
        del d[key]

    missing = [
        lambda key: d[key],
        lambda key: d[key, x],
        d.__getitem__,
        d.__delitem__,
        d.pop,
        deleted,
        s.remove,
        factory.__getitem__,
        factory.__missing__,
        ordered.__getitem__,
        lambda key: ordered.pop(key=key),
        ordered.move_to_end,
        lambda key: operator.getitem(d, key),
        lambda key: operator.delitem(d, key),
        lambda key: types.MappingProxyType(d)[key],
        lambda key: collections.ChainMap(d)[key],
    ]
    total = 0.0
    for k, look in enumerate(missing, 2):
        try:
            look(k * x)
        except KeyError as error:
            (key,) = error.args
            total += k * (key[0] if isinstance(key, tuple) else key) ** 2
    return total


class Withdrawn:
    total = 0.0

    def __delitem__(self, key):
        self.total += key**2


@program(X)
def the_key_that_is_deleted(x):
    account = Withdrawn()
    del account[x]
    operator.delitem(account, 2 * x)
    account.__delitem__(3 * x)
    return account.total


@program(X)
def what_an_error_came_from(x):
    """An error of a function with a rule comes from what the program was handling, and from nothing else."""
    wrong = [
        lambda: math.log(-x),
        lambda: math.acos(x + 1.0),
        lambda: math.hypot(x, "a"),
        lambda: math.prod([x, "a"]),
        lambda: np.polyfit([1.0, 2.0], [x], 1),
        lambda: np.linalg.inv(np.zeros((2, 2)) * x),
    ]
    total = 0.0
    for k, f in enumerate(wrong, 1):
        try:
            f()
        except (ValueError, TypeError) as error:
            total += k * x * (error.__context__ is None)
        try:
            raise KeyError(k * x)
        except KeyError:
            try:
                f()
            except (ValueError, TypeError) as error:
                total += error.__context__.args[0] ** 2
    return total
