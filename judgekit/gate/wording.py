"""The phrases that gates and reports share: which attempts, which cases, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from judgekit.results import AttemptOutcome, Results
from judgekit.text import bracketed, counted, one_line

__all__ = ["attempts_text", "case_list", "cases_and_runs", "decimals", "missing_text", "percent"]

TOLERANCE = 1e-9
_MOST_DIGITS = 9
# As many as a report shows of attempts; a line of thousands is no line.
_TOLD = 20


def cases_and_runs(results: Results) -> str:
    """`3 cases, 1 run`; `3 cases, 1 to 4 runs` where cases were run differently often. At least one was."""
    runs = [number for number in results.run_counts() if number]
    low, high = min(runs), max(runs)
    each = counted(low, "run") if low == high else f"{low} to {high} runs"
    return f"{counted(len(runs), 'case')}, {each}"


def attempts_text(results: Results) -> str:
    """`3 attempts (3 cases, 1 run)`."""
    return f"{counted(len(results), 'attempt')} ({cases_and_runs(results)})"


def case_list(results: Results, attempts: Iterable[AttemptOutcome]) -> str:
    """`[id (run 2), id2 (runs 1, 3), and 5 more]`; the attempts come in case order."""
    runs: dict[int, list[int]] = {}
    for attempt in attempts:
        runs.setdefault(attempt.case_index, []).append(attempt.run)
    told = list(runs.items())[:_TOLD]
    items = [f"{one_line(results.case_ids[index])} ({runs_text(numbers)})" for index, numbers in told]
    return bracketed(items if len(runs) <= _TOLD else [*items, f"and {len(runs) - _TOLD} more"])


def runs_text(numbers: Iterable[int]) -> str:
    """`run 2`, `runs 1, 3`."""
    items = [str(number) for number in numbers]
    return f"{'run' if len(items) == 1 else 'runs'} {', '.join(items)}"


def missing_text(reasons: Mapping[str, int]) -> str:
    """`; 9 missing (judge failed: rate limited 9)`, most frequent reason first; empty where none is."""
    total = sum(reasons.values())
    if not total:
        return ""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return f"; {total} missing ({', '.join(f'{one_line(reason)} {number}' for reason, number in ordered)})"


def decimals(bound: float, values: Iterable[float]) -> int:
    """How many decimals, at least 2, keep each of the values from looking equal to the bound."""
    others = list(values)
    for digits in range(2, _MOST_DIGITS):
        if all(f"{value:.{digits}f}" != f"{bound:.{digits}f}" for value in others):
            return digits
    return _MOST_DIGITS


def percent(share: float) -> str:
    """`95 %`, `97.5 %`."""
    return f"{100 * share:.6g} %"
