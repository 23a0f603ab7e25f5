"""Loops over generators: the body of the loop stands where the generator yields.

What the loop does and what the generator does take turns just so when the program runs. The scope of the loop is that
of its own function all the while; the names that the body assigns hold nothing that is known beyond a turn.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType, MemberDescriptorType
from typing import Any

from morula.static.python.attempts import Attempts
from morula.static.python.bindings import assigned, breaks, of_node, returns, yields
from morula.static.python.calls import DEEPEST
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Branch, Set, Unsupported
from morula.static.python.known import POISON
from morula.static.python.parameters import called
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import Scope, Static
from morula.static.python.statements import FALLS, MAYBE
from morula.static.python.streams import is_group_gone_through_once, looks_ahead, stream_for
from morula.static.python.things import ABSENT, Bound, Generated, Thing
from morula.transform.syntax import walk

__all__ = ["Generators"]

GENERATOR = 0x20  # of `co_flags`
QUIET = frozenset({"abs", "enumerate", "float", "len", "max", "min", "range", "zip"})


@dataclass()
class Consumer:
    """A loop over a generator.

    Attributes:
        scope: of the function that the loop stands in.
        leave: the flag that says that the loop was left.
        leaves: whether it may be left before the generator ends.
    """

    scope: Scope
    loop: ast.For
    leave: str
    leaves: bool


@of_node
def attributes_yielded(function: Any) -> frozenset[str] | None:
    """The attributes of its parameters that a generator reads; None if it does more than to yield what it computes."""
    found: set[str] = set()
    parameters = {n.arg for n in walk(function) if isinstance(n, ast.arg)}
    for n in walk(function):
        if isinstance(n, ast.Call):
            if not isinstance(n.func, ast.Name) or n.func.id not in QUIET or n.keywords:
                return None
        elif isinstance(n, ast.Attribute):
            if not isinstance(n.ctx, ast.Load) or not isinstance(n.value, ast.Name) or n.value.id not in parameters:
                return None
            found.add(n.attr)
        elif isinstance(n, ast.stmt):
            if n is not function and not isinstance(n, ast.Expr | ast.For | ast.If | ast.Assign):
                return None
        elif (isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)) or isinstance(n, ast.NamedExpr):
            return None
    return frozenset(found)


class Generators(Attempts):
    """The part of a `front.Builder` that reads loops over generators.

    Attributes:
        consumers: the loops whose generators are being built, from the outermost on.
    """

    consumers: list[Consumer]
    definition: Callable[..., Any]
    may_change: Callable[..., bool]
    _changes_nothing: Callable[[ast.expr], bool]

    def generator_of(self, node: ast.expr) -> Static | Bound | Generated | None:
        """The generator function that a call is one of, or the generator that a variable holds."""
        if isinstance(node, Given):
            return node.value if isinstance(node.value, Generated) else None
        if isinstance(node, ast.Name | ast.Attribute):
            held = self._at_hand(node)
            return self.generator_in(held)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            return None
        if (stream := stream_for(self._resolved(node.func), node)) is not None:
            return Static(stream, self.given(self.program.space, stream))
        if isinstance(node.func, ast.Attribute):
            owner = self._at_hand(node.func.value)
            if not isinstance(owner, Thing) or owner.kind in (list, dict) or self.has(owner, node.func.attr):
                return None
            if type(self.find(owner.kind, node.func.attr)[0]) is not FunctionType:
                return None
        elif self.thing_named_or_none(node.func.id) is None and not self.is_outside(node.func.id):
            return None
        found = self.value(node.func)
        f = found.function.value if isinstance(found, Bound) else found.value if isinstance(found, Static) else None
        return found if type(f) is FunctionType and f.__code__.co_flags & GENERATOR else None

    def all_of(self, node: ast.expr) -> Any:
        """What an expression comes to, of which all is taken at once: of a generator, the list of what it yields."""
        if isinstance(node, ast.GeneratorExp) and not self.lists_are_things and self._meets(node.generators[0].iter):
            return self.listed_items(node)
        value = self.value(node)
        return value if self.generator_in(value) is None else self.iterated(value)

    def _meets(self, node: ast.expr) -> bool:
        """Whether a comprehension goes through a generator, maybe beside something else."""
        if isinstance(node, ast.Call) and (self.is_call_of_named(node, zip) or self.is_call_of_named(node, enumerate)):
            return any(map(self._meets, node.args))
        return self.generator_of(node) is not None

    def check_beside(self, nodes: list[ast.expr]) -> None:
        """See to it that of several things that a loop goes through at once none changes another meanwhile."""
        changing = [n for n in nodes if self._may_change_beside(n)]
        others = [n for n in nodes if n not in changing and not self._is_still(n)]
        if changing and (others or any(isinstance(n, ast.GeneratorExp) for n in changing)):
            raise Unsupported("an iterator that may change what is gone through beside it", self.line)

    def _may_change_beside(self, node: ast.expr) -> bool:
        """Whether something is read bit by bit, and calls what may have an effect."""
        is_generator = self.generator_of(node) is not None
        if not (isinstance(node, ast.GeneratorExp) or is_generator or self.stream_of(node) is not None):
            return False
        inside = node.args if isinstance(node, ast.Call) else [node]
        called = [n.func for part in inside for n in walk(part) if isinstance(n, ast.Call)]
        called += [n for n in inside[:1] if isinstance(n, ast.Name | ast.Attribute) and not is_generator]
        return not all(map(self._changes_nothing, called))

    def _is_still(self, node: ast.expr) -> bool:
        """Whether what is gone through stays what it is."""
        if isinstance(node, ast.Call):
            return self.is_call_of_named(node, range)
        parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        return all(isinstance(part, ast.Constant) for part in parts)

    def side_by_side(self, node: ast.expr, value: Any, s: ast.For) -> Any:
        """The same of one of several things that a loop goes through at once, where that makes no difference."""
        if (generator := self.generator_in(value)) is None:
            return value
        by = generator.callee
        args = [by.owner, *generator.args] if isinstance(by, Bound) else generator.args
        f: FunctionType = (by.function if isinstance(by, Bound) else by).value
        is_apart = not f.__code__.co_freevars and QUIET.isdisjoint(f.__globals__)
        read = attributes_yielded(self.definition(f, GENERATOR)) if is_apart else None
        found = [self.find(v.kind, name)[0] for v in args if isinstance(v, Thing) for name in read or ()]
        are_plain = all(raw is ABSENT or type(raw) is MemberDescriptorType for raw in found)
        own = self.definition(self.scopes[-1].function)
        is_changed = any(isinstance(n, ast.Global | ast.Nonlocal) for n in walk(own)) or self.may_change(s, node, False)
        if read is None or not are_plain or is_changed:
            return value
        return self.iterated(generator)

    def generator_in(self, value: Any) -> Generated | None:
        """The generator that a value is, or that its ``__iter__`` gives."""
        return value if isinstance(value, Generated) else self.generator_of_class(value)

    def generator_of_class(self, value: Any) -> Generated | None:
        """What ``__iter__`` of an object gives, where that is a generator."""
        if not isinstance(value, Thing) or value.kind in (list, dict):
            return None
        method = self.own_method(value, "__iter__")
        if method is None or not method.value.__code__.co_flags & GENERATOR:
            return None
        return Generated(method, [value], {}, self.around)

    def thing_named_or_none(self, name: str) -> Any:
        found = self.scopes[-1].things.get(name, self.scopes[-1].bound.get(name))
        return found if isinstance(found, Static) and found.value is not ABSENT else None

    def over_generator(self, s: ast.For, callee: Static | Bound | Generated) -> str:
        """``for target in f(*args): body``."""
        if isinstance(callee, Generated):
            if callee.is_spent or callee.around != self.around:
                raise Unsupported("a generator that is iterated over more than once", self.line)
            callee.is_spent = True
            args, named = callee.args, callee.named
            callee = callee.callee
        else:
            assert isinstance(s.iter, ast.Call)
            args, named = self.arguments(s.iter)
        if isinstance(callee, Bound):
            args = [callee.owner, *args]
        function = callee.function if isinstance(callee, Bound) else callee
        f: FunctionType = function.value
        if (
            looks_ahead(f)
            and not looks_ahead(self.scopes[-1].function)
            and (self.may_change(s, s.iter, False) or not is_group_gone_through_once(f, s))
        ):
            raise Unsupported("an iterator of what the loop may change, or goes through more than once", self.line)
        if not self.is_plain(f) or self.sub is not None or self._is_endless(f):
            raise Unsupported(f"a loop over {called(f)}", self.line)
        node = self.definition(f, GENERATOR)
        leaves = breaks(s.body) or self.ends(s.body)
        if leaves and any(isinstance(n, ast.Try | ast.With) for n in walk(node)):
            raise Unsupported("a generator that cleans up", self.line)
        given = self.bound_arguments(function, node, args, named)
        given = {name: self.held(value) for name, value in given.items()}  # the loop may assign the variables anew
        self.count += 1
        scope = Scope(f, self.count, function.where)
        if f in self.closures:
            scope.outer = self.closures[f].scope
        leave = self.fresh("leave")
        self.emit(Set(leave, "False"))
        self.consumers.append(Consumer(self.scopes[-1], s, leave, leaves))
        self._forget(self.consumers[-1])
        outside = self.before_turns(self.scopes[-1], assigned(s))
        self._inlined(scope, node, given)
        self.after_turns(self.scopes[-1], assigned(s), outside)
        self._forget(self.consumers.pop())
        self.hole = None
        return MAYBE if self.ends(s.body) else FALLS

    def ends(self, body: Sequence[ast.stmt]) -> bool:
        """Whether statements may end their function: they return, or yield to a loop that may be left."""
        return returns(body) or (bool(self.consumers) and self.consumers[-1].leaves and yields(body))

    def _is_endless(self, f: FunctionType) -> bool:
        """Whether a generator goes through itself, other than for what is in a tuple or a thing that it was given."""
        around: list[Scope] = []
        for scope in self.scopes:  # the body of a loop over a generator is none of that generator's
            at = next((i for i, s in enumerate(around) if s is scope), len(around))
            around[at:] = [scope]
        within = [scope for scope in around[1:] if scope.function is f]
        if not within:
            return False
        given = [*within[-1].bound.values(), *within[-1].things.values()]
        return len(self.scopes) > DEEPEST or not any(isinstance(v, tuple | Thing) for v in given)

    def _forget(self, consumer: Consumer) -> None:
        """Drop what is known of the variables that a turn may have assigned, or not."""
        scope = consumer.scope
        self.scopes.append(scope)
        names = assigned(consumer.loop)
        self.forget_assigned(names, ())
        code = scope.function.__code__
        scope.things |= {n: POISON for n in names if (code, n) in self.floating}
        self.mark_replaced(scope, names)
        self.scopes.pop()
        self.alone = set()

    def _Expr(self, s: ast.Expr) -> str:
        if isinstance(s.value, ast.Yield):
            return self._yielded(s.value)
        if not isinstance(s.value, ast.YieldFrom):
            return super()._Expr(s)
        name = self._unused("each")
        self.scopes[-1].own.add(name)
        one = ast.Expr(ast.Yield(ast.Name(name, ast.Load())))
        loop = ast.For(ast.Name(name, ast.Store()), s.value.value, [one], [])
        for node in (loop, one):
            ast.copy_location(node, s)
        return self.block([loop])

    def _yielded(self, node: ast.Yield) -> str:
        generator = self.scopes[-1]
        if not self.consumers or generator is self.consumers[-1].scope:
            raise Unsupported("a generator that no loop iterates over", self.line)
        value = Static(None) if node.value is None else self.held(self.value(node.value))
        consumer = self.consumers.pop()
        scope, body, line, out = consumer.scope, consumer.loop.body, self.line, self.out
        self._forget(consumer)
        self.scopes.append(scope)
        scope.sure.append(set())
        scope.loops.append((self.fresh("skip"), consumer.leave))
        self.emit(Set(scope.loops[-1][0], "False"))
        self.assign(consumer.loop.target, value)
        with self.within(None if consumer.leaves else ("1",)):
            self.block(body)
        scope.loops.pop()
        scope.sure.pop()
        self.scopes.pop()
        self._forget(consumer)
        self.consumers.append(consumer)
        self.line, self.out, self.hole = line, out, None
        if not consumer.leaves:
            return FALLS
        branch = Branch(consumer.leave)
        branch.body += [Set(generator.returned, "True")]
        branch.body += [Set(flag, "True") for flags in generator.loops for flag in flags]
        self.emit(branch)
        return MAYBE
