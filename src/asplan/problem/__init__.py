"""Loading: from the files that a caller names to a problem.

Front ends read files of different kinds. The one for ASP is here; others register in the group
`asplan.front_ends`, such as `notation` for foreign notations. `inputs` holds the caller's inputs,
`problem` and `kinds` define the result. `instance` checks the facts, and `compatibility` checks
them against the encoding. `single_shot` loads programs without parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from asplan.catalog import (
    ShippedFile,
    domain_of,
    find_encoding,
    find_instance,
    only_encoding,
    preferred,
)
from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.facts import Facts
from asplan.core.files import ASP, STDIN, is_there
from asplan.core.limits import hold_locks
from asplan.core.registry import entries
from asplan.domains import Domain, domains, find_domain
from asplan.problem import compatibility, instance
from asplan.problem.inputs import STEPPED, TEXT, Inputs, with_variant
from asplan.problem.problem import (
    DomainInstance,
    Problem,
    SpaceOptions,
    is_program,
    positive_predicates,
)
from asplan.program.composition import refuse_unused
from asplan.program.ground import ground_facts
from asplan.program.incremental import PARTS
from asplan.program.reading.contract import read_claims
from asplan.program.reading.foreign import refuse_foreign, refuse_lost_calls
from asplan.program.reading.source import parse_constant
from asplan.program.reading.unit import (
    Unit,
    joined,
    read_unit,
    unit_of_text,
)
from asplan.program.syntax import ASTType
from asplan.program.theory import is_temporal

if TYPE_CHECKING:
    from asplan.problem.kinds import AspProgram, ProgramWithFacts, TranslatedTask


class FrontEnd(Protocol):
    """A reader for one kind of files."""

    def load(
        self,
        inputs: Inputs,
        needs_model: bool,
    ) -> Problem | None:
        """Return the problem, as `load` of this package does; None for files of another kind."""

    def load_source(self, inputs: Inputs) -> TranslatedTask | None:
        """Return the task before its translation into ASP; None if the files are ASP already."""


def _front_ends(inputs: Inputs) -> list[FrontEnd]:
    """Return the front ends to try; skip asplan's own if all files are named as ASP."""
    registered = list(entries("asplan.front_ends").values())
    with suppress(InputError):  # the front end that opens the file raises it again
        if all(Path(find_instance(file)).suffix in ASP for file in inputs.files):
            registered = [entry for entry in registered if not entry.is_own]
    return [entry.load() for entry in registered]


@hold_locks()
def load(
    inputs: Inputs,
    needs_model: bool = False,
) -> Problem:
    """Load the problem of the inputs.

    `needs_model` is True for engines that need the domain's model, but no encoding.
    """
    inputs = with_variant(inputs)
    problem = _load_by_front_end(inputs, needs_model)
    if not inputs.actions:
        return problem
    if problem.encoding is None:
        message = f"--action {inputs.actions[0]} needs a program, but only an instance is given"
        raise UsageError(message, hint="name an encoding with -e")
    problem = replace(problem, actions=inputs.actions)
    problem.check_program()
    return problem


def _load_by_front_end(
    inputs: Inputs,
    needs_model: bool,
) -> Problem:
    for front_end in _front_ends(inputs):
        problem = front_end.load(inputs, needs_model)
        if problem is not None:
            return problem
    return load_asp(inputs, needs_model)


@hold_locks()
def load_space(inputs: Inputs) -> Problem:
    """Load the problem for a search of its states.

    The states are those of the domain's model. They are those of the program if there is no model
    or if the inputs name an encoding.
    """
    if inputs.encoding is None:
        problem = load(inputs, needs_model=True)
        if problem.model is not None or problem.is_complete:
            return replace(problem, space=SpaceOptions(all_states=inputs.all_states))
    space = SpaceOptions(of_program=True, all_states=inputs.all_states)
    return replace(load(inputs), space=space)


@hold_locks()
def load_source(inputs: Inputs) -> TranslatedTask | None:
    """Load the task before its translation into ASP, to check plans; None if the files are ASP."""
    for front_end in _front_ends(inputs):
        if problem := front_end.load_source(inputs):
            return problem
    return None


def load_asp(
    inputs: Inputs,
    needs_model: bool = False,
) -> Problem:
    """Read ASP files, find their domain, and choose an encoding if none is given.

    A shipped file belongs to the domain of its folder. Other files belong to a domain if they have
    all predicates of its instances. If they have only some, they belong to it as well, but the
    missing predicates are errors. A complete program belongs to a domain only if it claims so by
    `asplan(domain(NAME))`.
    """
    files = tuple(find_instance(file) for file in inputs.files)
    units = [read_unit(file, inputs.allow_includes) for file in files]
    if inputs.text is not None:
        files = (*files, TEXT)
        units.append(unit_of_text(inputs.text, TEXT, inputs.allow_includes))
    return load_units(inputs, files, units, needs_model)


def load_units(
    inputs: Inputs,
    files: tuple[str, ...],
    units: Sequence[Unit],
    needs_model: bool,
) -> Problem:
    """Load the problem of parsed files: an instance, or a program with or without parts."""
    if not files:
        raise UsageError("no files are given", hint="name an instance, for example sample02")
    if any(is_temporal(unit.suspects) for unit in units):
        return _load_temporal(inputs, files, units)
    unit = joined(units)
    instance.refuse_large_facts(unit.statements)
    if is_program(unit):
        return _load_complete(inputs, files, tuple(units), unit)
    others = (s for s in unit.suspects if s.ast_type != ASTType.Script)
    refuse_foreign(others, PARTS, False)
    problem = _load_single_shot(inputs, files, units)
    if problem is not None:
        return problem
    if inputs.encoding is None and domain_of(files, None) is None:
        instance.refuse_other_kinds(unit, (domain.signatures for domain in domains().values()))
    if instance.has_guesses(unit):
        _refuse_steps(inputs, None)  # the files are no instance, so this is the user's mistake
    instance.refuse_guesses(unit)
    refuse_foreign(unit.suspects, PARTS, inputs.allow_scripts)
    return _load_instance(inputs, files, tuple(units), unit, needs_model)


def _load_temporal(
    inputs: Inputs,
    files: tuple[str, ...],
    units: Sequence[Unit],
) -> Problem:
    """Load a program of telingo, translated into steps."""
    from asplan.problem.kinds import TelingoProgram
    from asplan.program.conversion.telingo import in_steps

    if inputs.encoding:
        raise UsageError(
            f"a temporal program is complete, so -e {inputs.encoding} would be a second one",
            hint="give the file without -e if it is a part of the program",
        )
    translated = tuple(in_steps(units))
    unit = joined(translated)
    refuse_foreign(unit.suspects, PARTS, False)
    _refuse_steps(inputs, None)
    return _problem_of_program(TelingoProgram, inputs, files, translated, unit)


def _load_complete(
    inputs: Inputs,
    files: tuple[str, ...],
    units: tuple[Unit, ...],
    unit: Unit,
) -> Problem:
    """Load a program with parts, which needs no other encoding."""
    from asplan.problem.kinds import AspProgram

    refuse_foreign(unit.suspects, PARTS, inputs.allow_scripts)
    refuse_lost_calls(unit)
    _refuse_steps(inputs, None)
    if inputs.encoding:
        raise UsageError(
            f"the files have a part step(t) already, so -e {inputs.encoding} would be a second "
            "encoding",
            hint="leave out one of the two",
        )
    return _problem_of_program(AspProgram, inputs, files, units, unit)


def _problem_of_program(
    kind: type[AspProgram],
    inputs: Inputs,
    files: tuple[str, ...],
    units: tuple[Unit, ...],
    unit: Unit,
) -> Problem:
    """Return the problem of a complete program, with the model of the domain that it claims.

    `kind` is the class of the problem.
    """
    with_parts = [file for file, each in zip(files, units, strict=True) if is_program(each)]
    name = next((file for file in with_parts if file != STDIN), files[-1])
    problem = kind(
        files=files,
        units=units,
        encoding=name,
        path=None if name in (STDIN, TEXT) else Path(name),
        user_constants=inputs.constants,
        constants=inputs.constants,
        allow_scripts=inputs.allow_scripts,
    )
    claimed = read_claims(units).domain
    if claimed is not None:
        problem = _claim_domain(problem, claimed, unit)
    problem.check_program()
    return problem


def _claim_domain(
    problem: AspProgram,
    name: str,
    unit: Unit,
) -> AspProgram:
    """Return a complete program's problem with the model of the domain that it claims.

    `name` is the name of the domain.
    """
    domain = find_domain(name)
    if domain is None:
        hint = nearest(name, domains(), noun="domains")
        raise InputError(f"asplan(domain({name})): there is no domain {name}", hint=hint)
    facts = ground_facts(problem.units, problem.user_constants, problem.files, strict=False)
    defined = {n: value for n, value in unit.values.items() if n in domain.variants}
    constants = domain.with_variants(defined | dict(problem.user_constants))
    model = domain.model(facts, constants)
    return replace(problem, domain=domain, model=model, constants=constants, instance_facts=facts)


def _load_single_shot(
    inputs: Inputs,
    files: tuple[str, ...],
    units: Sequence[Unit],
) -> Problem | None:
    """Load a program without parts that plans up to a horizon; None for other files."""
    encoding = inputs.encoding
    if encoding is not None:
        if not Path(encoding).is_file():
            return None
        unit = read_unit(encoding, inputs.allow_includes)
        if is_program(unit):
            return None
        files = (*files, encoding)
        units = [*units, unit]
    if not any(map(instance.has_guesses, units)):
        return None
    from asplan.problem.single_shot import load_single_shot

    return load_single_shot(inputs, files, tuple(units))


def _load_instance(
    inputs: Inputs,
    files: tuple[str, ...],
    units: tuple[Unit, ...],
    unit: Unit,
    needs_model: bool,
) -> Problem:
    """Load an instance: check its facts, make the domain's model, and add an encoding."""
    home = domain_of(files, inputs.encoding)
    facts = ground_facts([unit], inputs.constants, files)
    translated = None if _has_own_encoding(inputs) else _translate(facts)
    if translated is not None:
        unit = unit_of_text(translated, files[0])
        units = (unit,)
        facts = ground_facts([unit], {}, files)
    domain = _find_domain(inputs, unit, facts, home)
    instance.refuse_negated(facts, domain)
    problem = DomainInstance(
        files=files,
        units=units,
        domain=domain,
        user_constants=inputs.constants,
        constants=dict(inputs.constants),
        instance_facts=facts,
    )
    if domain is not None:
        instance.refuse_constants(unit, frozenset(domain.variants), domain.name)
        instance.refuse_names(unit, frozenset(domain.variants), domain.name)
        if needs_model or not _has_own_encoding(inputs):
            instance.refuse_arities(facts, domain)
            problem = _with_model(problem, domain)
    if needs_model:
        refuse_unused(inputs.constants, units, domain.variants if domain else ())
    problem = _shuffled(inputs, problem)
    if needs_model:
        return replace(problem, warnings=compatibility.unread_facts(domain, facts, None))
    _refuse_steps(inputs, domain)
    return _add_encoding(inputs, problem, unit, _choose_encoding(inputs, problem, home))


def _shuffled(
    inputs: Inputs,
    problem: DomainInstance,
) -> DomainInstance:
    """Return an instance's problem with its facts shuffled, by the seed `order` of the inputs."""
    if inputs.order is None:
        return problem
    facts = (f"{fact}." for fact in problem.facts)
    shuffled = instance.shuffle_facts(facts, inputs.order, problem.files[-1])
    return replace(problem, units=(shuffled,))


def _translate(facts: Facts) -> str | None:
    """Return the facts in the usual vocabulary of their domain; None if they are written in it."""
    if domain_of(facts.files, None) is not None:
        return None  # shipped instances use the usual vocabulary
    for domain in domains().values():
        translated = domain.translate(facts)
        if translated is not None:
            return translated
    return None


def _has_own_encoding(inputs: Inputs) -> bool:
    """Return whether the encoding is the user's own file; it may read any facts."""
    return inputs.encoding is not None and is_there(inputs.encoding)


def _with_model(
    problem: DomainInstance,
    domain: Domain,
) -> DomainInstance:
    """Return the problem with the model of its domain."""
    constants = domain.with_variants(problem.user_constants)
    model = domain.model(problem.facts, constants)
    return replace(problem, model=model, constants=constants)


def _add_encoding(
    inputs: Inputs,
    problem: DomainInstance,
    unit: Unit,
    entry: ShippedFile,
) -> Problem:
    """Return an instance's problem with an encoding; raise `InputError` if they do not fit.

    `unit` has the facts, and `entry` is the file of the encoding.
    """
    encoding = read_unit(str(entry.path), inputs.allow_includes)
    _check_encoding(inputs, problem, unit, entry, encoding)
    problem = replace(
        problem,
        units=(*problem.units, encoding),
        encoding=entry.name,
        path=entry.path,
        allow_scripts=inputs.allow_scripts,
        warnings=compatibility.unread_facts(problem.domain, problem.facts, encoding),
    )
    claimed = read_claims([encoding]).domain or entry.domain
    domain = problem.domain
    if domain is None or not claimed:
        program = _program_with_facts(problem)
        program.check_program()
        return program
    if claimed != domain.name:
        raise UsageError(
            f"{entry.name} is an encoding of {claimed}, but the instance belongs to {domain.name}"
        )
    if problem.model is None:
        problem = _with_model(problem, domain)
    instance.refuse_names(unit, encoding.definitions, entry.name)
    problem.check_program()
    return problem


def _program_with_facts(problem: DomainInstance) -> ProgramWithFacts:
    """Return the problem of an instance whose encoding belongs to no domain."""
    from asplan.problem.kinds import ProgramWithFacts

    return ProgramWithFacts(
        files=problem.files,
        units=problem.units,
        encoding=problem.encoding,
        path=problem.path,
        user_constants=problem.user_constants,
        constants=problem.user_constants,
        allow_scripts=problem.allow_scripts,
        warnings=problem.warnings,
        instance_facts=problem.instance_facts,
    )


def _check_encoding(
    inputs: Inputs,
    problem: Problem,
    unit: Unit,
    entry: ShippedFile,
    encoding: Unit,
) -> None:
    """Raise `InputError` if asplan cannot run an encoding, or if it does not fit the instance.

    `unit` is the instance, and `entry` the file of the encoding.
    """
    refuse_foreign(encoding.suspects, PARTS, inputs.allow_scripts)
    refuse_lost_calls(encoding)
    instance.refuse_constants(unit, encoding.definitions, entry.name)
    compatibility.check_rules(unit, problem.domain, entry, encoding)
    compatibility.check_facts(problem.facts, problem.domain, entry, encoding)


def _find_domain(
    inputs: Inputs,
    unit: Unit,
    facts: Facts,
    home: str | None,
) -> Domain | None:
    """Return the domain of an instance: by the folder of a shipped file, or by its predicates.

    `home` is the domain of a shipped file; None for other files.
    """
    folder = domain_of(facts.files, None)
    if folder is not None:
        shipped = find_domain(folder)
        return shipped if shipped and shipped.recognises(facts) else None
    defined = positive_predicates(unit)
    candidates = {name: domain for name, domain in domains().items() if domain.recognises(facts)}
    complete = [domain for domain in candidates.values() if domain.signatures <= defined]
    if complete:
        return max(complete, key=lambda domain: len(domain.signatures))
    if home is not None:
        return candidates.get(home)
    if _has_own_encoding(inputs):
        return None
    partial = [domain for domain in candidates.values() if domain.signatures & defined]
    return max(partial, key=lambda domain: len(domain.signatures & defined), default=None)


def _choose_encoding(
    inputs: Inputs,
    problem: Problem,
    home: str | None,
) -> ShippedFile:
    """Return the named encoding, or else a preferred one, the default, or the domain's only one.

    `home` is the domain of a shipped file; None for other files.
    """
    domain = problem.domain
    name = domain.name if domain else home
    if inputs.encoding is not None:
        return find_encoding(inputs.encoding, name)
    if domain is not None:
        choice = preferred(inputs.prefers, domain.name)
        if choice is None:
            choice = domain.default_encoding(problem.model)
        if choice is not None:
            return find_encoding(choice, domain.name)
    if name is not None:
        return only_encoding(name)
    files = ", ".join(problem.files)
    if not any(unit.defined for unit in problem.units):
        hint = "name the file with the program or the instance; see asplan list"
        raise InputError(f"{files}: no facts and no rules", hint=hint)
    raise InputError(
        f"{files}: the encoding is missing: the facts fit no domain, and no file has a part "
        "step(t)",
        hint="add an encoding: -e NAME or one more file; see asplan list",
    )


def _refuse_steps(
    inputs: Inputs,
    domain: Domain | None,
) -> None:
    """Raise `UsageError` if a kind of steps is given for files that are no PDDL task."""
    if inputs.steps is not None and (domain is None or domain.name != STEPPED):
        message = "the option is for PDDL tasks, and the files are not PDDL"
        raise UsageError(
            f"--steps {inputs.steps}: {message}",
            hint="name an encoding with -e; see asplan list encodings",
        )


def constants_of(
    words: Iterable[str],
    short: Mapping[str, str | None],
) -> dict[str, str]:
    """Return constants from `NAME=VALUE` words and from the short options of domains."""
    values = dict(parse_constant(word) for word in words)
    for name, given in short.items():
        if given is None:
            continue
        _, value = parse_constant(f"{name}={given}")
        if values.setdefault(name, value) != value:
            raise UsageError(f"--{name} {value} contradicts -c {name}={values[name]}")
    return values


__all__ = ["Inputs", "Problem", "constants_of", "load", "load_source", "load_space", "load_units"]
