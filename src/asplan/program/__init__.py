"""ASP programs: a folder for each station, in the order in which a program passes them.

1. `reading`: from a file's text to a unit, the statements of a file and what they define and read.
2. `syntax`: clingo's trees, terms, and the text of statements. All other folders use it.
3. `composition` makes a program of units. `incremental` defines a program with parts.
4. `model`: the rules and literals of a program, made once. All analyses read them.
5. `times`: the horizon of a program without parts.
6. `roles`: actions, fluents and the goal.
7. `conversion`: from programs without parts, or of telingo, to incremental ones.
8. `transitions`: programs whose steps are alike, and steps that cost the same at every time.

`ground` grounds: the facts of an instance with their places, and observers and counters of ground
programs. `bounds` finds recursion without an end, and `theory` the package of theory atoms.
"""
