"""From what a caller names to a problem: the front ends, and here the one for ASP.

`problem` says what is known once all is read. Facts or programs are read here, and get the domain
and the encoding that fit them; `notation` reads the notations of others, which become facts. More
front ends register in the group `asplan.front_ends`.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.facts import Facts
from asplan.core.files import ASP, STDIN, is_there
from asplan.core.limits import holds_locks
from asplan.core.registry import entries
from asplan.domains import Domain, domains, find_domain
from asplan.problem import catalog, instance
from asplan.problem.catalog import Entry
from asplan.problem.problem import STEPPED, TEXT, Inputs, Problem, is_program, with_variant
from asplan.program.contract import read_claims
from asplan.program.ground import ground_facts
from asplan.program.incremental import PARTS, refuse_unused
from asplan.program.source import parse_constant
from asplan.program.syntax import ASTType
from asplan.program.theory import is_temporal
from asplan.program.unit import (
    Unit,
    joined,
    read_unit,
    refuse_foreign,
    refuse_lost_calls,
    unit_of_text,
)


class FrontEnd(Protocol):
    def load(self, inputs: Inputs, needs_model: bool) -> Problem | None:
        """The problem, as `load` of this package makes it; None for files of another kind."""

    def load_source(self, inputs: Inputs) -> Problem | None:
        """The problem as its source says it, if that is the source of a translation."""


def _front_ends(inputs: Inputs) -> list[FrontEnd]:
    """Those that may know the files: none of asplan's own where all names say that they are ASP."""
    known = list(entries("asplan.front_ends").values())
    with suppress(InputError):  # whoever reads the file says what is wrong
        if all(Path(catalog.find_instance(file)).suffix in ASP for file in inputs.files):
            known = [entry for entry in known if not entry.is_own]
    return [entry.load() for entry in known]


@holds_locks
def load(inputs: Inputs, needs_model: bool = False) -> Problem:
    """Read what a caller names; `needs_model` is that no encoding is wanted."""
    inputs = with_variant(inputs)
    loaders = (*(front_end.load for front_end in _front_ends(inputs)), load_asp)
    problem = next(filter(None, (load_with(inputs, needs_model) for load_with in loaders)))
    if inputs.actions:
        if problem.encoding is None:
            what = f"--action {inputs.actions[0]}: no program is named, only an instance"
            raise UsageError(what, hint="name an encoding with -e")
        problem = replace(problem, actions=inputs.actions)
        problem.program  # noqa: B018  what is wrong with it is said now
    return problem


@holds_locks
def load_space(inputs: Inputs) -> Problem:
    """The same, so that states can be searched: the model's, or of the encoding that is named."""
    if inputs.encoding is None:
        problem = load(inputs, needs_model=True)
        if problem.model is not None or problem.is_whole:
            return replace(problem, all_states=inputs.all_states)
    return replace(load(inputs), by_encoding=True, all_states=inputs.all_states)


@holds_locks
def load_source(inputs: Inputs) -> Problem | None:
    """The problem as its source says it, to check plans; None where that is facts anyway."""
    for front_end in _front_ends(inputs):
        if problem := front_end.load_source(inputs):
            return problem
    return None


def load_asp(inputs: Inputs, needs_model: bool = False) -> Problem:
    """Read files, find their domain, and choose an encoding where none is given.

    The folder of a shipped file says which domain it is of. Other files that have all the
    predicates of a domain's instances belong to that domain; else one of the predicates is enough,
    and what is missing is an error. A whole program belongs to a domain only if it says so.
    """
    files = tuple(catalog.find_instance(file) for file in inputs.files)
    units = [read_unit(file, inputs.allow_includes) for file in files]
    if inputs.text is not None:
        files = (*files, TEXT)
        units.append(unit_of_text(inputs.text, TEXT, inputs.allow_includes))
    return load_units(inputs, files, units, needs_model)


def load_units(
    inputs: Inputs, files: tuple[str, ...], units: list[Unit], needs_model: bool
) -> Problem:
    if not files:
        raise UsageError("no files are given", hint="name an instance, for example sample02")
    if any(is_temporal(unit.suspects) for unit in units):
        if inputs.encoding:
            what = f"a temporal program is whole, so -e {inputs.encoding} would be a second one"
            raise UsageError(what, hint="give the file without -e if it is a part of the program")
        from asplan.program.telingo import in_steps

        units = list(in_steps(units))
        refuse_foreign(joined(units).suspects, PARTS, False)
        _refuse_steps(inputs, None)
        return replace(_whole(inputs, files, tuple(units), joined(units)), is_temporal=True)
    unit = joined(units)
    instance.refuse_amounts(unit.statements)
    if not is_program(unit):
        strange = (s for s in unit.suspects if s.ast_type != ASTType.Script)
        refuse_foreign(strange, PARTS, False)
        own = inputs.encoding
        if own is not None and Path(own).is_file():
            encoding = read_unit(own, inputs.allow_includes)
            together = [*units, encoding] if not is_program(encoding) else []
            found = _single_shot(inputs, (*files, own), together)
        else:
            found = _single_shot(inputs, files, units) if own is None else None
        if found is not None:
            return found
        if own is None and catalog.domain_of(files, None) is None:
            instance.refuse_other_kinds(unit, (domain.signatures for domain in domains().values()))
        instance.refuse_guesses(unit)
        refuse_foreign(unit.suspects, PARTS, inputs.allow_scripts)
        return _instance(inputs, files, tuple(units), unit, needs_model)
    refuse_foreign(unit.suspects, PARTS, inputs.allow_scripts)
    refuse_lost_calls(unit)
    _refuse_steps(inputs, None)
    if inputs.encoding:
        raise UsageError(
            f"the files have a part step(t) already, so -e {inputs.encoding} would be a second "
            "encoding",
            hint="leave out one of the two",
        )
    return _whole(inputs, files, tuple(units), unit)


def _whole(inputs: Inputs, files: tuple[str, ...], units: tuple[Unit, ...], unit: Unit) -> Problem:
    """A program that is complete by itself."""
    domain = facts = model = None
    constants: Mapping[str, str] = inputs.constants
    if (named := read_claims(units).domain) is not None:
        if (domain := find_domain(named)) is None:
            hint = nearest(named, domains(), noun="domains")
            raise InputError(f"asplan(domain({named})): there is no domain {named}", hint=hint)
        facts = ground_facts(units, inputs.constants, files, strict=False)
        written = {n: value for n, value in unit.values.items() if n in domain.variants}
        constants = domain.with_variants(written | dict(inputs.constants))
        model = domain.model(facts, constants)
    timed = [file for file, each in zip(files, units, strict=True) if is_program(each)]
    name = next((file for file in timed if file != STDIN), files[-1])
    problem = Problem(
        files=files,
        units=units,
        encoding=name,
        path=None if name in (STDIN, TEXT) else Path(name),
        domain=domain,
        model=model,
        given=inputs.constants,
        constants=constants,
        is_whole=True,
        is_replayed=True,
        allow_scripts=inputs.allow_scripts,
        known_facts=facts,
    )
    problem.program  # noqa: B018  what is wrong with it is said now
    return problem


def _single_shot(inputs: Inputs, files: tuple[str, ...], units: Iterable[Unit]) -> Problem | None:
    """A program without parts that plans up to a horizon; None if it is none."""
    if not any(instance.may_guess(statement) for unit in units for statement in unit.statements):
        return None
    from asplan.problem.single_shot import load_single_shot

    return load_single_shot(inputs, files, tuple(units))


def _instance(
    inputs: Inputs, files: tuple[str, ...], units: tuple[Unit, ...], unit: Unit, needs_model: bool
) -> Problem:
    home = catalog.domain_of(files, inputs.encoding)
    is_own = inputs.encoding is not None and is_there(inputs.encoding)
    facts = ground_facts([unit], inputs.constants, files)
    domain = _domain(inputs, unit, facts, home)
    instance.refuse_negated(facts, domain)
    constants, model = dict(inputs.constants), None
    if domain:
        instance.refuse_constants(unit, frozenset(domain.variants), domain.name)
        instance.refuse_names(unit, frozenset(domain.variants), domain.name)
        if needs_model or not is_own:  # an encoding of one's own may read what it likes
            instance.refuse_arities(facts, domain)
            constants = domain.with_variants(inputs.constants)
            model = domain.model(facts, constants)
    if needs_model:
        refuse_unused(inputs.constants, units, domain.variants if domain else ())
    if inputs.order is not None:
        units = (instance.shuffle_facts((f"{fact}." for fact in facts), inputs.order, files[-1]),)
    problem = Problem(
        files=files,
        units=units,
        domain=domain,
        model=model,
        given=inputs.constants,
        constants=constants,
        known_facts=facts,
    )
    if needs_model:
        return replace(problem, warnings=instance.unread(domain, facts, None))
    _refuse_steps(inputs, domain)
    entry = _encoding(inputs, problem, home)
    encoding = read_unit(str(entry.path), inputs.allow_includes)
    refuse_foreign(encoding.suspects, PARTS, inputs.allow_scripts)
    refuse_lost_calls(encoding)
    instance.refuse_constants(unit, encoding.definitions, entry.name)
    instance.check_rules(unit, domain, entry, encoding)
    instance.check_instance(facts, domain, entry, encoding)
    problem = replace(
        problem,
        units=(*units, encoding),
        encoding=entry.name,
        path=entry.path,
        allow_scripts=inputs.allow_scripts,
        warnings=instance.unread(domain, facts, encoding),
    )
    speaks = read_claims([encoding]).domain or entry.domain
    if domain is not None and speaks and speaks != domain.name:
        what = f"{entry.name} is an encoding of {speaks}, and the instance one of {domain.name}"
        raise UsageError(what)
    if domain is not None and speaks:
        if model is None:
            constants = domain.with_variants(inputs.constants)
            model = domain.model(facts, constants)
        problem = replace(problem, model=model, constants=constants)
        instance.refuse_names(unit, encoding.definitions, entry.name)
    else:
        given = inputs.constants
        problem = replace(problem, domain=None, model=None, constants=given, is_replayed=True)
    problem.program  # noqa: B018  what is wrong with it is said now
    return problem


def _domain(inputs: Inputs, unit: Unit, facts: Facts, home: str | None) -> Domain | None:
    """The domain of an instance: that of the folder of a shipped file, else by its predicates."""
    heads = {(name, arity) for sign, name, arity in unit.defined if not sign}
    if (folder := catalog.domain_of(facts.files, None)) is not None:
        found = find_domain(folder)
        return found if found and found.recognises(facts) else None
    known = {name: domain for name, domain in domains().items() if domain.recognises(facts)}
    if complete := [d for d in known.values() if d.signatures <= heads]:
        return max(complete, key=lambda domain: len(domain.signatures))
    if home is not None:
        return known.get(home)
    if inputs.encoding is not None and is_there(inputs.encoding):
        return None
    partly = [d for d in known.values() if d.signatures & heads]
    return max(partly, key=lambda d: len(d.signatures & heads), default=None)


def _encoding(inputs: Inputs, problem: Problem, home: str | None) -> Entry:
    """The encoding that is named, preferred, the domain's own choice, or the only one."""
    domain = problem.domain
    name = domain.name if domain else home
    if inputs.encoding is not None:
        return catalog.find_encoding(inputs.encoding, name)
    if domain is not None:
        better = catalog.preferred(inputs.prefers, domain.name)
        choice = better if better is not None else domain.default_encoding(problem.model)
        if choice is not None:
            return catalog.find_encoding(choice, domain.name)
    if name is not None:
        return catalog.only_encoding(name)
    if not any(unit.defined for unit in problem.units):
        hint = "name the file that has the program or the instance; see asplan list"
        raise InputError(f"{', '.join(problem.files)}: no facts and no rules", hint=hint)
    raise InputError(
        f"{', '.join(problem.files)}: an instance of no domain that asplan knows, and no program "
        "with a part step(t)",
        hint="add an encoding: -e NAME or one more file; see asplan list",
    )


def _refuse_steps(inputs: Inputs, domain: Domain | None) -> None:
    """Raise `UsageError` where steps are named for what is no PDDL task."""
    if inputs.steps is not None and (domain is None or domain.name != STEPPED):
        what = f"--steps {inputs.steps} is for PDDL tasks, and the files are none"
        raise UsageError(what, hint="an encoding is named with -e; see asplan list encodings")


def constants_of(words: Iterable[str], short: Mapping[str, str | None]) -> dict[str, str]:
    """Constants from `NAME=VALUE` words and from the short forms of domains."""
    values = dict(parse_constant(word) for word in words)
    for name, given in short.items():
        if given is None:
            continue
        _, value = parse_constant(f"{name}={given}")
        if values.setdefault(name, value) != value:
            raise UsageError(f"--{name} {value} contradicts -c {name}={values[name]}")
    return values


__all__ = ["Inputs", "Problem", "constants_of", "load", "load_source", "load_space", "load_units"]
