"""The times of a single-shot program, from which its horizon follows.

`time_bounds` finds the candidates for the last time, and `timing` the bounds that constants set.
`earliest` and `latest` have the times that rules allow, and `latest` those on which the goal
depends. `timeline` has the first and the last state. `horizon` combines all of this.
`theory_times` finds the times of variables in theory atoms.
"""
