"""From the words of a wish to what a domain's generator understands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from asplan.domains import Domain, domains
from asplan.domains.generator import Generator
from asplan.domains.wishes import Option
from asplan.errors import UsageError, nearest


def makers() -> dict[str, Domain]:
    """The domains whose puzzles can be made."""
    return {name: domain for name, domain in domains().items() if domain.generator is not None}


def find_generator(domain: str) -> Generator:
    """The generator of a domain.

    Raises
    ------
    UsageError
        There is no such domain, or it has none.
    """
    known = makers()
    if domain not in known:
        what = "makes no puzzles" if domain in domains() else "is no domain"
        mend = nearest(domain, known, noun="domains whose puzzles can be made")
        raise UsageError(f"{domain!r} {what}", mend=mend)
    generator = known[domain].generator
    assert generator is not None
    return generator


def read_wish(generator: Generator, words: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
    """What a generator is given for words, and those of them that say something.

    Parameters
    ----------
    words
        By option: a word or a number; for a flag whether it is set; None says nothing.

    Raises
    ------
    UsageError
        There is no such option, a word makes no sense, or they contradict each other.
    """
    known = {option.name: option for option in generator.options}
    for name in words:
        if name not in known:
            raise UsageError(f"{name!r} cannot be wished", mend=nearest(name, known, noun="wishes"))
    said = {name: str(word) for name, word in words.items() if word not in (None, False)}
    values = {name: _value(option, said.get(name)) for name, option in known.items()}
    return generator.wish(values), {name: said[name] for name in known if name in said}


def command_of(domain: str, wish: Mapping[str, str], seed: int) -> str:
    """The command that makes the same puzzles."""
    words = ["asplan", "generate", domain]
    for name, word in wish.items():
        words += [f"--{name}"] if word == "True" else [f"--{name}", word]
    return shlex.join([*words, "--seed", str(seed)])


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
