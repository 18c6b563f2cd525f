"""`judgekit probe`: how easily is a judge fooled?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from judgekit.cli.options import api_base_option, wanted_judge_model_option

if TYPE_CHECKING:
    from judgekit.judging.probe import ProbeReport

__all__ = ["command"]


@click.command(
    "probe",
    short_help="Put replies that must fail to a judge.",
    epilog="Example: judgekit probe --judge-model openai/gpt-5-mini --allow 0.05",
)
@wanted_judge_model_option
@api_base_option
@click.option("--criterion", metavar="TEXT", help="Your own criterion, which every probe must fail as well.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.5, show_default=True,
    help="The score that a reply needs.",
)  # fmt: skip
@click.option(
    "--kind", "kinds", metavar="KIND", multiple=True,
    help="Only probes of this kind, such as attack or foreign script; repeatable.",
)  # fmt: skip
@click.option("-j", "--concurrency", type=click.IntRange(min=1), default=8, show_default=True,
    help="So many probes at once.",
)  # fmt: skip
@click.option(
    "--allow", metavar="RATE", type=click.FloatRange(0, 1), default=0.0, show_default=True,
    help="The share of the judged probes that may pass.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON instead of text.")
def command(
    judge_model: str,
    *,
    api_base: str | None,
    criterion: str | None,
    threshold: float,
    kinds: tuple[str, ...],
    concurrency: int,
    allow: float,
    as_json: bool,
) -> int:
    """Put replies that must fail to a judge, and count how many it lets pass.

    The probes are openings without an answer, imitated verdicts, attacks, foreign scripts, cut-off and
    off-topic replies. Exit code 1 where more pass than --allow, 3 where none could be judged.
    """
    from judgekit.cli.delivering import print_json
    from judgekit.cli.streams import write_out
    from judgekit.judging import Judge
    from judgekit.judging.probe import CRITERION, probe
    from judgekit.loop import run_sync

    judge = Judge(judge_model, api_base=api_base)
    asked = judge.should_score_at_least(criterion or CRITERION, threshold, name="probe")
    report = run_sync(lambda: probe(asked, kinds=kinds or None, concurrency=concurrency))
    if as_json:
        print_json(_document(report, judge_model))
    else:
        write_out(report.render())
    if report.false_pass_rate is None:
        return 3
    return 0 if report.false_pass_rate <= allow else 1


def _document(report: ProbeReport, model: str) -> dict[str, Any]:
    from judgekit.calibrating.plain import plain

    rates = report.rates()
    return {
        "judge": model,
        "probes": len(report.results),
        "judged": report.judged,
        "false_passes": len(report.false_passes),
        "false_pass_rate": report.false_pass_rate,
        "at_most": report.at_most,
        "level": report.level,
        "rate": plain(report.rate),
        "kinds": {
            kind: {"passed": passed, "judged": judged, "rate": plain(rates[kind])}
            for kind, (passed, judged) in report.by_kind().items()
        },
        "results": [
            {
                "kind": one.probe.kind,
                "asked": one.probe.asked,
                "reply": one.probe.reply,
                "outcome": one.result.outcome.value,
                "score": one.result.score,
                "detail": one.result.detail,
            }
            for one in report.results
        ],
    }
