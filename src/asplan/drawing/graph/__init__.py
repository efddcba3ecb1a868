"""A state space as a picture, or as a page in which each state shows itself."""
