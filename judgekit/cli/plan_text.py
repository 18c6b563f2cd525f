"""The text of `judgekit plan`: at most 60 columns, whatever the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from judgekit.text import counted, one_line

__all__ = ["plan_lines"]

_WIDTH = 60


def plan_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """What is assumed, what is needed for what, and what so many cases show."""
    asked = document["assumed"]
    yield "assumed:"
    for line in _assumptions(asked):
        yield from _wrapped(line)
    if document["run"] is not None:
        yield from _run_lines(document["run"], asked)
    if document["needed"]:
        yield from _needed_lines(document, asked)
    if document["shown"] is not None:
        yield from _shown_lines(document["shown"], asked)
    yield from _labels_lines(document["labels"], asked)


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )


def _number(value: float) -> str:
    text = f"{value:g}"
    return text if len(text) < 8 else f"{value:.4g}"


def _assumptions(asked: Mapping[str, Any]) -> Iterator[str]:
    yield f"pass rate {_number(asked['rate'])} ({asked['rate_from']})"
    yield f"confidence {asked['confidence']:g}, chance to see what is there {asked['power']:g}"
    if asked["repeat"] == 1:
        yield "each case runs once"
    else:
        yield (
            f"each case runs {asked['repeat']} times; correlation of its runs "
            f"{_number(asked['icc'])} ({asked['icc_from']})"
        )
    if asked["drop"] is not None or asked["cases"] is not None:
        yield (
            "on the same cases, what is hard in one run is hard in the other: correlation "
            f"{asked['case_correlation']:g} (--case-correlation)"
        )
    yield "cases are drawn independently from what the agent will meet"


def _run_lines(run: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    yield from textwrap.wrap(f"run {one_line(run['name'], 200)}:", _WIDTH, subsequent_indent="  ")
    low, high = run["interval"] or (None, None)
    shown = "" if low is None else f", interval {low:.3f} to {high:.3f}"
    attempts = counted(run["attempts"], "attempt")
    yield from _wrapped(f"{counted(run['cases'], 'case')}, {attempts}, rate {run['rate']:.3f}{shown}")
    cost = run["cost_per_attempt"]
    if cost is None:
        yield "  cost unknown"
    else:
        least = "" if run["cost_complete"] else "at least "
        yield f"  cost {least}${_dollars(cost)} an attempt"
    if asked["target"] is not None:
        yield from _wrapped(_more(run["more_cases_to_decide"], asked["target"]))


def _more(more: int | None, target: float) -> str:
    gate = f"a gate at {target:g} with confidence"
    if more == 0:
        return f"{gate} is decided by it"
    if more is None:
        return f"{gate} is not decided by it, nor by more cases like these"
    return f"about {counted(more, 'more case')} like these would decide {gate}"


def _dollars(amount: float) -> str:
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.3g}"


def _label(name: str, asked: Mapping[str, Any]) -> str:
    target, rate, drop = asked["target"], asked["rate"], asked["drop"]
    if name == "gate_passes":
        return f"gate {target:g} passes, rate {_number(rate)}"
    if name == "gate_fails":
        return f"gate {target:g} fails, rate {_number(target - drop)}"
    if name == "gate_passes_without_failure":
        return f"gate {target:g} passes, no failure"
    cases = "same cases" if name == "drop_same_cases" else "other cases"
    return f"{_number(rate)} to {_number(rate - drop)}, {cases}"


def _needed_lines(document: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    priced = any(one["cost"] is not None for one in document["needed"].values())
    yield _row("needed:", "cases", "runs", "cost" if priced else "")
    for name, one in document["needed"].items():
        label = f"  {_label(name, asked)}"
        if one["cases"] is None:
            yield label
            yield from _wrapped(f"  none: {one['reason']}")
            continue
        cost = "" if one["cost"] is None else f"${_dollars(one['cost'])}"
        yield _row(label, f"{one['cases']:,}", f"{one['runs']:,}", cost)
    if asked["drop"] is not None:
        yield from _wrapped("a comparison: cases of each run, and runs of both")
    if asked["repeat"] > 1:
        for warning in next(iter(document["needed"].values()))["warnings"]:
            yield from _wrapped(warning)
        if asked["target"] is not None:
            yield from _wrapped(
                "a gate has to learn that correlation from its own cases, which is counted in"
            )


def _row(label: str, cases: str, runs: str, cost: str) -> str:
    return f"{label:32}{cases:>9} {runs:>9} {cost:>8}".rstrip()


def _shown_lines(shown: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    worth = ""
    if asked["repeat"] > 1:
        worth = f", worth {shown['effective_runs']:.0f} independent ones"
    yield from textwrap.wrap(
        f"{counted(shown['cases'], 'case')}, {counted(shown['runs'], 'run')}{worth}, show:",
        _WIDTH,
        subsequent_indent="  ",
    )
    for line in _findings(shown, asked):
        yield from _wrapped(line)


def _findings(shown: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    rate = _number(asked["rate"])
    yield f"with no failure at all: a rate of at least {shown['perfect_score_lower_bound']:.3f}"
    if shown["interval_at_rate"] is not None:
        low, high = shown["interval_at_rate"]
        yield f"at a rate of {rate}: an interval from {low:.3f} to {high:.3f}"
    for name, cases in (("smallest_drop_same_cases", "same"), ("smallest_drop_other_cases", "other")):
        drop = shown[name]
        seen = "none, however large" if drop is None else f"{drop:.3f} or more"
        yield f"drop from {rate} noticed between two runs, {cases} cases: {seen}"
    if asked["target"] is not None:
        yield _gate_finding(shown, asked)
    if shown["cost"] is not None:
        yield f"cost ${_dollars(shown['cost'])}"


def _gate_finding(shown: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    most, gate = shown["most_failed_runs_at_target"], f"a gate at {asked['target']:g} with confidence"
    if most is None:
        return f"{gate} cannot pass"
    spread = ", each of another case" if 1 < most <= shown["cases"] and asked["repeat"] > 1 else ""
    return f"{gate} passes with at most {counted(most, 'failed run')} of {shown['runs']}{spread}"


def _labels_lines(labels: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    yield f"human labels needed to correct a judge: {labels['labels']:,}"
    yield from _wrapped(
        f"for a corrected rate within {labels['half_width']:g} either way (--half-width); squared "
        f"correlation of judge and labels {asked['judge_r2']:g} (--judge-r2)"
    )
