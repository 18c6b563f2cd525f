"""Writes docs/reference from the signatures and docstrings of the public names.

Run `python docs/make_reference.py` after a change to one of them; tests/test_reference.py compares.
"""

from __future__ import annotations

import enum
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sized
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parent / "reference"
WIDTH = 100


class Page(NamedTuple):
    """One topic.

    Attributes:
        file: Its name without suffix.
        title: Its heading.
        homes: Where names of the root package are defined that belong here.
        modules: Public modules of which every name, or every name after the colon, belongs here.
    """

    file: str
    title: str
    homes: tuple[str, ...]
    modules: tuple[str, ...] = ()


PAGES = (
    Page(
        "cases", "Cases and evidence",
        ("evaluation", "interaction", "conversation", "simulating", "outcomes", "labels"),
        ("context: Session",),
    ),
    Page(
        "running", "Runs", ("runner", "schedule", "swapping", "in_pytest", "stopping"),
        ("suites", "swapping", "store: read_run StoredRun RunHead Attempts JournalWarning", "history"),
    ),
    Page("evaluators", "Evaluators", ("evaluators",), ("evaluators",)),
    Page("judges", "Judges", ("judging", "providers"), ("judging", "judging.criteria", "judging.probe")),
    Page("calibration", "Calibration", ("calibrating",), ("calibrating",)),
    Page("gates", "Gates", ("gate",), ("gate",)),
    Page(
        "reports", "Reports and comparisons", ("reporting", "results", "comparing"),
        (
            "reporting", "reporting.html", "reporting.comparisons: write_comparison",
            "reporting.document: report_schema", "comparing",
        ),
    ),
    Page("data", "Rows and recordings", ("datasets", "replay"), ("datasets", "replay")),
    Page("adapters", "Evidence from elsewhere", ("adapters",), ("adapters",)),
    Page("adversarial", "Adversarial tests", ("adversarial",), ("adversarial",)),
    Page("statistics", "Statistics", ("statistics",), ("statistics",)),
    Page("testing", "Testing without a model", ("testing",), ("testing",)),
    Page("errors", "Errors", ("errors",), ("errors",)),
)  # fmt: skip
OTHER = Page("other", "Other names", ())
"""For names of the root package whose home no page has."""

_CODE = re.compile(r"(`+)(?:(?!\1)[\s\S])*\1")
_SPECIAL = re.compile(r"[\\*<\[\]&$~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#>+]", re.MULTILINE)
_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):$")
_ENTRY = re.compile(r"^([\w.*][\w.*, ]*): (.*)$")


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    held: dict[str, dict[str, Any]] = {page.file: {} for page in (*PAGES, OTHER)}
    root = import_module("judgekit")
    taken: set[int] = set()
    for name in root.__all__:
        value = getattr(root, name)
        held[_page_of(value).file][f"judgekit.{name}"] = value
        taken.add(id(value))
    for page in PAGES:
        for module in page.modules:
            for path, value in _names_of(module):
                if id(value) not in taken or not (inspect.isclass(value) or inspect.isfunction(value)):
                    held[page.file][path] = value
                    taken.add(id(value))
    filled = [page for page in (*PAGES, OTHER) if held[page.file]]
    return {"index.md": _index(filled, held)} | {
        f"{one.file}.md": _page(one, held[one.file]) for one in filled
    }


def _page_of(value: Any) -> Page:
    parts = getattr(value, "__module__", "").split(".")
    home = parts[1] if len(parts) > 1 else ""
    return next((page for page in PAGES if home in page.homes), OTHER)


def _names_of(entry: str) -> Iterator[tuple[str, Any]]:
    module, _, names = entry.partition(":")
    found = import_module(f"judgekit.{module}")
    for name in names.split() or found.__all__:
        yield f"judgekit.{module}.{name}", getattr(found, name)


def _index(filled: list[Page], held: dict[str, dict[str, Any]]) -> str:
    lines = ["# Reference", "", "Made from the docstrings: signatures, what is raised, units and ranges.", ""]
    for page in filled:
        names = [f"`{path.rpartition('.')[2]}`" for path in held[page.file]]
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        lines.append(f"- [{page.title}]({page.file}.md): {shown}")
    return "\n".join(lines) + "\n"


def _page(page: Page, names: dict[str, Any]) -> str:
    parts = [f"# {page.title}", "[Reference](index.md)"]
    before = ""
    for path, value in names.items():
        module, _, name = path.rpartition(".")
        if module != before:
            parts.append(f"## `{module}`")
            before = module
        parts += _entry(name, value)
    return "\n\n".join(part for part in parts if part) + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### `{name}`"
    if inspect.isclass(value):
        yield from _class(name, value)
    elif inspect.isroutine(value):
        yield _signature(name, value)
        yield markdown(inspect.getdoc(value) or "")
    else:
        yield _constant(name, value)


def _constant(name: str, value: Any) -> str:
    if isinstance(value, bool | int | float | str):
        # An alias of types that are imported for type checkers only is text.
        shown = value if isinstance(value, str) and re.search(r"[\[|]", value) else repr(value)
        return f"```text\n{name} = {shown}\n```"
    if isinstance(value, Mapping):
        return f"A mapping with the keys {', '.join(f'`{key}`' for key in value)}."
    return f"A {type(value).__name__} of {len(value)}." if isinstance(value, Sized) else "A type."


def _class(name: str, value: type) -> Iterator[str]:
    if issubclass(value, enum.Enum):
        members = "\n".join(f"{name}.{member.name} = {member.value!r}" for member in value)
        yield f"```text\n{members}\n```"
    elif not getattr(value, "_is_protocol", False) and _has_own_constructor(value):
        yield _signature(name, value)
    yield markdown(inspect.getdoc(value) or "")
    for member, held in _members(value):
        yield f"#### `{name}.{member}`"
        if isinstance(held, property):
            kind = _text(getattr(held.fget, "__annotations__", {}).get("return"))
            yield f"Property, `{kind}`. {markdown(inspect.getdoc(held.fget) or '')}"
        else:
            function = held.__func__ if isinstance(held, classmethod | staticmethod) else held
            yield _signature(f"{name}.{member}", function, drop=not isinstance(held, staticmethod))
            yield markdown(inspect.getdoc(getattr(value, member)) or "")


def _has_own_constructor(value: type) -> bool:
    if any(hasattr(value, mark) for mark in ("__dataclass_fields__", "_fields")):
        return True
    return any(
        vars(owner).keys() & {"__init__", "__new__"}
        for owner in value.__mro__
        if owner.__module__.startswith("judgekit")
    )


def _members(value: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that are written in judgekit, in the order of their classes."""
    seen: set[str] = set()
    for owner in value.__mro__:
        if not owner.__module__.startswith("judgekit"):
            continue
        for name, held in vars(owner).items():
            if name.startswith("_") or name in seen or inspect.isclass(held):
                continue
            if isinstance(held, property | classmethod | staticmethod) or inspect.isfunction(held):
                seen.add(name)
                yield name, held


def _signature(name: str, function: Any, *, drop: bool = False) -> str:
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    parameters = list(found.parameters.values())[1 if drop else 0 :]
    returned = "" if found.return_annotation is found.empty or inspect.isclass(function) else (
        f" -> {_text(found.return_annotation)}"
    )  # fmt: skip
    return _fenced(name, _parameters(parameters), returned)


def _parameters(parameters: list[inspect.Parameter]) -> list[str]:
    shown: list[str] = []
    before = None
    for parameter in parameters:
        kind = parameter.kind
        if before is parameter.POSITIONAL_ONLY and kind is not before:
            shown.append("/")
        starred = (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        if kind is parameter.KEYWORD_ONLY and before not in starred:
            shown.append("*")
        stars = 1 if kind is parameter.VAR_POSITIONAL else 2 if kind is parameter.VAR_KEYWORD else 0
        text = "*" * stars + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {_text(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        shown.append(text)
        before = kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        shown.append("/")
    return shown


def _text(annotation: Any) -> str:
    if annotation is None:
        return "None"
    text = getattr(annotation, "__forward_arg__", annotation)
    text = text if isinstance(text, str) else getattr(text, "__name__", str(text))
    return text.strip("'\"")


def _default(value: Any) -> str:
    """How a default reads in source; nothing that depends on a process or a place."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value)
    return "..." if len(text) > 60 or text.startswith("<") or " at 0x" in text else text


def _fenced(name: str, parameters: list[str], returned: str) -> str:
    line = f"{name}({', '.join(parameters)}){returned}"
    if len(line) > WIDTH:
        line = f"{name}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){returned}"
    return f"```text\n{line}\n```"


def markdown(text: str) -> str:
    """Google's sections as lists; what Markdown would read in prose is escaped, code stays code."""
    parts: list[str] = []
    section = ""
    for block in filter(str.strip, re.split(r"\n\s*\n", text)):
        first, _, rest = block.partition("\n")
        found = _SECTION.match(first)
        if found:
            section = found[1]
            parts.append(f"**{section}**")
            block = rest
        elif not block.startswith("    "):
            section = ""
        if section in ("Args", "Attributes", "Raises"):
            # An entry goes on in the lines that are indented further.
            parts += ["\n".join(map(_item, re.split(r"\n(?! )", textwrap.dedent(block))))]
        elif section:
            parts.append(escaped(textwrap.dedent(block)))
        else:
            parts.append(block if block.startswith("    ") else escaped(block))
    return "\n\n".join(parts)


def _item(entry: str) -> str:
    text = " ".join(entry.split())
    found = _ENTRY.match(text)
    return f"- `{found[1]}`: {escaped(found[2])}" if found else f"- {escaped(text)}"


def escaped(prose: str) -> str:
    """Prose in which only code spans and lists are Markdown."""
    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(prose):
        parts += [_SPECIAL.sub(r"\\\g<0>", prose[end : code.start()]), code.group()]
        end = code.end()
    return "".join((*parts, _SPECIAL.sub(r"\\\g<0>", prose[end:])))


def write(folder: Path) -> None:
    """Write every page, and remove pages that are none any more."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = pages()
    for old in folder.glob("*.md"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(FOLDER)
