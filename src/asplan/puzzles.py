"""Makes puzzles that all differ, each by numbers from the seed and that of its attempt."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from asplan.core.errors import UsageError, nearest, system_error
from asplan.core.files import whole_file
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.domains import domains
from asplan.domains.generator import Generator, Option, Puzzle
from asplan.engines import find_engine
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Outcome


@dataclass(frozen=True)
class Made:
    """A puzzle, and what makes it anew."""

    name: str
    """Of its file."""
    puzzle: Puzzle
    command: str
    attempt: int
    """The number of the attempt, from 1, that it came of."""

    @property
    def text(self) -> str:
        """Its file: a header that says what it is and how it was made, and its facts."""
        picture = "".join(f"%   {line}\n" for line in self.puzzle.picture.splitlines())
        made = f"% {self.command}   (attempt {self.attempt})"
        return f"% {self.puzzle.title}\n%\n{picture}%\n{made}\n\n{self.puzzle.facts}"


@dataclass(frozen=True)
class Generated:
    """Puzzles that were made, in order; all that there are so far."""

    domain: str = ""
    wish: Mapping[str, str] = field(default_factory=dict)
    """What was asked for, as words."""
    count: int = 1
    """How many were asked for."""
    seed: int = 0
    puzzles: tuple[Made, ...] = ()
    attempts: int = 0
    """How many attempts were made."""
    reason: str = "reading the wish"
    """What is being done, or why there are fewer than asked for; empty where there are enough."""
    stopped: Stop | None = None
    """The limit that ended the work."""


Report = Callable[[Generated], None]


def make_puzzles(
    domain: str, words: Mapping[str, Any], count: int, seed: int, tries: int, report: Report
) -> Generated:
    """Make as many puzzles as asked for, until `tries` attempts in a row bring nothing new."""
    generator = find_generator(domain)
    wish, said = read_wish(generator, words)
    command = command_of(domain, said, seed)
    found = Generated(domain, said, count, seed)
    in_vain = 0
    while len(found.puzzles) < count and in_vain < tries:
        looking = f"looking for puzzle {len(found.puzzles) + 1} of {count}"
        number = found.attempts + 1
        report(replace(found, reason=f"{looking}, attempt {number}"))
        puzzle = _attempt(generator, wish, seed, number)
        found = replace(found, attempts=number)
        if puzzle is None or any(puzzle == made.puzzle for made in found.puzzles):
            in_vain += 1
        else:
            in_vain = 0
            name = f"{len(found.puzzles) + 1:0{max(2, len(str(count)))}}.lp"
            made = Made(name, puzzle, command, number)
            found = replace(found, puzzles=(*found.puzzles, made))
    short = f"nothing new came of {tries} attempts" if len(found.puzzles) < count else ""
    return replace(found, reason=short)


def attempt(domain: str, words: Mapping[str, Any], seed: int, number: int) -> Puzzle | None:
    generator = find_generator(domain)
    return _attempt(generator, read_wish(generator, words)[0], seed, number)


def _attempt(generator: Generator, wish: Any, seed: int, number: int) -> Puzzle | None:
    return generator.attempt(wish, Random(f"{seed} {number}"), shortest)


def shortest(facts: str, engine: str) -> Plan:
    request = Request(Inputs(text=facts), engine, find_engine(engine).options())
    result = answer(request)
    if result.outcome is not Outcome.OPTIMAL or result.plan is None:
        raise AssertionError(f"{engine}: {result.outcome}, {result.reason}")
    return result.plan


def find_generator(domain: str) -> Generator:
    known = {name: one.generator for name, one in domains().items() if one.generator}
    if domain not in known:
        what = "makes no puzzles" if domain in domains() else "is no domain"
        hint = nearest(domain, known, noun="domains whose puzzles can be made")
        raise UsageError(f"{domain!r} {what}", hint=hint)
    found = known[domain]
    return found if isinstance(found, Generator) else found()


def read_wish(generator: Generator, words: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
    """What a generator gets for options (words, numbers, flags), and those that say something."""
    known = {option.name: option for option in generator.options}
    for name in words:
        if name not in known:
            raise UsageError(f"{name!r} cannot be wished", hint=nearest(name, known, noun="wishes"))
    said = {name: str(word) for name, word in words.items() if word not in (None, False)}
    values = {name: _value(option, said.get(name)) for name, option in known.items()}
    return generator.wish(values), {name: said[name] for name in known if name in said}


def _value(option: Option, word: str | None) -> Any:
    if option.read is None:
        return word is not None
    word = option.default if word is None else word
    if word is None:
        return None
    try:
        return option.read(word)
    except ValueError as error:
        raise UsageError(f"--{option.name} {word}: {error}") from None


def command_of(domain: str, wish: Mapping[str, str], seed: int) -> str:
    words = ["asplan", "generate", domain]
    for name, word in wish.items():
        words += [f"--{name}"] if word == "True" else [f"--{name}", word]
    return shlex.join([*words, "--seed", str(seed)])


class Folder:
    """A folder, empty at first, that gets a file for each puzzle as soon as it is there."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path, self._written = Path(path), 0
        try:
            self._path.mkdir(exist_ok=True)
            if any(self._path.iterdir()):
                hint = "name another folder for the puzzles by -o"
                raise UsageError(f"{path} is not empty", hint=hint)
        except FileExistsError:
            raise UsageError(f"{path} is no folder", hint="name one by -o") from None
        except OSError as error:
            raise system_error(error) from None
        except ValueError as error:
            raise UsageError(f"cannot make {path!r}: {error}") from None

    def write(self, puzzles: Sequence[Made]) -> None:
        for made in puzzles[self._written :]:
            with whole_file(self._path / made.name, is_new=True) as file:
                file.write(made.text.encode())
            self._written += 1
