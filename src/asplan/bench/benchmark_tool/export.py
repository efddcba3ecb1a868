"""The folder for benchmark-tool: a runscript, the files that it names, and copies of all inputs."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree as xml

from asplan.bench.instances import SuiteInstance, instances_of
from asplan.bench.suite import BenchMethod, Suite, Trust, read_suite
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, system_error
from asplan.engines import spelling
from asplan.version import __version__

_MEGABYTES = 20_000
"""The memory limit of benchmark-tool, if a suite has none."""

_SECONDS = 900
"""The time limit of the runscript, if a suite has none."""


@dataclass(frozen=True)
class Export:
    """The runscript of an exported suite, and notes on settings that it cannot express."""

    runscript: Path
    notes: tuple[str, ...]


def export_suite(path: str, folder: str | os.PathLike[str], trust: Trust) -> Export:
    """Write a folder in which `btool gen runscript.xml` makes the scripts of all trials.

    Raises
    ------
    InputError
        The suite is wrong, or a file cannot be read.
    UsageError
        The folder is not empty, or cannot be written.
    """
    suite = read_suite(path, trust)
    instances = instances_of(suite)
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
        if any(home.iterdir()):
            hint = "name an empty folder with -o"
            raise UsageError(f"{folder} is not empty", hint=hint)
        _write_programs(home)
        _Runscript(suite, instances, home).write()
    except OSError as error:
        raise system_error(error) from None
    return Export(home / "runscript.xml", tuple(_notes(suite)))


def _notes(suite: Suite) -> Iterator[str]:
    """Yield notes on settings of the suite that benchmark-tool cannot reproduce."""
    entries = suite.entries
    if entries.seed is not None and entries.repetitions > 1:
        yield "benchmark-tool repeats each run with the same order of facts; `seed` is left out"
    if entries.limits.seconds is None:
        yield f"the suite has no time limit; the runscript has {_SECONDS} s"


def _version() -> str:
    """Return asplan's version in the characters that benchmark-tool allows."""
    return re.sub(r"[^0-9a-zA-Z._-]+", "-", __version__)


def _write_programs(home: Path) -> None:
    """Write the program that starts asplan, the template of a run, and the result parser."""
    own = files("asplan.bench.benchmark_tool")
    program = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m asplan "$@"\n'
    texts = {
        f"programs/asplan-{_version()}": program,
        "templates/asplan.sh": own.joinpath("run.sh").read_text(encoding="utf-8"),
        "resultparsers/asplan.py": own.joinpath("parser.py").read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        file = home / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (home / f"programs/asplan-{_version()}").chmod(0o755)


class _Names:
    """Unique names for objects, with only the characters that benchmark-tool allows."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}

    def name_of(self, thing: object, wish: str) -> str:
        """Return the name of an object; a new name is as similar to `wish` as possible."""
        if thing not in self._names:
            plain = re.sub(r"[^A-Za-z0-9_-]+", "-", wish).strip("-") or "x"
            name = plain
            number = 2
            while name in self._names.values():
                name = f"{plain}-{number}"
                number += 1
            self._names[thing] = name
        return self._names[thing]


class _Runscript:
    """The runscript of a suite; the files of instances and encodings are copied for it."""

    def __init__(self, suite: Suite, instances: Iterable[SuiteInstance], home: Path) -> None:
        self._suite = suite
        self._instances = tuple(instances)
        self._home = home
        self._classes = _Names()
        self._encodings = _Names()
        names = _Names()
        self._settings = {m.name: names.name_of(m.name, m.name) for m in suite.methods}
        groups = dict.fromkeys(instance.group for instance in self._instances)
        names = _Names()
        self._groups = {group: names.name_of(group, group or "instances") for group in groups}

    def write(self) -> None:
        """Write the runscript, and copy the files that it names."""
        root = xml.Element("runscript", output="output")
        xml.SubElement(root, "machine", name="here", cpu="unknown", memory="unknown")
        xml.SubElement(root, "config", name="asplan", template="templates/asplan.sh")
        self._add_system(root)
        self._add_jobs(root)
        for group in self._groups:
            self._add_benchmark(root, group)
        project = xml.SubElement(root, "project", name=self._project(), job="sequential")
        for group, benchmark in self._groups.items():
            for method in self._suite.methods:
                if method.runs_on(group):
                    self._add_run(project, benchmark, method)
        xml.indent(root)
        xml.ElementTree(root).write(self._home / "runscript.xml", encoding="utf-8")

    def _project(self) -> str:
        return _Names().name_of("", self._suite.entries.name)

    def _add_system(self, root: xml.Element) -> None:
        system = xml.SubElement(
            root,
            "system",
            name="asplan",
            version=_version(),
            measures="asplan",
            config="asplan",
            cmdline="solve --json",
        )
        for method in self._suite.methods:
            attributes = {
                "name": self._settings[method.name],
                "cmdline": shlex.join(self._words_of(method)),
            }
            if method_words := _clingo_words(method):
                attributes["cmdline_post"] = shlex.join(["--", *method_words])
            setting = xml.SubElement(system, "setting", attributes)
            if _is_file(method):
                xml.SubElement(setting, "encoding", file=self._copy_encoding(method))

    def _words_of(self, method: BenchMethod) -> Iterator[str]:
        """Yield the words of the command line for a method, without the options of clingo."""
        yield from ("--engine", method.engine)
        if method.encoding and not _is_file(method):
            yield from ("-e", method.encoding)
        if method.steps:
            yield from ("--steps", method.steps)
        for constant in _constants_of(method):
            yield from ("-c", constant)
        yield from _option_words(method)
        limits = self._suite.entries.limits
        if limits.min_horizon:
            yield from ("--min-horizon", str(limits.min_horizon))
        if limits.max_horizon is not None:
            yield from ("--max-horizon", str(limits.max_horizon))
        if self._suite.trust.scripts:
            yield "--allow-scripts"
        if self._suite.trust.includes:
            yield "--allow-includes"

    def _copy_encoding(self, method: BenchMethod) -> str:
        source = Path(method.encoding_name)
        name = self._encodings.name_of(source.resolve(), source.stem)
        target = self._home / "encodings" / f"{name}{source.suffix}"
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
        return str(target.relative_to(self._home))

    def _add_jobs(self, root: xml.Element) -> None:
        """Add a job for this machine, and one for Slurm with the same limits."""
        limits = self._suite.entries.limits
        common = {
            "timeout": str(math.ceil(limits.seconds or _SECONDS)),
            "runs": str(self._suite.entries.repetitions),
            "memout": str(limits.megabytes or _MEGABYTES),
        }
        if limits.cpu_seconds is not None:
            common["template_options"] = f"--time-limit={limits.cpu_seconds}"
        xml.SubElement(root, "seqjob", {"name": "sequential", **common, "parallel": "1"})
        cluster = {"script_mode": "timeout", "walltime": "24h", "cpt": "1"}
        xml.SubElement(root, "distjob", {"name": "cluster", **common, **cluster})

    def _add_benchmark(self, root: xml.Element, group: str) -> None:
        """Add the instances of a group, and copy their files: a folder for each source."""
        benchmark = xml.SubElement(root, "benchmark", name=self._groups[group])
        folders: dict[str, xml.Element] = {}
        for instance in self._instances:
            if instance.group != group:
                continue
            folder = f"benchmarks/{self._class_of(instance)}"
            if folder not in folders:
                folders[folder] = xml.SubElement(benchmark, "files", path=folder)
            for name in self._copy_instance(instance, self._home / folder):
                add = xml.SubElement(folders[folder], "add", file=name)
                if len(instance.files) > 1:
                    add.set("group", Path(instance.files[-1]).stem)

    def _class_of(self, instance: SuiteInstance) -> str:
        """Return benchmark-tool's class for an instance, named like its folder or its database."""
        if instance.line is not None:
            return self._classes.name_of(instance.line.file, Path(instance.line.file).stem)
        folders = tuple(Path(file).resolve().parent for file in instance.files)
        return self._classes.name_of(folders, folders[-1].name)

    def _copy_instance(self, instance: SuiteInstance, folder: Path) -> list[str]:
        """Write the files of an instance into a folder, and return their names."""
        folder.mkdir(parents=True, exist_ok=True)
        if instance.line is not None:
            name = f"{Path(instance.line.file).stem}-{instance.name.rpartition(':')[2]}.lp"
            (folder / name).write_text(instance.line.facts(), encoding="utf-8")
            return [name]
        for file in instance.files:
            shutil.copyfile(file, folder / Path(file).name)
        return [Path(file).name for file in instance.files]

    def _add_run(self, project: xml.Element, benchmark: str, method: BenchMethod) -> None:
        xml.SubElement(
            project,
            "runspec",
            machine="here",
            benchmark=benchmark,
            system="asplan",
            version=_version(),
            setting=self._settings[method.name],
        )


def _is_file(method: BenchMethod) -> bool:
    """Return whether the encoding of a method is a file, and not the name of a shipped one."""
    return Path(method.encoding_name).is_file()


def _constants_of(method: BenchMethod) -> Iterator[str]:
    """Yield the constants of a method as `NAME=VALUE`.

    If its encoding is a file, also yield the constants after the colon in `FILE:NAME=VALUE`.
    """
    for name, value in method.constants.items():
        yield f"{name}={value}"
    if _is_file(method):
        _, _, written = (method.encoding or "").partition(":")
        yield from filter(None, written.split(","))


def _option_words(method: BenchMethod) -> Iterator[str]:
    """Yield the words of the command line for the options of the method's engine."""
    for name in method.options.forms():
        value = getattr(method.options, name)
        if name == "clingo" or value is None or value is False:
            continue
        yield spelling(name)
        if value is not True:
            yield str(value)


def _clingo_words(method: BenchMethod) -> tuple[str, ...]:
    return tuple(getattr(method.options, "clingo", ()))
