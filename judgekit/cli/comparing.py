"""What `judgekit compare` does: read two runs, compare them, and say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from judgekit.cli.delivering import check_writable
from judgekit.cli.mistakes import Mistake
from judgekit.cli.runs import stored_report
from judgekit.cli.streams import quiet_stdout, write_out
from judgekit.comparing import RunComparison
from judgekit.reporting.comparisons import check_comparison_file, comparison_json, write_comparison
from judgekit.statistics import ComparisonVerdict
from judgekit.text import one_line

__all__ = ["EXIT_CODES", "compare"]

EXIT_CODES = {
    ComparisonVerdict.IMPROVED: 0,
    ComparisonVerdict.EQUIVALENT: 0,
    ComparisonVerdict.REGRESSED: 1,
    ComparisonVerdict.UNDERPOWERED: 3,
    None: 3,
}


def compare(
    baseline: Path,
    new: Path,
    *,
    max_drop: float | None,
    level: float,
    cluster_by: str | None,
    outputs: Sequence[Path],
    as_json: bool,
) -> int:
    """Compare, print and write; the exit code.

    Raises:
        Mistake: There is no such run, or the pattern is none.
        FileUnreadable: It is neither a journal nor a report.
        InvalidArgument: No format has the suffix of an output.
    """
    for path in outputs:
        check_comparison_file(path)
        check_writable(path)
    cluster = None if cluster_by is None else _group_of(cluster_by)
    before, after = stored_report(baseline), stored_report(new)
    found = after.compare(before, max_drop=max_drop, cluster=cluster, level=level)
    for path in outputs:
        write_comparison(found, path, new=after, baseline=before)
    _print(found, as_json=as_json)
    return EXIT_CODES[found.verdict]


def _group_of(pattern: str) -> Callable[[str], str | None]:
    """The group of a case: what the pattern finds in its id; None where it finds nothing."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise Mistake(f"--cluster-by {one_line(pattern)}: this is no regular expression: {error}") from error

    def group_of(case_id: str) -> str | None:
        found = compiled.search(case_id)
        if found is None:
            return None
        return found.group(1) if compiled.groups else found.group()

    return group_of


def _print(found: RunComparison, *, as_json: bool) -> None:
    if not as_json:
        write_out(found.render())
        return
    with quiet_stdout(encoding="utf-8") as stream:
        stream.write(comparison_json(found))
