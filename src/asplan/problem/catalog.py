"""Finds the encodings and instances that ship with asplan or with the domain of a plug-in."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from asplan.core.errors import InputError, UsageError, nearest, suggest
from asplan.core.files import STDIN, exists, is_linked_out, is_there, nearest_files, real_path
from asplan.core.registry import entries
from asplan.domains import domains

LADDER = "ladder"  # the folder of a domain's instances that are made alike, harder and harder


@dataclass(frozen=True)
class Entry:
    """A shipped file: `title` is the first line of its header comment."""

    domain: str
    name: str
    path: Path

    @property
    def title(self) -> str:
        """What the file says about itself in its first line."""
        with self.path.open(encoding="utf-8") as file:
            return file.readline().lstrip("%;").strip()

    def is_called(self, word: str) -> bool:
        """Whether a word names it: `hanoi`, `hanoi.lp` and `hanoi/hanoi` do."""
        homes = ("", f"{self.domain}/", f"{self.domain}/{LADDER}/")
        return word.removesuffix(self.path.suffix) in [home + self.name for home in homes]


def encodings() -> list[Entry]:
    """All shipped encodings, by domain and name."""
    return [entry for entry in _entries("encodings") if entry.name != "draw"]


def instances() -> list[Entry]:
    """All shipped instances, by domain and name; those in PDDL are the problems."""
    found = [p for home in _listed(_root("instances") / "pddl") for p in _listed(home)]
    problems = [path for path in found if path.suffix == ".pddl" and path.stem != "domain"]
    return [*_entries("instances"), *(Entry("pddl", path.stem, path) for path in problems)]


def rungs() -> list[Entry]:
    """The instances of all ladders, by domain and name."""
    return _entries("instances", LADDER)


def templates() -> Path:
    """The folder of the domains from which others begin."""
    return _root("templates")


def shipped_as(path: str) -> str | None:
    """What a file that ships with asplan is called wherever asplan lies; None for others."""
    whole = Path(path).resolve()
    for kind in ("encodings", "instances"):
        if whole.is_relative_to(_root(kind).resolve()):
            return f"asplan:{kind}/{whole.relative_to(_root(kind).resolve()).as_posix()}"
    return None


def shipped_path(name: str) -> Path:
    """Where a file lies that `shipped_as` has named."""
    kind, _, rest = name.removeprefix("asplan:").partition("/")
    return _root(kind) / rest


def refuse_linked_out(path: str, hint: str) -> None:
    """Raise `InputError` for a file beside another one if a link leads from it to elsewhere.

    Nobody named such a file. What ships may be installed as links.
    """
    ships = any(Path(path).is_relative_to(_root(kind)) for kind in ("encodings", "instances"))
    if not ships and is_linked_out(path):
        raise InputError(f"{path} is a link to a file outside of its folder", hint=hint)


def find_instance(name: str) -> str:
    """The file that a word on the command line means.

    A path that exists is itself; else `sample02`, `sample02.lp` and `rush_hour/sample02` name a
    shipped instance, and `blocks-1` a shipped PDDL problem. Raises `InputError` for all others.
    """
    if name in ("", STDIN) or exists(name):
        return name  # an empty name is refused where it is read
    known = [*instances(), *rungs()]
    for entry in known:
        if entry.is_called(name):
            return str(entry.path)
    names = [entry.name for entry in known]
    hint = _unknown(name, names, "instances")
    raise InputError(f"no such file: {name}", hint=hint)


def find_suite(name: str) -> str:
    """The file that a word means: a path that exists, or the name of a suite that ships."""
    if name in ("", STDIN) or exists(name):
        return name
    known = {path.stem: path for path in _listed(_root("suites"))}
    if path := known.get(name.removesuffix(".toml")):
        return str(path)
    hint = nearest(name, known, noun="suites", first=nearest_files(name))
    raise InputError(f"no such file: {name}", hint=hint)


def find_encoding(name: str, domain: str | None) -> Entry:
    """The encoding at a path, or with a name: `hanoi`, `hanoi.lp` and `hanoi/hanoi` are one."""
    if is_there(name):
        real = Path(real_path(name))
        alike = (entry for entry in encodings() if entry.path.name == real.name)
        shipped = [entry for entry in alike if entry.path.samefile(real)]
        return shipped[0] if shipped else Entry("", name, Path(name))
    known = [entry for entry in encodings() if domain in (None, entry.domain)]
    found = [entry for entry in known if entry.is_called(name)]
    if len(found) > 1:
        full = [f"{entry.domain}/{entry.name}" for entry in found]
        raise UsageError(f"several encodings are named {name}", hint=f"say {' or '.join(full)}")
    if found:
        return found[0]
    names = [entry.name for entry in known]
    hint = suggest(nearest_files(name)) or "give a path to an .lp file"
    if names:
        hint = _unknown(name, names, "encodings")
    raise UsageError(f"unknown encoding {name!r}", hint=hint)


def find_part(name: str, domain: str) -> Path:
    """A shipped file that goes with several encodings of a domain."""
    return _root("encodings") / domain / "parts" / f"{name}.lp"


def preferred(names: Iterable[str], domain: str) -> str | None:
    """The first of some names that a shipped encoding of a domain has; None if none has one."""
    known = {entry.name for entry in encodings() if entry.domain == domain}
    return next((name for name in names if name in known), None)


def find_drawing(domain: str) -> Path | None:
    """The drawing rules that ship with a domain, or with the package that brings it."""
    brought = [folder / "encodings" for name, folder in _brought() if name == domain]
    files = (folder / "draw.lp" for folder in (_root("encodings") / domain, *brought))
    return next(filter(Path.is_file, files), None)


def only_encoding(domain: str) -> Entry:
    """The encoding of a domain that has just one; raises `UsageError` for another number."""
    found = [entry for entry in encodings() if entry.domain == domain]
    if len(found) != 1:
        names = ", ".join(entry.name for entry in found) or "none"
        hint = "add -e NAME" if found else "add -e FILE.lp, or take --engine bfs, which needs none"
        raise UsageError(f"which encoding of {domain}? There are: {names}", hint=hint)
    return found[0]


def domain_of(files: Iterable[str], encoding: str | None) -> str | None:
    """The domain that shipped files are of, or else the only one with an encoding of that name."""
    root = _root("instances").resolve()
    parents = {Path(real_path(file)).parent for file in files}
    homes = {p.relative_to(root).parts[0] for p in parents if p != root and p.is_relative_to(root)}
    homes |= {name for name, f in _brought() if (f / "instances").resolve() in parents}
    if not homes and encoding is not None and not is_there(encoding):
        homes = {entry.domain for entry in encodings() if entry.is_called(encoding)}
    return homes.pop() if len(homes) == 1 else None


def _unknown(name: str, names: list[str], noun: str) -> str:
    bare = name.removesuffix(".lp").removesuffix(".pddl")
    beside = nearest_files(name)
    return nearest(bare, names, noun=noun, first=beside) + ("" if beside else "; see asplan list")


def _entries(kind: str, below: str = "") -> list[Entry]:
    """The files in the folders of the domains, or in those of one name below these."""
    own = [(folder.name, folder) for folder in _listed(_root(kind))]
    homes = [*own, *((name, folder / kind) for name, folder in _brought())]
    files = ((name, file) for name, folder in homes for file in _listed(folder / below))
    return [Entry(name, file.stem, file) for name, file in files if file.suffix == ".lp"]


def _listed(folder: Path) -> tuple[Path, ...]:
    """What is in a folder, by name; nothing if it is none."""
    try:
        return _unchanged(folder, folder.stat().st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return ()


@lru_cache(maxsize=256)
def _unchanged(folder: Path, changed: int) -> tuple[Path, ...]:
    return tuple(sorted(folder.iterdir(), key=str))


def _brought() -> list[tuple[str, Path]]:
    """The domains that other packages bring, each with the folder of its files."""
    if all(entry.is_own for entry in entries("asplan.domains").values()):
        return []
    return [(d.name, d.folder) for d in domains().values() if d.folder is not None]


@cache
def _root(kind: str) -> Path:
    package = Path(__file__).parents[1]
    installed = package / kind
    return installed if installed.is_dir() else package.parents[1] / kind
