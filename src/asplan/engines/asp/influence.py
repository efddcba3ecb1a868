"""Dependence of a plan's states and goal on some actions in the ground program.

The replay of a plan leaves actions outside of its steps open if the program demands them. This
module reads the author's program as clingo grounds it. It shares nothing with the analysis of
times that decided which actions belong to a plan.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from clingo import Control, Symbol

from asplan.engines.asp.trajectory import fluents_of
from asplan.program.ground import Ground, ground
from asplan.program.incremental import Program, base, control_options
from asplan.program.roles import roles_of
from asplan.program.source import reporting
from asplan.program.syntax import predicate
from asplan.program.unit import messages_of


def find_influence(
    program: Program, constants: Mapping[str, str], actions: Collection[Symbol], last: int
) -> Symbol | None:
    """Return an atom of the plan that depends on some actions; None if no such atom does.

    An atom of the plan is a fluent before the step `last`, a fluent at that step that a constraint
    reads, or an atom without a time that a constraint demands, as `goal` in `:- not goal.`

    Parameters
    ----------
    program
        A program without parts and without theory atoms.
    constants
        The values of its constants, with that of the horizon.
    actions
        Atoms of actions outside of the plan's steps.
    last
        The last step of the plan.
    """
    control, ground_rules = _ground(program, constants)
    literals = {atom.symbol: atom.literal for atom in control.symbolic_atoms if not atom.is_fact}
    causes = {literals[action] for action in actions if action in literals}
    numbers = _depending_on(causes, ground_rules)
    dependent = [symbol for symbol, number in literals.items() if number in numbers]
    read = set(chain.from_iterable(ground_rules.constraints))
    places = roles_of(program).places
    goals = (atom for atom in dependent if predicate(atom) not in places)
    for goal in goals:
        if -literals[goal] in read:
            return goal
    for step, atom in sorted(_timed_fluents(dependent, program)):
        is_read = not read.isdisjoint({literals[atom], -literals[atom]})
        if step < last or (step == last and is_read):
            return atom
    return None


def _timed_fluents(atoms: Collection[Symbol], program: Program) -> Iterator[tuple[int, Symbol]]:
    """Yield the step and the atom of each fluent."""
    for step, _, atom, _ in fluents_of((), atoms, program):
        yield step, atom


def _ground(program: Program, constants: Mapping[str, str]) -> tuple[Control, Ground]:
    """Ground a program without parts; return its control and its ground rules."""
    ground_rules = Ground()
    messages = messages_of(program.sections)
    control = Control(control_options(constants), logger=messages)
    control.register_observer(ground_rules)
    with reporting(messages):
        program.add_to(control)
        ground(control, [base()], program.functions())
    return control, ground_rules


def _depending_on(causes: Collection[int], ground_rules: Ground) -> set[int]:
    """Return the numbers of atoms that rules derive from some atoms or from their absence."""
    heads_by_atom: dict[int, list[int]] = {}
    for atom, heads in _links(ground_rules):
        heads_by_atom.setdefault(atom, []).extend(heads)
    dependent = set(causes)
    frontier = list(causes)
    while frontier:
        new = set(heads_by_atom.get(frontier.pop(), ())) - dependent
        dependent |= new
        frontier += new
    return dependent


def _links(ground_rules: Ground) -> Iterator[tuple[int, Collection[int]]]:
    """Yield each atom in the body of a rule or of a sum with the heads of the rule."""
    for _, heads, body in ground_rules.rules:
        yield from ((abs(literal), heads) for literal in body)
    for _, heads, _, weighted in ground_rules.sums:
        yield from ((abs(literal), heads) for literal, _ in weighted)
