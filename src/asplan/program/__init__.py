"""From text to an ASP program, in the order in which it passes through.

`source` reads files into statements, `unit` knows what the statements of one file define and read,
`foreign` refuses programs of other kinds, `contract` reads what a program says to asplan, and
`incremental` puts files together. `rewrite` and `anonymous` keep late steps from costing more than
early ones. `grounded` derives the facts of an instance.
"""
