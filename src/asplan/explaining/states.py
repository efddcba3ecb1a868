"""Why what holds at each step of a plan does, as plain data for a page in which people click."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clingo import Function

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.engines.asp.answer import fluents_of
from asplan.engines.asp.replay import atoms_of
from asplan.explaining.derivation import find_answer, find_derivation
from asplan.explaining.explainer import explainable, refuse_frontier
from asplan.explaining.explanation import Counted, Nearest, Rule, Values, in_turn
from asplan.explaining.instances import Answered
from asplan.explaining.question import Question, open_question
from asplan.explaining.text import stop_of
from asplan.problem import Inputs, load
from asplan.program.incremental import Program, with_query
from asplan.program.roles import roles_of
from asplan.program.source import ground_term
from asplan.program.syntax import Signature, predicate
from asplan.result import Result

_MOST = 20_000  # atoms of a page of which it is told why they hold

_TIME = Function("explain__time")


def explain_states(
    inputs: Inputs, result: Result, states: Sequence[Iterable[str]]
) -> dict[str, Any]:
    """Why the fluents of some states, and the actions between them, hold; or do so no longer.

    `inputs` lead to the problem of the result. Where its encoding leaves nothing to the solver,
    `encoding` names another one that explains.
    """
    problem, encoding = load(inputs), ""
    if problem.words is not None:
        return problem.words.reasons(result.plan or Plan())
    if problem.program.plan_part and (others := explainable(problem)):
        # One that has most of the fluents which are shown.
        shown = {predicate(ground_term(f, "fluent")) for state in states for f in state}
        loaded = {name: load(replace(inputs, encoding=name)) for name in others}
        encoding = min(loaded, key=lambda name: len(shown - _fluents(loaded[name].program)))
        problem = loaded[encoding]
    refuse_frontier(problem)
    program, steps = with_query(problem.program), len(states) - 1 if states else result.horizon or 0
    question = open_question(program, problem.given_at(steps))
    question.ground(steps)
    answer = find_answer(question, result.plan, result.atoms)
    if answer is None:
        what = "the program refuses the plan, so there is nothing to say of what holds in it"
        raise UsageError(what, hint="asplan explain --plan says why")
    return _page_data(question, answer, result, states) | {"encoding": encoding}


def _fluents(program: Program) -> set[Signature]:
    return {(sign, name, arity - 1) for sign, name, arity in roles_of(program).fluents}


def _page_data(
    question: Question, answer: Answered, result: Result, states: Sequence[Iterable[str]]
) -> dict[str, Any]:
    """The derivation of all that is shown: of a fluent what stands before and after its time.

    An atom that holds has a kind, the number of its rule, values, and numbers of the atoms in the
    body; those that do not have the nearest rules one behind the other.
    """
    program = question.program
    start = 0 if program.horizon is None else program.horizon.start
    parts: dict[str, tuple[str, str]] = {}
    for _, fluent, atom, place in fluents_of(answer.atoms, answer.atoms, program):
        arguments = [*atom.arguments]
        arguments[place] = _TIME
        before, _, after = str(Function(atom.name, arguments, atom.positive)).partition(str(_TIME))
        parts[str(fluent)] = before, after
    actions = [[ground_term(a, "action") for a in step] for step in result.plan or ()]
    happening = max(
        (
            [[a for a in s if a in answer.atoms] for s in atoms_of(actions, r)]
            for r in program.readings
        ),
        key=lambda atoms: sum(map(len, atoms)),
        default=[],
    )
    wanted = [atom for atoms in happening for atom in atoms]
    for t, state in enumerate(states):
        known = dict.fromkeys([*state, *(states[t - 1] if t else ())])
        for before, after in (parts[fluent] for fluent in known if fluent in parts):
            wanted.append(ground_term(f"{before}{t + start}{after}", "atom"))
    derivation = find_derivation(answer, wanted, _MOST)
    number = {atom: n for n, atom in enumerate(derivation.supports)}
    rules: dict[Rule, int] = {}

    def number_of(rule: Rule | None) -> int:
        return -1 if rule is None else rules.setdefault(rule, len(rules))

    def chain(nearest: Nearest) -> Iterator[tuple[str, int, str, str]]:
        for one in in_turn([nearest]):
            said = "nothing derives it"
            if one.rule is not None:
                said = "the nearest rule is here"
                said += f", but {stop_of(one.literal)}" if one.literal else ", and was not chosen"
            yield one.atom, number_of(one.rule), _written(one.values), said

    return {
        "start": start,
        "fluents": parts,
        "actions": [list(map(str, atoms)) for atoms in happening],
        "true": [
            (
                one.atom,
                one.kind,
                number_of(one.rule),
                _written(one.values),
                [number[atom] for atom in one.body],
                one.absent,
                [f"{counted.text} counts {_counts(counted)}" for counted in one.counted],
            )
            for one in derivation.supports.values()
        ],
        "false": {atom: list(chain(one)) for atom, one in derivation.nearest.items()},
        "rules": [(f"{Path(r.at.file).name}:{r.at.line}:{r.at.column}", r.text) for r in rules],
        "left_out": derivation.left_out,
    }


def _written(values: Values) -> str:
    return ", ".join(f"{name}={value}" for name, value in values)


def _counts(counted: Counted) -> str:
    return shortened("; ".join(counted.elements)) or "nothing"
