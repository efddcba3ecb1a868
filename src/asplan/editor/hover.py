"""Hover: the kind and the role of a name, and its definitions."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from asplan.editor.checking import Key, PredicateRole
from asplan.editor.documents import Document
from asplan.editor.index import Kind, Name, Occurrence, Use
from asplan.editor.profile import RuleProfile, RuleSizes, instances
from asplan.editor.project import occurrences

_MOST = 5  # places that are listed

_ABOUT = {
    Kind.TERM: "constant",
    Kind.VARIABLE: "variable",
    Kind.PARAMETER: "parameter of the part",
    Kind.PART: "part",
    Kind.ACTION: "action",
    Kind.TYPE: "type",
    Kind.OBJECT: "object",
}

_ROLES = {
    "action": "an action: a step chooses it",
    "fluent": "a fluent: a state hands it on to the next",
    "timed": "depends on the time, and is no fluent: nothing reads it at a later time",
    "static": "static: it never changes",
}


def hover_at(
    documents: list[Document],
    line: int,
    column: int,
    roles: Mapping[Key, PredicateRole],
    profile: RuleProfile,
) -> types.Hover | None:
    """Return the hover text for a place of the first document: its name, and the size of its rule.

    Return None if there is no name at the place, and the profile has no size of a rule there.
    """
    document = documents[0]
    found = document.index.at(line, column)
    statement = document.index.statement_at(line, column)
    lines = [] if found is None else _lines_of_name(documents, found, roles)
    if statement is not None:
        lines += _sizes(profile.sizes.get((document.path, statement.span.line)), profile.horizon)
    span = found.span if found is not None else None
    if span is None and statement is not None:
        span = statement.span
    if span is None or not lines:
        return None
    text = types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(lines))
    return types.Hover(text, document.range(span))


def _lines_of_name(
    documents: list[Document], occurrence: Occurrence, roles: Mapping[Key, PredicateRole]
) -> list[str]:
    """Return the kind and the role of a name, its time, and the places that define it."""
    name = occurrence.name
    lines = [f"**{name}** — {describe(name, roles, documents[0].is_pddl)}"]
    lines += _times(name, roles)
    lines += _definitions(occurrences(documents, name), documents[0])
    return lines


def _sizes(sizes: RuleSizes | None, horizon: int) -> list[str]:
    """Return sentences about the size of a rule; an empty list if `sizes` is None."""
    if sizes is None:
        return []
    steps = f"{horizon} step{'' if horizon == 1 else 's'}"
    text = f"this rule: {instances(sizes.instances)} up to {steps}"
    if sizes.by_time:
        text += f" (time 0, 1, …: {', '.join(f'{count:,}' for count in sizes.by_time)})"
    return [text, *filter(None, [sizes.advice])]


def describe(name: Name, roles: Mapping[Key, PredicateRole], is_pddl: bool) -> str:
    """Return the kind and the role of a name in words."""
    if name.kind is not Kind.PREDICATE:
        is_function = name.kind is Kind.TERM and name.arity
        return "function term" if is_function else _ABOUT[name.kind]
    if is_pddl:
        return "predicate or function"
    role = roles.get((name.text, name.arity or 0))
    return "predicate" if role is None else _ROLES[role.role]


def _times(name: Name, roles: Mapping[Key, PredicateRole]) -> list[str]:
    """Return a sentence about the time argument of a predicate; an empty list if it has none."""
    role = roles.get((name.text, name.arity or 0)) if name.kind is Kind.PREDICATE else None
    if role is None or role.time is None:
        return []
    time = f"argument {role.time + 1} is the time"
    if role.role == "action" and role.delay:
        time += "; an action at time t belongs to step t+1"
    return [time]


def _definitions(places: list[tuple[Document, Occurrence]], document: Document) -> list[str]:
    """Return a list of the places that define a name, in Markdown."""
    defined = [each for each in places if each[1].use is Use.DEFINE]
    if not defined:
        return []
    rows = []
    for other, occurrence in defined[:_MOST]:
        file = "" if other is document else f"{other.path.rpartition('/')[2]}, "
        rows.append(f"- `{occurrence.written}` ({file}line {occurrence.span.line + 1})")
    if len(defined) > _MOST:
        rows.append(f"- and {len(defined) - _MOST} more")
    return ["defined by\n" + "\n".join(rows)]
