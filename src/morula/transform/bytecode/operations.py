"""Operators, displays and reads: what each instruction does to a stack of syntax trees."""

import ast
from typing import Any

from morula.transform.bytecode.graph import Node
from morula.transform.bytecode.values import (
    Append,
    AssertionName,
    Caught,
    Code,
    Function,
    Imported,
    InPlace,
    Null,
    Part,
    Running,
    Shared,
    Unreadable,
    is_lambda,
    literal,
)

BINARY: dict[str, ast.operator] = {
    "+": ast.Add(),
    "-": ast.Sub(),
    "*": ast.Mult(),
    "/": ast.Div(),
    "//": ast.FloorDiv(),
    "%": ast.Mod(),
    "**": ast.Pow(),
    "@": ast.MatMult(),
    "<<": ast.LShift(),
    ">>": ast.RShift(),
    "&": ast.BitAnd(),
    "|": ast.BitOr(),
    "^": ast.BitXor(),
}
COMPARE: dict[str, ast.cmpop] = {
    "<": ast.Lt(),
    "<=": ast.LtE(),
    ">": ast.Gt(),
    ">=": ast.GtE(),
    "==": ast.Eq(),
    "!=": ast.NotEq(),
}
CONVERSIONS = (-1, ord("s"), ord("r"), ord("a"))
LOADS = frozenset("LOAD_FAST LOAD_NAME LOAD_GLOBAL LOAD_DEREF LOAD_CLOSURE LOAD_FROM_DICT_OR_DEREF".split())
STORES = frozenset("STORE_FAST STORE_NAME STORE_GLOBAL STORE_DEREF".split())


class Operations:
    """A stack of trees, and the statements that have been read so far."""

    def __init__(self, items: list[Any], out: list[ast.stmt], functions: Any):
        self.items = items
        self.out = out
        self.functions = functions  # makes trees of functions, for lambdas and comprehensions
        self.line: int | None = None
        self.pushed = 0
        self.group: list[tuple[int, ast.expr, ast.expr]] = []  # of ``a, b = x, y``: order, target, value
        self.missing = 0  # values of it that are not stored yet

    # -- the stack ----------------------------------------------------------------------------------------

    def push(self, value: Any) -> None:
        self.pushed += 1
        if isinstance(value, ast.expr):
            value.order = self.pushed  # type: ignore[attr-defined]
        self.items.append(value)

    def raw(self) -> Any:
        if not self.items:
            raise Unreadable("an empty stack")
        return self.items.pop()

    def pop(self) -> ast.expr:
        return self.tree(self.raw())

    def pops(self, n: int) -> list[ast.expr]:
        return [self.tree(v) for v in self.raws(n)]

    def raws(self, n: int) -> list[Any]:
        if len(self.items) < n:
            raise Unreadable("an empty stack")
        taken = self.items[len(self.items) - n :]
        del self.items[len(self.items) - n :]
        return taken

    def tree(self, value: Any) -> ast.expr:
        """The expression that a value on the stack stands for."""
        if isinstance(value, ast.FormattedValue):
            return self.placed(ast.JoinedStr([value]))
        if isinstance(value, ast.expr):
            return value
        if isinstance(value, Shared):
            made = value.value
            for target in value.targets:
                if not isinstance(target, ast.Name):
                    raise Unreadable("a value that is stored and used")
                made = self.placed(ast.NamedExpr(target, made))
            return made
        if isinstance(value, Function) and value.code.co_name == "<lambda>":
            return self.functions.lambda_of(value, self)
        if isinstance(value, AssertionName):
            return self.placed(ast.Name("AssertionError", ast.Load()))
        raise Unreadable(f"{type(value).__name__.lower()} as a value")

    def placed(self, node: Any) -> Any:
        line = self.line or 1
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = 0
        return node

    def emit(self, node: ast.stmt) -> None:
        self.out.append(self.placed(node))

    def name(self, name: str, ctx: ast.expr_context | None = None) -> ast.Name:
        return self.placed(ast.Name(name, ctx or ast.Load()))

    def store(self, target: ast.expr) -> None:
        raise NotImplementedError  # `Stack` knows how

    def imported(self, value: Imported) -> None:
        raise NotImplementedError  # `Stack` knows how

    # -- instructions -------------------------------------------------------------------------------------

    def do(self, node: Node) -> None:
        self.line = node.line
        op, val = node.op, node.val
        if op in LOADS:
            self.push(self.name(val))
        elif op in STORES:
            self.store(self.name(val, ast.Store()))
        else:
            method = getattr(self, op, None)
            if method is None:
                raise Unreadable(op)
            method(val)

    def LOAD_CONST(self, val: Any) -> None:
        self.push(Code(val) if hasattr(val, "co_code") else self.placed(ast.Constant(val)))

    def PUSH_NULL(self, val: Any) -> None:
        self.push(Null())

    def LOAD_ATTR(self, val: str) -> None:
        self.push(self.placed(ast.Attribute(self.pop(), val, ast.Load())))

    def LOAD_METHOD(self, val: str) -> None:
        self.LOAD_ATTR(val)
        self.push(Null())

    def LOAD_SUPER_ATTR(self, val: tuple[int, str]) -> None:
        flags, name = val
        given = self.pops(3)
        arguments = given[1:] if flags & 2 else []
        called = self.placed(ast.Call(given[0], arguments, []))
        self.push(self.placed(ast.Attribute(called, name, ast.Load())))
        if flags & 1:
            self.push(Null())

    def SWAP(self, val: int) -> None:
        self.items[-1], self.items[-val] = self.items[-val], self.items[-1]

    def COPY(self, val: int) -> None:
        value = self.items[-val]
        if isinstance(value, ast.expr):
            value = self.items[-val] = Shared(value)
        self.push(value)

    def POP_TOP(self, val: Any) -> None:
        value = self.raw()
        if isinstance(value, Null | Running | Caught | Imported | Part):
            if isinstance(value, Imported):
                self.imported(value)
        elif isinstance(value, Shared):
            if value.targets and not any(v is value for v in self.items):
                self.emit(ast.Expr(self.tree(value)))
        else:
            self.emit(ast.Expr(self.tree(value)))

    def UNARY_NEGATIVE(self, val: Any) -> None:
        self.push(self.placed(ast.UnaryOp(ast.USub(), self.pop())))

    def UNARY_POSITIVE(self, val: Any) -> None:
        self.push(self.placed(ast.UnaryOp(ast.UAdd(), self.pop())))

    def UNARY_INVERT(self, val: Any) -> None:
        self.push(self.placed(ast.UnaryOp(ast.Invert(), self.pop())))

    def UNARY_NOT(self, val: Any) -> None:
        self.push(self.placed(ast.UnaryOp(ast.Not(), self.pop())))

    def BINARY_OP(self, val: str) -> None:
        left, right = self.pops(2)
        if val.endswith("="):
            self.push(InPlace(left, BINARY[val[:-1]], right, self.line))
        else:
            self.push(self.placed(ast.BinOp(left, BINARY[val], right)))

    def compared(self, op: ast.cmpop) -> None:
        left, right = self.raws(2)
        made = self.placed(ast.Compare(self.tree(left), [op], [self.tree(right)]))
        made.shared_left, made.shared_right = left, right  # a chain shares its middle
        self.push(made)

    def COMPARE_OP(self, val: str) -> None:
        self.compared(COMPARE[val])

    def IS_OP(self, val: int) -> None:
        self.compared(ast.IsNot() if val else ast.Is())

    def CONTAINS_OP(self, val: int) -> None:
        self.compared(ast.NotIn() if val else ast.In())

    def BINARY_SUBSCR(self, val: Any) -> None:
        left, key = self.pops(2)
        self.push(self.placed(ast.Subscript(left, key, ast.Load())))

    def BINARY_SLICE(self, val: Any) -> None:
        left, low, high = self.pops(3)
        self.push(self.placed(ast.Subscript(left, self._slice([low, high]), ast.Load())))

    def BUILD_SLICE(self, val: int) -> None:
        self.push(self._slice(self.pops(val)))

    def _slice(self, parts: list[ast.expr]) -> ast.Slice:
        given: list[ast.expr | None] = [
            None if isinstance(p, ast.Constant) and p.value is None else p
            for p in [*parts, self.placed(ast.Constant(None))]
        ]
        if len(parts) == 3 and given[2] is None:
            given[2] = parts[2]  # ``x[a:b:None]`` is written so
        return self.placed(ast.Slice(*given[:3]))

    # -- displays -----------------------------------------------------------------------------------------

    def BUILD_TUPLE(self, val: int) -> None:
        items = self.raws(val)
        if any(isinstance(i, Code | Function) and not is_lambda(i) for i in items):
            raise Unreadable("a tuple of functions")
        self.push(self.placed(ast.Tuple([self.tree(i) for i in items], ast.Load())))

    def BUILD_LIST(self, val: int) -> None:
        self.push(self.placed(ast.List(self.pops(val), ast.Load())))

    def BUILD_SET(self, val: int) -> None:
        self.push(self.placed(ast.Set(self.pops(val))))

    def BUILD_MAP(self, val: int) -> None:
        items = self.pops(2 * val)
        self.push(self.placed(ast.Dict([*items[::2]], items[1::2])))

    def BUILD_CONST_KEY_MAP(self, val: int) -> None:
        *values, keys = self.pops(val + 1)
        self.push(self.placed(ast.Dict([self.placed(ast.Constant(k)) for k in literal(keys)], values)))

    def BUILD_STRING(self, val: int) -> None:
        self.push(self.placed(ast.JoinedStr(self.raws(val))))

    def FORMAT_VALUE(self, val: tuple) -> None:
        flags, (_, has_spec) = val
        spec = self.raw() if has_spec else None
        self._formatted(CONVERSIONS[flags], spec)

    def CONVERT_VALUE(self, val: int) -> None:
        value = self.pop()
        value.conversion = CONVERSIONS[val]  # type: ignore[attr-defined]
        self.push(value)

    def FORMAT_SIMPLE(self, val: Any) -> None:
        self._formatted(getattr(self.items[-1], "conversion", -1), None)

    def FORMAT_WITH_SPEC(self, val: Any) -> None:
        spec = self.raw()
        self._formatted(getattr(self.items[-1], "conversion", -1), spec)

    def _formatted(self, conversion: int, spec: Any) -> None:
        if spec is not None and not isinstance(spec, ast.JoinedStr):
            spec = self.placed(ast.JoinedStr([spec]))
        self.push(self.placed(ast.FormattedValue(self.pop(), conversion, spec)))

    def LIST_EXTEND(self, val: int) -> None:
        value = self.pop()
        display = self.items[-val]
        if not isinstance(display, ast.List | ast.Set):
            raise Unreadable("items added to a list")
        display.elts.append(self.placed(ast.Starred(value, ast.Load())))

    SET_UPDATE = LIST_EXTEND

    def DICT_UPDATE(self, val: int) -> None:
        value = self.pop()
        display = self.items[-val]
        if not isinstance(display, ast.Dict):
            raise Unreadable("items added to a dict")
        display.keys.append(None)
        display.values.append(value)

    DICT_MERGE = DICT_UPDATE

    def LIST_APPEND(self, val: int) -> None:
        item = self.pop()
        display = self.items[-val]
        inside = any(isinstance(v, Running) for v in self.items[-val:])
        if isinstance(display, ast.List | ast.Set) and not inside:  # ``[*a, b]``
            display.elts.append(item)
        else:
            self.emit(Append(kind="item", key=None, item=item))

    SET_ADD = LIST_APPEND

    def MAP_ADD(self, val: int) -> None:
        key, item = self.pops(2)
        if not any(isinstance(v, Running) for v in self.items[-val:]):
            raise Unreadable("items added to a dict")
        self.emit(Append(kind="pair", key=key, item=item))

    def LIST_TO_TUPLE(self, val: Any) -> None:
        value = self.pop()
        if not isinstance(value, ast.List):
            raise Unreadable("a tuple out of a list")
        self.push(self.placed(ast.Tuple(value.elts, ast.Load())))

    def CALL_INTRINSIC_1(self, val: str) -> None:
        if val == "INTRINSIC_LIST_TO_TUPLE":
            self.LIST_TO_TUPLE(None)
        elif val == "INTRINSIC_UNARY_POSITIVE":
            self.UNARY_POSITIVE(None)
        else:
            raise Unreadable(val)
