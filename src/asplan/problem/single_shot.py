"""Programs without parts that plan up to a horizon: into parts, or grounded anew; and back."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from asplan.core.errors import InputError, UsageError
from asplan.core.files import STDIN
from asplan.problem.instance import is_constraint
from asplan.problem.problem import TEXT, Inputs, Problem, is_program
from asplan.program import syntax
from asplan.program.conversion import convert
from asplan.program.horizon import find_horizon, is_over_time
from asplan.program.incremental import refuse_unused
from asplan.program.inputs import missing_instance
from asplan.program.normal import NotConvertible
from asplan.program.roles import parse_action
from asplan.program.sorts import TIME, Sort, Sorts, sorts_of
from asplan.program.syntax import ASTType, Signature
from asplan.program.theory_times import VARIABLE, as_rules
from asplan.program.unit import Unit, joined, read_unit, unit_of_text
from asplan.program.writing import incremental_text, single_shot_text


def load_single_shot(
    inputs: Inputs, files: tuple[str, ...], units: tuple[Unit, ...]
) -> Problem | None:
    """A program without parts that plans up to a horizon: in parts, if it can be converted."""
    if not _plans(inputs, units):
        return None
    _refuse_decided(joined(units))
    told = (*units, _of_theory(units))
    try:
        actions = frozenset(map(parse_action, inputs.actions))
        horizon, (*parts_of, _) = find_horizon(
            told, inputs.constants, inputs.horizon_constant, actions
        )
    except InputError as error:
        raise missing_instance(joined(units)) or error from None
    changed = tuple(parts_of)
    name = max(zip(files, units, strict=True), key=lambda pair: len(pair[1].statements))[0]
    most = "" if horizon.most is None else f", at most {horizon.most}"
    bound = f"{horizon.text} is the horizon ({horizon.at.file}:{horizon.at.line}){most}"
    if horizon.moved:
        lines = " and ".join(f"{file}:{line}" for file, line in horizon.moved)
        bound += f", and so is its number in {lines}"
    fresh = Problem(
        files=files,
        units=changed,
        encoding=name,
        path=None if name in (STDIN, TEXT) else Path(name),
        given={n: value for n, value in inputs.constants.items() if n != horizon.constant},
        constants=inputs.constants,
        is_whole=True,
        is_replayed=True,
        horizon=horizon,
        actions=inputs.actions,
    )
    fresh.program  # noqa: B018  what is wrong with it is said now
    anew = "each horizon is grounded anew"
    if inputs.fresh:
        return replace(fresh, way=f"{bound}: {anew} (--fresh)")
    refuse_unused(fresh.given, changed)
    try:
        parts = convert(changed, horizon, fresh.given)
    except NotConvertible as error:
        why = error.message + (f" ({error.at.file}:{error.at.line})" if error.at else "")
        return replace(fresh, way=f"{bound}; {why}: {anew}")
    way = f"{bound}: converted into base, step(t) and check(t)"
    return replace(fresh, units=parts, fresh_units=changed, way=way)


def _plans(inputs: Inputs, units: Iterable[Unit]) -> bool:
    """Whether units without parts plan up to a horizon, their theory atoms counted."""
    unit = joined([*units, (told := _of_theory(units))])
    if not is_single_shot(unit, inputs.horizon_constant):
        return False
    if inputs.horizon_constant or not told.statements[1:]:
        return True
    # A schedule goes from one operation to the next, too, but by no choice at a time of a domain.
    sorts = sorts_of(unit)
    chosen = {
        syntax.signature(a) for s in unit.statements if syntax.is_choice(s) for a in syntax.heads(s)
    }
    likely = [sort for sort in sorts.found if sort.score > 0 and sort.steps]
    return bool(likely) and _is_plan(sorts, likely[0], chosen)


def _is_plan(sorts: Sorts, sort: Sort, chosen: set[Signature]) -> bool:
    """Whether a program with theory atoms plans over a sort.

    It has a domain, whose last value is a constant or whose name says that it is of times; what
    was chosen at a value of it decides what comes next; and no choice gives each thing its place.
    """
    for statement in filter(syntax.is_choice, (clause.statement for clause in sorts.clauses)):
        given = {v.name for v in syntax.find(ASTType.Variable, statement.body)}
        terms = [
            syntax.arguments(a)[i]
            for a in syntax.heads(statement)
            for k, i in sort.places
            if k == syntax.signature(a)
        ]
        if (
            given
            and given.isdisjoint(v.name for v in syntax.find(ASTType.Variable, terms))
            and terms
        ):
            return False
    domains = {name for _, name, _ in sort.unary - chosen if not name.startswith(VARIABLE)}
    ends = [*sort.bounds, *(high for high, *_ in sort.ends)]
    bounded = any(not end.is_variable and end.name for end in ends)
    if not domains or not (bounded or any(map(TIME.fullmatch, domains))):
        return False
    open_ = {key for key, _ in sort.places if key in sorts.open and key not in sort.unary - chosen}
    for clause in sorts.clauses:
        uses = [u for u in clause.uses if (u.key, u.place) in sort.places and u.is_variable]
        shifts = {(u.key, u.name, u.shift) for u in uses if u.head}
        goes_on = any((u.key, u.name, u.shift + 1) in shifts for u in uses if not u.head)
        told = {u.key for u in uses if not u.head and not u.key[1].startswith(VARIABLE)}
        if goes_on and not told.isdisjoint(open_):
            return True
    return False


def _of_theory(units: Iterable[Unit]) -> Unit:
    """What the theory atoms of a program without parts tell of its times."""
    return unit_of_text(as_rules(s for unit in units for s in unit.statements), "<theory>")


def is_single_shot(unit: Unit, named: str | None) -> bool:
    """Whether a file without parts is a program that plans up to a horizon."""
    guesses = any(syntax.is_choice(s) or is_constraint(s) for s in unit.statements)
    return guesses and (named is not None or is_over_time([unit]))


def _refuse_decided(unit: Unit) -> None:
    """Raise `InputError` at what keeps a program from being grounded anew for each horizon."""
    for statement in unit.statements:
        if statement.ast_type == ASTType.External:
            what = f"{statement} in a program without parts: nobody decides its atoms"
            hint = "leave it out: without parts they are false; or write base, step(t), check(t)"
            raise InputError(what, at=syntax.location(statement), hint=hint)
        if statement.ast_type == ASTType.Script:
            raise InputError(
                "a script in a program without parts may ground and solve by itself",
                at=syntax.location(statement),
                hint="clingo runs it; asplan runs scripts of programs with the parts base, step(t) "
                "and check(t)",
            )


def program_text(
    files: Sequence[str], target: str | None, allow_includes: bool = False
) -> str | None:
    """The program in some files in its other form, which is not `target`; None if they are none."""
    units = tuple(read_unit(file, allow_includes) for file in files)
    unit = joined(units)
    if is_program(unit):
        if target == "single-shot":
            return single_shot_text(units)
        if target is None:
            return None
        raise UsageError(f"{files[0]} has parts already", hint="--to single-shot takes them away")
    if not is_single_shot(unit, None):
        if target not in ("incremental", "single-shot"):
            return None
        raise UsageError(f"{files[0]} is no planning program", hint="it chooses nothing over times")
    if target not in (None, "incremental"):
        hint = "without --to it becomes incremental"
        raise UsageError(f"{files[0]} has no parts, so it is one already", hint=hint)
    horizon, changed = find_horizon(units, {})
    return incremental_text(changed, horizon, {})
