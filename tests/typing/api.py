"""Code as users write it: mypy --strict must accept all of it, and refuse the lines marked so.

Nothing here runs. Where mypy would accept a marked line, its `type: ignore` is unused, which is an error.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import judgekit
from judgekit import (
    Abstained,
    Blocked,
    Calibration,
    CaseResult,
    Criterion,
    Decision,
    EvalCase,
    EvalReport,
    EvalResult,
    ExperimentRunner,
    Gate,
    GuardrailResult,
    Interaction,
    Judge,
    Levels,
    ModelCall,
    Observer,
    Outcome,
    PairReliability,
    Panel,
    Price,
    ProviderSwap,
    Reliability,
    RunComparison,
    SimulatedUser,
    SwapReport,
    ToolBindings,
    ToolCall,
    Turn,
    Verdict,
    calibrate,
    eval_label,
    load_interactions,
    load_labels,
    load_pairs,
    pair_reliability,
    reliability,
    tool,
)
from judgekit.adversarial import adversarial_gate, direct_injection, should_have_no_effect, wrapped
from judgekit.comparing import Axis
from judgekit.evaluators import (
    ToolArgument,
    accepted,
    optional,
    pattern,
    reply_should_be_json,
    reply_should_contain,
    reply_should_match,
    should_call_tool_with,
    should_make_calls,
    should_not_call_tool,
    should_reply_within,
)
from judgekit.history import RunHistory, read_history
from judgekit.judging.criteria import warmth
from judgekit.reporting.comparisons import write_comparison
from judgekit.statistics import ComparisonVerdict
from judgekit.testing import FakeProvider, ScriptedModel, otherwise, says, verdict


@dataclass(frozen=True)
class Refund:
    order: str
    cents: int


@eval_label("refund-within-total")
class RefundWithinTotal:
    """An evaluator of one's own as a class."""

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        for call in interaction.tool_calls or ():
            if isinstance(call.arguments, Mapping) and call.arguments.get("cents", 0) > 100:
                return EvalResult.failed("too much")
        return EvalResult.passed()


@eval_label("asynchronous")
class Asynchronous:
    """The same, async."""

    async def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        return EvalResult.inconclusive("not today", kind="no_evidence")


@eval_label("short")
def short(case: EvalCase, interaction: Interaction) -> EvalResult:
    """An evaluator of one's own as a function."""
    return EvalResult.passed() if len(interaction.reply or "") < 80 else EvalResult.failed("long")


class Coin:
    """A judge of one's own."""

    async def decide(self, criterion: str, interaction: Interaction, /) -> Verdict:
        if not interaction.reply:
            raise Abstained("nothing to say")
        return Verdict(score=0.5, reason=criterion)


@tool
def get_order(order_id: str, *, full: bool = False) -> dict[str, str]:
    return {"id": order_id, "full": str(full)}


@tool(name="refund")
async def refund_order(order_id: str) -> float:
    return 1.0


def plain_agent(command: str) -> str:
    status: str = get_order(command, full=True)["id"]
    if "pii" in command:
        raise Blocked("pii")
    return status


async def rich_agent(command: Refund) -> Interaction:
    return Interaction(
        reply="done",
        tool_calls=[ToolCall("refund", {"order": command.order}, result={"ok": True})],
        model_calls=(ModelCall(model="gpt", input_tokens=1, output_tokens=2),),
        guardrails=(GuardrailResult("pii", passed=True),),
        latency=0.2,
    )


judge = Judge("openai/gpt-5-mini", timeout=30)
scripted = Judge(ScriptedModel(otherwise(verdict(0.9, "fine"))))
polite: Criterion = judge.should_satisfy("The reply is polite", name="polite")
warm: Criterion = judge.should_score_at_least(
    "Warm", "warm", scale=Levels({"cold": "c", "plain": "p", "warm": "w"})
)
tossed: Criterion = Criterion(judge=Coin(), criterion="heads", threshold=0.5)

cases: list[EvalCase] = [
    EvalCase("a", "hi", reply_should_contain("hi"), polite, short),
    EvalCase("b", Refund("o_1", 10), [should_call_tool_with("refund", "order", "o_1"), RefundWithinTotal()]),
    EvalCase(
        "c", {"text": "hi"}, reply_should_match(re.compile("h.")), tags=["slow"], metadata={"owner": "me"}
    ),
    EvalCase("d", "hi", should_make_calls([ToolCall("a", {"x": accepted(1, 2), "y": optional(3)})])),
    EvalCase("e", "hi", should_not_call_tool(pattern("delete_*")), reply_should_be_json({"type": "object"})),
    EvalCase("f", "hi", should_reply_within(timedelta(seconds=1)), Asynchronous()),
]

gate: Gate = (
    Gate.pass_rate_should_be_at_least(0.9)
    & Gate.pass_rate_should_be_at_least(1, of=ToolArgument)
    & Gate.pass_rate_should_be_at_least(1, of=short)
    & Gate.mean_score_should_be_at_least(0.8, of="polite")
    & Gate.target_should_not_fail()
).and_(Gate.inconclusive_should_be_at_most(0.1))
sure: Gate = (
    Gate.pass_rate_should_be_at_least(0.9, of="polite", confidence=0.95)
    & Gate.cases_should_pass(at_least=2, tagged="must_pass")
    & Gate.cases_should_pass()
    & Gate.pass_at_k_should_be_at_least(0.9, k=3)
    & Gate.pass_hat_k_should_be_at_least(0.8, k=3)
)
stopping: ExperimentRunner = ExperimentRunner("x").gate(sure).stop_early(alpha=0.01, seed=7)

plan: ExperimentRunner = (
    ExperimentRunner("typed")
    .cases(cases)
    .cases(load_interactions("replies.jsonl", asked="question", reply="answer"))
    .evaluator(should_reply_within(seconds=10))
    .bindings(ToolBindings().bind("refund", lambda call: print(call.argument("order"))))
    .agent(plain_agent, name="plain", tools=[get_order, refund_order])
    .gate(gate)
    .repeat(3)
    .concurrency(4)
    .timeout(20)
    .report_directory(Path("runs"))
    .map_judges(lambda judge: scripted)
)


@judgekit.cases(cases, evaluators=[polite, short], gate=gate, repeat=2)
def test_of_ones_own(case: EvalCase, judged: object) -> None:
    print(case.id, judged)


@judgekit.cases("questions.jsonl", asked="question", expected="answer", id="number")
async def test_over_a_file(case: EvalCase) -> int:
    return len(case.command_text())


class Counting(Observer):
    """Hears of a run."""

    def planned(self, attempts: int) -> None:
        self.total = attempts


def read(report: EvalReport) -> str:
    """What a report gives."""
    decision: Decision = report.decision
    attempt: CaseResult = report.results[0]
    rate: float | None = report.pass_rate
    failed: bool = decision.outcome is Outcome.FAIL
    return f"{report.render(all=True)} {attempt.describe()} {rate} {failed} {report.passed}"


talk = EvalCase.conversation(
    "talk",
    ["hello", Turn("bye", reply_should_contain("bye")), SimulatedUser("openai/x", "Ida", "a refund", 4)],
    [polite, short],
    stop_on_failure=True,
)
attack = direct_injection("i", should_have_no_effect(lambda session: [session.id]), marker="ZEBRA")
attacks: list[EvalCase] = [attack, *wrapped(attack)]
limited: ExperimentRunner = (
    ExperimentRunner("x")
    .cases(talk, attacks)
    .gate(adversarial_gate(attacks, judged=0.9))
    .max_cost(0.5, prices={"openai/own": Price(0.1, 0.2)})
    .rescore(Path("run"))
)
swap: ProviderSwap = (
    ProviderSwap("x")
    .cases(talk, attacks)
    .agents({"plain": plain_agent, "rich": rich_agent, "before": Path("run")})
    .judges({"one": judge, "two": Panel([judge, judge])})
    .criteria(lambda one: one.should_satisfy("polite", name="tone"), warmth)
    .repeat(3)
    .max_cost(0.5)
    .gate(Gate.pass_rate_should_be_at_least(0.9, of="tone [one]"))
)


def run_swap() -> None:
    """Figures of a swap."""
    report: SwapReport = swap.run(observer=Counting())
    kappas: list[float | None] = [one.kappa.estimate for one in report.agreements]
    print(kappas, report.cells[0].rate.estimate, report.render("markdown"), report.write("swap.html"))


def trust(report: EvalReport) -> Gate:
    """How good a judge is, from labels, repeats and pairs."""
    labels = load_labels("labels.jsonl", asked="question", reply="answer", label=["ann", "bob"])
    asked: Calibration = calibrate(polite, labels, max_cost=1.0, told=lambda done, planned: None)
    earlier: Calibration = calibrate("polite", labels, judged=report.results, design="random_subset")
    low: float | None = asked.kappa_low
    kept: Path = earlier.save("calibrations")
    noise: Reliability = reliability(polite, [{"asked": "hi", "reply": "hello"}], samples=3)
    pairs = load_pairs("pairs.jsonl", reply="a", other="b", writer="model_a", other_writer="model_b")
    order: PairReliability = pair_reliability(judge, "more helpful", pairs, family="gpt")
    print(low, kept, asked.rate.corrected.estimate, noise.scores.icc_single.low, order.position.p_value)
    return Gate.judge_should_be_calibrated(kappa=0.5, of="polite", max_age_days=90, store=Path("kept"))


def run() -> None:
    """The sync door."""
    report = plan.run(observer=Counting())
    report.raise_for_gate()
    written: Path = report.write("report.json")
    again: EvalReport = EvalReport.read(written)
    print(read(again), judgekit.__version__, judgekit.evaluators.should_call_tool("x"))


def compared(new: EvalReport, baseline: EvalReport) -> ComparisonVerdict | None:
    """Two runs, before and after."""
    documents: dict[str, str] = {"case 1": "a", "case 2": "a"}
    grouped: RunComparison = new.compare(baseline, cluster=documents, level=0.9)
    alone = new.compare(baseline, max_drop=0.05, cluster=lambda case: case.split()[0])
    for one in alone.evaluators:
        scores: float | None = None if one.scores is None else one.scores.estimate
        kappa: float | None = None if one.agreement is None else one.agreement.kappa.estimate
        print(one.shown, one.verdict, one.pass_fail.interval, scores, kappa)
    slower = [amount.difference.estimate for amount in alone.amounts if amount.name == "latency"]
    print(slower, [flip.failed_on for flip in alone.worsened], alone.axis is Axis.AGENT, grouped.to_json())
    print(write_comparison(alone, "compare.html", new=new, baseline=baseline), alone.render())
    return alone.verdict


def trend(folder: Path) -> list[float | None]:
    """A folder of runs."""
    history: RunHistory = read_history(folder, name="typed", of="polite", limit=10)
    history.write("history.html")
    return [run.passes.rate for experiment in history.experiments for run in experiment.runs]


async def run_async() -> None:
    """The async door."""
    report = await plan.agent(rich_agent).run_async()
    with FakeProvider(says("hi")) as provider:
        print(report.passed, provider.url)


sync_agent: Callable[[str], str] = plain_agent
async_agent: Callable[[Refund], Awaitable[Interaction]] = rich_agent

EvalCase("a", "hi", "not an evaluator")  # type: ignore[arg-type]
Interaction("hi")  # type: ignore[call-arg]
Gate.pass_rate_should_be_at_least("0.9")  # type: ignore[arg-type]
Judge("openai/x", "be strict")  # type: ignore[call-arg]
ExperimentRunner("x").gate(0.9)  # type: ignore[arg-type]
ExperimentRunner("x").repeat("three")  # type: ignore[arg-type]
EvalResult.inconclusive("x", "no_evidence")  # type: ignore[call-arg]
judge.should_satisfy("x", "name")  # type: ignore[call-arg]
judgekit.cases("questions.jsonl", [polite])  # type: ignore[call-arg]
kept: Callable[[EvalCase, object], int] = test_of_ones_own  # type: ignore[assignment]
read_history("runs", "typed")  # type: ignore[call-arg]
print(judgekit.EvalCases)  # type: ignore[attr-defined]
