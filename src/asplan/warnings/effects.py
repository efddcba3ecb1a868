"""Checks of effects: when they come, what they leave out, and what they only end.

Programs without parts are looked at as if they had some: `step(t)` leads from t-1 to t.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.conversion import in_parts
from asplan.program.inputs import spelled
from asplan.program.syntax import ASTType, Sign, Signature, find
from asplan.program.unit import QUERY
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, clauses_of
from asplan.warnings.steps import INERTIA


def in_steps(program: Clauses) -> Clauses:
    """Return a program in parts, for a program without parts as well."""
    if program.program.horizon is None:
        return program
    return clauses_of(in_parts(program.program), program.is_one_file)


def _chosen(program: Clauses) -> set[Signature]:
    choices = (clause for clause in program.rules if clause.is_choice and clause.part == "step")
    return {head.key for clause in choices for head in clause.heads}


def _fluents(program: Clauses) -> set[Signature]:
    """Return what a state hands on, or has at the start, and no step chooses."""
    found = set(program.roles.fluents & program.places.keys())
    found |= {key for key, place in program.places.items() if program.start(key, place) == {0}}
    return found - _chosen(program)


def _lag(program: Clauses, head: Use, use: Use) -> int | None:
    """Return how much later a head is than what happens."""
    places = program.roles.places
    later, earlier = places.get(head.key), places.get(use.key)
    if later is None or earlier is None:
        return None
    times = head.shift(later), use.shift(earlier)
    return None if times[0] is None or times[1] is None else times[0] - times[1]


def find_mixed_times(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for effects that come later or earlier than the rest of their fluent."""
    program = in_steps(program)
    chosen = _chosen(program)
    fluents = _fluents(program)
    for key in sorted(fluents):
        pairs = program.timed_definitions(key)
        events = chosen | _events(program, chosen, fluents)
        found = [
            (lag, head)
            for clause, head in pairs
            if clause.part == "step" and not clause.is_choice
            for use in clause.reads
            if use.key in events and (lag := _lag(program, head, use)) is not None
        ]
        lags = [lag for lag, _ in found]
        if set(lags) != {0, 1}:
            continue
        odd = 0 if lags.count(0) < lags.count(1) else 1
        head = next(head for lag, head in found if lag == odd)
        when = "a step later" if odd else "a step earlier"
        text = f"{head.text} follows {when} than what else becomes of {spelled(key)}"
        yield make_warning("late-head", text, head.at, "all effects of a step have the same time")


def _events(program: Clauses, chosen: set[Signature], fluents: set[Signature]) -> set[Signature]:
    """Return what follows at once from what is chosen, and is no fluent."""
    found = set[Signature]()
    for key in program.places.keys() - fluents - chosen:
        pairs = program.timed_definitions(key)
        if pairs and all(_follows_at_once(program, pair, chosen) for pair in pairs):
            found.add(key)
    return found


def _follows_at_once(program: Clauses, pair: tuple[Clause, Use], chosen: set[Signature]) -> bool:
    clause, head = pair
    lags = [_lag(program, head, use) for use in clause.true if use.key in chosen]
    return bool(lags) and set(lags) == {0}


def find_lost_values(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for fluents of things that hold only right after an action on their thing.

    A step chooses at most one of the things, so the others have no value after it.
    """
    program = in_steps(program)
    for key in sorted(_fluents(program)):
        if key in program.behind([key]) or program.start(key, program.places[key]) is None:
            continue
        pairs = program.timed_definitions(key)
        one = [_one_of_many(program, clause, head) for clause, head in pairs]
        if one and all(one) and _starts_with_several(program, key):
            names = " or ".join(dict.fromkeys(name for name in one if name))
            text = f"{spelled(key)} holds only right after {names}: no rule carries it on"
            yield make_warning("no-inertia", text, pairs[0][1].at, INERTIA)


def _one_of_many(program: Clauses, clause: Clause, head: Use) -> str:
    """Return the action without which a rule derives nothing, if a step chooses one thing alone."""
    if clause.part != "step" or clause.is_choice:
        return ""
    own = {v.name for v in find(ASTType.Variable, head.terms)}
    for use in clause.true:
        of_thing = {v.name for v in find(ASTType.Variable, use.terms)} & own
        if of_thing and any(
            _chooses_one(c, use.key) for c, _ in program.definitions.get(use.key, ())
        ):
            return use.text
    return ""


def _chooses_one(clause: Clause, key: Signature) -> bool:
    """Return whether a choice has at most one atom, whose variables its conditions bind."""
    head = clause.statement.head if clause.is_choice else None
    if head is None or head.ast_type not in (ASTType.Aggregate, ASTType.HeadAggregate):
        return False
    guards = [guard for guard in (head.left_guard, head.right_guard) if guard is not None]
    ends = {str(guard.term) for guard in guards}
    return "1" in ends and any(use.key == key for use in clause.heads)


def _starts_with_several(program: Clauses, key: Signature) -> bool:
    """Return whether several atoms of a fluent may hold at the start."""
    base = [clause for clause, _ in program.definitions.get(key, ()) if clause.part == "base"]
    if len(base) > 1 or any(clause.statement.body for clause in base):
        return True
    facts = [fact for found in program.program.facts for fact in found.of({key}).symbols()]
    return len(facts) + len(base) > 1


def find_only_ended(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for an action that only ends what holds, while the goal needs that to hold.

    It is certain where all that the goal needs can only end: then no step ever helps. It is most
    likely where the action has an argument that none of its effects reads.
    """
    goal = _goal_uses(program)
    program = in_steps(program)
    chosen = _chosen(program)
    shrinking = {key for key in _fluents(program) if _only_shrinks(program, key)}
    needed = {use.key for use in goal}
    is_all_needed = all(use.sign == Sign.Negation and not use.inner for use in goal)
    is_only_needed = is_all_needed and needed <= shrinking
    for action in sorted(chosen):
        ended = _ended_by(program, action) & shrinking
        makes = _made_by(program, action, chosen) - shrinking
        if not ended or makes & _fluents(program):
            continue
        is_vain = is_only_needed and bool(needed & ended)
        has_values = all(key[2] > 1 for key in ended)
        if is_vain or (has_values and _has_idle_argument(program, action)):
            clause, head = program.definitions[action][0]
            names = " and ".join(map(spelled, sorted(ended)))
            text = f"{head.text} only ends {names}, and no rule makes that true again"
            hint = "a rule says what holds after the action, as f(X,t) :- act(X,t)."
            yield make_warning("only-ends", text, clause.at, hint)


def _only_shrinks(program: Clauses, key: Signature) -> bool:
    """Return whether all rules of steps for a fluent read it at the time before."""
    pairs = [pair for pair in program.timed_definitions(key) if pair[0].part == "step"]
    place = program.places.get(key)
    if place is None or not pairs or any(clause.is_choice for clause, _ in pairs):
        return False
    for clause, head in pairs:
        same = [use for use in clause.true if use.key == key]
        rest = [[str(t) for i, t in enumerate(use.terms) if i != place] for use in (*same, head)]
        if len(same) != 1 or rest[0] != rest[1]:
            return False
    return True


def _goal_uses(program: Clauses) -> list[Use]:
    """Return the atoms of fluents in constraints that demand a goal."""
    horizon = program.program.horizon
    found = list[Use]()
    for clause in program.clauses:
        if not clause.is_constraint:
            continue
        if horizon is None:
            is_goal = any(use.key == QUERY for use in clause.reads)
        else:
            is_goal = syntax.names_term(clause.statement, horizon.constant)
        if is_goal:
            found += [use for use in clause.reads if program.is_timed(use.key)]
    return [use for use in found if use.key != QUERY]


def _made_by(program: Clauses, action: Signature, chosen: set[Signature]) -> set[Signature]:
    """Return what rules derive from an action, directly or not."""
    found, size = {action}, 0
    while size != len(found):
        size = len(found)
        for clause in program.rules:
            if not clause.is_choice and any(use.key in found for use in clause.true):
                found |= {head.key for head in clause.heads}
    return found - {action}


def _ended_by(program: Clauses, action: Signature) -> set[Signature]:
    """Return the fluents that a rule keeps only without an action."""
    made = _made_by(program, action, set()) | {action}
    found = set[Signature]()
    for clause in program.rules:
        if any(use.sign == Sign.Negation and use.key in made for use in clause.reads):
            found |= {head.key for head in clause.heads}
    return found


def _has_idle_argument(program: Clauses, action: Signature) -> bool:
    """Return whether rules with effects leave out an argument of an action."""
    place = program.roles.places.get(action)
    rules = [clause for clause in program.rules if not clause.is_choice]
    uses = [use for clause in rules for use in clause.reads if use.key == action]
    for i in range(action[2]):
        terms = [use.terms[i] for use in uses]
        if i != place and terms and all(str(term) == "_" for term in terms):
            return True
    return False


def find_unset_externals(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for externals that no rule derives: nothing sets them, so they are false."""
    for clause in program.rules:
        if clause.statement.ast_type != ASTType.External:
            continue
        for head in clause.heads:
            others = [c for c, _ in program.definitions[head.key] if c is not clause]
            is_read = head.key in program.reads and head.key != QUERY
            is_false = str(clause.statement.external_type) == "false"
            if is_read and is_false and not others and clause.part != "base":
                text = f"nothing sets the external {head.text}, so it is never true"
                hint = "a choice { … } leaves atoms open; a rule derives them"
                yield make_warning("unset-external", text, clause.at, hint)


def find_idle_denials(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for `-p` in heads of steps that nothing reads, while a rule keeps p.

    Then p and -p contradict, and no step is left in which the rule fires.
    """
    program = in_steps(program)
    for key, pairs in program.definitions.items():
        positive = ("", key[1], key[2])
        if key[0] != "-" or key in program.reads or key in program.shown:
            continue
        steps = [pair for pair in pairs if pair[0].part == "step" and not pair[0].is_choice]
        kept = [
            c for c, _ in program.timed_definitions(positive) if positive in {u.key for u in c.true}
        ]
        if steps and kept and positive in program.roles.fluents:
            text = f"nothing reads {spelled(key)}, so {steps[0][1].text} ends nothing"
            hint = f"the rule that carries {spelled(positive)} on needs not {spelled(key)[:-2]}(…)"
            yield make_warning("unread-denial", text, steps[0][1].at, hint)


def find_impossible(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for actions that a constraint excludes together with their own effect."""
    program = in_steps(program)
    chosen = _chosen(program)
    effects = set[tuple[str, str]]()
    for clause in program.rules:
        if len(clause.statement.body) == 1 and clause.true and not clause.is_choice:
            effects |= {(clause.true[0].text, head.text) for head in clause.heads}
    plain = {_shape(*pair) for pair in effects}
    for clause in program.clauses:
        if not clause.is_constraint or len(clause.reads) != len(clause.statement.body):
            continue
        texts = [use.text for use in clause.true]
        actions = [use for use in clause.true if use.key in chosen]
        if len(clause.reads) == 1 and actions and _is_general(actions[0]):
            text = f"this constraint excludes every {actions[0].text}"
            yield make_warning("impossible", text, clause.at, "name what stands in its way")
        if len(texts) == len(clause.reads) == 2 and len(actions) == 1:
            other = next(use for use in clause.true if use is not actions[0])
            if _shape(actions[0].text, other.text) in plain:
                text = f"{other.text} follows from {actions[0].text}, which this excludes with it"
                hint = "a precondition reads the state before, at t-1"
                yield make_warning("impossible", text, other.at, hint)


def _is_general(use: Use) -> bool:
    """Return whether each argument of an atom, but for its time, is a variable of its own."""
    names = [str(term) for i, term in enumerate(use.terms) if use.shift(i) is None]
    variables = [n for n in names if n == "_" or n[:1].isupper()]
    return len(variables) == len(names) and len(set(names) - {"_"}) == len(names) - names.count("_")


def _shape(one: str, other: str) -> tuple[str, str]:
    """Return two atoms with the names of their variables in order, to compare them."""
    names = dict[str, str]()

    def number(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"V{len(names)}")

    pattern = re.compile(r"\b[A-Z]\w*")
    return pattern.sub(number, one), pattern.sub(number, other)
