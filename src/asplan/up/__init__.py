"""asplan as an engine of unified-planning, which has one Python API for many planners.

`engine` is what unified-planning calls, `kind` says which problems it takes. A problem goes to
asplan as PDDL text: `writing` writes it, with `names` and `prices`; `plans` brings plans back, and
`answers` says in unified-planning's words what was found and proven.

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

from importlib.util import find_spec

from asplan.errors import MissingExtra
from asplan.up.engine import Engine
from asplan.up.writing import write

if find_spec("unified_planning") is None:
    raise MissingExtra(
        "asplan.up is an engine of unified-planning, which is not installed",
        hint="pip install 'asplan[up]'",
    )


__all__ = ["Engine", "write"]
