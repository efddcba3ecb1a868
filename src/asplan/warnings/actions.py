"""Checks of actions: what limits them, who sees them, and which fluents get several values."""

from collections.abc import Iterator, Sequence

from clingo import Symbol, parse_term

from asplan.core.errors import InputWarning
from asplan.program.incremental import Program
from asplan.program.syntax import ASTType, ComparisonOperator, Sign, Signature, find, location
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, clauses_of, spelled
from asplan.warnings.shapes import shapes_of
from asplan.warnings.times import INERTIA

_LOWER = (ComparisonOperator.LessThan, ComparisonOperator.LessEqual)


def find_actions(program: Clauses) -> Iterator[InputWarning]:
    """What is odd about the atoms that steps choose."""
    chosen = [
        (clause, head)
        for clause in program.rules
        if clause.part == "step" and clause.statement.ast_type == ASTType.Rule
        if clause.statement.head.ast_type in (ASTType.Aggregate, ASTType.HeadAggregate)
        for head in clause.heads
    ]
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
    if not keys or any(_is_bounded(clause) for clause, _ in chosen):
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
        true = [[use for use in clause.reads if use.is_true] for clause, _ in pairs]
        after = [[use for use in uses if use.key in actions] for uses in true]
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


def _is_bounded(clause: Clause) -> bool:
    head = clause.statement.head
    guards = [guard for guard in (head.left_guard, head.right_guard) if guard is not None]
    return len(guards) > 1 or any(guard.comparison not in _LOWER for guard in guards)


def find_hidden(program: Clauses) -> Iterator[InputWarning]:
    """Terms that are shown instead of atoms, and actions hidden beside others of their choice."""
    choices = [c for c in program.rules if c.is_choice and c.part == "step"]
    chosen = {head.key[1]: head.key for clause in choices for head in clause.heads}
    named = {name for _, name, _ in program.shown}
    for show in program.of_kind(ASTType.ShowTerm):
        if not show.body and (key := chosen.get(str(show.term))):
            named.add(key[1])
            text = f"#show {key[1]}. shows the mere name, not the atoms"
            yield make_warning("hidden-actions", text, location(show), f"#show {spelled(key)}.")
    follows = set(program.shown) | program.behind(program.shown)
    terms = [c for c in program.clauses if c.statement.ast_type == ASTType.ShowTerm]
    follows |= {use.key for clause in terms for use in clause.reads}
    rules = (clause for clause in program.rules if not clause.is_choice)
    positive = (u for clause in rules for u in clause.reads if u.sign == Sign.NoSign)
    effects = {use.key for use in positive}
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
    valued = {
        (key[0] + key[1], key[2] - 1): (value, head)
        for key, place in clauses.places.items()
        if (found := _value(clauses, key, place)) is not None
        for value, head in [found]
    }
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
    if any(stops.isdisjoint(_follow(program, _keys(rule) - {key})) for rule in sets):
        return None
    return values[0] - (values[0] > place), head


def _keys(clause: Clause) -> set[Signature]:
    return {use.key for use in _true(clause)}


def _follow(program: Clauses, keys: set[Signature]) -> set[Signature]:
    """Some predicates, and what their rules need."""
    rules = (clause for key in keys for clause, _ in program.definitions.get(key, ()))
    return keys.union(*(_keys(rule) for rule in rules if not rule.is_choice))


def _true(clause: Clause) -> list[Use]:
    return [use for use in clause.reads if use.is_true]


def _carried(clause: Clause, head: Use, place: int) -> list[int] | None:
    """Which arguments a rule of inertia hands on whatever they are; None if it is none."""
    before = [use for use in _true(clause) if use.key == head.key]
    stops = [use for use in clause.reads if use.sign == Sign.Negation]
    if len(before) != 1 or not stops or before[0].shift(place) != -1 or head.shift(place) != 0:
        return None
    terms = [str(term) for term in head.terms]
    if any(str(term) != terms[i] for i, term in enumerate(before[0].terms) if i != place):
        return None
    rest = [node for node in clause.statement.body if str(node) != str(before[0].atom)]
    elsewhere = {variable.name for variable in find(ASTType.Variable, rest)}
    return [
        i
        for i, term in enumerate(head.terms)
        if i != place and term.ast_type == ASTType.Variable and term.name not in elsewhere
    ]
