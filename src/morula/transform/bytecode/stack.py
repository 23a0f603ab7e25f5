"""Stores, deletions and imports: the instructions that make statements. `Stack` has them all."""

import ast
from typing import Any

from morula.transform.bytecode.calls import Calls
from morula.transform.bytecode.values import (
    AssertionName,
    Class,
    Cleared,
    Function,
    Imported,
    ImportedName,
    InPlace,
    Iter,
    Part,
    Shared,
    Unreadable,
    is_lambda,
    literal,
)


class Stack(Calls):
    """Reads instructions without jumps."""

    def store(self, target: ast.expr) -> None:
        value = self.raw()
        if isinstance(value, Part):
            value.targets[value.index] = self.placed(ast.Starred(target, ast.Store())) if value.starred else target
        elif isinstance(value, Cleared):
            if not isinstance(target, ast.Name) or target.id != value.name:
                raise Unreadable("a variable of a comprehension")
        elif isinstance(value, InPlace):
            self._store_in_place(target, value)
        elif isinstance(value, Function) and not is_lambda(value):
            self.out.append(self.functions.definition_of(value, target, self))
        elif isinstance(value, Class):
            self.out.append(self.functions.class_of(value, self))
        elif isinstance(value, Imported):
            assert isinstance(target, ast.Name)
            top = value.module.split(".")[0]
            alias = ast.alias(value.module, None if target.id == top else target.id)
            self.emit(ast.Import([self.placed(alias)]))
        elif isinstance(value, ImportedName):
            assert isinstance(target, ast.Name)
            alias = ast.alias(value.name, None if target.id == value.name else target.id)
            value.source.aliases.append(self.placed(alias))
        elif isinstance(value, Shared):
            if any(v is value for v in self.items):
                more = Shared(value.value, (*value.targets, target))
                self.items[:] = [more if v is value else v for v in self.items]
            else:
                self.emit(ast.Assign([*value.targets, target], value.value))
        elif isinstance(value, ast.expr) and (self.missing or (self.items and isinstance(self.items[-1], ast.expr))):
            self._store_of_several(target, value)
        else:
            self.emit(ast.Assign([target], self.tree(value)))

    def _store_of_several(self, target: ast.expr, value: ast.expr) -> None:
        """``a, b = x, y`` makes no tuple: all values are computed, and then stored."""
        if not self.missing:
            self.missing = 1 + next(
                (i for i, v in enumerate(reversed(self.items)) if not isinstance(v, ast.expr)), len(self.items)
            )
        self.group.append((value.order, target, self.tree(value)))  # type: ignore[attr-defined]
        self.missing -= 1
        if not self.missing:
            group, self.group = sorted(self.group, key=lambda item: item[0]), []
            targets = self.placed(ast.Tuple([t for _, t, _ in group], ast.Store()))
            self.emit(ast.Assign([targets], self.placed(ast.Tuple([v for *_, v in group], ast.Load()))))

    def _store_in_place(self, target: ast.expr, value: InPlace) -> None:
        sides = [ast.dump(side).replace("Load()", "Store()") for side in (value.left, target)]
        if sides[0] != sides[1]:
            raise Unreadable("the result of an augmented assignment elsewhere")
        assert isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
        self.emit(ast.AugAssign(target, value.op, value.right))

    def STORE_ATTR(self, val: str) -> None:
        self.store(self.placed(ast.Attribute(self.pop(), val, ast.Store())))

    def STORE_SUBSCR(self, val: Any) -> None:
        base, key = self.pops(2)
        self.store(self.placed(ast.Subscript(base, key, ast.Store())))

    def STORE_SLICE(self, val: Any) -> None:
        base, low, high = self.pops(3)
        self.store(self.placed(ast.Subscript(base, self._slice([low, high]), ast.Store())))

    def UNPACK_SEQUENCE(self, val: int) -> None:
        self._unpack(val, None)

    def UNPACK_EX(self, val: int) -> None:
        self._unpack((val & 255) + 1 + (val >> 8), val & 255)

    def _unpack(self, n: int, star: int | None) -> None:
        targets: list[Any] = [None] * n
        self.store(self.placed(ast.Tuple(targets, ast.Store())))
        self.items.extend(Part(targets, i, i == star) for i in reversed(range(n)))

    def DELETE_FAST(self, val: str) -> None:
        self.emit(ast.Delete([self.name(val, ast.Del())]))

    DELETE_GLOBAL = DELETE_NAME = DELETE_DEREF = DELETE_FAST

    def DELETE_ATTR(self, val: str) -> None:
        self.emit(ast.Delete([self.placed(ast.Attribute(self.pop(), val, ast.Del()))]))

    def DELETE_SUBSCR(self, val: Any) -> None:
        base, key = self.pops(2)
        self.emit(ast.Delete([self.placed(ast.Subscript(base, key, ast.Del()))]))

    # -- the rest -----------------------------------------------------------------------------------------

    def GET_ITER(self, val: Any) -> None:
        self.push(Iter(self.pop()))

    def LOAD_FAST_AND_CLEAR(self, val: str) -> None:
        self.push(Cleared(val))

    def LOAD_ASSERTION_ERROR(self, val: Any) -> None:
        self.push(AssertionName())

    def YIELD_VALUE(self, val: Any) -> None:
        self.push(self.placed(ast.Yield(self.pop())))

    def IMPORT_NAME(self, val: str) -> None:
        level, names = self.pops(2)
        self.push(Imported(val, literal(level), literal(names)))

    def IMPORT_FROM(self, val: str) -> None:
        source = self.items[-1]
        if not isinstance(source, Imported) or source.names is None:
            raise Unreadable("import a.b as c")
        self.push(ImportedName(source, val))

    def imported(self, value: Imported) -> None:
        self.emit(ast.ImportFrom(value.module or None, value.aliases, value.level))

    def SETUP_ANNOTATIONS(self, val: Any) -> None:
        """Nothing: the annotations that follow bring it about."""
