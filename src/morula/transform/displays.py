"""Displays and lambdas in shadow-passing form: tuples, lists, sets, dicts, and the defaults of functions."""

import ast
from collections.abc import Sequence

from morula.transform.build import constant, ctx_call, fresh, is_absent, tuple_of
from morula.transform.expressions import Expressions, Operand


class Displays(Expressions):
    """Emits what is put together of several expressions."""

    # -- displays -----------------------------------------------------------------------------------------

    def _Tuple(self, node: ast.Tuple, target: str | None) -> Operand:
        values, shadows = self._items(node.elts)
        if any(isinstance(v, ast.Starred) for v in values):
            packed = ctx_call("packed", tuple_of(shadows))
            return self.into(tuple_of([tuple_of(values), packed]), target)
        shadow = self.pack([None if is_absent(s) else s for s in shadows])
        if shadow is None:
            return self.value_into(tuple_of(values))
        return self.into(tuple_of([tuple_of(values), shadow]), target)

    def _items(self, nodes: list[ast.expr], later: Sequence[ast.expr] = ()) -> tuple[list[ast.expr], list[ast.expr]]:
        """Values and shadows of the items of a display or a call; ``*xs`` is spread in both.

        `later`: what is evaluated after them, before they are used.
        """
        values: list[ast.expr] = []
        shadows: list[ast.expr] = []
        plain = [n.value if isinstance(n, ast.Starred) else n for n in nodes]
        for i, (node, inner) in enumerate(zip(nodes, plain, strict=True)):
            operand = self.expr(inner)
            if isinstance(node, ast.Starred):
                spread = self.into(ctx_call("spread", operand.value, operand.d), None)
                values.append(ast.Starred(spread.value, ast.Load()))
                shadows.append(ast.Starred(spread.d, ast.Load()))
                continue
            if isinstance(operand.value, ast.Name) and self._may_change(operand.value.id, [*plain[i + 1 :], *later]):
                operand = self.copied(operand)
            values.append(operand.value)
            shadows.append(operand.d)
        return values, shadows

    def _List(self, node: ast.List, target: str | None) -> Operand:
        values, shadows = self._items(node.elts)
        result = self.value_into(ast.List(values, ast.Load()))
        if any(not is_absent(s) for s in shadows):
            self.emit(ast.Expr(ctx_call("new_list", result.value, ast.List(shadows, ast.Load()))))
        return result

    def _Set(self, node: ast.Set, target: str | None) -> Operand:
        first = node.elts[0]
        if len(node.elts) == 1 and isinstance(first, ast.Starred) and isinstance(first.value, ast.Constant):
            return self.value_into(node)  # has the order of what it is made of
        values, shadows = self._items(node.elts)
        result = self.value_into(ast.Set(values))
        if any(not is_absent(s) for s in shadows):
            items = [ast.List([fresh(i) for i in part], ast.Load()) for part in (values, shadows)]
            self.emit(ast.Expr(ctx_call("new_set", result.value, *items)))
        return result

    def _Dict(self, node: ast.Dict, target: str | None) -> Operand:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        shadows: list[ast.expr] = []
        sources: list[ast.expr] = []
        active: list[Operand] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                spread = self.into(ctx_call("spread_dict", *self._both(self.expr(value))), None)
                keys.append(None)
                sources.append(fresh(spread.value))
                values.append(spread.value)
                shadows.append(spread.d)
            else:
                k = self.copied(self.expr(key))
                if k.shadow is not None:
                    active.append(k)
                v = self.copied(self.expr(value))
                keys.append(k.value)
                values.append(v.value)
                shadows.append(v.d)
        result = self.value_into(ast.Dict(keys, values))
        if any(not is_absent(s) for s in shadows):
            self.emit(ast.Expr(ctx_call("new_dict", result.value, ast.Dict(keys, shadows))))
        if sources:
            self.emit(ast.Expr(ctx_call("copy_keys", result.value, *sources)))
        if active:
            noted = [ast.List(part, ast.Load()) for part in ([k.value for k in active], [k.d for k in active])]
            self.emit(ast.Expr(ctx_call("new_keys", result.value, *noted)))
        return result

    def _both(self, operand: Operand) -> tuple[ast.expr, ast.expr]:
        return operand.value, operand.d

    # -- functions inside expressions ---------------------------------------------------------------------

    def _Lambda(self, node: ast.Lambda, target: str | None) -> Operand:
        args, shadows = self.defaults(node.args)
        result = self.value_into(ast.Lambda(args, node.body))
        self.default_shadows(result.value, shadows)
        return result

    def defaults(self, args: ast.arguments) -> tuple[ast.arguments, list[tuple[str, ast.expr]]]:
        """`args` with every default evaluated into a temporary, and the shadows of the defaults by name."""
        shadows: list[tuple[str, ast.expr]] = []
        positional = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr] = []
        for arg, default in zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True):
            operand = self.copied(self.expr(default))
            defaults.append(operand.value)
            if operand.shadow is not None:
                shadows.append((arg.arg, operand.shadow))
        kw_defaults: list[ast.expr | None] = []
        for arg, kw_default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if kw_default is None:
                kw_defaults.append(None)
                continue
            operand = self.copied(self.expr(kw_default))
            kw_defaults.append(operand.value)
            if operand.shadow is not None:
                shadows.append((arg.arg, operand.shadow))
        made = ast.arguments(
            args.posonlyargs, args.args, args.vararg, args.kwonlyargs, kw_defaults, args.kwarg, defaults
        )
        return made, shadows

    def default_shadows(self, function: ast.expr, shadows: list[tuple[str, ast.expr]]) -> None:
        if shadows:
            keys: list[ast.expr | None] = [constant(n) for n, _ in shadows]
            self.emit(ast.Expr(ctx_call("defaults", function, ast.Dict(keys, [s for _, s in shadows]))))
