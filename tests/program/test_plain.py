"""Plain facts stay text, and clingo reads the same program."""

from __future__ import annotations

import re

from clingo import Control, Symbol
from clingo.ast import AST, ASTType, parse_string
from hypothesis import given, settings
from hypothesis import strategies as st

from asplan.core.errors import InputError
from asplan.program.ground import ground_facts
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import Unit, statements_in, unit_of_text
from asplan.program.syntax import heads, location, signature

FRAGMENTS = [
    "p(1).",
    "p(a,n).",
    "-q(f(a,-2),b).",
    'q("a.b%(,\\"",1).',
    "r.",
    "q(((1,2),3),4).",
    "q(-0,f(g(h(i(j(k(l))))))).",
    "p(999999999). p(2147483647).",
    "p( 1 , a )\n.",
    "p(1..3).",
    "p(1;2).",
    "p(1,2;3,4).",
    "p(2+3).",
    "p(n).",
    "p(X) :- r(X).",
    "r(X) :- p(X), X = (1;2).",
    "#const n = 3.",
    "not p(1).",
    "p(not).",
    "p(1). [",
    "[1@2]",
    ":~ p(1). [1@2]",
    "#minimize { X : p(X) }.",
    "#show p/1.",
    "#external r(1).",
    "#external r(1). [true]",
    "#program base.",
    "#program step(t).",
    "#program base(k).",
    "{ p(4) }",
    "{ p(5) }.",
    "a | b.",
    "p(0x1F). p(007).",
    "p(1)..",
    "p().",
    "p(a,).",
    "p(()).",
    "p((a,)).",
    "'p(_a').",
    "% p(6).\n",
    "% p(\n",
    "%* p(7). *%",
    "%* %* *%",
    "*%",
    "%*",
    '"',
    '"a\n"',
    '"\\q"',
    "#",
    "#inf.",
    "p(#sup).",
    "&t { a . p(8) . b }.",
    "#theory t { }.",
    "asplan(x).",
    "notable(1).",
    ",",
    ".",
    ":-",
    "(",
    ")",
    "|",
    "@f(1)",
    " ",
    "\n",
    "\t",
]

programs = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(" ".join) | st.lists(
    st.sampled_from(FRAGMENTS), max_size=12
).map("".join)


def written(statements: list[AST]) -> list[tuple[int, int, str]]:
    """Return the texts of statements with their places."""
    begins = [(s.location.begin.line, s.location.begin.column, str(s)) for s in statements]
    return sorted(begins)


def by_clingo(text: str) -> list[tuple[int, int, str]] | None:
    """Return clingo's own parse of a text; None if clingo refuses it."""
    found: list[AST] = []
    try:
        parse_string(text, found.append, logger=lambda code, message: None)
    except RuntimeError:
        return None
    return written([s for s in found if s.ast_type != ASTType.Comment])


@given(programs)
@settings(max_examples=400, deadline=None)
def test_asplan_reads_the_files_that_clingo_reads(text: str) -> None:
    try:
        unit = unit_of_text(text)
    except InputError:
        return
    facts = [statement for found in unit.facts for statement in statements_in(found)]
    assert written([*unit.statements, *facts]) == by_clingo(text)
    assert unit.defined == Unit(parse_text(text)).defined
    assert unit.constants >= Unit(parse_text(text)).constants - {"base"}


@given(programs)
@settings(max_examples=200, deadline=None)
def test_valid_programs_are_refused_only_for_a_reason(text: str) -> None:
    if by_clingo(text) is not None:
        assert _refusal(text).split(" ")[:2] in ([""], ["the", "number"], ["the", "character"])


def _refusal(text: str) -> str:
    try:
        unit_of_text(text)
    except InputError as error:
        return error.message
    return ""


GROUND = [f for f in FRAGMENTS if by_clingo(f) is not None and "&" not in f and "#theory" not in f]


@given(st.lists(st.sampled_from(GROUND), max_size=12), st.sampled_from(["1", "b", "f(c)"]))
@settings(max_examples=200, deadline=None)
def test_the_facts_are_those_that_clingo_grounds(fragments: list[str], value: str) -> None:
    text = "\n".join(fragments)
    constants = {} if "#const" in text else {"a": value, "n": "7"}
    unit = unit_of_text(text)
    slow = Unit(parse_text(text))
    try:
        expected = _facts(text, constants)
    except RuntimeError:
        return
    facts = ground_facts([unit], constants, strict=False)
    assert set(facts) == set(expected)
    assert all(fact in facts for fact in expected)
    assert facts.signatures() == ground_facts([slow], constants, strict=False).signatures()
    by_place = {location(s): s for s in slow.statements if s.ast_type == ASTType.Rule}
    for fact in expected:
        place = facts.at(fact)
        assert place is not None
        statement = by_place[place]
        key = "" if fact.positive else "-", fact.name, len(fact.arguments)
        assert key in map(signature, heads(statement))
        if not statement.body:
            definitions = "".join(re.findall(r"#const.*", text))
            assert fact in _facts(f"{statement} {definitions}", constants)


def _facts(text: str, constants: dict[str, str]) -> list[Symbol]:
    control = Control(
        [f"-c{name}={value}" for name, value in constants.items()], logger=lambda code, text: None
    )
    control.add("base", [], text)
    control.ground([("base", [])])
    return [atom.symbol for atom in control.symbolic_atoms if atom.is_fact]


def test_words_of_a_comment_are_no_facts() -> None:
    (facts,) = unit_of_text("% All of show and step.\np(1,0). q(2).").facts
    samples, rest = facts.samples({("", "p", 2), ("", "q", 1)})
    assert [str(fact) for fact in samples.symbols()] == ["p(1,0)", "q(2)"]
    assert rest.symbols() == []
