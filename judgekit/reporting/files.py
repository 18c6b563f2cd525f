"""Report files that appear only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

__all__ = ["write_whole"]


def write_whole(target: Path, write: Callable[[TextIO], object]) -> Path:
    """Let `write` fill the file, in UTF-8 with line feeds; folders are made.

    Raises:
        OSError: It could not be written; then what was there before stays.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            write(stream)
        part.replace(target)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(target)  # a disk that is full does not say where
        raise
    finally:
        part.unlink(missing_ok=True)
    return target
