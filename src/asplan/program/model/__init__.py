"""The model of a program with times: its rules, their literals, and the sorts of arguments.

`program` has the rules and literals of a whole program. In programs without parts, `successors`
finds predicates such as `next(T,T+1)`, `sorts` the arguments that are times, and `timed_rules` sees
rules by the times of one sort.
"""
