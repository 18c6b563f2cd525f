"""Judges and agents of one provider family: a preference for one's own kind, measured where it can be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgekit.statistics import FamilyPreference, family_preference
from judgekit.swapping.figures import AgentFigures, JudgeFigures
from judgekit.swapping.seen import Measure, Seen

__all__ = ["FamilyMatch", "families_of", "family_of"]

# What stands in a model's name, wherever it is served from.
_NAMES = (
    ("openai", r"gpt|chatgpt|o[134]\b|davinci"),
    ("anthropic", r"claude|anthropic"),
    ("google", r"gemini|gemma|palm"),
    ("meta", r"llama"),
    ("mistral", r"mi[sx]tral|codestral|ministral|magistral|devstral|pixtral"),
    ("alibaba", r"qwen|qwq"),
    ("deepseek", r"deepseek"),
    ("cohere", r"command-|c4ai|aya-"),
    ("xai", r"grok"),
    ("microsoft", r"phi-?\d"),
    ("amazon", r"nova-|titan"),
    ("zhipu", r"glm-"),
    ("moonshot", r"kimi|moonshot"),
)
_PATTERNS = tuple((family, re.compile(rf"(?<![a-z])(?:{names})")) for family, names in _NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyMatch:
    """A judge and an agent whose models are of one family.

    Attributes:
        judge: The judge's name.
        agent: The agent's.
        family: Such as `openai`.
        reference: The judge of another family that the preference is measured against; None: there is none.
        against: The agent of another family that its replies are held against; None: there is none.
        preference: How much more often the judge puts its own family's agent first than the reference judge
            does, over cases; None where it cannot be measured.
    """

    judge: str
    agent: str
    family: str
    reference: str | None
    against: str | None
    preference: FamilyPreference | None


def family_of(model: str) -> str | None:
    """Who made a model, by what its name holds; else None."""
    for family, pattern in _PATTERNS:
        if pattern.search(model.casefold()):
            return family
    return None


def families_of(
    seen: Seen, agents: Sequence[AgentFigures], judges: Sequence[JudgeFigures]
) -> Iterator[FamilyMatch]:
    """Each judge with each agent of its own family."""
    made_by = {agent.name: _families(agent.models) for agent in agents}
    of_judge = {judge.name: _families(judge.models) for judge in judges}
    for judge, own in of_judge.items():
        for agent, theirs in made_by.items():
            for family in sorted(own & theirs):
                yield _match(seen, judge, agent, family, made_by, of_judge)


def _families(models: Sequence[str]) -> set[str]:
    return {family for family in map(family_of, models) if family is not None}


def _match(
    seen: Seen,
    judge: str,
    agent: str,
    family: str,
    made_by: dict[str, set[str]],
    of_judge: dict[str, set[str]],
) -> FamilyMatch:
    against = next((name for name, others in made_by.items() if others and family not in others), None)
    # A judge of the other agent's family would be no measure either: it may prefer that one.
    partial = {family, *(made_by[against] if against is not None else ())}
    reference = next((name for name, others in of_judge.items() if others and not others & partial), None)
    preference = None
    if against is not None and reference is not None:
        cases = seen.axes.cases
        preference = family_preference(
            [_prefers(seen, judge, agent, against, case) for case in cases],
            [_prefers(seen, reference, agent, against, case) for case in cases],
        )
    return FamilyMatch(
        judge=judge, agent=agent, family=family, reference=reference, against=against, preference=preference
    )


def _prefers(seen: Seen, judge: str, agent: str, against: str, case: str) -> bool | None:
    """Whether a judge scores one agent above the other at a case, over all criteria; None: a tie."""
    mine, theirs = (_mean_score(seen, judge, name, case) for name in (agent, against))
    if mine is None or theirs is None or abs(mine - theirs) < 1e-9:
        return None
    return mine > theirs


def _mean_score(seen: Seen, judge: str, agent: str, case: str) -> float | None:
    names = dict.fromkeys(one.criterion for one in seen.axes.judged)
    scores = [
        mark.score
        for name in names
        for mark in seen.of(Measure("criterion", name, judge), agent).get(case, {}).values()
        if mark.score is not None
    ]
    return sum(scores) / len(scores) if scores else None
