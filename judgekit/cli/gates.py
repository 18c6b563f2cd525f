"""A gate from options, so that a run can be decided without a line of Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judgekit.cli.mistakes import Mistake

if TYPE_CHECKING:
    from judgekit.gate import Gate

__all__ = ["gate_from", "gate_options"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--all-pass", is_flag=True, help="Every attempt must pass."),
    click.option(
        "--pass-rate", "pass_rates", metavar="[NAME=]RATE", multiple=True,
        help="At least this share must pass, 0 to 1: of all attempts, or of what NAME names; repeatable.",
    ),
    click.option(
        "--confidence", type=float, metavar="LEVEL",
        help="With --pass-rate: the rate's one-sided bound at this confidence decides, such as 0.95.",
    ),
    click.option(
        "--cases-pass", "cases_pass", metavar="[TAG=]RUNS", multiple=True,
        help="Each case, or each that bears TAG, must pass in so many runs; `all` is every run; repeatable.",
    ),
    click.option(
        "--pass-at-k", "at_k", metavar="K=RATE", multiple=True,
        help="The chance that one of K runs passes must be at least RATE, 0 to 1; repeatable.",
    ),
    click.option(
        "--pass-hat-k", "hat_k", metavar="K=RATE", multiple=True,
        help="The chance that all of K runs pass must be at least RATE, 0 to 1; repeatable.",
    ),
    click.option(
        "--mean-score", "mean_scores", metavar="NAME=SCORE", multiple=True,
        help="The mean score of criterion NAME must be at least this, 0 to 1; repeatable.",
    ),
    click.option(
        "--max-inconclusive", "inconclusives", metavar="[NAME=]RATE", multiple=True,
        help="At most this share may be inconclusive, 0 to 1; repeatable.",
    ),
    click.option(
        "--judge-kappa", "kappas", metavar="[NAME=]KAPPA", multiple=True,
        help="Each judge, or that of criterion NAME, must be calibrated, kappa at least this; repeatable.",
    ),
    click.option("--population", metavar="TAG", help="With --judge-kappa: calibrated on this population."),
    click.option("--store", metavar="FOLDER", help="With --judge-kappa: where the calibrations are."),
    click.option("--no-target-failures", is_flag=True, help="No agent call may fail."),
    click.option("--all-conclusive", is_flag=True, help="Each attempt needs a result that passed or failed."),
)  # fmt: skip


def gate_options(function: F) -> F:
    """Attach every option that `gate_from` reads."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def gate_from(
    *,
    all_pass: bool,
    pass_rates: tuple[str, ...],
    confidence: float | None,
    cases_pass: tuple[str, ...],
    at_k: tuple[str, ...],
    hat_k: tuple[str, ...],
    mean_scores: tuple[str, ...],
    inconclusives: tuple[str, ...],
    kappas: tuple[str, ...],
    population: str | None,
    store: str | None,
    no_target_failures: bool,
    all_conclusive: bool,
) -> Gate | None:
    """All that the options ask for, joined; None where they ask for nothing.

    Raises:
        Mistake: A share is no number.
        InvalidArgument: It is none from 0 to 1.
    """
    from judgekit.gate import Gate

    gates: list[Gate] = []
    if all_pass:
        gates.append(Gate.all_cases_should_pass())
    gates += _rates(pass_rates, confidence)
    gates += map(_cases_pass, cases_pass)
    gates += (_tries("--pass-at-k", Gate.pass_at_k_should_be_at_least, text) for text in at_k)
    gates += (_tries("--pass-hat-k", Gate.pass_hat_k_should_be_at_least, text) for text in hat_k)
    for text in mean_scores:
        name, score = _named("--mean-score", text)
        if name is None:
            raise Mistake(f"--mean-score {text}: write NAME=SCORE, such as polite=0.8")
        gates.append(Gate.mean_score_should_be_at_least(score, of=name))
    for text in inconclusives:
        name, rate = _named("--max-inconclusive", text)
        gates.append(Gate.inconclusive_should_be_at_most(rate, of=name))
    gates += _calibrated(kappas, population, store)
    if no_target_failures:
        gates.append(Gate.target_should_not_fail())
    if all_conclusive:
        gates.append(Gate.every_attempt_should_be_conclusive())
    return functools.reduce(lambda both, gate: both & gate, gates) if gates else None


def _rates(texts: tuple[str, ...], confidence: float | None) -> list[Gate]:
    from judgekit.gate import Gate

    if confidence is not None and not texts:
        raise Mistake("--confidence goes with --pass-rate; write --pass-rate 0.9 --confidence 0.95")
    named = [_named("--pass-rate", text) for text in texts]
    return [Gate.pass_rate_should_be_at_least(rate, of=name, confidence=confidence) for name, rate in named]


def _tries(option: str, make: Callable[..., Gate], text: str) -> Gate:
    k, rate = _named(option, text)
    if k is None or not k.isdecimal():
        raise Mistake(f"{option} {text}: write K=RATE, such as 3=0.8")
    return make(rate, k=int(k))


def _cases_pass(text: str) -> Gate:
    from judgekit.gate import Gate

    tag, equals, runs = text.rpartition("=")
    if runs != "all" and not runs.isdecimal():
        raise Mistake(
            f"--cases-pass {text}: {runs!r} is no number of runs; write 2, all, or TAG=2 for cases with a tag"
        )
    at_least = None if runs == "all" else int(runs)
    return Gate.cases_should_pass(at_least=at_least, tagged=tag if equals else None)


def _calibrated(kappas: tuple[str, ...], population: str | None, store: str | None) -> list[Gate]:
    from judgekit.gate import Gate

    if not kappas and (population is not None or store is not None):
        raise Mistake("--population and --store go with --judge-kappa; write --judge-kappa 0.4")
    named = [_named("--judge-kappa", text) for text in kappas]
    return [
        Gate.judge_should_be_calibrated(kappa=kappa, of=name, population=population, store=store)
        for name, kappa in named
    ]


def _named(option: str, text: str) -> tuple[str | None, float]:
    """`polite=0.8` or `0.8`; a criterion's name may hold `=` itself."""
    name, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        hint = f"{name}=0.8" if name else "0.8"
        raise Mistake(f"{option} {text}: {number!r} is no number from 0 to 1; write {hint}") from None
    return (name if equals else None), value
