"""Display rules: rules for shown atoms on which no plan depends. They wait until there is a plan.

A program may count its actions, only to show their number:

    #program check(t).    number(N,t) :- N = #count { A,T : occurs(A,T) }, query(t).
                          #show number/2.

clingo would ground the rule for each horizon, once for each number, and clasp would keep all these
counts up to date while it searches. So `without_display` takes such rules out of `check(t)`. Their
atoms follow from the other atoms of an answer set: by the splitting theorem (Lifschitz and Turner,
Splitting a Logic Program, 1994), the answer sets of the whole program are those of the rest, each
with one set of further atoms, because the rules neither choose nor depend on their own heads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from asplan.clingo import Control, Symbol, control_options
from asplan.core.dataclass import dataclass
from asplan.program import syntax
from asplan.program.incremental import Program, base, check, query
from asplan.program.reading.contract import CONTRACT
from asplan.program.reading.unit import QUERY, Section, is_helper
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.theory import theory_atoms

_Rules = Mapping[Signature, Sequence[AST]]  # rules by the predicate of their heads


@dataclass(frozen=True, eq=False)
class Display:
    """The display rules of a program.

    Attributes
    ----------
    program
        The rules, with the `#show` statements that read their atoms.
    shown
        The predicates that a `#show p/n.` shows, or all if there is none.
    reads
        The predicates that the rules read.
    constants
        The values that the user has given to constants.
    """

    program: Program
    shown: frozenset[Signature]
    reads: frozenset[Signature]
    constants: Mapping[str, str]

    def atoms(self, horizon: int, given: Iterable[Symbol]) -> tuple[Symbol, ...]:
        """Return the shown atoms that the rules derive at a horizon.

        `given` are the true atoms of the predicates in `reads`.
        """
        if not self.shown and not any(self.program.of_kind(ASTType.ShowTerm)):
            return ()
        control = Control(["--warn=none", *control_options(self.constants)])
        facts = "".join(f"{atom}." for atom in {*given, query(horizon)})
        shown = "".join(f"#show {name}/{arity}." for _, name, arity in self.shown)
        control.add("base", [], f"{facts} #show. {shown}")
        self.program.add_to(control)
        control.ground([base(), check(horizon)])
        with control.solve(yield_=True) as models:
            (found,) = [model.symbols(shown=True) for model in models]
        return tuple(sorted(symbol for symbol in found if not is_helper(symbol)))


def without_display(program: Program, constants: Mapping[str, str], part: str = "check") -> Program:
    """Return a program without its display rules; its attribute `display` has them instead.

    Return the program itself if it has none. Only rules of `part` count. `constants` are the values
    that the user has given.
    """
    candidates = _candidates(program, part)
    if not candidates or program.theory:
        return program
    rules = _unneeded(candidates, _read_by_others(program, part, candidates))
    if not rules:
        return program
    moved: list[Section] = []

    def leave_out(statement: AST, section: Section) -> list[AST]:
        is_moved = section.part == part and _is_moved(statement, program, rules)
        if is_moved:
            moved.append(section.of([statement]))
        return [] if is_moved else [statement]

    rest = program.changed(leave_out, (part,))
    definitions = Section("base", "", tuple(program.of_kind(ASTType.Definition)))
    own = replace(program.with_own_sections([definitions, *moved]), facts=())
    reads = frozenset().union(*map(syntax.read_in, own.statements))
    display = Display(own, _shown_among(rules, program), reads - rules.keys(), constants)
    return replace(rest, display=display)


def _candidates(program: Program, part: str) -> _Rules:
    """Return the rules of a part that could be display rules, if nothing else read their heads."""
    found: dict[Signature, list[AST]] = {}
    for section in program.sections:
        for statement in section.statements if section.part == part else ():
            if statement.ast_type == ASTType.Rule and syntax.is_literal(statement.head):
                for key in syntax.defined_in(statement):
                    found.setdefault(key, []).append(statement)
    special = {QUERY, *program.actions}
    return {
        key: rules
        for key, rules in found.items()
        if not key[0] and key[1] != CONTRACT and key not in special and not any(map(_is_odd, rules))
    }


def _is_odd(rule: AST) -> bool:
    return bool(theory_atoms(rule)) or "@" in str(rule)  # a function of a script


def _read_by_others(program: Program, part: str, rules: _Rules) -> set[Signature]:
    """Return the predicates in all statements except the candidates.

    For `-p` this includes `p`, as no answer set has both.
    """
    named = set[Signature]()
    for section in program.sections:
        for statement in section.statements:
            if statement.ast_type == ASTType.ProjectSignature:
                named.add(syntax.named_by(statement))
            elif section.part != part or not _is_moved(statement, program, rules):
                named |= syntax.named_in(statement)
    named = named.union(*(facts.signatures for facts in program.facts))
    return named | {("", name, arity) for sign, name, arity in named if sign}


def _is_moved(statement: AST, program: Program, rules: _Rules) -> bool:
    """Return whether a statement is a display rule, or shows a term that depends on one.

    `rules` has the display rules.
    """
    if statement.ast_type == ASTType.Rule:
        return any(statement in rules.get(key, ()) for key in syntax.defined_in(statement))
    if statement.ast_type != ASTType.ShowTerm:
        return False
    return not _shows_action(statement, program) and not syntax.read_in(statement).isdisjoint(rules)


def _shows_action(show: AST, program: Program) -> bool:
    term = show.term
    return term.ast_type != ASTType.Function or (
        ("", term.name, len(term.arguments)) in program.actions
    )


def _unneeded(rules: _Rules, needed: set[Signature]) -> _Rules:
    """Return the rules whose heads are read by rules of the same kind only, without a cycle.

    `needed` are the predicates that other statements read.
    """
    while True:
        is_needed = needed & rules.keys() or _cyclic(rules)
        if not is_needed:
            return rules
        needed = needed.union(*(syntax.read_in(rule) for key in is_needed for rule in rules[key]))
        rules = {key: own for key, own in rules.items() if key not in is_needed}


def _cyclic(rules: _Rules) -> set[Signature]:
    """Return the predicates that depend on themselves, or read such predicates."""
    left = set(rules)
    reads = {key: set().union(*map(syntax.read_in, own)) for key, own in rules.items()}
    while True:
        done = {key for key in left if left.isdisjoint(reads[key])}
        if not done:
            return left
        left -= done


def _shown_among(rules: _Rules, program: Program) -> frozenset[Signature]:
    """Return the predicates of display rules that the program shows."""
    signatures = {syntax.named_by(show) for show in program.of_kind(ASTType.ShowSignature)}
    return frozenset(key for key in rules if not signatures or key in signatures)
