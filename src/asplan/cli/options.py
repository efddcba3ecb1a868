"""Commands and their options: what `--help` shows, and the options that several commands share.

Options are in sections, those that people need first; `--help-all` shows all. An option names its
section, if it is not in that of the command's own, and whether it is for experts. A command with
few options shows them in one list, as click does.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial, wraps
from inspect import cleandoc
from itertools import pairwise
from typing import Any

import click
from click.shell_completion import CompletionItem

from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.domains import domains
from asplan.engines import engines, find_engine, option_forms, spelling
from asplan.engines.run import Form
from asplan.problem import catalog, constants_of
from asplan.problem.inputs import STEPS

# Sections of several commands; what is a command's own stands after the input.
INPUT, LIMITS, OUTPUT, ENGINES, EXPERT = "Input", "Limits", "Output", "Engines", "Expert"
ALL = f"{__name__}.all"  # under this key a context knows that every option is to be shown
_ENGINE_NAMED = f"{__name__}.engine"
"""Under this key a context knows the engine whose options its words are read with, and that no word
is short for a constant; without it all options are known."""
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
        form: dict[str, Any] = {"is_flag": True, "expose_value": False, "hidden": True}
        self.params.append(Option(["--help-all"], is_eager=True, callback=_show_all, **form))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that would silently replace the one before it."""
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            _refuse_repeated(order, ctx.command_path.partition(" ")[2])
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, behind that for constants the short forms of the domains."""
        params = super().get_params(ctx)
        if ctx.meta.get(_ENGINE_NAMED) is None:
            at = [number for number, param in enumerate(params, 1) if param.name == "constants"]
            return params[: at[0]] + _short_forms() + params[at[0] :] if at else params
        return params

    def _has_sections(self, ctx: click.Context) -> bool:
        params = self.get_params(ctx)
        return sum(isinstance(p, Option) and not p.hidden for p in params) > _FEW

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self._has_sections(ctx):
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
        if self._has_sections(ctx) and not _shows_all(ctx):
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} --help-all lists every option.")


def _refuse_repeated(order: Iterable[click.Parameter], command: str) -> None:
    """Raise `UsageError` for an option that has one value and is given more than once."""
    times = Counter(p for p in order if isinstance(p, click.Option) and not p.multiple)
    for option, count in times.items():
        if count > 1 and not option.is_flag and not option.count:
            name = " or ".join(option.opts)
            hint = _COMPARES if option.name == "encoding" else "give it once"
            raise UsageError(f"{command} takes one {name}, and there are {count}", hint=hint)


_COMPARES = "asplan compare takes several encodings"

_SHORT = "short_form_"  # begins the names of parameters that are short for a constant


@cache
def _short_forms() -> list[click.Parameter]:
    """The options of the domains that are short for one of their constants."""
    known, found = domains().values(), list[click.Parameter]()
    for name, text in {n: text for d in known for n, text in d.short_forms.items()}.items():
        values = [v for d in known if name in d.short_forms for v in d.variants[name]]
        form: dict[str, Any] = {"metavar": "|".join(dict.fromkeys(values)), "help": text}
        found.append(Option([f"--{name}", _SHORT + name], section=INPUT, expert=True, **form))
    return found[::-1]


def _shows_all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(ALL))


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


class Names(click.ParamType[str]):
    """A word for which completion offers names that ship with asplan, and files."""

    def __init__(self, name: str, known: Callable[[], list[str]]) -> None:
        self.name, self.known = name, known

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names that begin with what was typed, then files."""
        names = [CompletionItem(n) for n in self.known() if n.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


class Output(click.Path):
    """The name of a file or folder to write."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name; an empty one would stand for the folder that one is in."""
        if value == "":
            self.fail("the name is empty.", param, ctx)
        return super().convert(value, param, ctx)


INSTANCE = Names("file", lambda: [e.name for e in [*catalog.instances(), *catalog.rungs()]])
ENCODING = Names("encoding", lambda: [entry.name for entry in catalog.encodings()])
ENGINE = Names("engine", lambda: list(engines()))


def _constants(function: Function) -> Function:
    """`-c`, and the short forms of the domains; the constants arrive as `constants`."""

    @wraps(function)
    def with_constants(*args: Any, constants: tuple[str, ...], **given: Any) -> Any:
        short = [name for name in given if name.startswith(_SHORT)]
        values = {name.removeprefix(_SHORT): given.pop(name) for name in short}
        return function(*args, constants=constants_of(constants, values), **given)

    form: dict[str, Any] = {"metavar": "NAME=VALUE", "help": "Set a constant of the program."}
    return input_option("-c", "--const", "constants", multiple=True, **form)(with_constants)


def _engine_option(name: str, form: Form) -> Option:
    kind: click.ParamType[Any] | type = form.kind
    if form.choices:
        kind = click.Choice(form.choices)
    elif form.kind is int:
        kind = click.IntRange(form.least, form.most)
    asks: dict[str, Any] = {"type": kind, "metavar": form.metavar}
    if form.kind is bool:
        asks = {"is_flag": True, "default": None}
    shows = {n: getattr(form, n) for n in ("help", "section", "expert", "hidden")}
    return Option([spelling(name), name], **shows, **asks)


def _limits(function: Function) -> Function:
    """`--time-limit` and `--memory-limit`; they arrive as `limits`."""

    @wraps(function)
    def with_limits(
        *args: Any, time_limit: float | None, memory_limit: int | None, **given: Any
    ) -> Any:
        return function(*args, limits=Limits(time_limit, memory_limit), **given)

    return _SHARED["time limit"](_SHARED["memory limit"](with_limits))


seconds_option = partial(limit_option, "--time-limit", type=click.FloatRange(0), metavar="S")
megabytes_option = partial(limit_option, "--memory-limit", type=click.IntRange(1), metavar="MB")
_expert_flag = partial(option, is_flag=True, section=EXPERT, expert=True)

_ACTIONS = "Make plans of this predicate's atoms; may be given several times."
_HORIZON_CONSTANT = (
    "Take this constant for the one that bounds the time, without parts step, check."
)
_FRESH = "Ground a program without such parts anew for each horizon."
_ENCODING = "Use this encoding, a name or a path; NAME:CONST=VALUE is a variant."
_DRAW = "Draw by these rules in ASP; docs/drawing.md explains them."
_ENGINE = "Use this engine; asplan list engines tells about each."
_STEPS = "Let a step of PDDL hold what the encoding of this name allows."
_EXPLAIN = "Let a page say of each atom why it holds: click on one."
_PORT = "Use this port, from 1024 on; else a free one."
_SWITCHES = "Switch the warnings of this code off; docs/warnings.md lists the codes."
_INCLUDES = "Let files include others that are not below their folder."

_SHARED: dict[str, Decorator] = {
    "encoding": input_option("-e", "--encoding", type=ENCODING, help=_ENCODING),
    "steps": input_option("--steps", type=click.Choice(STEPS), help=_STEPS),
    "engine": option("--engine", type=ENGINE, default="asp", section=ENGINES, help=_ENGINE),
    "constants": _constants,
    "actions": input_option(
        "--action", "actions", metavar="NAME/ARITY", multiple=True, expert=True, help=_ACTIONS
    ),
    "horizon constant": input_option(
        "--horizon-constant", metavar="NAME", expert=True, help=_HORIZON_CONSTANT
    ),
    "fresh": input_option("--fresh", is_flag=True, expert=True, help=_FRESH),
    "max horizon": limit_option(
        "--max-horizon", type=click.IntRange(0), help="Look for plans of at most this many steps."
    ),
    "scripts": _expert_flag("--allow-scripts", help="Run Python code in the program."),
    "includes": _expert_flag("--allow-includes", help=_INCLUDES),
    "limits": _limits,
    "time limit": seconds_option(help="Stop after this many seconds."),
    "memory limit": megabytes_option(help="Stop when this many megabytes are in use."),
    "switches": input_option(
        *("-W", "--warn", "switches"), metavar="no-CODE", multiple=True, expert=True, help=_SWITCHES
    ),
    "draw": output_option("--draw", type=click.Path(), metavar="F.lp", expert=True, help=_DRAW),
    "explain": output_option("--explain", is_flag=True, expert=True, help=_EXPLAIN),
    "json": output_option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    "port": option("--port", type=click.IntRange(1024, 65535), help=_PORT),
    # It is read where errors are caught.
    "debug": _expert_flag("--debug", help="Show the traceback of an error.", expose_value=False),
}


def shared_options(*names: str) -> Decorator:
    """Some of the options that several commands have, in this order."""

    def decorate(function: Function) -> Function:
        for name in reversed(names):
            function = _SHARED[name](function)
        return function

    return decorate


class WithEngineOptions(Command):
    """A command with the options of the engine that is named; words after `--` are for clingo."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        named = ctx.meta.get(_ENGINE_NAMED)
        forms = option_forms() if named is None else find_engine(named).options.forms()
        own = (_engine_option(name, form) for name, form in forms.items() if not form.words)
        return [*super().get_params(ctx), *own]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split the words at the first `--`."""
        own, clingo = args, []
        if "--" in args:
            cut = args.index("--")
            own, clingo = args[:cut], args[cut + 1 :]
        if not ctx.resilient_parsing:
            ctx.meta[_ENGINE_NAMED] = self._engine_that_does(own)
        rest = super().parse_args(ctx, own)
        ctx.params["clingo"] = tuple(clingo)
        return rest

    def _engine_that_does(self, words: list[str]) -> str | None:
        """The engine that words name, if they have no more options than it and the command."""
        named = "asp"
        for word, after in pairwise([*words, ""]):
            name, equals, value = word.partition("=")
            named = (value if equals else after) if name == "--engine" else named
        known = {name for param in self.params for name in param.opts} - {"--help-all"}
        try:
            known |= set(map(spelling, find_engine(named).options.forms()))
        except UsageError:
            return None
        names = [word.partition("=")[0] for word in words if word[:1] == "-"]
        return named if all(n in known or n[:2] in known for n in names) else None

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Name the words for clingo in the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- CLINGO OPTIONS]"]
