"""The language server, by a client over pipes: each capability on ASP and PDDL."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from asplan.cli.lsp import command
from asplan.core.errors import MissingExtra
from asplan.core.installing import pip_install
from asplan.editor.asp import index_asp, time_span
from conftest import HERE
from editor.client import Client, session

LAMP = """\
% Lamps with switches.
#program base.
lamp(1..2).
#program step(t).
{ press(L,t) : lamp(L) } 1.
lit(L,t) :- press(L,t).
lit(L,t) :- lit(L,t-1).
#program check(t).
:- query(t), lamp(L), not lit(L,t).
#show press/2.
"""

DARK = LAMP.replace("lit(L,t) :- press(L,t).\n", "")

SINGLE = """\
#const n=4.
time(0..n).
block(a;b). loc(table;a;b).
on(a,table,0). on(b,a,0).
{ move(B,L,T) : block(B), loc(L) } 1 :- time(T), T > 0.
on(B,L,T) :- move(B,L,T).
moved(B,T) :- move(B,_,T).
on(B,L,T) :- on(B,L,T-1), not moved(B,T), time(T).
:- move(B,L,T), on(X,B,T-1).
:- move(B,L,T), on(X,L,T-1), block(L).
:- not on(a,b,n).
#show move/3.
"""

TELINGO = """\
#program initial.
lamp(1..2).
#program dynamic.
{ press(L) : _lamp(L) } 1.
lit(L) :- press(L).
lit(L) :- 'lit(L).
#program final.
:- _lamp(L), not lit(L).
#show press/1.
"""

ENCODING = LAMP.replace("lamp(1..2).\n", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("home")
    (root / "lamp.lp").write_text(LAMP)
    (root / "dark.lp").write_text(DARK)
    (root / "single.lp").write_text(SINGLE)
    (root / "tel.lp").write_text(TELINGO)
    shutil.copytree(HERE.parent / "instances" / "pddl" / "lamps", root / "lamps")
    parts = root / "parts"
    parts.mkdir()
    (parts / "encoding.lp").write_text(ENCODING)
    (parts / "two.lp").write_text("lamp(1..2).\n")
    (parts / "three.lp").write_text("lamp(1..3).\n")
    problems = '["encoding.lp two.lp", "encoding.lp three.lp"]'
    (parts / "asplan.toml").write_text(f'problems = {problems}\nwarn = ["no-unread"]\n')
    return root


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with session(folder) as opened:
        yield opened


def place_of(text: str, word: str, number: int = 0) -> tuple[int, int]:
    """Return the line and the column of an occurrence of a word."""
    offset = -1
    for _ in range(number + 1):
        offset = text.index(word, offset + 1)
    before = text[:offset]
    return before.count("\n"), offset - (before.rfind("\n") + 1)


def inside(text: str, found: dict[str, Any]) -> str:
    """Return the text in a range of one line."""
    start = found["start"]
    assert found["end"]["line"] == start["line"]
    line = text.split("\n")[start["line"]]
    return line[start["character"] : found["end"]["character"]]


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text after edits."""
    lines = text.split("\n")

    def offset(place: dict[str, int]) -> int:
        return sum(len(line) + 1 for line in lines[: place["line"]]) + place["character"]

    for edit in sorted(edits, key=lambda each: -offset(each["range"]["start"])):
        start = offset(edit["range"]["start"])
        end = offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def tokens(client: Client, name: str, text: str) -> set[tuple[str, str]]:
    """Return the words of a text with the types of their tokens."""
    legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.of("semanticTokens/full", name)["data"]
    lines = text.split("\n")
    line = 0
    start = 0
    found = set()
    for n in range(0, len(data), 5):
        start = data[n + 1] + (0 if data[n] else start)
        line += data[n]
        found.add((lines[line][start : start + data[n + 2]], legend[data[n + 3]]))
    return found


def lenses(client: Client, name: str) -> list[str]:
    return [lens["command"]["title"] for lens in client.of("codeLens", name)]


def hints(client: Client, name: str) -> list[tuple[int, str]]:
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = client.of("inlayHint", name, range=everything)
    return [(hint["position"]["line"], hint["label"]) for hint in found]


def fixes(client: Client, name: str, diagnostic: dict[str, Any]) -> dict[str, Any]:
    """Return the edits of the fixes for a diagnostic, by title."""
    found = client.of(
        "codeAction", name, range=diagnostic["range"], context={"diagnostics": [diagnostic]}
    )
    return {each["title"]: each["edit"]["changes"][client.uri(name)] for each in found}


# Diagnostics


def test_a_warning_has_its_place_code_hint_and_page(client: Client) -> None:
    assert client.open("lamp.lp") == []
    text = LAMP.replace("query(t), lamp(L)", "query(t), lmp(L)")
    client.change("lamp.lp", text)
    (warning,) = client.diagnostics("lamp.lp")
    assert inside(text, warning["range"]) == "lmp"
    assert (warning["code"], warning["severity"], warning["source"]) == ("undefined", 2, "asplan")
    assert "did you mean lamp/1?" in warning["message"]
    assert warning["codeDescription"]["href"].endswith("/warnings.md")
    client.change("lamp.lp", LAMP)
    assert client.diagnostics("lamp.lp") == []


@pytest.mark.parametrize(
    ("name", "right", "wrong", "line", "what"),
    [
        ("lamp.lp", "lit(L,t-1).", "lit(L,t-1", 7, "syntax error"),
        ("single.lp", ":- not on(a,b,n).", ":- not on(a,b,n)) .", 10, "syntax error"),
        ("tel.lp", "{ press", "{{ press", 3, "syntax error"),
        ("lamps/domain.pddl", "(stuck ?button - button)", "(stuck ?button - knob)", 14, "knob"),
        ("lamps/domain.pddl", ":effect (not (stuck", ":effect (not ((stuck", 23, "not closed"),
    ],
)
def test_an_error_has_its_place(
    client: Client, folder: Path, name: str, right: str, wrong: str, line: int, what: str
) -> None:
    text = (folder / name).read_text()
    assert right in text
    (error,) = client.open(name, text.replace(right, wrong))
    assert error["severity"] == 1
    assert what in error["message"] or error["range"]["start"]["line"] == line


def test_scripts_are_refused(client: Client, folder: Path) -> None:
    made = folder / "made"
    code = f"#script(python)\nopen({str(made)!r},'w')\n#end.\n"
    (error,) = client.open("lamp.lp", LAMP + code)
    assert "--allow-scripts" in error["message"]
    assert not made.exists()


def test_a_part_of_a_problem_is_no_mistake(client: Client, folder: Path) -> None:
    (folder / "alone.lp").write_text(ENCODING)
    (found,) = client.open("alone.lp")
    assert (found["code"], found["severity"]) == ("missing-instance", 3)
    (folder / "some.lp").write_text("lamp(1).\n")
    assert client.open("some.lp") == []
    assert lenses(client, "some.lp") == []


def test_a_text_without_a_file_is_checked(client: Client) -> None:
    (found,) = client.open("untitled:Untitled-1", LAMP.replace("lit(L,t-1)", "lti(L,t-1)"))
    assert found["code"] == "undefined"


def test_files_of_a_problem_are_checked_together_and_unsaved(client: Client) -> None:
    assert client.open("parts/encoding.lp") == []
    client.open("parts/two.lp")
    client.change("parts/two.lp", "lamp(1..2). light(1).\n")
    (found,) = client.diagnostics("parts/two.lp")
    assert found["code"] == "unread-fact"
    client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri("parts/two.lp")}})
    assert client.diagnostics("parts/two.lp") == []


def test_settings_that_cannot_be_read_are_reported_until_they_can(
    client: Client, folder: Path
) -> None:
    home = folder / "odd"
    home.mkdir()
    (home / "lamp.lp").write_text(LAMP)
    (home / "asplan.toml").write_text("warn = 3\n")
    (found,) = client.open("odd/lamp.lp")
    assert "the settings are not used" in found["message"]
    assert "asplan.toml:1" in found["message"]
    (home / "asplan.toml").write_text('warn = ["no-undefined"]\n')
    client.change("odd/lamp.lp", LAMP.replace("query(t), lamp(L)", "query(t), lmp(L)"))
    assert client.diagnostics("odd/lamp.lp") == []
    (home / "asplan.toml").unlink()
    client.change("odd/lamp.lp", LAMP.replace("query(t), lamp(L)", "query(t), lmap(L)"))
    assert [each["code"] for each in client.diagnostics("odd/lamp.lp")] == ["undefined"]


def test_included_files_are_checked_as_parts_of_their_program(client: Client, folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "all.lp").write_text('#include "facts.lp".\n' + ENCODING)
    (folder / "more" / "facts.lp").write_text("lamp(1..2).\n")
    assert client.open("more/facts.lp") == []
    client.change("more/facts.lp", "lmp(1..2).\n")
    (found,) = client.diagnostics("more/all.lp")
    assert found["code"] == "undefined"


def test_columns_are_counted_as_the_client_counts_them(folder: Path) -> None:
    text = LAMP.replace("query(t), lamp(L)", 'query(t), "🌍é" != L, lmp(L)')
    for encoding, column in (("utf-16", 25), ("utf-32", 24), ("utf-8", 28)):
        with session(folder, encodings=[encoding]) as client:
            (found,) = client.open("lamp.lp", text)
            assert found["range"]["start"] == {"line": 8, "character": column}
            assert "lamp" in str(client.at("hover", "lamp.lp", (2, 1)))
            hover = client.at("hover", "lamp.lp", (8, column + 1))
            assert hover["range"]["start"]["character"] == column


# Names


def test_hover_names_role_arity_delay_and_definitions(client: Client) -> None:
    client.open("lamp.lp")
    fluent = client.at("hover", "lamp.lp", place_of(LAMP, "lit"))["contents"]["value"]
    assert "**lit/2** — a fluent" in fluent
    assert "argument 2 is the time" in fluent
    assert "- `lit(L,t)` (line 6)" in fluent
    action = client.at("hover", "lamp.lp", place_of(LAMP, "press"))["contents"]["value"]
    assert "an action" in action
    static = client.at("hover", "lamp.lp", place_of(LAMP, "lamp(L)"))["contents"]["value"]
    assert "static" in static


def test_hover_has_the_sizes_of_a_rule_from_the_last_profile(client: Client) -> None:
    client.open("lamp.lp")
    place = place_of(LAMP, ":- press")
    assert client.at("hover", "lamp.lp", place) is None
    client.command("asplan.profile", "lamp.lp")
    found = client.at("hover", "lamp.lp", place)
    times = "(time 0, 1, …: 0, 2, 2, 2, 2, 2)"
    assert found["contents"]["value"] == f"this rule: 10 instances up to 5 steps {times}"
    assert found["range"]["start"] == {"line": 5, "character": 0}
    found = client.at("hover", "lamp.lp", place_of(LAMP, "press"))["contents"]["value"]
    assert "an action" in found
    assert "this rule:" in found
    client.change("lamp.lp", LAMP + "% changed\n")
    client.diagnostics("lamp.lp")
    assert client.at("hover", "lamp.lp", place) is None


def test_hover_names_the_delay_of_an_action(client: Client) -> None:
    text = LAMP.replace("press(L,t) : lamp(L)", "press(L,t-1) : lamp(L)")
    text = text.replace("lit(L,t) :- press(L,t)", "lit(L,t) :- press(L,t-1)")
    client.open("lamp.lp", text)
    found = client.at("hover", "lamp.lp", place_of(text, "press"))["contents"]["value"]
    assert "an action at time t belongs to step t+1" in found


def test_roles_stay_while_a_text_is_half_typed(client: Client) -> None:
    client.open("lamp.lp")
    text = LAMP + ":- lit(L"
    client.change("lamp.lp", text)
    (error,) = client.diagnostics("lamp.lp")
    assert error["severity"] == 1
    assert "a fluent" in str(client.at("hover", "lamp.lp", place_of(text, "lit", 3)))


@pytest.mark.parametrize(
    ("name", "text", "word", "about"),
    [
        ("single.lp", SINGLE, "on(B", "a fluent"),
        ("single.lp", SINGLE, "move", "an action"),
        ("single.lp", SINGLE, "n=4", "constant"),
        ("tel.lp", TELINGO, "lit", "a fluent"),
        ("tel.lp", TELINGO, "press", "an action"),
    ],
)
def test_hover_of_other_programs(
    client: Client, name: str, text: str, word: str, about: str
) -> None:
    client.open(name)
    assert about in str(client.at("hover", name, place_of(text, word)))


def test_definitions_and_references(client: Client) -> None:
    client.open("lamp.lp")
    found = client.at("definition", "lamp.lp", place_of(LAMP, "lit", 3))
    assert [each["range"]["start"]["line"] for each in found] == [5, 6]
    context = {"includeDeclaration": False}
    found = client.at("references", "lamp.lp", place_of(LAMP, "lit"), context=context)
    assert [each["range"]["start"]["line"] for each in found] == [6, 8]
    found = client.at("documentHighlight", "lamp.lp", place_of(LAMP, "press"))
    assert [each["kind"] for each in found] == [3, 2, 2]
    assert client.at("definition", "lamp.lp", (0, 3)) == []


def test_a_name_is_defined_and_renamed_in_all_files_of_its_problems(
    client: Client, folder: Path
) -> None:
    client.open("parts/encoding.lp")
    place = place_of(ENCODING, "lamp(L)")
    found = client.at("definition", "parts/encoding.lp", place)
    assert [each["uri"].rpartition("/")[2] for each in found] == ["two.lp", "three.lp"]
    changes = client.at("rename", "parts/encoding.lp", place, newName="light")["changes"]
    files = {uri.rpartition("/")[2]: edits for uri, edits in changes.items()}
    assert {name: len(edits) for name, edits in files.items()} == {
        "encoding.lp": 2,
        "two.lp": 1,
        "three.lp": 1,
    }
    text = edited("lamp(1..3).\n", files["three.lp"])
    assert text == "light(1..3).\n"


def test_a_variable_is_renamed_in_its_rule_alone(client: Client) -> None:
    client.open("lamp.lp")
    place = place_of(LAMP, "(L,t)", 1)
    changes = client.at("rename", "lamp.lp", (place[0], place[1] + 1), newName="Lamp")["changes"]
    (edits,) = changes.values()
    assert edited(LAMP, edits) == LAMP.replace(
        "lit(L,t) :- press(L,t)", "lit(Lamp,t) :- press(Lamp,t)"
    )


def test_the_parameter_is_renamed_in_its_part_alone(client: Client) -> None:
    client.open("lamp.lp")
    line, column = place_of(LAMP, "step(t)")
    changes = client.at("rename", "lamp.lp", (line, column + 5), newName="k")["changes"]
    (edits,) = changes.values()
    text = edited(LAMP, edits)
    assert "lit(L,k) :- lit(L,k-1)." in text
    assert ":- query(t), lamp(L), not lit(L,t)." in text


@pytest.mark.parametrize("new", ["Upper", "not", "a b", "", "1a", "a)."])
def test_other_words_are_no_names(client: Client, new: str) -> None:
    client.open("lamp.lp")
    assert client.at("rename", "lamp.lp", place_of(LAMP, "lit"), newName=new) is None


def test_what_is_not_the_authors_is_not_renamed(client: Client) -> None:
    client.open("lamp.lp")
    for word in ("query", "step"):
        assert client.at("prepareRename", "lamp.lp", place_of(LAMP, word)) is None
    found = client.at("prepareRename", "lamp.lp", place_of(LAMP, "press"))
    assert inside(LAMP, found) == "press"


def test_telingo_names_are_renamed_with_their_marks(client: Client) -> None:
    client.open("tel.lp")
    changes = client.at("rename", "tel.lp", place_of(TELINGO, "lit"), newName="on")["changes"]
    (edits,) = changes.values()
    assert edited(TELINGO, edits) == TELINGO.replace("lit", "on")


def test_pddl_names_are_found_in_domain_and_problems(client: Client, folder: Path) -> None:
    domain = (folder / "lamps" / "domain.pddl").read_text()
    assert client.open("lamps/domain.pddl") == []
    line, column = place_of(domain, "wired ?button ?lamp")
    found = client.at("hover", "lamps/domain.pddl", (line, column))["contents"]["value"]
    assert "wired/2" in found
    assert "`(wired ?button - button ?lamp - lamp)`" in found
    context = {"includeDeclaration": True}
    found = client.at("references", "lamps/domain.pddl", (line, column), context=context)
    files = {each["uri"].rpartition("/")[2] for each in found}
    assert files == {"domain.pddl", "lamps-1.pddl", "lamps-2.pddl", "lamps-3.pddl"}
    changes = client.at("rename", "lamps/domain.pddl", (line, column), newName="tied")["changes"]
    edits = changes[client.uri("lamps/domain.pddl")]
    assert edited(domain, edits) == domain.replace("(wired ?", "(tied ?")


# Completion


def labels(client: Client, name: str, place: tuple[int, int]) -> dict[str, Any]:
    return {each["label"]: each for each in client.at("completion", name, place)}


def test_completion_offers_predicates_with_their_arguments(client: Client) -> None:
    text = LAMP + ":- li\n#sh\n#program \n"
    client.open("lamp.lp")
    client.change("lamp.lp", text)
    found = labels(client, "lamp.lp", place_of(text, "li\n"))
    assert found["lit"]["insertText"] == "lit(${1:L},${2:t})"
    assert "a fluent" in found["lit"]["detail"]
    assert {"press", "lamp", "query", "t"} <= found.keys()
    line, column = place_of(text, "#sh\n")
    assert "#show" in labels(client, "lamp.lp", (line, column + 3))
    line, column = place_of(text, "#program \n")
    assert "check(t)" in labels(client, "lamp.lp", (line, column + 9))


def test_completion_offers_names_of_the_instance(client: Client) -> None:
    text = ENCODING + ":- \n"
    client.open("parts/encoding.lp", text)
    line, column = place_of(text, ":- \n")
    assert "lamp" in labels(client, "parts/encoding.lp", (line, column + 3))


def test_completion_offers_constants_and_objects(client: Client) -> None:
    text = SINGLE + ":- on(\n"
    client.open("single.lp", text)
    line, column = place_of(text, ":- on(\n")
    assert {"n", "table", "a"} <= labels(client, "single.lp", (line, column + 6)).keys()


def test_completion_in_pddl(client: Client, folder: Path) -> None:
    domain = (folder / "lamps" / "domain.pddl").read_text()
    text = domain.replace("(stuck ?button - button)", "(stuck ?button - ) (: )")
    client.open("lamps/domain.pddl", text)
    line, column = place_of(text, "- )")
    assert labels(client, "lamps/domain.pddl", (line, column + 2)).keys() == {"button", "lamp"}
    line, column = place_of(text, "(: )")
    assert ":action" in labels(client, "lamps/domain.pddl", (line, column + 2))
    line, column = place_of(text, "(wired ?button ?lamp)")
    found = labels(client, "lamps/domain.pddl", (line, column + 1))
    assert found["wired"]["insertText"] == "wired ${1:?button} ${2:?lamp}"


# Outline, folding, tokens


def test_the_outline_has_parts_and_what_they_define(client: Client, folder: Path) -> None:
    client.open("lamp.lp")
    found = client.of("documentSymbol", "lamp.lp")
    outline = {each["name"]: [sub["name"] for sub in each["children"]] for each in found}
    assert outline == {
        "#program base": ["lamp/1"],
        "#program step": ["press/2", "lit/2"],
        "#program check": [],
    }
    client.open("lamps/domain.pddl")
    found = client.of("documentSymbol", "lamps/domain.pddl")
    outline = {each["name"]: [sub["name"] for sub in each["children"]] for each in found}
    assert outline[":predicates"] == ["lit/1", "wired/2", "stuck/1", "holds/2"]
    assert outline[":types"] == ["button", "lamp"]


def test_folding(client: Client) -> None:
    text = "% one\n% two\n" + LAMP.replace(":- query(t),", ":-\n  query(t),")
    client.open("lamp.lp", text)
    found = client.of("foldingRange", "lamp.lp")
    folds = {(each["startLine"], each["endLine"], each["kind"]) for each in found}
    assert (0, 2, "comment") in folds
    assert (5, 8, "region") in folds
    assert (10, 11, "region") in folds


@pytest.mark.parametrize(
    ("name", "text", "fluent"),
    [("lamp.lp", LAMP, "lit"), ("single.lp", SINGLE, "on"), ("tel.lp", TELINGO, "lit")],
)
def test_tokens_have_roles(client: Client, name: str, text: str, fluent: str) -> None:
    client.open(name)
    found = tokens(client, name, text)
    assert (fluent, "property") in found
    action = "move" if name == "single.lp" else "press"
    static = "block" if name == "single.lp" else "lamp"
    assert (action, "method") in found
    assert (static, "class") in found
    assert ("L", "variable") in found


def test_tokens_of_pddl(client: Client, folder: Path) -> None:
    client.open("lamps/domain.pddl")
    text = (folder / "lamps" / "domain.pddl").read_text()
    found = tokens(client, "lamps/domain.pddl", text)
    expected = {("press", "method"), ("button", "type"), ("?lamp", "variable")}
    assert expected <= found


# Fixes


def test_a_misspelt_name_is_replaced_or_declared(client: Client) -> None:
    text = LAMP.replace("query(t), lamp(L)", "query(t), lmap(L)")
    (diagnostic,) = client.open("lamp.lp", text)
    found = fixes(client, "lamp.lp", diagnostic)
    assert edited(text, found["Replace lmap by lamp"]) == LAMP
    declared = edited(text, found["Add #defined lmap/1: it may have no atoms"])
    client.change("lamp.lp", declared)
    assert client.diagnostics("lamp.lp") == []


@pytest.mark.parametrize("where", ["line", "file"])
def test_a_warning_is_switched_off(client: Client, where: str) -> None:
    text = LAMP.replace("query(t), lamp(L)", "query(t), lmap(L)")
    (diagnostic,) = client.open("lamp.lp", text)
    edits = fixes(client, "lamp.lp", diagnostic)[f"Switch undefined off in this {where}"]
    client.change("lamp.lp", edited(text, edits))
    assert client.diagnostics("lamp.lp") == []


def test_hidden_actions_are_shown(client: Client) -> None:
    text = LAMP.replace("#show press/2.", "#show lamp/1.")
    (diagnostic,) = client.open("lamp.lp", text)
    assert diagnostic["code"] == "hidden-actions"
    edits = fixes(client, "lamp.lp", diagnostic)["Add #show press/2"]
    assert edited(text, edits) == text + "#show press/2.\n"


def test_a_circular_rule_reads_the_time_before(client: Client) -> None:
    text = LAMP.replace("lit(L,t) :- lit(L,t-1).", "lit(L,t) :- lit(L,t), lamp(L).")
    found = client.open("lamp.lp", text)
    diagnostic = next(each for each in found if each["code"] == "circular")
    edits = fixes(client, "lamp.lp", diagnostic)
    (title,) = [each for each in edits if each.startswith("Read lit at the time before")]
    assert "lit(L,t) :- lit(L,t-1), lamp(L)." in edited(text, edits[title])


@pytest.mark.parametrize(
    ("text", "name", "place", "argument"),
    [
        ("p :- lit(pos(L, 1), t), q.", "lit", 1, "t"),
        ('p :- X != "é", lit("é", T ).', "lit", 1, "T"),
        ("p :- lit(L,t-1).", "lit", 1, None),
        ("p :- lit(L,f(t)).", "lit", 1, None),
        ("p :- lit.", "lit", 0, None),
        ("p :- lit(\n  L,\n  t).", "lit", 1, "t"),
    ],
)
def test_a_time_is_found_if_it_is_a_name(
    text: str, name: str, place: int, argument: str | None
) -> None:
    occurrence = next(each for each in index_asp(text).occurrences if each.name.text == name)
    span = time_span(text, occurrence.span, place)
    lines = text.split("\n")
    found = None if span is None else lines[span.line][span.column : span.end_column]
    assert found == argument


def test_query_is_declared_for_clingo(client: Client) -> None:
    client.open("lamp.lp")
    nowhere = {"start": {"line": 8, "character": 0}, "end": {"line": 8, "character": 0}}
    context: dict[str, Any] = {"diagnostics": []}
    (action,) = client.of("codeAction", "lamp.lp", range=nowhere, context=context)
    (edits,) = action["edit"]["changes"].values()
    text = edited(LAMP, edits)
    assert "#program check(t).\n#external query(t).\n" in text
    client.change("lamp.lp", text)
    assert client.diagnostics("lamp.lp") == []
    assert client.of("codeAction", "lamp.lp", range=nowhere, context=context) == []


# Hints, lenses and commands


def test_the_horizon_is_marked(client: Client) -> None:
    client.open("single.lp")
    assert hints(client, "single.lp") == [(0, "horizon ")]


def test_a_problem_is_solved_and_counted(client: Client) -> None:
    client.open("lamp.lp")
    assert lenses(client, "lamp.lp") == ["Solve", "Play", "Count instances"]
    answer = client.command("asplan.solve", "lamp.lp")
    assert (answer["outcome"], answer["steps"]) == ("optimal", 2)
    assert client.messages == ["optimal: 2 steps"]
    assert lenses(client, "lamp.lp")[0] == "Solve: 2 steps"
    assert "workspace/codeLens/refresh" in client.refreshed
    client.command("asplan.profile", "lamp.lp")
    assert (2, "2 instances") in hints(client, "lamp.lp")
    client.change("lamp.lp", LAMP + "% changed\n")
    client.diagnostics("lamp.lp")
    assert lenses(client, "lamp.lp")[0] == "Solve"
    assert hints(client, "lamp.lp") == []
    assert client.command("asplan.solve", "lamp.lp") is None
    assert client.messages[-1] == "lamp.lp is not saved; save it, and try again"


def test_a_missing_plan_is_explained(client: Client) -> None:
    client.open("dark.lp")
    assert client.command("asplan.solve", "dark.lp")["outcome"] == "unsolvable"
    assert lenses(client, "dark.lp") == ["Solve: unsolvable", "Why no plan?", "Count instances"]
    assert "dark.lp:8:1 goal" in client.command("asplan.explain", "dark.lp")


@pytest.mark.parametrize("name", ["lamp.lp", "lamps/lamps-1.pddl"])
def test_a_plan_is_played(folder: Path, name: str) -> None:
    with session(folder) as client:
        client.open(name)
        page = Path(client.command("asplan.play", name)["page"])
        assert "<html" in page.read_text()
    assert not page.exists()


@pytest.mark.parametrize("name", ["single.lp", "tel.lp", "lamps/domain.pddl"])
def test_other_problems_are_solved(client: Client, name: str) -> None:
    client.open(name)
    assert client.command("asplan.solve", name)["outcome"] == "optimal"


def test_files_that_were_solved_last_belong_together(client: Client) -> None:
    client.open("parts/three.lp")
    answer = client.command("asplan.solve", "parts/three.lp")
    assert answer["steps"] == 3
    client.open("parts/encoding.lp")
    assert lenses(client, "parts/encoding.lp")[0] == "Solve: 3 steps"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "asplan.editor.server", raising=False)
    with pytest.raises(MissingExtra, match="asplan lsp needs the package pygls") as raised:
        command.main([], standalone_mode=False)
    assert raised.value.hint == pip_install("editor")
