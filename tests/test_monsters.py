"""Input that is too deep, too long or endless: a short answer at once.

What would be too large to be a file of the tests is made by a small function.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from asplan.core.errors import LONGEST
from conftest import run_command

SECONDS = 60
"""What a run may take on a busy machine before it counts as one without an end."""

DEEP = 100_000
RED = "grid(1..6,1..6). car(r,2,h). position(0,r,3,1).\n"
STEPS = (
    "\n#program step(t). { occurs(a,t) }. done(t) :- occurs(a,t)."
    " #program check(t). :- query(t), t < 1.\n"
)
Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Monster:
    """Files and arguments of a command, its status, and parts of its message.

    `stdin` is what comes in on standard input; it is closed if that is empty. `link` is what the
    link `link.lp` leads to.
    """

    files: Callable[[], Files] = dict
    words: tuple[str, ...] = ("solve", "x.lp", "--max-horizon", "2")
    status: int = 2
    message: tuple[str, ...] = ()
    stdin: str = os.devnull
    link: str = ""


def _program(text: Callable[[], str], *message: str, status: int = 2) -> Monster:
    return Monster(lambda: {"x.lp": text() + STEPS}, status=status, message=message)


def _card(text: Callable[[], str], *message: str) -> Monster:
    return Monster(lambda: {"c.txt": text()}, ("solve", "c.txt"), message=message)


def _said(*words: str, message: tuple[str, ...]) -> Monster:
    return Monster(words=("solve", "two_cars", *words), message=message)


DEEPER = "the nesting is deeper than 100 brackets or 200 operators"
ABOVE = "this file is not below the folder of the one that includes it"


def _chain(length: int) -> Files:
    files: Files = {f"c{i}.lp": f'#include "c{i + 1}.lp".' for i in range(length)}
    return {**files, f"c{length}.lp": "p.", "x.lp": '#include "c0.lp".' + STEPS}


def _doubling(depth: int) -> Files:
    files: Files = {f"c{i}.lp": f'#include "c{i + 1}.lp".\n' * 2 for i in range(depth)}
    return {**files, f"c{depth}.lp": "p.", "x.lp": '#include "c0.lp".' + STEPS}


MONSTERS = {
    # nested deep enough to end clingo's parser
    "functions": _program(lambda: f"p({'f(' * DEEP}1{')' * DEEP}).", "x.lp:1:202: " + DEEPER),
    "tuples": _program(lambda: f"p({'(' * DEEP}1{',)' * DEEP}).", "x.lp:1:102: " + DEEPER),
    "sums": _program(lambda: f"p(1{'+1' * DEEP}).", "x.lp:1:400: " + DEEPER),
    "sums_of_functions": _program(lambda: f"p(f(1){'+f(1)' * DEEP}).", ": " + DEEPER),
    "minuses": _program(lambda: f"p({'-' * DEEP}1).", "x.lp:1:201: " + DEEPER),
    "complements": _program(lambda: f"p({'~' * DEEP}1).", "x.lp:1:201: " + DEEPER),
    "absolutes": _program(lambda: f"p({'|' * DEEP}1{'|' * DEEP}).", "x.lp:1:201: " + DEEPER),
    "powers": _program(lambda: f"p(1{'**1' * DEEP}).", ": " + DEEPER),
    "intervals": _program(lambda: f"p(1{'..1' * DEEP}).", ": " + DEEPER),
    "ands": _program(lambda: f"p(1{'&1' * DEEP}).", ": " + DEEPER),
    "negations": _program(lambda: f"{'-' * DEEP}p(1).", "x.lp:1:201: " + DEEPER),
    "braces": _program(lambda: "{" * DEEP, "x.lp:1:101: " + DEEPER),
    "theory_terms": _program(lambda: f"&t{{{'f(' * DEEP}1{')' * DEEP}}}.", ": " + DEEPER),
    "calls": _program(lambda: f"p({'@f(' * DEEP}1{')' * DEEP}).", ": " + DEEPER),
    "constants": _program(lambda: f"#const x={'f(' * DEEP}1{')' * DEEP}.", ": " + DEEPER),
    "shown_terms": _program(lambda: f"#show {'f(' * DEEP}1{')' * DEEP} : a.", ": " + DEEPER),
    "in_an_instance": Monster(
        lambda: {"x.lp": f"{RED}no({'f(' * DEEP}1{')' * DEEP},1)."}, message=(": " + DEEPER,)
    ),
    "constant_on_the_command_line": _said(
        "-c",
        f"x={'f(' * 20_000}1",
        message=("constant x: 'f(f(f(f(", f"f(f(f(f(f(1' is not a term: {DEEPER}"),
    ),
    # comments, blanks, names and strings
    "open_comments": _program(lambda: "%*\n" * DEEP, "1:1: the comment that begins here has no"),
    "nested_comments": _program(lambda: "%*" * DEEP + "*%" * DEEP, status=0),
    "small_comments": _program(lambda: "%* *%\n" * DEEP, status=0),
    "lines_of_comment": _program(lambda: "% nothing\n" * 300_000, status=0),
    "comment_behind_facts": _program(lambda: "p(1). % nothing\n" * DEEP, status=0),
    "one_long_comment": _program(lambda: "%" + "x" * 5_000_000, status=0),
    "blanks": _program(lambda: " " * 5_000_000, status=0),
    "lines": _program(lambda: "\n" * 5_000_000, status=0),
    "quotation_marks": _program(lambda: '"' * (DEEP + 1), ": a string has no end"),
    "long_name": Monster(
        lambda: {"x.lp": f"{RED}{'p' * 10 * DEEP}(1) :- X = 1."},
        message=("warning: x.lp:2:1: pppp",),
        status=1,
    ),
    # numbers
    "digits": _program(lambda: f"p({'9' * 5000}).", "x.lp:1:3: the number 99999", "9 does not fit"),
    "hexadecimal_digits": _program(lambda: f"p(0x{'f' * DEEP}).", "x.lp:1:3: the number 0xffff"),
    "zeros": _program(lambda: f"p({'0' * 5000}).", "x.lp:1:4: syntax error, unexpected '000"),
    "constant_of_digits": _said("-c", f"x={'9' * 5000}", message=("x: '9999", "9 does not")),
    "models": _said("--models", "1e30", message=("--models: pass a whole number",)),
    "many_models": _said("--models", "9" * 30, message=("--models: pass a whole number",)),
    "stride": _said(
        "--schedule", "stride:²", message=("schedule 'stride:²': K in stride:K must be",)
    ),
    "long_stride": _said("--schedule", f"stride:{'9' * 99}", message=("from 1 to 2147483647",)),
    "horizon": _said("--max-horizon", "9" * 12, message=("--max-horizon 999999999999 is above 2",)),
    # includes
    "included_by_itself": Monster(lambda: {"x.lp": f'#include "./x.lp".{STEPS}'}, status=0),
    "included_by_another_path": Monster(
        lambda: {"x.lp": f'#include "a/y.lp".{STEPS}', "a/y.lp": '#include "./../a/y.lp".'},
        status=0,
    ),
    "chain_of_includes": Monster(lambda: _chain(1500), status=0),
    "double_includes": Monster(lambda: _doubling(40), status=0),
    "thousands_of_includes": Monster(
        lambda: {"x.lp": '#include "y.lp".\n' * 20_000 + STEPS, "y.lp": "p."}, status=0
    ),
    "included_device": Monster(
        lambda: {"x.lp": f'#include "/dev/zero".{STEPS}'},
        ("solve", "x.lp", "--allow-includes"),
        message=("x.lp:1:1: /dev/zero has more than 256 MB, the most that asplan reads",),
    ),
    "included_passwords": _program(
        lambda: '#include "/etc/passwd".', '#include "/etc/passwd": ' + ABOVE
    ),
    "included_through_a_link": Monster(
        lambda: {"x.lp": f'#include "link.lp".{STEPS}'},
        message=('x.lp:1:1: #include "link.lp": ' + ABOVE,),
        link=os.devnull,
    ),
    "included_long_name": _program(
        lambda: f'#include "{"a" * 5000}".', "x.lp:1:1: cannot read aaaa"
    ),
    # files
    "long_file_name": Monster(words=("solve", "a" * 5000), message=("no such file: aaaa",)),
    "empty_file_name": Monster(words=("solve", ""), message=("the name of a file is empty",)),
    "folder": Monster(
        lambda: {"d/x.lp": RED},
        ("solve", "d"),
        message=("d is a folder, where a file is expected",),
    ),
    "folder_as_encoding": Monster(
        lambda: {"d/x.lp": RED}, ("solve", "two_cars", "-e", "d"), message=("unknown encoding 'd'",)
    ),
    "below_a_file": Monster(
        lambda: {"x": RED}, ("solve", "x/y.lp"), message=("no such file: x/y.lp",)
    ),
    "device_without_an_end": Monster(
        words=("solve", "/dev/zero"),
        message=("/dev/zero has more than 256 MB, the most",),
    ),
    "random_bytes": Monster(
        words=("solve", "/dev/urandom"), message=("/dev/urandom has more than 256 MB, the most",)
    ),
    "ring_of_links": Monster(
        words=("solve", "link.lp"), message=("no such file: link.lp",), link="link.lp"
    ),
    "byte_order_mark": Monster(lambda: {"x.lp": b"\xef\xbb\xbf" + STEPS.encode()}, status=0),
    "two_byte_characters": Monster(
        lambda: {"x.lp": RED.encode("utf-16")}, message=("x.lp is not text: byte 3 is a NUL",)
    ),
    "nul_in_a_comment": Monster(
        lambda: {"x.lp": f"{RED}% \0\n:- ."}, message=("x.lp is not text: byte 50 is a NUL",)
    ),
    "name_that_is_no_text": Monster(
        words=("solve", os.fsdecode(b"\xff.lp")), message=("no such file: \\udcff.lp",)
    ),
    "name_that_steers_a_terminal": Monster(
        words=("solve", "\x1b[31m"), message=("no such file: \\x1b[31m",)
    ),
    # standard input
    "closed_input": Monster(
        words=("solve", "-"),
        stdin="",
        message=("standard input is closed, so nothing can",),
    ),
    "input_without_an_end": Monster(
        words=("solve", "-"), stdin="/dev/zero", message=("standard input has more than 256 MB",)
    ),
    "included_by_input": Monster(
        lambda: {"x.lp": f'#include "x.lp".{STEPS}'},
        ("solve", "-"),
        stdin="x.lp",
        message=('<stdin>:1:1: #include "x.lp": a program that comes as text has no folder',),
    ),
    # boards
    "long_car": _card(lambda: "6\n2 5\n2 0 h 1000000000000\n", "3:1: no numbers of a car: 2 0 1"),
    "longer_car": _card(lambda: "6\n2 5\n2 0 h 100000000\n", "3:1: the car is off the board"),
    "large_card": _card(lambda: "100000000\n2 5\n2 0 h 2\n", "a board has at most 100000 cells"),
    "car_of_digits": _card(lambda: f"6\n2 5\n2 0 h {'9' * 5000}\n", "no numbers of a car: 2 0 99"),
    "card_of_cars": _card(lambda: "6\n2 5\n" + "2 0 h 2\n" * DEEP, "100000 cars are more than the"),
    "superscript_goal": _card(lambda: "6\n2 ²\n2 0 h 2\n", "2:1: no goal row and column: 2 ²"),
    "long_line": _card(lambda: "6 " * 600_000, "c.txt: line 1 is too long for a board"),
    "large_board": _card(lambda: "o" * 1_000_000, "c.txt:1:1: the board has no red car A"),
    "number_of_moves": Monster(
        lambda: {"c.txt": f"board\tmoves\nAAooooooo\t{'9' * 5000}"}, ("solve", "c.txt"), status=0
    ),
    "large_tile": _card(lambda: f"1 2 3 {'9' * 5000} 4 0", "1:7: the number 9999"),
    "endless_conversion": Monster(
        words=("convert", "/dev/zero"), message=("/dev/zero: line 1 is too long for a board",)
    ),
    # options
    "long_option_value": _said("--metric", "x" * DEEP, message=("metric=xxxx",)),
    "long_encoding": _said("-e", "x" * DEEP, message=("File name too long",)),
    "clingo_option": _said("--", "x" * DEEP, message=("clingo refuses its options: ",)),
    "single_shot": _said("--", "--single", message=("--single: asplan itself counts answer sets",)),
    "brave": _said("--", "-ebrave", message=("-ebrave: asplan itself counts answer sets",)),
    "scores_of_constants": _said(
        *(word for i in range(1000) for word in ("-c", f"x{i}=1")),
        message=("no file uses the constant x0",),
    ),
}


@pytest.mark.parametrize("monster", MONSTERS.values(), ids=MONSTERS)
def test_monsters(monster: Monster, tmp_path: Path) -> None:
    for name, content in monster.files().items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if monster.link:
        (tmp_path / "link.lp").symlink_to(monster.link)
    ended = run_command(monster.words, str(tmp_path), SECONDS, stdin=monster.stdin)
    said = (tmp_path / "err").read_text()
    assert ended["status"] == monster.status, said
    assert "Traceback" not in said
    assert len(said.removeprefix("asplan: ")) <= LONGEST + 100  # click names the usage too
    for words in monster.message:
        assert words in said
    assert bool(said) == bool(monster.status or monster.message)
