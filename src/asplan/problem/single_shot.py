"""Loading of programs without parts: converted into parts, or grounded anew for each horizon.

`program_text` converts a program in either direction for the command `convert`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from asplan.core.errors import InputError, UsageError
from asplan.core.files import STDIN
from asplan.problem.inputs import TEXT, Inputs
from asplan.problem.kinds import SingleShotProgram
from asplan.problem.problem import is_program
from asplan.program import syntax
from asplan.program.composition import refuse_unused
from asplan.program.conversion.conversion import convert
from asplan.program.conversion.normal import NotConvertible
from asplan.program.conversion.writing import incremental_text, single_shot_text
from asplan.program.model.program import TemporalRule
from asplan.program.model.sorts import (
    TIME,
    Sort,
    Sorts,
    sorts_of,
)
from asplan.program.reading.unit import (
    Unit,
    joined,
    read_unit,
    unit_of_text,
)
from asplan.program.roles.actions import parse_action
from asplan.program.roles.inputs import missing_instance
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.term_uses import TermUse
from asplan.program.times.horizon import Horizon, find_horizon, is_over_time
from asplan.program.times.theory_times import VARIABLE, as_rules


def load_single_shot(
    inputs: Inputs,
    files: tuple[str, ...],
    units: tuple[Unit, ...],
) -> SingleShotProgram | None:
    """Load a program without parts that plans up to a horizon; None for other programs.

    It is converted into parts, if possible. Else each horizon is grounded anew.
    """
    if not _plans(inputs, units):
        return None
    _refuse_open_atoms(joined(units))
    horizon, bounded = _bound_horizon(inputs, units)
    problem = _problem(inputs, files, units, horizon, bounded)
    problem.check_program()
    if inputs.fresh:
        return problem
    refuse_unused(problem.user_constants, bounded)
    try:
        parts = convert(bounded, horizon, problem.user_constants)
    except NotConvertible as error:
        place = f" ({error.at.file}:{error.at.line})" if error.at else ""
        return replace(problem, obstacle=error.message + place)
    return replace(problem, units=parts, fresh_units=bounded)


def _bound_horizon(
    inputs: Inputs,
    units: tuple[Unit, ...],
) -> tuple[Horizon, tuple[Unit, ...]]:
    """Return the horizon of a program, and units in which a constant bounds this horizon."""
    try:
        actions = frozenset(map(parse_action, inputs.actions))
        horizon, (*bounded, _) = find_horizon(
            (*units, _theory_rules(units)),
            inputs.constants,
            inputs.horizon_constant,
            actions,
        )
    except InputError as error:
        raise missing_instance(joined(units)) or error from None
    return horizon, tuple(bounded)


def _problem(
    inputs: Inputs,
    files: tuple[str, ...],
    units: tuple[Unit, ...],
    horizon: Horizon,
    bounded: tuple[Unit, ...],
) -> SingleShotProgram:
    """Return the problem of a program to ground anew for each horizon.

    `bounded` are the units in which a constant bounds the horizon. The largest file names the
    problem.
    """
    largest = max(zip(files, units, strict=True), key=lambda pair: len(pair[1].statements))
    name = largest[0]
    given = {n: value for n, value in inputs.constants.items() if n != horizon.constant}
    return SingleShotProgram(
        files=files,
        units=bounded,
        encoding=name,
        path=None if name in (STDIN, TEXT) else Path(name),
        user_constants=given,
        constants=inputs.constants,
        bound=horizon,
        actions=inputs.actions,
    )


def _plans(
    inputs: Inputs,
    units: Iterable[Unit],
) -> bool:
    """Return whether units without parts plan up to a horizon, theory atoms included."""
    theory = _theory_rules(units)
    unit = joined([*units, theory])
    if not is_single_shot(unit, inputs.horizon_constant):
        return False
    if inputs.horizon_constant or not theory.statements[1:]:
        return True
    # Schedules relate neighbouring operations too, but choose nothing at a time of a domain.
    sorts = sorts_of(unit)
    choices = filter(syntax.is_choice, unit.statements)
    chosen = set[Signature]().union(*map(syntax.defined_in, choices))
    likely = [sort for sort in sorts.found if sort.score > 0 and sort.steps]
    return bool(likely) and _plans_over(sorts, likely[0], chosen)


def _plans_over(
    sorts: Sorts,
    sort: Sort,
    chosen: set[Signature],
) -> bool:
    """Return whether a program with theory atoms plans over a sort.

    It does if all of these are true: the sort has a domain whose last value is a constant, or whose
    name is usual for times; a rule derives the next value of the sort from a choice at a value; and
    no choice rule chooses one value of the sort for each instance of its body. `chosen` are the
    predicates in heads of choices.
    """
    if any(_places_things(rule.statement, sort) for rule in sorts.rules):
        return False
    domain_keys = sort.unary - chosen
    domains = {name for _, name, _ in domain_keys if not name.startswith(VARIABLE)}
    if not domains:
        return False
    if not _has_constant_bound(sort) and not any(map(TIME.fullmatch, domains)):
        return False
    open_keys = {key for key, _ in sort.places if key in sorts.open and key not in domain_keys}
    return any(_derives_next(rule, sort, open_keys) for rule in sorts.rules)


def _places_things(
    statement: AST,
    sort: Sort,
) -> bool:
    """Return whether a choice rule chooses one value of `sort` for each instance of its body."""
    if not syntax.is_choice(statement):
        return False
    things = _variable_names(statement.body)
    places = set(sort.places)
    terms: list[AST] = []
    for atom in syntax.heads(statement):
        key = syntax.signature(atom)
        arguments = enumerate(syntax.arguments(atom))
        terms += [term for place, term in arguments if (key, place) in places]
    return bool(things and terms) and things.isdisjoint(_variable_names(terms))


def _variable_names(nodes: Iterable[AST]) -> set[str]:
    return {variable.name for variable in syntax.find(ASTType.Variable, nodes)}


def _has_constant_bound(sort: Sort) -> bool:
    """Return whether a constant bounds a sort from above."""
    return any(not end.is_variable and end.name for end in (*sort.bounds, *sort.highs))


def _derives_next(
    rule: TemporalRule,
    sort: Sort,
    open_keys: set[Signature],
) -> bool:
    """Return whether a rule derives a predicate at t+1 from itself at t and from a choice.

    t is a value of the sort. `open_keys` are the predicates that are chosen or depend on choices.
    """
    uses = [use for use in rule.uses if (use.key, use.place) in sort.places and use.is_variable]
    heads = {_time_point(use, 0) for use in uses if use.head}
    body = [use for use in uses if not use.head]
    if not any(_time_point(use, 1) in heads for use in body):
        return False
    read = {use.key for use in body if not use.key[1].startswith(VARIABLE)}
    return not read.isdisjoint(open_keys)


def _time_point(
    use: TermUse,
    later: int,
) -> tuple[Signature, str, int]:
    """Return the predicate of a use, and the variable T and the number k of its time T+k.

    `later` is added to k: with 1, the result is that of the next time.
    """
    return use.key, use.name, use.shift + later


def _theory_rules(units: Iterable[Unit]) -> Unit:
    """Return a program's theory atoms as rules, which show how their times are related."""
    statements = chain.from_iterable(unit.statements for unit in units)
    return unit_of_text(as_rules(statements), "<theory>")


def is_single_shot(
    unit: Unit,
    horizon_constant: str | None,
) -> bool:
    """Return whether a unit without parts is a program that plans up to a horizon.

    `horizon_constant` is the constant that the user has named as its bound, if any.
    """
    if not any(syntax.is_choice(s) or syntax.is_constraint(s) for s in unit.statements):
        return False
    return horizon_constant is not None or is_over_time([unit])


def _refuse_open_atoms(unit: Unit) -> None:
    """Raise `InputError` at externals and scripts, which asplan cannot ground anew."""
    for statement in unit.statements:
        if statement.ast_type == ASTType.External:
            raise InputError(
                f"{statement} in a program without parts: nothing assigns its atoms",
                at=syntax.location(statement),
                hint="leave it out: without parts they are false; or write base, step(t), check(t)",
            )
        if statement.ast_type == ASTType.Script:
            raise InputError(
                "a script in a program without parts may ground and solve by itself",
                at=syntax.location(statement),
                hint="run it with clingo; asplan runs scripts of programs with the parts base, "
                "step(t) and check(t)",
            )


def program_text(
    files: Sequence[str],
    target: str | None,
    allow_includes: bool = False,
) -> str | None:
    """Return a program as text, converted into parts or into a program without parts.

    `target` is `incremental`, `single-shot`, or None for either. Returns None if the files are no
    program and `target` does not require one. Raises `UsageError` if the program already has this
    form.
    """
    units = tuple(read_unit(file, allow_includes) for file in files)
    unit = joined(units)
    if is_program(unit):
        if target == "single-shot":
            return single_shot_text(units)
        if target is None:
            return None
        raise UsageError(f"{files[0]} has parts already", hint="--to single-shot removes them")
    if not is_single_shot(unit, None):
        if target not in ("incremental", "single-shot"):
            return None
        raise UsageError(
            f"{files[0]} is not a planning program", hint="it has no choices that range over times"
        )
    if target not in (None, "incremental"):
        hint = "without --to it becomes incremental"
        raise UsageError(f"{files[0]} has no parts, so it is one already", hint=hint)
    horizon, bounded = find_horizon(units, {})
    return incremental_text(bounded, horizon, {})
