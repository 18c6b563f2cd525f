"""YAML without surprises: text stays as typed, and no key stands twice."""

from __future__ import annotations

import re
from typing import Any

from judgekit.errors import FileUnreadable

__all__ = ["load_plain_yaml", "located_yaml"]

# What JSON would read as more than text; `no`, `on`, dates, `1_000`, `0o7` and `12:30` stay text.
_PLAIN = (
    ("tag:yaml.org,2002:bool", r"true|false|True|False|TRUE|FALSE", "tTfF"),
    ("tag:yaml.org,2002:null", r"null|Null|NULL|~|", ["n", "N", "~", ""]),
    ("tag:yaml.org,2002:int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    (
        "tag:yaml.org,2002:float",
        r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)",
        "-0123456789",
    ),
)


def load_plain_yaml(text: str) -> Any:
    """The one document of a YAML text, as JSON would hold it.

    Raises:
        FileUnreadable: It is no YAML, or a key stands twice; the text names the line.
    """
    return located_yaml(text)[0]


def located_yaml(text: str) -> tuple[Any, dict[tuple[str | int, ...], int]]:
    """Likewise, and the line of every value by its path of keys and positions; 1-based.

    Raises:
        FileUnreadable: It is no YAML, or a key stands twice; the text names the line.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - this is how PyYAML wants it

    for tag, pattern, first in _PLAIN:
        Loader.add_implicit_resolver(tag, re.compile(f"^(?:{pattern})$"), list(first))
    Loader.add_constructor("tag:yaml.org,2002:map", _unique_mapping)
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, lines
        data = loader.construct_document(node)
        _note_lines(node, (), node.start_mark.line + 1, lines)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise FileUnreadable(
            f"line {line}: it is no YAML: {error.reason}, got {chr(error.character)!r}"
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark is not None else ""
        problem = str(getattr(error, "problem", None) or error)
        hint = (
            "; look at the indentation, and put a text with a colon in quotes"
            if problem.startswith("mapping values are not allowed")
            else ""
        )
        raise FileUnreadable(f"{place}it is no YAML: {problem}{hint}") from error
    except RecursionError as error:
        raise FileUnreadable("line 1: it is nested too deeply") from error
    return data, lines


def _note_lines(
    node: Any, path: tuple[str | int, ...], line: int, lines: dict[tuple[str | int, ...], int]
) -> None:
    """A value begins where its key stands."""
    lines[path] = line
    if node.id == "mapping":
        for key, value in node.value:
            _note_lines(value, (*path, key.value), key.start_mark.line + 1, lines)
    elif node.id == "sequence":
        for position, value in enumerate(node.value):
            _note_lines(value, (*path, position), value.start_mark.line + 1, lines)


def _unique_mapping(loader: Any, node: Any) -> dict[Any, Any]:
    loader.flatten_mapping(node)
    found: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        try:
            known = key in found
        except TypeError:
            line = key_node.start_mark.line + 1
            raise FileUnreadable(f"line {line}: a key must be text, got {key!r}") from None
        if known:
            line = key_node.start_mark.line + 1
            raise FileUnreadable(f"line {line}: the key {key!r} stands twice")
        found[key] = loader.construct_object(value_node, deep=True)
    return found
