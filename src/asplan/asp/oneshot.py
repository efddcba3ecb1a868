"""The one-shot modes: ground all steps up to N, then solve once.

`fixed` asks for a plan of at most N steps, `minimize` for the shortest of them. Both lean on the
program being monotone; where it does not say so, `fixed` speaks about exactly N steps, and
`minimize` cannot call its plan shortest.
"""

from __future__ import annotations

from asplan.asp.answer import Answer
from asplan.asp.contract import Contract, read_contract
from asplan.asp.controller import load_program, measured, open_session, shortest, wanted_models
from asplan.asp.plans import distinct, read_plan, without_idle_end
from asplan.asp.program import QUERY, Program
from asplan.asp.session import Session
from asplan.errors import UsageError
from asplan.result import Outcome, Result, Stop
from asplan.task import Report, Task

_OBJECTIVE = f"""
:- not 1 {{ {QUERY}(T) }} 1.
#minimize {{ T@1000000 : {QUERY}(T) }}.
"""


def fixed(task: Task, report: Report) -> Result:
    """A plan of at most N steps (of exactly N, if the program is not monotone)."""
    program, session, contract, n = _ground(task, report, "fixed")
    if session.overdue():
        return _stopped(session, task)
    session.demand(n)
    answer = session.solve(n, wanted_models(task), program.optimizes)
    if not answer.satisfiable:
        return _refuted(session, program, contract, task, answer)
    plans = [read_plan(atoms, n, program.time_of_occurs) for atoms in answer.models]
    if contract.monotone:
        plans = [without_idle_end(plan) for plan in plans]
    shown = program.plans and bool(plans)
    return measured(
        session,
        outcome=Outcome.PLAN,
        reason=f"found with {_reach(contract)} {n} steps; shorter ones were not looked for",
        horizon=len(plans[0]) if shown else n,
        cost=answer.cost or None,
        plans=distinct(plans) if shown else (),
        atoms=tuple(str(atom) for atom in answer.models[0]),
    )


def minimize(task: Task, report: Report) -> Result:
    """The shortest plan of at most N steps: `query` is left open, and its time minimized."""
    program, session, contract, n = _ground(task, report, "minimize", _OBJECTIVE)
    if session.overdue():
        return _stopped(session, task)
    for t in range(n + 1):
        session.leave_open(t)

    def best(answer: Answer) -> Result:
        return _best(answer, session, program, contract, task)

    answer = session.solve(
        n, wanted_models(task), optimize=True, on_better=lambda found: report(best(found))
    )
    return best(answer) if answer.models else _refuted(session, program, contract, task, answer)


def _best(
    answer: Answer, session: Session, program: Program, contract: Contract, task: Task
) -> Result:
    horizon, *cost = answer.cost
    plans = (read_plan(atoms, horizon, program.time_of_occurs) for atoms in answer.models)
    proven = answer.proven and contract.monotone
    return measured(
        session,
        outcome=Outcome.OPTIMAL if proven else Outcome.PLAN,
        stopped=None if answer.proven else Stop.TIME,
        reason=_minimal(answer, contract, horizon),
        horizon=horizon,
        lower_bound=horizon if proven else 0,
        cost=tuple(cost) or None,
        plans=distinct(plans) if program.plans else (),
        atoms=tuple(str(atom) for atom in answer.models[0]),
    )


def _ground(
    task: Task, report: Report, mode: str, objective: str = ""
) -> tuple[Program, Session, Contract, int]:
    n = task.options.horizon
    assert n is not None, f"mode {mode} needs a horizon"
    program = load_program(task)
    if program.plan_part:
        raise UsageError(f"a program with a part plan(t) does not serve the mode {mode}")
    session = open_session(task, program)
    session.ground_base()
    contract = read_contract(session, task.facts, mode)
    session.ground_step(0)
    for t in range(1, n + 1):
        if session.overdue():
            break
        report(measured(session, reason=f"grounding horizon {t}"))
        session.ground_step(t)
    if objective:
        session.control.add("asplan_objective", [], objective)
        session.ground([("asplan_objective", [])])
    report(measured(session, reason=f"solving horizon {n}"))
    return program, session, contract, n


def _refuted(
    session: Session, program: Program, contract: Contract, task: Task, answer: Answer
) -> Result:
    if answer.satisfiable is None:
        return _stopped(session, task)
    n = task.options.horizon or 0
    for t in range(n + 1):
        session.drop(t)
    speaks_of_all = contract.monotone and program.only_query and task.options.mode == "fixed"
    if speaks_of_all and session.inconsistent(n):
        return measured(
            session,
            outcome=Outcome.UNSOLVABLE,
            lower_bound=n + 1,
            reason=f"no plan exists: the program has no answer set from step {n} on",
        )
    bound = n + 1 if contract.monotone else 0
    return measured(session, lower_bound=bound, reason=f"no plan of {_reach(contract)} {n} steps")


def _reach(contract: Contract) -> str:
    return "at most" if contract.monotone else "exactly"


def _stopped(session: Session, task: Task) -> Result:
    return measured(session, stopped=Stop.TIME, reason=task.limits.time_reason())


def _minimal(answer: Answer, contract: Contract, horizon: int) -> str:
    if not answer.proven:
        return "shorter plans were not refuted"
    if not contract.monotone:
        return "the program does not say asplan(monotone), so a shorter plan may exist"
    return shortest(horizon)
