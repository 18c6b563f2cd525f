"""Recorded tool calls, loaded into the stubs that an agent's tools call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from judgekit.context import Session
from judgekit.errors import InvalidArgument
from judgekit.interaction import ToolCall
from judgekit.signatures import takes_session
from judgekit.text import bracketed

__all__ = ["Loader", "RecordedCall", "ToolBindings"]

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

Loader: TypeAlias = "Callable[..., Awaitable[None] | None]"
"""`loader(call)` or `loader(call, session)`, sync or async."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A recorded call that a stub is to answer as it was answered then.

    Attributes:
        tool: The tool's name.
        arguments: As recorded; text where it was no JSON object.
        result: What the tool returned, None where nothing was recorded.
        error: The text of the tool's failure, None where it did not fail.
    """

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    result: Any = None
    error: str | None = None

    def argument(self, name: str) -> Any:
        """The value of one argument.

        Raises:
            InvalidArgument: The call has no such argument; those it has are named.
        """
        if isinstance(self.arguments, str):
            raise InvalidArgument(f"the recorded arguments of {self.tool} are no object: {self.arguments!r}")
        if name not in self.arguments:
            raise InvalidArgument(
                f"the recorded call to {self.tool} has no argument {name!r}, "
                f"it has {bracketed(self.arguments)}"
            )
        return self.arguments[name]

    def result_as(self, type: type[T]) -> T:
        """The result as a value of `type`, such as a pydantic model, a dataclass, or `list[Order]`.

        Raises:
            InvalidArgument: The result does not fit the type.
        """
        from pydantic import TypeAdapter, ValidationError

        adapter: TypeAdapter[T] = TypeAdapter(type)
        try:
            if isinstance(self.result, str) and type is not str:
                return _from_text(adapter, self.result)
            return adapter.validate_python(self.result)
        except ValidationError as error:
            raise InvalidArgument(
                f"the recorded result of {self.tool} is no {getattr(type, '__name__', type)}: {error}"
            ) from error


def _from_text(adapter: TypeAdapter[T], text: str) -> T:
    """A text is the JSON of the value, or, for a date or a number, the value as text."""
    from pydantic import ValidationError

    try:
        return adapter.validate_json(text)
    except ValidationError:
        return adapter.validate_python(text)


@dataclass(frozen=True, slots=True)
class ToolBindings:
    """Which loader primes the stub of which tool. Immutable: `bind` returns another.

    A loader takes a `RecordedCall`, and the attempt's session where it has a second parameter, and primes
    the stub that the agent's tool calls; it is no interceptor. Loaders run before each attempt, in
    recorded order, after `reset`, which clears the stubs. Where all of them take the session, attempts
    may run at the same time; else agent calls run one after another.
    """

    reset: Callable[..., Awaitable[None] | None] | None = None
    _loaders: tuple[tuple[str, Loader], ...] = ()

    def __post_init__(self) -> None:
        if self.reset is not None and not callable(self.reset):
            raise InvalidArgument(f"`reset` must be callable, got {self.reset!r}")
        if self.reset is not None:
            takes_session(self.reset, given=0)

    def bind(self, tool: str, loader: Loader) -> ToolBindings:
        """The same bindings and one more.

        Raises:
            InvalidArgument: A blank name, a tool that is bound already, or a loader that cannot be called so.
        """
        if not isinstance(tool, str) or not tool.strip():
            raise InvalidArgument(f"`tool` must be a tool's name, got {tool!r}")
        if not callable(loader):
            raise InvalidArgument(f"the loader of {tool} must be callable, got {loader!r}")
        if tool in self.bound():
            raise InvalidArgument(f"the tool {tool} is bound twice; a tool has one loader")
        takes_session(loader, given=1)
        return replace(self, _loaders=(*self._loaders, (tool, loader)))

    def bound(self) -> tuple[str, ...]:
        """The names of the bound tools, in the order in which they were bound."""
        return tuple(tool for tool, _ in self._loaders)

    @property
    def shared(self) -> bool:
        """Whether the stubs are the same for all attempts, since a loader or `reset` takes no session."""
        takers = [takes_session(loader, given=1) for _, loader in self._loaders]
        if self.reset is not None:
            takers.append(takes_session(self.reset, given=0))
        return not all(takers)

    def steps(
        self, calls: Iterable[ToolCall], session: Session
    ) -> Iterator[Callable[[], Awaitable[None] | None]]:
        """What has to be called, in order, before the agent is."""
        reset, loaders = self.reset, dict(self._loaders)
        if reset is not None:
            arguments = (session,) if takes_session(reset, given=0) else ()
            yield lambda: reset(*arguments)
        for call in calls:
            yield _step(loaders[call.name], call, session)


def _step(loader: Loader, call: ToolCall, session: Session) -> Callable[[], Awaitable[None] | None]:
    recorded = RecordedCall(call.name, call.arguments, call.result, call.error)
    if takes_session(loader, given=1):
        return lambda: loader(recorded, session)
    return lambda: loader(recorded)
