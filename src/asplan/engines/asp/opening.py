"""From a run to a session: the program rewritten, and clingo with the options that it gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from asplan.core.errors import UsageError
from asplan.engines.asp.configuration import WATCH
from asplan.engines.asp.fresh import session_of
from asplan.engines.asp.options import AspOptions
from asplan.engines.asp.session import Effort, Session
from asplan.engines.run import Run
from asplan.program.contract import Contract, read_contract
from asplan.program.incremental import Program, with_query
from asplan.program.rewrite import rewrite

PREPROCESSING = "--sat-prepro=2,size=10"
"""What asplan sets beside clingo's defaults: eliminate variables and blocked clauses after each
ground call, unless it brought more than 10,000 clauses. `scripts/configurations.py` measured it.
Sums are better translated than preprocessed, so programs that have them do without."""

SAFE = "--trans-ext=no"
"""Keeps preprocessing from losing plans. Where clasp translates a constraint or a disjunction into
rules, it makes helper atoms; an atom of the program that is found equivalent to one of them shares
its variable, and clasp 3.4 does not keep that variable for later steps (it freezes the atoms of
the program, not the helpers, in `LogicProgram::addConstraints`). Solving again then says, wrongly,
that there is no plan."""

OPTIMIZATION = "--opt-strategy=usc"
"""Core-guided search: minimizing the number of moves in blocks world took it a second where branch
and bound, clingo's default, had not finished after a minute. On warehouses of courses branch and
bound takes a tenth of the time of core-guided search."""

NO_PREPROCESSING = "--sat-prepro=no"


def prepare(run: Run[Any]) -> Program:
    """The program of a run, rewritten so that late steps cost no more than early ones.

    Raises `InputError` where invariants are wanted of a program whose steps differ.
    """
    program = run.problem.program
    if run.options.invariants:
        from asplan.statespace.invariants import with_invariants

        run.tell("looking for invariants")
        program = with_invariants(program, run.problem.given)
    return complete_program(run, program)


def complete_program(run: Run[Any], program: Program) -> Program:
    """A program as it is grounded; `prepare` without the invariants."""
    program = with_query(program)
    if program.written.minimized is not None:
        from asplan.engines.asp.lessening import with_bounds

        program = with_bounds(program, run.options.models)
    return program if run.options.no_rewrite or program.horizon else rewrite(program)


class Opener(Protocol):
    """Opens a session for a run, with the effort to go on counting, and more constants.

    Each engine with a solver of its own has one.
    """

    def __call__(
        self, run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
    ) -> Session: ...


def open_session(
    run: Run[AspOptions], program: Program, effort: Effort | None = None, **constants: str
) -> Session:
    """A session for a run, with clingo options in the order in which they win."""
    options = run.options
    words = _preprocessing(options.clingo, program, bool(options.first))
    if options.first and program.written.guide:
        constants = {program.written.guide: "1", **constants}
        words.append("--heuristic=Domain")
    incremental = options.mode in (None, "incremental")
    if program.weighs_values and (options.models not in (None, 1) or options.mode == "minimize"):
        what = "--mode minimize" if options.mode == "minimize" else f"--models {options.models}"
        raise UsageError(f"{what}: a theory's objective gives one best plan of a horizon")
    core_guided = program.optimizes and incremental and not names_strategy(options.clingo)
    if core_guided and not takes_turns(run, program):
        words.append(OPTIMIZATION)
    if options.threads:
        words.append(f"--parallel-mode={options.threads}")
    if options.models not in (None, 1):
        words.append("--project=show")
    if chooses(run, program):
        words.append(WATCH)
    words += options.clingo
    given = {**run.problem.given, **constants}
    return session_of(program, given, words, deadline=run.deadline, effort=effort)


def chooses(run: Run[Any], program: Program) -> bool:
    """Whether asplan may choose clasp's configuration: nobody has, and one plan is looked for."""
    options = run.options
    free = not (options.clingo or options.first or options.schedule or program.optimizes)
    fixed = program.horizon or program.plan_part or program.theory or program.written.cuts
    return isinstance(options, AspOptions) and free and not fixed and not options.threads


def takes_turns(run: Run[Any], program: Program) -> bool:
    """Whether both ways to optimize take turns: nobody chose, and one best plan is wanted."""
    options = run.options
    if not isinstance(options, AspOptions) or options.models not in (None, 1):
        return False
    chosen = names_strategy(options.clingo) or options.optimal or options.threads
    return bool(program.optimizes and not chosen and not program.theory)


def begin(run: Run[Any], session: Session, mode: str) -> Contract:
    """Ground what comes first, and read what the program says to asplan.

    The effort of the session is counted as the run's, and what it chooses is kept for a replay.
    Raises `InputError` where the program refuses the instance or cannot be grounded, `UsageError`
    where it does not serve the mode.
    """
    run.effort = session.effort
    if run.problem.is_replayed:
        session.watched = session.program.choices
    session.ground_first()
    return read_contract(session.claims(), lambda fact: run.problem.facts.at(fact), mode)


def wanted_models(run: Run[Any]) -> int:
    """How many models to ask for; 0 is all."""
    return 1 if run.options.models is None else run.options.models


def _preprocessing(given: Sequence[str], program: Program, hurried: bool) -> list[str]:
    """The words to add about preprocessing; raises `UsageError` if those given are unsafe.

    Where a plan is wanted soon, many steps are grounded that are hardly searched, so that
    preprocessing them takes longer than it saves.
    """
    if {NO_PREPROCESSING, "--sat-prepro=0", "--no-sat-prepro"}.intersection(given):
        return []
    if program.theory:
        if _names(given, "--sat-prepro"):
            raise UsageError(
                f"--sat-prepro: {program.theory.tool} looks at atoms that preprocessing removes",
                hint="leave it out: asplan does without it for programs with theory atoms",
            )
        return [NO_PREPROCESSING]
    if _names(given, "--trans-ext"):
        raise UsageError(
            "--trans-ext: translated constraints and preprocessed clauses do not go together in "
            "clasp: plans are lost when it solves again and again",
            hint="add --sat-prepro=no",
        )
    if _names(given, "--sat-prepro"):
        return [SAFE]
    if program.weighs or hurried:
        return [NO_PREPROCESSING]
    return [SAFE] if _names(given, "--configuration") else [PREPROCESSING, SAFE]


def branches(words: Iterable[str]) -> bool:
    """Whether some words for clingo ask for branch and bound."""
    values = [word.partition("=")[2] for word in words if _names([word], "--opt-strategy")]
    return bool(values) and values[-1].startswith("bb")


def names_strategy(words: Iterable[str]) -> bool:
    """Whether some words for clingo say how to optimize."""
    return _names(words, "--opt-strategy")


def _names(words: Iterable[str], option: str) -> bool:
    """Whether some words for clingo name an option, which may be abbreviated."""
    given = [word.partition("=")[0] for word in words]
    return any(len(g) > 2 and option.startswith(g) for g in given)
