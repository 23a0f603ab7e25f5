"""The module `operator`: its functions are the operators, its getters read what they name."""

import functools
import operator
from typing import Any

from morula.eager.calls.registry import INSTANCE_HANDLERS, structural
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


def _operator(name: str) -> Any:
    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        pairs = [p for pair in zip(args, ds, strict=True) for p in pair]
        return getattr(ctx, name)(*pairs)

    return handler


for _name in "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor neg pos invert".split():
    structural(getattr(operator, _name))(_operator(_name))
for _name in "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor".split():
    _plain = "i" + _name.rstrip("_")
    structural(getattr(operator, _plain))(_operator(_plain))
for _name in "lt le gt ge eq ne".split():
    structural(getattr(operator, _name))(
        lambda ctx, args, ds, kw, kw_d, name=_name: (
            getattr(ctx, name)(args[0], ds[0], args[1], ds[1]),
            None,
        )
    )
structural(operator.getitem)(lambda ctx, args, ds, kw, kw_d: ctx.getitem(args[0], ds[0], args[1], ds[1]))
structural(operator.setitem)(
    lambda ctx, args, ds, kw, kw_d: (ctx.setitem(args[0], ds[0], args[1], args[2], ds[2], ds[1]), None)
)
structural(operator.delitem)(lambda ctx, args, ds, kw, kw_d: (ctx.delitem(args[0], ds[0], args[1], ds[1]), None))
structural(operator.contains)(lambda ctx, args, ds, kw, kw_d: (ctx.contains(args[0], ds[0], args[1], ds[1]), None))
structural(operator.concat)(_operator("add"))
structural(operator.iconcat)(_operator("iadd"))
structural(operator.call)(
    lambda ctx, args, ds, kw, kw_d: ctx.call(*ctx.callees(args[:1], ds[:1]), args[1:], ds[1:], kw, kw_d)
)


@structural(operator.methodcaller)
def _methodcaller(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    made: Any = operator.methodcaller(*args, **kw)
    if any(d is not None for d in (*ds, *kw_d.values())):
        ctx.records.make(made).slots = {"args": ds[1:], "keywords": kw_d}
    return made, None


def _attrgetter_call(kind: Any) -> None:
    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) != 2 or kw:
            return args[0](*args[1:], **kw), None  # raises
        getter, x = args
        make, parts = getter.__reduce__()
        if kind is operator.methodcaller:
            keywords = {}
            if isinstance(make, functools.partial):  # it was given keyword arguments
                parts, keywords = (*make.args, *parts), make.keywords
            shadows = ctx.shadow_in_object(getter, "args") or (None,) * (len(parts) - 1)
            keywords_d = ctx.shadow_in_object(getter, "keywords") or {}
            return ctx.method(x, ds[1], parts[0], tuple(parts[1:]), shadows, keywords, keywords_d)
        found = []
        for part in parts:
            if kind is operator.itemgetter:
                found.append(ctx.getitem(x, ds[1], part, None))
            else:
                pair = (x, ds[1])
                for name in part.split("."):
                    pair = ctx.getattr(*pair, name)
                found.append(pair)
        if len(found) == 1:
            return found[0]
        return tuple(v for v, _ in found), ctx.packed(tuple(d for _, d in found))

    INSTANCE_HANDLERS[kind] = handler


for _kind in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    _attrgetter_call(_kind)
