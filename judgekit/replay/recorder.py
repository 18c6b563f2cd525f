"""The recorder: live interactions, redacted, as recordings."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.adapters.messages import message_text
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import json_line
from judgekit.results import CaseResult

if TYPE_CHECKING:
    from judgekit.redaction import Redactor

__all__ = ["Recorder"]


class Recorder:
    """Writes turns as recordings that `load_recordings` reads. Secrets are masked, so they can be committed.

        recorder = Recorder()
        for attempt in report.results:
            recorder.add_attempt(attempt)
        recorder.write("calls.jsonl")
        print(recorder.masked)

    Args:
        redact: Mask keys, card and account numbers, e-mail addresses and phone numbers.
        patterns: Own patterns to mask, by name.
        secrets: Values to mask wherever they stand, such as keys that the agent was given.

    Raises:
        InvalidArgument: A pattern or a secret that cannot be masked, or one of them with `redact=False`.
    """

    def __init__(
        self,
        *,
        redact: bool = True,
        patterns: Mapping[str, str | re.Pattern[str]] | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        secrets = tuple(secrets)
        if not redact and (patterns or secrets):
            raise InvalidArgument("`patterns` and `secrets` are masked; they need redact=True")
        self._redactor = _redactor(patterns, secrets) if redact else None
        self._records: list[dict[str, Any]] = []
        self._ids: set[str] = set()

    @property
    def masked(self) -> dict[str, int]:
        """How often something was masked, by kind: `{"email": 3}`."""
        return dict(self._redactor.counts) if self._redactor is not None else {}

    def __len__(self) -> int:
        """How many turns there are."""
        return len(self._records)

    def add(self, interaction: Interaction, *, id: str | None = None) -> None:
        """Add one turn. A conversation of several user turns is one recording with `turns`.

        Args:
            interaction: What was recorded of it.
            id: Of the case; one that is taken gets `-2` behind it. Default: `replay-<line>` on loading.

        Raises:
            InvalidArgument: The interaction does not tell what the agent was asked.
        """
        record = _record(interaction)
        if id is not None:
            record = {"id": id, **record}
        if self._redactor is not None:
            record = _redacted(record, self._redactor)
        if "id" in record:
            record["id"] = self._unique(str(record["id"]))
        self._records.append(record)

    def add_attempt(self, attempt: CaseResult) -> bool:
        """Add an attempt of a run or a journal under its case's id.

        Returns:
            False for an attempt whose agent call failed: it is nothing to hold a replay to.
        """
        if attempt.interaction.error is not None:
            return False
        self.add(attempt.interaction, id=attempt.case_id)
        return True

    def lines(self) -> list[str]:
        """The recordings, each as a line of JSON."""
        return [json_line(record) for record in self._records]

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the file, whole or not at all; its path.

        Raises:
            OSError: It cannot be written.
        """
        file = Path(path)
        new = file.with_name(f".{file.name}.{os.getpid()}.new")
        try:
            new.write_bytes("".join(f"{line}\n" for line in self.lines()).encode())
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)
        return file

    def _unique(self, id: str) -> str:
        unique, number = id, 1
        while unique in self._ids:
            number += 1
            unique = f"{id}-{number}"
        self._ids.add(unique)
        return unique


def _record(interaction: Interaction) -> dict[str, Any]:
    turns = _turns(interaction.messages)
    asked = turns[0]["input"] if len(turns) > 1 else interaction.command_text or interaction.user_message
    asked = asked or (turns[0]["input"] if turns else "")
    if not asked.strip():
        raise InvalidArgument(
            "the interaction does not tell what the agent was asked; give it a `command_text` or `messages`"
        )
    record: dict[str, Any] = {"input": asked}
    if len(turns) > 1:
        record["turns"] = turns
    if interaction.tool_calls is not None:
        record["toolCalls"] = [_call(call) for call in interaction.tool_calls]
    if interaction.reply is not None:
        record["output"] = interaction.reply
    if interaction.model_calls:
        record["modelCalls"] = len(interaction.model_calls)
    if interaction.total_tokens:
        record["tokens"] = {"input": interaction.input_tokens, "output": interaction.output_tokens}
    if interaction.latency is not None and not interaction.replayed:
        record["latencyMs"] = max(1, math.ceil(interaction.latency * 1000))
    return record


def _turns(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the user said, turn by turn, each with the last text that answered it."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        text = message_text(message)
        if not text.strip():
            continue
        if message.get("role") == "user":
            turns.append({"input": text})
        elif message.get("role") == "assistant" and turns:
            turns[-1]["output"] = text
    return turns


def _call(call: ToolCall) -> dict[str, Any]:
    record: dict[str, Any] = {"name": call.name, "arguments": call.arguments}
    if call.result is not None:
        record["result"] = call.result
    if call.error is not None:
        record["error"] = call.error
    return record


def _redactor(patterns: Mapping[str, str | re.Pattern[str]] | None, secrets: Iterable[str]) -> Redactor:
    # Its patterns take longer to compile than most runs, which record nothing, take to start.
    from judgekit.redaction import Redactor

    return Redactor(patterns=patterns, secrets=secrets)


def _redacted(record: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """The record without secrets; what the user said in several turns is read as one text."""
    turns = record.get("turns")
    if turns is None:
        return dict(redactor.value(record))
    said = redactor.texts([turn["input"] for turn in turns])
    answered = redactor.texts([turn.get("output", "") for turn in turns])
    kept = []
    for turn, asked, answer in zip(turns, said, answered, strict=True):
        kept.append({"input": asked, "output": answer} if "output" in turn else {"input": asked})
    rest = {name: value for name, value in record.items() if name not in ("turns", "input")}
    first = {"id": None} if "id" in record else {}
    return {**first, "input": said[0], "turns": kept, **redactor.value(rest)}
