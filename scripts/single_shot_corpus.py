"""asplan on single-shot programs of other people: runs, horizons, answer sets, times.

`single_shot_corpus.toml` says where the programs are, and what bounds the time in each, as a person
read it. They are not part of this project: `--fetch` gets those that FOLDER/OWNER+NAME/ lacks.

For each program three commands run, each within `--limit` seconds of CPU time: the plain loop,
which is clingo, grounded anew for each horizon until there is an answer set, and which knows the
bound from the list; `asplan solve --fresh`, which does the same after finding the bound itself; and
`asplan solve`, which converts the program into base, step(t) and check(t) where it can. The parts
are compared with the program: the numbers of answer sets, up to 2000, at the first four horizons,
at the least that has one, and at the next. Lines of JSON go to `--log`; what is there is not
measured again.

    python scripts/single_shot_corpus.py FOLDER [--fetch] [--limit S] [--jobs N] [--log FILE]
        [--markdown] [WORD…]      only programs whose names contain a word
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any
from urllib.parse import quote

from asplan.problem import Inputs, load
from lib import plain_loop, tables
from lib.quick import add_quick

RESTS_ON = (
    "scripts/single_shot_corpus.toml",
    "src/asplan/problem/*.py",
    "src/asplan/program/*.py",
    "src/asplan/engines/asp/*.py",
)

LIST = Path(__file__).with_suffix(".toml")
CACHE = tempfile.TemporaryDirectory(prefix="corpus-")
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPYCACHEPREFIX"] = CACHE.name
"""asplan is compiled to bytecode, as in any installation."""

Program = dict[str, Any]


def programs(folder: Path, list_file: Path = LIST) -> Iterator[Program]:
    """The programs of a list, with paths in a folder and the addresses of their files."""
    for repository in tomllib.loads(list_file.read_text("utf-8"))["repository"]:
        owner = repository["name"]
        home = (folder / owner.replace("/", "+")).resolve()
        shared = repository.get("includes", ())
        raw = f"https://raw.githubusercontent.com/{owner}/{repository['commit']}/"
        for program in repository["programs"]:
            paths = program["files"]
            needed = {
                str(home / path): raw + quote(path)
                for path in (*paths, *program.get("includes", ()), *shared)
            }
            yield program | {
                "name": f"{owner.partition('/')[2]} {Path(paths[0]).stem} {Path(paths[-1]).stem}",
                "files": [str(home / path) for path in paths],
                "addresses": needed,
            }


def fetch(program: Program) -> None:
    """Get the files of a program that are not there."""
    for path, address in program["addresses"].items():
        if not Path(path).exists():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with urllib.request.urlopen(address, timeout=30) as answer:
                Path(path).write_bytes(answer.read())


def bound_time(limit: float) -> None:
    """End this process after some seconds of CPU time."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))


def run(words: Sequence[str], limit: float) -> tuple[str, str, float | None]:
    """Return output, standard error and CPU seconds of a command; None if stopped."""

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            [sys.executable, *words],
            stdout=out,
            stderr=err,
            env=ENVIRONMENT,
            preexec_fn=lambda: bound_time(limit),
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        seconds = used.ru_utime + used.ru_stime
        return out.read(), err.read(), None if process.returncode < 0 else seconds


def asplan(program: Program, limit: float, *options: str) -> dict[str, Any]:
    """Return the output of `asplan solve --json`, with its CPU seconds."""
    # The limit of the command is of the clock: on a busy machine that of CPU time comes first.
    words = ("solve", *given(program), "--json", f"--time-limit={20 * limit}", *options)
    text, error, seconds = run(("-m", "asplan", *words), limit)
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        stopped = seconds is None or seconds >= limit
        answer = {"error": "stopped" if stopped else error.strip()}
    kept = ("horizon", "outcome", "way", "stopped", "warnings", "error")
    return {key: answer[key] for key in kept if key in answer} | {"seconds": seconds}


def given(program: Program) -> list[str]:
    """The files and the constants of a program, as words for asplan."""
    constants = program.get("constants", {}).items()
    return [*program["files"], *(f"--const={name}={value}" for name, value in constants)]


def oracle(
    task: str, program: Program, limit: float, horizons: Sequence[int] = ()
) -> tuple[list[int], float | None]:
    """The numbers that the plain loop prints."""
    bound = {k: v for k, v in program.items() if k not in ("name", "addresses")}
    text, _, seconds = run(
        (plain_loop.__file__, task, json.dumps(bound), *map(str, horizons)), limit
    )
    return [int(word) for word in text.split()], seconds


def measure(program: Program, limit: float) -> dict[str, Any]:
    """All that is measured of one program."""
    least, plain = oracle("least", program, limit)
    row: dict[str, Any] = {"name": program["name"], "least": least[0] if least else None}
    row |= {"plain": plain, "origin": program.get("origin", 0)}
    row["fresh"] = asplan(program, limit, "--fresh")
    row["solve"] = asplan(program, limit)
    if not is_converted(row):
        return row
    first, found = program.get("first", 0), row["least"]
    text, origin = converted(program)
    values = {*range(first, first + 4), *(() if found is None else (found, found + 1))}
    row["horizons"] = sorted(value for value in values if value >= origin)
    row["counts"], _ = oracle("counts", program, limit, row["horizons"])
    with tempfile.NamedTemporaryFile("w", suffix=".lp") as file:
        file.write(text)
        file.flush()
        steps = [str(value - origin) for value in row["horizons"]]
        counted, *_ = run((plain_loop.__file__, "parts", file.name, *steps), limit)
    row["converted_counts"] = [int(word) for word in counted.split()]
    return row


def is_converted(row: dict[str, Any]) -> bool:
    """Return whether asplan solved a program in parts."""
    return "converted into" in (row["solve"].get("way") or "")


def converted(program: Program) -> tuple[str, int]:
    """The text with the parts base, step(t) and check(t); and the horizon of step 0."""
    constants = {name: str(value) for name, value in program.get("constants", {}).items()}
    problem = load(Inputs(tuple(program["files"]), constants=constants))
    assert problem.horizon is not None
    units = problem.units
    lines = [str(statement) for unit in units for statement in unit.statements]
    check = next(line for line in lines if line.startswith("#program check"))
    query = check.replace("#program check", "#external query")
    lines += [f"#const {name}={value}." for name, value in constants.items()]
    lines += ["#program base.", *(fact.text for unit in units for fact in unit.facts), check, query]
    return "\n".join(lines), problem.horizon.origin


def reason_of(row: dict[str, Any]) -> str:
    """Return the reason why a program was not converted, without the place."""
    way = row["solve"].get("way") or ""
    return "" if is_converted(row) or ";" not in way else way.partition("; ")[2].partition(" (")[0]


def verdict(row: dict[str, Any], way: str) -> str:
    """`equal`, or what is wrong with a horizon that asplan found."""
    answer, least = row[way], row["least"]
    if "error" in answer:
        return "refused" if answer["error"] != "stopped" else "stopped"
    found = answer.get("horizon")
    if found is None or least is None:
        return "stopped"
    steps = least - row["origin"]
    return "equal" if found == steps else f"{found} instead of {steps}"


def same_counts(row: dict[str, Any]) -> str:
    """At how many horizons the converted program has as many answer sets, or where it has not."""
    if "counts" not in row:
        return ""
    pairs = list(zip(row["horizons"], row["counts"], row["converted_counts"], strict=False))
    wrong = [f"{b} for {a} at {horizon}" for horizon, a, b in pairs if a != b]
    return ", ".join(wrong) or f"equal at {len(pairs)}"


def show_each(rows: list[dict[str, Any]], markdown: bool) -> None:
    """Print a table of all programs."""
    columns = ("program", "least", "plain s", "fresh", "s", "solve", "s", "answer sets")
    seconds = lambda x: "" if x is None else f"{x:.2f}"  # noqa: E731
    tables.show(
        columns,
        [
            (
                *(row["name"], "" if row["least"] is None else str(row["least"])),
                *(seconds(row["plain"]), verdict(row, "fresh"), seconds(row["fresh"]["seconds"])),
                *(verdict(row, "solve"), seconds(row["solve"]["seconds"]), same_counts(row)),
            )
            for row in rows
        ],
        markdown=markdown,
    )


def show_all(rows: list[dict[str, Any]]) -> None:
    """Print what the programs amount to."""
    for name, way in (("asplan solve --fresh", "fresh"), ("asplan solve", "solve")):
        said = Counter(verdict(row, way) for row in rows)
        usual = [
            f"{said.pop(what)} {what}" for what in ("equal", "stopped", "refused") if said[what]
        ]
        other = [f"{what} ({n} times)" if n > 1 else what for what, n in said.most_common()]
        more = f"; other numbers of steps: {', '.join(other)}" if other else ""
        tables.say(f"`{name}`: {', '.join(usual)}{more}.")
    reasons = Counter(reason_of(row) for row in rows if reason_of(row))
    tables.say(
        f"Converted: {sum(map(is_converted, rows))} of {len(rows)}"
        f"{''.join(f'; {n} not: {why}' for why, n in reasons.most_common())}. As many answer sets: "
        f"{sum(same_counts(row).startswith('equal') for row in rows)}."
    )
    both = [row for row in rows if verdict(row, "fresh") == verdict(row, "solve") == "equal"]
    both = [row for row in both if row["least"] is not None and row["solve"]["horizon"] is not None]
    slow = [row for row in both if is_converted(row) and row["fresh"]["seconds"] > 1.5]
    if slow:
        ratios = sorted(row["fresh"]["seconds"] / row["solve"]["seconds"] for row in slow)
        tables.say(
            f"{len(slow)} converted programs take more than 1.5 s: `--fresh` takes "
            f"{geometric_mean(ratios):.2f} times as long ({ratios[0]:.1f} to {ratios[-1]:.1f})."
        )
    for way in ("fresh", "solve"):
        beyond = [row[way]["seconds"] - row["plain"] for row in both if row["plain"] < 0.3]
        if beyond:
            tables.say(
                f"{len(beyond)} programs take the plain loop less than 0.3 s: {way} takes "
                f"{median(beyond):.2f} s more (median)."
            )


def main() -> None:
    """Fetch, measure, report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the programs are")
    parser.add_argument("words", nargs="*", help="only programs whose names contain one")
    parser.add_argument("--fetch", action="store_true", help="get what is not there")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for each command")
    parser.add_argument("--log", type=Path, help="lines of JSON, which are not measured again")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--summary", action="store_true", help="without a row for each program")
    add_quick(parser, "10 s for each command", limit=10)
    tables.add_option(parser)
    asked = parser.parse_args()
    log = asked.log.read_text("utf-8").splitlines() if asked.log and asked.log.exists() else []
    known = {row["name"]: row for row in map(json.loads, log)}

    def measured(program: Program) -> dict[str, Any]:
        if asked.fetch:
            fetch(program)
        if (row := known.get(program["name"])) is None:
            row = measure(program, asked.limit)
            if asked.log:
                with asked.log.open("a") as lines:
                    print(json.dumps(row), file=lines)
        tables.progress(row["name"], row["least"], verdict(row, "fresh"), verdict(row, "solve"))
        return row

    chosen = [p for p in programs(asked.folder) if any(w in p["name"] for w in asked.words or [""])]
    with ThreadPoolExecutor(asked.jobs) as pool:
        rows = list(pool.map(measured, chosen))
    if not asked.summary:
        show_each(rows, asked.markdown)
    show_all(rows)


if __name__ == "__main__":
    main()
