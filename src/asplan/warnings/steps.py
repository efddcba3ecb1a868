"""Checks of steps: what happens in one, and what a state hands on to the next.

What limits the actions, and who sees them; which fluents get several values, or are not carried on;
and what is there when it is read.
"""

from collections.abc import Iterator, Sequence

from clingo import Symbol, parse_term

from asplan.core.errors import InputWarning
from asplan.program.incremental import TIMED, Program
from asplan.program.inputs import spelled
from asplan.program.syntax import (
    ASTType,
    Sign,
    Signature,
    find,
    is_now,
    location,
)
from asplan.program.terms import BELOW
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, clauses_of
from asplan.warnings.names import shapes_of

INERTIA = "a rule carries a fluent on, as f(X,t) :- f(X,t-1), not changed(X,t)."


def find_actions(program: Clauses) -> Iterator[InputWarning]:
    """What is odd about the atoms that steps choose."""
    kinds = (ASTType.Aggregate, ASTType.HeadAggregate)
    choices = (c for c in program.rules if c.part == "step" and c.is_choice)
    braces = (clause for clause in choices if clause.statement.head.ast_type in kinds)
    chosen = [(clause, head) for clause in braces for head in clause.heads]
    if len(chosen) == 1 and (key := chosen[0][1].key) not in program.reads and key[2] > 1:
        text = f"nothing reads {spelled(key)}, so choosing it changes nothing"
        yield make_warning("unread-action", text, chosen[0][1].at)
    yield from _unlimited(program, chosen)
    yield from _lost(program, chosen)
    keys, shown = {head.key for _, head in chosen} & program.places.keys(), set(program.shown)
    follows = keys & (shown | program.behind(shown))
    if shown and keys and not follows and not program.roles.actions:
        at = next(iter(program.shown.values()))
        names = " and ".join(sorted(map(spelled, keys)))
        text = f"#show hides {names}, so a plan has no actions to see"
        yield make_warning("hidden-actions", text, at)


def _unlimited(program: Clauses, chosen: list[tuple[Clause, Use]]) -> Iterator[InputWarning]:
    """A choice of actions that neither its bounds nor any rule limits."""
    keys = {head.key for _, head in chosen if head.shifts and find(ASTType.Variable, head.terms)}
    heads = [clause.statement.head for clause, _ in chosen]
    several = [[g for g in (h.left_guard, h.right_guard) if g is not None] for h in heads]
    if not keys or any(len(g) > 1 or g[0].comparison not in BELOW for g in several if g):
        return
    effects = keys | {key for key in program.definitions if keys & program.behind([key])}
    for clause in program.clauses:
        own = [use for use in clause.reads if use.key in effects]
        if any(use.inner for use in own) or len(own) > 1:
            return
    clause, head = chosen[0]
    text = f"nothing limits how many atoms of {spelled(head.key)} a step has"
    yield make_warning("unlimited", text, clause.at, "one action a step: { … } = 1")


def _lost(program: Clauses, chosen: list[tuple[Clause, Use]]) -> Iterator[InputWarning]:
    """Fluents that hold only right after some of the actions, for no rule carries them on."""
    actions = {head.key for _, head in chosen}
    for key, place in program.places.items():
        pairs = program.timed_definitions(key)
        is_fluent = key[2] > 1 and key not in actions and program.start(key, place) == {0}
        if not is_fluent or key in program.behind([key]):
            continue
        if any(clause.is_choice for clause, _ in program.definitions.get(key, ())):
            continue
        after = [[use for use in clause.true if use.key in actions] for clause, _ in pairs]
        if all(after) and _leaves_others(program, [use for uses in after for use in uses], chosen):
            names = " or ".join(dict.fromkeys(uses[0].text for uses in after))
            text = f"{spelled(key)} holds only right after {names}: no rule carries it on"
            yield make_warning("no-inertia", text, pairs[0][1].at, INERTIA)


def _leaves_others(program: Clauses, after: list[Use], chosen: list[tuple[Clause, Use]]) -> bool:
    """Whether a step may choose other actions instead of those that some rules read."""
    shapes, read = shapes_of(program), {use.key for use in after}
    choices = [clause for clause, head in chosen if head.key in read]
    for head in (head for clause in choices for head in clause.heads):
        own = [shapes.terms[use] for use in after if use.key == head.key]
        places = enumerate(zip(*own, strict=True))
        if not own or any(shapes.lacks((head.key, i), terms) for i, terms in places):
            return True
    return False


def find_hidden(program: Clauses) -> Iterator[InputWarning]:
    """Terms that are shown instead of atoms, and actions hidden beside others of their choice."""
    choices = [c for c in program.rules if c.is_choice and c.part == "step"]
    chosen = {head.key[1]: head.key for clause in choices for head in clause.heads}
    named = {name for _, name, _ in program.shown}
    for show in program.program.of_kind(ASTType.ShowTerm):
        if not show.body and (key := chosen.get(str(show.term))):
            named.add(key[1])
            text = f"#show {key[1]}. shows the mere name, not the atoms"
            yield make_warning("hidden-actions", text, location(show), f"#show {spelled(key)}.")
    follows, effects = set(program.shown) | program.behind(program.shown), set[Signature]()
    for clause in program.clauses:
        if clause.statement.ast_type == ASTType.ShowTerm:
            follows |= {use.key for use in clause.reads}
        elif clause.heads and not clause.is_choice:
            effects |= {use.key for use in clause.reads if use.sign == Sign.NoSign}
    for clause in choices:
        keys = {head.key for head in clause.heads} & program.places.keys()
        hidden = sorted(k for k in (keys & effects) - follows if k[1] not in named)
        if keys & set(program.shown) and hidden:
            names = " and ".join(map(spelled, hidden))
            text = f"#show hides {names}, which a step may choose as well"
            yield make_warning("hidden-actions", text, clause.at, f"#show {spelled(hidden[0])}.")


def find_several(program: Program, states: Sequence[Sequence[str]]) -> Iterator[InputWarning]:
    """A warning of the first state of a plan in which a fluent that had one value has two.

    A rule carries such a value on until something gives it another: `at(R,t) :- at(R,t-1), not
    moved(t)` stops whatever R is, and each rule that sets a value does so as well. Where two
    actions of a step both set it, there are two, mostly because nothing limits the actions.
    """
    clauses = clauses_of(program, True)
    found = ((key, _value(clauses, key, place)) for key, place in clauses.places.items())
    valued = {(k[0] + k[1], k[2] - 1): value for k, value in found if value is not None}
    started: set[tuple[str, int]] = set()
    for step, state in enumerate(states if valued else ()):
        seen: dict[tuple[tuple[str, int], tuple[str, ...]], Symbol] = {}
        for atom in map(parse_term, sorted(state)):
            name = ("" if atom.positive else "-") + atom.name
            kind = name, len(atom.arguments)
            if kind not in valued or (step and kind not in started):
                continue
            value, head = valued[kind]
            rest = tuple(str(x) for i, x in enumerate(atom.arguments) if i != value)
            other = seen.setdefault((kind, rest), atom)
            if other is atom:
                continue
            if not step:
                del valued[kind]
                continue
            text = f"after step {step} of the plan both {other} and {atom} are true"
            hint = "at the start there is one; is the number of actions in a step limited?"
            yield make_warning("several-values", text, head.at, hint)
            return
        if not step:
            started = {kind for kind, _ in seen} & set(valued)


def _value(program: Clauses, key: Signature, place: int) -> tuple[int, Use] | None:
    """The argument of a fluent, without its time, of which it has one value; with the rule."""
    pairs = program.timed_definitions(key)
    inertia = [pair for pair in pairs if _carried(*pair, place) is not None]
    if len(inertia) != 1 or any(clause.is_choice for clause, _ in pairs):
        return None
    clause, head = inertia[0]
    stops = _follow(program, {use.key for use in clause.reads if use.sign == Sign.Negation})
    sets = [rule for rule, _ in pairs if rule is not clause]
    values = _carried(clause, head, place)
    if not sets or values is None or len(values) != 1:
        return None
    needs = ({use.key for use in rule.true} - {key} for rule in sets)
    if any(stops.isdisjoint(_follow(program, keys)) for keys in needs):
        return None
    return values[0] - (values[0] > place), head


def _follow(program: Clauses, keys: set[Signature]) -> set[Signature]:
    """Some predicates, and what their rules need."""
    rules = (clause for key in keys for clause, _ in program.definitions.get(key, ()))
    return keys.union(use.key for rule in rules if not rule.is_choice for use in rule.true)


def _carried(clause: Clause, head: Use, place: int) -> list[int] | None:
    """Which arguments a rule of inertia hands on whatever they are; None if it is none."""
    before = [use for use in clause.true if use.key == head.key]
    stops = [use for use in clause.reads if use.sign == Sign.Negation]
    if len(before) != 1 or not stops or before[0].shift(place) != -1 or head.shift(place) != 0:
        return None
    terms = [str(term) for term in head.terms]
    if any(str(term) != terms[i] for i, term in enumerate(before[0].terms) if i != place):
        return None
    rest = [node for node in clause.statement.body if str(node) != str(before[0].atom)]
    elsewhere = {variable.name for variable in find(ASTType.Variable, rest)}
    free = [(i, t) for i, t in enumerate(head.terms) if t.ast_type == ASTType.Variable]
    return [i for i, term in free if i != place and term.name not in elsewhere]


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
    timed = (pair for pair in program.timed_definitions(key) if pair[0].part in TIMED)
    # The first time of which a rule derives something.
    firsts = [((clause.part == "step") + (head.shift(place) or 0), head) for clause, head in timed]
    first, head = min(firsts, key=lambda pair: pair[0], default=(0, None))
    is_read = any(use.parameter for use in program.reads.get(key, ()))
    if start and is_read and head and max(start) + 1 < first:
        text = f"{spelled(key)} is there at time {max(start)}, and then from time {first} on"
        yield make_warning("time-gap", text, head.at, "a rule of step(t) derives what holds at t")


def find_late(program: Clauses) -> Iterator[InputWarning]:
    """Heads at another time than other heads of their predicate."""
    for key, place in program.places.items():
        steps = (pair for pair in program.timed_definitions(key) if pair[0].part == "step")
        heads = [head for c, head in steps if c.statement.ast_type != ASTType.External]
        is_usual = any(head.shift(place) == 0 for head in heads)
        for head in heads if is_usual else ():
            if shift := head.shift(place):
                late = "later" if shift > 0 else "earlier"
                text = f"{head.text} is of {late} time than other heads of {spelled(key)}"
                hint = f"they have {head.parameter}; each step derives the state of its own time"
                yield make_warning("late-head", text, head.at, hint)


def find_future(program: Clauses) -> Iterator[InputWarning]:
    """Rules that read a time that is not grounded yet."""
    latest: dict[Signature, int] = {}  # of which a step derives something, if `base` does not
    for key, place in program.places.items():
        start = program.start(key, place)
        if start is not None and max(start, default=0) <= 0:
            heads = (head.shift(place) or 0 for _, head in program.timed_definitions(key))
            latest[key] = max(0, *heads)
    for clause in program.clauses:
        for use in clause.reads:
            shift = use.shift(program.places[use.key]) if use.key in latest else None
            if shift is not None and shift > latest[use.key]:
                text = f"{use.text} is not there yet at step {use.parameter}"
                hint = f"rules derive {spelled(use.key)} up to the time of their step"
                yield make_warning("future", text, use.at, hint)
                break


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
        ((clause, head),) = pairs
        if [use.key for use in clause.reads] != [key] or len(clause.statement.body) != 1:
            continue
        terms = [list(map(str, use.terms)) for use in (*clause.reads, head)]
        copies = all(a == b for i, (a, b) in enumerate(zip(*terms, strict=True)) if i != place)
        # `lamp(1-S,t) :- lamp(S,t-1).` changes it.
        if copies and is_now(head.terms[place], head.parameter):
            text = f"{spelled(key)} is only copied from the time before, so nothing changes it"
            yield make_warning("unchanged", text, head.at, "what never changes needs no time")
