"""asplan as an engine of unified-planning, which has one Python API for many planners.

`engine` is what unified-planning calls. A problem goes to asplan as PDDL text, which `writing`
writes; `questions` says what is asked, and puts the answer into unified-planning's words.

>>> from unified_planning.shortcuts import Fluent, InstantaneousAction, Problem
>>> lit = Fluent("lit")
>>> press = InstantaneousAction("press")
>>> press.add_effect(lit, True)
>>> lamp = Problem("lamp")
>>> _ = lamp.add_fluent(lit, default_initial_value=False)
>>> lamp.add_action(press)
>>> lamp.add_goal(lit)
>>> print(Engine().solve(lamp).plan)
SequentialPlan:
    press
"""

from asplan.core.errors import MissingExtra

try:
    from asplan.up.engine import Engine
    from asplan.up.writing import write
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "unified_planning":
        raise
    raise MissingExtra(
        "asplan.up is an engine of unified-planning, which is not installed",
        hint="pip install 'asplan[up]'",
    ) from None

__all__ = ["Engine", "write"]
