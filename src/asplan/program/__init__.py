"""From text to an ASP program, in the order in which it passes through.

1. text: `source` reads files; `scan` looks through them, and keeps plain facts as text.
2. syntax: `syntax` reads clingo's trees, and is the one door to `clingo.ast`.
3. unit: `unit` knows what the statements of one file define and read, and refuses other kinds of
   programs; `contract` reads what a program says to asplan, `grounded` the facts of an instance.
4. program: `incremental` puts units together; `scripts` runs the Python code in them.
5. rewriting: `rewrite` keeps late steps from costing more than early ones.
6. time analysis: `clock` and `stepwise` tell what a step is, and which atoms a state is made of.
   `roles` tells what happens and what a state is of any program.
7. programs without parts: `sorts` tells which arguments are times, `bounds` and `horizon` what
   bounds them, and `view` shows such a program as if it had parts. `normal` has its rules in the
   form in which `times` tells when each is settled; `conversion` puts them into parts, and
   `writing` writes these for people.
8. other tools: `telingo` puts temporal programs into parts, `theory` tells whose theory atoms are.

`hints` says what a syntax error may mean. `ground` is for those who run programs: what clingo
grounds, and what it counts.
"""
