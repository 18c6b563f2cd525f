"""The words of a comparison, which every format uses."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from statistics import NormalDist

from judgekit.comparing.comparison import (
    SMALL_DROP,
    AmountComparison,
    Axis,
    EvaluatorComparison,
    Flip,
    RunComparison,
)
from judgekit.statistics import Agreement, Comparison, ComparisonVerdict
from judgekit.text import counted, one_line

__all__ = [
    "agreement_text",
    "amount_texts",
    "axis_text",
    "difference_text",
    "evaluator_notes",
    "failed_on",
    "flip_text",
    "means_text",
    "notes_of",
    "verdict_text",
]

_NAME_LIMIT = 60


def verdict_text(verdict: ComparisonVerdict | None) -> str:
    """The verdict, or that it is withheld."""
    return "NO VERDICT" if verdict is None else verdict.value


def axis_text(comparison: RunComparison) -> str:
    """What differs between the runs."""
    same, other = comparison.same_transcripts, comparison.other_transcripts
    answers = f"the agent's answers ({other} of {same + other} transcripts differ)"
    judges = _judges_text(comparison)
    match comparison.axis:
        case Axis.AGENT:
            return f"{answers}, not the judges"
        case Axis.JUDGE:
            return f"{_instrument_text(comparison)}, on the same transcripts{judges}; not the agent"
        case Axis.BOTH:
            return f"{answers} and {_instrument_text(comparison)}{judges}"
        case Axis.NEITHER:
            return f"{_checks_text(comparison)}; the transcripts and the judges are the same"
    return "unknown: no attempt was carried out in both runs"


def _checks_text(comparison: RunComparison) -> str:
    if not comparison.changed_checks:
        return "nothing"
    return "checks that no judge answers"


def _instrument_text(comparison: RunComparison) -> str:
    """What is another one: the judge, or only what it is asked."""
    return "the judge" if any(one.change.judge for one in comparison.evaluators) else "the criterion"


def _judges_text(comparison: RunComparison) -> str:
    old, new = comparison.old.judges, comparison.new.judges
    if old == new:
        parts = dict.fromkeys(part for one in comparison.evaluators for part in one.change.changed)
        return f" ({', '.join(parts)})"
    return f" ({_models(old)} → {_models(new)})"


def _models(models: tuple[str, ...]) -> str:
    return ", ".join(one_line(model, _NAME_LIMIT) for model in models) or "none"


def means_text(comparison: Comparison) -> str:
    """`0.84 → 0.62`."""
    return f"{_share(comparison.old_mean)} → {_share(comparison.new_mean)}"


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def difference_text(comparison: Comparison) -> str:
    """The difference with its interval and p value, or why there is none."""
    if comparison.estimate is None:
        text = comparison.reason or "not measured"
        return f"{text}, {comparison.n_missing} missing" if comparison.n_missing else text
    parts = [f"{comparison.estimate:+.2f}"]
    if comparison.low is not None and comparison.high is not None:
        parts.append(f"{100 * comparison.level:g} % interval {comparison.low:+.2f} to {comparison.high:+.2f}")
    elif comparison.reason:
        parts.append(comparison.reason)
    if comparison.p_value is not None:
        parts.append(_p_text(comparison.p_value))
    if comparison.n_missing:
        parts.append(f"{comparison.n_missing} missing, counted both ways")
    return ", ".join(parts)


def _p_text(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p {p:.2g}"


def evaluator_notes(one: EvaluatorComparison) -> Iterator[str]:
    """What stands under the line of an evaluator."""
    if one.reason:
        yield f"no verdict: {one.reason}"
    elif one.change.changed and one.change.is_judged:
        yield _strictness(one)
    if one.agreement is not None:
        yield agreement_text(one.agreement)
    if one.alone:
        yield f"{counted(one.alone, 'result')} on one side only, not compared"


def _strictness(one: EvaluatorComparison) -> str:
    """A judge swap says something about the judges, not about the agent."""
    found, what = one.pass_fail.estimate, "judge" if one.change.judge else "criterion"
    if found is None:
        return f"the {what} changed"
    if not found:
        return f"the new {what} passes as many; the transcripts are the same"
    word = "more lenient" if found > 0 else "stricter"
    return f"the new {what} is {word} by {abs(found):.2f}; the transcripts are the same"


def agreement_text(found: Agreement) -> str:
    """How far the two judges agree, and in which direction they differ."""
    if found.estimate is None:
        return "the judges share no verdict"
    (neither, rescued), (dropped, both) = found.table
    kappa = "undefined" if found.kappa.estimate is None else f"{found.kappa.estimate:.2f}"
    ac1 = "undefined" if found.ac1.estimate is None else f"{found.ac1.estimate:.2f}"
    return (
        f"both say the same of {neither + both} of {counted(found.n_clusters, 'transcript')} "
        f"({found.estimate:.2f}), kappa {kappa}, AC1 {ac1}; only the old passes {dropped}, only the new "
        f"{rescued}"
    )


def flip_text(flip: Flip) -> str:
    """`0/2 → 2/2, failed on polite`."""
    text = f"{flip.old_passed}/{flip.runs} → {flip.new_passed}/{flip.runs} passed"
    on = failed_on(flip)
    return f"{text}, failed on {on}" if on else text


def failed_on(flip: Flip, most: int = 5) -> str:
    """What the failing side failed on, as one line."""
    names = [one_line(name, _NAME_LIMIT) for name in flip.failed_on[:most]]
    rest = len(flip.failed_on) - most
    return ", ".join(names) + (f" and {rest} more" if rest > 0 else "")


def amount_texts(one: AmountComparison) -> tuple[str, str]:
    """Both means, and the difference with its interval; what is unknown says so."""
    means = f"{_amount(one.old_mean, one.unit)} → {_amount(one.new_mean, one.unit)}"
    found = one.difference
    if found.estimate is None:
        return means, "known on one side only"
    if not any((found.estimate, found.low, found.high)):
        return means, "no difference"
    text = _signed(found.estimate, one.unit)
    if found.low is not None and found.high is not None:
        text += f", {_signed(found.low, one.unit)} to {_signed(found.high, one.unit)}"
    if found.n_missing:
        text += f", known of {found.n_items - found.n_missing} of {found.n_items} pairs"
    return means, text


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return "unknown"
    return _signed(value, unit).removeprefix("+")


def _signed(value: float, unit: str) -> str:
    if unit == "$":
        return f"{'-' if value < 0 else '+'}${_digits(abs(value), 4)}"
    if unit == "tokens":
        return f"{value:+,.0f}"
    return f"{'-' if value < 0 else '+'}{_digits(abs(value), 2)} {unit}"


def _digits(value: float, digits: int) -> str:
    """So many decimals, or as many more as leave a small amount two digits."""
    while 0 < value < 10 ** (1 - digits) and digits < 12:
        digits += 1
    return f"{value:.{digits}f}"


def notes_of(comparison: RunComparison) -> Iterator[str]:
    """What the verdicts mean, where a reader may take them for something else."""
    verdicts = [comparison.verdict, *(one.verdict for one in comparison.evaluators)]
    if ComparisonVerdict.UNDERPOWERED in verdicts:
        yield "UNDERPOWERED: neither a difference nor its absence is shown."
        if comparison.max_drop is None:
            yield (
                "Without the drop that is allowed (--max-drop, `max_drop=`) EQUIVALENT cannot be shown, "
                "however many cases there are."
            )
    if comparison.verdict is ComparisonVerdict.UNDERPOWERED:
        yield from _more_of_the_same(comparison)
    needed = comparison.cases_needed
    if comparison.verdict is ComparisonVerdict.UNDERPOWERED and needed is not None:
        wanted, groups = comparison.max_drop or SMALL_DROP, comparison.overall.n_clusters
        noun = _groups(comparison)
        yield (
            f"About {needed:,} {noun} are needed to show a difference of {wanted:g} in four of five "
            f"such comparisons; there are {groups:,}."
        )
    if comparison.axis is Axis.JUDGE:
        yield (
            "The transcripts are the same: every difference is one of how they were judged, none is one of "
            "the agent."
        )


def _more_of_the_same(comparison: RunComparison) -> Iterator[str]:
    """Where nothing differs there is no variance to plan with, but Wilson's interval of 0 of n."""
    overall, drop = comparison.overall, comparison.max_drop
    if drop is None or overall.estimate != 0 or overall.standard_error != 0 or overall.n_missing:
        return
    z = NormalDist().inv_cdf((1 + comparison.level) / 2)
    needed = floor(z**2 * (1 - drop) / drop) + 1
    if needed > overall.n_clusters:
        noun = _groups(comparison)
        yield f"No case differs: {needed:,} {noun} that do not would be EQUIVALENT within {drop:g}."


def _groups(comparison: RunComparison) -> str:
    return "cases" if comparison.clustered_by == "case" else "groups of cases"
