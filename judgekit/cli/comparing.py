"""What `judgekit compare` does: read two runs, compare them, and say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from judgekit.cli.delivering import check_writable
from judgekit.cli.mistakes import Mistake
from judgekit.cli.runs import stored_report
from judgekit.cli.streams import quiet_stdout, write_out
from judgekit.comparing import RunComparison
from judgekit.reporting import EvalReport
from judgekit.reporting.comparisons import check_comparison_file, comparison_json, write_comparison
from judgekit.statistics import ComparisonVerdict
from judgekit.text import one_line

__all__ = ["EXIT_CODES", "compare"]

_TAG = "tag:"

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
        Mistake: There is no such run, the pattern is none, or there are no such tags.
        FileUnreadable: It is neither a journal nor a report.
        InvalidArgument: No format has the suffix of an output.
    """
    for path in outputs:
        check_comparison_file(path)
        check_writable(path)
    pattern = None if cluster_by is None or cluster_by.startswith(_TAG) else _compiled(cluster_by)
    before, after = stored_report(baseline), stored_report(new)
    if cluster_by is None:
        found = after.compare(before, max_drop=max_drop, level=level)
    else:
        prefix = cluster_by.removeprefix(_TAG)
        groups = _groups_by_tag(prefix, before, after).get if pattern is None else _group_of(pattern)
        found = after.compare(before, max_drop=max_drop, cluster=groups, level=level)
        how = f"the tag {prefix}..." if pattern is None else f"the match of {cluster_by}"
        found = replace(found, clustered_by=one_line(how, 80))
    for path in outputs:
        write_comparison(found, path, new=after, baseline=before)
    _print(found, as_json=as_json)
    return EXIT_CODES[found.verdict]


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise Mistake(f"--cluster-by {one_line(pattern)}: this is no regular expression: {error}") from error


def _group_of(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    """The group of a case: what the pattern finds in its id; None where it finds nothing."""

    def group_of(case_id: str) -> str | None:
        found = pattern.search(case_id)
        if found is None:
            return None
        return found.group(1) if pattern.groups else found.group()

    return group_of


def _groups_by_tag(prefix: str, *runs: EvalReport) -> dict[str, str]:
    """The tag of each case that begins so, the last run's where they differ."""
    groups: dict[str, str] = {}
    for counts in (run.counts for run in runs):
        found: dict[str, str] = {}
        for tag, positions in counts.tags.items():
            for position in positions if tag.startswith(prefix) else ():
                case_id = counts.case_ids[position]
                if case_id in found:
                    raise Mistake(
                        f"--cluster-by {_TAG}{prefix}: the case {one_line(case_id)} has two such tags, "
                        f"{one_line(found[case_id])} and {one_line(tag)}"
                    )
                found[case_id] = tag
        groups |= found
    if not groups:
        raise Mistake(f"--cluster-by {_TAG}{prefix}: no case has a tag that begins so")
    return groups


def _print(found: RunComparison, *, as_json: bool) -> None:
    if not as_json:
        write_out(found.render())
        return
    with quiet_stdout(encoding="utf-8") as stream:
        stream.write(comparison_json(found))
