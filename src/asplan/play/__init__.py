"""A page on which a person plays a puzzle: any problem whose states can be searched.

`game` opens a problem and `surroundings` describes the states near one. `pages` puts all states
into one page if they are few enough; otherwise `server` sends the states near the player.
"""

MOST_STATES = 60_000  # in a page, which then has about two megabytes
