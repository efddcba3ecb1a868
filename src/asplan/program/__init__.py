"""From text to an ASP program, in the order in which it passes through.

1. text: `source` reads files; `scan` looks through them, and keeps plain facts as text.
2. syntax: `syntax` reads clingo's trees, and is the one door to `clingo.ast`.
3. unit: `unit` knows what the statements of one file define and read, and refuses other kinds of
   programs; `contract` reads what a program says to asplan.
4. program: `incremental` puts units together.
5. rewriting: `rewrite` keeps late steps from costing more than early ones.
6. time analysis: `roles` finds the actions and fluents of any program, by the evidence of
   `happening`; `stepwise` decides which programs are transition systems, `clock` replaces
   comparisons of the time for it, and `retiming` makes more programs transition systems.
7. programs without parts: `clauses` has the terms of their statements, `sorts` finds which
   arguments are times, `time_bounds` the candidates for the last time, and `timing` what a constant
   bounds. `temporal` has the rules with times, `earliest` and `reach` the times that they allow and
   those that the goal depends on, `timeline` the first and the last state. `horizon` puts all
   that together.
8. conversion: `normal` brings statements into normal form, `normal_rules` extracts their times,
   and `settling` finds the horizons at which each rule settles. `conversion` does all that, and
   `part_writer` writes the parts, with `simplification` of each copy. `writing` formats them for
   people. `analysis_parts` makes other parts, which are read and never grounded.
9. other tools: `telingo` puts temporal programs into parts, `theory` tells whose theory atoms are.

`ground` has what clingo is needed for: the facts of an instance with their places, the Python code
in programs, and what is grounded and counted for those who run them.
"""
