"""What tells two instruments apart."""

import pytest

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.instruments import Instrument, Instruments

BASE = {
    "model": "openai/m",
    "model_served": "m-1",
    "prompt": "judge/score 1 93a8f94f41e1",
    "schema": "score",
    "criterion": "polite",
    "rung": "json_schema",
    "parameters": {"temperature": 0},
    "fingerprint": "aa",
}


def measured(**changes):
    return Measurement(**{**BASE, **changes})


def result(*measurements, outcome=Outcome.PASS, threshold=0.5):
    kind = Kind.JUDGE_FAILED if outcome is Outcome.INCONCLUSIVE else None
    return EvalResult(outcome, kind=kind, name="p", threshold=threshold, measurements=measurements)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "openai/n"}, "model was 'openai/m', now 'openai/n'"),
        ({"model_served": None}, "model served was 'm-1', now unknown"),
        ({"prompt": "judge/score 2 0"}, "prompt was 'judge/score 1 93a8f94f41e1', now 'judge/score 2 0'"),
        ({"schema": "binary"}, "schema was 'score', now 'binary'"),
        ({"criterion": "kind"}, "criterion was 'polite', now 'kind'"),
        ({"rung": "prompt"}, "form of asking was 'json_schema', now 'prompt'"),
        ({"parameters": {}}, 'parameters was {"temperature":0}, now {}'),
        ({}, "the scale, the schema's text, a reference or the number of samples is another"),
    ],
)
def test_what_changed_is_named(changes, said):
    old = Instrument.of(measured(), 0.5)
    new = Instrument.of(measured(fingerprint="bb", **changes), 0.5)
    assert old.differences(new) == (said,)
    assert old.differences(old) == ()


def test_the_threshold_is_a_part_of_the_instrument():
    old, new = (Instrument.of(measured(fingerprint=mark), t) for mark, t in (("aa", 0.5), ("bb", 0.7)))
    assert old.differences(new) == ("threshold was 0.5, now 0.7",)


def test_hostile_text_stays_on_one_line():
    old = Instrument.of(measured(), 0.5)
    new = Instrument.of(measured(fingerprint="bb", criterion="a\x1b[2J\n" + "b" * 900), 0.5)
    (said,) = old.differences(new)
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) < 150


def test_a_judge_without_a_fingerprint_gets_one_from_its_parts():
    plain = [Instrument.of(Measurement(model="Mine", criterion=text), 0.5) for text in ("a", "a", "b")]
    assert plain[0] == plain[1]
    assert plain[0].fingerprint != plain[2].fingerprint


def test_results_are_counted_by_what_measured_them():
    found = Instruments()
    found.add(result(measured(), measured()))
    found.add(result(measured(fingerprint="bb"), outcome=Outcome.FAIL))
    found.add(result(measured()))
    found.add(result(measured(fingerprint="cc"), outcome=Outcome.INCONCLUSIVE))
    assert [(one.fingerprint, count) for one, count in found] == [("aa", 2), ("bb", 1)]
    assert len(found) == 2


def test_the_member_of_a_panel_that_failed_measured_nothing():
    found = Instruments()
    found.add(result(measured(), measured(fingerprint="bb", model_served=None, rung="")))
    assert [one.fingerprint for one, _ in found] == ["aa"]


def test_an_instrument_survives_json():
    instrument = Instrument.of(measured(), 0.5)
    assert Instrument.from_json(instrument.to_json()) == instrument
