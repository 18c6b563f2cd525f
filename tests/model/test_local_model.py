"""Judges on a real model over HTTP: a poor judge, but the whole wire."""

import gzip
import json

import pytest

from judgekit import EvalCase, ExperimentRunner, Interaction, Judge
from judgekit.evaluation import Kind, Outcome

pytestmark = pytest.mark.model

REPLIES = 40
CRITERIA = {
    "polite": "The reply is polite and respectful towards the customer.",
    "clear": "The reply says plainly what was done or what happens next.",
}


def judge_at(url: str) -> Judge:
    return Judge(
        "openai/smollm2", api_base=url, api_key="none-needed", timeout=300, deadline=1200, max_tokens=200
    )


def final_turns(data_folder, how_many: int) -> list[Interaction]:
    """The last question and reply of real transcripts, without the tool results between them."""
    turns = []
    with gzip.open(
        data_folder / "tau_bench_airline" / "trajectories.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        for line in lines:
            whole = Interaction.from_messages(json.loads(line)["traj"])
            turns.append(Interaction(user_message=whole.user_message, reply=whole.reply, tool_calls=()))
            if len(turns) == how_many:
                break
    return turns


def test_every_verdict_of_a_real_model_is_a_score_or_says_why_not(model_url, data_folder, tmp_path, capsys):
    judge = judge_at(model_url)
    cases = [
        EvalCase(
            f"transcript-{number}",
            turn.user_message,
            *(judge.should_satisfy(text, name=name) for name, text in CRITERIA.items()),
            interactions=[turn],
        )
        for number, turn in enumerate(final_turns(data_folder, REPLIES))
    ]
    report = ExperimentRunner("local-model").cases(cases).concurrency(1).report_directory(tmp_path).run()
    with capsys.disabled():
        print("\n" + "\n".join(report.render().splitlines()[:8]))
    results = [result for attempt in report.results for result in attempt.results]
    assert len(results) == REPLIES * len(CRITERIA)
    for result in results:
        if result.outcome is Outcome.INCONCLUSIVE:
            assert result.kind is Kind.JUDGE_FAILED
            assert result.cause
        else:
            assert result.score is not None
            assert 0 <= result.score <= 1
