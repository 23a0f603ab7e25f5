"""What makes text or bytes of numbers, and what reads them: `str`, `float`, `ast`, `pickle`, `json` (see `Texts`)."""

import ast
import pickle
import sys
from functools import partial
from typing import Any

import numpy as np

from chainrules import when_loaded
from morula.eager.calls.called_back import watched
from morula.eager.calls.registry import STRUCTURAL, no_rule, structural
from morula.eager.context.protocol import Context
from morula.eager.python import builtin_calls  # noqa: F401  (whose meaning of float is asked first)
from morula.eager.python.texts import NUMBERS
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
COMPLEX = (np.complex128, np.complex64)


def _text(f: Any) -> None:
    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        text = watched(ctx, f, args, kw)
        ctx.tell_all(args, ds, kw, kw_d, text)
        return text, None

    structural(f)(handler)


for _f in (repr, str, format, ascii):
    _text(_f)


def reads_numbers(f: Any, plain: Any) -> None:
    """A class whose calls read numbers from text."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if ctx.told and len(args) == 1 and isinstance(args[0], str | bytes | bytearray):
            y = f(*args, **kw)
            text = args[0] if isinstance(args[0], str) else args[0].decode()
            exact = not issubclass(f, NUMBERS)
            spelled = complex(text) if f in (complex, *COMPLEX) else float(y if exact else text)
            pair = ctx.was_told(spelled, text.strip())
            if pair is not None and f not in (float, complex, np.float64, np.complex128):
                raise NotDifferentiable(
                    f"{f.__name__} of text made from an active number would lose its derivative; use {f.__name__}(x)"
                )
            return y, None if pair is None else pair[1]
        return plain(ctx, args, ds, kw, kw_d)

    structural(f)(handler)


def otherwise(cls: Any) -> Any:
    """What a call of `cls` means without regard to text."""
    before = STRUCTURAL.get(cls)

    def plain(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if before is not None:
            return before(ctx, args, ds, kw, kw_d)
        found = ctx._try_rules(cls, args, ds, kw, kw_d)
        return ctx.construct(cls, args, ds, kw, kw_d) if found is None else found

    return plain


reads_numbers(float, STRUCTURAL[float])
reads_numbers(complex, STRUCTURAL[complex])
for _kind in (np.float64, np.float32, np.longdouble, *COMPLEX):
    reads_numbers(_kind, otherwise(_kind))


def reads_tree(f: Any) -> None:
    """A function that reads numbers, or arrays and trees of them."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        y = ctx.opaque(f, args, kw)
        return y, ctx.read_back(y, args[0] if args and type(args[0]) is str else "") if ctx.told else None

    structural(f)(handler)


def writes_text(f: Any) -> None:
    """A function that makes text of its arguments, which is a constant as long as nobody reads it."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        ctx.tell_all(args, ds, kw, kw_d)
        return watched(ctx, f, args, kw), None

    structural(f)(handler)


_reader: Any
_writer: Any
for _reader in (ast.literal_eval, np.loadtxt, np.genfromtxt, np.fromstring):
    reads_tree(_reader)
for _writer in (np.savetxt, np.array2string, np.array_repr, np.array_str, np.format_float_positional):
    writes_text(_writer)
writes_text(np.format_float_scientific)


def _bytes(write: Any, read: Any) -> None:
    def written(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if ctx.any_active(args[:1], ds[:1], {}, {}):
            ctx.told.append((args[0], ds[0], None))
        if any(ctx.any_active((a,), (d,), {}, {}) for a, d in zip(args[1:], ds[1:], strict=True)):
            raise no_rule(write)
        return watched(ctx, write, args, kw), None

    def found(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        y = ctx.opaque(read, args, kw)
        if ctx.told:
            ctx.refuse_read(read, y)
        return y, None

    structural(write)(written)
    structural(read)(found)


_bytes(pickle.dumps, pickle.loads)
_bytes(pickle.dump, pickle.load)


def _json() -> None:
    import json

    @structural(json.dumps)
    def dumps(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        text = watched(ctx, json.dumps, args, kw)
        ctx.tell_all(args, ds, kw, kw_d, text)
        return text, None

    @structural(json.dump)
    def dump(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        given = dict(zip(("obj", "fp"), args, strict=False)) | kw
        if not {"obj", "fp"} <= given.keys() or len(args) > 2:
            json.dump(*args, **kw)  # raises
        file = given.pop("fp")
        shadows = dict(zip(("obj", "fp"), ds, strict=False)) | kw_d
        text, _ = ctx.call(json.dumps, (given.pop("obj"),), (shadows.get("obj"),), given)
        ctx.method(file, shadows.get("fp"), "write", (text,), (None,))
        return None, None

    reads_tree(json.loads)
    reads_tree(json.load)


def _csv() -> None:
    import csv
    import io

    kind = type(csv.writer(io.StringIO()))
    writes_text(kind.writerow)
    writes_text(kind.writerows)


def _exact(module: str, name: str) -> None:
    """Exact numbers, which are made of text often."""
    cls = getattr(sys.modules[module], name)
    reads_numbers(cls, otherwise(cls))


when_loaded("csv", _csv)
when_loaded("json", _json)
when_loaded("decimal", partial(_exact, "decimal", "Decimal"))
when_loaded("fractions", partial(_exact, "fractions", "Fraction"))
