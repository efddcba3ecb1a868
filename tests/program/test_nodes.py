"""Nodes of a syntax tree that keep their computed values."""

from clingo.ast import parse_string

from asplan.clingo import Number
from asplan.program.syntax import Function, Node, SymbolicTerm


def test_a_node_takes_the_place_of_another() -> None:
    made = []
    parse_string("p(X) :- q(X).", made.append)
    node = Node(made[-1])
    assert str(node) == "p(X) :- q(X)."
    assert node.head is node.head
    made[-1].__del__()  # holds nothing any more


def test_a_node_that_an_interrupt_left_unfinished_is_let_go() -> None:
    Node.__new__(Node).__del__()


def test_a_changed_node_is_equal_to_the_parsed_one() -> None:
    made = []
    parse_string("p(X) :- q(X). p(X) :- q(X), r(1).", made.append)
    first, second = map(Node, made[1:])
    changed = first.update(body=[*first.body, second.body[1]])
    assert changed == second
    assert hash(changed) == hash(second)
    assert str(changed) == str(second)
    assert str(first) == "p(X) :- q(X)."


def test_a_node_that_nobody_reads_is_not_made() -> None:
    made = []
    parse_string("p(1).", made.append)
    place = made[-1].location
    term = Function(place, "f", [SymbolicTerm(place, Number(2))], False)
    assert "_is_open" in vars(term)
    assert str(term) == "f(2)"
    assert "_is_open" not in vars(term)
