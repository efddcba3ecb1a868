"""The server of the Model Context Protocol, with a tool for each command that an agent needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from typing import Annotated, Any, Literal, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from pydantic import Field

from asplan import catalog
from asplan.agents import answers
from asplan.agents.calls import Caller, Ended, constant_options, option
from asplan.core.errors import AsplanError
from asplan.core.text import shortened
from asplan.version import __version__
from asplan.warnings.catalogue import CATALOGUE

Json: TypeAlias = Any  # data of any shape

LONGEST = 20_000  # characters of a text that is an answer
GUIDE = "agents.md"

INSTRUCTIONS = """\
asplan plans with Answer Set Programming: it takes programs for clingo (incremental, single-shot,
telingo) and PDDL, finds shortest plans, proves them and checks them. Write a program, call check,
repair what it says, call solve, and ask explain if there is no plan. Files are named relative to
the folder of the server. The resource asplan://guide says more."""

Files = Annotated[
    list[str],
    Field(description="the files of the problem below the folder of the server, or shipped names"),
]
Encoding = Annotated[str, Field(description="an encoding for an instance: a file, or a name")]
Constants = Annotated[
    dict[str, str | int] | None, Field(description="values of constants of the program")
]
Seconds = Annotated[float | None, Field(description="stop after this many seconds", gt=0)]
First = Annotated[int, Field(description="show a long list from this entry on", ge=1)]


def make_server(caller: Caller) -> MCPServer:
    """Return a server whose tools run commands by a caller, in its folder and under its limits."""
    server = MCPServer(
        "asplan", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    tools = Tools(caller)
    for tool in (
        *(tools.check, tools.solve, tools.explain, tools.validate, tools.compare),
        *(tools.convert, tools.analyse, tools.grade, tools.list_shipped),
    ):
        server.tool()(_with_plain_errors(tool))
    _add_resources(server)
    return server


class Tools:
    """The tools of the server; agents read the docstrings of the methods as descriptions."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def check(self, files: Files, constants: Constants = None) -> dict[str, Json]:
        """Warn of likely mistakes in a planning program or PDDL, without solving it."""
        words = ["check", *self._caller.files(files), *constant_options(constants), "--format=json"]
        data = await self._data([*words, *self._caller.limits()])
        found = answers.warnings_of(data)
        return {"warnings": found, "next": "repair them" if found else "solve(files)"}

    async def solve(
        self,
        files: Files,
        encoding: Encoding = "",
        constants: Constants = None,
        engine: Annotated[str, Field(description="asp, auto, sat, astar, …; see list")] = "",
        max_horizon: Annotated[int | None, Field(description="the most steps", ge=0)] = None,
        optimal: Literal["", "actions", "cost", "metric"] = "",
        seconds: Seconds = None,
        first_step: First = 1,
    ) -> dict[str, Json]:
        """Find a shortest plan, prove that none is shorter, and check it."""
        words = ["solve", *self._caller.files(files), *self._encoding(encoding)]
        words += constant_options(constants)
        words += option("--engine", engine)
        words += option("--max-horizon", max_horizon)
        words += option("--optimal", optimal)
        data = await self._data([*words, "--json", *self._caller.limits(seconds)])
        return answers.answer_of_solve(data, first_step)

    async def explain(
        self,
        files: Files,
        encoding: Encoding = "",
        constants: Constants = None,
        horizon: Annotated[
            int | None, Field(description="why is there no plan of this many steps?", ge=0)
        ] = None,
        plan: Annotated[
            str, Field(description="why is this plan refused? the actions of a step in each line")
        ] = "",
        atom: Annotated[str, Field(description="why does this atom hold, or not?")] = "",
        seconds: Seconds = None,
    ) -> str:
        """Explain why there is no plan, why a plan is refused, or why an atom holds."""
        words = ["explain", *self._caller.files(files), *self._encoding(encoding)]
        words += constant_options(constants)
        words += option("--horizon", horizon)
        words += option("--atom", atom)
        words += ["--plan=-"] if plan else []
        ended = await self._caller.run([*words, *self._caller.limits(seconds)], plan)
        return _text_of(ended)

    async def validate(
        self,
        files: Files,
        plan: Annotated[str, Field(description="the actions of a step in each line")],
        encoding: Encoding = "",
        constants: Constants = None,
    ) -> str:
        """Check whether a plan leads to the goal, with code that shares nothing with the solver."""
        words = ["validate", *self._caller.files(files), "-", *self._encoding(encoding)]
        words += constant_options(constants)
        ended = await self._caller.run([*words, *self._caller.limits()], plan)
        return "valid\n" + ended.output if ended.status == 0 else "not valid\n" + _text_of(ended)

    async def compare(
        self,
        instances: Files,
        horizon: Annotated[int, Field(description="ground this many steps", ge=0)],
        encodings: Annotated[list[str], Field(description="encodings; all if empty")] = [],  # noqa: B006  # the protocol copies it
        solve: bool = False,
        seconds: Seconds = None,
    ) -> Json:
        """Compare how large encodings are when grounded, and how long they take."""
        words = ["compare", *self._caller.files(instances), *option("--horizon", horizon)]
        for encoding in encodings:
            words += self._encoding(encoding)
        words += ["--solve"] if solve else []
        return await self._data([*words, "--json", *self._caller.limits(seconds)])

    async def convert(
        self,
        file: str,
        to: Annotated[
            str, Field(description="incremental, single-shot, plasp, board, card, tuples or tiles")
        ] = "",
    ) -> str:
        """Turn a program or a board into another form, and return its text."""
        words = ["convert", *self._caller.files([file]), *option("--to", to)]
        return _text_of(await self._caller.run([*words, *self._caller.limits()]))

    async def analyse(
        self,
        files: Files,
        encoding: Encoding = "",
        max_states: Annotated[int, Field(ge=1, le=2_000_000)] = 100_000,
        seconds: Seconds = None,
    ) -> Json:
        """Count the reachable states, the dead ends and the shortest plans."""
        words = ["analyse", *self._caller.files(files), *self._encoding(encoding)]
        words += option("--max-states", max_states)
        return await self._data([*words, "--json", *self._caller.limits(seconds)])

    async def grade(
        self,
        domain: Annotated[str, Field(description="rush_hour, sliding_tiles or brain_twist")],
        submissions: Annotated[list[str], Field(description="encodings, .lp files")],
        seconds: Seconds = None,
    ) -> Json:
        """Judge encodings of a shipped domain by its model, on shipped instances."""
        words = ["grade", *self._caller.files([domain]), *self._caller.files(submissions), "--json"]
        return await self._data([*words, *self._caller.limits(seconds)])

    async def list_shipped(
        self,
        kind: Literal["encodings", "instances", "engines", "heuristics"],
        first: First = 1,
    ) -> dict[str, Json]:
        """List what ships with asplan."""
        data = await self._data(["list", kind, "--json"])
        rows = [f"{row.get('domain', '')} {row['name']}: {row['about']}" for row in data[kind]]
        return answers.page_of([row.strip() for row in rows], first)

    def _encoding(self, name: str) -> list[str]:
        return ["-e", self._caller.file(name)] if name else []

    async def _data(self, words: list[str]) -> Json:
        ended = await self._caller.run(words)
        return ended.data()


def _text_of(ended: Ended) -> str:
    """Return the output and the errors of a command, shortened to `LONGEST` characters."""
    text = "\n".join(filter(None, [ended.output.strip(), ended.error.strip()]))
    return shortened(text, LONGEST)


def _with_plain_errors(tool: Callable[..., Awaitable[Json]]) -> Callable[..., Awaitable[Json]]:
    """Wrap a tool so that an error of asplan reaches the agent as its message alone."""

    @wraps(tool)
    async def call(*given: Json, **named: Json) -> Json:
        try:
            return await tool(*given, **named)
        except AsplanError as error:
            raise ToolError(str(error)) from None

    return call


def _add_resources(server: MCPServer) -> None:
    """Add the resources that agents can read: guide, warnings, shipped encodings and instances."""

    @server.resource("asplan://guide", mime_type="text/markdown")
    def guide() -> str:
        """Read how to write, check and repair a planning program with asplan."""
        return catalog.find_page(GUIDE).read_text(encoding="utf-8")

    @server.resource("asplan://warnings", mime_type="text/markdown")
    def warnings() -> str:
        """List all warnings: their codes, and what each is about."""
        return "\n".join(f"- `{code}`: {kind.about}" for code, kind in CATALOGUE.items())

    @server.resource("asplan://encodings/{domain}/{name}", mime_type="text/plain")
    def encoding(domain: str, name: str) -> str:
        """Read a shipped encoding."""
        return _shipped_text(catalog.encodings(), domain, name)

    @server.resource("asplan://instances/{domain}/{name}", mime_type="text/plain")
    def instance(domain: str, name: str) -> str:
        """Read a shipped instance."""
        return _shipped_text(catalog.instances(), domain, name)


def _shipped_text(entries: Iterable[catalog.ShippedFile], domain: str, name: str) -> str:
    """Return the text of a shipped file of a domain; raise `ResourceError` if there is none."""
    for entry in entries:
        if (entry.domain, entry.name) == (domain, name):
            return entry.path.read_text(encoding="utf-8")
    raise ResourceError(f"nothing that ships is called {domain}/{name}")
