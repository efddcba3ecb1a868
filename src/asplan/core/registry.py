"""What packages register by entry point: domains, engines, commands, front ends, displays, formats.

asplan's own are registered as those of other packages are, in `pyproject.toml`, so that nothing
general imports what is special. An entry is imported when it is first used, and a run pays only
for what it does.

>>> entries("asplan.engines")["bfs"].place
'asplan.engines.search:BFS'
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, TypeVar

from asplan.core.errors import UsageError
from asplan.core.limits import holding_locks, interrupts_held, is_signal, is_starved

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Entry:
    """An entry point: its name, `module:attribute`, and the package that registers it."""

    name: str
    place: str
    package: str

    @property
    def is_own(self) -> bool:
        return self.package.partition(" ")[0] == "asplan"

    def load(self) -> Any:
        module, _, attribute = self.place.partition(":")
        # An interrupt within an import may be dropped, or come out as another exception. asplan's
        # own imports are short; those of others may go on for ever.
        with holding_locks(), interrupts_held() if self.is_own else nullcontext():
            found = import_module(module)
            return getattr(found, attribute) if attribute else found

    def load_as(self, kind: type[Kind], noun: str, called: str = "") -> Kind:
        """Import an object of a kind, `called` so by plug-ins; `UsageError` where that fails."""
        brought = f"{noun} {self.name}, but {self.place}"
        try:
            found = self.load()
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:  # a module may end its process when it is imported
            if is_signal(error) or (isinstance(error, ImportError | SystemError) and is_starved()):
                raise
            why = error if isinstance(error, Exception) else repr(error)
            raise self.refuse(f"{brought} cannot be imported: {why}") from error
        if not isinstance(found, kind):
            called = called or f"{kind.__module__}.{kind.__qualname__}"
            raise self.refuse(f"{brought} is no {called}")
        return found

    def refuse(self, why: str) -> UsageError:
        name = self.package.partition(" ")[0]
        return UsageError(
            f"the package {self.package} brings {why}",
            hint=f"repair that package, or remove it: pip uninstall {name}",
        )


def entries(group: str) -> dict[str, Entry]:
    """The entries of a group by name, asplan's own first; `UsageError` where two have one name."""
    found: dict[str, Entry] = {}
    for entry in sorted(_all(group, tuple(sys.path)), key=lambda e: (not e.is_own, e.name)):
        if entry.name in found:
            kind = group.removeprefix("asplan.").removesuffix("s").replace("_", " ")
            raise entry.refuse(f"a {kind} {entry.name}, which exists already")
        found[entry.name] = entry
    if not found:
        why = "asplan is not installed, so it knows no parts of its own"
        raise UsageError(why, hint="pip install .")
    return found


@cache
def _all(group: str, path: tuple[str, ...]) -> tuple[Entry, ...]:
    """The entries of a group, read from the few files that name asplan, which is soon done."""
    # Whether packages may be installed where only Python's own way leads.
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in finders) or any(
        folder.is_file() or folder.suffix == ".egg" for folder in map(Path, path)
    ):
        from importlib.metadata import entry_points

        return tuple(
            Entry(point.name, point.value, f"{point.dist.name} {point.dist.version}")
            for point in entry_points(group=group)
            if point.dist
        )
    return tuple(
        Entry(name.strip(), place.strip(), package)
        for package, text in _asplan_files(path).items()
        for line in text.partition(f"[{group}]\n")[2].partition("\n[")[0].splitlines()
        for name, equals, place in [line.partition("=")]
        if equals
    )


@cache
def _asplan_files(path: tuple[str, ...]) -> dict[str, str]:
    """The text of each `entry_points.txt` that names asplan, by package and version."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for folder in map(Path, dict.fromkeys(path)):
        for file in folder.glob("*.*-info/entry_points.txt"):
            name, _, version = file.parent.stem.partition("-")
            if name in seen:
                continue
            seen.add(name)
            with suppress(OSError):
                text = file.read_text(encoding="utf-8", errors="replace")
                if "[asplan." in text:
                    found[f"{_written(file, name)} {version}"] = text
    return found


def _written(file: Path, name: str) -> str:
    """The name of a package as it writes it; folders have `_` for `-`."""
    with suppress(OSError), (file.parent / "METADATA").open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("Name: "):
                return line.removeprefix("Name: ").strip()
    return name


@dataclass(frozen=True)
class Later:
    """A function that another one imports when it is first called."""

    find: Callable[[], Callable[..., Any]]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.load()(*arguments, **named)

    def load(self) -> Callable[..., Any]:
        """Import it, so that no fork has to."""
        with holding_locks():
            return self.find()


@dataclass(frozen=True)
class LaterItems(Sequence[Any]):
    """A sequence that a function imports when somebody looks into it."""

    find: Callable[[], Sequence[Any]]

    def __len__(self) -> int:
        return len(self[:])

    def __getitem__(self, index: Any) -> Any:
        with holding_locks():
            return self.find()[index]
