"""A refusal belongs to the run: programs that catch whatever they can get end with it, not with another value."""

# ruff: noqa: B012, E722, SIM105, SIM107

import contextlib
import ctypes
import gc
import json
import re
import struct
import sys
import traceback
import warnings

import numpy as np
import pytest

import chainrules
import morula
from morula import NotDifferentiable, SourceNotFound

here: dict = {}
exec("def made_elsewhere(x):\n    match x:\n        case [1]: pass\n    return x * x", here)  # cannot be read back
made_elsewhere = here["made_elsewhere"]
opaque = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: 2.0 * x)


def through_bytes(x):
    return struct.unpack("d", struct.pack("d", x))[0]


def without_source(x):
    return made_elsewhere(x)


def without_rule(x):
    return float(opaque(x))


def with_wrong_rule(x):
    return x * x


@morula.adjoint(with_wrong_rule)
def _(x):
    return x * x


def unfinished(x):
    return x * x


@chainrules.rrule(unfinished)
def _(x):
    raise NotImplementedError("not worked out")


def of_text(x):
    return morula.gradient(str, x)[0]


REFUSED = {
    through_bytes: NotDifferentiable,
    without_source: SourceNotFound,
    without_rule: NotDifferentiable,
    with_wrong_rule: morula.RuleError,
    unfinished: NotDifferentiable,
    of_text: morula.ResultError,
}

CLASSES = (
    TypeError,
    OSError,
    ValueError,
    RuntimeError,
    Exception,
    BaseException,
    morula.MorulaError,
    NotDifferentiable,
)


# -- ways to go on after an error, each of which gives another value than the plain program ----------


def by_class(kind):
    def caught(g, x):
        try:
            return g(x)
        except kind:
            return -1.0

    caught.__qualname__ = f"except_{kind.__name__}"
    return caught


def bare(g, x):
    try:
        return g(x)
    except:
        return -1.0


def several(g, x):
    try:
        y = g(x)
    except KeyError:
        y = -2.0
    except (LookupError, TypeError, OSError) as error:
        y = float(len(str(error)))
    else:
        y = y + x
    finally:
        x = 2.0 * x
    return y * x


def returned_in_finally(g, x):
    try:
        return g(x)
    finally:
        return -1.0


def left_by_continue(g, x):
    for _ in range(3):
        try:
            x = g(x)
        finally:
            continue
    return x


def left_by_break(g, x):
    while True:
        try:
            x = g(x)
        finally:
            for k in range(3):
                if k:
                    continue
                break
            break
    return x


def retried(g, x):
    while True:
        try:
            return g(x)
        except Exception:
            continue


def replaced_in_finally(g, x):
    try:
        try:
            return g(x)
        finally:
            raise ValueError("another")
    except ValueError:
        return -1.0


def replaced_in_handler(g, x):
    try:
        try:
            return g(x)
        except Exception as error:
            raise ValueError("another") from error
    except ValueError:
        return -1.0


def in_handler(g, x):
    try:
        raise KeyError(x)
    except KeyError as error:
        with contextlib.suppress(Exception):
            return g(error.args[0])
    return -1.0


def suppressed(g, x):
    with contextlib.suppress(BaseException):
        return g(x)
    return -1.0


def suppressed_on_a_stack(g, x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(Exception))
        return g(x)
    return -1.0


class Swallows:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


class Translates(Swallows):
    def __exit__(self, kind, error, tb):
        if kind is not None:
            raise KeyError("another") from error


class Counts(Swallows):
    left = 0

    def __exit__(self, kind, error, tb):
        Counts.left += kind is not None
        return True


def by_exit(g, x):
    with Swallows():
        return g(x)
    return -1.0


def by_inner_exit(g, x):
    with Swallows(), Counts() as counts:
        counts.y = g(x)
        return counts.y
    return -1.0


def translated(g, x):
    while True:
        try:
            with Translates():
                return g(x)
        except KeyError:
            continue


@contextlib.contextmanager
def quiet():
    try:
        yield
    except Exception:
        pass


def by_generator(g, x):
    with quiet():
        return g(x)
    return -1.0


def in_group(g, x):
    try:
        return g(x)
    except* Exception:
        x = -1.0
    return x


def in_group_of_others(g, x):
    try:
        try:
            return g(x)
        finally:
            raise ExceptionGroup("", [ValueError(), KeyError()])
    except* ValueError:
        x = -1.0
    except* KeyError:
        x = x - 1.0
    return x


def thrown(g, x):
    def steps():
        try:
            yield g(x)
        except Exception:
            yield -1.0

    return next(steps())


def yielded_in_finally(g, x):
    def steps():
        try:
            yield g(x)
        finally:
            yield 7.0

    return x * next(steps())


def default_of_next(g, x):
    def steps():
        with contextlib.suppress(Exception):
            yield g(x)

    return next(steps(), -1.0)


class Left:
    def __init__(self, g, v):
        self.g, self.v = g, v

    def __mul__(self, other):
        try:
            return self.g(self.v)
        except Exception:
            return NotImplemented

    def __getattr__(self, name):
        try:
            return self.g(self.v)
        except Exception as error:
            raise AttributeError(name) from error


class Right:
    def __rmul__(self, other):
        return 7.0


def not_implemented(g, x):
    return Left(g, x) * Right()


def default_of_getattr(g, x):
    return getattr(Left(g, x), "missing", -1.0)


def asked_by_hasattr(g, x):
    return x if hasattr(Left(g, x), "missing") else -1.0


def by_exc_info(g, x):
    seen = []
    try:
        with contextlib.suppress(Exception):
            try:
                return g(x)
            finally:
                seen.append(sys.exc_info()[1])
        return -1.0
    finally:
        seen.clear()


WAYS = [
    *map(by_class, CLASSES),
    bare,
    several,
    returned_in_finally,
    left_by_continue,
    left_by_break,
    retried,
    replaced_in_finally,
    replaced_in_handler,
    in_handler,
    suppressed,
    suppressed_on_a_stack,
    by_exit,
    by_inner_exit,
    translated,
    by_generator,
    in_group,
    in_group_of_others,
    thrown,
    yielded_in_finally,
    default_of_next,
    not_implemented,
    default_of_getattr,
    asked_by_hasattr,
    by_exc_info,
]
VERBS = {
    "gradient": morula.gradient,
    "withgradient": morula.withgradient,
    "pullback": morula.pullback,
    "grad": lambda f, x: morula.grad(f)(x),
    "jvp": lambda f, x: morula.jvp(f, (x,), (1.0,)),
    "hessian": morula.hessian,
    "nested": lambda f, x: morula.gradient(lambda t: morula.gradient(f, t)[0], x),
    "jvp_of_gradient": lambda f, x: morula.jvp(lambda t: morula.gradient(f, t)[0], (x,), (1.0,)),
    "checkpoint": lambda f, x: morula.gradient(lambda t: morula.checkpoint(f, t), x),
}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__qualname__)
@pytest.mark.parametrize("g", REFUSED, ids=lambda g: g.__name__)
def test_whoever_catches_it_the_run_ends_with_the_refusal(g, way):
    with pytest.raises(REFUSED[g]) as caught:
        morula.withgradient(way, g, 0.5)
    notes = "\n".join(caught.value.__notes__)
    by_rule = g in (with_wrong_rule, unfinished)  # what runs is the rule
    assert f"  at {__file__}, line " in notes
    assert re.search(r"g\((x|self\.v|error\.args\[0\])\)$" if by_rule else f"in {g.__name__}: ", notes)
    assert "/morula/eager/" not in "".join(traceback.format_tb(caught.value.__traceback__))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a generator that yields in ``finally``
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__qualname__)
@pytest.mark.parametrize("verb", VERBS)
def test_so_it_is_with_every_verb(verb, way):
    with pytest.raises(NotDifferentiable, match="struct"):
        VERBS[verb](lambda x: way(through_bytes, x), 0.5)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__qualname__)
def test_on_constants_nothing_is_refused(way):
    """The same programs, where the operation is given no active value: the plain program's value."""

    def f(x):
        with warnings.catch_warnings():
            return way(through_bytes, 0.5) * x

    y, (dy,) = morula.withgradient(f, 3.0)
    assert (y, dy) == (f(3.0), f(3.0) / 3.0)


def raises(x):
    if x > 0.0:
        raise TypeError(x)
    return x


@pytest.mark.parametrize("way", [by_class(TypeError), by_class(Exception), bare, suppressed, by_exit,
                                 by_generator, in_group, thrown, default_of_next, not_implemented,
                                 returned_in_finally, left_by_continue, replaced_in_finally,
                                 default_of_getattr, asked_by_hasattr], ids=lambda way: way.__qualname__)  # fmt: skip
def test_errors_of_the_program_are_caught_as_plainly(way):
    def f(x):
        return way(raises, x) + x * x

    h = 1e-6
    y, (dy,) = morula.withgradient(f, 0.5)
    assert y == f(0.5)
    assert dy == pytest.approx((f(0.5 + h) - f(0.5 - h)) / (2 * h), rel=1e-6)
    assert morula.jvp(f, (0.5,), (1.0,)) == (y, pytest.approx(dy))


def test_handlers_see_what_plain_ones_see():
    def f(x):
        seen = []
        try:
            try:
                raise TypeError("first", x)
            except TypeError as error:
                kind, value, tb = sys.exc_info()
                seen += [kind.__name__, value is error, [s.name for s in traceback.extract_tb(tb)]]
                raise ValueError("second") from error
        except ValueError as error:
            seen += [type(error.__cause__).__name__, error.__context__ is error.__cause__, error.__suppress_context__]
            seen.append([(s.name, s.line) for s in traceback.extract_tb(error.__traceback__)])
        seen.append(sys.exc_info())
        return 2.0 * x, seen

    value, gradient = morula.withgradient(f, 0.5)
    assert value == f(0.5) and gradient == (2.0,)


def test_finally_and_exit_clean_up():
    log = []

    class Resource:
        def __enter__(self):
            log.append("open")
            return self

        def __exit__(self, kind, error, tb):
            log.append(kind.__name__)
            return True

    def f(x):
        try:
            with Resource():
                return through_bytes(x)
        finally:
            for k in range(3):
                try:
                    if k == 1:
                        continue
                    log.append({0: "zero"}[k])
                except KeyError:
                    log.append("none")
            log.append("left")

    with pytest.raises(NotDifferentiable):
        morula.gradient(f, 0.5)
    assert log == ["open", "NotDifferentiable", "zero", "none", "left"]


def test_arguments_are_as_before():
    def f(x):
        x[0] = 7.0
        try:
            return through_bytes(x[1])
        finally:
            return x.sum()

    x = np.array([1.0, 2.0])
    with pytest.raises(NotDifferentiable):
        morula.gradient(f, x)
    np.testing.assert_array_equal(x, [1.0, 2.0])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
def test_a_generator_that_is_dropped():
    def f(x):
        def steps():
            try:
                yield x
            finally:
                out.append(through_bytes(x))

        out = []
        running = steps()
        y = next(running)
        del running
        gc.collect()
        return y * sum(out)

    assert f(0.5) == 0.25
    with pytest.raises(NotDifferentiable, match="struct"):
        morula.gradient(f, 0.5)


def test_generators_given_to_c():
    """The consumer may swallow what the generator raises."""

    def f(x):
        def steps():
            yield through_bytes(x)

        with contextlib.suppress(Exception):
            np.fromiter(steps(), float)
        return 3.0 * x

    with pytest.raises(NotDifferentiable):
        morula.gradient(f, 0.5)


def test_rules_over_functions_that_catch():
    """What a rule, or a library that it calls, makes of the refusal of a function that it was given does not count."""

    def apply(f, x):
        return f(x)

    @chainrules.rrule(apply, needs=("reverse",))
    def _(config, f, x):
        try:
            y, pullback = chainrules.rrule_via(config, f, x)
        except Exception:
            return -1.0, lambda y_bar: (None, 0.0)
        return y, lambda y_bar: (pullback(y_bar)[0], pullback(y_bar)[1])

    assert morula.gradient(lambda x: apply(lambda t: t * t, x), 3.0) == (6.0,)
    with pytest.raises(NotDifferentiable, match="struct"):
        morula.withgradient(lambda x: apply(through_bytes, x), 3.0)


def test_at_the_top_level_the_errors_are_the_users_to_catch():
    def tried(f, x):
        try:
            return morula.gradient(f, x)
        except NotDifferentiable:
            return "refused"

    assert tried(through_bytes, 0.5) == "refused"
    assert tried(lambda x: x * x, 0.5) == (1.0,)

    @morula.adjoint(tried)
    def _(f, x):
        raise NotDifferentiable("not this one")

    with pytest.raises(NotDifferentiable, match="not this one"):
        morula.gradient(lambda x: by_class(Exception)(lambda t: tried(through_bytes, t), x), 0.5)


def test_a_refusal_keeps_its_cause():
    def f(x):
        with Translates():
            return unfit(x)

    def unfit(x):
        return morula.pullback(lambda t: (t, t), x)[1]((1.0, "a"))[0]

    with pytest.raises(morula.MorulaError) as plain:
        morula.gradient(unfit, 0.5)
    with pytest.raises(type(plain.value)) as caught:
        morula.gradient(f, 0.5)
    assert str(caught.value) == str(plain.value)
    assert type(caught.value.__cause__) is type(plain.value.__cause__)


def test_errors_of_these_classes_that_the_program_raises_itself():
    def f(x):
        try:
            raise NotDifferentiable("not this one")
        except TypeError:
            return x

    with pytest.raises(NotDifferentiable, match="not this one"):
        morula.gradient(f, 0.5)


def test_a_refused_run_leaves_the_next_alone():
    for _ in range(2):
        with pytest.raises(NotDifferentiable):
            morula.gradient(by_class(Exception), through_bytes, 0.5)
        assert morula.gradient(lambda x: by_class(Exception)(lambda t: t * t, x), 0.5) == (1.0,)


def test_comparisons_that_call_what_has_no_source():
    class Own:
        asked = 0

        def __init__(self, v):
            self.v = v

        def __lt__(self, other):
            Own.asked += 1
            return made_elsewhere(self.v) < other.v

    def f(x):
        return (x if Own(x) < Own(2.0 * x) else 3.0 * x) * Own.asked

    with pytest.raises(SourceNotFound):
        morula.gradient(f, 0.5)


def test_hooks_of_classes():
    def f(x):
        class Named:
            def __set_name__(self, owner, name):
                self.y = through_bytes(x)

        try:

            class Owner:
                part = Named()

        except RuntimeError:
            return -1.0
        return Owner.part.y if hasattr(Owner.part, "y") else -2.0

    with pytest.raises(NotDifferentiable, match="struct"):
        morula.gradient(f, 0.5)


def test_a_warning_that_filters_make_an_error():
    numba = pytest.importorskip("numba")

    @numba.njit
    def compiled(x):
        names = {2: x}
        names[3] = x
        return names[2] * x

    def f(x):
        try:
            return compiled(x)
        except UserWarning:
            return -1.0

    with warnings.catch_warnings():
        warnings.simplefilter("error", morula.NativeFallbackWarning)
        with pytest.raises(morula.NativeFallbackWarning):
            morula.withgradient(f, 3.0)


# -- the line ----------


def test_a_refusal_in_a_library_names_the_users_call():
    def loss(x):
        return json.loads(json.JSONEncoder().encode([x]))[0]

    with pytest.raises(NotDifferentiable) as caught:
        morula.gradient(loss, 0.5)
    called, arose = caught.value.__notes__
    assert re.match(rf"  at {re.escape(__file__)}, line \d+, in loss: return json", called)
    assert re.match(r"  inside it at .*json.*, line \d+, in ", arose)


# -- what the errors are about ----------


def test_a_view_as_a_leaf_where_the_sweep_starts_again():
    class Halves:
        def __init__(self, a, own):
            self.v, self.w = (a[::2].copy(), a[1::2].copy()) if own else (a[::2], a[1::2])

    def h(a, own):
        g = morula.gradient(lambda o: (np.sqrt(o.v**2) * o.w).sum() * o.v[1], Halves(a * 1.0, own))[0]
        return g.w[0] * 2.0 + g.w[1] * g.w[1]

    a = np.array([0.0, 1.0, 2.0, 3.0])
    of_views, of_copies = (morula.withgradient(lambda a, own=own: h(a, own), a) for own in (False, True))
    assert of_views.value == of_copies.value
    np.testing.assert_array_equal(of_views.gradient[0], of_copies.gradient[0])


class Shape:
    def __new__(cls, kind, size):
        return object.__new__(Square if kind == "square" and cls is Shape else cls)

    def __init__(self, kind, size):
        self.area = size


class Square(Shape):
    def __init__(self, kind, size):
        self.area = size * size


class Items(list):
    def __new__(cls, x):
        return list.__new__(Doubled)


class Doubled(Items):
    def __init__(self, x):
        super().__init__([x, 2.0 * x])


class Pretends:
    def __new__(cls, x):
        made = object.__new__(Stranger)
        made.x = 3.0 * x
        return made

    def __init__(self, x):
        self.x = x


class Stranger:
    def __init__(self, x):
        self.x = 7.0 * x

    @property
    def __class__(self):
        return Pretends


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Shape("square", x).area,
        lambda x: Shape("other", x).area,
        lambda x: Square("other", x).area,
        lambda x: sum(Items(x)) * x,
        lambda x: Pretends(x).x * x,
    ],
)
def test_new_that_returns_an_instance_of_a_subclass(f):
    h = 1e-6
    y, (dy,) = morula.withgradient(f, 3.0)
    assert y == f(3.0)
    assert dy == pytest.approx((f(3.0 + h) - f(3.0 - h)) / (2 * h), rel=1e-6)
