"""The engine `sat`: the programs and the loop of engine `asp`, solved by a SAT solver.

clingo's own solver is told all that is grounded, too: it sees which atoms have become facts, so
that later steps are grounded as ever, and it minimizes where an objective counts. The search for a
plan is the SAT solver's. Where atoms support each other in a cycle in a model, or edges form one,
it gets a clause against that.
"""

from __future__ import annotations

import gc
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from clingo import Control, Symbol, TruthValue

from asplan.core.errors import InputError
from asplan.core.graphs import components_of
from asplan.engines.asp.answer import Answer, ShownAtoms, Wanted
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.modes import fixed
from asplan.engines.asp.opening import OPTIMIZATION, check_exact, names_strategy, takes_turns
from asplan.engines.asp.session import Effort, Pin, Session
from asplan.engines.run import Run
from asplan.engines.sat.completion import Completion, Grounded, Numbers, Step, ragged
from asplan.engines.sat.solver import FIRST_TURN, PROVER, TRUE, Clause, Refutation, Sat, write_proof
from asplan.engines.sat.sums import Weighted
from asplan.program.incremental import Program
from asplan.program.unit import first_disjunction
from asplan.result import Result


def solve(run: Run[Any]) -> Result:
    """Solve in the mode that the options name; write the last refutation, if that is wanted."""
    options, sessions = run.options, list[SatSession]()

    def opener(
        run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
    ) -> SatSession:
        words = run.options.clingo
        if program.optimizes and not (names_strategy(words) or takes_turns(run, program)):
            words = (OPTIMIZATION, *words)
        session = SatSession(
            program,
            {**run.problem.given, **constants},
            options.solver or PROVER,
            options=words,
            deadline=run.deadline,
            effort=effort,
            keep=bool(options.proof),
        )
        if constants:
            sessions.clear()  # what is refuted with others is another program
        if options.proof:
            sessions.append(session)
        return session

    try:
        check_exact(run)
        result = (fixed if options.mode == "fixed" else incremental)(run, opener)
        return _certified(run, result, sessions) if options.proof else result
    except MemoryError:
        return run.out_of_memory(run.doing)


def _certified(run: Run[Any], result: Result, sessions: Sequence[SatSession]) -> Result:
    """The same result, after the last refutation was written, if there is one."""
    # The mode fixed makes one call; what is refuted after a plan was found says where it may end.
    is_found = run.options.mode == "fixed" and bool(result.plans)
    # Where a plan is made cheaper, the session that comes last has refuted nothing.
    refutations = (session.answers.refutation() for session in reversed(sessions))
    refutation = None if is_found else next(filter(None, refutations), None)
    if refutation is None:
        written: str | None = "no proof is written, for nothing was refuted by the SAT solver"
    else:
        run.tell("writing the proof")
        written = write_proof(refutation, run.options.proof or "", sessions[-1].overdue)
    late = "no proof is written, for the time is up"
    return replace(result, reason="; ".join(filter(None, [result.reason, written or late])))


@dataclass(frozen=True)
class Support:
    """A body of an atom in a cycle: its positive atoms there and its other literals."""

    inside: Weighted
    outside: Weighted
    least: int
    literal: int


Cycle = dict[int, list[Support]]  # the supports of each atom of a strongly connected component


@dataclass
class Cycles:
    """The positive cycles of a program, whose atoms may not support each other alone.

    Where they do in a model, a *loop formula* is added: an atom of that loop is true only if a body
    is that does not need the loop (Lin and Zhao, ASSAT, 2004). There may be exponentially many.
    """

    completion: Completion
    _cycles: list[Cycle] = field(default_factory=list)

    def add(self, step: Step, truth: Numbers) -> None:
        """Find the cycles of a step, where `truth` has a literal for the body of each rule."""
        sizes = step.size[step.of]
        heads = np.repeat(step.head, sizes)
        bodies = step.body[ragged(step.start[step.of], sizes)]
        sums = ((atom, n) for _, head, _, w in step.sums for atom in head for n, _ in w if n > 0)
        pairs = np.array([*sums], np.int64).reshape(-1, 2)
        pairs = np.append(pairs, np.column_stack([heads, bodies])[bodies > 0], axis=0)
        # clingo mostly numbers an atom after those that it rests on: then there is no cycle.
        if np.all(pairs[:, 1] < pairs[:, 0]):
            return
        # In a cycle is only what rests on something, and on which something rests.
        size = 3 * len(pairs)
        while 2 * len(pairs) < size:
            size = len(pairs)
            pairs = pairs[np.isin(pairs[:, 1], pairs[:, 0]) & np.isin(pairs[:, 0], pairs[:, 1])]
        below: dict[int, set[int]] = defaultdict(set)
        for atom, number in pairs.tolist():
            below[atom].add(number)
        cycle_of: dict[int, Cycle] = {}
        for part in components_of(below):
            if len(part) > 1 or part[0] in below[part[0]]:
                cycle: Cycle = {atom: [] for atom in part}
                cycle_of.update(dict.fromkeys(cycle, cycle))
                self._cycles.append(cycle)
        for at in np.nonzero(np.isin(step.head, [*cycle_of]))[0]:
            atom, rule = int(step.head[at]), step.of[at]
            body = {*step.body[step.start[rule] :][: step.size[rule]].tolist()}
            among = [(number, 1) for number in body]
            _add_support(cycle_of[atom], atom, among, len(among), int(truth[rule]))
        for _, head, least, weighted in step.sums:
            for atom in cycle_of.keys() & head:
                literal = self.completion.weighs(least, weighted)
                _add_support(cycle_of[atom], atom, weighted, least, literal)

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """The loop formulas, as clauses, that a model of the solver violates."""
        for cycle in self._cycles:
            true = [atom for atom in cycle if self.completion.literal(atom) in model]
            if unfounded := self._unfounded(cycle, true, model):
                yield from self._formulas(cycle, unfounded, model)

    def _unfounded(self, cycle: Cycle, true: list[int], model: Set[int]) -> list[int]:
        """The true atoms of a cycle that no chain of supports reaches."""
        readers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        missing: list[int] = []
        heads: list[int] = []
        founded: set[int] = set()
        left: list[int] = []
        for atom in true:
            for support in cycle[atom]:
                if support.literal not in model:
                    continue
                weight = sum(w for n, w in support.outside if self.completion.literal(n) in model)
                if weight >= support.least:
                    left.append(atom)
                for n, w in support.inside:
                    readers[n].append((len(heads), w))
                heads.append(atom)
                missing.append(support.least - weight)
        while left:
            atom = left.pop()
            if atom in founded:
                continue
            founded.add(atom)
            for number, weight in readers[atom]:
                missing[number] -= weight
                if missing[number] <= 0:
                    left.append(heads[number])
        return [atom for atom in true if atom not in founded]

    def _formulas(
        self, cycle: Cycle, unfounded: Sequence[int], model: Set[int]
    ) -> Iterator[list[int]]:
        """Formulas of those loops of unfounded atoms that rest on no other one."""
        after, among = dict[int, set[int]](), set(unfounded)
        for atom in unfounded:
            true = (support for support in cycle[atom] if support.literal in model)
            after[atom] = {n for support in true for n, _ in support.inside} & among
        for loop in map(set, components_of(after)):
            if any(not after[atom] <= loop for atom in loop):
                continue
            outside = [self._without(s, loop) for atom in loop for s in cycle[atom]]
            for atom in loop:
                yield [-self.completion.literal(atom), *outside]

    def _without(self, support: Support, loop: Set[int]) -> int:
        """A literal that is true where a body is even without the atoms of a loop."""
        kept = [pair for pair in support.inside if pair[0] not in loop]
        if len(kept) == len(support.inside):
            return support.literal
        return self.completion.weighs(support.least, [*kept, *support.outside])


def _add_support(cycle: Cycle, atom: int, weighted: Weighted, least: int, literal: int) -> None:
    inside = [pair for pair in weighted if pair[0] in cycle]
    outside = [pair for pair in weighted if pair[0] not in cycle]
    cycle[atom].append(Support(inside, outside, least, literal))


@dataclass
class Edges:
    """What `#edge` says: the edges whose conditions hold may not form a cycle."""

    completion: Completion
    _edges: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, step: Step) -> None:
        for start, end, condition in step.edges:
            self._edges[start, end].append(self.completion.all_of(condition))

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """A clause for a shortest cycle in each strongly connected component."""
        present = {
            edge: literal
            for edge, literals in self._edges.items()
            for literal in literals
            if literal in model
        }
        after: dict[int, list[int]] = {node: [] for edge in present for node in edge}
        for start, end in present:
            after[start].append(end)
        for part in components_of(after):
            if len(part) > 1 or part[0] in after[part[0]]:
                yield [-present[edge] for edge in _shortest_cycle(after, set(part))]


def _shortest_cycle(after: Mapping[int, list[int]], part: Set[int]) -> Iterator[tuple[int, int]]:
    """The edges of a shortest cycle through one node of a strongly connected component."""
    start = next(node for node in after if node in part)
    before: dict[int, int] = {}
    queue = deque([start])
    while start not in before:
        node = queue.popleft()
        for child in after[node]:
            if child in part and child not in before:
                before[child] = node
                queue.append(child)
    node = start
    while True:
        yield before[node], node
        node = before[node]
        if node == start:
            return


class AnswerSets:
    """The answer sets of what clingo has grounded so far, found by a SAT solver.

    A model of the completion in which atoms support each other in a cycle, or edges form one, adds
    clauses that exclude it, and the search goes on. `ground` is what the `control` grounds. The
    `solver` stops if `overdue()` says so, and keeps clauses for a refutation.
    """

    def __init__(
        self, control: Control, solver: str, overdue: Callable[[], bool], keep: bool = False
    ) -> None:
        self.ground = Grounded(control)
        self._sat = Sat(solver, overdue, keep)
        self._completion = Completion(self._sat)
        self._cycles, self._edges = Cycles(self._completion), Edges(self._completion)
        self._atoms: list[tuple[Symbol, int]] = []
        self._terms: list[tuple[Symbol, int]] = []
        self._counted: Sequence[int] = (0, 0, 0)
        self._refuted: tuple[int, Clause] = 0, ()

    def add(self) -> bool:
        """Add what was grounded and solved since; False if it has a disjunction."""
        ground = self.ground
        step = ground.step()
        if step.disjunctive:
            return False
        self._cycles.add(step, self._completion.add(step))
        self._edges.add(step)
        literal, all_of = self._completion.literal, self._completion.all_of
        self._atoms += [(symbol, literal(atom) if atom else TRUE) for symbol, atom in ground.shown]
        self._terms += [(symbol, all_of(condition)) for symbol, condition in ground.terms]
        self._completion.settle(ground)
        if ground.contradicts and self._sat.solve(conflicts=FIRST_TURN) is not False:
            self._sat.add([])  # what contradicts may not have been written
        ground.clear()
        return True

    def search(
        self,
        assumptions: Iterable[tuple[int, bool]],
        wanted: Wanted,
        conflicts: int | None = None,
        chosen: Callable[[], Iterable[tuple[Symbol, int]]] = tuple,
        number_of: Callable[[Symbol], int] = lambda symbol: 0,
    ) -> Answer:
        """Find answer sets that differ in what they show, where literals are as in `assumptions`.

        The search is given up after so many `conflicts`. `chosen` is called for atoms that are kept
        whether shown or not; `number_of` gives the literal of an atom, 0 if there is none.
        """
        literal = self._completion.literal
        assumed = [
            literal(atom if value == TruthValue.True_ else -atom)
            for atom, value in self.ground.externals.items()
            if value != TruthValue.Free
        ]
        assumed += [literal(number if true else -number) for number, true in assumptions]
        found = wanted.found
        others: list[tuple[Symbol, int]] = []
        actions: dict[Symbol, int] = {}
        another = 0
        while satisfiable := self._solve(assumed, conflicts):
            if not found:
                others = [(symbol, literal(number)) for symbol, number in chosen()]
                # Those that are shown as atoms, or as terms that are atoms, too.
                occurring = [symbol for symbol, _ in self._terms if wanted.is_action(symbol)]
                numbers = {symbol: number_of(symbol) for symbol in occurring}
                actions = {symbol: literal(number) for symbol, number in numbers.items() if number}
                actions |= {atom: own for atom, own in self._atoms if wanted.is_action(atom)}
            shown, differs = self._shown(others, actions)
            found.append(shown)
            if not wanted.wants_more():
                break
            if not another:
                another = self._sat.new()
                assumed.append(another)
            self._sat.add([-another, *differs])
        if found:
            return replace(wanted.answer(), cut=wanted.is_cut(satisfiable is False))
        if satisfiable is False:
            self._refuted = len(self._sat.kept), assumed
        return Answer(satisfiable, empty_core=satisfiable is False and not self._sat.core())

    def refutation(self) -> Refutation | None:
        """What was refuted last, if clauses are kept and something was."""
        count, assumed = self._refuted
        if not count:
            return None
        return Refutation([*self._sat.kept[:count], *([a] for a in assumed)], self._sat.top)

    def counted(self) -> list[int]:
        """Decisions, conflicts and restarts since the last call."""
        before, self._counted = self._counted, self._sat.counts()
        return [now - old for now, old in zip(self._counted, before, strict=True)]

    def _solve(self, assumed: list[int], conflicts: int | None) -> bool | None:
        """Whether there is an answer set; it is the model of the solver then."""
        while True:
            satisfiable = self._sat.solve(assumed, conflicts)
            if not satisfiable:
                return satisfiable
            model = self._sat.model()
            clauses = [*self._cycles.violated(model), *self._edges.violated(model)]
            if not clauses:
                return True
            for clause in clauses:
                self._sat.add(clause)

    def _shown(
        self, chosen: Iterable[tuple[Symbol, int]], actions: Mapping[Symbol, int]
    ) -> tuple[ShownAtoms, list[int]]:
        """What the model found last shows, and a clause for those that show something else."""
        model = self._sat.model()
        atoms = [symbol for symbol, literal in self._atoms if literal in model]
        terms = [symbol for symbol, literal in self._terms if literal in model]
        symbols = tuple(dict.fromkeys(atoms + terms))
        occurring = tuple(symbol for symbol in symbols if actions.get(symbol) in model)
        differs = [
            -literal if literal in model else literal for _, literal in self._atoms + self._terms
        ]
        others = tuple(symbol for symbol, literal in chosen if literal in model)
        return ShownAtoms(symbols, occurring, others), differs


class SatSession(Session):
    """A session whose search is a SAT solver's; see `Session` and `AnswerSets`."""

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        solver: str,
        options: Iterable[str] = (),
        deadline: float | None = None,
        effort: Effort | None = None,
        keep: bool = False,
    ) -> None:
        super().__init__(program, constants, options, deadline, effort=effort)
        self.answers = AnswerSets(self.control, solver, self.overdue, keep)

    def _search(self, wanted: Wanted, assumptions: list[Pin], conflicts: int | None) -> Answer:
        """A search for models that differ in what they show; an objective is clingo's."""
        if wanted.optimize:
            return super()._search(wanted, assumptions, conflicts)
        with _collecting_later():
            self.settle(assumptions)
            if not self.answers.add():
                what = "a disjunction in the head of a rule is beyond a SAT solver"
                hint = "say --engine asp, which solves it, or write a choice"
                raise InputError(what, at=first_disjunction(self.program.sections), hint=hint)
        known = self.control.symbolic_atoms
        atoms = [(known[symbol], true) for symbol, true in assumptions]
        if any(atom is None and true for atom, true in atoms):
            return Answer(False)
        numbers = [(atom.literal, true) for atom, true in atoms if atom is not None]

        def chosen() -> list[tuple[Symbol, int]]:
            # What has become a fact since may be none when the plan is checked.
            return [(atom.symbol, atom.literal) for atom in self.chosen() if atom.literal]

        def number_of(symbol: Symbol) -> int:
            atom = known[symbol]
            return 0 if atom is None else atom.literal

        watched = chosen if wanted.choices else tuple
        return self.answers.search(numbers, wanted, conflicts, watched, number_of)

    def _searched(self) -> Sequence[int]:
        return self.answers.counted()


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Without the collector of garbage, which would look at a million rules again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
