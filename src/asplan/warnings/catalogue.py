"""The codes of all warnings, which never change, what they mean, and how one is switched off."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from asplan.core.errors import InputWarning, Location, UsageError, nearest
from asplan.core.files import is_there


@dataclass(frozen=True)
class Kind:
    """What warnings of one code say; `doubt` is that a right one makes the answer worthless."""

    about: str
    doubt: bool = True


CATALOGUE = {
    "missing-instance": Kind("nothing defines what an encoding reads: the instance is missing"),
    "undefined": Kind("nothing defines a predicate that a rule reads"),
    "arity": Kind("a rule defines a predicate with an arity that nothing reads"),
    "unread": Kind("a rule defines a misspelt predicate, which nothing reads"),
    "no-match": Kind("no atom is like a literal: an argument is misspelt or swapped"),
    "undefined-constant": Kind("a name that stands for a number has no value"),
    "horizon-elsewhere": Kind("the horizon of a program without parts is no time alone"),
    "no-goal": Kind("nothing reads query(t), so no goal is ever demanded"),
    "no-step": Kind("there is no part step(t), so nothing ever happens"),
    "static-goal": Kind("a condition of the goal does not depend on the time"),
    "earlier-goal": Kind("a condition of the goal speaks of the time before"),
    "initial-only": Kind("a constraint of a timed part speaks of time 0 alone"),
    "endless": Kind("rules derive atoms without end, so grounding never ends"),
    "in-base": Kind("a rule of the part base reads the time, but is grounded only once"),
    "no-inertia": Kind("no rule carries a fluent on to the next state"),
    "no-start": Kind("a fluent never starts, so it is never true"),
    "time-gap": Kind("a fluent has values at some time, and none at the next"),
    "late-head": Kind("a rule defines an atom at another time than other rules do"),
    "future": Kind("a rule reads a time that is not there yet"),
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
    "near-constant": Kind("a name that stands once is like one that stands often"),
    "unread-action": Kind("nothing reads an action, so it changes nothing", doubt=False),
    "unchanged": Kind("nothing changes a fluent", doubt=False),
    "no-atoms": Kind("#show names a predicate that nothing defines", doubt=False),
    "hidden-actions": Kind("#show hides the actions", doubt=False),
    "unread-fact": Kind("nothing reads a fact of the instance", doubt=False),
    "several-values": Kind("a fluent of one value has two after a step of the plan"),
    "referee": Kind("the domain's own model refuses the plan"),
    "draw-empty": Kind("the drawing rules draw nothing that can be seen", doubt=False),
    "draw-shape": Kind("the drawing rules derive a shape that there is not", doubt=False),
    "draw-object": Kind("they speak of an object that is never drawn", doubt=False),
    "draw-style": Kind("they set a property that objects do not have", doubt=False),
    "draw-hidden": Kind("an object is always behind others of its layer", doubt=False),
    "pddl-declaration": Kind("a PDDL declaration is odd", doubt=False),
    "pddl-requirement": Kind("PDDL uses a feature that it does not require", doubt=False),
    "pddl-cost": Kind("a cost of a PDDL task is not given", doubt=False),
    "pddl-number": Kind("a number of a PDDL task is odd, or missing", doubt=False),
}
"""What there is to warn of, by code."""


def make_warning(code: str, text: str, at: Location | None = None, hint: str = "") -> InputWarning:
    return InputWarning(code, text, at, hint, CATALOGUE[code].doubt)


def read_switches(words: Iterable[str]) -> frozenset[str]:
    """The codes that words such as `no-undefined` switch off."""
    off = set()
    for word in words:
        for switch in filter(None, re.split(r"[,\s]+", word)):
            code = switch.removeprefix("no-") if switch not in CATALOGUE else ""
            if code not in CATALOGUE:
                known = [f"no-{code}" for code in CATALOGUE]
                hint = nearest(f"no-{code or switch}", known, noun="switches")
                raise UsageError(f"-W {switch} switches no warning off", hint=hint)
            off.add(code)
    return frozenset(off)


_COMMENT = re.compile(r"^(?P<code>[^%\n]*)%+\s*asplan:\s*(?P<words>no-[\w, -]+)", re.MULTILINE)


def switched_on(
    warnings: Iterable[InputWarning], switches: Iterable[str]
) -> tuple[InputWarning, ...]:
    """The warnings that no switch turns off, nor a comment in their line or in one of its own."""
    off, comments = read_switches(switches), dict[str, list[tuple[int | None, set[str]]]]()

    def is_on(warning: InputWarning) -> bool:
        if warning.at is None:
            return warning.code not in off
        file, line = warning.at.file, warning.at.line
        if file not in comments:
            comments[file] = list(_read_comments(file)) if is_there(file) else []
        said = {at for at, codes in comments[file] if warning.code in codes}
        return warning.code not in off and said.isdisjoint({None, line})

    return tuple(filter(is_on, warnings))


def _read_comments(file: str) -> Iterator[tuple[int | None, set[str]]]:
    """The codes that comments name, each with its line; None where the comment is all of it."""
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    for match in _COMMENT.finditer(text):
        codes = {word.removeprefix("no-") for word in re.split(r"[,\s]+", match["words"])}
        line = text.count("\n", 0, match.start("words")) + 1
        yield (line if match["code"].strip() else None), codes
