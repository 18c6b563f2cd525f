"""`judgekit init`: a first suite, which runs at once."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

__all__ = ["command"]


@click.command("init", epilog="Example: judgekit init evals/suite.py")
@click.argument("file", default="suite.py", type=click.Path(path_type=Path))
def command(file: Path) -> int:
    """Write a first suite to FILE, suite.py unless given. It runs without a key and without a network.

    A file that is there already is left alone.
    """
    from judgekit.cli.first_suite import FIRST_SUITE
    from judgekit.cli.mistakes import Mistake
    from judgekit.cli.streams import write_out

    if file.is_dir():
        raise Mistake(f"{file} is a folder; write {file / 'suite.py'}")
    if file.suffix != ".py":
        raise Mistake(f"{file}: a suite is a Python file; write {file.with_suffix('.py')}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(FIRST_SUITE.replace("run suite.py", f"run {shlex.quote(str(file))}"))
    except OSError as error:
        if isinstance(error, FileExistsError) and file.exists():
            raise Mistake(
                f"{file} is there already; name another file, as `judgekit init evals/suite.py`"
            ) from None
        raise Mistake(f"{file} cannot be written: {error.strerror}") from error
    write_out(f"wrote {file}; run it with\n\n    judgekit run {shlex.quote(str(file))}")
    return 0
