"""The predicates of a finite-domain task in facts, which the encodings in encodings/pddl read."""

from __future__ import annotations

REQUIRED = frozenset({("variable", 1), ("value", 2), ("initially", 2), ("operator", 2)})
OPTIONAL = frozenset(
    {
        ("goal", 2),
        ("cost", 2),
        ("costs", 0),
        ("precondition", 3),
        ("effect", 3),
        ("effect", 4),
        ("when", 3),
        ("derived", 2),
        ("rule", 3),
        ("body", 3),
        ("mutex", 3),
        ("circles", 0),
        ("circle", 2),
        ("next", 4),
        ("last", 3),
        ("seen", 4),
        ("static", 1),
        ("object", 2),
    }
)
