"""Options of clingo: asplan's additions, and checks of the options that the user gives."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from asplan.core.errors import UsageError
from asplan.program.incremental import Program

PREPROCESSING = "--sat-prepro=2,size=10"
"""asplan's addition to clingo's defaults: eliminate variables and blocked clauses after each ground
call, unless the call added more than 10,000 clauses. `scripts/configurations.py` measured it. It is
not used for programs with sums: these are solved faster without it."""

SAFE = "--trans-ext=no"
"""Keeps preprocessing from losing plans: a helper atom that clasp 3.4 makes of a constraint or a
disjunction may share the variable of an atom of the program, which is not kept for later steps."""

NO_PREPROCESSING = "--sat-prepro=no"

OPTIMIZATION = "--opt-strategy=usc"
"""Core-guided optimization. The fewest moves in a blocks world took a second with it, and more than
a minute with branch and bound, clingo's default. On warehouse problems of courses branch and bound
takes a tenth of its time."""


class _Refused(NamedTuple):
    """An option that users cannot set, with its long and short form and the reason.

    clingo accepts abbreviations of the long form with at least `least` characters.
    """

    long: str
    short: str
    least: int
    reason: str


_CONSTANTS = "constants are set with asplan's own -c NAME=VALUE"
_MODELS = "asplan itself counts answer sets and decides when to stop"
_VARIABLE = "the fact asplan(minimize(VARIABLE)). in the program does that"
_REFUSED = (
    _Refused("--const", "-c", len("--cons"), _CONSTANTS),
    _Refused("--single-shot", "--single-shot", len("--si"), _MODELS),
    _Refused("--enum-mode", "-e", len("--en"), _MODELS),
    _Refused("--minimize-variable", "--minimize-variable", len("--mini"), _VARIABLE),
)


def require_allowed(options: Iterable[str]) -> None:
    """Raise `UsageError` if an option of clingo is one that asplan has to set itself."""
    for option in options:
        for refused in _REFUSED:
            if _is_named(option, refused):
                raise UsageError(f"{option}: {refused.reason}")


def _is_named(option: str, refused: _Refused) -> bool:
    if option.startswith(refused.short):
        return True
    name = option.partition("=")[0]
    return len(name) >= refused.least and refused.long.startswith(name)


def preprocessing_options(
    given: Sequence[str],
    program: Program,
    hurried: bool,
) -> list[str]:
    """Return the options for preprocessing that asplan adds to the user's options in `given`.

    `hurried` is true if the search is for any plan, which is faster without preprocessing. Raises
    `UsageError` if the user's options would make clingo lose plans.
    """
    if {NO_PREPROCESSING, "--sat-prepro=0", "--no-sat-prepro"}.intersection(given):
        return []
    is_given = names_option(given, "--sat-prepro")
    if program.theory:
        if is_given:
            raise UsageError(
                f"--sat-prepro: {program.theory.tool} looks at atoms that preprocessing removes",
                hint="leave it out: asplan does without it for programs with theory atoms",
            )
        return [NO_PREPROCESSING]
    if names_option(given, "--trans-ext"):
        raise UsageError(
            "--trans-ext: clasp loses plans if it translates constraints, preprocesses clauses and "
            "solves several times",
            hint="add --sat-prepro=no",
        )
    if is_given:
        return [SAFE]
    if program.weighs or hurried:
        return [NO_PREPROCESSING]
    return [SAFE] if names_option(given, "--configuration") else [PREPROCESSING, SAFE]


def uses_branch_and_bound(options: Iterable[str]) -> bool:
    """Return whether the last `--opt-strategy` among the options is branch and bound."""
    strategies = [option for option in options if names_strategy([option])]
    return bool(strategies) and strategies[-1].partition("=")[2].startswith("bb")


def names_strategy(options: Iterable[str]) -> bool:
    """Return whether `--opt-strategy` is among the options."""
    return names_option(options, "--opt-strategy")


def names_option(options: Iterable[str], name: str) -> bool:
    """Return whether the option `name`, or an abbreviation of it, is among the options."""
    given = [option.partition("=")[0] for option in options]
    return any(len(each) > 2 and name.startswith(each) for each in given)
