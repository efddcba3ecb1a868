"""Good and bad words for the command line, made from the commands' own descriptions.

A command that is new in the registry is attacked without a line here.
"""

from __future__ import annotations

from typing import Any

import click
from attacks import Attack, Content
from hypothesis import strategies as st

from asplan.cli.commands import cli
from asplan.cli.options import ShippedName

START = (
    '{"kind":"start","name":"s","suite":"{\\"limits\\":{\\"seconds\\":60}}","methods":["a","b"],'
    '"instances":["i","j"]}\n'
)
RUN = (
    '{"kind":"run","instance":"i","method":"a","outcome":"optimal","horizon":5,"cpu":1.5}\n'
    '{"kind":"run","instance":"i","method":"b","outcome":"optimal","horizon":6,"cpu":0.5}\n'
)

FILES: dict[str, Content] = {
    "board.lp": "grid(1..3,1..3). car(r,2,h). position(0,r,1,1). car(b,2,v). position(0,b,1,3).",
    "stuck.lp": "grid(1,1..4). car(r,1,h). position(0,r,1,1). no(1,2).",
    "tiles.lp": "grid(1..2,1..2). tile(1..3). position(0,1,1,1). position(0,2,1,2). "
    "position(0,3,2,2).",
    "whole.lp": "#program step(t). 1 { occurs((go;wait),t) } 1. #show occurs/2. "
    "#program check(t). :- query(t), t < 2.",
    "plan.json": '{"outcome": "plan", "files": ["board.lp"], "plan": [["move(b,down,1)"], '
    '["move(r,right,1)"]]}',
    "odd.json": '{"outcome": "optimal", "horizon": 3, "plan": [["f(", "1\\\\0"]], "files": ["-"]}',
    "draw.lp": "canvas(9,9). rect(T,a,T,0,1,1) :- T = 0..2. rect(b,0,0,1,1). label(b,x).",
    "wrong.lp": "p(X) :- not q.",
    "binary.lp": "p(\udcff).",
    "empty.lp": "",
    "deep.json": [["[", 5000]],
    "boards.txt": "ooooooooBooAAoBoooooBoooooooooooooo\n3 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM\n",
    "card.txt": "2 2\n0 1\n0 0 h 2\n",
    "tiles.txt": "1 2 3 4 5 0 7 8 6\n",
    "folder/inner.lp": "x.",
    "domain.pddl": "(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x)) "
    "(:action go :parameters (?x) :precondition (p ?x) :effect (and (q ?x) (not (p ?x)))))",
    "problem.pddl": "(define (problem e) (:domain d) (:objects A b-1) (:init (p A) (p b-1)) "
    "(:goal (and (q A) (q b-1))))",
    "wrong.pddl": "(define (problem e) (:domain d) (:goal (r A)))",
    "plan.ipc": "(go A)\n(GO b-1) ; cost\n",
    "results/runs.jsonl": f"{START}{RUN}",
    "other/runs.jsonl": f"{START}{RUN.replace('optimal', 'unsolvable')}",
    "suites/runs.jsonl": f"{START.replace('60', '30')}{RUN}",
    "torn/runs.jsonl": f"{START}{RUN}{RUN[:30]}",
    "begun/runs.jsonl": START,
    "odd/runs.jsonl": "{}\n",
    "task.lp": "variable(0). value(0,(a;b)). initially(0,a). goal(0,b). operator(0,go). "
    "cost(0,1). precondition(0,0,a). effect(0,0,b).",
}
# fmt: off
NAMES = [
    *("folder", "nowhere.lp", "-", "", ".", "..", "/", "/dev/null", "a" * 300, "a/" * 3000, "--"),
    *("plan.json/below", "[/red]", "é\u202e", "\udcff", "a\nb", "'"),
]
OUTPUTS = [
    *("x.gif", "x.html", "x.png", "x.GIF", "nowhere/x.gif", "plan.json/x.gif", "folder", "x"),
    *("x.mp4", "x.webm", "x.webp", "x.svg", "x.avi", "x.ipc", "nowhere/x.plan"),
    *(".gif", "/proc/x.gif", "[/b].gif", "é\udcff.html", "a" * 252 + ".png"),
]
VALUES = [
    *("0", "1", "2", "-1", "007", "1e30", "nan", "inf", "-inf", "1.5", "٣", "9" * 5000, "", " "),
    *("0x10", "stride:" + "9" * 400, "stride:٣", "x" * 999, "%", "\x1b", "t=3", "=", "n=f("),
    *("n=" + "9" * 5000, "n=1\\0", "a=b=c", "\udcff=1"),
]
RESULTS = ["results", "results", "other", "suites", "torn", "begun", "odd", "odd/runs.jsonl"]
KNOWN = {
    "files": [
        *(*FILES, "board.lp", "board.lp", "two_cars", "whole.lp", "towers4"),
        *("problem.pddl", "problem.pddl", "blocks-1"),
    ],
    "instances": [
        *("board.lp", "two_cars", "whole.lp", "towers4", "wrong.lp"),
        *("problem.pddl", "domain.pddl", "blocks-1"),
    ],
    "plan_file": [
        *("plan.json", "plan.json", "plan.json", "odd.json", "deep.json", "board.lp"),
        *("plan.ipc", "plan.ipc"),
    ],
    "folder": RESULTS,
    "old": RESULTS,
    "new": RESULTS,
    "baseline": ["a", "b"],
    "pairs": ["a", "b"],
    "constants": ["metric=slide", "metric=step", "goal=faces", "n=3"],
    "schedule": ["linear", "stride:2", "parallel:2"],
    "methods": ["asp,sat", "asp:jumpy", "sat:glucose42,asp"],
    "proof": ["x.drat"],
    "metric": ["step", "slide"],
    "draw": ["draw.lp"],
    "encodings": ["origin", "whole.lp", "exists"],
    **{name: ["3", "5..9", "1..300"] for name in ("slides", "steps", "moves", "states")},
    **{name: ["1", "2..3", "2"] for name in ("cars", "lengths", "walls", "row")},
    "size": ["4x4", "3x5", "2x3"],
    "output": ["made", "made", "folder", "x.gif", "x.html", "nowhere/x", "board.lp"],
    "name": ["bees", "bees", "folder", "x_1"],
}
"""Good values, where neither the type nor the kind of a parameter says them."""

LEFT_OUT = ("debug", "opens")
"""Options that show tracebacks, or open windows."""

SERVE = ("play", "studio")
"""Commands that end with Ctrl-C."""


def leaves(group: click.Group = cli, before: str = "") -> list[str]:
    """Return the commands; those of groups have the name of the group in front."""
    found = []
    for name in group.list_commands(click.Context(group)):
        inner = group.get_command(click.Context(group), name)
        words = f"{before}{name}"
        found += leaves(inner, f"{words} ") if isinstance(inner, click.Group) else [words]
    return found


def command_of(name: str) -> click.Command:
    """One of the leaves."""
    command: click.Command | None = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    return command


def values(parameter: click.Parameter) -> st.SearchStrategy[str]:
    """Return words for one parameter, mostly valid ones."""
    kind = parameter.type
    if (known := KNOWN.get(str(parameter.name))) is not None:
        good = st.sampled_from(known)
    elif isinstance(kind, click.Choice):
        good = st.sampled_from([str(choice) for choice in kind.choices])
    elif isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        good = st.integers(0, 30).map(str)
    elif isinstance(kind, ShippedName) and isinstance(parameter, click.Option):
        good = st.sampled_from(kind.shipped())
    elif isinstance(parameter, click.Option):
        good = st.sampled_from(OUTPUTS)
    else:
        good = st.sampled_from(sorted(FILES))
    wrong = st.sampled_from(VALUES) | st.text(max_size=8).filter(lambda text: "\0" not in text)
    return st.integers(0, 9).flatmap(lambda n: good if n else wrong | st.sampled_from(NAMES))


@st.composite
def attacks(draw: st.DrawFn, name: str) -> Attack:
    """Words for a command, all of its arguments and some of its options, in any order."""
    command = command_of(name)
    words: list[str] = []
    known = command.get_params(click.Context(command))
    options = [p for p in known if isinstance(p, click.Option) and p.name not in LEFT_OUT]
    some = draw(st.lists(st.sampled_from(options), max_size=3, unique=True)) if options else []
    for option in [*(o for o in options if o.required and o not in some), *some]:
        words.append(draw(st.sampled_from([*option.opts, *option.secondary_opts])))
        if not option.is_flag:
            words += [draw(values(option)) for _ in range(option.nargs)]
    arguments: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            most = draw(st.sampled_from([1, 1, 2, 3])) if parameter.nargs < 0 else 1
            arguments += [draw(values(parameter)) for _ in range(most)]
    words = [*words, *arguments] if draw(st.booleans()) else [*arguments, *words]
    if any("--time-limit" in option.opts for option in options):
        words = ["--time-limit", "1", *words]
    around = draw(surroundings())
    if name in SERVE:
        around = around | {"serves": True}
    return Attack((*name.split(), *words), FILES, around)


def surroundings() -> st.SearchStrategy[dict[str, Any]]:
    """Mostly none; a full disk, an odd locale, closed streams, too little of something."""
    odd: list[dict[str, Any]] = [
        {"stdout": "/dev/full"},
        {"stdout": ""},
        {"stderr": ""},
        {"stderr": "/dev/full"},
        {"stdin": ""},
        {"stdin": "board.lp"},
        {"encoding": "ascii"},
        {"encoding": "latin-1"},
        {"limits": {"bytes": 4000}},
        {"limits": {"files": 12}},
        {"limits": {"memory": 400_000_000}},
    ]
    return st.integers(0, 4).flatmap(lambda n: st.just({}) if n else st.sampled_from(odd))
