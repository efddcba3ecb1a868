"""The problem that two PDDL files are: translated for engines, or as their text tells it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from asplan.core.errors import Location, UsageError
from asplan.core.files import is_there
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.domains import domains
from asplan.domains.model import Model
from asplan.pddl.grounding import objects_of, translate
from asplan.pddl.grounding.relaxed import MADE
from asplan.pddl.language import read_task
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.plain import beyond_costs
from asplan.pddl.language.plans import read_plan, with_names, write_plan
from asplan.pddl.language.provenance import explain_plan
from asplan.pddl.language.reasons import goal_place, obstacles
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.language.trail import TrailModel, referee_of
from asplan.pddl.language.writing import written
from asplan.pddl.task.facts import predicates_of, to_facts, to_plasp, words_of
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import NONE, Task, denied
from asplan.problem.catalog import find_drawing, find_encoding, find_part, preferred
from asplan.problem.inputs import LAYERS, STEPPED, Inputs
from asplan.problem.instance import refuse_names, shuffle_facts
from asplan.problem.problem import PlanFiles, Problem, SourceExplanations, TimedTrajectory
from asplan.program.incremental import refuse_unused
from asplan.program.scan import LateFacts, PlainFacts
from asplan.program.unit import Unit, read_unit

if TYPE_CHECKING:
    from asplan.pddl.language.timing import TimedModel


METRIC = "least_metric"
"""Among the encodings that suit best, this says that the metric is to be best."""


def load(words: Inputs, files: tuple[str, str], needs_model: bool) -> Problem:
    """The problem of two PDDL files; raises as `asplan.pddl.front.load` does."""
    task = read_task(*files)
    source = _read(task, words)
    if task.has_time:
        if needs_model:
            what = f"{source.files[1]}: actions take time, and this engine has no notion of it"
            raise UsageError(what, hint="--engine asp plans with time")
        grounded = _with_time(source, task, words)
    else:
        if not task.has_numbers:
            _refuse_rolled(words.encoding, source.files[1])
        way = _demanding if task.demands else _with_numbers if task.has_numbers else _classical
        # What the task means without its constraints and preferences, as far as it has some.
        text = source.referee.base if isinstance(source.referee, TrailModel) else source.referee
        assert isinstance(text, TextModel)
        grounded = way(source, text, words)
    file = source.files[0]
    if needs_model:
        grounded.problem.domain_and_model()
        refuse_unused(words.constants, ())
        return replace(grounded.problem, units=(_unit(grounded.facts(()), file),))
    entry = find_encoding(grounded.encoding, STEPPED)
    if words.encoding and entry.domain not in (STEPPED, ""):
        raise UsageError(f"{entry.name} is an encoding of {entry.domain}, and the files are PDDL")
    encoding = read_unit(str(entry.path), words.allow_includes)
    if grounded.is_watched and ("monitor", 1) not in {s[1:] for s in encoding.read}:
        what = f"{entry.name} knows no constraints on the states that a plan passes"
        hint = "take sequential, forall, exists or cheapest, or read monitor(O) as they do"
        raise UsageError(what, hint=hint)
    is_layered = ("", "barred", 2) in encoding.read
    beside = (name for name in grounded.parts if name != LAYERS or is_layered)
    parts = tuple(read_unit(str(find_part(name, STEPPED))) for name in beside)
    read = {(name, arity) for part in (*parts, encoding) for _, name, arity in part.read}
    if grounded.predicates is None:
        unit = _unit(grounded.facts(read), file)
    else:  # facts that are made when they are grounded: a search may have a plan before
        signatures = frozenset(("", *key) for key in grounded.predicates(read))
        names = names_of(task)
        tables = names.objects, names.predicates, names.actions, names.types
        terms = {NONE, MADE, *(term for table in tables for term in table.terms.values())}
        late = LateFacts(f"{file} (translated)", partial(grounded.facts, read), signatures, terms)
        unit = Unit((), (late,))
    if words.order is not None:
        unit = shuffle_facts(unit.facts[0].text.splitlines(), words.order, unit.facts[0].file)
    if taken := encoding.definitions | set(words.constants):
        refuse_names(unit, taken, entry.name)
    units = (unit, *parts, encoding)
    problem = replace(grounded.problem, units=units, encoding=entry.name, path=entry.path)
    problem.check_program()
    return problem


def _refuse_rolled(named: str | None, file: str) -> None:
    """Raise `UsageError` where rolled steps are asked for, and no number of the task changes."""
    if named is not None and named.removeprefix("pddl/") in ("rolled", "numeric_rolled"):
        what = f"{file}: rolled steps repeat what changes numbers, and this task changes none"
        hint = "steps of such tasks are sequential, forall, exists, relaxed; the usual are exists"
        raise UsageError(what, hint=hint)


class _Ground(NamedTuple):
    """A task once it is ground.

    `facts` gives it as text, as far as an encoding wants it; `encoding` is the one to take, with
    some `parts` beside it. If it `is_watched`, something happens beside every step. Where
    `predicates` tells those of the facts, these need not be made before somebody grounds them.
    """

    problem: Problem
    facts: Callable[[Collection[tuple[str, int]]], str]
    encoding: str
    parts: tuple[str, ...] = ()
    is_watched: bool = False
    predicates: Callable[[Collection[tuple[str, int]]], frozenset[tuple[str, int]]] | None = None


def _with_time(source: Problem, task: TaskText, words: Inputs) -> _Ground:
    from asplan.pddl import temporal
    from asplan.pddl.temporal.ground import ground_timed

    temporal.refuse_others(words.encoding, words.prefers)
    timed = ground_timed(task)
    usual = temporal.TEMPORAL if timed.numbers is None else temporal.TEMPORAL_NUMERIC
    if why := timed.grounded.task.hopeless:
        source = replace(source, model=TaskModel(replace(timed.grounded.task, hopeless=why)))
    drawing = source.drawing or str(find_drawing(f"{STEPPED}/timed"))
    problem = replace(source, reads=partial(temporal.with_times, timed), drawing=drawing)
    return _Ground(problem, lambda wanted: temporal.timed_facts(timed), words.encoding or usual)


def _classical(source: Problem, text: TextModel, words: Inputs) -> _Ground:
    if METRIC in words.prefers:
        raise UsageError(
            "--optimal metric is about tasks with numbers or preferences, and this one has neither",
            hint="say --optimal cost or --optimal actions",
        )
    task = translate(text.task, text.names, words.all_states)
    model = TaskModel(task, partial(_atom_text, text.names))
    speech = SourceExplanations(
        partial(_sentence, text, task),
        partial(_obstacles, text, model),
        partial(explain_plan, text),
    )
    name = words.encoding or preferred(words.prefers, STEPPED)
    name = str(name or domains()[STEPPED].default_encoding(model))
    problem = replace(source, model=model, words=speech)
    parts = tuple({LAYERS}.intersection(words.prefers))
    return _Ground(
        problem,
        lambda wanted: to_facts(task, wanted, model.layers),
        name,
        parts,
        predicates=partial(predicates_of, task),
    )


def _demanding(source: Problem, text: TextModel, words: Inputs) -> _Ground:
    from asplan.pddl.preferences import ground, without_ends
    from asplan.pddl.task.order import tidy

    by_metric = METRIC in words.prefers
    if by_metric and text.task.problem.metric and not text.task.has_numbers:
        what = "--optimal metric: the metric of this task has neither preferences nor numbers"
        raise UsageError(what, hint="say --optimal cost or --optimal actions")
    demanding = ground(text.task, by_metric, words.all_states)
    task = demanding.task
    model = TaskModel(task.merged, partial(_atom_text, text.names))
    speech = SourceExplanations(
        partial(_sentence, text, task),
        partial(_obstacles, text, model),
        partial(explain_plan, text),
    )
    name = words.encoding or preferred(words.prefers, STEPPED) or "exists"
    assert source.domain is not None
    problem = replace(
        source,
        model=model,
        domain=replace(source.domain, tidy=partial(tidy, task=task), improver=None),
        words=speech,
        reads=partial(without_ends, demanding) if by_metric else None,
    )
    return _Ground(problem, partial(to_facts, task), name, is_watched=task.monitor is not None)


def _with_numbers(source: Problem, text: TextModel, words: Inputs) -> _Ground:
    from asplan.domains.heuristic import ZERO
    from asplan.pddl import numeric
    from asplan.pddl.numeric.scale import numeric_task

    task = numeric_task(text.task)
    model: Model[Any, Any] = text  # slow, but what searches and proves is exact
    if why := task.task.hopeless:
        model = TaskModel(replace(task.task, hopeless=why, is_stub=True))
    speech = SourceExplanations(
        partial(_sentence, text, task.task),
        partial(_obstacles, text, model),
        partial(explain_plan, text),
    )
    assert source.domain is not None
    at, _ = beyond_costs(text.task) or (None, "")
    encoding = numeric.encoding_of(words.encoding, words.prefers, at)
    parts = numeric.parts_of(task, words.prefers, text.task)
    problem = replace(
        source,
        model=model,
        # The actions of a step may be executed in any order.
        domain=replace(
            source.domain,
            tidy=lambda model, plan: plan,
            operators=frozenset(),
            heuristics=(ZERO,),
            finder=numeric.finder_of(task, encoding, words.constants),
            improver=None,
            prover=None,
        ),
        words=speech,
        reads=partial(numeric.with_counts, task, encoding, words.constants, not parts),
    )
    return _Ground(
        problem, partial(numeric.to_numeric_facts, task, text.names), encoding, tuple(parts)
    )


def _unit(facts: str, file: str) -> Unit:
    return Unit((), (PlainFacts(f"{file} (translated)", facts),))


def load_source(words: Inputs, files: tuple[str, str]) -> Problem:
    """The problem of two PDDL files as far as their text tells, without translation."""
    return _read(read_task(*files), words)


def _read(task: TaskText, words: Inputs) -> Problem:
    domain_file, problem_file = (part.name.source.file for part in (task.domain, task.problem))
    names, timed = names_of(task), None
    if task.has_time:
        from asplan.pddl.language.timing import TimedModel

        timed = TimedModel(task, names)
    model = None if timed else referee_of(task, names)
    known: Any = timed.model if timed else model
    objects = " ".join(f"object({name},{kind})." for name, kind in objects_of(task, names))
    drawing = Path(domain_file).parent / "draw.lp"

    def plan_text(plan: Plan, cost: int) -> str:
        return write_plan(with_names(plan, names), cost, task.has_costs)

    return Problem(
        files=(problem_file, domain_file),
        units=(Unit((), (PlainFacts(f"{problem_file} (objects)", objects),)),),
        domain=domains()[STEPPED],
        referee=model,
        executes=partial(_passage, timed) if timed else None,
        written=names.written,
        texts=(task.domain.name.source.text, task.problem.name.source.text),
        plan_files=PlanFiles(
            partial(read_plan, names=names, timed=task.has_time, check=known.action), plan_text
        ),
        drawing=str(drawing) if is_there(drawing) else None,
        given=words.constants,
        constants=words.constants,
        warnings=task.warnings,
    )


def _passage(model: TimedModel, plan: Plan) -> TimedTrajectory:
    """What a plan with times passes through, as text."""
    done = model.execute(plan)
    fluents, text = model.model.fluents, model.model.text
    return TimedTrajectory(
        done.times,
        lambda: (tuple(map(str, fluents(state))) for state in done.states),
        (text(done.states[0]), text(done.states[-1])),
        done.makespan,
        done.metric,
    )


def facts_of_pair(files: tuple[str, str], notation: str | None) -> str:
    """The facts of two PDDL files as text; see `asplan.pddl.front.facts_of_pddl`."""
    if notation not in (None, "plasp"):
        what = f"--to {notation} is no notation for PDDL tasks"
        hint = "leave it out for facts in asplan's vocabulary, or say --to plasp"
        raise UsageError(what, hint=hint)
    written = read_task(*files)
    file = written.domain.name.source.file
    if written.has_time:
        raise UsageError(f"{file}: actions take time, and convert writes no facts of that")
    if written.demands:
        what = "convert writes no facts of constraints and preferences"
        raise wrong(written.demands[0].at, what)
    names = names_of(written)
    parts = (written.domain, written.problem)
    domain, problem = (Path(part.name.source.file).name for part in parts)
    head = f"% {domain} and {problem}, translated by asplan convert"
    if written.has_numbers and notation is not None:
        what = f"{file}: the task has numbers, and facts of {notation} have none"
        raise UsageError(what, hint="leave --to out for facts in asplan's vocabulary")
    if written.has_numbers:
        from asplan.pddl.numeric import to_numeric_facts
        from asplan.pddl.numeric.scale import numeric_task

        head += (
            ": a finite-domain task with\n% numbers in the vocabulary that docs/pddl.md describes."
        )
        return f"{head}\n\n{to_numeric_facts(numeric_task(written), names)}"
    task = translate(written, names)
    if notation is None:
        head += ": a finite-domain task in the\n% vocabulary that docs/pddl.md describes. asplan"
        return f"{head} solve takes it like the PDDL.\n\n{to_facts(task)}"
    head += " --to plasp: a finite-domain\n% task in the fact format of plasp 3."

    def action(term: str) -> list[str]:
        name, *arguments = words_of(term)
        return [names.actions.names[name], *(names.objects.names[word] for word in arguments)]

    return f"{head}\n\n{to_plasp(task, partial(_atom_words, names), action)}"


def _atom_words(names: PddlNames, term: str) -> list[str]:
    """An atom as PDDL has it; one that grounding has made has a name of its own."""
    if atom := denied(term):
        name, *objects = _atom_words(names, atom)
        return [f"not-{name}", *objects]
    head, *arguments = words_of(term)
    if head == MADE:
        head, *arguments = (f"new-axiom@{arguments[0]}", *arguments[1:])
    name = names.predicates.names.get(head, head)
    return [name, *(names.objects.names[word] for word in arguments)]


def _obstacles(text: TextModel, model: Model[Any, Any]) -> list[tuple[Location, str]]:
    """Return why the goal is out of reach, where that is plain without a search."""
    why = model.unsolvable()
    if why is None:
        return []
    clash = model.task.clash if isinstance(model, TaskModel) else ()
    return obstacles(text, why, {term: _atom_text(text.names, term) for term in clash})


_SENTENCES = (
    ("goal(", "the goal {atom}", "the goal"),
    ("precondition(", "{action} needs {atom}", "what actions need"),
    ("not caused(", "{atom} begins to hold, and no action adds it", "nothing changes by itself"),
    ("caused(", "an action adds {atom}, which does not hold then", "what actions add and delete"),
    ("mutex(", "atoms exclude each other", "atoms exclude each other"),
    ("{ holds(", "atoms exclude each other", "atoms exclude each other"),
    ("", "actions hinder each other in a step", "actions hinder each other in a step"),
)
"""What the constraints of the encodings in encodings/pddl mean, by a part of their text: of one
instance, and in general."""


def _sentence(
    model: TextModel, task: Task, text: str, values: Mapping[str, str]
) -> tuple[Location, str]:
    """What a constraint of the encodings means in the words of the task, and a place in it."""
    part, instance, general = next(row for row in _SENTENCES if row[0] in text)
    names, source = model.names, model.task
    place = source.domain.name.at
    if part == "goal(":
        places = {names.atom(a.name.key, a.ground()[1:]): a.name.at for a in source.goal_atoms}
        place = places.get(values.get("D", ""), goal_place(source))
        general = f"the goal {shortened(written(source.problem.goal, {}, names))}"
    if not values:
        return place, general
    atom = values.get("D", NONE)
    others = [v for v in task.variables[int(values.get("V", 0))].values if v != NONE]
    subject = denied(atom) or (others[0] if atom == NONE else atom)
    told = _atom_text(names, subject)
    if atom == NONE and len(others) > 1:
        told = "none of its atoms"
    elif subject != atom:
        told = f"(not {told})"
    if part != "goal(":
        key = _atom_words(names, subject)[0]
        declared = {signature.name.key: signature.name.at for signature in source.domain.predicates}
        place = declared.get(key, place)
    action = task.operators[int(values["O"])].action if "O" in values else ""
    if action:
        head = names.actions.names[words_of(action)[0]]
        place = next(a.name.at for a in source.domain.actions if a.name.key == head)
    return place, instance.format(atom=told, action=action and names.written(action))


def _atom_text(names: PddlNames, term: str) -> str:
    name, *arguments = _atom_words(names, term)
    return names.written_atom(name, *arguments)
