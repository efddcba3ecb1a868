"""The conversion of single-shot and telingo programs to incremental ones.

`normal` brings statements into normal form, and `normal_rules` sees them by their times. `settling`
finds the horizons at which the instances of each rule settle, and `part_writer` writes the parts,
with the `simplification` of each copy. `conversion` does all that. `writing` formats the result for
people. `telingo` divides temporal programs into parts.
"""
