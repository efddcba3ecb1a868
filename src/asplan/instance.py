"""From files to a problem: which domain the facts belong to, and which encoding goes with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clingo.ast import AST, ASTType

from asplan.asp.foreign import refuse_foreign
from asplan.asp.program import PARTS
from asplan.asp.unit import joined, read_unit
from asplan.catalog import Entry, domain_of, find_encoding, only_encoding
from asplan.domains import DOMAINS
from asplan.domains.base import Domain, Problem
from asplan.errors import InputError, UsageError
from asplan.facts import Facts, ground_facts
from asplan.result import Result


@dataclass(frozen=True)
class Instance:
    """The files of a problem, read.

    Attributes
    ----------
    encoding
        The encoding that runs; None where the files are a whole program by themselves.
    given
        The constants that were set.
    constants
        The same, and the variants of the domain with their values.
    """

    files: tuple[str, ...]
    domain: Domain | None
    problem: Problem[Any, Any] | None
    encoding: Entry | None
    facts: Facts
    given: Mapping[str, str]
    constants: Mapping[str, str]

    @property
    def program(self) -> tuple[str, ...]:
        """All files of the ASP program."""
        return (*self.files, str(self.encoding.path)) if self.encoding else self.files

    @property
    def encoding_name(self) -> str:
        """The name of the encoding, or the file with the step part."""
        if self.encoding:
            return self.encoding.name
        return next(
            (f for f in self.files if f != "-" and "step" in read_unit(f).parts), self.files[-1]
        )


def read_instance(
    files: Iterable[str],
    encoding: str | None,
    constants: Mapping[str, str],
    needs_model: bool = False,
    allow_scripts: bool = False,
) -> Instance:
    """Read files, find their domain, and choose an encoding where none is given.

    Files that have all the predicates of a domain's instances belong to that domain. A program of
    somebody's own belongs to no other; else the folder of a shipped file decides, or one of the
    predicates is enough, and what is missing is an error.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense.
    UsageError
        Encoding, constants and files do not go together.
    """
    files = tuple(files)
    unit = joined(read_unit(file) for file in files)
    refuse_foreign(unit.suspects, PARTS, allow_scripts)
    whole = "step" in unit.parts
    if whole and encoding:
        raise UsageError(
            f"the files have a part step(t) already, so -e {encoding} would be a second encoding",
            mend="leave out one of the two",
        )
    heads = _signatures(unit.statements)
    home = domain_of(files, encoding)
    domain = _domain(heads, encoding, whole, home)
    facts = Facts({})
    if domain or not whole:
        facts = ground_facts(unit.statements, constants, files, strict=not whole)
    if domain and not domain.recognises(facts):
        domain = None
    problem, variants = None, dict(constants)
    if domain:
        variants = _with_variants(domain, constants)
        problem = domain.problem(facts, variants)
    entry = None
    if not whole and not needs_model:
        entry = _encoding(encoding, domain, problem, facts, home)
    return Instance(files, domain, problem, entry, facts, constants, variants)


def reread(result: Result) -> Instance:
    """The instance that a result speaks of, read once more."""
    return read_for_check(result.files, result.encoding, result.constants)


def read_for_check(
    files: Iterable[str], encoding: str | None, constants: Mapping[str, str]
) -> Instance:
    """Read files for a plan's check: the encoding matters only where there is no model."""
    files = tuple(files)
    whole = any("step" in read_unit(file).parts for file in files)
    # Reading runs no script; whoever solves again must allow it again.
    return read_instance(files, None if whole else encoding, constants, allow_scripts=True)


def _signatures(statements: Iterable[AST]) -> set[tuple[str, int]]:
    rules = (s.head for s in statements if s.ast_type == ASTType.Rule)
    atoms = (head.atom for head in rules if head.ast_type == ASTType.Literal)
    terms = (a.symbol for a in atoms if a.ast_type == ASTType.SymbolicAtom)
    return {(t.name, len(t.arguments)) for t in terms if t.ast_type == ASTType.Function}


def _domain(
    heads: set[tuple[str, int]], encoding: str | None, whole: bool, home: str | None
) -> Domain | None:
    complete = [d for d in DOMAINS.values() if d.signatures <= heads]
    if complete:
        return complete[0]
    if home is not None and not whole:
        return DOMAINS.get(home)
    own = whole or (encoding is not None and Path(encoding).is_file())
    if own:
        return None
    partly = [d for d in DOMAINS.values() if d.signatures & heads]
    return max(partly, key=lambda d: len(d.signatures & heads), default=None)


def _with_variants(domain: Domain, constants: Mapping[str, str]) -> dict[str, str]:
    chosen = {name: values[0] for name, values in domain.constants.items()} | dict(constants)
    for name, values in domain.constants.items():
        if chosen[name] not in values:
            raise UsageError(
                f"{name}={chosen[name]}: {name} in {domain.name} is {' or '.join(values)}"
            )
    return chosen


def _encoding(
    name: str | None, domain: Domain | None, problem: Any, facts: Facts, home: str | None
) -> Entry:
    if name is not None:
        return find_encoding(name, domain.name if domain else home)
    if domain is not None:
        return find_encoding(domain.default_encoding(problem), domain.name)
    if home is not None:
        return only_encoding(home)
    raise InputError(
        f"{', '.join(facts.files)}: an instance of no domain that asplan knows, and no program "
        "with a part step(t)",
        mend="add an encoding: -e NAME or one more file; see asplan list",
    )
