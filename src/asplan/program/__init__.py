"""ASP programs: the modules in the order in which a program passes them.

1. text: `source` reads files; `scan` examines them, and keeps `plain_facts` as text. If clingo
   refuses a text, `diagnosis` and `hints` explain the error.
2. syntax: `syntax` reads clingo's trees, and is the only importer of `clingo.ast`; `terms` has sums
   with a number and comparisons, `wording` the author's text of a statement.
3. unit: `unit` has the predicates that the statements of one file define and read; `foreign`
   refuses other kinds of programs; `contract` reads the facts `asplan(…)`; `inputs` recognises a
   missing instance.
4. program: `incremental` defines a program with parts, and `composition` makes it of units. `model`
   has its rules and their literals, made once from the syntax trees: all analyses read them.
5. rewriting: `rewrite` keeps late steps from costing more than early ones.
6. time analysis: `happening` collects the evidence for actions and fluents, `roles` decides about
   it, `stepwise` decides which programs are transition systems, `clock` and `retiming` make more
   programs transition systems.
7. programs without parts: `term_uses` has the terms of rules that may be times, `successors` the
   predicates such as `next(T,T+1)`. `sorts` finds the arguments that are times, `time_bounds` the
   candidates for the last time, and `timing` the bounds that constants set. `temporal` sees rules
   by the times of one sort, `earliest` and `reach` have the times that they allow and those on
   which the goal depends, `timeline` the first and the last state. `horizon` combines all of this.
8. conversion: `normal` brings statements into normal form, `normal_rules` sees them by their times,
   and `settling` finds the horizons at which each rule settles. `conversion` does all that, and
   `part_writer` writes the parts, with `simplification` of each copy. `writing` formats them for
   people, with the `comments` of their authors. `analysis_parts` makes other parts, which are read
   and never grounded.
9. other tools: `telingo` divides temporal programs into parts; `theory` finds the package of theory
   atoms, `theory_times` the times of their variables.
10. drawings: `cells` finds the columns of boards.

`ground` grounds: the facts of an instance with their places, and observers and counters of ground
programs. `scripts` runs the Python code in programs.
"""
