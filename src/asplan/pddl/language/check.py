"""Checks that a domain and a problem fit together.

A mistake is an error at its place. Oddities that many real files contain are warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asplan.core.errors import InputWarning
from asplan.pddl.language import syntax
from asplan.pddl.language.declarations import check_declarations
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.plain import with_plain_costs
from asplan.pddl.language.requirements import check_requirements
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.language.uses import check_uses
from asplan.pddl.language.values import without_value


def task_of(
    domain: syntax.DomainText,
    problem: syntax.ProblemText,
) -> TaskText:
    """Check a domain and a problem, and return their task, with warnings.

    Raises
    ------
    InputError
        If the problem is for another domain, or if a name is not declared, is declared twice in
        different ways, or is used differently from its declaration.
    """
    if problem.domain.key != domain.name.key:
        files = f"the domain {problem.domain}, but {domain.name.at.file} defines {domain.name}"
        hint = "give the domain of the problem, or correct the name"
        raise wrong(problem.domain, f"this problem is for {files}", hint)
    task = TaskText(domain, problem)
    warnings = [
        *check_declarations(task),
        *check_requirements(task),
        *_check_total_time(task),
        *_check_durations(task),
        *_check_undeclared_values(task),
    ]
    check_uses(task)
    warnings += without_value(task)
    plain = with_plain_costs(task) if task.has_numbers and not task.has_time else task
    warnings += _check_total_cost(task, plain.has_costs)
    return replace(plain, warnings=tuple(dict.fromkeys(warnings)))


# Odd numbers; `without_value` finds those that are missing.


def _check_total_time(task: TaskText) -> Iterator[InputWarning]:
    """Warn if the metric contains the total time although no action takes time."""
    if task.has_time or task.problem.metric is None:
        return
    for function in syntax.functions(task.problem.metric[1]):
        if function.name.key == syntax.TOTAL_TIME:
            message = f"no action takes time, so ({syntax.TOTAL_TIME}) is always 0"
            yield InputWarning("pddl-number", message, task.problem.name.at)


def _check_durations(task: TaskText) -> Iterator[InputWarning]:
    """Warn about actions with a duration of 0."""
    for action in task.domain.durative:
        for _, limit in action.duration:
            if limit.word in ("=", "<=") and limit.right == 0:
                message = f"action {action.name} takes no time, so it starts and ends at once"
                yield InputWarning("pddl-number", message, limit.at.at)


def _check_undeclared_values(task: TaskText) -> Iterator[InputWarning]:
    """Warn about initial values of functions that are not declared."""
    if not (task.has_time or task.has_numbers):
        return
    declared = _declared_functions(task) | {syntax.TOTAL_COST}
    for function, _ in task.problem.values:
        if function.name.key not in declared:
            message = f"function {function.name} is not declared, so this value is ignored"
            yield InputWarning("pddl-number", message, function.name.at)


def _check_total_cost(
    task: TaskText,
    has_costs: bool,
) -> Iterator[InputWarning]:
    """Warn about a total cost that is not declared, or whose initial value is not 0.

    `has_costs` is true if the task minimizes the costs of actions.
    """
    values = [pair for pair in task.problem.values if pair[0].name.key == syntax.TOTAL_COST]
    targets = (part.target.name for part in task.parts if isinstance(part, syntax.Assign))
    uses = [name for name in targets if name.key == syntax.TOTAL_COST]
    uses += [function.name for function, _ in values]
    if uses and syntax.TOTAL_COST not in _declared_functions(task):
        message = f"({syntax.TOTAL_COST}) is not declared"
        hint = f"add (:functions ({syntax.TOTAL_COST}) - number) to the domain"
        yield InputWarning("pddl-declaration", message, uses[0].at, hint=hint)
    for function, value in values:
        if value and has_costs:
            message = f"({syntax.TOTAL_COST}) begins at {value}, but the cost of a plan begins at 0"
            yield InputWarning("pddl-cost", message, function.name.at)


def _declared_functions(task: TaskText) -> set[str]:
    """Return the keys of the functions that the domain declares."""
    return {signature.name.key for signature in task.domain.functions}
