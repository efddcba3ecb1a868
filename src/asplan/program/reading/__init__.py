"""The reading of files into units: text, facts, scripts, comments, contracts, and their errors.

`source` reads files. `scan` examines their text, and `plain_facts` keeps facts as text. If clingo
refuses a text, `diagnosis` and `hints` explain the error. `unit` has the predicates that the
statements of a file define and read. `foreign` refuses programs for other tools, and `contract`
reads the facts `asplan(…)`. `scripts` runs the Python code in programs, and `comments` assigns
comments to statements.
"""
