"""Checks of the time: what a state hands on to the next, and what is there when it is read."""

from collections import Counter
from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.program.syntax import ASTType, Signature, is_now
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, spelled

INERTIA = "a rule carries a fluent on, as f(X,t) :- f(X,t-1), not changed(X,t)."

STEP = ("step", "check")


def find_in_base(program: Clauses) -> Iterator[InputWarning]:
    """What stands in `base` and speaks of the time of steps: it is grounded only once."""
    parameters = {s.parameter for s in program.program.sections if s.parameter}
    for clause in (clause for clause in program.clauses if clause.part == "base"):
        if {head.text for head in clause.heads} & {use.text for use in clause.reads}:
            continue  # `p(t) :- p(t).` is there to say that there may be such atoms
        times: dict[str, Use] = {}
        for use in (*clause.reads, *clause.heads):
            place = program.places.get(use.key)
            term = None if place is None else str(use.terms[place])
            is_state = place is not None and program.start(use.key, place) is not None
            if term in parameters:
                text = f"{term} in {use.text} is only a name here: this is the part base"
                hint = f"what happens at each step belongs behind #program step({term})."
                yield make_warning("in-base", text, use.at, hint)
                break
            if not is_state or term == "_" or use.inner or not clause.is_constraint:
                continue
            if times.setdefault(str(term), use) is not use and not str(term).lstrip("-").isdigit():
                text = f"the part base is grounded once, so {use.text} is one of time 0 here"
                hint = "a constraint on each state belongs to step(t) or check(t)"
                yield make_warning("in-base", text, times[str(term)].at, hint)
                break


def find_gaps(program: Clauses) -> Iterator[InputWarning]:
    """Fluents that are not carried on, or have no value at some time."""
    for key in program.defined:
        if key in program.places:
            yield from _gap(program, key, program.places[key])
            yield from _forgotten(program, key, program.places[key])
        elif not program.timed_definitions(key) and key[2] > 1:
            yield from _frozen(program, key)


def _frozen(program: Clauses, key: Signature) -> Iterator[InputWarning]:
    """A warning of a fluent of time 0 that no rule of a timed part derives."""
    timed = [use for use in program.reads.get(key, ()) if use.parameter]
    places = [i for i in range(key[2]) if timed and all(use.shift(i) is not None for use in timed)]
    has_steps = any(section.part == "step" for section in program.program.sections)
    if has_steps and len(places) == 1 and program.start(key, places[0]) == {0}:
        text = f"{spelled(key)} has atoms of time 0 alone: no rule of a step derives any"
        yield make_warning("no-inertia", text, timed[0].at, INERTIA)


def _forgotten(program: Clauses, key: Signature, place: int) -> Iterator[InputWarning]:
    """A warning of fluents such as `request(F)` of `holds(request(F),0)` that no step derives."""
    if key[2] != 2 or program.start(key, place) != {0}:
        return
    found: dict[str, set[str]] = {"base": set(), "step": set()}
    for clause, head in program.definitions[key]:
        term = head.terms[1 - place]
        part = "base" if clause.part == "base" else "step"
        found[part].add(term.name if term.ast_type == ASTType.Function else "")
    if "" in found["step"]:  # any fluent is carried on
        return
    for use in program.reads.get(key, ()):
        term = use.terms[1 - place]
        named = term.ast_type == ASTType.Function and term.name in found["base"] - found["step"]
        if named and use.shift(place) == 0:
            text = f"{use.text} is true at time 0 alone: no rule of a step derives such atoms"
            yield make_warning("no-inertia", text, use.at, INERTIA)


def _gap(program: Clauses, key: Signature, place: int) -> Iterator[InputWarning]:
    start = program.start(key, place)
    pairs = [pair for pair in program.timed_definitions(key) if pair[0].part in STEP]
    first = min((_first(clause, head, place) for clause, head in pairs), default=0)
    read = [use for use in program.reads.get(key, ()) if use.parameter]
    if not start or not read:
        return
    if max(start) + 1 < first:
        head = next(h for c, h in pairs if _first(c, h, place) == first)
        text = f"{spelled(key)} is there at time {max(start)}, and then from time {first} on"
        yield make_warning("time-gap", text, head.at, "a rule of step(t) derives what holds at t")


def _first(clause: Clause, head: Use, place: int) -> int:
    """The first time of which a rule derives something."""
    return (1 if clause.part == "step" else 0) + (head.shift(place) or 0)


def find_late(program: Clauses) -> Iterator[InputWarning]:
    """Heads at another time than other heads of their predicate."""
    for key, place in program.places.items():
        pairs = [
            (clause, head)
            for clause, head in program.timed_definitions(key)
            if clause.part == "step" and clause.statement.ast_type != ASTType.External
        ]
        shifts = Counter(head.shift(place) for _, head in pairs)
        if len(shifts) < 2 or not shifts[0]:
            continue
        for _, head in pairs:
            if shift := head.shift(place):
                late = "later" if shift > 0 else "earlier"
                text = f"{head.text} is of {late} time than other heads of {spelled(key)}"
                hint = f"they have {head.parameter}; each step derives the state of its own time"
                yield make_warning("late-head", text, head.at, hint)


def find_future(program: Clauses) -> Iterator[InputWarning]:
    """Rules that read a time that is not grounded yet."""
    known = {key: _latest(program, key) for key in program.places}
    for clause in program.clauses:
        for use in clause.reads:
            latest = known.get(use.key)
            shift = use.shift(program.places[use.key]) if latest is not None else None
            if latest is not None and shift is not None and shift > max(latest, 0):
                text = f"{use.text} is not there yet at step {use.parameter}"
                hint = f"rules derive {spelled(use.key)} up to the time of their step"
                yield make_warning("future", text, use.at, hint)
                break


def _latest(program: Clauses, key: Signature) -> int | None:
    """The last time of which a step derives something; None if `base` may do so as well."""
    place, pairs = program.places[key], program.timed_definitions(key)
    start = program.start(key, place)
    if start is None or max(start, default=0) > 0:
        return None
    return max(head.shift(place) or 0 for _, head in pairs)


def find_misplaced(program: Clauses) -> Iterator[InputWarning]:
    """Atoms with the time in another argument than all others of their predicate."""
    for key, place in program.places.items():
        uses = [*program.reads.get(key, ()), *(head for _, head in program.definitions[key])]
        for use in uses:
            times = [i for i in range(key[2]) if use.parameter and use.shift(i) is not None]
            if len(times) != 1 or times[0] == place:
                continue
            others = [other for other in uses if other is not use]
            if len(others) > 1 and all(
                other.shift(times[0]) is None for other in others if other.parameter
            ):
                text = f"{use.text} has its time in argument {times[0] + 1}"
                hint = f"in all other atoms of {spelled(key)} it is argument {place + 1}"
                yield make_warning("no-match", text, use.at, hint)


def find_unchanged(program: Clauses) -> Iterator[InputWarning]:
    """Fluents that rules only copy from the time before."""
    for key, place in program.places.items():
        pairs = program.timed_definitions(key)
        if len(pairs) != 1 or pairs[0][0].is_choice:
            continue
        clause, head = pairs[0]
        reads = clause.reads
        copies = len(reads) == 1 and reads[0].key == key and len(clause.statement.body) == 1
        others = [
            [str(term) for i, term in enumerate(use.terms) if i != place] for use in (*reads, head)
        ]
        copies = copies and others[0] == others[1]  # `lamp(1-S,t) :- lamp(S,t-1).` changes it
        if copies and is_now(head.terms[place], head.parameter) and key in program.reads:
            text = f"{spelled(key)} is only copied from the time before, so nothing changes it"
            yield make_warning("unchanged", text, head.at, "what never changes needs no time")
