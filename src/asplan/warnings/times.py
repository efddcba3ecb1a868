"""Checks of times: rules in the wrong part, and atoms at the wrong time."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asplan.core.errors import InputWarning
from asplan.program.model.program import Kind, Literal, TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import Signature
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex


def find_in_base(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each rule of `base` that is meant for several times.

    `base` is grounded once, so its rules cannot apply to each step.
    """
    parameters = {section.parameter for section in index.program.sections if section.parameter}
    for rule in index.statements:
        # `p(t) :- p(t).` declares atoms that another file derives.
        if rule.part == "base" and not _repeats_head(rule):
            warning = _timed_use(index, rule, parameters)
            if warning is not None:
                yield warning


def _repeats_head(rule: TemporalRule) -> bool:
    """Return whether a rule has one of its heads in its body."""
    heads = {head.text for head in rule.heads}
    return any(use.text in heads for use in rule.reads)


def _timed_use(
    index: ProgramIndex,
    rule: TemporalRule,
    parameters: Collection[str],
) -> InputWarning | None:
    """Return a warning for the first atom in a rule of `base` whose time is impossible in `base`.

    The time is a parameter of another part, or a variable that a constraint uses twice. Return None
    if there is no atom of this kind.
    """
    times: dict[str, Literal] = {}
    for use in (*rule.reads, *rule.heads):
        place = index.places.get(use.key)
        if place is None:
            continue
        time = str(use.terms[place])
        if time in parameters:
            return _parameter_in_base(use, time)
        if not rule.is_constraint or use.is_inner or time == "_":
            continue
        if index.start(use.key, place) is None:
            continue
        first = times.setdefault(time, use)
        if first is not use and not time.lstrip("-").isdigit():
            text = f"the part base is grounded once, so {use.text} is an atom of time 0 here"
            hint = "a constraint on each state belongs to step(t) or check(t)"
            return make_warning("in-base", text, first.at, hint)
    return None


def _parameter_in_base(
    use: Literal,
    parameter: str,
) -> InputWarning:
    text = f"{parameter} in {use.text} is a constant here: the part base has no parameter"
    hint = f"put rules about each step behind #program step({parameter})."
    return make_warning("in-base", text, use.at, hint)


def find_late_heads(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each head of `step` with a time other than t.

    Another head of the same predicate must have the time t.
    """
    for key, place in index.places.items():
        heads = [h for h in index.step_heads(key) if h.rule.kind is not Kind.EXTERNAL]
        if not any(head.shift(place) == 0 for head in heads):
            continue
        for head in heads:
            shift = head.shift(place)
            if shift:
                when = "a later" if shift > 0 else "an earlier"
                text = f"{head.text} has {when} time than other heads of {key_text(key)}"
                hint = f"they have {head.parameter}; each step derives the state of its own time"
                yield make_warning("late-head", text, head.at, hint)


def find_future(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each rule that reads an atom of a time that only later steps derive."""
    latest = _latest_times(index)
    for rule in index.statements:
        for use in rule.reads:
            if use.key in latest:
                shift = use.shift(index.places[use.key])
                if shift is not None and shift > latest[use.key]:
                    text = f"{use.text} is not derived yet at step {use.parameter}"
                    hint = f"rules derive {key_text(use.key)} up to the time of their step"
                    yield make_warning("future", text, use.at, hint)
                    break


def _latest_times(index: ProgramIndex) -> dict[Signature, int]:
    """Return for each predicate the largest k such that a step t derives its atoms at time t+k.

    Predicates that have later times in `base` are left out.
    """
    latest: dict[Signature, int] = {}
    for key, place in index.places.items():
        start = index.start(key, place)
        if start is not None and max(start, default=0) <= 0:
            shifts = [head.shift(place) or 0 for head in index.timed_heads(key)]
            latest[key] = max(0, *shifts)
    return latest


def find_misplaced(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each atom with its time in another argument than all other atoms."""
    for key, place in index.places.items():
        uses = [*index.reads.get(key, ()), *index.heads[key]]
        for use in uses:
            argument = _only_time(use)
            if argument is None or argument == place:
                continue
            others = [other for other in uses if other is not use]
            if len(others) > 1 and not any(_has_time(other, argument) for other in others):
                text = f"{use.text} has its time in argument {argument + 1}"
                hint = f"in all other atoms of {key_text(key)} it is argument {place + 1}"
                yield make_warning("no-match", text, use.at, hint)


def _only_time(use: Literal) -> int | None:
    """Return the index of an atom's only time argument; None if it has none or several."""
    if not use.parameter:
        return None
    times = [place for place, shift in enumerate(use.all_shifts) if shift is not None]
    return times[0] if len(times) == 1 else None


def _has_time(
    use: Literal,
    argument: int,
) -> bool:
    return bool(use.parameter) and use.shift(argument) is not None
