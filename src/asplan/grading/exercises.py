"""Exercises: the instances on which submissions are graded, each with a shortest plan."""

import re
from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
)
from pathlib import Path

from asplan.catalog import find_instance, instances
from asplan.core.budget import Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.files import exists
from asplan.core.limits import Limits, Stop
from asplan.core.plan import Plan
from asplan.engines import make_options
from asplan.grading.references import Reference
from asplan.grading.submissions import (
    Submission,
    distinct_names,
    programs_in,
    why_no_own_file,
)
from asplan.planner import Request, answer
from asplan.problem import Inputs, Problem, load
from asplan.program.reading.unit import read_unit
from asplan.result import Outcome, Result

DEFAULT_COUNT = 5
"""The number of shipped instances to use if none is named."""


@dataclass(frozen=True)
class Exercise:
    """An instance with its judge, and a shortest plan.

    The judge is the `reference` solution, or without one the domain's model. `shortest` is the
    length of `plan`; both are None if no plan exists. `word` names the instance in a command: it is
    the name of a shipped instance, or a file.
    """

    name: str
    problem: Problem
    shortest: int | None
    plan: Plan | None = None
    word: str = ""
    reference: Reference | None = None

    @property
    def file(self) -> str:
        """The file of the instance."""
        return self.problem.files[-1]

    def inputs_with(self, submission: Submission) -> Inputs:
        """Return the inputs to solve this instance with a submission.

        Beside a reference solution, the submission has the same constants, as far as its files or
        the instance use them. Then all files and the instance are one program. Without a reference,
        a single file is the encoding; several files are one program with the instance.
        """
        files = submission.files
        if self.reference is not None:
            return Inputs(
                (*files, self.word),
                constants=self._constants_of(submission),
                steps=self.reference.steps,
            )
        if len(files) == 1:
            return Inputs((self.word,), encoding=files[0])
        return Inputs((self.word, *files))

    def _constants_of(self, submission: Submission) -> dict[str, str]:
        """Return the constants of the reference that the submission or the instance uses."""
        given = self.reference.constants if self.reference else {}
        if not given:
            return {}
        unit = read_unit(self.file)
        used = submission.constants | unit.constants | unit.definitions
        return {name: value for name, value in given.items() if name in used}


def read_exercises(
    domain: str,
    words: Iterable[str],
    constants: Mapping[str, str],
    limits: Limits,
    progress: Reporter[str] = ignore_report,
) -> list[Exercise]:
    """Load instances, and find a shortest plan of each by A*.

    Parameters
    ----------
    domain
        The name of the instances' domain.
    words
        Names, files or folders of instances; by default the easiest instances that ship.
    constants
        Constants that choose a variant of the domain.
    limits
        The limits of each search.
    progress
        A function called with the current activity.

    Raises
    ------
    UsageError
        An instance is unknown or of another domain, or has no answer within the limits.
    """
    files = list(dict.fromkeys(_find_files(domain, words))) or easiest_instances(domain)
    names = distinct_names([Path(file) for file in files])
    shipped = {str(entry.path): entry.name for entry in instances() if entry.domain == domain}
    exercises = []
    for name, file in zip(names, files, strict=True):
        inputs = Inputs((file,), constants=constants)
        problem = load(inputs, needs_model=True)
        if problem.domain is None or problem.domain.name != domain:
            raise UsageError(f"{file} is not an instance of {domain}")
        result = _search(name, inputs, "astar", limits, progress)
        word = shipped.get(file, file)
        exercises.append(Exercise(name, problem, result.horizon, result.plan, word))
    return exercises


def read_own_exercises(
    reference: Reference,
    words: Iterable[str],
    limits: Limits,
    progress: Reporter[str] = ignore_report,
) -> list[Exercise]:
    """Load instances, and find a shortest plan of each by a reference solution.

    The reference solution is also the judge of the submissions.

    `words` name files and folders; by default the folder `instances` or `problems` beside the
    reference. The other parameters and the errors are those of `read_exercises`.
    """
    files: list[str] = []
    for word in list(words) or [_instances_beside(reference.file)]:
        files += _programs_within(Path(word)) if Path(word).is_dir() else [word]
    files = list(dict.fromkeys(files))
    names = distinct_names([Path(file) for file in files])
    exercises = []
    for name, file in zip(names, files, strict=True):
        inputs = reference.inputs_with(file)
        problem = load(inputs)
        result = _search(name, inputs, "asp", limits, progress)
        exercise = Exercise(name, problem, result.horizon, result.plan, file, reference)
        exercises.append(exercise)
    return exercises


def _instances_beside(reference: str) -> str:
    """Return the folder of instances beside a reference; raise `UsageError` if there is none."""
    for name in ("instances", "problems"):
        folder = Path(reference).with_name(name)
        if folder.is_dir():
            return str(folder)
    hint = "pass instances with --instances"
    raise UsageError(f"there is no folder with instances beside {reference}", hint=hint)


def _search(
    name: str,
    inputs: Inputs,
    engine: str,
    limits: Limits,
    progress: Reporter[str],
) -> Result:
    """Find a shortest plan of an instance, or prove that there is none.

    Raises `UsageError` if neither succeeds within the limits.
    """
    activity = f"looking for a shortest plan of {name}"
    request = Request(inputs, engine, make_options(engine, {}, limits), limits)
    result = answer(request, lambda _: progress(activity), isolate=True)
    if result.stopped is Stop.INTERRUPT:
        raise KeyboardInterrupt
    if result.outcome not in (Outcome.OPTIMAL, Outcome.UNSOLVABLE):
        message = f"{name} has no shortest plan to compare with: {result.reason}"
        raise UsageError(message, hint="raise the limits, or leave the instance out")
    return result


def _find_files(domain: str, words: Iterable[str]) -> Iterator[str]:
    """Yield the files of the instances that words name: files, folders or shipped instances."""
    shipped = {entry.name: str(entry.path) for entry in instances() if entry.domain == domain}
    for word in words:
        if word and Path(word).is_dir():
            yield from _programs_within(Path(word))
        elif exists(word) or "/" in word:
            yield find_instance(word)
        elif word in shipped:
            yield shipped[word]
        else:
            hint = nearest(word, shipped, noun="instances")
            raise UsageError(f"{domain} has no instance {word}", hint=hint)


def _programs_within(folder: Path) -> tuple[str, ...]:
    """Return the programs of a folder, as `programs_in` does.

    Raises `InputError` for a link out of the folder, and for a file that is not regular.
    """
    files = programs_in(folder)
    for file in files:
        reason = why_no_own_file(file)
        if reason:
            raise InputError(reason, hint="name that file itself if you trust it")
    return files


def easiest_instances(domain: str) -> list[str]:
    """Return the files of the shipped instances with the shortest plans.

    The titles of instances state the lengths. Instances that start at a goal are omitted. Raises
    `UsageError` if no instance is left.
    """
    candidates = []
    for entry in instances():
        match = re.search(r"shortest plan (\d+)", entry.title)
        if match and entry.domain == domain:
            candidates.append((int(match[1]), entry.name, str(entry.path)))
    unsolved = sorted(candidate for candidate in candidates if candidate[0])
    if not unsolved:
        message = f"no instance that ships with {domain} states the length of its shortest plan"
        raise UsageError(message, hint="pass instances with --instances")
    return [path for _, _, path in unsolved[:DEFAULT_COUNT]]
