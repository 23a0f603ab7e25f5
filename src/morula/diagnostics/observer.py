"""Who watches one run: where each tape entry comes from, how long a line takes, where activity ends."""

import sys
from cmath import isfinite
from collections.abc import Callable
from time import perf_counter
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from morula.diagnostics.back import backward
from morula.diagnostics.births import Birth, Lost
from morula.diagnostics.ledger import End, Ledger, MarkedTwins, Strange
from morula.diagnostics.places import LIBRARY, Line, segment
from morula.diagnostics.values import name_of, numbers_of, shown
from morula.eager.context.kinds import is_library_code
from morula.eager.context.protocol import Context

__all__ = ["Observer", "Place"]

ndarray = np.ndarray
MOST = 64  # events of one kind at one line whose shadows are kept
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "contains": "in"}
ENDS = {name: f"the comparison {sign}" for name, sign in COMPARISONS.items()} | {"whole_number": "int()"}
PASSED_ON = (type(None), type, type(Ellipsis))  # results that lose nothing
Place = tuple[CodeType, int, Line | None]  # code, instruction, and the user's line that is worked for


class Observer:
    """One run, watched.

    Attributes:
        places: of the entries of the tape, as long as that is: a `Line`, or code and instruction.
        singular: by entry, the engine's variables where a partial was not finite.
        ends: by line and reason.
        strange: values going forward that are not finite, the first of each line.
        bars: the cotangents of the arguments that the last sweep gave.
    """

    def __init__(self, ctx: Context, f: Any, run: Any, ledger: Ledger, nested: bool):
        self.ctx = ctx
        self.f = f
        self.run = run
        self.ledger = ledger
        self.nested = nested
        self.places: list[Place | Line] = []
        self.singular: dict[int, dict[str, Any]] = {}
        self.ends: dict[tuple[Line, str], End] = {}
        self.strange: dict[Line, Strange] = {}
        self.bars: tuple | None = None
        self.births: list[Birth] = []
        self.lost: dict[Any, Lost] = {}
        ctx.observer = self
        ctx.at, ctx.again = self.marks()
        ctx.twins = MarkedTwins(ledger)
        if ctx.taped:
            ctx.append = ctx.to_tape = self.recorder(ctx.tape)

    # -- going forward ------------------------------------------------------------------------------------

    def recorder(self, tape: list[Any]) -> Callable[[Any], None]:
        """What appends to the tape and notes where that was.

        The marks say the line, which is all that is noted of numbers, the most frequent entries, while their partials
        are finite and not zero.
        """
        append, places, ledger, getframe = tape.append, self.places, self.ledger, sys._getframe
        note, kinds, place_of = places.append, self.ledger.kinds, self.place_of

        def record(entry: Any) -> None:
            append(entry)
            if entry.__class__ is list:
                n = len(entry)
                if n == 3:
                    p = entry[2]
                    fine = p and isfinite(p)
                elif n == 5:
                    _, _, p, _, q = entry
                    fine = p and q and isfinite(p) and isfinite(q)
                else:
                    fine = True
                if fine:
                    note(ledger.current)
                else:
                    frame = getframe(1)
                    note(place_of(frame))
                    if not all(map(isfinite, entry[2::2])):
                        self.singular[len(tape) - 1] = numbers_of(frame, kinds)
            else:
                note(place_of(getframe(1)))
            if len(places) != len(tape):  # entries were taken off, or others have put some there
                del places[len(tape) :]
                places[:0] = [ledger.nowhere] * (len(tape) - len(places))

        return record

    def place_of(self, frame: FrameType | None) -> Any:
        """Where the program is, by the engine's frame."""
        ledger = self.ledger
        kinds = ledger.kinds
        while frame is not None and not kinds[frame.f_code.co_filename]:
            frame = frame.f_back
        if frame is None:
            return ledger.nowhere
        code = frame.f_code
        return code, frame.f_lasti, ledger.user if kinds[code.co_filename] == LIBRARY else None

    def marks(self) -> tuple[Callable, Callable]:
        """What marked twins call: where a line begins, and where one goes on."""
        ledger, users, clock = self.ledger, self.ledger.users, perf_counter

        def at(site: tuple[str, int]) -> None:
            if ledger.site is not site:
                again(site)
            ledger.current.runs += 1

        def again(site: tuple[str, int]) -> None:
            if ledger.site is site:
                return
            line = users.get(site) or ledger.line(site)
            if line.under is None:
                ledger.user = line
            if ledger.back or ledger.memory is not None:
                ledger.turn_to(line)
            else:
                now = clock()
                ledger.current.forward += now - ledger.then
                ledger.current = line
                ledger.then = now
            ledger.site = site

        return at, again

    def handler(self, table: Any, f: Any) -> Callable:
        """What a table of handlers makes for `f`; no line pays for that."""
        ledger, line = self.ledger, self.ledger.current
        ledger.turn_to(ledger.nowhere)
        try:
            return table[f]
        finally:
            ledger.turn_to(line)

    def operation(self, ctx: Context, name: str, args: tuple, result: Any) -> None:
        """What a watched operation gave."""
        if name == "call1":
            self.call(ctx, args[0], args[1:2], args[2:3], result, 4)
        elif name == "call2":
            self.call(ctx, args[0], args[1:3], args[3:5], result, 4)
        elif name == "call":
            self.call(ctx, args[0], args[1], args[2], result, 4)
        else:  # a method
            x, x_d, method, xs, ds = args[:5]
            if type(x) not in CONTAINERS:
                self.call(ctx, f"{type(x).__name__}.{method}", (x, *xs), (x_d, *ds), result, 4)

    def call(self, ctx: Context, f: Any, args: tuple, ds: tuple, result: Any, up: int = 3) -> None:
        """What a call gave: a value that is not finite, or one that nothing active goes into."""
        y, y_d = result
        if type(y) is ndarray:
            if y.dtype.kind == "f" and not np.isfinite(y).all():
                self.note_strange(name_of(f), y, up)
        elif isinstance(y, float) and not isfinite(y):
            self.note_strange(name_of(f), y, up)
        if y_d is not None or isinstance(y, PASSED_ON) or (type(f) is FunctionType and not is_library_code(f)):
            return
        if type(y) is ndarray:
            if ctx.buffers.find(y) is not None:
                return
        elif type(y) not in FINAL and ctx.reaches_active(y, set()):
            return
        shadows = [d for d in ds if d is not None]
        shadows += [d for x in args if type(x) is ndarray and (d := ctx.buffers.find(x)) is not None]
        if shadows:
            self.end(ctx, name_of(f), tuple(shadows), up)

    def ended(self, ctx: Context, name: str, shadows: tuple) -> None:
        """A plain call of what loses derivatives."""
        self.end(ctx, ENDS.get(name) or (name if " " in name else f"{name}()"), shadows, 3)

    def end(self, ctx: Context, why: str, shadows: tuple, up: int) -> None:
        """Activity ends in the frame so many `up`."""
        line = self.line_of_frame(sys._getframe(up))
        end = self.ends.get((line, why))
        if end is None:
            end = self.ends[line, why] = End(line, why)
        end.times += 1
        if end.times <= MOST:
            end.shadows += [s for s in shadows if s is not None]

    def note_strange(self, what: str, value: Any, up: int) -> None:
        """A value that is not finite, of the frame so many `up`."""
        line = self.line_of_frame(sys._getframe(up))
        if line not in self.strange:
            self.strange[line] = Strange(line, what, shown(value), len(self.ctx.tape))

    def line_of_frame(self, frame: FrameType | None) -> Line:
        """The line that a frame is at."""
        frame = next(self.ledger.kinds.frames_from(frame), None)
        if frame is None:
            return self.ledger.nowhere
        return self.ledger.line((frame.f_code.co_filename, frame.f_lineno))

    def rest(self) -> None:
        """The forward run is over: what comes is on nobody's account."""
        if not self.nested:
            self.ledger.turn_to(self.ledger.nowhere)

    # -- where entries come from --------------------------------------------------------------------------

    def line_of(self, i: int) -> Line:
        """The line that made entry `i` of the tape."""
        place = self.places[i]
        if isinstance(place, Line):
            return place
        code, lasti, under = place
        if under is None:
            found = self.ledger.by_code.get(id(code))
            if found is None or found[0] is not code:
                lines = {n: self.ledger.line((code.co_filename, n)) for n in set(lines_of(code))}
                found = self.ledger.by_code[id(code)] = (code, [lines[n] for n in lines_of(code)])
            return found[1][lasti // 2]
        return self.ledger.line((code.co_filename, lines_of(code)[lasti // 2]), under)

    def segment_of(self, i: int) -> str:
        """The source text of the operation that made entry `i`, where that is known."""
        place = self.places[i]
        return "" if isinstance(place, Line) else segment(place[0], place[1])

    # -- the way back -------------------------------------------------------------------------------------

    def backward(self, ctx: Context, y: Any, y_d: Any, bar: Any, collect: Callable[[], Any]) -> Any:
        """As the context does it, watched."""
        return backward(self, ctx, y, y_d, bar, collect)

    def backward_once(self, ctx: Context, y: Any, y_d: Any, bar: Any, collect: Callable[[], Any]) -> Any:
        """The same; leaves the arguments as they were before the forward run."""
        try:
            return self.backward(ctx, y, y_d, bar, collect)
        finally:
            ctx.restore_arguments()


FINAL = frozenset({bool, int, float, complex, str, bytes, np.float64, np.float32, np.int64, np.bool_})
CONTAINERS = frozenset({list, dict, set})
_lines: dict[int, tuple[CodeType, list[int]]] = {}


def lines_of(code: CodeType) -> list[int]:
    """The line of each instruction."""
    found = _lines.get(id(code))
    if found is None or found[0] is not code:
        if len(_lines) > 4096:
            _lines.clear()
        found = _lines[id(code)] = (code, [p[0] or code.co_firstlineno for p in code.co_positions()])
    return found[1]
