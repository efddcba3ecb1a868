"""PDDL as people write it: read, checked, and executed.

What stands here knows nothing of how a task is translated for a solver, so that it can check the
plans that come back.
"""

from asplan.pddl.language.reading import read_task
from asplan.pddl.language.task import Task

__all__ = ["Task", "read_task"]
