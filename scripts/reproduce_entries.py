"""The tables and figures of the five source documents, and what reproduces each.

A new table is an entry here. What cannot be reproduced is an entry, too, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

REPORT = "Report: Rush Hour in ASP (2023)"
TALK = "Talk: Brain Twist in ASP (2016)"
ASSIGNMENT = "Assignment: search on forty Rush Hour cards"
THESIS = "Thesis: A* against Z3 on Rush Hour (2025)"
ARTICLE = "Article: the fifteen-puzzle in Prolog (2022)"

DOCUMENTS = (REPORT, TALK, ASSIGNMENT, THESIS, ARTICLE)


@dataclass(frozen=True)
class Entry:
    """A table or figure, and the script that makes ours.

    In words `{folder}` stands for a folder of the entry's own, all pictures in which are shown, and
    `{runs}` for a file with the runs that the thesis's scripts share.

    Attributes
    ----------
    name
        By which it is chosen.
    document, what, published
        Where it stands, what it is and what it says there.
    script, full, quick
        A script in scripts/ and its words at each scale; None where it has no place at that scale.
    less
        What the words of `quick` leave out.
    differs
        What is not the same here as there, and why.
    boards
        The table in the folder ASPLAN_DATA that it needs; where there is none it is left out, or
        `generated` boards of the same kind stand in.
    """

    name: str
    document: str
    what: str
    published: str
    script: str
    full: str
    quick: str | None
    less: str
    differs: str
    boards: str = ""
    generated: bool = False

    def command(self, quick: bool) -> str | None:
        """The command at a scale."""
        words = self.quick if quick else self.full
        return (
            None if words is None else f"python {self.script} {words} --markdown".replace("  ", " ")
        )


@dataclass(frozen=True)
class Absent:
    """A table or figure that is not reproduced, and why."""

    document: str
    what: str
    why: str


SHARED = "--runs {runs}"
FIVE = "Five boards of a sample where Z3 runs on them."

CARDS, DATABASE = "rush_hour/jams.tsv", "rush_hour/fogleman_sample.tsv"

OTHER_BOARDS = (
    "The boards are drawn anew by the thesis's rule, for its own are not known. Our A* needs some "
    "microseconds for a state, the published one about a millisecond: compare nodes and ratios."
)

ENTRIES = (
    Entry(
        "sizes",
        REPORT,
        "Sizes of the ground programs of both versions",
        "Version 1: 31184 lines, 225893 words, 876816 bytes; version 2: 19248, 130794, 540640.",
        "scripts/report.py",
        "sizes --plot {folder}",
        "sizes --plot {folder}",
        "",
        "Its programs are written anew, rule by rule. The document prints no board; in its "
        "repository two cars of sample02 overlap in version 2, and on that board ours has five "
        "lines more.",
    ),
    Entry(
        "inertia",
        REPORT,
        "The central study: the inertia rule with an anonymous variable and spelt out",
        "7.954 s against 4.124 s, 237130 choices against 116361, 71504 conflicts against 48310, "
        "227 restarts against 171; sample02, minimize, l = 40.",
        "scripts/report.py",
        "inertia --plot {folder}",
        "inertia --quick --plot {folder}",
        "Fewer orders of the facts.",
        "Another clingo. Which of the two needs more choices depends on the order of the facts.",
    ),
    Entry(
        "boards",
        REPORT,
        "Figure 6: both versions on its configurations, the goal at a fixed time",
        "Bars without figures.",
        "scripts/report.py",
        "boards --time-limit 60 --plot {folder}",
        "boards --quick --time-limit 30 --plot {folder}",
        "Fewer boards, 30 s for a run instead of 60.",
        "The report's sample9 has two cars on (1,6); ours is the legal board.",
    ),
    Entry(
        "ways",
        REPORT,
        "The ways to run: a given limit, minimize, multi-shot",
        "Multi-shot wins where l is not known; it lost on sample02, where the given l was the "
        "optimum.",
        "scripts/report.py",
        "ways --time-limit 60 --plot {folder}",
        "ways --quick --time-limit 30 --plot {folder}",
        "Fewer boards, 30 s for a run instead of 60.",
        "Another clingo, and asplan's own encodings beside the report's programs.",
    ),
    Entry(
        "turns",
        TALK,
        "The table of turns and the solved arrangements",
        "In the table.",
        "scripts/brain_twist.py",
        "turns",
        "turns",
        "",
        "Nothing.",
    ),
    Entry(
        "rules",
        TALK,
        "The constraints that are “not needed but faster”, and rc held at position 1",
        "No figures: exactly one move chosen, eight not chosen and nine possible are said to be "
        "faster.",
        "scripts/brain_twist.py",
        "rules --published --states 10 --plot {folder}/rules.svg",
        "rules --published --quick --plot {folder}/rules.svg",
        "Two states instead of ten.",
        "The talk gives no times, and its states are not known: ours are random ones, nine moves "
        "from solved.",
    ),
    Entry(
        "states",
        TALK,
        "Every arrangement is solvable, to one of two",
        "Two solved arrangements of each goal, and no word on what leads to which.",
        "scripts/brain_twist.py",
        "distances",
        "distances",
        "",
        "Ours is a search from one of the two: it reaches 11!/2 arrangements, flipped or not, half "
        "of all; by parity the other half belongs to the other. The distances are not in the talk.",
    ),
    Entry(
        "cards",
        ASSIGNMENT,
        "The table of forty cards, and the score",
        "The additions to the queue on each card, by graph search and by A* with `blocking`; over "
        "all cards they add up to 127831 and 116149. Only additions to queues count, to several "
        "queues together. Each puzzle has its own score; a longer solution scores infinity.",
        "scripts/assignment_cards.py",
        "",
        "--quick",
        "Twelve of the forty cards.",
        "All lengths agree. Our breadth-first search stops after a whole layer, and the published "
        "way to break ties in A* is not known, so the additions differ by a few per cent.",
        boards=CARDS,
    ),
    Entry(
        "figures",
        THESIS,
        "Figures 5.1 to 5.11",
        "Areas on Sample1: cars_between 323.97, constant 334.55, Z3 with the option 237.64, "
        "without 224.67; on Sample2: A* 817.71, Z3 iterative 3608.58. Raising the limit makes the "
        "area 28.28 % smaller.",
        "scripts/thesis.py",
        f"figures -o {{folder}} {SHARED}",
        f"figures --quick -o {{folder}} {SHARED}",
        FIVE,
        f"{OTHER_BOARDS} The areas are in seconds, so only their ratios can be compared.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "heuristics",
        THESIS,
        "Table 5.1: A* with five heuristics",
        "In the table. Optimal: 100 %, 100 %, 76 %, 39 % and 79 %.",
        "scripts/thesis.py",
        f"table-5.1 {SHARED}",
        f"table-5.1 {SHARED}",
        "",
        OTHER_BOARDS,
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "tie_breaking",
        THESIS,
        "Table 5.2: three ways to break ties",
        "In the table. Tie-breaking gains nothing.",
        "scripts/thesis.py",
        f"table-5.2 {SHARED}",
        f"table-5.2 {SHARED}",
        "",
        f"{OTHER_BOARDS} Larger g takes out fewer states here, not more.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "bfs",
        THESIS,
        "Table 5.3: breadth-first search",
        "In the table. Breadth-first search needs 40 % more time than A*.",
        "scripts/thesis.py",
        f"table-5.3 {SHARED}",
        f"table-5.3 {SHARED}",
        "",
        f"{OTHER_BOARDS} A state costs our breadth-first search, which works layer by layer, less "
        "than it costs A*.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "z3",
        THESIS,
        "Table 5.4: Z3 with a growing and with a fixed limit",
        "In the table: 310.40 s against 539.42 s in all.",
        "scripts/thesis.py",
        f"table-5.4 {SHARED}",
        f"table-5.4 --quick {SHARED}",
        FIVE,
        f"{OTHER_BOARDS} Z3 is another one, too. The published time of the hardest board is far "
        "below the mean, ours is above it.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "sample2",
        THESIS,
        "Table 5.5: A* and Z3 on Sample2",
        "In the table: 1323 boards, A* 2.4825 s and Z3 1.9126 s on the average.",
        "scripts/thesis.py",
        f"table-5.5 {SHARED}",
        f"table-5.5 --quick {SHARED}",
        FIVE,
        f"{OTHER_BOARDS} Our database has 207 boards of 26 moves.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "question",
        THESIS,
        "The finding: Z3 is slower on most boards, spreads less and needs less in total",
        "Slower on 63 % of the boards; 310.40 s in all against 523.13 s.",
        "scripts/thesis.py",
        f"question {SHARED}",
        f"question --quick {SHARED}",
        f"{FIVE} These are too few for shares of boards.",
        f"{OTHER_BOARDS} So Z3 is slower on every board here; a column has our A* at the "
        "published pace.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "readings",
        THESIS,
        "A* with heuristics that are not admissible: which program fits the shares of optima",
        "In the table.",
        "scripts/thesis_readings.py",
        "search",
        "search --quick",
        "Every ninth board.",
        "The thesis queues a state again that is reached by fewer moves, and says first in, first "
        "out; its heap keeps no such order. None of the six readings fits all shares.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "caption",
        THESIS,
        "Figure 3.1: `movable_blocking_cars`, whose penalty is not stated",
        "On the board of the figure cars_between is 2, blocking_cars 3, movable_blocking_cars 12.",
        "scripts/thesis_readings.py",
        "penalty",
        "penalty --every 50",
        "Every 50th board of three samples.",
        "The board of the figure is not known. Four readings of the heuristic give 12 on boards "
        "like it; the table sets each beside the figures of table 5.1.",
        boards=DATABASE,
        generated=True,
    ),
    Entry(
        "prolog",
        ARTICLE,
        "The fifteen-puzzle by Prolog system",
        "Seven rows: A* with Manhattan: Scryer 61.792 s, SWI 8.825, Ciao 4.82, GNU 2.959; depth "
        "first stopped after 5 minutes, breadth first twice out of memory.",
        "scripts/tiles.py",
        "article --limit 300 --memory 8000",
        "article --quick",
        "One run instead of three; the searches without a guide get 10 s and 1000 MB.",
        "The Prolog systems are not run here; their seconds are the published ones.",
    ),
)

ABSENT = (
    Absent(
        REPORT,
        "The heights of the charts' bars",
        "They were published as pictures only.",
    ),
    Absent(
        THESIS,
        "Seconds of the samples themselves",
        "The 100 and the 1323 boards are not known, and the machine was another one.",
    ),
    Absent(
        ARTICLE,
        "Runs of the Prolog systems",
        "No Prolog system is part of asplan.",
    ),
)
