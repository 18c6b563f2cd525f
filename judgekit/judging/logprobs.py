"""The expected score over the tokens that a model considered for the value of its verdict."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.judging.scales import ABSTAIN
from judgekit.providers.base import Reply, Unusable

__all__ = ["PARAMETERS", "expected_score"]

PARAMETERS: Mapping[str, Any] = {"logprobs": True, "top_logprobs": 20}
"""What asks a provider for them."""

LEAST_MASS = 0.5
_NUMBER = re.compile(r"(?P<digits>\d+(?:\.\d*)?)(?P<end>[\s,}].*)?", re.DOTALL)


def expected_score(reply: Reply, key: str, worth: Mapping[str, float] | None, score: float) -> float:
    """The mean of the values considered, each weighted with its probability.

    Args:
        reply: The reply with its log probabilities.
        key: The key of the value in the verdict.
        worth: What each word scores; None: the value is a number and the score itself.
        score: The score of the value that was written.

    Raises:
        Unusable: There are no log probabilities, they do not fit the reply, or the values that can be told
            apart hold less than half of the probability.
    """
    if not reply.logprobs:
        raise Unusable("unavailable", "the provider returned no log probabilities", again=False)
    found = _Value.find(reply.logprobs, key)
    if found is None:
        raise Unusable("unavailable", "the log probabilities do not fit the reply", again=False)
    leaves = found.leaves(worth, score)
    mass = sum(probability for _, probability in leaves)
    if mass < LEAST_MASS:
        raise Unusable(
            "malformed",
            f"the log probabilities of the value cover {mass:.2f} of the probability, {LEAST_MASS} needed",
            again=False,
        )
    return min(1.0, max(0.0, sum(value * probability for value, probability in leaves) / mass))


@dataclass(frozen=True, slots=True)
class _Value:
    """Where the value stands among the tokens."""

    tokens: Sequence[Mapping[str, Any]]
    first: int
    lead: str

    @classmethod
    def find(cls, tokens: Sequence[Mapping[str, Any]], key: str) -> _Value | None:
        """The value after the key's last mention; an escaped quote before it is a mention in a text."""
        text = "".join(str(token["token"]) for token in tokens)
        mentions = list(re.finditer(rf'(?<!\\)"{re.escape(key)}"\s*:\s*', text))
        if not mentions:
            return None
        start, position = mentions[-1].end(), 0
        for index, token in enumerate(tokens):
            length = len(str(token["token"]))
            if position + length > start:
                return cls(tokens, index, text[position:start])
            position += length
        return None

    def leaves(self, worth: Mapping[str, float] | None, score: float) -> list[tuple[float, float]]:
        """Each value that the model could have written, with its probability."""
        found: list[tuple[float, float]] = []
        written, reached, lead = "", 1.0, self.lead
        for token in self.tokens[self.first :]:
            chosen = str(token["token"])
            options = _options(token)
            for text, probability in options.items():
                rest = _after(lead, text)
                if text == chosen or rest is None:
                    continue
                value = _value(written + rest, worth)
                if value is not None:
                    found.append((value, reached * probability))
            reached *= options[chosen]
            written += chosen[len(lead) :]
            lead = ""
            if _value(written, worth) is not None:
                # The digits that follow belong to it.
                return [*found, (score, reached)]
            if len(written) > 200:
                break
        return found


def _after(lead: str, text: str) -> str | None:
    """What a token adds to the value; None where it begins with something else than the token chosen."""
    if not lead.strip():
        # " 0" and "0" are two tokens and one value.
        return text.lstrip()
    return text[len(lead) :] if text.startswith(lead) else None


def _options(token: Mapping[str, Any]) -> dict[str, float]:
    options = {str(text): math.exp(min(0.0, logprob)) for text, logprob in token.get("top") or ()}
    return {str(token["token"]): math.exp(min(0.0, token["logprob"])), **options}


def _value(written: str, worth: Mapping[str, float] | None) -> float | None:
    """What the beginning of a value comes to; None where it could still become several things."""
    if worth is None:
        return _number(written)
    written = written[:1] + written[1:].lstrip() if written.startswith('"') else written
    literals = {json.dumps(name, ensure_ascii=False): score for name, score in worth.items()}
    fitting = [
        name
        for name in (*literals, json.dumps(ABSTAIN))
        if name.startswith(written) or written.startswith(name)
    ]
    return literals.get(fitting[0]) if len(fitting) == 1 else None


def _number(written: str) -> float | None:
    found = _NUMBER.fullmatch(written)
    if found is None:
        return None
    digits = found["digits"]
    # A bare 0 may go on as 0.7, and "0." says nothing yet.
    if not found["end"] and (digits.strip("0") in ("", ".") or digits.endswith(".")):
        return None
    value = float(digits)
    return value if 0 <= value <= 1 else None
