"""The rules that never fire, and the actions and fluents that never occur, for any goal.

For each prefix of a rule's body a rule is added whose head, a witness, is true if the prefix is. A
prefix is *possible* if its witness is true in some answer set, that is, a brave consequence. The
longest possible prefix of an impossible body shows which literal is never true.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from asplan.clingo import Symbol
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, Location
from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.explanation import Never
from asplan.explaining.question import Question
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.reading.unit import HELPER, QUERY, Section
from asplan.program.syntax import ASTType, Signature
from asplan.warnings.catalogue import make_warning

_TRUE = "explain__true"
_EVER = "explain__ever"
_DONE = "explain__done"
_WAS = "explain__was"
_LOOK = "explain__look"
_SHOWN = f"#show {_EVER}/2. #show {_DONE}/1. #show {_WAS}/1. #defined {_TRUE}/4."


@dataclass(frozen=True)
class _Possible:
    """The results of a search for possible prefixes of bodies.

    Attributes
    ----------
    prefixes
        Pairs of a body's number and the length of a prefix that is true in some answer set.
    never
        The actions and fluents that are in no answer set.
    """

    prefixes: frozenset[tuple[int, int]]
    never: Never


def find_never(
    question: Question,
    warnings: Iterable[InputWarning] = (),
) -> Never | None:
    """Return the unreachable rules, actions and fluents; None if the time is too short.

    Rules with one of the given `warnings` are left out. At horizon 0, so are rules of `step`.
    """
    bodies = _bodies(question)
    lengths = [len(body.literals) for body in bodies]
    complete = _possible(question, bodies, {n: [length] for n, length in enumerate(lengths)})
    if complete is None:
        return None
    dead = [n for n, length in enumerate(lengths) if (n, length) not in complete.prefixes]
    if not dead:
        return complete.never
    partial = _possible(question, bodies, {n: range(1, lengths[n]) for n in dead})
    if partial is None:
        return None
    stops = [(bodies[n], _first_impossible(n, lengths[n], partial.prefixes)) for n in dead]
    rules = dict.fromkeys(_dead_rules(question, stops, warnings))
    return replace(complete.never, rules=tuple(rules))


def _dead_rules(
    question: Question,
    stops: Iterable[tuple[Body, int]],
    warnings: Iterable[InputWarning],
) -> Iterator[InputWarning]:
    """Yield a warning for each rule that never fires, if `_is_notable` accepts the rule.

    `stops` has pairs of the rule's body and the index of the literal that is never true. `warnings`
    are other warnings of the program.
    """
    places = [warning.at for warning in warnings if warning.at is not None]
    for body, stop in stops:
        if _is_notable(question, body, stop, places):
            yield _dead_rule(body, stop)


def _bodies(question: Question) -> list[Body]:
    """Return the bodies with at least one literal; at horizon 0, leave out bodies of `step`."""
    bodies = [body for body in bodies_of(question.program) if body.literals]
    if question.horizon:
        return bodies
    return [body for body in bodies if body.source.part != "step"]


def _first_impossible(
    number: int,
    length: int,
    prefixes: frozenset[tuple[int, int]],
) -> int:
    """Return the index of the literal that makes a body impossible.

    It is the last literal of the shortest prefix that is never true. `number` and `length` are the
    body's number and its number of literals. `prefixes` are the possible prefixes of all bodies.
    """
    for end in range(1, length):
        if (number, end) not in prefixes:
            return end - 1
    return length - 1


def _is_notable(
    question: Question,
    body: Body,
    stop: int,
    places: Iterable[Location],
) -> bool:
    """Return whether a rule that never fires is worth a warning.

    `stop` is the index of the literal that is never true. The rule is not worth a warning if it
    belongs to the goal, or has a warning at one of the locations `places`. Nor is it if a
    conversion added the literal, or if the literal chooses a variant or reads a predicate that may
    be missing.
    """
    if body.rule.goal or not body.is_written(stop) or any(map(body.has, places)):
        return False
    literal = body.literals[stop]
    keys = syntax.named_in(literal)
    is_variant = not keys and not syntax.find(ASTType.Variable, [literal])
    return not is_variant and keys.isdisjoint(question.program.declared)


def _dead_rule(
    body: Body,
    stop: int,
) -> InputWarning:
    literal = body.places[stop].text
    if body.heads:
        text = f"this rule derives nothing: {literal} is never true there"
        return make_warning("never-fires", text, body.rule.at)
    text = f"this constraint excludes nothing: {literal} is never true there"
    return make_warning("never-binds", text, body.rule.at)


def _possible(
    question: Question,
    bodies: Sequence[Body],
    ends: Mapping[int, Sequence[int]],
) -> _Possible | None:
    """Return the possible prefixes of bodies, and the unreachable actions and fluents.

    `ends` has the lengths of the prefixes to examine, by the number of the body. Return None if the
    time is too short.
    """
    program = question.program
    witnesses: list[Section] = []
    for number, lengths in ends.items():
        body = bodies[number]
        for end in lengths:
            witness = body.witness(_TRUE, (number, end), (), body.literals[:end])
            witnesses.append(body.source.section_of(witness))
    rules = f"{_EVER}(K,E) :- {_TRUE}(K,E,_,_). {' '.join(_timeless(program))}"
    look = Section.of_text(_LOOK, "", rules)
    variant = question.variant(program.with_sections(*witnesses, look), _SHOWN)
    variant.ground(question.horizon)
    variant.solver.ground([(_LOOK, [])])
    constrained = variant.solver.possible(variant.kept(goals=False))
    unconstrained = variant.solver.possible([])
    if constrained is None or unconstrained is None:
        return None
    # A constraint binds if its body can be true while constraints may be violated.
    prefixes = {pair for pair in _prefixes(constrained) if bodies[pair[0]].heads}
    prefixes |= {pair for pair in _prefixes(unconstrained) if not bodies[pair[0]].heads}
    actions = sorted({*variant.solver.atoms(_DONE, 1)} - constrained)
    fluents = sorted({*variant.solver.atoms(_WAS, 1)} - constrained)
    never = Never(actions=_first_arguments(actions), fluents=_first_arguments(fluents))
    return _Possible(frozenset(prefixes), never)


def _first_arguments(atoms: Iterable[Symbol]) -> tuple[str, ...]:
    return tuple(str(atom.arguments[0]) for atom in atoms)


def _prefixes(symbols: Iterable[Symbol]) -> Iterator[tuple[int, int]]:
    """Yield for each witness in `symbols` the number of its body and the length of its prefix."""
    for symbol in symbols:
        if symbol.match(_EVER, 2):
            number, end = symbol.arguments
            yield number.number, end.number


def _is_state(
    program: Program,
    key: Signature,
) -> bool:
    """Return whether a predicate belongs to the author, is not negated, and is no action."""
    sign, name, _ = key
    if sign or name.startswith((HELPER, "explain__")):
        return False
    return key not in {*program.actions, QUERY}


def _timeless(program: Program) -> Iterator[str]:
    """Yield rules, as text, that derive each action and each timed atom without its time."""
    if len(program.readings) == 1:
        for form in program.readings[0].forms:
            atom, action = form.pattern("_")
            yield f"{_DONE}({action}) :- {atom}."
    for key, places in sorted(program.time_places.items()):
        if len(places) != 1 or not _is_state(program, key):
            continue
        _, name, arity = key
        terms = [f"V{i}" for i in range(arity)]
        others = ",".join(term for i, term in enumerate(terms) if i not in places)
        fluent = f"{name}({others})" if others else name
        yield f"{_WAS}({fluent}) :- {name}({','.join(terms)})."
