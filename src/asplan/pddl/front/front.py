"""The problem that two PDDL files are: translated for engines, or as their text tells it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from asplan.domains import Domain, domains
from asplan.errors import UsageError
from asplan.files import is_there
from asplan.pddl.front.files import PddlFiles, pair
from asplan.pddl.front.translation import MADE, objects_of, translated
from asplan.pddl.language.names import Names, names_of
from asplan.pddl.language.plans import named, read_plan, write_plan
from asplan.pddl.language.reading import read_task
from asplan.pddl.language.semantics import Executed, executed
from asplan.pddl.task.facts import to_facts, to_plasp, words_of
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import Task
from asplan.plan import Plan
from asplan.problem.catalog import Entry, find_encoding, preferred
from asplan.problem.instance import refuse_names, reordered
from asplan.problem.problem import STEPPED, Inputs, PlanFiles, Problem
from asplan.program.incremental import refuse_unused
from asplan.program.scan import PlainFacts
from asplan.program.unit import Unit, read_unit

DOMAIN = STEPPED
"""The name of the domain whose instances are tasks, and of the folder of its encodings."""


def load(words: Inputs, files: PddlFiles, needs_model: bool) -> Problem:
    """The problem of a PDDL domain and problem.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense; or there is no domain beside a problem.
    MissingExtra
        The translator is not installed.
    UsageError
        Encoding, constants and files do not go together.
    """
    source = load_source(words, files)
    model = source.referee
    assert isinstance(model, Executed)
    task = translated(model.task, model.names, words.all_states)
    problem, problem_file = replace(source, model=TaskModel(task)), source.files[0]
    if needs_model:
        refuse_unused(words.constants, ())
        return replace(problem, units=(_facts(task, problem_file, ()),))
    domain = domains()[DOMAIN]
    entry = _encoding(words, domain, problem)
    encoding = read_unit(str(entry.path), words.allow_includes)
    unit = _facts(task, problem_file, {(name, arity) for _, name, arity in encoding.read})
    if words.order is not None:
        unit = reordered(unit.facts[0].text.splitlines(), words.order, unit.facts[0].file)
    if taken := encoding.definitions | set(words.constants):
        refuse_names(unit, taken, entry.name)
    problem = replace(problem, units=(unit, encoding), encoding=entry.name, path=entry.path)
    problem.program  # noqa: B018  what is wrong with it is said now
    return problem


def load_source(words: Inputs, files: PddlFiles) -> Problem:
    """The problem of a PDDL domain and problem as far as their text tells, without translation.

    Raises `InputError` and `UsageError` as `load` does.
    """
    task = read_task(files.first, files.second)
    domain_file, problem_file = (part.name.source.file for part in (task.domain, task.problem))
    names = names_of(task)
    model = executed(task, names)
    objects = " ".join(f"object({name},{kind})." for name, kind in objects_of(task, names))
    return Problem(
        files=(problem_file, domain_file),
        units=(Unit((), (PlainFacts(f"{problem_file} (objects)", objects),)),),
        domain=domains()[DOMAIN],
        referee=model,
        written=names.written,
        plan_files=PlanFiles(partial(read_plan, names=names), partial(_plan_text, model)),
        drawing=_drawing(domain_file),
        given=words.constants,
        constants=words.constants,
        warnings=task.warnings,
    )


def _plan_text(model: Executed, plan: Plan, cost: int) -> str:
    """A plan as the planning competitions write it."""
    return write_plan(named(plan, model.names), cost, model.has_costs)


def _facts(task: Task, file: str, wanted: Collection[tuple[str, int]]) -> Unit:
    """The facts of a task, as far as an encoding reads them."""
    return Unit((), (PlainFacts(f"{file} (translated)", to_facts(task, wanted)),))


def _encoding(words: Inputs, domain: Domain, problem: Problem) -> Entry:
    better = preferred(words.prefers, DOMAIN)
    name = words.encoding or better or domain.default_encoding(problem.model)
    entry = find_encoding(str(name), DOMAIN)
    if words.encoding and entry.domain not in (DOMAIN, ""):
        raise UsageError(f"{entry.name} is an encoding of {entry.domain}, and the files are PDDL")
    return entry


def _drawing(domain: str) -> str | None:
    beside = Path(domain).parent / "draw.lp"
    return str(beside) if is_there(beside) else None


PLASP = "plasp"


def facts_of_pddl(words: Inputs, notation: str | None = None) -> str | None:
    """The facts of a PDDL domain and problem as text; None where no file is PDDL.

    Parameters
    ----------
    notation
        `plasp`, or None for the vocabulary that the encodings in encodings/pddl read.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense; or there is no domain beside a problem.
    MissingExtra
        The translator is not installed.
    UsageError
        The files are not two, or the notation is for something else.
    """
    files = pair(words)
    if files is None:
        return None
    if notation not in (None, PLASP):
        raise UsageError(
            f"--to {notation} is no notation for PDDL tasks",
            hint="leave it out for facts in asplan's vocabulary, or say --to plasp",
        )
    written = read_task(files.first, files.second)
    names = names_of(written)
    task = translated(written, names)
    parts = (written.domain, written.problem)
    domain, problem = (Path(part.name.source.file).name for part in parts)
    if notation == PLASP:
        header = [
            f"% {domain} and {problem}, translated by asplan convert --to plasp: a finite-domain",
            "% task in the fact format of plasp 3.",
        ]
        text = to_plasp(task, partial(_atom_words, names), partial(_action_words, names))
    else:
        header = [
            f"% {domain} and {problem}, translated by asplan convert: a finite-domain task in the",
            "% vocabulary that docs/pddl.md describes. asplan solve takes it like the PDDL.",
        ]
        text = to_facts(task)
    return "\n".join([*header, "", text])


def _atom_words(names: Names, term: str) -> list[str]:
    """An atom as PDDL has it; one that the translator made has the name that it gave."""
    head, *arguments = words_of(term)
    if head == MADE:
        number, *arguments = arguments
        return [f"new-axiom@{number}", *(names.objects.names[word] for word in arguments)]
    name = names.predicates.names.get(head, head)
    return [name, *(names.objects.names[word] for word in arguments)]


def _action_words(names: Names, term: str) -> list[str]:
    head, *arguments = words_of(term)
    return [names.actions.names[head], *(names.objects.names[word] for word in arguments)]
