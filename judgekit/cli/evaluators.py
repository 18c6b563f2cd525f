"""`judgekit evaluators`: every check there is, with its signature and what it says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import click

__all__ = ["command"]

_READY = "ready-made criteria, `from judgekit.judging.criteria import warmth`, `score --ready-made warmth`:"


@click.command("evaluators", epilog="Example: judgekit evaluators should_call_tool_with")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document instead of text.")
def command(name: str | None, *, as_json: bool) -> int:
    """List the evaluators, or say all about one.

    NAME is that of an evaluator, of a method of Judge, or of a ready-made criterion.
    """
    from judgekit.cli.delivering import print_json
    from judgekit.cli.streams import write_out

    known = _known()
    if name is None:
        if as_json:
            print_json(
                [_document(where, *entry) for where, group in known.items() for entry in group.items()]
            )
        else:
            write_out("\n".join(_listed(known)))
        return 0
    where, function = _found(name, known)
    if as_json:
        print_json(_document(where, name, function))
    else:
        write_out(f"{_signature(name, function)}\n\n{inspect.getdoc(function) or ''}")
    return 0


def _known() -> dict[str, dict[str, Callable[..., Any]]]:
    """The factories by where they come from."""
    from judgekit import evaluators
    from judgekit.judging import Judge, criteria

    checks = {
        name: held for name in evaluators.__all__ if inspect.isfunction(held := getattr(evaluators, name))
    }
    judged = {
        name: held
        for name, held in inspect.getmembers(Judge, inspect.isfunction)
        if name.startswith("should_")
    }
    ready = {name: getattr(criteria, name) for name in criteria.READY_MADE}
    return {"judgekit.evaluators": checks, "Judge": judged, "judgekit.judging.criteria": ready}


def _listed(known: dict[str, dict[str, Callable[..., Any]]]) -> Iterator[str]:
    heads = {
        "judgekit.evaluators": "checks without a model, `from judgekit.evaluators import should_call_tool`:",
        "Judge": "criteria in words, `Judge(...).should_satisfy(...)`:",
        "judgekit.judging.criteria": _READY,
    }
    for where, group in known.items():
        yield heads[where]
        width = max(map(len, group))
        for name, function in group.items():
            yield f"  {name:{width}}  {_summary(function)}"
        yield ""
    yield "`judgekit evaluators NAME` says all about one."


def _found(name: str, known: dict[str, dict[str, Callable[..., Any]]]) -> tuple[str, Callable[..., Any]]:
    from difflib import get_close_matches

    from judgekit.cli.mistakes import Mistake

    for where, group in known.items():
        if name in group:
            return where, group[name]
    near = get_close_matches(name, [name for group in known.values() for name in group], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`judgekit evaluators` lists them"
    raise Mistake(f"there is no evaluator {name}; {hint}")


def _summary(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def _signature(name: str, function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    return f"{name}{signature.replace(parameters=parameters)}"


def _document(where: str, name: str, function: Callable[..., Any]) -> dict[str, str]:
    text = inspect.getdoc(function) or ""
    return {"name": name, "of": where, "signature": _signature(name, function), "text": text}
