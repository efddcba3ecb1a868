"""Talk: Brain Twist's turns, what its rules are worth, and the states at each distance.

    python scripts/brain_twist.py turns        the table of turns and the solved arrangements
    python scripts/brain_twist.py rules        what the rules of the talk are worth
    python scripts/brain_twist.py distances    the number of states at each distance from the goal

Each has `--quick`, and `--help` tells what else. scripts/lib/brain_twist has what they do.
"""

from __future__ import annotations

from lib.brain_twist import distances, rules, turns
from lib.studies import run_study

STUDIES = {"turns": turns, "rules": rules, "distances": distances}

if __name__ == "__main__":
    run_study(__doc__, STUDIES)
