"""What a paid call of an agent has to pass before it is sent, where a run has a limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["CallRefused", "Meter"]


class CallRefused(BaseException):
    """A model call that is not made, and the end of the attempt that wanted it.

    No Exception: agents and client libraries catch those, and would ask again.
    """


class Meter(Protocol):
    """Hears of every model call that an attempt makes through litellm; from any thread."""

    def before(self, key: str, call: Mapping[str, Any]) -> None:
        """A call is about to be sent; a call that is sent once more is announced once more.

        Raises:
            CallRefused: It may not be.
        """
        ...

    def after(self, key: str, call: Mapping[str, Any], response: Any) -> None:
        """A call came to its end; `response` is None where it failed. It may be told twice."""
        ...
