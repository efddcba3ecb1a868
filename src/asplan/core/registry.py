"""Entry points: the registered domains, engines, commands, front ends, displays and formats.

asplan registers its own parts in `pyproject.toml`, as other packages do, so that general code
imports no special part. An entry is imported at its first use, so a run imports only the parts that
it needs.

>>> entries("asplan.engines")["bfs"].place
'asplan.engines.search:BFS'
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.limits import has_memory_limit, hold_interrupts, hold_locks, is_signal

Kind = TypeVar("Kind")
Registered: TypeAlias = Any  # entry points name objects of any kind


@dataclass(frozen=True)
class RegistryEntry:
    """An entry point: its name, `module:attribute`, and the package that registers it."""

    name: str
    place: str
    package: str

    @property
    def is_own(self) -> bool:
        """True if asplan itself has registered the entry."""
        return self.package.partition(" ")[0] == "asplan"

    def load(self) -> Registered:
        """Import and return the object that the entry names."""
        module, _, attribute = self.place.partition(":")
        # An interrupt within an import may be dropped, or come out as another exception. asplan's
        # own imports are short; imports of other packages may never end.
        with hold_locks(), hold_interrupts() if self.is_own else nullcontext():
            imported = import_module(module)
            return getattr(imported, attribute) if attribute else imported

    def load_as(self, kind: type[Kind], noun: str, called: str = "") -> Kind:
        """Import and return the object; raise `UsageError` if it is not of the type `kind`.

        For messages, `noun` describes the entry, such as `an engine`, and `called` is the name of
        the type, by default its name in Python.
        """
        subject = f"{noun} {self.name}, but {self.place}"
        try:
            loaded = self.load()
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:  # a module may end its process at its import
            if is_signal(error) or _is_out_of_memory(error):
                raise
            why = error if isinstance(error, Exception) else repr(error)
            raise self.refuse(f"{subject} cannot be imported: {why}") from error
        if not isinstance(loaded, kind):
            called = called or f"{kind.__module__}.{kind.__qualname__}"
            raise self.refuse(f"{subject} is no {called}")
        return loaded

    def refuse(self, why: str) -> UsageError:
        """Return an error that blames the package of this entry.

        `why` ends the message: `the package PACKAGE brings WHY`.
        """
        name = self.package.partition(" ")[0]
        return UsageError(
            f"the package {self.package} brings {why}",
            hint=f"repair that package, or remove it: pip uninstall {name}",
        )


def _is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, ImportError | SystemError) and has_memory_limit()


def entries(group: str) -> dict[str, RegistryEntry]:
    """Return the entries of a group such as `asplan.engines` by name, asplan's own first.

    Raises `UsageError` if two entries share a name, or if asplan is not installed.
    """
    return dict(_by_name(group, tuple(sys.path)))


def has_plugins(group: str) -> bool:
    """Return True if another package than asplan has registered an entry of a group."""
    return _has_plugins(group, tuple(sys.path))


@cache
def _has_plugins(group: str, path: tuple[str, ...]) -> bool:
    return not all(entry.is_own for entry in _by_name(group, path).values())


@cache
def _by_name(group: str, path: tuple[str, ...]) -> Mapping[str, RegistryEntry]:
    by_name: dict[str, RegistryEntry] = {}
    for entry in sorted(_read_all(group, path), key=lambda e: (not e.is_own, e.name)):
        if entry.name in by_name:
            kind = group.removeprefix("asplan.").removesuffix("s").replace("_", " ")
            raise entry.refuse(f"a {kind} {entry.name}, which exists already")
        by_name[entry.name] = entry
    if not by_name:
        why = "asplan is not installed, so it cannot find its engines and commands"
        raise UsageError(why, hint="pip install .")
    return by_name


def _read_all(group: str, path: tuple[str, ...]) -> tuple[RegistryEntry, ...]:
    """Return the entries of a group in the packages on a path.

    If all packages are in plain folders, read their files `entry_points.txt`, which is fast.
    """
    if not _has_only_folders(path):
        return _read_by_metadata(group)
    found: list[RegistryEntry] = []
    for package, text in _asplan_files(path).items():
        section = text.partition(f"[{group}]\n")[2].partition("\n[")[0]
        for line in section.splitlines():
            name, equals, place = line.partition("=")
            if equals:
                found.append(RegistryEntry(name.strip(), place.strip(), package))
    return tuple(found)


def _has_only_folders(path: Iterable[str]) -> bool:
    """Return True if all packages are in plain folders on the path, without zip files or hooks."""
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return False
    return not any(folder.is_file() or folder.suffix == ".egg" for folder in map(Path, path))


def _read_by_metadata(group: str) -> tuple[RegistryEntry, ...]:
    """Return the entries of a group by `importlib.metadata`: slow, but it knows any package."""
    from importlib.metadata import entry_points

    return tuple(
        RegistryEntry(point.name, point.value, f"{point.dist.name} {point.dist.version}")
        for point in entry_points(group=group)
        if point.dist
    )


@cache
def _asplan_files(path: tuple[str, ...]) -> dict[str, str]:
    """Return the texts of `entry_points.txt` with entries for asplan, by package and version."""
    texts: dict[str, str] = {}
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
                    texts[f"{_package_name(file, name)} {version}"] = text
    return texts


def _package_name(file: Path, name: str) -> str:
    """Return the name of a package from the metadata beside a file, or else `name`."""
    with suppress(OSError), (file.parent / "METADATA").open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("Name: "):
                return line.removeprefix("Name: ").strip()
    return name


@dataclass(frozen=True)
class Later:
    """A function that is imported at its first call: `find()` imports and returns it."""

    find: Callable[[], Callable[..., Registered]]

    def __call__(self, *arguments: object, **named: object) -> Registered:
        """Import the function, and return the result of calling it."""
        return self.load()(*arguments, **named)

    def load(self) -> Callable[..., Registered]:
        """Import and return the function, so that processes forked later need not import it."""
        with hold_locks():
            return self.find()


@dataclass(frozen=True)
class LaterItems(Sequence[Registered]):
    """A sequence that is imported at its first use: `find()` imports and returns it."""

    find: Callable[[], Sequence[Registered]]

    def __len__(self) -> int:
        return len(self[:])

    def __getitem__(self, index: Registered) -> Registered:  # a number or a slice
        with hold_locks():
            return self.find()[index]
