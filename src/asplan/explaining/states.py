"""The reasons for the fluents and actions of a plan, as plain data for an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from asplan.clingo import Function, Symbol
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.engines.asp.replay import atoms_of
from asplan.engines.asp.trajectory import fluents_of
from asplan.explaining.derivation import find_answer, find_derivation
from asplan.explaining.encodings import explainable, refuse_frontier
from asplan.explaining.explanation import Derivation, Nearest, Support, Values, WrittenRule, in_turn
from asplan.explaining.instances import Answered
from asplan.explaining.question import open_question
from asplan.explaining.text import counts_of, stop_of
from asplan.problem import Inputs, Problem, load
from asplan.program.incremental import Program, with_query
from asplan.program.reading.source import ground_term
from asplan.program.roles.roles import roles_of
from asplan.program.syntax import predicate
from asplan.result import Result

_MOST = 20_000  # the most atoms of a page that have reasons
_TIME = Function("explain__time")

_Parts = dict[str, tuple[str, str]]
"""For each fluent the text of its atom before the time, and the text after the time."""

Data = dict[str, Any]  # Any: JSON


def explain_states(
    inputs: Inputs,
    result: Result,
    states: Sequence[Iterable[str]],
) -> Data:
    """Return the reasons for the fluents of the given states and for the actions between them.

    The result's problem was loaded from `inputs`. If its encoding does its search during grounding,
    use another encoding for the reasons, and store its name in the data as `encoding`. Otherwise
    this name is empty.
    """
    problem = load(inputs)
    encoding = ""
    if problem.source is not None:
        return problem.source.explain_plan(result.plan or Plan())
    if problem.program.plan_part:
        encoding, problem = _with_other_encoding(inputs, problem, states)
    refuse_frontier(problem)
    steps = len(states) - 1 if states else result.horizon or 0
    question = open_question(with_query(problem.program), problem.constants_at(steps))
    question.ground(steps)
    answer = find_answer(question, result.plan, result.atoms)
    if answer is None:
        message = "the program refuses the plan, so its atoms have no reasons"
        raise UsageError(message, hint="asplan explain --plan shows why the plan is refused")
    return _page_data(answer, result, states) | {"encoding": encoding}


def _with_other_encoding(
    inputs: Inputs,
    problem: Problem,
    states: Sequence[Iterable[str]],
) -> tuple[str, Problem]:
    """Return the name of an explainable encoding, and its problem.

    Of several encodings, choose the one that has the most of the states' fluents. If there is no
    explainable encoding, return an empty name and the given problem.
    """
    fluents = set(chain.from_iterable(states))
    shown = {predicate(ground_term(fluent, "fluent")) for fluent in fluents}
    problems = {name: load(replace(inputs, encoding=name)) for name in explainable(problem)}

    def missing(name: str) -> int:
        keys = roles_of(problems[name].program).fluents
        return len(shown - {(sign, fluent, arity - 1) for sign, fluent, arity in keys})

    if not problems:
        return "", problem
    best = min(problems, key=missing)
    return best, problems[best]


def _page_data(
    answer: Answered,
    result: Result,
    states: Sequence[Iterable[str]],
) -> Data:
    """Return the data of a page with the reasons of all actions and fluents.

    Each fluent has reasons at the time of its state and at the next time, at which it may be false.
    A true atom is a row: its kind of support, the number of its rule, values, and the numbers of
    the atoms in the rule's body. A false atom has the rule nearest to deriving it, then the nearest
    rule for the atom that this rule lacks, and so on.
    """
    program = answer.question.program
    start = 0 if program.horizon is None else program.horizon.start
    parts = _parts_of_fluents(answer, program)
    actions = _action_atoms(answer, result.plan)
    wanted = list(chain.from_iterable(actions))
    wanted += _fluent_atoms(parts, states, start)
    derivation = find_derivation(answer, wanted, _MOST)
    rules = _Numbers()
    true = _true_atoms(derivation, rules)
    false = {atom: list(rules.chain(nearest)) for atom, nearest in derivation.nearest.items()}
    return {
        "start": start,
        "fluents": parts,
        "actions": [list(map(str, step)) for step in actions],
        "true": true,
        "false": false,
        "rules": rules.texts(),
        "left_out": derivation.left_out,
    }


def _parts_of_fluents(
    answer: Answered,
    program: Program,
) -> _Parts:
    parts: _Parts = {}
    for _, fluent, atom, place in fluents_of(answer.atoms, answer.atoms, program):
        arguments = [*atom.arguments]
        arguments[place] = _TIME
        text = str(Function(atom.name, arguments, atom.positive))
        before, _, after = text.partition(str(_TIME))
        parts[str(fluent)] = before, after
    return parts


def _action_atoms(
    answer: Answered,
    plan: Plan | None,
) -> list[list[Symbol]]:
    """Return for each step the true atoms of its actions.

    If the program has several readings of action atoms, the reading with the most true atoms is
    used.
    """
    actions = [[ground_term(action, "action") for action in step] for step in plan or ()]
    best: list[list[Symbol]] = []
    for reading in answer.question.program.readings:
        steps = atoms_of(actions, reading)
        true = [[atom for atom in step if atom in answer.atoms] for step in steps]
        if not best or sum(map(len, true)) > sum(map(len, best)):
            best = true
    return best


def _fluent_atoms(
    parts: _Parts,
    states: Sequence[Iterable[str]],
    start: int,
) -> Iterator[Symbol]:
    """Yield for each state the atoms of its fluents and of the previous state's fluents.

    All these atoms have the time of the state. `start` is the time of the first state. `parts` maps
    a fluent to the text of its atom before and after the time.
    """
    previous: Iterable[str] = ()
    for t, state in enumerate(states):
        for fluent in dict.fromkeys([*state, *previous]):
            if fluent in parts:
                before, after = parts[fluent]
                yield ground_term(f"{before}{t + start}{after}", "atom")
        previous = state


def _true_atoms(
    derivation: Derivation,
    rules: _Numbers,
) -> list[tuple[object, ...]]:
    """Return a row for each true atom; bodies refer to atoms by the numbers of their rows."""
    numbers = {atom: n for n, atom in enumerate(derivation.supports)}
    return [rules.row(support, numbers) for support in derivation.supports.values()]


class _Numbers:
    """A numbering of rules on a page, in the order in which rows mention them."""

    def __init__(self) -> None:
        self._numbers: dict[WrittenRule, int] = {}

    def of(self, rule: WrittenRule | None) -> int:
        """Return the number of a rule; give the next number to a new rule; return -1 for None."""
        return -1 if rule is None else self._numbers.setdefault(rule, len(self._numbers))

    def texts(self) -> list[tuple[str, str]]:
        """Return the location and the text of each rule, in the order of their numbers."""
        texts: list[tuple[str, str]] = []
        for rule in self._numbers:
            at = rule.at
            texts.append((f"{Path(at.file).name}:{at.line}:{at.column}", rule.text))
        return texts

    def row(
        self,
        support: Support,
        numbers: dict[str, int],
    ) -> tuple[object, ...]:
        """Return the row of a true atom; `numbers` has the row number of each true atom."""
        return (
            support.atom,
            support.kind,
            self.of(support.rule),
            _text_of(support.values),
            [numbers[atom] for atom in support.body],
            support.absent,
            list(map(counts_of, support.counted)),
        )

    def chain(self, nearest: Nearest) -> Iterator[tuple[str, int, str, str]]:
        """Yield a row for each rule in the chain of nearest rules that explains a false atom."""
        for each in in_turn([nearest]):
            yield each.atom, self.of(each.rule), _text_of(each.values), _obstacle(each)


def _obstacle(nearest: Nearest) -> str:
    """Return a phrase about the reason why a nearest rule does not derive its atom."""
    if nearest.rule is None:
        return "nothing derives it"
    if nearest.literal is None:
        return "the nearest rule is here, and was not chosen"
    return f"the nearest rule is here, but {stop_of(nearest.literal)}"


def _text_of(values: Values) -> str:
    return ", ".join(f"{name}={value}" for name, value in values)
