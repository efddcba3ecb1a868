"""Which of the bodies that are never true are most likely slips of the pen.

Rules may well be of no use for one instance: a variant is off, or there is no wall. A body is
suspect where nothing at all is there of what the literal speaks of, and nobody has said by
`#defined` that this may be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from clingo.ast import ASTType, Sign

from asplan.errors import nearest
from asplan.program.incremental import Program
from asplan.program.syntax import Signature, atoms, find, heads, signature
from asplan.why.bodies import Body
from asplan.why.explanation import Never
from asplan.why.question import Question


@dataclass(frozen=True)
class Suspicion:
    """Bodies that are never true, and the numbers of the literals that stop them."""

    program: Program
    question: Question
    all_bodies: Sequence[Body]
    stops: Mapping[int, int]

    def bodies(self) -> Iterator[Never]:
        """The bodies that are never true, but for those of variants that are off."""
        for number, stop in self.stops.items():
            body = self.all_bodies[number]
            literal = body.literals[stop]
            if body.rule.goal or (not find(ASTType.Variable, [literal]) and not atoms(literal)):
                continue
            keys = {signature(atom) for atom in atoms(literal)}
            if keys & self.declared and not any(map(self._is_there, keys)):
                continue
            kind = "constraint" if body.constraint else "rule"
            suspect = literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign
            suspect = suspect and any(not self._is_there(key) for key in keys)
            suspect = suspect and not any(self._follows(key) for key in keys)
            hint = "; ".join(self._meant(key) for key in sorted(keys) if key not in self.defined)
            place = body.places[stop]
            yield Never(kind, body.rule.text, body.rule.at, place, hint, suspect)

    def undefined(self) -> Iterator[Never]:
        """What is read behind `not`, and what nothing defines: it is always true there."""
        for body in self.all_bodies:
            for literal, place in zip(body.literals, body.places, strict=True):
                if literal.ast_type != ASTType.Literal or literal.sign == Sign.NoSign:
                    continue
                for key in {signature(atom) for atom in atoms(literal)}:
                    if key not in self.defined and key not in self.declared:
                        name = f"{key[0]}{key[1]}/{key[2]}"
                        hint = self._meant(key)
                        yield Never("predicate", name, place.at, place, hint, suspect=True)

    @cached_property
    def defined(self) -> set[Signature]:
        """The predicates that are defined somewhere."""
        written = {
            signature(atom)
            for section in self.program.sections
            for statement in section.statements
            for atom in heads(statement)
        }
        return written.union(*(facts.signatures for facts in self.program.facts))

    @cached_property
    def declared(self) -> set[Signature]:
        """Those of which `#defined` says that they may be missing."""
        return {
            ("" if statement.positive else "-", statement.name, statement.arity)
            for section in self.program.sections
            for statement in section.statements
            if statement.ast_type == ASTType.Defined
        }

    def _is_there(self, key: Signature) -> bool:
        """Whether the ground program has an atom of a predicate."""
        sign, name, arity = key
        known = self.question.session.control.symbolic_atoms
        return any(True for _ in known.by_signature(name, arity, not sign))

    def _follows(self, key: Signature) -> bool:
        """Whether a predicate is missing because other bodies are never true."""
        return any(self._derives(body, key) for body in self.all_bodies)

    def _derives(self, body: Body, key: Signature) -> bool:
        return any(signature(head) == key for head in body.heads)

    def _meant(self, key: Signature) -> str:
        """Predicates that may have been meant; empty if none is like it."""
        sign, name, arity = key
        same = sorted(n for s, m, n in self.defined if (s, m) == (sign, name) and n != arity)
        if same:
            return f"there is {' and '.join(f'{sign}{name}/{n}' for n in same)}"
        alike = {f"{s}{m}/{n}" for s, m, n in self.defined if not m.startswith("asplan")}
        said = nearest(f"{sign}{name}/{arity}", alike, noun="predicates") if alike else ""
        return said if said.startswith("did you mean") else ""
