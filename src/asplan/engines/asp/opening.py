"""From a run to a session: the program rewritten, clingo's options, and which horizons are tried.

A schedule is a generator: it yields attempts and is sent what came of each: True where a plan was
found, False where there is none, None where the attempt was given up. It ends when nothing is left
to learn, or a plan is all that was wanted.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from clingo import Control, SymbolType

from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.limits import Limits
from asplan.core.text import LARGEST, parse_natural
from asplan.engines.asp.session import Effort, Session, session_of
from asplan.engines.run import Run
from asplan.problem.catalog import find_encoding
from asplan.problem.problem import Problem
from asplan.program.contract import Contract, read_contract
from asplan.program.ground import read_counters
from asplan.program.incremental import LOOP_CONSTANTS, Program, with_query
from asplan.program.rewrite import rewrite
from asplan.program.theory import CON, DL
from asplan.program.unit import HELPER, Section

PREPROCESSING = "--sat-prepro=2,size=10"
"""What asplan sets beside clingo's defaults: eliminate variables and blocked clauses after each
ground call, unless it brought more than 10,000 clauses. `scripts/configurations.py` measured it.
Sums are better translated than preprocessed, so programs that have them do without."""

SAFE = "--trans-ext=no"
"""Keeps preprocessing from losing plans: a helper atom that clasp 3.4 makes of a constraint or a
disjunction may share the variable of an atom of the program, which is not kept for later steps."""

OPTIMIZATION = "--opt-strategy=usc"
"""Core-guided: moves in blocks world took a second, and with branch and bound, clingo's default,
more than a minute; on warehouses of courses that takes a tenth of the time."""

NO_PREPROCESSING = "--sat-prepro=no"

BOUND, AT_MOST = "asplan_bound", f"{HELPER}at_most"
"""The part by which a variable of a theory is bounded, and the external that says so."""


def prepare(run: Run[Any]) -> Program:
    """The program of a run, rewritten so that late steps cost no more than early ones."""
    program = run.problem.program
    if run.options.invariants:
        from asplan.statespace.invariants import with_invariants

        run.tell("looking for invariants")
        program = with_invariants(program, run.problem.given)
    return complete_program(run, program)


def complete_program(run: Run[Any], program: Program) -> Program:
    """A program as it is grounded; `prepare` without the invariants."""
    program = with_query(program)
    if (variable := program.written.minimized) is not None:
        # It gets a part by which that variable of its theory is bounded.
        if program.theory not in (DL, CON):
            what = "the program has no variables of clingo-dl or clingcon"
            raise InputError(f"asplan(minimize({variable})): {what}")
        if run.options.models not in (None, 1):
            what = f"asplan(minimize({variable})) looks for one plan, so --models has no use"
            raise UsageError(what)
        is_dl = program.theory is DL
        atom = f"&diff {{ {variable} - 0 }}" if is_dl else f"&sum {{ {variable} }}"
        rules = f"#external {AT_MOST}(b). {atom} <= b :- {AT_MOST}(b)."
        program = program.with_sections(Section.of_text(BOUND, "b", rules))
    return program if run.options.no_rewrite or program.horizon else rewrite(program)


Opener = Callable[..., Session]
"""Opens a session for a run and a program, with the effort to go on counting, and constants."""


def open_session(
    run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
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
    return bool(options.by_clingo and free and not fixed and not options.threads)


def can_search_states(run: Run[Any], program: Program) -> bool:
    """Whether states are searched as well: nobody said no, and horizons are tried in turn."""
    options, problem = run.options, run.problem
    if not options.by_clingo or options.no_states or options.clingo:
        return False
    constants = set(problem.given).union(*(unit.definitions for unit in problem.units))
    if is_parallel(problem) and not _has_states(problem):
        return False
    return not (
        options.first
        or options.schedule
        or program.horizon
        or program.plan_part
        or (program.theory and not is_parallel(problem))
        or program.written.cuts
        or program.written.estimates
        or constants.intersection(LOOP_CONSTANTS)
    )


def is_parallel(problem: Problem) -> bool:
    """Return whether the steps of the problem's domain may hold several actions."""
    return problem.domain is not None and problem.domain.parallel


def _has_states(problem: Problem) -> bool:
    """Return whether the states of the model are those of the encoding, which ships."""
    model, domain, encoding = problem.model, problem.domain, problem.encoding
    if model is None or domain is None or encoding is None or problem.is_replayed:
        return False
    return model.unexplored() is None and find_encoding(encoding, domain.name).domain == domain.name


def takes_turns(run: Run[Any], program: Program) -> bool:
    """Return whether both ways to optimize take turns, as nobody chose one of them."""
    options = run.options
    chosen = names_strategy(options.clingo)
    if options.by_clingo:
        chosen |= bool(options.optimal or options.threads)
    return program.optimizes and not (chosen or program.theory)


def begin(run: Run[Any], session: Session, mode: str) -> Contract:
    """Ground what comes first, counted as the run's, and read what the program says to asplan."""
    run.effort = session.effort
    if run.problem.is_replayed:
        session.watched = session.program.choices
    elif run.problem.domain is not None:
        session.watched = run.problem.domain.operators
    session.ground_first()
    return read_contract(session.claims(), lambda fact: run.problem.facts.at(fact), mode)


def check_exact(run: Run[Any]) -> None:
    """Raise `UsageError` for a program whose answers need not be plans."""
    if run.problem.program.written.estimates:
        raise UsageError(
            f"{run.problem.encoding} estimates what lies beyond its horizon, so its answers need "
            "not be plans",
            hint="say --optimal actions or --optimal cost, or take another encoding",
        )


def wanted_models(run: Run[Any]) -> int:
    """How many models to ask for; 0 is all."""
    return 1 if run.options.models is None else run.options.models


def _preprocessing(given: Sequence[str], program: Program, hurried: bool) -> list[str]:
    """The words about preprocessing, which takes longer than it saves where plans come soon."""
    if {NO_PREPROCESSING, "--sat-prepro=0", "--no-sat-prepro"}.intersection(given):
        return []
    if program.theory:
        if _names(given, "--sat-prepro"):
            what = f"--sat-prepro: {program.theory.tool} looks at atoms that preprocessing removes"
            hint = "leave it out: asplan does without it for programs with theory atoms"
            raise UsageError(what, hint=hint)
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


# Which of clasp's configurations goes on with a search, by the lemmas of its first conflicts. What
# was learnt at the first horizon that takes some effort tells whether another configuration than
# the default is likely to be faster; a fresh clingo with that one goes on, and keeps what is
# refuted. No clock is looked at, so that a program gets the same configuration, and the same plan,
# each time. `scripts/configuration_choice.py` has the evidence.

WATCH = "--stats=2"  # clasp counts the literals of its lemmas, which takes no time

JUMPY = "--configuration=jumpy"

ENOUGH = 1000  # conflicts in one solve call before its lemmas are looked at
LONG = 80  # literals of a lemma, on the average, from which on they are long

A_CALL = 20  # conflicts that a solve call is worth by itself

REGROUNDED = 25  # rules grounded again for a conflict so far: both take about as long


def read_signs(control: Control) -> tuple[float, int, int]:
    """What the last solve call has shown: the literals of a lemma, positive cycles, and rules.

    The first of them is an average; the control was made with `WATCH`.
    """
    extra = ("solving", "solvers", "extra")
    lemmas, literals = read_counters(control, extra, ("lemmas", "lits_learnt"))
    cycles, rules = read_counters(control, ("problem", "lp"), ("sccs", "rules"))
    return literals / max(1, lemmas), cycles, rules


def conflicts_worth(rules: int) -> int:
    """How many conflicts cost as much as grounding so many rules again."""
    return -(-rules // REGROUNDED)


def another(length: float, cycles: int, rules: int, effort: int) -> tuple[str, str] | None:
    """The configuration to go on with, and why; None where the default stays.

    Nothing is worth a change that costs more than the search so far. The default suits programs
    with positive cycles, as labyrinths. Where lemmas are long (plans from facts of PDDL: 333 to 575
    literals) `jumpy` took a seventh to two fifths of the time; with fewer than 80 it was faster on
    some and slower on as many.
    """
    if conflicts_worth(rules) > effort or cycles:
        return None
    if length >= LONG:
        return JUMPY, f"lemmas had {length:.0f} literals"
    return None


def loop_limits(session: Session, limits: Limits) -> Limits:
    """The limits with what `imin` and `imax` of clingo's own loop say; limits that were set win.

    That loop stops at the first plan once it has tried `imin` horizons, and tries `imax` of them.
    """
    stop = session.control.get_const("istop")
    if stop is not None and str(stop).strip('"') != "SAT":
        hint = "asplan stops at a plan; --min-horizon N says where to begin"
        raise UsageError(f"istop={stop} asks the loop to go on after a plan", hint=hint)

    def number(name: str) -> int | None:
        value = session.control.get_const(name)
        if value is not None and (value.type != SymbolType.Number or value.number < 0):
            raise UsageError(f"{name}={value} is no number of horizons")
        return None if value is None else value.number

    least, most = number("imin"), number("imax")
    if least and not limits.min_horizon:
        limits = replace(limits, min_horizon=least - 1)
    if most is not None and limits.max_horizon is None:
        limits = replace(limits, max_horizon=most - 1)
    return limits


class Attempt(NamedTuple):
    """A horizon to try, and after how many conflicts to give it up; None is never."""

    horizon: int
    conflicts: int | None = None


Schedule = Generator[Attempt, bool | None, None]

CONFLICTS = 2000  # of an attempt among several horizons that share the time, in the first round
PATIENCE = 1.5  # by how much an attempt may be longer in each round than in the one before


def linear(first: int) -> Schedule:
    """Every horizon in turn, until a plan is found."""
    for horizon in count(first):
        if (yield Attempt(horizon)):
            return


def stride(first: int, width: int, monotone: bool) -> Schedule:
    """Every `width`-th horizon; once a plan is found, downward until one is refuted.

    Going down needs a monotone program: for others a smaller horizon is a different program.
    """
    horizon, refuted = first, first - 1
    while not (yield Attempt(horizon)):
        refuted, horizon = horizon, horizon + width
    while monotone and horizon - 1 > refuted:
        horizon -= 1
        if not (yield Attempt(horizon)):
            return


def parallel(first: int, width: int) -> Schedule:
    """Several horizons share the time, in rounds, until a plan is found at one of them.

    One that is refuted makes room for one beyond the others; the distances grow (Rintanen,
    Evaluation Strategies for Planning as Satisfiability, 2004, algorithm A). It needs a monotone
    program, where the refutation of one horizon is one of all that are less.
    """
    open_horizons, farthest, conflicts = [first], first, float(CONFLICTS)
    while True:
        while len(open_horizons) < width:
            farthest += 1 + farthest // 4
            open_horizons.append(farthest)
        for horizon in list(open_horizons):
            if horizon not in open_horizons:
                continue
            found = yield Attempt(horizon, int(min(conflicts, LARGEST)))
            if found:
                return
            if found is False:
                open_horizons = [h for h in open_horizons if h > horizon]
        conflicts *= PATIENCE


def parse_schedule(text: str) -> Callable[[int, bool], Schedule]:
    """The schedule that `linear`, `stride:K` or `parallel:B` names."""
    name, _, argument = text.partition(":")
    if name == "linear" and not argument:
        return lambda first, monotone: linear(first)
    forms = {"stride": "K in stride:K", "parallel": "B in parallel:B"}
    if name not in forms:
        known = ["linear", "stride:K", "parallel:B"]
        raise UsageError(f"unknown schedule {text!r}", hint=nearest(text, known, noun="schedules"))
    width = parse_natural(argument)
    if not width:
        raise UsageError(f"schedule {text!r}: {forms[name]} is a number from 1 to {LARGEST}")

    def make(first: int, monotone: bool) -> Schedule:
        if name == "stride":
            return stride(first, width, monotone)
        if not monotone:
            raise UsageError(
                "schedule parallel:B: the refutation of a horizon must be one of all that are less",
                hint="it is for programs that say asplan(monotone).",
            )
        return parallel(first, width)

    return make
