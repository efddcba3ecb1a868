"""A page on which a person plays a puzzle: any problem whose states can be searched.

`game` opens a problem and `surroundings` describes the states near a given state. `pages` puts all
states into one page if they are few enough; otherwise `server` sends the page the states near the
player's.
"""

MOST_STATES = 60_000  # in a page, which then has about two megabytes
