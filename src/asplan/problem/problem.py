"""What is known of a problem once it is read: all that the stations after loading need."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.core.errors import AsplanError, InputError, InputWarning, Location, UsageError
from asplan.core.facts import Facts
from asplan.core.files import is_there
from asplan.core.plan import Plan
from asplan.domains import Domain, Model, domains
from asplan.problem.catalog import find_drawing
from asplan.program.ground import ground_facts
from asplan.program.incremental import TIMED, Program, compose, compose_anew
from asplan.program.roles import with_actions, with_readings
from asplan.program.source import parse_constant
from asplan.program.unit import Unit

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.program.horizon import Horizon

TEXT = "<text>"  # the file that given text is said to be of


@dataclass(frozen=True)
class Inputs:
    """What a caller names: `files` are paths, names of instances, or `-` for standard input.

    `text` is a program, or a part of one; `encoding` a name or a path, where `:CONST=VALUE` behind
    it sets a constant; where none is named, the first of `prefers` is taken that the domain has. In
    domains where encodings differ by what a step may hold, `steps` names that. Python code runs
    only if `allow_scripts`, files outside the folder of the including one are read only if
    `allow_includes`. `switches` are words such as `no-undefined`, which switch warnings off.

    With `all_states` states that differ in what has no bearing on the goal are told apart, too.
    `actions` are the predicates that say what happens, as NAME/ARITY, where the rules do not decide
    that; `horizon_constant` bounds the time of a program without parts, where that is not plain,
    and `fresh` has it grounded anew for each horizon. `order` is the number of an order into which
    the facts are put: another order is another search, while a solver's own seed may change
    nothing.
    """

    files: tuple[str, ...] = ()
    text: str | None = None
    encoding: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    allow_scripts: bool = False
    allow_includes: bool = False
    prefers: tuple[str, ...] = ()
    steps: str | None = None
    switches: tuple[str, ...] = ()
    all_states: bool = False
    order: int | None = None
    actions: tuple[str, ...] = ()
    horizon_constant: str | None = None
    fresh: bool = False

    @property
    def command_words(self) -> list[str]:
        """What names the same files, encoding and constants on a command line."""
        words = list(self.files)
        for option, value in (("-e", self.encoding), ("--steps", self.steps)):
            words += [option, value] if value else []
        for name, value in self.constants.items():
            words += ["-c", f"{name}={value}"]
        for action in self.actions:
            words += ["--action", action]
        words += ["--horizon-constant", self.horizon_constant] if self.horizon_constant else []
        words += ["--fresh"] * self.fresh
        allowed = (("scripts", self.allow_scripts), ("includes", self.allow_includes))
        return words + [f"--allow-{what}" for what, is_allowed in allowed if is_allowed]


@dataclass(frozen=True)
class PlanFiles:
    """How plans are written in files by those who write such problems.

    `read` gets lines and the name of their file; it raises `InputError`, or `InvalidPlan` where the
    file contradicts itself. `write` gets a plan and what its actions cost.
    """

    read: Callable[[Iterable[str], str], Plan]
    write: Callable[[Plan, int], str]


@dataclass(frozen=True)
class Passage:
    """What a plan with times passes through.

    `states` gives what holds from each of the `times` on, the first being before all happens; the
    last action ends at `makespan`. `boards` are the first and the last state as text.
    """

    times: tuple[Fraction, ...]
    states: Callable[[], Iterator[tuple[str, ...]]]
    boards: tuple[str, str]
    makespan: Fraction
    metric: Fraction | None = None


@dataclass(frozen=True)
class SourceWords:
    """How a source speaks of what its translation into ASP has.

    `rule` gets the text of a statement and the values of its variables, and gives a sentence and
    its place; `obstacles` are sentences about what the goal asks for and can never be; and
    `reasons` says why what a plan passes through holds, as data of a page.
    """

    rule: Callable[[str, Mapping[str, str]], tuple[Location, str]]
    obstacles: Callable[[], Iterable[tuple[Location, str]]]
    reasons: Callable[[Plan], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Problem:
    """One problem, read and checked; nothing after it opens its files again.

    `files` were read, `-` being standard input; `units` are their syntax, the encoding last, and
    `texts` what they say, in the order in which planners of others take them, if they can.
    `encoding` is the name of a shipped one or the file with the timed parts, `path` its file. If
    the files are a program by themselves, with no instance set apart, it `is_whole`; `is_temporal`
    if one of telingo. `given` are the constants that were set, `constants` these and the variants
    of the domain.

    `domain` is what the facts belong to, `model` what they mean; None where no domain claims them.
    Plans are checked by the `referee`, where that is not `model` but something more independent;
    where actions have times, by what `executes` them, which raises `InvalidPlan`, and there is no
    model; if it `is_replayed`, in clingo, as the encoding is nobody's that the domain knows.
    `reads` says what an answer of the encoding means to the source; `written`, `plan_files` and
    `words` how the source writes actions and plans, and explains, where that is not the way of ASP;
    `drawing` are the rules that came with the files.

    With `by_encoding` search goes through the states of the program, as was asked; with
    `all_states` as in `Inputs`; if `nameless` what happens may have no names, and no plan comes of
    it.

    `horizon` bounds the time of a program without parts, `way` says in words how it is run, and
    `fresh_units` are it as it is grounded anew for each horizon, where `units` are it in parts.
    """

    files: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    encoding: str | None = None
    path: Path | None = None
    domain: Domain | None = None
    model: Model[Any, Any] | None = None
    referee: Model[Any, Any] | None = None
    reads: Callable[[Any], Any] | None = None
    executes: Callable[[Plan], Passage] | None = None
    written: Callable[[str], str] | None = None
    plan_files: PlanFiles | None = None
    words: SourceWords | None = None
    texts: tuple[str, ...] = ()
    drawing: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = False
    by_encoding: bool = False
    all_states: bool = False
    nameless: bool = False
    is_replayed: bool = False
    allow_scripts: bool = False
    actions: tuple[str, ...] = ()
    warnings: tuple[InputWarning, ...] = ()
    known_facts: Facts | None = None
    is_temporal: bool = False
    horizon: Horizon | None = None
    fresh_units: tuple[Unit, ...] = ()
    way: str = ""

    @cached_property
    def facts(self) -> Facts:
        """The facts of the instance; of a whole program, all that its part base derives."""
        if self.known_facts is not None:
            return self.known_facts
        units = [unit for unit in self.units if self.is_whole or not is_program(unit)]
        given = self.given_at(0) if self.is_whole else self.given
        return ground_facts(units, given, self.files, strict=False)

    @cached_property
    def program(self) -> Program:
        if self.fresh_program is not None:
            # A conversion leaves no constant whose value it has put in.
            return with_readings(compose(self.units, {}, self.allow_scripts), self.fresh_program)
        if self.horizon is None:
            program = compose(self.units, self.given, self.allow_scripts)
        else:
            program = compose_anew(self.units, self.given, self.horizon)
        return with_actions(program, self.actions)

    @property
    def written_program(self) -> Program:
        return self.fresh_program or self.program

    @cached_property
    def fresh_program(self) -> Program | None:
        """The program as its author wrote it, where `program` is it in parts."""
        if self.horizon is None or not self.fresh_units:
            return None
        program = compose_anew(self.fresh_units, self.given, self.horizon)
        return with_actions(program, self.actions)

    def given_at(self, steps: int) -> Mapping[str, str]:
        """The constants given, by which the part base alone is the program for so many steps."""
        if (horizon := self.program.horizon) is None:
            return self.given
        return {**self.given, horizon.constant: str(horizon.value(max(steps, horizon.least)))}

    @cached_property
    def recognised(self) -> Problem | None:
        """This problem as a domain has it, by usual variants; None if facts make no sense there."""
        if not self.is_replayed or self.model is not None:
            return None
        heads = {(name, n) for unit in self.units for sign, name, n in unit.defined if not sign}
        alike = [domain for domain in domains().values() if domain.signatures <= heads]
        if not alike or (self.known_facts is None and self.program.scripts):
            return None
        with suppress(AsplanError):
            alike = [domain for domain in alike if domain.recognises(self.facts)]
            if alike:
                return next(
                    self._games(max(alike, key=lambda domain: len(domain.signatures))), None
                )
        return None

    def other_games(self) -> Iterator[Problem]:
        if self.recognised is not None and self.recognised.domain is not None:
            yield from islice(self._games(self.recognised.domain), 1, None)

    def _games(self, domain: Domain) -> Iterator[Problem]:
        """One for each setting of the variants, of those in which the facts make sense."""
        written = {name: value for unit in self.units for name, value in unit.values.items()}
        fixed = {n: (v,) for n, v in {**written, **self.given}.items() if n in domain.variants}
        values, facts = {**domain.variants, **fixed}, self.facts
        for chosen in product(*values.values()):
            constants, model = dict(zip(values, chosen, strict=True)), None
            with suppress(AsplanError):
                model = domain.model(facts, domain.with_variants(constants))
            if model is not None:
                yield replace(
                    self,
                    domain=domain,
                    model=model,
                    constants=constants,
                    is_replayed=False,
                    known_facts=facts,
                )

    def domain_and_model(self) -> tuple[Domain, Model[Any, Any]]:
        """The domain and the model; raises `InputError` where there is no model in Python."""
        if self.domain is None or self.model is None:
            what = "the files are an instance of no domain that has a model in Python"
            raise InputError(what, hint="--engine asp needs none")
        return self.domain, self.model

    @property
    def rules(self) -> str | None:
        if self.drawing is not None:
            return self.drawing
        if self.domain and (shipped := find_drawing(self.domain.name)):
            return str(shipped)
        beside = self.path.parent / "draw.lp" if self.path else None
        return str(beside) if beside and is_there(beside) else None


def is_program(unit: Unit) -> bool:
    """Whether a unit has a part that an instance has not."""
    return not unit.parts.isdisjoint(TIMED)


LAYERS = "layers"  # a part beside encodings that leaves out of early steps what cannot be yet
STEPPED = "pddl"  # the domain whose encodings differ in what a step may hold

STEPS = ("sequential", "forall", "exists", "relaxed", "rolled")
"""Their names, from one action a step to the most; the last is for tasks with numbers."""

_FORM = "a variant is written NAME:CONST=VALUE, for example origin:metric=slide"

_SETTING = r""":[^:="]*=(?:"(?:\\.|[^"\\])*"|[^:"])*"""  # a colon within a string is the value's

_VARIANT = re.compile(rf"(.*?)((?:{_SETTING})*)", re.DOTALL)


def with_variant(inputs: Inputs) -> Inputs:
    """The same with the bare name of the encoding, and its constants among all others.

    What a step may hold is the name of an encoding, too. What is the path of a file is no more
    than that, whatever is in it.

    >>> inputs = with_variant(Inputs(("twist06",), encoding="turns:order=talk:extra=1"))
    >>> inputs.encoding, inputs.constants
    ('turns', {'order': 'talk', 'extra': '1'})

    Raises `UsageError`: what stands behind a colon sets no constant, or sets one that has another
    value; or steps are named beside an encoding.
    """
    word, steps = inputs.encoding, inputs.steps
    if steps is not None:
        named = f"{STEPPED}/{steps}"
        if word not in (None, named):
            hint = "leave out one of the two"
            raise UsageError(f"--steps {steps} and -e {word} both name an encoding", hint=hint)
        if steps not in STEPS and word is None:
            raise UsageError(f"steps={steps!r}: steps are {', '.join(STEPS[:-1])} or {STEPS[-1]}")
        return replace(inputs, encoding=named)
    if word is None:
        return inputs
    name, settings = _split(word)
    constants = dict(inputs.constants)
    for setting in settings:
        try:
            constant, value = parse_constant(setting.removeprefix(":"))
        except UsageError as error:
            raise UsageError(f"{word}: {error.message}", hint=_FORM) from None
        if (present := constants.setdefault(constant, value)) != value:
            raise UsageError(f"{word}: {constant}={value} contradicts {constant}={present}")
    return replace(inputs, encoding=name, constants=constants)


def _split(word: str) -> tuple[str, list[str]]:
    """The name, or the longest path of a file, and the settings behind it."""
    parts = _VARIANT.fullmatch(word)
    assert parts is not None  # all of it may be the name
    name, settings = parts[1], re.findall(_SETTING, parts[2], re.DOTALL)
    for count in range(len(settings), -1, -1):
        path = name + "".join(settings[:count])
        if Path(path).is_file():
            return path, settings[count:]
    if ":" in name or (settings and not name):
        raise UsageError(f"unknown encoding {word!r}", hint=_FORM)
    return name, settings
