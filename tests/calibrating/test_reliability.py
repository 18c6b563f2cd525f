"""A judge asked several times about the same replies."""

import json
from pathlib import Path

import pytest

from judgekit.calibrating import reliability
from judgekit.calibrating.reliability import majority_share
from judgekit.context import current_attempt
from judgekit.errors import InvalidArgument
from judgekit.judging import Criterion, Judge, Verdict
from judgekit.testing import ScriptedModel, verdict

EXTRACTS = Path(__file__).parents[1] / "statistics" / "data"


class Recorded:
    """A judge that gave these scores of 1 to 5, a run after the other, to the reply of this number."""

    def __init__(self, scores):
        self.scores = scores

    async def decide(self, criterion, interaction):
        attempt = current_attempt()
        return Verdict((int(self.scores[int(interaction.reply)][attempt.run - 1]) - 1) / 4)


@pytest.mark.parametrize(
    ("name", "flip", "pairwise", "icc", "icc_mean", "sd"),
    [
        ("mt_bench_eval", 0.559375, 0.611458, 0.851254, 0.944960, 0.507239),
        ("vicuna_eval", 0.378125, 0.745833, 0.807868, 0.926548, 0.366572),
    ],
)
def test_three_gradings_by_a_real_judge_have_the_known_figures(name, flip, pairwise, icc, icc_mean, sd):
    scores = json.loads((EXTRACTS / "prometheus.json").read_text(encoding="utf-8"))[name]
    criterion = Criterion(judge=Recorded(scores), criterion="It is good.", threshold=0.5, name="good")
    rows = [{"asked": "q", "reply": str(n)} for n in range(len(scores))]
    found = reliability(criterion, rows, samples=3)
    assert found.scores.estimate == pytest.approx(flip, abs=1e-6)
    assert found.scores.pairwise == pytest.approx(pairwise, abs=1e-6)
    assert found.scores.icc_single.estimate == pytest.approx(icc, abs=1e-6)
    assert found.scores.icc_mean.estimate == pytest.approx(icc_mean, abs=1e-6)
    # Of scores from 0 to 1, where the source's go from 1 to 5.
    assert found.scores.within_sd * 4 == pytest.approx(sd, abs=1e-6)
    assert found.passes.estimate < flip
    assert found.scores.icc_single.interval is not None


def test_each_repeat_is_a_question_of_its_own_also_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers = iter(range(100))
    model = ScriptedModel(lambda turn: verdict(0.9 if next(numbers) % 3 else 0.1, "hm"))
    criterion = Judge(model, cache="read-write").should_satisfy("It is good.")
    rows = [{"asked": "q", "reply": f"a{n}"} for n in range(4)]
    first = reliability(criterion, rows, samples=3, concurrency=1)
    assert len(model.requests) == 12
    assert (first.passes.estimate, first.majority.estimate) == (1.0, pytest.approx(2 / 3))
    again = reliability(criterion, rows, samples=3)
    assert len(model.requests) == 12
    assert again.to_json() == first.to_json()
    assert reliability(criterion, rows, samples=4).spend.asked == 4


def test_missing_verdicts_are_counted_by_cause(tmp_path):
    numbers = iter(range(100))
    model = ScriptedModel(lambda turn: "no verdict" if next(numbers) % 3 == 0 else verdict(1.0, "good"))
    criterion = Judge(model, attempts=1).should_satisfy("It is good.")
    found = reliability(
        criterion, [{"asked": "q", "reply": f"a{n}"} for n in range(3)], samples=3, concurrency=1
    )
    assert found.causes == {"judge failed: malformed": 3}
    assert (found.passes.estimate, found.passes.n_missing) == (0.0, 3)
    assert "3 verdicts missing: judge failed: malformed 3" in found.render()


def test_nothing_measured_has_a_reason():
    criterion = Judge(ScriptedModel("no verdict"), attempts=1).should_satisfy("It is good.")
    found = reliability(criterion, [{"asked": "q", "reply": "a"}], samples=2)
    assert not found.is_measured
    assert "flip rate             not known: no item has two verdicts" in found.render()
    json.dumps(found.to_json(), allow_nan=False)


def test_labels_in_the_rows_are_not_read():
    criterion = Judge(ScriptedModel(verdict(1.0, "good"))).should_satisfy("It is good.")
    rows = [{"asked": "q", "reply": "a", "label": "whatever"}]
    assert reliability(criterion, rows, samples=2).is_measured


@pytest.mark.parametrize("samples", [1, 0, True, 2.0, "3"])
def test_a_reply_is_judged_at_least_twice(polite, rows, samples):
    with pytest.raises(InvalidArgument, match="`samples`"):
        reliability(polite, rows, samples=samples)


def test_what_is_no_criterion_or_has_no_reply_is_refused(polite, rows):
    with pytest.raises(InvalidArgument, match="`criterion`"):
        reliability("polite", rows)
    with pytest.raises(InvalidArgument, match="no reply in row 1"):
        reliability(polite, [{"x": 1}])


@pytest.mark.parametrize(
    ("items", "share"),
    [
        ([[True, True], [False, False]], 1.0),
        ([[True, False]], 0.5),
        ([[True, True, False], [None, True, True]], 5 / 6),
        ([[True], [None, None]], None),
        ([], None),
    ],
)
def test_how_often_one_verdict_is_that_of_most(items, share):
    found = majority_share(items)
    assert found.estimate == (None if share is None else pytest.approx(share))
    assert found.interval is not None or found.reason
    if found.interval is not None:
        assert 0 <= found.low <= found.high <= 1
