"""A minimal set of constraints, and of facts, that together exclude every plan; and by when each
condition of the goal holds alone, and which of them exclude each other.

Deletion with cores: one member after another is left out; if there is still no plan, the core of
that answer replaces the set (Marques-Silva, Minimal Unsatisfiability, 2010). All constraints of the
goal go first, so they are part of the set only if the others allow some sequence of actions.

And what cannot be at any step, whatever the goal: each body has a witness, and what some answer set
has among the witnesses is possible (its brave consequences). Of the bodies that never are true
their beginnings are asked for once more.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from clingo import Function, Number, Symbol

from asplan.core.errors import InputWarning
from asplan.explaining.explanation import Conflict, Goal, Goals, Never, Rule
from asplan.explaining.instances import Body, bodies_of
from asplan.explaining.question import BROKEN, Pin, Question
from asplan.program import syntax
from asplan.program.contract import CONTRACT
from asplan.program.incremental import Program
from asplan.program.syntax import AST, Aggregate, ASTType, ConditionalLiteral
from asplan.program.unit import HELPER, QUERY, Section
from asplan.warnings.catalogue import make_warning

_GIVEN = "explain__given"

_Members = dict[Pin, Rule | str]  # what may be part of it, by what is assumed of it


def find_conflict(question: Question, report: Callable[[Conflict], None]) -> Conflict | None:
    """Find a conflict at the question's horizon and make it minimal; `report` hears of each."""
    given = (atom.arguments[0] for atom in question.session.atoms(_GIVEN, 1))
    members: _Members = {(fact, True): str(fact) for fact in given}
    members |= {(c.kept, True): c.rule for c in question.constraints}
    horizon = question.horizon
    answer = question.ask(members, goal=horizon)
    if answer.satisfiable is not False:
        return None
    among = sorted(members, key=lambda pin: _rank(members[pin]))
    others = [pin for pin in among if _rank(members[pin])]
    without_goal = question.ask(others, goal=horizon)
    if without_goal.satisfiable is False:  # a core could name the goal alone all the same
        answer, among = without_goal, others
    needed: list[Pin] = []
    candidates = question.core(answer, among, horizon)
    while candidates:
        report(_conflict(members, [*needed, *candidates], minimal=False))
        tried = candidates.pop(0)
        answer = question.ask([*needed, *candidates], goal=horizon)
        if answer.satisfiable is None:
            return _conflict(members, [tried, *needed, *candidates], minimal=False)
        if answer.satisfiable:
            needed.append(tried)
        else:
            kept = set(question.core(answer, [*needed, *candidates], horizon))
            candidates = [pin for pin in candidates if pin in kept]
    return _conflict(members, needed, minimal=True)


def _rank(member: Rule | str) -> int:
    """In which order members are left out: the goal, facts, and other constraints."""
    if isinstance(member, str):
        return 1
    return 0 if member.goal else 2


def _conflict(members: _Members, pins: Sequence[Pin], minimal: bool) -> Conflict:
    found = [members[pin] for pin in pins]
    rules = {member for member in found if isinstance(member, Rule)}
    facts = sorted(member for member in found if isinstance(member, str))
    return Conflict(tuple(sorted(rules, key=lambda rule: rule.at)), tuple(facts), minimal)


def with_optional_facts(program: Program, files: Collection[str]) -> Program:
    """The program with a choice for each fact that is written in some files."""

    def optional(statement: AST, section: Section) -> Iterable[AST]:
        """A fact as a choice, and the note that it is given; any other statement as it is."""
        is_fact = statement.ast_type == ASTType.Rule and not statement.body
        place = statement.location
        if (
            not is_fact
            or not syntax.is_literal(statement.head)
            or place.begin.filename not in files
        ):
            return (statement,)
        if any(sign or name == CONTRACT for sign, name, _ in syntax.defined_in(statement)):
            return (statement,)
        head = statement.head
        choice = Aggregate(place, None, [ConditionalLiteral(place, head, [])], None)
        given = syntax.named_atom(statement, _GIVEN, [head.atom.symbol])
        return statement.update(head=choice), statement.update(head=given)

    return program.expand_facts().changed(optional, ["base"])


# The conditions of the goal.


_MOST = 40  # conditions that are looked at; all pairs of so many are 780


def find_goals(question: Question, report: Callable[[Goals], None]) -> Goals:
    """Look at each condition of the goal, then at pairs; its witness is that it is missed."""
    last, rules = Number(question.horizon), [c.rule for c in question.constraints]
    broken = (a for a in question.session.atoms(BROKEN, 3) if a.arguments[1] == last)
    conditions = sorted(a for a in broken if rules[a.arguments[0].number].goal)[:_MOST]
    goals: list[Goal] = []
    for condition in conditions:
        goals.append(_reached(question, condition))
        report(Goals(tuple(goals), complete=False))
    reached = [i for i, goal in enumerate(goals) if goal.reached is not None]

    def together(numbers: Iterable[int]) -> bool | None:
        return _together(question, [conditions[i] for i in numbers])

    found: list[tuple[int, ...]] = []
    complete = not any(goal.unknown for goal in goals)
    for pair in combinations(reached, 2):
        both = together(pair)
        complete = complete and both is not None
        if both is False:
            found.append(pair)
            report(Goals(tuple(goals), tuple(found), complete=False))
        if question.session.overdue():
            complete = False
            break
    if not found and complete and len(reached) > 2 and together(reached) is False:
        needed = list(reached)
        for number in reached:
            rest = [i for i in needed if i != number]
            if together(rest) is False:
                needed = rest
        found.append(tuple(needed))
    return Goals(tuple(goals), tuple(found), complete)


def _reached(question: Question, condition: Symbol) -> Goal:
    """By when a condition holds alone: out of reach is seen at once where the program says so."""
    rule = question.constraints[condition.arguments[0].number].rule
    values = question.values(condition)
    if _together(question, [condition]) is False:
        return Goal(rule, values, None)
    for t in range(question.horizon + 1):
        found = _holds(question, [condition], t)
        if found is not False:
            return Goal(rule, values, t if found else None, unknown=found is None)
    return Goal(rule, values, None, unknown=True)


def _together(question: Question, conditions: Sequence[Symbol]) -> bool | None:
    """Whether some conditions can hold together at some horizon; None where that is not known."""
    unknown, last = False, question.horizon
    # What holds once can hold at the last one, if the program is monotone.
    for t in range(last if question.contract.monotone else 0, last + 1):
        found = _holds(question, conditions, t)
        if found:
            return True
        unknown = unknown or found is None
    return None if unknown else False


def _holds(question: Question, conditions: Iterable[Symbol], t: int) -> bool | None:
    parts = (condition.arguments for condition in conditions)
    pins = [(Function(BROKEN, [n, Number(t), values]), False) for n, _, values in parts]
    return question.ask([*question.kept(goals=False), *pins], goal=t).satisfiable


_TRUE, _EVER, _DONE, _WAS = "explain__true", "explain__ever", "explain__done", "explain__was"
_LOOK = "explain__look"
_SHOWN = f"#show {_EVER}/2. #show {_DONE}/1. #show {_WAS}/1. #defined {_TRUE}/4."


def find_never(question: Question, said: Iterable[InputWarning] = ()) -> Never | None:
    """Return what cannot be up to the question's horizon.

    Rules that warnings are `said` of are left out, and those of steps where there is no step.
    """
    bodies = [body for body in bodies_of(question.program) if body.literals]
    if not question.horizon:
        bodies = [body for body in bodies if body.section.part != "step"]
    possible = _possible(question, bodies, {n: [len(b.literals)] for n, b in enumerate(bodies)})
    if possible is None:
        return None
    reached, never = possible
    dead = [n for n, body in enumerate(bodies) if (n, len(body.literals)) not in reached]
    if dead:
        ends = {n: range(1, len(bodies[n].literals)) for n in dead}
        if (possible := _possible(question, bodies, ends)) is None:
            return None
    places = [one.at for one in said if one.at is not None]
    missing, found = question.program.declared, list[InputWarning]()
    for body, n in ((bodies[n], n) for n in dead):
        lengths = range(1, len(body.literals) + 1)
        stop = next(end for end in lengths if (n, end) not in possible[0]) - 1
        keys = syntax.named_in(body.literals[stop])
        # It is of no use for want of a goal, as a variant, or of what may be missing.
        is_variant = not keys and not syntax.find(ASTType.Variable, [body.literals[stop]])
        if body.rule.goal or is_variant or keys & missing or any(map(body.has, places)):
            continue
        if not body.is_written(stop):
            continue
        code = "never-fires" if body.heads else "never-binds"
        what = f"this {'rule' if body.heads else 'constraint'} {code.replace('-', ' ')}"
        text = f"{what}: {body.places[stop].text} is never true there"
        found.append(make_warning(code, text, body.rule.at))
    return replace(never, rules=tuple(dict.fromkeys(found)))


def _possible(
    question: Question, bodies: Sequence[Body], ends: Mapping[int, Sequence[int]]
) -> tuple[set[tuple[int, int]], Never] | None:
    """After how many literals some answer set has a body, and the actions and atoms of none."""
    program = question.program
    parts = [(n, bodies[n], several) for n, several in ends.items()]
    twins = [
        body.section.of(body.witness(_TRUE, (n, end), (), body.literals[:end]) for end in several)
        for n, body, several in parts
    ]
    last = f"{_EVER}(K,E) :- {_TRUE}(K,E,_,_). {' '.join(_timeless(program))}"
    look = Section.of_text(_LOOK, "", last)
    looking = question.variant(program.with_sections(*twins, look), _SHOWN)
    looking.ground(question.horizon)
    looking.session.ground([(_LOOK, [])])
    within = looking.session.possible(looking.kept(goals=False))
    without = looking.session.possible([])
    if within is None or without is None:
        return None
    reached: set[tuple[int, int]] = set()
    for symbols, is_rule in ((within, True), (without, False)):
        numbers = ([a.number for a in s.arguments] for s in symbols if s.match(_EVER, 2))
        reached |= {(n, end) for n, end in numbers if bool(bodies[n].heads) == is_rule}
    missing = (sorted({*looking.session.atoms(name, 1)} - within) for name in (_DONE, _WAS))
    actions, fluents = (tuple(str(a.arguments[0]) for a in atoms) for atoms in missing)
    return reached, Never(actions=actions, fluents=fluents)


def _timeless(program: Program) -> Iterable[str]:
    """Rules that leave the time out of actions and of what timed parts derive."""
    if len(program.readings) == 1:
        for form in program.readings[0].forms:
            atom, action = form.pattern("_")
            yield f"{_DONE}({action}) :- {atom}."
    for (sign, name, arity), places in sorted(program.time_places.items()):
        if (sign, name, arity) in {*program.actions, QUERY} or len(places) != 1 or sign:
            continue
        if name.startswith((HELPER, "explain__")):
            continue
        terms = [f"V{i}" for i in range(arity)]
        rest = ",".join(term for i, term in enumerate(terms) if i not in places)
        yield f"{_WAS}({name}{rest and f'({rest})'}) :- {name}({','.join(terms)})."
