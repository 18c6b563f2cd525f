"""What an agent really did to the world, read from the stub behind its tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judgekit.context import Session, current_attempt
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.interaction import Interaction
from judgekit.signatures import takes_session
from judgekit.text import one_line

__all__ = ["NoEffect", "should_have_no_effect"]


@built_in_label("no-effect")
@dataclass(frozen=True, slots=True)
class NoEffect:
    """The stub has seen no effect. See `should_have_no_effect`."""

    read: Callable[..., Any]

    def __post_init__(self) -> None:
        if not callable(self.read):
            raise InvalidArgument(f"no-effect: `read` must be callable, got {self.read!r}")
        takes_session(self.read, given=0)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when nothing was done; INCONCLUSIVE where the stub knows nothing of this attempt."""
        attempt = current_attempt()
        if attempt is None:
            return EvalResult.inconclusive("effects can only be read while the agent's stub is there")
        given = (Session(attempt.session_id),) if takes_session(self.read, given=0) else ()
        try:
            effects = self.read(*given)
        except LookupError:
            return EvalResult.inconclusive("the stub knows nothing of this attempt")
        return (
            EvalResult.failed(f"the effect is {one_line(repr(effects))}") if effects else EvalResult.passed()
        )


def should_have_no_effect(read: Callable[..., Any]) -> NoEffect:
    """The stub behind the agent's tools has seen no effect, whatever the reply and the tool calls say.

    Args:
        read: `read()` or `read(session)`: what was done, empty or false where nothing was, such as
            `lambda session: shops[session.id].refunds`. A LookupError says that the stub knows nothing of
            the attempt, as where recorded interactions are scored.

    Raises:
        InvalidArgument: It cannot be called so.
    """
    return NoEffect(read)
