"""Puzzles made at random. The seed and the number of an attempt determine the puzzle."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from random import Random

from asplan.core.budget import Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, nearest, system_error
from asplan.core.files import atomic_file
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.domains import domains
from asplan.domains.generator import Generator, Option, OptionValue, Puzzle, Wish
from asplan.engines import find_engine
from asplan.enumeration.by_states import make_estimate
from asplan.enumeration.rating import Rating, ShortestPlans, rate
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.result import Outcome
from asplan.statespace.dead_ends import DeadEnds
from asplan.statespace.space import state_space


@dataclass(frozen=True)
class Made:
    """A generated puzzle, with the command that generates it again."""

    name: str
    """The name of the puzzle's file in the folder of results."""
    puzzle: Puzzle
    command: str
    attempt: int
    """The number of the attempt that made the puzzle, counted from 1."""
    rating: Rating | None = None
    """The shortest plans and dead ends of the puzzle; None if they were not counted."""

    @property
    def text(self) -> str:
        """The text of the puzzle's file: a header with title, rating, picture and command,
        then the facts.
        """
        rating = "" if self.rating is None else f"% {describe(self.rating)}\n"
        picture = "".join(f"%   {line}\n" for line in self.puzzle.picture.splitlines())
        made = f"% {self.command}   (attempt {self.attempt})"
        return f"% {self.puzzle.title}\n{rating}%\n{picture}%\n{made}\n\n{self.puzzle.facts}"


def describe(rating: Rating) -> str:
    """Return a rating as a sentence.

    >>> describe(Rating(ShortestPlans(7, 2, True), DeadEnds(10, 4)))
    'Rating: 2 shortest plans, which differ only in order; 4 of 10 states are dead ends.'
    """
    return f"Rating: {_describe_plans(rating.plans)}; {_describe_dead_ends(rating.dead_ends)}."


def _describe_plans(plans: ShortestPlans | None) -> str:
    if plans is None:
        return "too many states to count shortest plans"
    number = amount(plans.number, "shortest plan")
    differ = plans.is_unique and plans.number > 1
    return f"{number}, which differ only in order" if differ else number


def _describe_dead_ends(dead_ends: DeadEnds | None) -> str:
    if dead_ends is None:
        return "too many states to count dead ends"
    return f"{dead_ends.dead_ends} of {dead_ends.states} states are dead ends"


@dataclass(frozen=True)
class Generated:
    """The puzzles made so far, with the options and the progress of their generation."""

    domain: str = ""
    wish: Mapping[str, str] = field(default_factory=dict)
    """The options that the puzzles fulfil, with their values as the user wrote them."""
    count: int = 1
    """The number of puzzles that the caller wants."""
    seed: int = 0
    puzzles: tuple[Made, ...] = ()
    attempts: int = 0
    """The number of attempts so far, failed ones included."""
    reason: str = "reading the options"
    """The current activity while puzzles are made.

    At the end, the reason why puzzles are missing; empty if all were made.
    """
    stopped: Stop | None = None
    """The limit that ended the work; None if none was reached."""


@dataclass(frozen=True)
class PuzzleKind:
    """The puzzles that are kept.

    Attributes
    ----------
    unique
        True to keep only puzzles whose shortest plans differ at most in the order of their actions.
    rate
        True to count shortest plans and dead ends of each puzzle.
    """

    unique: bool = False
    rate: bool = False

    @property
    def is_rated(self) -> bool:
        """True if puzzles are rated."""
        return self.unique or self.rate

    @property
    def words(self) -> dict[str, str]:
        """The options of the command that ask for this kind."""
        flags = {"unique": self.unique, "rate": self.rate}
        return {name: "True" for name, is_set in flags.items() if is_set}


OptionWord = str | int | bool | None
"""The value of an option as a caller gives it: a word, a number, True for a flag.

None if not given.
"""


def make_puzzles(
    domain: str,
    words: Mapping[str, OptionWord],
    count: int,
    seed: int,
    tries: int,
    report: Reporter[Generated],
    kind: PuzzleKind = PuzzleKind(),  # noqa: B008  # it is immutable
) -> Generated:
    """Make `count` different puzzles; give up after `tries` failed attempts in a row.

    `words` are the values of the generator's options. `report` gets the puzzles so far. `kind`
    describes the puzzles that are kept.
    """
    generator = find_generator(domain)
    wish, wish_words = read_wish(generator, words)
    wish_words |= kind.words
    command = command_of(domain, wish_words, seed)
    found = Generated(domain, wish_words, count, seed)
    digits = max(2, len(str(count)))
    failures = 0
    uncounted = 0
    while len(found.puzzles) < count and failures < tries:
        next_puzzle = len(found.puzzles) + 1
        number = found.attempts + 1
        doing = f"looking for puzzle {next_puzzle} of {count}, attempt {number}"
        report(replace(found, reason=doing))
        puzzle = _attempt(generator, wish, seed, number)
        found = replace(found, attempts=number)
        failures += 1
        if puzzle is None or any(puzzle == made.puzzle for made in found.puzzles):
            continue
        rating = rate_puzzle(puzzle) if kind.is_rated else None
        uncounted += rating is not None and rating.plans is None
        if kind.unique and not (rating is not None and rating.is_unique):
            continue
        failures = 0
        made = Made(f"{next_puzzle:0{digits}}.lp", puzzle, command, number, rating)
        found = replace(found, puzzles=(*found.puzzles, made))
    is_short = len(found.puzzles) < count
    return replace(found, reason=_why_short(tries, kind, uncounted) if is_short else "")


def _why_short(tries: int, kind: PuzzleKind, uncounted: int) -> str:
    """Return why puzzles are missing; the plans of `uncounted` puzzles were too many to count."""
    reason = f"{tries} attempts made no new puzzle"
    if not kind.unique:
        return reason
    reason += " with one shortest plan"
    return f"{reason} ({uncounted} had too many states to count plans)" if uncounted else reason


def rate_puzzle(puzzle: Puzzle) -> Rating:
    """Rate a puzzle by the shortest plans and dead ends of its model."""
    problem = load(Inputs(text=puzzle.facts, constants=puzzle.constants), needs_model=True)
    domain, model = state_space(problem)
    return rate(model, make_estimate(domain, model))


def attempt(
    domain: str,
    words: Mapping[str, OptionWord],
    seed: int,
    number: int,
) -> Puzzle | None:
    """Return the puzzle of attempt `number` with a seed; None if the attempt makes none.

    `words` are the values of the generator's options.
    """
    generator = find_generator(domain)
    return _attempt(generator, read_wish(generator, words)[0], seed, number)


def _attempt(
    generator: Generator,
    wish: Wish,
    seed: int,
    number: int,
) -> Puzzle | None:
    return generator.attempt(wish, Random(f"{seed} {number}"), find_shortest)


def find_shortest(
    facts: str,
    engine: str,
) -> Plan:
    """Return a shortest plan of an instance, which must be solvable, found by an engine.

    `facts` is the text of the instance.
    """
    request = Request(Inputs(text=facts), engine, find_engine(engine).options())
    result = answer(request)
    if result.outcome is not Outcome.OPTIMAL or result.plan is None:
        raise AssertionError(f"{engine}: {result.outcome}, {result.reason}")
    return result.plan


def find_generator(domain: str) -> Generator:
    """Return the generator of a domain's puzzles; raise `UsageError` if there is none."""
    generators = {name: one.generator for name, one in domains().items() if one.generator}
    if domain not in generators:
        is_domain = domain in domains()
        why = f"domain {domain!r} has no generator" if is_domain else f"unknown domain {domain!r}"
        raise UsageError(why, hint=nearest(domain, generators, noun="domains with a generator"))
    generator = generators[domain]
    return generator if isinstance(generator, Generator) else generator()


def read_wish(
    generator: Generator,
    words: Mapping[str, OptionWord],
) -> tuple[Wish, dict[str, str]]:
    """Return the wish that a user's options express, and the options that are given, as words.

    Raise `UsageError` for an unknown option or an invalid word.
    """
    options = {option.name: option for option in generator.options}
    for name in words:
        if name not in options:
            hint = nearest(name, options, noun="options")
            raise UsageError(f"unknown option {name!r}", hint=hint)
    used = {name: str(word) for name, word in words.items() if word not in (None, False)}
    values = {name: _value(option, used.get(name)) for name, option in options.items()}
    return generator.wish(values), {name: used[name] for name in options if name in used}


def _value(
    option: Option,
    word: str | None,
) -> OptionValue:
    if option.read is None:
        return word is not None
    word = option.default if word is None else word
    if word is None:
        return None
    try:
        return option.read(word)
    except ValueError as error:
        raise UsageError(f"--{option.name} {word}: {error}") from None


def command_of(
    domain: str,
    wish: Mapping[str, str],
    seed: int,
) -> str:
    """Return the `asplan generate` command that makes the puzzles of a wish and a seed.

    `wish` has the words of the options.
    """
    words = ["asplan", "generate", domain]
    for name, word in wish.items():
        words += [f"--{name}"] if word == "True" else [f"--{name}", word]
    return shlex.join([*words, "--seed", str(seed)])


class Folder:
    """A folder, empty at first, that gets a file for each puzzle.

    Raise `UsageError` if the folder is not empty or cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._written = 0
        try:
            self._path.mkdir(exist_ok=True)
            if any(self._path.iterdir()):
                hint = "name an empty folder with -o"
                raise UsageError(f"{path} is not empty", hint=hint)
        except FileExistsError:
            raise UsageError(f"{path} is not a folder", hint="name a folder with -o") from None
        except OSError as error:
            raise system_error(error) from None
        except ValueError as error:
            raise UsageError(f"cannot make {path!r}: {error}") from None

    def write(self, puzzles: Sequence[Made]) -> None:
        """Write the files of new puzzles.

        `puzzles` has all puzzles so far. Puzzles that have a file already are skipped.
        """
        for made in puzzles[self._written :]:
            with atomic_file(self._path / made.name, is_new=True) as file:
                file.write(made.text.encode())
            self._written += 1
