"""The codes of all warnings, which never change."""

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, Location


@dataclass(frozen=True)
class Cause:
    """The cause of a warning. If `doubt` is set, the warning casts doubt on the answer."""

    about: str
    doubt: bool = True


CATALOGUE = {
    "missing-instance": Cause("nothing defines what an encoding reads: the instance is missing"),
    "undefined": Cause("nothing defines a predicate that a rule reads"),
    "arity": Cause("a rule defines a predicate with an arity that nothing reads"),
    "unread": Cause("a rule defines a misspelt predicate, which nothing reads"),
    "no-match": Cause("no atom matches a literal: an argument is misspelt or swapped"),
    "undefined-constant": Cause("a name that stands for a number has no value"),
    "horizon-elsewhere": Cause("the horizon of a program without parts has another use as well"),
    "no-goal": Cause("nothing reads query(t), so no goal is ever demanded"),
    "no-step": Cause("there is no part step(t), so nothing ever happens"),
    "static-goal": Cause("a condition of the goal does not depend on the time"),
    "earlier-goal": Cause("a condition of the goal concerns the time before"),
    "initial-only": Cause("a constraint of a timed part concerns time 0 only"),
    "endless": Cause("rules derive atoms without end, so grounding never ends"),
    "in-base": Cause("a rule of the part base reads the time, but is grounded only once"),
    "no-inertia": Cause("no rule carries a fluent on to the next state"),
    "no-start": Cause("a fluent never starts, so it is never true"),
    "time-gap": Cause("a fluent has values at some time, and none at the next"),
    "late-head": Cause("a rule defines an atom at another time than other rules do"),
    "future": Cause("a rule reads atoms of a time before they are derived"),
    "circular": Cause("a rule needs what it derives, so it derives nothing"),
    "contradiction": Cause("a body has an atom and its negation, so it is never true"),
    "bound": Cause("an atom bounds a choice where a dot is missing before it"),
    "colon": Cause("a rule has a colon where :- is meant"),
    "unlimited": Cause("nothing limits the actions of a step"),
    "never-fires": Cause("the body of a rule is never true in the steps in question", doubt=False),
    "never-binds": Cause("the body of a constraint is never true in them", doubt=False),
    "only-ends": Cause("an action only ends what holds, and nothing makes it true again"),
    "impossible": Cause("a constraint excludes an action with its own effect, or always"),
    "unread-denial": Cause("a step derives -p, and nothing reads it while p is carried on"),
    "unset-external": Cause("nothing sets an external, so it is never true", doubt=False),
    "near-constant": Cause("a name that is used once resembles one that is used often"),
    "unread-action": Cause("nothing reads an action, so it changes nothing", doubt=False),
    "unchanged": Cause("nothing changes a fluent", doubt=False),
    "no-atoms": Cause("#show names a predicate that nothing defines", doubt=False),
    "hidden-actions": Cause("#show hides the actions", doubt=False),
    "unread-fact": Cause("nothing reads a fact of the instance", doubt=False),
    "several-values": Cause("a fluent of one value has two after a step of the plan"),
    "referee": Cause("the domain's own model refuses the plan"),
    "draw-empty": Cause("the drawing rules draw nothing visible", doubt=False),
    "draw-shape": Cause("the drawing rules derive an unknown shape", doubt=False),
    "draw-object": Cause("the drawing rules refer to an object that is never drawn", doubt=False),
    "draw-style": Cause("the drawing rules set an unknown property", doubt=False),
    "draw-hidden": Cause("an object is always behind others of its layer", doubt=False),
    "pddl-declaration": Cause("a PDDL declaration is odd", doubt=False),
    "pddl-requirement": Cause("PDDL uses a feature that it does not require", doubt=False),
    "pddl-cost": Cause("a cost of a PDDL task is not given", doubt=False),
    "pddl-number": Cause("a number of a PDDL task is odd, or missing", doubt=False),
}
"""All kinds of warnings by code."""


def make_warning(
    code: str,
    text: str,
    at: Location | None = None,
    hint: str = "",
) -> InputWarning:
    """Return a warning with this code, which determines whether it casts doubt on the answer."""
    return InputWarning(code, text, at, hint, CATALOGUE[code].doubt)
