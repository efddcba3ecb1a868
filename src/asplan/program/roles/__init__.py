"""The roles of predicates: actions, fluents, static predicates, and the goal.

`evidence` collects what tells actions from fluents, `roles` decides about it, and `actions` has the
actions that a program or its user names. `analysis_parts` divides a program without parts for these
analyses. `understanding` describes the result for people, `inputs` recognises a missing instance,
and `cells` finds the columns of a board.
"""
