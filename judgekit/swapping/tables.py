"""Tables of a text report, and what becomes of them in a terminal that is too narrow for their columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Table", "laid_out"]

_NARROWEST = 20


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; of the first `left` columns an empty cell stands for the one above it."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int

    def aligned(self) -> Iterator[str]:
        """Columns: the first `left` and words at the end to the left, numbers to the right."""
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        last = len(self.head) - 1
        numeric = all(row[last][-1:].isdigit() or row[last] == "-" for row in self.rows)
        for row in (self.head, *self.rows):
            cells = [
                cell.ljust(width)
                if place < self.left or (place == last and not numeric)
                else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            yield f"  {'  '.join(cells)}".rstrip()

    def stacked(self) -> Iterator[str]:
        """Each row as two lines: what it is of, and its values under their names."""
        above = [""] * self.left
        for row in self.rows:
            above = [cell or before for cell, before in zip(row, above, strict=False)]
            yield f"  {', '.join(cell for cell in above if cell not in ('', '-'))}"
            named = zip(self.head[self.left :], row[self.left :], strict=True)
            yield f"    {', '.join(f'{name} {cell}'.strip() for name, cell in named if cell)}"


def laid_out(part: str | Table, width: int | None) -> Iterator[str]:
    """The lines of a part of a report, none of them longer than `width` but for a long name."""
    if isinstance(part, str):
        lines = [part]
    else:
        lines = list(part.aligned())
        if width is not None and max(map(len, lines)) > width:
            lines = list(part.stacked())
    for line in lines:
        yield from [line] if width is None or len(line) <= width else _wrapped(line, max(width, _NARROWEST))


def _wrapped(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
