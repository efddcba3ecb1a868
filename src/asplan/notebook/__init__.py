"""How answers look in a notebook, and how they become tables.

`pages` makes HTML of `tables` and `charts`, `frames` makes data frames, `progress` tells how far a
call is. Nothing of it is imported before somebody looks.
"""
