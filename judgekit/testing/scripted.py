"""`ScriptedModel`: a model that answers by rules, the same in every run and without a key."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.adapters.litellm_events import SCRIPTED_PROVIDER
from judgekit.adapters.post_import import when_imported
from judgekit.errors import InvalidArgument, JudgekitError
from judgekit.testing.script import Answerable, Rule, Turn, answer_from, completion, otherwise
from judgekit.text import one_line

__all__ = ["PROVIDER", "ScriptedModel", "ScriptedRequest", "UnscriptedMessage", "scripted_model"]

PROVIDER = SCRIPTED_PROVIDER
_REQUESTS_KEPT = 10_000

# Where litellm finds the model again that a model string names; it keeps none of them alive.
_living: weakref.WeakValueDictionary[str, ScriptedModel] = weakref.WeakValueDictionary()
_naming = threading.Lock()


class UnscriptedMessage(JudgekitError, LookupError):
    """No rule of a scripted model answers a message; the text shows the message and the rules."""


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """One request that a scripted model got."""

    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    response_format: Any = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


class ScriptedModel(str):
    """A model that answers by rules; the first rule that matches decides.

    It is a model string, so it goes wherever a litellm model string goes: `Judge(model=scripted)`,
    `litellm.completion(model=scripted, ...)`, or an agent that takes a model's name. `FakeProvider`
    serves it over HTTP. Keep a reference to it: the string alone does not keep it alive.

        model = ScriptedModel(
            when("where is order", calls("getOrder", orderId="o_42")),
            after_tool("getOrder", "Your order is on its way."),
            otherwise("Hello!"),
        )

    Args:
        rules: Rules, or bare answers, which answer everything.
        name: What it is called in reports. Where a living model has the name, `-2` is added.

    Raises:
        InvalidArgument: There is no rule, or something is neither a rule nor an answer.
    """

    __slots__ = ("__weakref__", "_lock", "_number", "_requests", "_rules", "_used")

    def __new__(cls, *rules: Rule | Answerable, name: str = "model") -> ScriptedModel:
        """Build the model; rules are checked here."""
        if not rules:
            raise InvalidArgument("ScriptedModel: give at least one rule, such as otherwise('Hello!')")
        if not isinstance(name, str) or not name.strip() or "/" in name:
            raise InvalidArgument(f"ScriptedModel: `name` must be a word without a slash, got {name!r}")
        checked = tuple(rule if isinstance(rule, Rule) else otherwise(rule) for rule in rules)
        with _naming:
            text, number = f"{PROVIDER}/{name}", 1
            while text in _living:
                number += 1
                text = f"{PROVIDER}/{name}-{number}"
            model = super().__new__(cls, text)
            _living[text] = model
        model._rules = checked
        model._lock = threading.Lock()
        model._number = 0
        model._used = [0] * len(checked)
        model._requests = deque(maxlen=_REQUESTS_KEPT)
        when_imported("litellm", _register)
        return model

    _rules: tuple[Rule, ...]
    _lock: threading.Lock
    _number: int
    _used: list[int]
    _requests: deque[ScriptedRequest]

    def __copy__(self) -> ScriptedModel:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedModel:
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        # Rules hold functions; what reports and errors need to pickle is the name.
        return str, (str.__str__(self),)

    @property
    def call_count(self) -> int:
        """How many requests it got."""
        return self._number

    @property
    def requests(self) -> tuple[ScriptedRequest, ...]:
        """The requests it got, in order of arrival; the last 10,000 of them."""
        return tuple(self._requests)

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Any = None,
        **parameters: Any,
    ) -> dict[str, Any]:
        """Answer one request as an OpenAI chat.completion. Safe to call from several threads.

        Raises:
            UnscriptedMessage: No rule matches.
        """
        request = ScriptedRequest(tuple(messages), tuple(tools or ()), response_format, parameters)
        with self._lock:
            self._number += 1
            number = self._number
            self._requests.append(request)
        turn = Turn(request.messages, request.tools, number)
        answer = self._answer_to(turn)
        value = answer(turn) if callable(answer) else answer
        return completion(answer_from(value), turn, self)

    def _answer_to(self, turn: Turn) -> Answerable:
        for position, rule in enumerate(self._rules):
            if rule.matches(turn):
                with self._lock:
                    use = self._used[position]
                    self._used[position] += 1
                return rule.answers[min(use, len(rule.answers) - 1)]
        raise self._unscripted(turn)

    def _unscripted(self, turn: Turn) -> UnscriptedMessage:
        last = turn.last
        shown = one_line(turn.text, 500) if turn.text.strip() else one_line(repr(dict(last)), 500)
        rules = ", ".join(rule.description for rule in self._rules)
        return UnscriptedMessage(
            f"{self}: no rule answers the {last.get('role', 'missing')} message {shown!r} (request "
            f"{turn.number}); its rules are {rules}. Add when(...), after_tool(...) or otherwise(...)."
        )


def scripted_model(name: str) -> ScriptedModel:
    """The living scripted model of this name, with or without its `judgekit-scripted/` in front.

    Raises:
        UnscriptedMessage: There is none.
    """
    model = _living.get(f"{PROVIDER}/{name.removeprefix(PROVIDER + '/')}")
    if model is None:
        raise UnscriptedMessage(
            f"no scripted model {name!r} is alive; keep a reference to the ScriptedModel while it is used"
        )
    return model


def _register() -> None:
    # Needs litellm's base class, so it can only be imported once litellm is there.
    from judgekit.testing import litellm_provider

    # Where that module itself is what imports litellm, it is not whole yet, and registers at its end.
    if hasattr(litellm_provider, "register"):
        litellm_provider.register()
