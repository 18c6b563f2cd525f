"""A conversation carried out: turn after turn in one session, each with its own evaluators."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from judgekit.conversation import UserLike, turns_of, view_of_turn, whole_of
from judgekit.evaluation import EvalCase, EvalResult, EvaluatorLike, Kind, Outcome
from judgekit.interaction import Interaction, ModelCall
from judgekit.results import TARGET
from judgekit.schedule.agents import Target, target_of
from judgekit.schedule.evaluating import Evaluation
from judgekit.schedule.judged import results_of
from judgekit.schedule.missing import Missing
from judgekit.text import one_line

__all__ = ["Conversation", "in_turn", "turn_named"]

_TURN = re.compile(r"turn ([1-9]\d{0,5})(?:: |$)")
_STOPPED = "the conversation was stopped before it"
_UNRECORDED = Missing(Kind.NO_EVIDENCE, "this turn was not recorded")


class Answers(Protocol):
    """The agent of one attempt, in its session."""

    def __call__(self, command: Any, /, *, blockable: bool) -> Awaitable[Target]:
        """Call the agent."""
        ...


class Conversation:
    """One attempt at a case of several turns: `hold` it or `take_recorded`, then ask for `results`."""

    def __init__(self, case: EvalCase, evaluators: Sequence[EvaluatorLike], evaluation: Evaluation) -> None:
        assert case.dialogue is not None  # noqa: S101 - who calls this has asked
        self._case = case
        self._dialogue = case.dialogue
        self._of_turns, self._of_whole = case.dialogue.split(evaluators)
        self._evaluation = evaluation
        self._targets: list[Target] = []
        self._results: dict[int, tuple[EvalResult, ...]] = {}
        self._user_calls: list[ModelCall] = []
        self._missing: Missing | None = None
        self._unreached = _UNRECORDED

    async def hold(self, answer: Answers) -> None:
        """Talk to the agent until everything was said, or no more can be."""
        self._unreached = Missing(Kind.NOT_RUN, _STOPPED)
        for command in self._dialogue.commands:
            if not await self._goes_on_after(answer, command):
                return
        if self._dialogue.user is not None:
            await self._hold_with(self._dialogue.user, answer)

    async def _hold_with(self, user: UserLike, answer: Answers) -> None:
        spoken = 0
        while True:
            said = await user.next_message(self._turns, spoken=spoken)
            self._user_calls += said.calls
            if said.failed is not None:
                self._missing = _user_failed(*said.failed)
                return
            if said.text is None or not await self._goes_on_after(answer, said.text):
                return
            spoken += 1

    async def _goes_on_after(self, answer: Answers, command: Any) -> bool:
        """Let the agent answer; whether the conversation goes on."""
        number = len(self._targets) + 1
        target = await answer(command, blockable=self._is_blockable(number))
        self._targets.append(target)
        if target.missing is not None:
            self._missing = replace(target.missing, why=f"turn {number}: {target.missing.why}")
            return False
        if not self._dialogue.stop_on_failure:
            return True
        failed = any(result.outcome is Outcome.FAIL for result in await self._results_of_turn(number))
        return target.failed is None and not failed

    def take_recorded(self, interaction: Interaction) -> None:
        """Take a recorded conversation as if the agent had given it just so."""
        self._user_calls += interaction.user_calls
        for number, turn in enumerate(turns_of(interaction), start=1):
            self._targets.append(target_of(turn, blockable=self._is_blockable(number)))

    def whole(self) -> Interaction:
        """The evidence of the whole conversation."""
        whole = whole_of(self._turns, user_calls=self._user_calls)
        return whole if self._targets else replace(whole, command_text=self._case.command_text())

    async def results(self) -> tuple[EvalResult, ...]:
        """The runner's own result where it has one, those of each turn, and those of the whole."""
        found: list[EvalResult] = list(self._own_results())
        for number in range(1, len(self._of_turns) + 1):
            found += await self._results_of_turn(number)
        return (*found, *await self._results_of_whole())

    @property
    def _turns(self) -> list[Interaction]:
        return [target.interaction for target in self._targets]

    def _failures(self) -> list[str]:
        return [
            f"turn {number}: {target.failed}"
            for number, target in enumerate(self._targets, start=1)
            if target.failed is not None
        ]

    def _own_results(self) -> Sequence[EvalResult]:
        failures = self._failures()
        if failures:
            return (EvalResult(Outcome.FAIL, one_line("; ".join(failures)), label=TARGET),)
        return self._missing.results(()) if self._missing is not None else ()

    async def _results_of_turn(self, number: int) -> tuple[EvalResult, ...]:
        if number not in self._results:
            self._results[number] = tuple(
                in_turn(number, result) for result in await self._found_in_turn(number)
            )
        return self._results[number]

    async def _found_in_turn(self, number: int) -> tuple[EvalResult, ...]:
        evaluators = self._evaluators_of(number)
        if number > len(self._targets) or self._targets[number - 1].missing is not None:
            return (self._missing or self._unreached).in_place_of(evaluators)
        view = view_of_turn(self._turns, number)
        target = replace(self._targets[number - 1], interaction=view)
        return await results_of(self._evaluation, self._case, target, evaluators)

    async def _results_of_whole(self) -> tuple[EvalResult, ...]:
        evaluators = self._of_whole
        if self._missing is not None:
            return self._missing.in_place_of(evaluators)
        failures = self._failures()
        if not failures and len(self._targets) < len(self._of_turns):
            return self._unreached.in_place_of(evaluators)
        target = Target(self.whole(), failed="; ".join(failures) or None)
        return await results_of(self._evaluation, self._case, target, evaluators)

    def _evaluators_of(self, number: int) -> Sequence[EvaluatorLike]:
        return self._of_turns[number - 1] if number <= len(self._of_turns) else ()

    def _is_blockable(self, number: int) -> bool:
        evaluators = (*self._evaluators_of(number), *self._of_whole)
        return any(getattr(evaluator, "expects_block", False) for evaluator in evaluators)


def turn_named(result: EvalResult) -> int | None:
    """The turn whose result this is, as its detail says; None for the whole conversation's."""
    found = _TURN.match(result.detail)
    return int(found[1]) if found else None


def in_turn(number: int, result: EvalResult) -> EvalResult:
    """The result with its turn in front of its detail."""
    place = f"turn {number}"
    return replace(result, detail=f"{place}: {result.detail}" if result.detail else place)


def _user_failed(cause: str, why: str) -> Missing:
    if cause == "budget spent":
        return Missing(Kind.BUDGET_SPENT, f"the simulated user was not asked: {why}")
    return Missing(Kind.JUDGE_FAILED, f"the simulated user said nothing: {why}", f"simulated user: {cause}")
