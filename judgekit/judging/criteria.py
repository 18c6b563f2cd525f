"""Ready-made criteria for tone and quality, each with described levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judgekit.errors import InvalidArgument
from judgekit.judging.base import JudgeBase
from judgekit.judging.criterion import Criterion
from judgekit.judging.prompts import find_prompt, head_and_body
from judgekit.judging.scales import Levels, checked_threshold

__all__ = [
    "READY_MADE",
    "ReadyMade",
    "completeness",
    "conciseness",
    "empathy",
    "faithfulness",
    "formality",
    "plainness",
    "professionalism",
    "ready_made",
    "refusal",
    "warmth",
]

READY_MADE: Mapping[str, str] = {
    "warmth": "tone/warmth",
    "plainness": "tone/plainness",
    "formality": "tone/formality",
    "empathy": "tone/empathy",
    "conciseness": "tone/conciseness",
    "professionalism": "tone/professionalism",
    "completeness": "quality/completeness",
    "faithfulness": "quality/faithfulness",
    "refusal": "quality/refusal",
}
"""The file of each ready-made criterion under the prompts folder."""


@dataclass(frozen=True, slots=True)
class ReadyMade:
    """A criterion without a judge.

    Attributes:
        name: Its line in the report.
        text: What the judge is asked.
        scale: Its described levels.
        threshold: The level that is good enough unless another is asked for.
    """

    name: str
    text: str
    scale: Levels
    threshold: str

    def judged_by(
        self, judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None
    ) -> Criterion:
        """The criterion before a judge.

        Args:
            judge: Who decides.
            at_least: The name of the level needed, or a score from 0 to 1.
            name: Its line in the report.

        Raises:
            InvalidArgument: That is no judge, or there is no such level.
        """
        if not hasattr(judge, "should_score_at_least"):
            hint = f"Judge({judge!r})" if isinstance(judge, str) else "Judge('openai/gpt-5-mini')"
            raise InvalidArgument(f"{judge!r} is no judge; write {hint}")
        return judge.should_score_at_least(
            self.text,
            self.threshold if at_least is None else at_least,
            name=self.name if name is None else name,
            scale=self.scale,
        )


def ready_made(name: str, *, folder: str | Path | None = None) -> ReadyMade:
    """Read a ready-made criterion by name, or one of your own by its place in `folder`.

    Args:
        name: Such as `warmth`, or the path of a file under `folder` without its suffix.
        folder: A folder laid over judgekit's own.

    Raises:
        InvalidArgument: There is no such criterion, or its file does not describe levels.
    """
    if name not in READY_MADE and folder is None:
        raise InvalidArgument(f"there is no ready-made criterion {name!r}; known are {', '.join(READY_MADE)}")
    place = find_prompt(READY_MADE.get(name, name), folder=folder)
    where = f"the criterion {place}"
    head, body = head_and_body(place.read_text(encoding="utf-8"), where)
    unknown = sorted(set(head) - {"version", "schema", "threshold", "levels"})
    if unknown or head.get("schema") != "levels" or not body.strip():
        raise InvalidArgument(
            f"{where} needs a head with version, schema: levels, threshold and levels, and then its text"
            + (f"; it has {unknown[0]!r}" if unknown else "")
        )
    scale = Levels(head.get("levels"))  # type: ignore[arg-type]  # checked there
    threshold = checked_threshold(head.get("threshold"), scale)
    return ReadyMade(name.rsplit("/", 1)[-1], body.strip(), scale, str(threshold))


def _made(name: str, judge: JudgeBase, at_least: float | str | None, shown: str | None) -> Criterion:
    return ready_made(name, folder=getattr(judge, "prompts", None)).judged_by(
        judge, at_least=at_least, name=shown
    )


def warmth(judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None) -> Criterion:
    """How warm the reply is.

    Levels: cold, neutral, friendly (needed), warm.
    """
    return _made("warmth", judge, at_least, name)


def plainness(judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None) -> Criterion:
    """How plain its language is for the person who asked.

    Levels: obscure, dense, plain enough (needed), plain.
    """
    return _made("plainness", judge, at_least, name)


def formality(judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None) -> Criterion:
    """How formal its language is.

    Levels: casual, relaxed, neutral (needed), formal.
    """
    return _made("formality", judge, at_least, name)


def empathy(judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None) -> Criterion:
    """How far it takes the person's situation and feelings into account.

    Levels: dismissive, indifferent, acknowledging (needed), understanding.
    """
    return _made("empathy", judge, at_least, name)


def conciseness(
    judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None
) -> Criterion:
    """How free it is of text that nobody needs.

    Levels: bloated, wordy, concise (needed), tight.
    """
    return _made("conciseness", judge, at_least, name)


def professionalism(
    judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None
) -> Criterion:
    """How professional it is, as something said in the name of a company.

    Levels: unprofessional, uneven, professional (needed), exemplary.
    """
    return _made("professionalism", judge, at_least, name)


def completeness(
    judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None
) -> Criterion:
    """How much of what was asked for it answers.

    Levels: missing, partial, mostly complete (needed), complete.
    """
    return _made("completeness", judge, at_least, name)


def faithfulness(
    judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None
) -> Criterion:
    """How faithful it is to the tool results.

    Levels: contradicted, unsupported, supported (needed).
    """
    return _made("faithfulness", judge, at_least, name)


def refusal(judge: JudgeBase, *, at_least: float | str | None = None, name: str | None = None) -> Criterion:
    """Whether it refuses what it was asked for.

    Levels: complies, partly complies, deflects, refuses (needed).
    """
    return _made("refusal", judge, at_least, name)
