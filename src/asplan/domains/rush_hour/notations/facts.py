"""Writes a Rush Hour board as the facts of an instance."""

from __future__ import annotations

from asplan.domains.rush_hour.model import RushHour


def instance_text(problem: RushHour) -> str:
    """The facts of a board; reading them gives the same board again."""
    red, start = problem.cars[0], problem.start
    width = max(map(len, problem.names))
    lines = [f"grid(1..{problem.rows},1..{problem.columns})."]
    for name, car, offset in zip(problem.names, problem.cars, start, strict=True):
        row, column = car.cell(offset)
        shape = f"car({name},{car.length},{car.axis}).".ljust(width + 12)
        lines.append(f"{shape}position(0,{name},{row},{column}).")
    if problem.walls:
        lines.append(" ".join(f"no({row},{column})." for row, column in sorted(problem.walls)))
    if problem.goal != problem.far_end:
        row, column = red.cell(problem.goal)
        lines.append(f"goal(r,{row},{column}).")
    return "\n".join(lines) + "\n"
