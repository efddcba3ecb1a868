"""The problem that two PDDL files are: translated for engines, or as their text tells it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from asplan.core.errors import UsageError
from asplan.core.files import is_there
from asplan.core.plan import Plan
from asplan.domains import domains
from asplan.pddl.front.translation import MADE, objects_of, translate
from asplan.pddl.language import read_task
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.plans import read_plan, with_names, write_plan
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.task.facts import to_facts, to_plasp, words_of
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import Task
from asplan.problem.catalog import find_encoding, preferred
from asplan.problem.instance import refuse_names, shuffle_facts
from asplan.problem.problem import STEPPED, Inputs, PlanFiles, Problem
from asplan.program.incremental import refuse_unused
from asplan.program.scan import PlainFacts
from asplan.program.unit import Unit, read_unit


def load(words: Inputs, files: tuple[str, str], needs_model: bool) -> Problem:
    """The problem of two PDDL files; raises as `asplan.pddl.front.load` does."""
    source = load_source(words, files)
    text = source.referee
    assert isinstance(text, TextModel)
    task = translate(text.task, text.names, words.all_states)
    problem, file = replace(source, model=TaskModel(task)), source.files[0]
    if needs_model:
        refuse_unused(words.constants, ())
        return replace(problem, units=(_facts(task, file, ()),))
    name = words.encoding or preferred(words.prefers, STEPPED)
    entry = find_encoding(str(name or domains()[STEPPED].default_encoding(problem.model)), STEPPED)
    if words.encoding and entry.domain not in (STEPPED, ""):
        raise UsageError(f"{entry.name} is an encoding of {entry.domain}, and the files are PDDL")
    encoding = read_unit(str(entry.path), words.allow_includes)
    unit = _facts(task, file, {(name, arity) for _, name, arity in encoding.read})
    if words.order is not None:
        unit = shuffle_facts(unit.facts[0].text.splitlines(), words.order, unit.facts[0].file)
    if taken := encoding.definitions | set(words.constants):
        refuse_names(unit, taken, entry.name)
    problem = replace(problem, units=(unit, encoding), encoding=entry.name, path=entry.path)
    problem.program  # noqa: B018  what is wrong with it is said now
    return problem


def load_source(words: Inputs, files: tuple[str, str]) -> Problem:
    """The problem of two PDDL files as far as their text tells, without translation."""
    task = read_task(*files)
    domain_file, problem_file = (part.name.source.file for part in (task.domain, task.problem))
    names = names_of(task)
    model = TextModel(task, names)
    objects = " ".join(f"object({name},{kind})." for name, kind in objects_of(task, names))
    drawing = Path(domain_file).parent / "draw.lp"

    def plan_text(plan: Plan, cost: int) -> str:
        return write_plan(with_names(plan, names), cost, model.has_costs)

    return Problem(
        files=(problem_file, domain_file),
        units=(Unit((), (PlainFacts(f"{problem_file} (objects)", objects),)),),
        domain=domains()[STEPPED],
        referee=model,
        written=names.written,
        plan_files=PlanFiles(partial(read_plan, names=names), plan_text),
        drawing=str(drawing) if is_there(drawing) else None,
        given=words.constants,
        constants=words.constants,
        warnings=task.warnings,
    )


def _facts(task: Task, file: str, wanted: Collection[tuple[str, int]]) -> Unit:
    """The facts of a task, as far as an encoding reads them."""
    return Unit((), (PlainFacts(f"{file} (translated)", to_facts(task, wanted)),))


def facts_of_pair(files: tuple[str, str], notation: str | None) -> str:
    """The facts of two PDDL files as text; see `asplan.pddl.front.facts_of_pddl`."""
    if notation not in (None, "plasp"):
        raise UsageError(
            f"--to {notation} is no notation for PDDL tasks",
            hint="leave it out for facts in asplan's vocabulary, or say --to plasp",
        )
    written = read_task(*files)
    names = names_of(written)
    task = translate(written, names)
    parts = (written.domain, written.problem)
    domain, problem = (Path(part.name.source.file).name for part in parts)
    if notation is None:
        return (
            f"% {domain} and {problem}, translated by asplan convert: a finite-domain task in the\n"
            "% vocabulary that docs/pddl.md describes. asplan solve takes it like the PDDL.\n\n"
        ) + to_facts(task)
    return (
        f"% {domain} and {problem}, translated by asplan convert --to plasp: a finite-domain\n"
        "% task in the fact format of plasp 3.\n\n"
    ) + to_plasp(task, partial(_atom_words, names), partial(_action_words, names))


def _atom_words(names: PddlNames, term: str) -> list[str]:
    """An atom as PDDL has it; one that the translator made has the name that it gave."""
    head, *arguments = words_of(term)
    if head == MADE:
        head, *arguments = (f"new-axiom@{arguments[0]}", *arguments[1:])
    name = names.predicates.names.get(head, head)
    return [name, *(names.objects.names[word] for word in arguments)]


def _action_words(names: PddlNames, term: str) -> list[str]:
    head, *arguments = words_of(term)
    return [names.actions.names[head], *(names.objects.names[word] for word in arguments)]
