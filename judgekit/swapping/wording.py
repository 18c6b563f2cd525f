"""Figures of a swap in words, the same in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from judgekit.statistics import Estimate
from judgekit.swapping.agreeing import Flip, JudgeAgreement
from judgekit.swapping.contrasts import AgentComparison, Ranking
from judgekit.swapping.families import FamilyMatch
from judgekit.swapping.figures import AgentFigures, Cell, JudgeFigures
from judgekit.text import counted, milliseconds, one_line

__all__ = [
    "ADJUSTED",
    "agreement_text",
    "cost_text",
    "dollars",
    "estimate_text",
    "family_text",
    "flip_text",
    "flips_text",
    "interval_text",
    "judge_cost_text",
    "kappa_matrix",
    "latency_text",
    "missing_text",
    "number",
    "outcome_text",
    "p_text",
    "ranking_lines",
    "tokens_text",
]

Named = Callable[[str], str]

ADJUSTED = (
    "Differences are the first agent minus the second, at the same cases and repeats; "
    "p values are Holm's over all comparisons here"
)


def number(value: float | None) -> str:
    """Two decimals; `-` where there is no number."""
    return "-" if value is None else f"{value:.2f}"


def interval_text(found: Estimate) -> str:
    """`0.31 to 0.69`; `-` without an interval, `no spread` where nothing varied that it could be made of."""
    if found.interval is None:
        return "-"
    low, high = found.interval
    return "no spread" if high - low < 1e-9 else f"{low:.2f} to {high:.2f}"


def estimate_text(name: str, found: Estimate) -> str:
    """`kappa 0.21 (0.02 to 0.40)`, or why there is none."""
    if found.estimate is None:
        return f"{name} undefined ({found.reason})"
    if found.interval is None:
        return f"{name} {found.estimate:.2f} (no interval: {found.reason})"
    return f"{name} {found.estimate:.2f} ({interval_text(found)})"


def p_text(value: float | None) -> str:
    """`0.031`, `<0.001`; `-` where nothing was tested."""
    if value is None:
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def outcome_text(comparison: AgentComparison, named: Named) -> str:
    """Which agent is better beyond chance, if any, by its rate or by its score."""
    if not comparison.better:
        return "not shown"
    if len(comparison.better) > 1:
        return "rate and score disagree"
    return f"{named(comparison.better[0])} better"


def missing_text(cell: Cell) -> str:
    """`3 judge failed: rate limited, 2 not run`; empty where all was measured."""
    parts = [f"{count} {one_line(reason)}" for reason, count in cell.missing.items()]
    return ", ".join([*parts, *([f"{cell.not_run} not run"] if cell.not_run else [])])


def agreement_text(found: JudgeAgreement) -> str:
    """What two judges share, without their names."""
    same, n = found.table[0] + found.table[3], sum(found.table)
    text = f"the same on {same}/{n}"
    if n:
        text += f" ({number(found.equal.estimate)}, {interval_text(found.equal)})"
    parts = [text, estimate_text("kappa", found.kappa), estimate_text("AC1", found.ac1)]
    if found.equal.n_missing or found.kappa.n_missing:
        parts.append(f"{found.kappa.n_missing} without both verdicts")
    return "; ".join(parts)


def kappa_matrix(
    agreements: Sequence[JudgeAgreement], judges: Sequence[str]
) -> Iterator[tuple[str, list[list[str]]]]:
    """Each criterion with the kappa of every two judges; `-` where there is none."""
    for criterion in dict.fromkeys(found.criterion for found in agreements):
        known = {
            pair: number(found.kappa.estimate)
            for found in agreements
            if found.criterion == criterion
            for pair in ((found.first, found.second), (found.second, found.first))
        }
        yield criterion, [[known.get((one, other), "-") for other in judges] for one in judges]


def flips_text(found: JudgeAgreement, named: Named) -> str:
    """How often each judge alone passes, and who scores higher."""
    _, first, second, _ = found.table
    text = f"{counted(first + second, 'flip')}"
    if first or second:
        text += f": {first} passed by {named(found.first)} only, {second} by {named(found.second)} only"
    if found.stricter is not None and found.stricter.estimate is not None:
        text += (
            f"; {named(found.second)} scores {found.stricter.estimate:+.2f} against {named(found.first)}"
            f" ({interval_text(found.stricter)})"
        )
    return text


def flip_text(found: JudgeAgreement, flip: Flip, named: Named) -> str:
    """`large/late run 2: strict failed 0.55, kind passed 0.80`."""
    first, second = ("passed", "failed") if flip.first else ("failed", "passed")
    scores = [f" {score:.2f}" if score is not None else "" for score in (flip.first_score, flip.second_score)]
    place = f"{named(flip.transcript.agent)} at {named(flip.transcript.case)} run {flip.transcript.run}"
    return f"{place}: {named(found.first)} {first}{scores[0]}, {named(found.second)} {second}{scores[1]}"


def ranking_lines(ranking: Ranking, named: Named) -> Iterator[str]:
    """The order before each judge, and whether it depends on the judge."""
    if not ranking.reversals:
        yield f"{named(ranking.criterion)}: no two judges contradict each other on the order of the agents"
    for one in ranking.reversals:
        chance = "both beyond chance" if one.is_shown else "not both beyond chance"
        yield (
            f"{named(ranking.criterion)}: the order depends on the judge: {named(one.judge)} puts "
            f"{named(one.better)} above {named(one.worse)}, {named(one.other_judge)} the other way round; "
            f"{chance}"
        )
    for judge, order in ranking.orders.items():
        yield f"  {named(judge)}: {_order_text(order, named) or 'nothing was scored'}"


def _order_text(order: Sequence[tuple[str, float]], named: Named) -> str:
    text, last = "", None
    for agent, value in order:
        tied = last is not None and abs(last - value) < 1e-9
        text += f"{'' if last is None else ' = ' if tied else ' > '}{named(agent)} {value:.2f}"
        last = value
    return text


def family_text(found: FamilyMatch, named: Named) -> str:
    """The warning for a judge of an agent's own family, with the size of its preference where it is known."""
    text = (
        f"judge {named(found.judge)} and agent {named(found.agent)} are both models of {found.family}; "
        "judges tend to prefer their own family"
    )
    measured = found.preference
    if measured is None or found.reference is None or found.against is None:
        return f"{text}; add an agent and a judge of two other families to measure it"
    if measured.estimate is None:
        return f"{text}; it cannot be measured: judge {named(found.reference)} never prefers one of them"
    return (
        f"{text}: it gives its own agent's wins to it {measured.estimate:+.2f} ({interval_text(measured)}) "
        f"more often than {named(found.against)}, where judge {named(found.reference)} says who won; "
        f"{counted(measured.n_runs, 'case')}"
    )


def dollars(cost: float | None, *, complete: bool = True) -> str:
    """`$0.0004`; three digits of a small cost, `unknown` where nothing is known."""
    if cost is None or (not complete and not cost):
        return "unknown"
    digits = 4
    while 0 < cost < 10 ** (1 - digits) and digits < 12:
        digits += 1
    return f"{'' if complete else 'at least '}${cost:.{digits}f}"


def cost_text(agent: AgentFigures) -> str:
    """What one attempt costs, and of how many that is known."""
    if agent.mean_cost is None:
        return "unknown"
    known = "" if agent.costs_known == agent.attempts else f" ({agent.costs_known} of {agent.attempts} known)"
    return f"{dollars(agent.mean_cost)}{known}"


def judge_cost_text(judge: JudgeFigures) -> str:
    """All that a judge cost."""
    return dollars(judge.spend.cost, complete=judge.spend.cost_complete) if judge.spend.models else "-"


def latency_text(agent: AgentFigures) -> str:
    """Mean and median of one attempt."""
    if agent.mean_latency is None or agent.median_latency is None:
        return "unknown"
    return f"{milliseconds(agent.mean_latency)} (median {milliseconds(agent.median_latency)})"


def tokens_text(tokens: int, *, complete: bool) -> str:
    """`1,200`, `at least 1,200`, `unknown`."""
    if not complete and not tokens:
        return "unknown"
    return f"{'' if complete else 'at least '}{tokens:,}"
