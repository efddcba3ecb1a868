"""A page on which a person plays a puzzle: any problem whose states can be searched.

`game` packs all states into one page, where they are not too many. Else `server` answers what the
page asks about the states around the player.
"""

MOST_STATES = 60_000  # those that a page holds; it has some two megabytes then
