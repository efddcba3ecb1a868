"""asplan as an engine of unified-planning, one Python API for many planners.

unified-planning calls `engine`. Its problems are passed to asplan as PDDL text, which `writing`
makes. `questions` chooses options for asplan, and `answers` translates the results.

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

from asplan.core.errors import needs_extra

with needs_extra("asplan.up is an engine of unified-planning, which is not installed", "up"):
    from asplan.up.engine import Engine
    from asplan.up.writing import write

__all__ = ["Engine", "write"]
