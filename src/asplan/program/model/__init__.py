"""The model of a program with times: its rules, their literals, and the sorts of arguments."""
