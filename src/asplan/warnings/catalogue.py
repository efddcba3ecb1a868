"""The codes of all warnings, which never change."""

from dataclasses import dataclass

from asplan.core.errors import InputWarning, Location


@dataclass(frozen=True)
class Kind:
    """The meaning of a warning's code. If `doubt` is set, the warning casts doubt on the answer."""

    about: str
    doubt: bool = True


CATALOGUE = {
    "missing-instance": Kind("nothing defines what an encoding reads: the instance is missing"),
    "undefined": Kind("nothing defines a predicate that a rule reads"),
    "arity": Kind("a rule defines a predicate with an arity that nothing reads"),
    "unread": Kind("a rule defines a misspelt predicate, which nothing reads"),
    "no-match": Kind("no atom matches a literal: an argument is misspelt or swapped"),
    "undefined-constant": Kind("a name that stands for a number has no value"),
    "horizon-elsewhere": Kind("the horizon of a program without parts has another use as well"),
    "no-goal": Kind("nothing reads query(t), so no goal is ever demanded"),
    "no-step": Kind("there is no part step(t), so nothing ever happens"),
    "static-goal": Kind("a condition of the goal does not depend on the time"),
    "earlier-goal": Kind("a condition of the goal concerns the time before"),
    "initial-only": Kind("a constraint of a timed part concerns time 0 only"),
    "endless": Kind("rules derive atoms without end, so grounding never ends"),
    "in-base": Kind("a rule of the part base reads the time, but is grounded only once"),
    "no-inertia": Kind("no rule carries a fluent on to the next state"),
    "no-start": Kind("a fluent never starts, so it is never true"),
    "time-gap": Kind("a fluent has values at some time, and none at the next"),
    "late-head": Kind("a rule defines an atom at another time than other rules do"),
    "future": Kind("a rule reads atoms of a time before they are derived"),
    "circular": Kind("a rule needs what it derives, so it derives nothing"),
    "contradiction": Kind("a body has an atom and its negation, so it is never true"),
    "colon": Kind("a rule has a colon where :- is meant"),
    "unlimited": Kind("nothing limits the actions of a step"),
    "never-fires": Kind("the body of a rule is never true in the steps in question", doubt=False),
    "never-binds": Kind("the body of a constraint is never true in them", doubt=False),
    "only-ends": Kind("an action only ends what holds, and nothing makes it true again"),
    "impossible": Kind("a constraint excludes an action with its own effect, or always"),
    "unread-denial": Kind("a step derives -p, and nothing reads it while p is carried on"),
    "unset-external": Kind("nothing sets an external, so it is never true", doubt=False),
    "near-constant": Kind("a name that is used once resembles one that is used often"),
    "unread-action": Kind("nothing reads an action, so it changes nothing", doubt=False),
    "unchanged": Kind("nothing changes a fluent", doubt=False),
    "no-atoms": Kind("#show names a predicate that nothing defines", doubt=False),
    "hidden-actions": Kind("#show hides the actions", doubt=False),
    "unread-fact": Kind("nothing reads a fact of the instance", doubt=False),
    "several-values": Kind("a fluent of one value has two after a step of the plan"),
    "referee": Kind("the domain's own model refuses the plan"),
    "draw-empty": Kind("the drawing rules draw nothing visible", doubt=False),
    "draw-shape": Kind("the drawing rules derive an unknown shape", doubt=False),
    "draw-object": Kind("the drawing rules refer to an object that is never drawn", doubt=False),
    "draw-style": Kind("the drawing rules set an unknown property", doubt=False),
    "draw-hidden": Kind("an object is always behind others of its layer", doubt=False),
    "pddl-declaration": Kind("a PDDL declaration is odd", doubt=False),
    "pddl-requirement": Kind("PDDL uses a feature that it does not require", doubt=False),
    "pddl-cost": Kind("a cost of a PDDL task is not given", doubt=False),
    "pddl-number": Kind("a number of a PDDL task is odd, or missing", doubt=False),
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
