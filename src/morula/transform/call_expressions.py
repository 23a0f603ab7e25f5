"""Calls in shadow-passing form."""

import ast
from types import ModuleType
from typing import TypeGuard

from morula.transform import names
from morula.transform.build import CTX, constant, ctx_call, is_absent, load, none, store, tuple_of
from morula.transform.displays import Displays
from morula.transform.expressions import Operand, Refused

CONSUMERS = (next, any, all, sum, min, max, list, tuple, set, frozenset, dict, sorted, zip, map, filter, enumerate)
# Callables that look at the frame they are called from: called from the user's line itself.
FRAME_CALLS = (
    ("pdb", "set_trace"),
    ("sys", "exc_info"),
    ("sys", "_getframe"),
    ("inspect", "currentframe"),
    ("warnings", "warn"),
)


class CallExpressions(Displays):
    """Emits calls: of functions that are known now, of values, of methods, and those that look at their frame."""

    def _Call(self, node: ast.Call, target: str | None) -> Operand:
        if names.is_plain_builtin(node, self.global_names, self.scope):
            arguments = self.exprs(node.args)
            if node.func.id == "int" and len(arguments) == 1 and isinstance(arguments[0].d, ast.Name):  # type: ignore[attr-defined]
                return self.value_into(ctx_call("whole_number", arguments[0].value, arguments[0].d))
            if node.func.id in ("str", "repr", "ascii") and len(arguments) == 1 and not self.inert(*node.args):  # type: ignore[attr-defined]
                x = self.copied(arguments[0])
                return self.value_into(ctx_call("text", load(node.func.id), x.value, x.d))  # type: ignore[attr-defined]
            return self.value_into(ast.Call(load(node.func.id), [a.value for a in arguments], []))  # type: ignore[attr-defined]
        special = self._frame_call(node)
        if special is not None:
            return special
        if isinstance(node.func, ast.Attribute) and self.static_object(node.func) is None:
            base = self.expr(node.func.value)
            if isinstance(base.value, ast.Name) and self._may_change(
                base.value.id, [*node.args, *(k.value for k in node.keywords)]
            ):
                base = self.copied(base)
            return self.into(
                ctx_call("method", base.value, base.d, constant(node.func.attr), *self._arguments(node)),
                target,
            )
        static = self.static_object(node.func)
        if static in CONSUMERS:
            return self._consuming(node, target)
        return self._call(node, static, target)

    def _consuming(self, node: ast.Call, target: str | None) -> Operand:
        """A call that consumes iterators: those that nothing else holds are closed when it ends, as plainly."""
        before = self.count
        operand = self._call(node, self.static_object(node.func), target)
        last = self.count if target is not None or not isinstance(operand.at, ast.Name) else self.count - 1
        temporaries = [n for n in (f"t{i}" for i in range(before + 1, last + 1)) if n not in self.taken]
        if temporaries:
            self.emit(ast.Assign([store(n) for n in temporaries], none()))
        return operand

    def is_temporary(self, target: ast.expr, operand: Operand) -> bool:
        """Whether an assignment target is the temporary that an operand lies in."""
        names_it = target.elts[0] if isinstance(target, ast.Tuple) else target
        return (
            isinstance(names_it, ast.Name)
            and isinstance(operand.at, ast.Name)
            and names_it.id == operand.at.id
            and names_it.id not in self.taken
        )

    def _call(self, node: ast.Call, static: object, target: str | None) -> Operand:
        func = self.expr(node.func)
        if (
            static is None
            and isinstance(func.value, ast.Name)
            and self._may_change(func.value.id, [*node.args, *(k.value for k in node.keywords)])
        ):
            func = self.copied(func)
        if static is None:
            func = Operand(self.callee(func))
        plain = not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        n = len(node.args)
        if plain and 1 <= n <= (2 if static is None else 3):
            if static is not None and n == 1 and is_list_of_items(node.args[0]):
                values, shadows = self._items(node.args[0].elts)
                made = ast.List(values, ast.Load())
                if any(not is_absent(s) for s in shadows):
                    return self._handled("on_list", func, [made, ast.List(shadows, ast.Load())], target)
                operands = [self.value_into(made)]
            else:
                operands = self.exprs(node.args)
            atoms = [o.value for o in operands] + [o.d for o in operands]
            if static is not None:
                return self._handled(f"on{n}", func, atoms, target)
            return self.into(ctx_call(f"call{n}", func.value, *atoms), target)
        return self.into(ctx_call("call", func.value, *self._arguments(node)), target)

    def _handled(self, table: str, func: Operand, atoms: list[ast.expr], target: str | None) -> Operand:
        """A call by one look-up in a table of the context's; the handler is called from the user's own frame."""
        handler = ast.Subscript(ast.Attribute(load(CTX), table, ast.Load()), func.value, ast.Load())
        return self.into(ast.Call(handler, [load(CTX), *atoms], []), target)

    def callee(self, func: Operand) -> ast.expr:
        """What is called: a number or a tuple of a class with ``__call__`` takes its shadow along."""
        if func.shadow is None:
            return func.value
        is_constant = ast.Compare(func.d, [ast.Is()], [none()])
        return ast.IfExp(is_constant, func.value, ctx_call("callee", func.value, func.d))

    def _arguments(self, node: ast.Call) -> list[ast.expr]:
        """``args, args_d[, kwargs, kwargs_d]`` of a general call."""
        values, shadows = self._items(node.args, [k.value for k in node.keywords])
        result: list[ast.expr] = [tuple_of(values), tuple_of(shadows)]
        if node.keywords:
            keys: list[ast.expr | None] = []
            kw_values: list[ast.expr] = []
            kw_shadows: list[ast.expr] = []
            for keyword in node.keywords:
                if keyword.arg is None:
                    operand = self.into(ctx_call("spread_dict", *self._both(self.expr(keyword.value))), None)
                    keys.append(None)
                else:
                    operand = self.copied(self.expr(keyword.value))
                    keys.append(constant(keyword.arg))
                kw_values.append(operand.value)
                kw_shadows.append(operand.d)
            merged = [k for k in keys if k is not None]
            if len(merged) < len(keys):  # ** in the call: duplicates must be an error, as in Python
                parts = [
                    value if key is None else ast.Dict([key], [value])
                    for key, value in zip(keys, kw_values, strict=True)
                ]
                result.append(ctx_call("merge_keywords", *parts))
            else:
                result.append(ast.Dict(keys, kw_values))
            result.append(ast.Dict(keys, kw_shadows))
        return result

    def _frame_call(self, node: ast.Call) -> Operand | None:
        """``locals()``, ``globals()``, ``super()``, ``pdb.set_trace()``: calls that look at the frame they are in."""
        func = node.func
        if isinstance(func, ast.Name) and not self.scope.is_variable(func.id):
            if func.id in ("locals", "vars") and not node.args and self.global_names.builtin(func.id):
                users = sorted(self._visible())
                return self.value_into(
                    ctx_call(
                        "locals",
                        ast.Call(load("locals"), [], []),
                        constant(tuple(users)),
                        constant(self.suffix),
                    )
                )
            if func.id == "globals" and not node.args and self.global_names.builtin("globals"):
                return self.value_into(ast.Call(load("globals"), [], []))  # the twin has the user's
            if func.id == "super" and not node.args and self.global_names.builtin("super"):
                return self._super(node)
            if func.id in ("exec", "eval", "dir") and self.global_names.builtin(func.id):
                if func.id in ("exec", "eval"):
                    return self._evaluation(node, func.id)
                if not node.args:
                    raise Refused(f"{func.id}() without arguments", node)
        if (
            isinstance(func, ast.Attribute)
            and isinstance(func.value, ast.Name)
            and (func.value.id, func.attr) in FRAME_CALLS
            and self._module_name(func.value.id) in (func.value.id, None)
        ):
            if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
                return None
            arguments = [self.copied(o) for o in self.exprs([*node.args, *(k.value for k in node.keywords)])]
            n = len(node.args)
            keywords = [ast.keyword(k.arg, a.value) for k, a in zip(node.keywords, arguments[n:], strict=True)]
            values = [a.value for a in arguments[:n]]
            if func.attr == "_getframe":
                return self.value_into(ctx_call("frame", *values))
            return self.value_into(ast.Call(self._static_chain(func), values, keywords))
        return None

    def _evaluation(self, node: ast.Call, name: str) -> Operand:
        """``eval(...)`` or ``exec(...)``: called from the user's line, unless active values reach it."""
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args) or self.class_shadows is not None:
            raise Refused(f"{name}() with keywords or * here", node)
        operands = [self.copied(o) for o in self.exprs(node.args)]
        values, shadows = [o.value for o in operands], [o.d for o in operands]
        visible = ctx_call(
            "locals", ast.Call(load("locals"), [], []), constant(tuple(sorted(self._visible()))), constant(self.suffix)
        )
        found = ctx_call("evaluated", constant(name), tuple_of(values), tuple_of(shadows), visible)
        plain = ast.Call(load(name), [o.value for o in operands], [])
        return self.into(ast.BoolOp(ast.Or(), [found, tuple_of([plain, none()])]), None)

    def _module_name(self, name: str) -> str | None:
        """The module that a name stands for, which need not be imported yet; None for a captured variable."""
        owner = self.scope.owner(name)
        if owner is not None:
            return None if name in owner.free else owner.imports.get(name, "")
        value = self.global_names.static(name)
        return value.__name__ if isinstance(value, ModuleType) else ""

    def _visible(self) -> set[str]:
        return {n for n in self.scope.local | self.scope.free if n != "__class__"}

    def _super(self, node: ast.Call) -> Operand:
        raise Refused("super() outside a method", node)


def is_list_of_items(node: ast.expr) -> TypeGuard[ast.List]:
    """Whether an expression is a list display without stars."""
    return isinstance(node, ast.List) and not any(isinstance(item, ast.Starred) for item in node.elts)
