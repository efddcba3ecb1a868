"""A language server for ASP and PDDL: diagnostics, navigation, completion and commands."""
