"""From a program to an answer.

`engine` chooses the mode: `controller` grounds and solves horizon by horizon, `oneshot` in a single
call. `session` is clingo with a clock, `opening` gives it its options, `answer` and `plans` read
what it finds. `replay` checks a plan in a fresh clingo, and `order` puts its actions in order.
"""
