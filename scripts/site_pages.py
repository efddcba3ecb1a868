"""The pages of the site that docs/ does not hold, made while mkdocs builds it.

The guides are read in the repository as well, so their links lead to files there: a link to a
source becomes one to a page that shows it. The start page is the README, the notebook becomes a
page, the encodings get a page each, the public names a reference, and the gallery its animations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import EnumType
from itertools import chain
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import asplan
from asplan.cli.commands import cli
from asplan.cli.options import ALL
from gallery import EXHIBITS, MAPS, ROOT, Exhibit, StateMap, make

ANIMATIONS = ROOT / "build" / "gallery"
LANGUAGES = {".lp": "prolog", ".py": "python", ".toml": "toml", ".md": "markdown"}
FOLDERS = ("tests/plugins/lights_out",)
"""Folders of sources that the guides speak of."""

GRID = '<div class="grid" markdown>\n\n{}\n\n</div>\n'
GRID_CELL = "<div markdown>\n\n{}\n\n</div>"
"""What stands side by side where there is room, as the theme has it."""

NAMES = {
    "Plan and check": (
        *("solve", "plans", "diverse_plans", "validate", "find_warnings", "render"),
        *("to_json", "from_json"),
    ),
    "Options": ("Inputs", "Limits", "AspOptions", "SatOptions", "AutoOptions"),
    "Measure and explore": (
        "compare",
        "compare_rules",
        "profile",
        "analyse",
        "analyse_plans",
        "convert",
    ),
    "Results": (
        *("Result", "Outcome", "Stop", "Plan", "Action", "Trajectory", "InputWarning"),
        *("Proof", "Plans", "Listing", "Diversity", "Seconds", "Statistics", "StepStatistics"),
    ),
    "Measurements": (
        *("PlanSummary", "Braid", "Strand", "RuleComparisons"),
        *("Rows", "Row", "RuleComparison", "Profile", "RuleCost", "PredicateCost", "Analysis"),
    ),
    "Explanations": ("explain", "Explanation"),
    "Puzzles": ("generate", "Generated", "Made", "Puzzle"),
    "Errors": ("AsplanError", "UsageError", "InputError", "InvalidPlan", "MissingExtra"),
}
"""The public names, by their page of the reference."""

MODULES = (
    "asplan.domains",
    "asplan.domains.base",
    "asplan.domains.model",
    "asplan.domains.reading",
)
"""What a package that brings a domain may import besides."""


def on_config(config: MkDocsConfig) -> None:
    """Put the pages that are made into the navigation."""
    for section in config.nav:
        for name in section.keys() & {"Encodings", "Reference"}:
            start = section[name]
            made = [uri for uri in pages() if uri.startswith(f"{name.lower()}/") and uri != start]
            section[name] = [start, *_tree(made)]


def _tree(uris: list[str]) -> list[Any]:
    """Pages as the navigation has them: those of a folder together, under its name."""
    folders: dict[str, list[str]] = {}
    for uri in uris:
        folders.setdefault(Path(uri).parts[1] if uri.count("/") > 1 else "", []).append(uri)
    nested = [{title(folder): found} for folder, found in folders.items() if folder]
    return [*folders.get("", []), *nested]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages and the animations."""
    for uri, text in pages().items():
        files.append(File.generated(config, uri, content=text))
    make(ANIMATIONS)
    maps = (file for one in MAPS for file in one.files)
    for name in (*(exhibit.file for exhibit in EXHIBITS), *maps):
        path = str(ANIMATIONS / name)
        files.append(File.generated(config, f"gallery/{name}", abs_src_path=path))


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let links of a guide to sources lead to the pages that show them."""
    if page.file.generated_by:
        return markdown
    return re.sub(r"\]\(\.\./([^)#]+)\)", lambda link: f"]({shown_at(link[1])})", markdown)


def pages() -> dict[str, str]:
    """All pages that are made, by their place in the site."""
    return {
        "index.md": from_root("README.md"),
        "changes.md": from_root("CHANGES.md"),
        "CONTRIBUTING.md": from_root("CONTRIBUTING.md"),
        **{name: from_root(name) for name in ("LICENSE", "CITATION.cff")},
        "notebook.md": notebook(ROOT / "docs" / "tutorial.ipynb"),
        "up_notebook.md": notebook(ROOT / "docs" / "unified_planning.ipynb"),
        "gallery.md": gallery(),
        **{shown_at(path): source(ROOT / path) for path in (*FOLDERS, *encodings())},
        "encodings/index.md": list_of_encodings(),
        **dict(reference()),
    }


def shown_at(path: str) -> str:
    """The page that shows a source, by its path from the root of the project."""
    return Path(path).with_suffix(".md").as_posix()


def title(name: str) -> str:
    """The name of a folder or file as a heading."""
    return "PDDL" if name == "pddl" else name.replace("_", " ").title()


def from_root(name: str) -> str:
    """A file whose links begin at the root of the project."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")


def notebook(path: Path) -> str:
    """The cells of a notebook one below the other; it holds no outputs."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    download = f'<a href="{path.name}" download>Download the notebook</a> to run it.'
    return "\n\n".join([*map(_cell, cells), download])


def _cell(cell: dict[str, Any]) -> str:
    text = "".join(cell["source"])
    return text if cell["cell_type"] == "markdown" else fenced(text, "python")


def fenced(text: str, language: str) -> str:
    """A source in a fence that no source here has."""
    return f"~~~~ {language}\n{text.rstrip()}\n~~~~"


def source(path: Path) -> str:
    """A page that shows a file, or all files of a folder."""
    if path.is_file():
        return f"# {path.stem}\n\n{_shown(path)}"
    files = [file for file in sorted(path.rglob("*")) if file.suffix in LANGUAGES]
    shown = [f"## `{file.relative_to(path)}`\n\n{_shown(file)}" for file in files]
    return "\n\n".join([f"# {title(path.name)}", *shown])


def _shown(file: Path) -> str:
    return fenced(file.read_text(encoding="utf-8"), LANGUAGES[file.suffix])


def encodings() -> list[str]:
    """The encodings that ship, with the parts of them and the drawing rules."""
    files = sorted((ROOT / "encodings").rglob("*.lp"))
    return [file.relative_to(ROOT).as_posix() for file in files]


def list_of_encodings() -> str:
    """The encodings with the first line of each."""
    text = (
        "# Encodings\n\nAll that ship; `-e` takes them by name. "
        "[Example programs](../examples.md) says of some what they are worth a look for.\n"
    )
    folder = ""
    for path in encodings():
        if folder != (folder := Path(path).parts[1]):
            text += f"\n## {title(folder)}\n\n"
        first = (ROOT / path).read_text(encoding="utf-8").partition("\n")[0]
        place = Path(path).relative_to("encodings")
        text += f"- [`{place.name}`]({shown_at(place.as_posix())}): {first.lstrip('% ')}\n"
    return text


def gallery() -> str:
    """The animations, each with the command that makes it."""
    head = "# Gallery\n\nShortest plans, each drawn by a `draw.lp`: [rules in ASP](drawing.md)."
    maps = (
        "## State spaces\n\nEach dot is a state, each line a move; colours say how far a goal is. "
        "A picture leads to its page, in which the [states](search.md#the-whole-state-space) show "
        "themselves."
    )
    plans = GRID.format("\n\n".join(map(_exhibited, EXHIBITS)))
    return f"{head}\n\n{plans}\n\n{maps}\n\n" + GRID.format("\n\n".join(map(_mapped, MAPS)))


def _mapped(one: StateMap) -> str:
    page, picture = (f"gallery/{file}" for file in one.files)
    link = f"[![the states of {one.instance}]({picture}){{ loading=lazy }}]({page})"
    heading = f"### {one.instance}"
    return GRID_CELL.format("\n\n".join([heading, link, one.about, fenced(one.command, "sh")]))


def _exhibited(exhibit: Exhibit) -> str:
    picture = f"![{exhibit.instance}, solved](gallery/{exhibit.file}){{ loading=lazy }}"
    heading = f"## [{exhibit.title}]({exhibit.guide})"
    return GRID_CELL.format("\n\n".join([heading, picture, fenced(exhibit.command, "sh")]))


def reference() -> Iterator[tuple[str, str]]:
    """The pages that say what the docstrings say, and what the commands say of themselves."""
    tables = {title: [f"asplan.{name}" for name in names] for title, names in NAMES.items()}
    tables["Domains"] = list(MODULES)
    tables["unified-planning"] = ["asplan.up.Engine", "asplan.up.write"]
    if untold := set(asplan.__all__) - {"__version__", *chain(*NAMES.values())}:
        raise PluginError(f"no page of the reference has {', '.join(sorted(untold))}")
    listed = ["# Reference", "", "The public names; all other modules may change.", ""]
    for heading, names in tables.items():
        uri = f"{heading.lower().replace(' ', '_')}.md"
        yield f"reference/{uri}", "\n\n".join([f"# {heading}", *map(_told, names)])
        links = ", ".join(f"[`{name.removeprefix('asplan.')}`][{name}]" for name in names)
        listed.append(f"- [{heading}]({uri}): {links}")
    listed.append("- [Commands](commands.md): what `--help-all` says of each.")
    yield "reference/index.md", "\n".join(listed)
    yield "reference/commands.md", "\n\n".join(["# Commands", *_helps(cli, "asplan")])


def _told(name: str) -> str:
    """Return the options for a name's docstring; members of enumerations need none."""
    is_enum = isinstance(getattr(asplan, name.removeprefix("asplan."), None), EnumType)
    return f"::: {name}" + "\n    options: {show_if_no_docstring: true}" * is_enum


def _helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """Yield the help of a command, and then that of its subcommands."""
    context = click.Context(command, parent, name, **command.context_settings)
    context.meta[ALL] = True
    yield f"## `{context.command_path}`\n\n{fenced(command.get_help(context), 'text')}"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found:
                yield from _helps(found, below, context)
