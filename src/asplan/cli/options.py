"""Commands whose help lists options in sections, and the options that several commands share.

An option has a section, by default the command's own. `expert` options appear only in `--help-all`.
A command with few options shows them in one list, as click does.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial, wraps
from inspect import cleandoc
from itertools import chain, pairwise
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from asplan.catalog import encodings, instances, rungs
from asplan.cli.parameters import Number, OneOf, WholeNumber
from asplan.core.choices import STEPS
from asplan.core.errors import UsageError
from asplan.core.files import is_there
from asplan.core.limits import Limits
from asplan.domains import domains
from asplan.engines import engines, find_engine, option_forms, spelling
from asplan.engines.options import Form

# Sections of several commands; a command's own section follows the input.
INPUT = "Input"
LIMITS = "Limits"
OUTPUT = "Output"
ENGINES = "Engines"
EXPERT = "Expert"
ALL = f"{__name__}.all"  # the key of a context that shows every option
_ENGINE_NAMED = f"{__name__}.engine"
"""The key of a click context for an engine, if the words use only options of it and the command
itself, and no short forms of constants. Without this key, the options of all engines are parsed."""
SETTINGS_FILES = ("asplan.toml", "pyproject.toml")
_RANKS = {INPUT: 0, LIMITS: 2, OUTPUT: 3, ENGINES: 4, EXPERT: 5}
_FEW = 8  # most options of one list
_WIDEST = 27  # most characters of an option beside its help; a longer one has its own line

ClickSetting: TypeAlias = Any  # click's parameters have settings of many types
Value: TypeAlias = Any  # each option has its own type


class HelpOption(click.Option):
    """An option in a section of the help; `expert` options appear only in `--help-all`."""

    def __init__(
        self,
        *given: ClickSetting,
        section: str = "",
        expert: bool = False,
        **named: ClickSetting,
    ) -> None:
        super().__init__(*given, **{"show_default": bool(named.get("default")), **named})
        self.section = section
        self.expert = expert
        numbers = click.types.IntParamType | click.types.FloatParamType
        if self.metavar is None and isinstance(self.type, numbers):
            self.metavar = "N"

    def get_help_extra(self, ctx: click.Context) -> ClickSetting:
        """Return click's additions to the help text, such as the default, without ranges."""
        extra = super().get_help_extra(ctx)
        return {name: text for name, text in extra.items() if name != "range"}


option = partial(click.option, cls=HelpOption)
input_option = partial(option, section=INPUT)
limit_option = partial(option, section=LIMITS)
output_option = partial(option, section=OUTPUT)


_KEPT = re.compile(r"^(?=\w+:\n  )", re.MULTILINE)  # the start of a part with its own layout


class Command(click.Command):
    """A command whose help has options in sections, then the indented parts of its docstring."""

    def __init__(
        self,
        *given: ClickSetting,
        section: str = "Options",
        help: str = "",
        **named: ClickSetting,
    ) -> None:
        text, mark, rest = _KEPT.sub("\b\n", cleandoc(help)).partition("\b\n")
        super().__init__(*given, **{"help": text, "epilog": mark + rest, **named})
        self.section = section
        help_all = HelpOption(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            hidden=True,
            callback=_show_all,
        )
        self.params.append(help_all)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: ClickSetting,
    ) -> click.Context:
        """Make click's context for the command, with defaults of options from the settings."""
        if not extra.get("resilient_parsing"):
            extra["default_map"] = _settings_of(str(self.name))
        return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; refuse superfluous words, and a repeated option that takes one value."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        _refuse_repeated(order, ctx.command_path.partition(" ")[2])
        ctx.allow_extra_args = True
        further = super().parse_args(ctx, args)
        if further:
            hint = f"{ctx.command_path} --help shows how to use it"
            raise UsageError(f"too many words: {' '.join(further)!r} is superfluous", hint=hint)
        return further

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters; short forms of domains' constants follow the option `-c`."""
        params = super().get_params(ctx)
        if ctx.meta.get(_ENGINE_NAMED) is not None:
            return params
        for index, param in enumerate(params, 1):
            if param.name == "constants":
                return [*params[:index], *_short_forms(), *params[index:]]
        return params

    def _has_sections(self, ctx: click.Context) -> bool:
        params = self.get_params(ctx)
        return sum(isinstance(p, HelpOption) and not p.hidden for p in params) > _FEW

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, in sections if there are many."""
        if not self._has_sections(ctx):
            super().format_options(ctx, formatter)
            return
        sections = self._sections(ctx)
        width = _name_width(chain.from_iterable(sections.values()))
        for title in sorted(sections, key=lambda title: _RANKS.get(title, 1)):
            with formatter.section(title):
                rows = [(name.ljust(width), text) for name, text in sections[title]]
                formatter.write_dl(rows, col_max=width)

    def _sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and help texts of the options to show, by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if not isinstance(param, HelpOption) or (param.expert and not _shows_all(ctx)):
                continue
            record = param.get_help_record(ctx)
            if record:
                sections.setdefault(param.section or self.section, []).append(record)
        return sections

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the end of the help, with a line about `--help-all` if it shows more."""
        super().format_epilog(ctx, formatter)
        if self._has_sections(ctx) and not _shows_all(ctx):
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} --help-all lists every option.")


def _settings_of(command: str) -> dict[str, Value]:
    """Return the defaults of a command's options that the settings of the working folder set."""
    if not any(map(is_there, SETTINGS_FILES)):
        return {}
    from asplan.cli.settings import defaults_of

    return defaults_of(command)


def _name_width(records: Iterable[tuple[str, str]]) -> int:
    """Return the width of the column of options in a help.

    It fits the longest option, but options longer than `_WIDEST` do not count.
    """
    lengths = (len(name) for name, _ in records)
    return max((length for length in lengths if length <= _WIDEST), default=_WIDEST)


def _refuse_repeated(order: Iterable[click.Parameter], command: str) -> None:
    """Raise `UsageError` if an option that takes one value is repeated.

    `order` has the parameters in the order of the words; `command` is the name of the command.
    """
    times = Counter(p for p in order if isinstance(p, click.Option) and not p.multiple)
    for option, count in times.items():
        if count > 1 and not option.is_flag and not option.count:
            name = " or ".join(option.opts)
            hint = _COMPARES if option.name == "encoding" else "pass it once"
            raise UsageError(f"{command} takes one {name}, but there are {count}", hint=hint)


_COMPARES = "asplan compare takes several encodings"

_SHORT = "short_form_"  # the prefix of parameters that are short forms of a constant


@cache
def _short_forms() -> list[click.Parameter]:
    """Return the options that are short forms of constants, such as `--metric` for `-c metric=`."""
    texts: dict[str, str] = {}
    values: dict[str, dict[str, None]] = {}
    for domain in domains().values():
        for name, text in domain.short_forms.items():
            texts[name] = text
            values.setdefault(name, {}).update(dict.fromkeys(domain.variants[name]))
    options: list[click.Parameter] = []
    for name, text in texts.items():
        words = [f"--{name}", _SHORT + name]
        metavar = "|".join(values[name])
        options.append(HelpOption(words, section=INPUT, expert=True, metavar=metavar, help=text))
    return options[::-1]


def _shows_all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(ALL))


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


Function = Callable[..., Value]
Decorator = Callable[[Function], Function]


class ShippedName(click.ParamType[str]):
    """The type of a word that shells complete to a shipped name or a file."""

    def __init__(self, name: str, shipped: Callable[[], list[str]]) -> None:
        self.name = name
        self.shipped = shipped

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the shipped names that begin with `incomplete`, and let the shell add files."""
        names = [CompletionItem(name) for name in self.shipped() if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


INSTANCE = ShippedName("file", lambda: [entry.name for entry in [*instances(), *rungs()]])
ENCODING = ShippedName("encoding", lambda: [entry.name for entry in encodings()])
ENGINE = ShippedName("engine", lambda: list(engines()))


def _constants(function: Function) -> Function:
    """Add `-c` and the short forms of constants; the function gets all values as `constants`."""

    @wraps(function)
    def with_constants(*args: Value, constants: tuple[str, ...], **given: Value) -> Value:
        from asplan.problem import constants_of

        short = [name for name in given if name.startswith(_SHORT)]
        values = {name.removeprefix(_SHORT): given.pop(name) for name in short}
        return function(*args, constants=constants_of(constants, values), **given)

    decorate = input_option(
        *("-c", "--const", "constants"),
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a constant of the program.",
    )
    return decorate(with_constants)


def _engine_option(name: str, form: Form) -> HelpOption:
    """Return the command-line option for the option `name` of an engine.

    `form` has the possible values of the option, and its help.
    """
    kind: click.ParamType[Value] | type = form.kind
    if form.choices:
        kind = OneOf(form.choices)
    elif form.kind is int:
        kind = WholeNumber(form.least, form.most)
    is_flag = form.kind is bool
    takes = {"is_flag": True, "default": None} if is_flag else {"type": kind}
    return HelpOption(
        [spelling(name), name],
        help=form.help,
        section=form.section,
        expert=form.expert,
        hidden=form.hidden,
        metavar=None if is_flag else form.metavar,
        **takes,
    )


def _limits(function: Function) -> Function:
    """Add `--time-limit` and `--memory-limit`; the function gets their values as `limits`."""

    @wraps(function)
    def with_limits(
        *args: Value,
        time_limit: float | None,
        memory_limit: int | None,
        **given: Value,
    ) -> Value:
        return function(*args, limits=Limits(time_limit, memory_limit), **given)

    return _SHARED["time limit"](_SHARED["memory limit"](with_limits))


seconds_option = partial(limit_option, "--time-limit", type=Number(0), metavar="S")
megabytes_option = partial(limit_option, "--memory-limit", type=WholeNumber(1), metavar="MB")
_expert_flag = partial(option, is_flag=True, section=EXPERT, expert=True)

_ACTIONS = "Treat this predicate as an action; may be given several times."
_HORIZON_CONSTANT = "Use this constant as the horizon of a single-shot program."
_FRESH = "Ground a single-shot program whole, as written, for each horizon; do not divide it."
_ENCODING = "Use this encoding, a name or a path; NAME:CONST=VALUE is a variant."
_DRAW = "Draw by these rules in ASP; docs/drawing.md explains them."
_ENGINE = "Use this engine; asplan list engines describes each."
_STEPS = "Use steps of this kind for PDDL, by the encoding of that name."
_EXPLAIN = "Let a page explain each atom: click on one."
_PORT = "Use this port, from 1024; by default a free one."
_SWITCHES = "Disable the warnings of this code; docs/warnings.md lists the codes."
_INCLUDES = "Let files include others outside of their folder."

_SHARED: dict[str, Decorator] = {
    "encoding": input_option("-e", "--encoding", type=ENCODING, help=_ENCODING),
    "steps": input_option("--steps", type=OneOf(STEPS), help=_STEPS),
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
        "--max-horizon", type=WholeNumber(0), help="Look for plans of at most this many steps."
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
    "port": option("--port", type=WholeNumber(1024, 65535), help=_PORT),
    # The handler of errors reads this word itself.
    "debug": _expert_flag("--debug", help="Show the traceback of an error.", expose_value=False),
}


def shared_options(*names: str) -> Decorator:
    """Return a decorator that adds shared options to a command, in the order of `names`."""

    def decorate(function: Function) -> Function:
        for name in reversed(names):
            function = _SHARED[name](function)
        return function

    return decorate


class WithEngineOptions(Command):
    """A command that has the options of an engine, too; words after `--` are clingo's options."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with the options of the engine in use, or of all engines."""
        named = ctx.meta.get(_ENGINE_NAMED)
        forms = option_forms() if named is None else find_engine(named).options.forms()
        own = (_engine_option(name, form) for name, form in forms.items() if not form.words)
        return [*super().get_params(ctx), *own]

    def is_plain(self, ctx: click.Context) -> bool:
        """Return whether the words use only options of the command and of one engine."""
        return ctx.meta.get(_ENGINE_NAMED) is not None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words before the first `--`; keep the words after it for clingo."""
        cut = args.index("--") if "--" in args else len(args)
        own = args[:cut]
        clingo = args[cut + 1 :]
        if not ctx.resilient_parsing:
            usual = (ctx.default_map or {}).get("engine", "asp")
            ctx.meta[_ENGINE_NAMED] = self._sufficient_engine(own, usual)
        rest = super().parse_args(ctx, own)
        ctx.params["clingo"] = tuple(clingo)
        return rest

    def _sufficient_engine(self, words: list[str], usual: str) -> str | None:
        """Return the engine that the words name, else the `usual` one.

        Return None if a word is an option that neither this engine nor the command has.
        """
        engine = _named_engine(words, usual)
        options: set[str] = set()
        for param in self.params:
            options.update(param.opts)
        options.remove("--help-all")
        try:
            options.update(map(spelling, find_engine(engine).options.forms()))
        except UsageError:
            return None
        for word in words:
            name = word.partition("=")[0]
            if name.startswith("-") and name not in options and name[:2] not in options:
                return None
        return engine

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the parts of the usage line, with `[-- CLINGO OPTIONS]` at the end."""
        return [*super().collect_usage_pieces(ctx), "[-- CLINGO OPTIONS]"]


def _named_engine(words: list[str], usual: str) -> str:
    """Return the last engine that the words name by `--engine`; `usual` if they name none."""
    engine = usual
    for word, after in pairwise([*words, ""]):
        name, equals, value = word.partition("=")
        if name == "--engine":
            engine = value if equals else after
    return engine
