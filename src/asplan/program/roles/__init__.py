"""The roles of predicates: actions, fluents, static predicates, and the goal."""
