"""State-space search over the domain protocol, one textbook algorithm a module.

`search` holds what they share: the counts and the result. An algorithm is a function from
a `Search` to a `Result`; `engines` gives each its name and its options.
"""
