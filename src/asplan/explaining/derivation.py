"""The reasons why an atom is true or false in an answer set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from asplan.clingo import Function, Symbol, SymbolType
from asplan.core.plan import Plan
from asplan.engines.asp.solver import Pin
from asplan.explaining.explanation import Derivation, Support, Why
from asplan.explaining.instances import Answered, answered
from asplan.explaining.nearest import find_causes, find_nearest
from asplan.explaining.patterns import pattern_of
from asplan.explaining.question import Question
from asplan.explaining.refusal import cases_of, is_satisfiable
from asplan.explaining.relaxation import MINUS
from asplan.explaining.supports import Supports
from asplan.program import syntax
from asplan.program.reading.source import ground_term
from asplan.program.syntax import Signature
from asplan.warnings.index import suggest_predicates


def find_answer(
    question: Question,
    plan: Plan | None,
    shown: Iterable[str] = (),
) -> Answered | None:
    """Return an answer set of a plan, or if `plan` is None, one that contains the `shown` atoms.

    Return None if there is no such answer set: then the program refuses the plan.
    """
    attempts = [_pins_of_atoms(question, shown)] if plan is None else _pins_of_plan(question, plan)
    for pins in attempts:
        answer = question.ask(pins, goal=question.horizon)
        if is_satisfiable(answer):
            return answered(question, answer, question.horizon)
    return None


def _pins_of_atoms(
    question: Question,
    shown: Iterable[str],
) -> list[Pin]:
    """Return assumptions that keep all constraints and make the shown atoms true.

    Shown terms that are no atoms of the program are skipped.
    """
    atoms = question.solver.control.symbolic_atoms
    pins = question.kept()
    for text in shown:
        term = ground_term(text, "term")
        if term.type == SymbolType.Function and term.name:
            atom = term if term.positive else Function(MINUS + term.name, term.arguments)
            if atoms[atom] is not None:
                pins.append((atom, True))
    return pins


def _pins_of_plan(
    question: Question,
    plan: Plan,
) -> Iterator[list[Pin]]:
    """Yield sets of assumptions that fix a plan, in the order in which to try them.

    Each reading of atoms as actions gives two sets. The first set also fixes the atoms
    `plan.chosen`: the other choices of the answer set from which the plan was read. Without other
    choices, each reading gives one set.
    """
    actions = [[ground_term(action, "action") for action in step] for step in plan]
    chosen = [(ground_term(text, "chosen"), True) for text in plan.chosen]
    for case in cases_of(question, actions):
        pins = [*question.kept(), *case.pins(question, question.horizon)]
        yield [*pins, *chosen]
        if chosen:
            yield pins


def find_why(
    answer: Answered,
    text: str,
) -> Why:
    """Return the derivation of a true atom, or the rules nearest to deriving a false one."""
    atom = ground_term(text, "atom")
    if atom in answer.atoms:
        return Why(str(atom), True, find_derivation(answer, [atom]))
    pattern = pattern_of(atom)
    nearest = tuple(n for n in find_nearest(answer, [pattern])[pattern] if n.rule is not None)
    return Why(str(atom), False, None, nearest, "" if nearest else _suggest(answer, atom))


def _suggest(
    answer: Answered,
    atom: Symbol,
) -> str:
    """Return a hint about an atom that no rule derives; an empty text if there is none."""
    key = syntax.predicate(atom)
    last = answer.question.horizon
    for place in answer.question.program.time_places.get(key, ()):
        time = atom.arguments[place]
        if time.type == SymbolType.Number and time.number > last:
            return f"the plan ends at step {last}"
    others = [other for other in answer.atoms if syntax.predicate(other) == key]
    if others:
        return _suggest_swap(atom, others)
    return suggest_predicates(key, _defined_predicates(answer))


def _suggest_swap(
    atom: Symbol,
    others: Iterable[Symbol],
) -> str:
    """Return a hint to swap two arguments of an atom; an empty text if no swap helps.

    After the swap, each argument must be a term that one of the `others` has in this argument.
    """
    columns = [set(column) for column in zip(*(other.arguments for other in others), strict=True)]
    for i, j in combinations(range(len(columns)), 2):
        terms = list(atom.arguments)
        terms[i], terms[j] = terms[j], terms[i]
        if all(term in column for term, column in zip(terms, columns, strict=True)):
            return f"did you mean {Function(atom.name, terms, atom.positive)}?"
    return ""


def _defined_predicates(answer: Answered) -> set[Signature]:
    program = answer.question.program
    defined = set[Signature]().union(*map(syntax.defined_in, program.statements))
    return defined.union(*(facts.signatures for facts in program.facts))


def find_derivation(
    answer: Answered,
    wanted: Iterable[Symbol],
    most: int | None = None,
) -> Derivation:
    """Return the supports of the true `wanted` atoms, down to facts and choices.

    Also return the nearest rule for each false atom that is wanted, or that a support reads with
    `not`. Once there are `most` supports, only count the further wanted atoms.
    """
    wanted = list(dict.fromkeys(wanted))
    supports = Supports(answer)
    derived: dict[str, Support] = {}
    absent = [pattern_of(atom) for atom in wanted if atom not in answer.atoms]
    left_out = 0
    for text in [str(atom) for atom in wanted if atom in answer.atoms]:
        if text in derived:
            continue
        if most is not None and len(derived) >= most:
            left_out += 1
            continue
        for support in _tree(supports, text, set(derived)):
            derived[support.atom] = support
            absent += supports.absent[support.atom]
    causes = find_causes(answer, dict.fromkeys(absent))
    nearest = {str(pattern): cause for pattern, cause in causes.items()}
    return Derivation(derived, nearest, left_out)


def _tree(
    supports: Supports,
    root: str,
    derived: set[str],
) -> Iterator[Support]:
    """Yield the supports of the atom `root` and of all atoms from which it is derived.

    Atoms in `derived` are left out.
    """
    remaining = [root]
    seen = {root, *derived}
    while remaining:
        support = supports.of(remaining.pop())
        yield support
        remaining += [atom for atom in dict.fromkeys(support.body) if atom not in seen]
        seen.update(support.body)
