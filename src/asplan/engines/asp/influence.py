"""Dependence of a plan's states and goal on actions outside of its steps.

A single-shot program may require actions before the first or after the last step of a plan; the
check of the plan then leaves them open. This module finds dependences in the ground program. It
shares the roles of predicates with the analysis that decided which actions belong to a plan, but
not its bounds on times.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from asplan.clingo import Control, Symbol, control_options, open_control
from asplan.core.graphs import closure
from asplan.engines.asp.trajectory import fluents_of
from asplan.program.ground import Ground, ground
from asplan.program.incremental import Program, base
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import messages_of
from asplan.program.roles.roles import roles_of
from asplan.program.syntax import predicate


def find_influence(
    program: Program,
    constants: Mapping[str, str],
    actions: Collection[Symbol],
    last: int,
) -> Symbol | None:
    """Return an atom of the plan that depends on one of the actions; None if there is none.

    An atom of the plan is one of three kinds: a fluent at a time before `last`; a fluent at the
    time `last` in the body of a constraint; or an atom without a time that a constraint requires,
    as `goal` in `:- not goal.`

    Parameters
    ----------
    program
        A single-shot program without theory atoms.
    constants
        The values of its constants, including the one that is the horizon.
    actions
        Atoms of actions outside of the plan's steps.
    last
        The last step of the plan.
    """
    control, ground_rules = _ground(program, constants)
    literal_of = {a.symbol: a.literal for a in control.symbolic_atoms if not a.is_fact}
    causes = {literal_of[action] for action in actions if action in literal_of}
    dependent_literals = _depending_on(causes, ground_rules)
    dependent = {a: number for a, number in literal_of.items() if number in dependent_literals}
    read = set(chain.from_iterable(ground_rules.constraints))
    goal = _demanded_atom(dependent, read, program)
    if goal is not None:
        return goal
    for step, atom in sorted(_timed_fluents(dependent, program)):
        literal = dependent[atom]
        is_read = literal in read or -literal in read
        if step < last or (step == last and is_read):
            return atom
    return None


def _demanded_atom(
    literal_of: Mapping[Symbol, int],
    read: Collection[int],
    program: Program,
) -> Symbol | None:
    """Return an atom without a time that a constraint requires to be true; None if there is none.

    `literal_of` maps atoms to their literals in the ground program, and `read` has the literals
    that occur in constraints.
    """
    timed = roles_of(program).places
    for atom, literal in literal_of.items():
        if -literal in read and predicate(atom) not in timed:
            return atom
    return None


def _timed_fluents(atoms: Iterable[Symbol], program: Program) -> Iterator[tuple[int, Symbol]]:
    """Yield the time and the atom of each fluent among `atoms`."""
    for step, _, atom, _ in fluents_of((), atoms, program):
        yield step, atom


def _ground(program: Program, constants: Mapping[str, str]) -> tuple[Control, Ground]:
    """Ground a single-shot program; return its clingo control and its ground rules."""
    ground_rules = Ground()
    messages = messages_of(program.sections)
    control = open_control(control_options(constants), messages)
    control.register_observer(ground_rules)
    with reporting(messages):
        program.add_to(control)
        ground(control, [base()], program.functions())
    return control, ground_rules


def _depending_on(causes: Collection[int], ground_rules: Ground) -> set[int]:
    """Return the atoms that depend on one of `causes`, positively or by negation.

    Atoms are numbers of the ground program.
    """
    heads_of: dict[int, list[int]] = {}
    for atom, heads in _links(ground_rules):
        heads_of.setdefault(atom, []).extend(heads)
    return closure(causes, lambda atom: heads_of.get(atom, ()))


def _links(ground_rules: Ground) -> Iterator[tuple[int, Collection[int]]]:
    """Yield pairs of an atom in the body of a ground rule and the head atoms of this rule."""
    for _, heads, body in ground_rules.rules:
        for literal in body:
            yield abs(literal), heads
    for _, heads, _, weighted in ground_rules.sums:
        for literal, _ in weighted:
            yield abs(literal), heads
