"""Options that several commands share, each with the same name and meaning everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = [
    "api_base_option",
    "concurrency_option",
    "judge_model_option",
    "limit_option",
    "max_cost_option",
    "output_option",
    "report_options",
    "resume_option",
    "running_options",
    "selecting_options",
    "wanted_judge_model_option",
]

F = TypeVar("F", bound=Callable[..., Any])

_JUDGE_MODEL = "Judge with this model, as a litellm string such as openai/gpt-5-mini."

judge_model_option = click.option("--judge-model", help=_JUDGE_MODEL)
wanted_judge_model_option = click.option("--judge-model", required=True, help=_JUDGE_MODEL)
api_base_option = click.option(
    "--api-base", metavar="URL", help="Address of the judge's provider, where it is not litellm's own."
)
concurrency_option = click.option(
    "-j", "--concurrency", type=click.IntRange(min=1), help="So many attempts at once."
)
max_cost_option = click.option(
    "--max-cost", type=click.FloatRange(min=0), help="Spend at most so many US dollars."
)
resume_option = click.option("--resume", metavar="PATH", help="Go on with the run of this folder or journal.")
texts_option = click.option(
    "-k", "texts", metavar="TEXT", multiple=True, help="Only cases whose id holds TEXT; repeatable."
)
limit_option = click.option("-n", "--limit", type=click.IntRange(min=1), help="Only the first so many cases.")
output_option = click.option(
    "-o", "--output", "outputs", metavar="FILE", multiple=True, type=click.Path(path_type=Path),
    help="Also write the report to FILE, in the format of its suffix; repeatable.",
)  # fmt: skip
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the report as JSON instead of text."
)


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    def attach(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return attach


report_options = _together(output_option, json_option)
selecting_options = _together(texts_option, limit_option)
running_options = _together(concurrency_option, max_cost_option, resume_option)
