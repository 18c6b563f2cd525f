"""`judgekit prompts`: what judges are told, to read and to copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

__all__ = ["command"]

_folder = click.option("--folder", metavar="FOLDER", help="Your own prompts, laid over judgekit's.")


@click.group(
    "prompts",
    short_help="List and show the prompts of judges.",
    epilog="Example: judgekit prompts show judge/score > prompts/judge/score.md",
)
def command() -> None:
    """List and show the prompts of judges, and the ready-made criteria.

    Copy one into a folder of your own, change it there, and give the folder to Judge(prompts=...).
    """


@command.command(
    "list",
    short_help="List every prompt with its version and hash.",
    epilog="Example: judgekit prompts list --folder prompts",
)
@_folder
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document instead of text.")
def listed(*, folder: str | None, as_json: bool) -> int:
    """List every prompt with its version, its schema and the hash that results record."""
    from judgekit.cli.delivering import print_json
    from judgekit.cli.streams import write_out

    entries = list(_entries(_checked(folder)))
    if as_json:
        print_json(entries)
        return 0
    width = max((len(entry["name"]) for entry in entries), default=0)
    write_out("\n".join(f"{entry['name']:{width}}  {_said(entry)}" for entry in entries))
    return 0


@command.command("show", epilog="Example: judgekit prompts show judge/score")
@click.argument("name")
@_folder
def shown(name: str, *, folder: str | None) -> int:
    """Print the file of the prompt NAME as it is."""
    from judgekit.cli.mistakes import Mistake
    from judgekit.cli.streams import write_out
    from judgekit.judging.prompts import find_prompt, prompt_names

    place = _checked(folder)
    if name not in prompt_names(folder=place):
        raise Mistake(f"there is no prompt {name}; known are {', '.join(prompt_names(folder=place))}")
    write_out(find_prompt(name, folder=place).read_text(encoding="utf-8").rstrip("\n"))
    return 0


def _checked(folder: str | None) -> str | None:
    from pathlib import Path

    from judgekit.cli.mistakes import Mistake

    if folder is not None and not Path(folder).is_dir():
        raise Mistake(f"--folder: there is no folder {folder}")
    return folder


def _entries(folder: str | None) -> Iterator[dict[str, Any]]:
    import hashlib

    from judgekit.judging.prompts import find_prompt, head_and_body, prompt_names

    for name in prompt_names(folder=folder):
        text = find_prompt(name, folder=folder).read_text(encoding="utf-8").removeprefix("\ufeff")
        text = text.replace("\r\n", "\n")
        head, _ = head_and_body(text, f"the prompt {name}")
        yield {
            "name": name,
            "kind": "criterion" if "levels" in head else "prompt",
            "version": str(head.get("version", "")),
            "schema": str(head.get("schema", "")),
            "hash": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12],
        }


def _said(entry: dict[str, Any]) -> str:
    return f"{entry['kind']:9}  version {entry['version']}  schema {entry['schema']:8}  {entry['hash']}"
