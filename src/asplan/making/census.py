"""All puzzles of a kind counted, part by part, here or on other machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from asplan.bench.local import attended
from asplan.errors import UsageError
from asplan.limits import Limits
from asplan.making.counts_file import Part, keeping
from asplan.making.wishes import find_generator, read_wish
from asplan.result import Stop
from asplan.run import unheard
from asplan.version import __version__
from asplan.worker import run_isolated

Place = Callable[[str, Mapping[str, Any], Iterable[int], Callable[[], None]], Iterator[Part]]
"""Counts parts of a domain and a wish, and yields them as they end; calls a function meanwhile."""


@dataclass(frozen=True)
class Counted:
    """What is counted so far.

    Attributes
    ----------
    done, of
        Parts.
    counts
        By name, over all parts that are done.
    """

    done: int = 0
    of: int = 0
    counts: Mapping[str, int] | None = None
    reason: str = ""
    stopped: Stop | None = None


def take_census(
    domain: str,
    words: Mapping[str, Any],
    file: str | None,
    resume: bool,
    place: Place,
    tell: Callable[[Counted], None],
) -> Counted:
    """Count all puzzles that are as wished.

    Parameters
    ----------
    file
        Where each part is written down; nowhere if it is None.
    resume
        Go on with what the file has.

    Raises
    ------
    UsageError
        The domain counts nothing, the wish says what has no bearing on it, or the file is there,
        or is of something else.
    """
    census = find_generator(domain).census
    if census is None:
        raise UsageError(f"the puzzles of {domain} cannot be counted")
    wish, said = read_wish(find_generator(domain), words)
    if odd := sorted(set(said) - census.options):
        raise UsageError(
            f"--{odd[0]} has no use with --all",
            mend=f"what is counted is said by --{', --'.join(sorted(census.options))}",
        )
    every = range(census.parts(wish))
    start = {"domain": domain, "wish": said, "parts": len(every), "version": __version__}
    with ExitStack() as stack:
        parts: dict[int, Mapping[str, int]] = {}
        keep: Callable[[Part], None] = unheard
        if file is not None:
            parts, keep = stack.enter_context(keeping(Path(file), start, resume))

        def counted() -> Counted:
            return Counted(len(parts), len(every), _sum(parts.values()))

        tell(counted())
        rest = [part for part in every if part not in parts]
        for part, counts in place(domain, said, rest, lambda: tell(counted())):
            keep((part, counts))
            parts[part] = counts
            tell(counted())
        return counted()


def count_part(domain: str, words: Mapping[str, Any], part: int) -> Part:
    """Count one part, here."""
    generator = find_generator(domain)
    assert generator.census is not None
    wish, _ = read_wish(generator, words)
    return part, dict(generator.census.count(wish, part))


def on_this_machine(jobs: int) -> Place:
    """A place that counts so many parts at a time, each in a process of its own."""

    def place(
        domain: str, words: Mapping[str, Any], parts: Iterable[int], waiting: Callable[[], None]
    ) -> Iterator[Part]:
        def work(part: int, heed: Callable[[], None]) -> Part:
            body = partial(_counted, domain, words, part)
            counted = run_isolated(body, Limits(), lambda _: heed(), Counted())
            assert counted.counts is not None
            return part, counted.counts

        return attended(jobs, work, parts, waiting)

    return place


def on_cluster(address: str) -> Place:
    """A place that counts on the workers of the scheduler at an address.

    Raises `MissingExtra` where distributed is not installed.
    """
    from asplan.bench import cluster

    cluster.on_cluster(address)

    def place(
        domain: str, words: Mapping[str, Any], parts: Iterable[int], waiting: Callable[[], None]
    ) -> Iterator[Part]:
        ended = cluster.spread(
            address, lambda part: (count_part, domain, words, part), parts, waiting
        )
        return (cluster.result_of(job) for job, _ in ended)

    return place


def _counted(
    domain: str, words: Mapping[str, Any], part: int, report: Callable[[Counted], None]
) -> Counted:
    return Counted(counts=count_part(domain, words, part)[1])


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for more in counts:
        total.update(more)
    return dict(sorted(total.items()))
