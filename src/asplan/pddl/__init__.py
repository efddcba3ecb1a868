"""pddl"""
