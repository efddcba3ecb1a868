"""What `--help` shows: options in sections, those that people need first; `--help-all` shows all.

An option names its section, if it is not in that of the command's own, and whether it is for
experts. A command with few options shows them in one list, as click does.
"""

import re
from functools import partial
from inspect import cleandoc
from typing import Any

import click

# Sections of several commands; what is a command's own stands after the input.
INPUT, LIMITS, OUTPUT, ENGINES, EXPERT = "Input", "Limits", "Output", "Engines", "Expert"
ALL = f"{__name__}.all"  # under this key a context knows that every option is to be shown
_RANKS = {INPUT: 0, LIMITS: 2, OUTPUT: 3, ENGINES: 4, EXPERT: 5}
_FEW = 8  # options that one list can hold
_WIDEST = 27  # characters for the name of an option on the line that tells about it


class Option(click.Option):
    """An option in a section of the help; `expert` ones are shown by `--help-all` alone."""

    def __init__(self, *given: Any, section: str = "", expert: bool = False, **named: Any) -> None:
        super().__init__(*given, **{"show_default": bool(named.get("default")), **named})
        self.section, self.expert = section, expert
        numbers = click.types.IntParamType | click.types.FloatParamType
        if self.metavar is None and isinstance(self.type, numbers):
            self.metavar = "N"

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The default; a range is said in words where it matters."""
        return {n: text for n, text in super().get_help_extra(ctx).items() if n != "range"}


option = partial(click.option, cls=Option)
input_option = partial(option, section=INPUT)
limit_option = partial(option, section=LIMITS)
output_option = partial(option, section=OUTPUT)


_KEPT = re.compile(r"^(?=\w+:\n  )", re.MULTILINE)  # begins a part that stays as it is


class Command(click.Command):
    """A command with sections of options, below which its docstring's indented lines are shown."""

    def __init__(self, *given: Any, section: str = "Options", help: str = "", **named: Any) -> None:
        text, mark, rest = _KEPT.sub("\b\n", cleandoc(help)).partition("\b\n")
        super().__init__(*given, **{"help": text, "epilog": mark + rest, **named})
        self.section = section
        shown = [p for p in self.params if isinstance(p, Option) and not p.hidden]
        self.has_sections = len(shown) > _FEW
        form: dict[str, Any] = {"is_flag": True, "expose_value": False, "hidden": True}
        self.params.append(Option(["--help-all"], is_eager=True, callback=_show_all, **form))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self.has_sections:
            super().format_options(ctx, formatter)
            return
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if not isinstance(param, Option) or (param.expert and not _shows_all(ctx)):
                continue
            if record := param.get_help_record(ctx):
                sections.setdefault(param.section or self.section, []).append(record)
        names = (len(name) for records in sections.values() for name, _ in records)
        width = max((length for length in names if length <= _WIDEST), default=_WIDEST)
        for title in sorted(sections, key=lambda title: _RANKS.get(title, 1)):
            with formatter.section(title):
                rows = [(name.ljust(width), text) for name, text in sections[title]]
                formatter.write_dl(rows, col_max=width)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End with how to see the rest."""
        super().format_epilog(ctx, formatter)
        if self.has_sections and not _shows_all(ctx):
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} --help-all lists every option.")


def _shows_all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(ALL))


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
