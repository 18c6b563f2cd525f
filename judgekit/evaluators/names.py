"""Tool names as checks write them: exactly, or as a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import translate
from typing import TypeAlias

from judgekit.errors import InvalidArgument

__all__ = ["NamePattern", "ToolName", "checked_name", "checked_names", "name_fits", "pattern"]


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A tool name with wildcards; build it with `pattern(...)`. Prints as its glob."""

    glob: str
    _match: Callable[[str], re.Match[str] | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.glob, str) or not self.glob.strip():
            raise InvalidArgument(f"pattern: the glob must be text that is not blank, got {self.glob!r}")
        object.__setattr__(self, "_match", re.compile(translate(self.glob)).match)

    def __reduce__(self) -> tuple[type[NamePattern], tuple[str]]:
        return type(self), (self.glob,)

    def __str__(self) -> str:
        return self.glob

    def fits(self, name: str) -> bool:
        """Whether the whole name fits, upper and lower case told apart."""
        return self._match(name) is not None


ToolName: TypeAlias = str | NamePattern


def pattern(glob: str) -> NamePattern:
    """A tool name with wildcards, for names that a server or framework prefixes.

    Args:
        glob: `*` stands for any text, `?` for one character, `[ab]` for one of these. The whole name
            must fit, so `pattern("*delete_user")` fits `mcp__crm__delete_user`.

    Raises:
        InvalidArgument: The glob is blank.
    """
    return NamePattern(glob)


def name_fits(expected: ToolName, name: str) -> bool:
    """Whether a called tool's name is the expected one."""
    return expected == name if isinstance(expected, str) else expected.fits(name)


def checked_name(label: str, name: object) -> ToolName:
    """The name, if it can be a tool's name.

    Raises:
        InvalidArgument: It is blank, not text, or holds a wildcard without `pattern(...)`.
    """
    if isinstance(name, NamePattern):
        return name
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(f"{label}: a tool name must be text that is not blank, got {name!r}")
    if "*" in name or "?" in name:
        raise InvalidArgument(
            f"{label}: the tool name {name!r} holds a wildcard, but names match exactly; "
            f"write pattern({name!r})"
        )
    return name


def checked_names(label: str, names: Iterable[object]) -> tuple[ToolName, ...]:
    """At least one name, each checked.

    Raises:
        InvalidArgument: There is none, one cannot be a tool's name, or a list stands in a name's place.
    """
    if isinstance(names, str | NamePattern):
        raise InvalidArgument(f"{label}: tool names must come as a tuple, got {names!r}; write ({names!r},)")
    found = tuple(names)
    if not found:
        raise InvalidArgument(f"{label}: no tool name was given, so the check could never fail; name one")
    for name in found:
        if isinstance(name, list | tuple | set | frozenset):
            raise InvalidArgument(
                f"{label}: a tool name must be text, got {name!r}; write the names one by one, or *names"
            )
    return tuple(checked_name(label, name) for name in found)
