"""The cost of grounding: sizes of ground programs, comparisons of encodings, profiles of rules."""
