"""Nodes of a syntax tree that keep their computed values."""

from clingo.ast import parse_string

from asplan.program.syntax import Node


def test_a_node_takes_the_place_of_another() -> None:
    made = []
    parse_string("p(X) :- q(X).", made.append)
    node = Node(made[-1])
    assert str(node) == "p(X) :- q(X)."
    assert node.head is node.head
    made[-1].__del__()  # holds nothing any more


def test_a_node_that_an_interrupt_left_unfinished_is_let_go() -> None:
    Node.__new__(Node).__del__()
