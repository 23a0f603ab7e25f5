"""One name for each assignment of a variable, in one pass over a function of Numba's.

Numba's own pass walks over the whole function once for each variable that is assigned twice, which takes most of the
time for long texts with many such variables; generated adjoints are of this kind. The result is the same: a phi stands
where a variable is read after a join of several assignments (Cytron et al., Efficiently Computing Static Single
Assignment Form and the Control Dependence Graph, 1991), and only there.
"""

from collections import defaultdict
from copy import copy
from typing import Any

from numba.core import ir, ir_utils
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import FunctionPass, register_pass

Blocks = dict[int, Any]


@register_pass(mutates_CFG=False, analysis_only=False)
class SingleAssignment(FunctionPass):
    """Numba's pass of this purpose, whose time grows with the length of the function."""

    _name = "morula_single_assignment"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        renamed = _Renaming(state.func_ir.blocks)
        if renamed.names:
            renamed.run()
        state.func_ir._definitions = ir_utils.build_definitions(state.func_ir.blocks)
        return True


class _Renaming:
    """Of the variables of a function that need more than one name, in place."""

    def __init__(self, blocks: Blocks):
        self.blocks = blocks
        self.cfg = compute_cfg_from_blocks(blocks)
        self.scope = next(iter(blocks.values())).scope
        self.assigned: dict[str, list[int]] = defaultdict(list)  # labels of blocks, once for each assignment
        self.names = self._several()
        self.last: dict[tuple[str, int], Any] = {}  # the name at the end of a block that assigns to the variable
        self.phis: dict[tuple[str, int], Any] = {}  # at the beginning of a block, where one has been asked for
        self.joins = {name: self._joins(name) for name in self.names}

    def _several(self) -> set[str]:
        """Variables that are assigned twice, or read where their assignment may not have happened."""
        read: dict[str, set[int]] = defaultdict(set)
        for label, block in self.blocks.items():
            for statement in block.body:
                target = statement.target.name if isinstance(statement, ir.Assign) else None
                if target is not None:
                    self.assigned[target].append(label)
                for x in statement.list_vars():
                    if x.name != target:
                        read[x.name].add(label)
        dominators = self.cfg.dominators()
        several = {name for name, labels in self.assigned.items() if len(labels) > 1}
        for name, labels in read.items():
            if name not in several and not all(dominators[at].intersection(self.assigned[name]) for at in labels):
                several.add(name)
        return several

    def _joins(self, name: str) -> set[int]:
        """The blocks at whose beginning several assignments may have happened: the iterated dominance frontier."""
        frontier = self.cfg.dominance_frontier()
        joins: set[int] = set()
        todo = list(self.assigned[name])
        while todo:
            found = frontier[todo.pop()] - joins
            joins |= found
            todo.extend(found)
        return joins

    def run(self) -> None:
        met: set[str] = set()
        targets: dict[int, Any] = {}  # by the identity of an assignment
        for label, block in self.blocks.items():
            for statement in block.body:
                if not isinstance(statement, ir.Assign) or (name := statement.target.name) not in self.names:
                    continue
                new = self.scope.redefine(name, loc=statement.loc) if name in met else statement.target
                met.add(name)
                targets[id(statement)] = self.last[name, label] = new
        bodies = {label: self._renamed(label, block, targets) for label, block in self.blocks.items()}
        for (_, label), phi in self.phis.items():
            bodies[label].insert(0, phi)
        for label, body in bodies.items():
            self.blocks[label].body = body

    def _renamed(self, label: int, block: Any, targets: dict[int, Any]) -> list[Any]:
        here: dict[str, Any] = {}  # what has been assigned in this block
        body = []
        for statement in block.body:
            if not isinstance(statement, ir.Assign):
                now = self._now(statement.list_vars(), here, label, block.loc)
                if now:
                    statement = copy(statement)
                    ir_utils.replace_vars_stmt(statement, now)
                body.append(statement)
                continue
            value = statement.value
            if isinstance(value, ir.Var):
                value = self._now([value], here, label, block.loc).get(value.name, value)
            elif isinstance(value, ir.Inst) and (now := self._now(value.list_vars(), here, label, block.loc)):
                value = copy(value)
                ir_utils.replace_vars_inner(value, now)
            name, target = statement.target.name, targets.get(id(statement), statement.target)
            if target is not statement.target or value is not statement.value:
                statement = ir.Assign(target=target, value=value, loc=statement.loc)
            if name in self.names:
                here[name] = target
            body.append(statement)
        return body

    def _now(self, read: list[Any], here: dict[str, Any], label: int, loc: Any) -> dict[str, Any]:
        """The names of the variables in `read` that are called otherwise here."""
        now = {}
        for x in read:
            if x.name in self.names:
                found = here.get(x.name) or self._at_beginning(x.name, label, loc)
                if found is not ir.UNDEFINED and found.name != x.name:
                    now[x.name] = found
        return now

    def _at_beginning(self, name: str, label: int, loc: Any) -> Any:
        """What the variable is called at the beginning of a block."""
        above = self.cfg.immediate_dominators()
        while label not in self.joins[name]:
            if above[label] == label:
                return ir.UNDEFINED
            label = above[label]
            if (name, label) in self.last:
                return self.last[name, label]
        if (name, label) in self.phis:
            return self.phis[name, label].target
        phi = ir.Assign(target=self.scope.redefine(name, loc=loc), value=ir.Expr.phi(loc=loc), loc=loc)
        self.phis[name, label] = phi
        for before, _ in self.cfg.predecessors(label):
            known = self.last.get((name, before))
            phi.value.incoming_values.append(known or self._at_beginning(name, before, loc))
            phi.value.incoming_blocks.append(before)
        return phi.target
