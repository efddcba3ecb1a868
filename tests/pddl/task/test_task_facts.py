"""Tasks as facts: written facts are read, and errors name their place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import tasks

from asplan.core.errors import InputError
from asplan.core.facts import Facts
from asplan.pddl.task import OPTIONAL, REQUIRED
from asplan.pddl.task.facts import predicates_of, to_facts
from asplan.pddl.task.reader import read
from asplan.pddl.task.task import Task
from asplan.program.ground import ground_facts
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.unit import unit_of_text
from conftest import examples

ATOMS = st.sampled_from(["on(a,b)", "clear(7)", "arm_empty", "n3d(n_1)"])


def facts_of(text: str) -> Facts:
    return ground_facts([unit_of_text(text, "task.lp")], {}, ["task.lp"])


@st.composite
def whole_tasks(draw: st.DrawFn) -> Task:
    """Tasks that also have mutex groups, static atoms and objects."""
    task = draw(tasks())
    known = [(v, d) for v, one in enumerate(task.variables) for d in range(len(one.values))]
    group = st.lists(st.sampled_from(known), min_size=2, max_size=4, unique=True)
    things = st.tuples(st.sampled_from(["a", "7"]), st.sampled_from(["block", "object"]))
    return replace(
        task,
        mutexes=tuple(map(tuple, draw(st.lists(group, max_size=3)))),
        static=tuple(draw(st.lists(ATOMS, max_size=3, unique=True))),
        objects=tuple(draw(st.lists(things, max_size=3, unique=True))),
        has_costs=draw(st.booleans()),
        operators=tuple(
            # Effects with conditions come last, as they do where facts are read.
            replace(o, effects=tuple(sorted(o.effects, key=lambda effect: bool(effect.condition))))
            for o in task.operators
        ),
    )


@settings(deadline=None)
@given(whole_tasks())
def test_written_files_are_read_back(task: Task) -> None:
    facts = facts_of(to_facts(task))
    assert read(facts) == task
    assert REQUIRED <= facts.signatures() <= REQUIRED | OPTIONAL
    few = facts_of(to_facts(task, wanted=()))
    assert read(few) == task
    assert few.signatures().isdisjoint(
        {("cycle", 2), ("circle", 2), ("earliest", 3), ("next", 4), ("last", 3), ("seen", 4)}
    )


@settings(max_examples=examples(30), deadline=None)
@given(whole_tasks())
def test_encodings_that_read_only_the_old_name_of_cycles_get_it(task: Task) -> None:
    new = to_facts(task, {("cycle", 2)})
    old = to_facts(task, {("circle", 2)})
    assert old == new.replace("cycle", "circle")
    assert to_facts(task, {("cycle", 2), ("circle", 2)}) == new


SWITCH = """variable(v). value(v,(off;on)). initially(v,off). goal(v,on).
operator(o,press). cost(o,1). precondition(o,v,off). effect(o,v,on)."""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("goal(v,on)", "goal(w,on)", "goal(w,on): there is no variable w"),
        ("goal(v,on)", "goal(v,up)", "goal(v,up): variable v has no value up"),
        ("initially(v,off)", "initially(v,(off;on))", "variable v has a second initial value"),
        ("initially(v,off). ", "", "task.lp has no initial value for variable v"),
        ("operator(o,press). ", "", "there is no operator o"),
        ("cost(o,1)", "cost(o,-1)", "cost(o,-1): -1 is not a whole number from 0"),
        ("effect(o,v,on)", "effect(o,v,on,0)", "effect 0 has no condition"),
        ("goal(v,on)", "rule(0,v,on)", "rule(0,v,on): variable v is not derived"),
    ],
)
def test_facts_that_make_no_sense(old: str, new: str, said: str) -> None:
    assert old in SWITCH
    with pytest.raises(InputError) as error:
        read(facts_of(SWITCH.replace(old, new)))
    assert said in str(error.value)


@settings(max_examples=examples(60), deadline=None)
@given(whole_tasks())
def test_predicates_are_known_before_facts_are_made(task: Task) -> None:
    for wanted in (None, (), {("cycle", 2)}, {("circle", 2)}, {("next", 4)}):
        facts = PlainFacts("f", to_facts(task, wanted))
        made = {(name, arity) for _, name, arity in facts.signatures}
        early = predicates_of(task, wanted)
        assert made <= early
        late = {("cycle", 2), ("circle", 2), ("next", 4), ("last", 3), ("seen", 4), ("earliest", 3)}
        assert early - made <= late
