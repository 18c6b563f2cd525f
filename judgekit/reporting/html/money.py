"""What a run cost, in words for people: tokens, dollars and time, with what is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from judgekit.results import Results
from judgekit.spending import JudgeSpend, Spend, UserSpend
from judgekit.text import counted

__all__ = ["duration", "spent"]

_MODELS = 20


def spent(counts: Results) -> Iterator[tuple[str, list[str]]]:
    """Who spent, and on what, for each who did."""
    if counts.spend.model_calls:
        yield "Agents", list(_agents(counts.spend, len(counts)))
    if counts.judges.models:
        yield "Judges", list(_judges(counts.judges))
    if counts.users.model_calls:
        yield "Simulated users", list(_users(counts.users))


def duration(seconds: float) -> str:
    """`850 ms`, `7.2 s`, `6 min 52 s`, `2 h 5 min`."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _agents(spend: Spend, attempts: int) -> Iterator[str]:
    yield _dollars(spend.cost, complete=spend.cost_complete)
    yield f"{spend.model_calls:,} model call{'s' if spend.model_calls != 1 else ''}"
    yield _tokens(
        spend.input_tokens, spend.output_tokens, complete=spend.input_complete and spend.output_complete
    )
    if spend.slowest_case is not None:
        yield f"{duration(spend.latency)} in total"
        yield f"slowest {spend.slowest_case} run {spend.slowest_run} at {duration(spend.slowest)}"
    if spend.attempts_with_evidence < attempts:
        yield f"known of {spend.attempts_with_evidence:,} of {attempts:,} attempts"


def _judges(judges: JudgeSpend) -> Iterator[str]:
    yield _dollars(judges.cost, complete=judges.cost_complete)
    yield f"{judges.verdicts:,} verdict{'s' if judges.verdicts != 1 else ''}"
    yield f"{judges.asked:,} asked"
    if judges.cached:
        yield f"{judges.cached:,} from cache"
    if judges.retries:
        yield counted(judges.retries, "retry", "retries")
    yield _tokens(judges.input_tokens, judges.output_tokens, complete=judges.tokens_complete)
    yield _models(judges.models)


def _users(users: UserSpend) -> Iterator[str]:
    yield _dollars(users.cost, complete=users.cost_complete)
    yield f"{users.model_calls:,} model call{'s' if users.model_calls != 1 else ''}"
    yield _tokens(users.input_tokens, users.output_tokens, complete=users.tokens_complete)
    yield _models(users.models)


def _models(models: dict[str, None]) -> str:
    shown = list(islice(sorted(models), _MODELS))
    return ", ".join(shown) + (f" and {len(models) - _MODELS} more" if len(models) > _MODELS else "")


def _tokens(tokens_in: int, tokens_out: int, *, complete: bool) -> str:
    if not complete and not tokens_in and not tokens_out:
        return "tokens not reported"
    return f"{'' if complete else 'at least '}{tokens_in:,} tokens in, {tokens_out:,} out"


def _dollars(cost: float, *, complete: bool) -> str:
    if not complete and not cost:
        return "cost unknown"
    digits = 2
    # Three digits of a small cost, which two decimals would show as none.
    while 0 < cost < 10 ** (1 - digits) and digits < 12:
        digits += 1
    return f"{'' if complete else 'at least '}${cost:,.{digits}f}"
