"""The catalog of encodings and instances that ship with asplan or with the domain of a plug-in."""

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from asplan.core.dataclass import dataclass
from asplan.core.errors import (
    InputError,
    UsageError,
    nearest,
    suggest,
)
from asplan.core.files import (
    STDIN,
    exists,
    is_linked_out,
    is_there,
    nearest_files,
    real_path,
)
from asplan.core.registry import has_plugins
from asplan.domains import domains

LADDER = "ladder"  # the folder with a domain's series of similar instances of growing difficulty


@dataclass(frozen=True)
class ShippedFile:
    """A shipped file of a domain."""

    domain: str
    name: str
    path: Path

    @property
    def title(self) -> str:
        """The first line of the file's header comment."""
        with self.path.open(encoding="utf-8") as file:
            return file.readline().lstrip("%;").strip()

    def is_called(self, word: str) -> bool:
        """Return whether a word names the file: `hanoi`, `hanoi.lp` or `hanoi/hanoi`."""
        folders = ("", f"{self.domain}/", f"{self.domain}/{LADDER}/")
        return word.removesuffix(self.path.suffix) in [folder + self.name for folder in folders]


def encodings() -> list[ShippedFile]:
    """Return all shipped encodings, sorted by domain and name."""
    return [entry for entry in _entries("encodings") if entry.name != "draw"]


def instances() -> list[ShippedFile]:
    """Return all shipped instances, sorted by domain and name, and the problems in PDDL."""
    problems: list[ShippedFile] = []
    for folder in _listed(_root("instances") / "pddl"):
        for path in _listed(folder):
            if path.suffix == ".pddl" and path.stem != "domain":
                problems.append(ShippedFile("pddl", path.stem, path))
    return [*_entries("instances"), *problems]


def rungs() -> list[ShippedFile]:
    """Return the instances of all ladders, sorted by domain and name."""
    return _entries("instances", LADDER)


def templates() -> Path:
    """Return the folder of the templates for new domains."""
    return _root("templates")


def find_page(name: str) -> Path:
    """Return a page of the documentation that ships with asplan."""
    return _root("docs") / name


def shipped_as(path: str) -> str | None:
    """Return the name of a shipped file, equal on every machine; None for other files."""
    resolved = Path(path).resolve()
    for kind in ("encodings", "instances"):
        root = _root(kind).resolve()
        if resolved.is_relative_to(root):
            return f"asplan:{kind}/{resolved.relative_to(root).as_posix()}"
    return None


def shipped_path(name: str) -> Path:
    """Return the path of a file by its name from `shipped_as`."""
    kind, _, rest = name.removeprefix("asplan:").partition("/")
    return _root(kind) / rest


def refuse_linked_out(
    path: str,
    hint: str,
) -> None:
    """Raise `InputError` if a file is a link out of its folder.

    It is for files that the user has not named, but that asplan found in the folder of another
    file. Shipped files are exempt, since they may be installed as links.
    """
    is_shipped = any(Path(path).is_relative_to(_root(kind)) for kind in ("encodings", "instances"))
    if not is_shipped and is_linked_out(path):
        raise InputError(f"{path} is a link to a file outside of its folder", hint=hint)


def find_instance(name: str) -> str:
    """Return the path of an instance by a word of the command line.

    An existing path stands for itself. Otherwise `sample02`, `sample02.lp` and
    `rush_hour/sample02` name a shipped instance, and `blocks-1` a shipped PDDL problem. Raises
    `InputError` for other words.
    """
    if name in ("", STDIN) or exists(name):
        return name  # an empty name is refused when it is read
    shipped = [*instances(), *rungs()]
    for entry in shipped:
        if entry.is_called(name):
            return str(entry.path)
    names = [entry.name for entry in shipped]
    raise InputError(f"no such file: {name}", hint=_hint(name, names, "instances"))


def find_suite(name: str) -> str:
    """Return the path of a suite: an existing path, or a shipped suite by its name."""
    if name in ("", STDIN) or exists(name):
        return name
    shipped = {path.stem: path for path in _listed(_root("suites"))}
    path = shipped.get(name.removesuffix(".toml"))
    if path is not None:
        return str(path)
    hint = nearest(name, shipped, noun="suites", first=nearest_files(name))
    raise InputError(f"no such file: {name}", hint=hint)


def find_encoding(
    name: str,
    domain: str | None,
) -> ShippedFile:
    """Return the encoding at a path, or a shipped one by name: `hanoi` or `hanoi/hanoi`.

    Raises `UsageError` if no encoding of the domain (None: of any domain) has the name, or several.
    """
    if is_there(name):
        return _encoding_at(name)
    candidates = [entry for entry in encodings() if domain in (None, entry.domain)]
    matches = [entry for entry in candidates if entry.is_called(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        full_names = " or ".join(f"{entry.domain}/{entry.name}" for entry in matches)
        raise UsageError(f"several encodings are named {name}", hint=f"use {full_names}")
    if candidates:
        hint = _hint(name, [entry.name for entry in candidates], "encodings")
    else:
        hint = suggest(nearest_files(name)) or "give a path to an .lp file"
    raise UsageError(f"unknown encoding {name!r}", hint=hint)


def _encoding_at(path: str) -> ShippedFile:
    """Return the shipped encoding at a path; for any other file, an entry without a domain."""
    real = Path(real_path(path))
    for entry in encodings():
        if entry.path.name == real.name and entry.path.samefile(real):
            return entry
    return ShippedFile("", path, Path(path))


def find_part(
    name: str,
    domain: str,
) -> Path:
    """Return the path of a shipped file that complements several encodings of a domain."""
    return _root("encodings") / domain / "parts" / f"{name}.lp"


def preferred(
    names: Iterable[str],
    domain: str,
) -> str | None:
    """Return the first of the names that belongs to a shipped encoding of a domain, or None."""
    shipped = {entry.name for entry in encodings() if entry.domain == domain}
    return next((name for name in names if name in shipped), None)


def find_drawing(domain: str) -> Path | None:
    """Return the drawing rules that ship with a domain, or with the package that registers it."""
    folders = [_root("encodings") / domain]
    folders += [folder / "encodings" for name, folder in _plugin_folders() if name == domain]
    files = (folder / "draw.lp" for folder in folders)
    return next(filter(Path.is_file, files), None)


def only_encoding(domain: str) -> ShippedFile:
    """Return the encoding of a domain that has just one; raise `UsageError` otherwise."""
    shipped = [entry for entry in encodings() if entry.domain == domain]
    if len(shipped) == 1:
        return shipped[0]
    names = ", ".join(entry.name for entry in shipped) or "none"
    hint = "add -e NAME" if shipped else "add -e FILE.lp, or take --engine bfs, which needs none"
    raise UsageError(f"{domain} needs an encoding; there are: {names}", hint=hint)


def domain_of(
    files: Iterable[str],
    encoding: str | None,
) -> str | None:
    """Return the domain of shipped files; None if it is not unique.

    For other files, return the only domain with a shipped encoding called `encoding`.
    """
    folders = {Path(real_path(file)).parent for file in files}
    names = _domains_of_folders(folders)
    if not names and encoding is not None and not is_there(encoding):
        names = {entry.domain for entry in encodings() if entry.is_called(encoding)}
    return names.pop() if len(names) == 1 else None


def _domains_of_folders(folders: set[Path]) -> set[str]:
    """Return the domains that have shipped instances in one of the folders."""
    root = _root("instances").resolve()
    below = [folder.relative_to(root) for folder in folders if folder.is_relative_to(root)]
    names = {folder.parts[0] for folder in below if folder.parts}
    for name, folder in _plugin_folders():
        if (folder / "instances").resolve() in folders:
            names.add(name)
    return names


def _hint(
    name: str,
    names: list[str],
    noun: str,
) -> str:
    """Return a hint with the files and the `names` that resemble an unknown name."""
    bare = name.removesuffix(".lp").removesuffix(".pddl")
    files = nearest_files(name)
    hint = nearest(bare, names, noun=noun, first=files)
    return hint if files else f"{hint}; see asplan list"


def _entries(
    kind: str,
    below: str = "",
) -> list[ShippedFile]:
    """Return the .lp files in the folders of all domains, or in their subfolders `below`."""
    folders = [(folder.name, folder) for folder in _listed(_root(kind))]
    folders += [(name, folder / kind) for name, folder in _plugin_folders()]
    shipped: list[ShippedFile] = []
    for name, folder in folders:
        for file in _listed(folder / below):
            if file.suffix == ".lp":
                shipped.append(ShippedFile(name, file.stem, file))
    return shipped


def _listed(folder: Path) -> tuple[Path, ...]:
    """Return the paths in a folder, sorted; nothing if there is no such folder."""
    try:
        return _listed_since(folder, folder.stat().st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return ()


@lru_cache(maxsize=256)
def _listed_since(
    folder: Path,
    changed: int,
) -> tuple[Path, ...]:
    """Return the sorted paths in a folder; `changed`, its time of change, is for the cache only."""
    return tuple(sorted(folder.iterdir(), key=str))


def _plugin_folders() -> list[tuple[str, Path]]:
    """Return the domains of plug-ins by name, each with the folder of its files."""
    if not has_plugins("asplan.domains"):
        return []
    return [(d.name, d.folder) for d in domains().values() if d.folder is not None]


@cache
def _root(kind: str) -> Path:
    """Return the folder of shipped files of a kind, in the package or in a source checkout."""
    package = Path(__file__).parent
    installed = package / kind
    return installed if installed.is_dir() else package.parents[1] / kind
