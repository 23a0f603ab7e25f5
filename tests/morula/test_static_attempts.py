"""What attempts to make static adjoints may cost: those in vain take a tenth of what the eager tier takes."""

import itertools
import linecache
import math

import pytest

import morula
from morula.static.python import choice, pairs
from morula.static.python.choice import ADVANCE, BRIEFLY, DEARER, EXPECTED, FAIR, LOADING, PURSE, SHARE, Account, Purse
from morula.static.python.pairs import record_of

TICK = 4e-4  # seconds that pass whenever somebody looks at the clock: at each statement that is read
RUN = 0.01  # seconds of a run in the eager tier


@pytest.fixture
def clock(monkeypatch):
    with morula.tier("static"):
        morula.gradient(lambda x: math.sin(x) * x, 0.5)  # all rules are loaded now
    ticks = itertools.count()
    for name in ("thread_time", "perf_counter"):
        monkeypatch.setattr(choice, name, lambda: next(ticks) * TICK)


def written(n, last):
    """A function of so many statements."""
    lines = "".join(f"    y = y * 0.5 + math.sin(x * y + {k}.0)\n" for k in range(n))
    source, space = f"def f(x):\n    y = x\n{lines}    {last}\n", {"math": math}
    name = f"<{n} statements, {last}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), space)
    return space["f"]


def eager_runs(f, n):
    """The record of a function, after each of so many runs that the eager tier is said to have taken."""
    for _ in range(n):
        pairs.note(f, (0.7,), RUN)
        yield record_of(f)


REFUSED = "xs = [y, x]; return locals()['xs'][1]"


@pytest.mark.parametrize("n", [1, 20, 1000])
def test_attempts_in_vain_take_a_tenth(n, clock):
    f = written(n, REFUSED)
    counts = []
    for record in eager_runs(f, 5000):
        assert record.lost <= max(ADVANCE, SHARE * record.total) + 4 * TICK
        assert PURSE.lost == record.lost and PURSE.total == pytest.approx(record.total)
        if len(counts) < record.attempts:
            assert record.why is not None
            counts.append(round(record.total, 2))
    assert 2 <= len(counts) < 10
    assert counts[0] == 0.06  # as soon as that of any other function


def test_what_is_taken_is_made_at_once(clock):
    f = written(20, "return y")
    record = next(r for r in eager_runs(f, 6) if r.all_pairs)
    assert record.attempts == 1 and not record.lost and not PURSE.lost


@pytest.mark.parametrize(
    ("n", "attempts", "total"), [(40, 1, (1 + DEARER) * 0.06), (100, 2, (ADVANCE + DEARER * (ADVANCE - 0.06)) / SHARE)]
)
def test_what_takes_long_to_read_has_to_pay_for_it(n, attempts, total, clock):
    f = written(n, "return y")
    records = eager_runs(f, 4000)
    record = next(r for r in records if r.attempts)
    assert record.is_cut and "long" in record.why
    assert record.lost == pytest.approx(0.06, abs=8 * TICK)
    record = next(r for r in records if r.all_pairs)
    assert record.attempts == 1 + attempts and not record.is_final
    assert record.total == pytest.approx(total, rel=0.1)
    with morula.tier("eager"):
        expected = morula.gradient(f, 0.7)
    assert morula.gradient(f, 0.7) == pytest.approx(expected, rel=1e-12)
    assert record.newest.calls == 1


def test_a_text_that_never_answers_was_made_in_vain(clock):
    f = written(20, "return y")
    records = eager_runs(f, 5000)
    next(r for r in records if r.attempts == 1 and r.newest is not None)
    record = next(r for r in records if r.attempts == 2)
    assert record.newest is not None and record.lost == pytest.approx(record.newest.seconds, rel=0.05)
    for record in records:
        assert record.lost <= max(ADVANCE, SHARE * record.total) + 4 * TICK


def account(seconds):
    found = Account()
    found.seconds = seconds
    return found


@pytest.fixture
def loaded(monkeypatch):
    monkeypatch.setattr(choice, "is_loaded", lambda: True)


def test_all_functions_draw_from_one_purse(loaded):
    purse = Purse()
    purse.earned(ADVANCE)
    while (allowed := purse.allows(account(0.06), is_inside=True)) > 0.0:
        purse.lose(account(0.06), min(allowed, 0.1))
    assert purse.lost == pytest.approx(ADVANCE, abs=BRIEFLY) and purse.is_empty
    purse.earned(10.0)
    assert not purse.is_empty and purse.allows(account(0.06), is_inside=True)


def test_attempts_take_no_longer_than_the_eager_tier_has_taken(loaded):
    for seconds in (0.06, 0.2, 1.0):
        purse = Purse()
        purse.earned(seconds)
        assert purse.allows(account(seconds)) == pytest.approx(min(seconds, ADVANCE))


def test_the_first_attempt_of_all_waits_for_what_loading_takes(monkeypatch):
    purse = Purse()
    purse.earned(0.2)
    for is_loaded, expected in ((True, 0.2), (False, 0.2 - LOADING)):
        monkeypatch.setattr(choice, "is_loaded", lambda is_loaded=is_loaded: is_loaded)
        assert purse.allows(account(0.2)) == pytest.approx(expected)


def test_a_program_may_always_have_a_share_of_its_own(loaded):
    purse = Purse()
    purse.earned(0.06)
    purse.lose(account(0.06), ADVANCE)
    assert not purse.allows(account(0.06))
    assert purse.allows(account(0.3)) == pytest.approx(FAIR * 0.3)
    assert FAIR * 0.3 >= EXPECTED
    assert not purse.allows(account(0.3), is_inside=True)


def test_the_first_call_does_not_wait_for_attempts(loaded):
    purse = Purse()
    assert not purse.allows(account(0.2), is_inside=True)
    assert purse.allows(account(0.3), is_inside=True) == pytest.approx(SHARE * 0.3)


def test_what_was_cut_off_early_is_made_as_soon_as_it_is_worth_that(loaded):
    purse, tried = Purse(), account(0.06)
    purse.earned(0.06)
    purse.lose(tried, 0.06, is_cut=True)
    for seconds, found in ((0.23, 0.0), (0.245, 0.185)):
        purse.seconds = tried.seconds = seconds
        assert purse.allows(tried) == pytest.approx(found)


def test_what_was_cut_off_has_to_be_worth_more(loaded):
    for is_cut, factor in ((False, 1.0), (True, DEARER)):
        purse, tried = Purse(), account(0.06)
        purse.lose(tried, 0.2, is_cut)
        needed = (0.2 + factor * 0.2) / SHARE
        purse.earned(needed)
        tried.seconds = needed - 0.01
        assert not purse.allows(tried)
        tried.seconds = needed + 0.01
        assert purse.allows(tried) >= factor * 0.2 - 1e-9


def test_attempts_inside_of_a_run_are_none_of_its_seconds():
    purse = Purse()
    purse.inside = 0.04
    assert purse.earned(0.1) == pytest.approx(0.06) == pytest.approx(purse.total)
    assert purse.earned(0.1) == 0.1
