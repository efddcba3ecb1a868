"""The multi-shot controller: ground step by step, solve, until the goal holds or never can.

>>> from asplan.task import Task
>>> incremental(Task(files=("encoding.lp", "instance.lp")), print)     # doctest: +SKIP
Result(outcome=<Outcome.OPTIMAL: 'optimal'>, …)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from clingo import Function, Number

from asplan.asp.answer import Answer
from asplan.asp.contract import Contract, loop_limits, read_contract
from asplan.asp.plans import distinct, read_plan
from asplan.asp.program import Program, load, plan
from asplan.asp.rewrite import rewrite
from asplan.asp.schedule import parse_schedule
from asplan.asp.session import Session
from asplan.errors import InputError
from asplan.limits import Limits
from asplan.result import Outcome, Result, Seconds, Stop
from asplan.task import Report, Task, unheard

PREPROCESSING = "--sat-prepro=2,size=10"
"""What asplan sets beside clingo's defaults: eliminate variables and blocked clauses after each
ground call, unless it brought more than 10,000 clauses. `scripts/configurations.py` measured it."""

OPTIMIZATION = "--opt-strategy=usc"
"""For objectives at the shortest horizon: minimizing the number of moves in blocks world took a
second with core-guided search where branch and bound had not finished after a minute."""

_SETTLED = ("--configuration", "--sat-prepro")
"""Options that say how clauses are preprocessed; where one is given, asplan adds nothing."""


def solve(task: Task, report: Report) -> Result:
    """The engine `asp`: incremental, or one of the one-shot modes."""
    from asplan.asp import oneshot

    modes: dict[str, Callable[[Task, Report], Result]] = {
        "incremental": incremental,
        "fixed": oneshot.fixed,
        "minimize": oneshot.minimize,
    }
    return modes[task.options.mode or "incremental"](task, report)


def load_program(task: Task) -> Program:
    """The program of a task, rewritten so that late steps cost no more than early ones."""
    program = load(task.files, task.constants, bool(task.options.allow_scripts))
    return program if task.options.no_rewrite else rewrite(program)


def open_session(task: Task, program: Program, **constants: str) -> Session:
    """A session for a task, with clingo options in the order in which they win."""
    options = task.options
    words = [] if _names(options.clingo, *_SETTLED) else [PREPROCESSING]
    incremental = options.mode in (None, "incremental")
    if program.optimizes and incremental and not _names(options.clingo, "--opt-strategy"):
        words.append(OPTIMIZATION)
    if options.threads:
        words.append(f"--parallel-mode={options.threads}")
    if options.models not in (None, 1):
        words.append("--project=show")
    seconds = task.limits.seconds
    return Session(
        program,
        {**task.constants, **constants},
        options=[*words, *options.clingo],
        deadline=None if seconds is None else time.monotonic() + seconds,
    )


def _names(words: Iterable[str], *options: str) -> bool:
    """Whether some words for clingo name one of the options, which may be abbreviated."""
    given = [word.partition("=")[0] for word in words]
    return any(len(g) > 2 and option.startswith(g) for g in given for option in options)


def measured(session: Session, **fields: object) -> Result:
    """A result that carries the session's clock and counters."""
    seconds = Seconds(ground=session.ground_seconds, solve=session.solve_seconds)
    if "statistics" not in fields:
        fields["statistics"] = session.sized()
    return Result(seconds=seconds, **fields)  # type: ignore[arg-type]


def wanted_models(task: Task) -> int:
    """How many models to ask for; 0 is all."""
    return 1 if task.options.models is None else task.options.models


def incremental(task: Task, report: Report) -> Result:
    """Find a plan at the least horizon.

    A program that cuts at the constant `bound` is started again with the next bound whenever it
    is exhausted. It may cut only what is on no plan of at most `bound` steps, and then every
    horizon below the next bound is refuted.
    """
    program = load_program(task)
    run = _Run(task, program, open_session(task, program), report)
    while True:
        result = run.deepen()
        if run.next_bound is None:
            return result
        session = open_session(task, program, bound=str(run.next_bound))
        session.inherit(run.session)
        run = _Run(task, program, session, report, lower=run.next_bound)


@dataclass
class _Run:
    """One pass over the horizons. Every horizon below `lower` is refuted."""

    task: Task
    program: Program
    session: Session
    report: Report
    lower: int = 0
    grounded: int = 0
    exhausted: bool = False
    next_bound: int | None = None
    found: tuple[int, Answer] | None = None
    goal_at: int | None = None
    contract: Contract = field(init=False)
    limits: Limits = field(init=False)

    def deepen(self) -> Result:
        """Try the horizons of the schedule in turn."""
        self._tell("grounding horizon 0")
        self.session.ground_base()
        self.contract = read_contract(self.session, self.task.facts, "incremental")
        if self.program.plan_part:
            self.session.expect_facts()
        self.session.ground_step(0)
        make = parse_schedule(self.task.options.schedule or "linear")
        self.limits = loop_limits(self.session, self.task.limits)
        schedule = make(self.limits.min_horizon, self.contract.monotone)
        horizon = next(schedule)
        while True:
            if stopped := self._reach(horizon):
                return self._end(stopped)
            horizon = min(horizon, self.grounded)
            answer = self._try(horizon)
            if answer.satisfiable is None:
                return self._end(Stop.TIME)
            if not answer.satisfiable and (never := self._never(horizon, answer)):
                return never
            try:
                horizon = schedule.send(bool(answer.satisfiable))
            except StopIteration:
                return self._end(self._read_off())

    def _reach(self, horizon: int) -> Stop | None:
        """Ground up to a horizon, or to where nothing new can be reached."""
        limit = self.limits.max_horizon
        if limit is not None and horizon > limit:
            return Stop.HORIZON
        while self.grounded < horizon and not self.exhausted:
            t = self.grounded + 1
            self._tell(f"grounding horizon {t}")
            self.session.ground_step(t)
            self.grounded = t
            self.exhausted = self.session.holds(Function("exhausted", [Number(t)]))
            if self.session.overdue():
                return Stop.TIME
        return None

    def _try(self, horizon: int) -> Answer:
        self._tell(f"solving horizon {horizon}")
        self.session.demand(horizon)
        later = self.program.plan_part or self.program.optimizes
        answer = self.session.solve(horizon, 1 if later else wanted_models(self.task))
        if answer.satisfiable is False:
            self.session.refute(horizon)
            if self.contract.monotone or horizon == self.lower:
                self.lower = max(self.lower, horizon + 1)
        else:
            self.session.drop(horizon)
        if answer.satisfiable:
            self.goal_at = horizon
            if not self.program.plan_part:
                self.found = horizon, answer
        return answer

    def _read_off(self) -> Stop | None:
        """Solve once more where the goal was found, if a plan or its cost is still to be had.

        The part `plan` is grounded there, and an objective, which plays no part in the search for
        a horizon, is optimized.
        """
        horizon = self.goal_at
        if horizon is None or not (self.program.plan_part or self.program.optimizes):
            return None
        doing = "reading the plan off" if self.program.plan_part else "optimizing the cost at"
        self._tell(f"{doing} horizon {horizon}")
        if self.program.plan_part:
            self.session.ground([plan(horizon)])
        self.session.demand(horizon)
        answer = self.session.solve(horizon, wanted_models(self.task), self.program.optimizes)
        if answer.satisfiable is False:
            raise InputError(
                f"the goal holds at {horizon}, but with the part plan({horizon}) there is no "
                "answer set",
                mend="the part may describe plans, but not exclude all of them",
            )
        if answer.models:
            self.found = horizon, answer
        done = answer.proven if self.program.optimizes else answer.satisfiable
        return None if done else Stop.TIME

    def _never(self, horizon: int, answer: Answer) -> Result | None:
        """The result, if the refutation of a horizon refutes all later ones too."""
        if self.exhausted and horizon == self.grounded:
            bounds = [a.arguments[0].number for a in self.session.atoms("next_bound", 1)]
            if bounds:
                self.next_bound = min(bounds)
                return self._result()
            return self._no_plan(f"from step {horizon} on nothing new can be reached")
        powers_of_two = horizon & (horizon - 1) == 0
        suspicious = self.program.only_query and (answer.empty_core or powers_of_two)
        if suspicious and self.session.inconsistent(horizon):
            return self._no_plan(f"the program has no answer set from step {horizon} on")
        return None

    def _no_plan(self, proof: str) -> Result:
        if self.lower > self.grounded:
            return self._result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {proof}")
        return self._result(
            stopped=Stop.HORIZON, reason=f"{proof}, but smaller horizons were not tried"
        )

    def _end(self, stopped: Stop | None) -> Result:
        reason = self._stop_reason(stopped) if stopped else ""
        if self.found:
            reason = "; ".join(filter(None, [reason, self._plan_reason(*self.found)]))
        return self._result(stopped=stopped, reason=reason)

    def _plan_reason(self, horizon: int, answer: Answer) -> str:
        found = f"horizons {self.lower} to {horizon - 1} were not refuted"
        if self.lower >= horizon:
            found = shortest(horizon)
        dear = self.program.optimizes and not answer.proven
        return f"{found}; cheaper ones were not excluded" if dear else found

    def _stop_reason(self, stopped: Stop) -> str:
        if stopped == Stop.TIME:
            return f"{self.task.limits.time_reason()} at horizon {self.grounded}"
        return f"maximal horizon {self.limits.max_horizon} reached"

    def _result(self, **fields: object) -> Result:
        return measured(self.session, lower_bound=self.lower, **{**self._in_hand(), **fields})

    def _in_hand(self) -> dict[str, object]:
        if self.found is None:
            return {}
        horizon, answer = self.found
        plans = (read_plan(atoms, horizon, self.program.time_of_occurs) for atoms in answer.models)
        return {
            "outcome": Outcome.OPTIMAL if self.lower >= horizon else Outcome.PLAN,
            "horizon": horizon,
            "cost": answer.cost or None,
            "plans": distinct(plans) if self.program.plans else (),
            "atoms": tuple(str(atom) for atom in answer.models[0]),
        }

    def _tell(self, doing: str) -> None:
        if self.report is unheard:
            return
        counters = replace(self.session.statistics, steps=())
        self.report(self._result(reason=doing, statistics=counters))


def shortest(horizon: int) -> str:
    """In words: a plan of this length is proven shortest."""
    if horizon == 0:
        return "the goal holds at the start"
    return f"shortest: {horizon - 1} steps refuted, {horizon} found"
