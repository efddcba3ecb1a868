"""From text to an ASP program, in the order in which it passes through.

1. text: `source` reads files; `scan` looks through them, and keeps plain facts as text.
2. syntax: `syntax` reads clingo's trees, and is the one door to `clingo.ast`.
3. unit: `unit` knows what the statements of one file define and read, and refuses other kinds of
   programs; `contract` reads what a program says to asplan.
4. program: `incremental` puts units together.
5. rewriting: `rewrite` keeps late steps from costing more than early ones.
6. time analysis: `roles` tells what happens and what a state is of any program, `stepwise` which
   programs are transition systems, and `retiming` makes some of them such.
7. programs without parts: `sorts` tells which arguments are times, `horizon` what bounds them, and
   `timing` what happens when. `normal` has the rules in the form in which `times` tells when each
   is settled; `conversion` puts them into parts, and `writing` writes these for people.
8. other tools: `telingo` puts temporal programs into parts, `theory` tells whose theory atoms are.

`ground` has what clingo is needed for: the facts of an instance with their places, the Python code
in programs, and what is grounded and counted for those who run them.
"""
