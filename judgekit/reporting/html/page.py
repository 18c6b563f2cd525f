"""Renders the templates: everything escaped, and a policy that lets our one script and style run."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from judgekit.jsonable import json_line
from judgekit.reporting.shown import shown

__all__ = ["rendered", "rendered_without_script"]

_NAME_LIMIT = 300


def rendered(template: str, *, data: object, **view: Any) -> str:
    """A page of this template; `data` is what its script reads."""
    script = _own("page.js")
    # The script is a file of this package, and no tested text is ever in it.
    own = {"script": Markup(script), "data": _inert(data)}  # noqa: S704
    return _page(template, _own("page.css"), f"script-src '{_hashed(script)}'; ", **own, **view)


def rendered_without_script(template: str, *styles: str, **view: Any) -> str:
    """A page of this template in which no script may run, with further `styles` of this package."""
    return _page(template, "".join(map(_own, ("page.css", *styles))), "", **view)


def _page(template: str, style: str, scripts: str, **view: Any) -> str:
    policy = (
        f"default-src 'none'; {scripts}style-src '{_hashed(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return _environment().get_template(template).render(policy=policy, style=Markup(style), **view)  # noqa: S704


def _own(name: str) -> str:
    # Read as text: a carriage return of a checkout would change the hash, not the page.
    return files("judgekit.reporting.html").joinpath(name).read_text(encoding="utf-8")


def _hashed(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _inert(data: object) -> Markup:
    """JSON for a data block: without the signs that could end it or start an element."""
    text = json_line(data)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_own),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = _shown
    environment.filters["whole"] = "{:,}".format
    return environment


def _shown(text: object, limit: int = _NAME_LIMIT) -> str:
    return shown(str(text), limit)
