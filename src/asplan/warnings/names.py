"""Checks of names: predicates that are read or defined alone, and constants without a value."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from clingo import SymbolType

from asplan.core.errors import InputWarning
from asplan.core.text import amount
from asplan.program import syntax
from asplan.program.syntax import AST, AggregateFunction, ASTType, Sign, Signature
from asplan.program.terms import Op
from asplan.program.unit import QUERY, Section
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clauses, Use, is_slip, meant, spelled

_SLIPS = 2  # in how many places the same slip may stand


def find_undefined(program: Clauses) -> Iterator[InputWarning]:
    """Atoms in bodies that nothing defines.

    An instance may well lack facts that an encoding can read. So one counts only if its name is
    that of another predicate with a slip in it, or like it where it speaks of the time; or, in a
    file that has the instance as well, if it speaks of the time or is the only one. Nobody makes
    the same slip everywhere, unless the head of a rule has it, so that nothing reads that.
    """
    missing = _missing(program)
    timed = {key for key, uses in missing.items() if any(use.shifts for use in uses)}
    is_whole = program.is_one_file and program.has_facts
    for key, uses in missing.items():
        warning = _undefined(program, uses)
        is_sure = is_whole and (key in timed or len(missing.keys() - timed) == 1)
        alike = {k for k in program.defined if key[0] == k[0] and key[2] == k[2]}
        # Where `init(F) :- initp(F).` says how both belong together the names are meant.
        origins = program.origins
        slips = {k for k in alike if is_slip(key[1], k[1]) and key not in origins.get(k, ())}
        is_close = key in timed and (slips or warning.hint.startswith("there is"))
        is_head = any(map(program.timed_definitions, slips - program.reads.keys()))
        is_rare = len(uses) <= _SLIPS and (slips or (key in timed and warning.hint))
        if is_sure or is_close or is_rare or is_head:
            yield warning


def find_missing(program: Clauses) -> Iterator[InputWarning]:
    """All atoms in bodies that nothing defines, those that an instance may lack as well."""
    for uses in _missing(program).values():
        yield _undefined(program, uses)


def _missing(program: Clauses) -> dict[Signature, list[Use]]:
    return {
        key: uses
        for key, uses in program.reads.items()
        if key not in program.defined
        and key not in program.program.declared
        and not _is_ours(key)
        and not any(use.pooled for use in uses)
    }


def _undefined(program: Clauses, uses: list[Use]) -> InputWarning:
    first, key = uses[0], uses[0].key
    always = "always" if first.sign == Sign.Negation and not first.inner else "never"
    text = f"nothing defines {spelled(key)}, so {first.literal} is {always} true"
    if len(uses) > 1:
        text += f", nor in {amount(len(uses) - 1, 'other place')}"
    return make_warning("undefined", text, first.at, meant(key, program.defined | {QUERY}))


def find_unread(program: Clauses) -> Iterator[InputWarning]:
    """Predicates of rules that nothing reads, while one that is read differs by a slip."""
    read = {key for key in program.reads if key in program.defined}
    for key, pairs in program.definitions.items():
        clause, head = pairs[0]
        if key in program.reads or key in program.shown or _is_ours(key):
            continue
        if clause.statement.ast_type != ASTType.Rule or not clause.statement.body:
            continue
        if any(use.key[1] == key[1] for use in clause.reads):
            continue  # it is a projection
        text = f"nothing reads {spelled(key)}, which is defined here"
        found = (k for k in read if k[:2] == key[:2] and program.timed_definitions(k))
        if others := sorted(map(spelled, found)):
            hint = f"rules read {' and '.join(others)}"
            yield make_warning("arity", text, head.at, hint)
            continue
        found = (k for k in read if k[0] == key[0] and k[2] == key[2] and is_slip(key[1], k[1]))
        if alike := sorted(map(spelled, found)):
            hint = f"did you mean {' or '.join(alike)}?"
            yield make_warning("unread", text, head.at, hint)


def find_unshown(program: Clauses) -> Iterator[InputWarning]:
    """Predicates that `#show p/n` names and nothing defines."""
    for key, at in program.shown.items():
        if key not in program.defined and key not in program.program.declared and not _is_ours(key):
            text = f"nothing defines {spelled(key)}, so there is nothing to show"
            yield make_warning("no-atoms", text, at, meant(key, program.defined))


def find_vain(program: Clauses) -> Iterator[InputWarning]:
    """Rules that need what they derive, and bodies that contradict themselves."""
    for clause in program.clauses:
        true = {str(use.atom): use for use in clause.true}
        derives = clause.part != "base" and not clause.is_choice
        for head in clause.heads if derives else ():
            if use := true.get(str(head.atom)):
                text = f"this rule derives {head.text} only where it is true already"
                yield make_warning("circular", text, use.at, "a state follows from the one before")
        for use in clause.reads:
            if use.sign == Sign.Negation and not use.inner and str(use.atom) in true:
                text = f"{use.text} cannot be true and not true, so this is without effect"
                yield make_warning("contradiction", text, use.at)


def _is_ours(key: Signature) -> bool:
    return key == QUERY or key[1].startswith("asplan")


_SAME = (Op.Equal, Op.NotEqual)
_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)
_ADDING = (ASTType.BodyAggregate, ASTType.HeadAggregate)


def find_constants(program: Clauses, given: Collection[str]) -> Iterator[InputWarning]:
    """Names without a value that are bounds, in arithmetic, or compared with numbers."""
    whole = program.program
    known = {node.name for node in whole.of_kind(ASTType.Definition)}.union(given)
    times = {section.parameter for section in whole.sections} - {""}
    named = known.union(*(facts.names for facts in whole.facts))
    for section in whole.sections:
        yield from _find_strange_times(section, times - named)
    # The names that are arguments as they stand.
    terms = syntax.find((ASTType.Function, ASTType.Pool), whole.statements)
    named |= {name for term in terms for name in map(_name, term.arguments)}
    for statement in whole.statements:
        for name, term, what in _numbers(statement):
            if name not in named | times:
                named.add(name)  # once is enough
                alike = get_close_matches(name, known, n=1, cutoff=0.7)
                give = f"give it one: #const {name}=… or -c {name}=…"
                hint = f"did you mean {alike[0]}?" if alike else give
                text = f"{name} has no value, so {what}"
                yield make_warning(
                    "undefined-constant", text, syntax.place_in(statement, term), hint
                )


def _find_strange_times(section: Section, times: Collection[str]) -> Iterator[InputWarning]:
    """The first atom of a timed part that speaks of the parameter of another part."""
    own = section.parameter
    for statement in section.statements if own else ():
        for atom in syntax.atoms(statement):
            for name in sorted(set(times) - {own}):
                if any(syntax.names_term(term, name) for term in syntax.arguments(atom)):
                    text = f"{name} is a constant here; the parameter of this part is {own}"
                    hint = f"write {own} for {name}, or #program {section.part}({name})."
                    at = syntax.place_in(statement, atom.symbol)
                    yield make_warning("undefined-constant", text, at, hint)
                    return


def _numbers(statement: AST) -> Iterator[tuple[str, AST, str]]:
    """The names that stand for numbers, each with its term, and what is wrong without a value."""

    def told() -> Iterator[tuple[AST, str]]:
        for node in syntax.find(ASTType.Interval, [statement]):
            for term in (node.left, node.right):
                yield term, f"the interval {_plain(node)} is empty"
        for kind in (ASTType.BinaryOperation, ASTType.UnaryOperation):
            for node in syntax.find(kind, [statement]):
                for key in node.child_keys:
                    yield getattr(node, key), f"{_plain(node)} is no number"
        for node in syntax.find(ASTType.Comparison, [statement]):
            terms = [node.term, *(guard.term for guard in node.guards)]
            is_ordered = any(guard.comparison not in _SAME for guard in node.guards)
            for term in terms if is_ordered and not all(map(_name, terms)) else ():
                yield term, f"{node} compares with a mere name"
        for kind in (ASTType.Aggregate, *_ADDING):
            for node in syntax.find(kind, [statement]):
                for guard in filter(None, (node.left_guard, node.right_guard)):
                    if guard.comparison not in _SAME:
                        yield guard.term, "a number is compared with a mere name"
        for node in syntax.find(ASTType.Minimize, [statement]):
            for term in (node.weight, node.priority):
                yield term, "clingo leaves out what is minimized here"
        for kind in _ADDING:
            for node in syntax.find(kind, [statement]):
                for element in node.elements if node.function in _SUMS else ():
                    if element.terms:
                        yield element.terms[0], "the sum leaves its tuple out"

    return ((name, term, what) for term, what in told() if (name := _name(term)))


def _name(term: AST) -> str:
    """The name that a term is; empty if it is anything else."""
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Function:
        return ""
    return str(term.symbol) if not term.symbol.arguments and term.symbol.name else ""


def _plain(term: AST) -> str:
    """A term without the brackets that clingo puts around it."""
    text = str(term)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
