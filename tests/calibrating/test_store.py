"""Calibrations on disk, and which of them still stands behind a judge."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.calibrating import calibrate, labels_from, read_store
from judgekit.calibrating.store import StoredCalibration, standing_behind
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.instruments import Instrument
from judgekit.judging import Judge
from judgekit.masking import Masker
from judgekit.testing import ScriptedModel, verdict

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def instrument(mark="aa", **changes):
    base = {"model": "openai/m", "criterion": "polite", "threshold": 0.5, "parameters": {"max_tokens": 1024}}
    return Instrument(fingerprint=mark, **{**base, **changes})


def calibrated(*instruments, population="default", age=0.0, name="p"):
    return StoredCalibration(
        name=name,
        population=population,
        made_at=NOW - timedelta(days=age),
        instruments=instruments or (instrument(),),
        labels=100,
        kappa=0.7,
        kappa_low=0.6,
        reason=None,
    )


def behind(stored, *measured, **options):
    counted = [(one, 10 - place) for place, one in enumerate(measured or [instrument()])]
    return standing_behind(stored, counted, name="p", now=NOW, **options)


def test_what_was_saved_is_read_and_holds_no_text_of_a_reply(polite, rows, tmp_path):
    labels = [{**row, "label": {"Ann Example": row["label"], "b": True, "c": False}} for row in rows]
    found = calibrate(polite, labels)
    path = found.save(tmp_path)
    assert path == tmp_path / f"{found.fingerprint}-default.json"
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["judgekit"]
    for private in ("Wait for", "What about", "Ann Example", "r17"):
        assert private not in text
    (stored,) = read_store(tmp_path)
    assert (stored.kappa, stored.kappa_low) == (found.kappa.estimate, found.kappa_low)
    assert (stored.labels, stored.population, stored.made_at) == (120, "default", found.made_at)
    assert stored.fingerprints == {found.fingerprint}


def test_one_calibration_stays_of_an_instrument_and_population(polite, rows, tmp_path):
    calibrate(polite, rows[:20]).save(tmp_path)
    calibrate(polite, rows).save(tmp_path)
    calibrate(polite, rows, population="../über\nall").save(tmp_path)
    calibrate(polite, rows, population="CON").save(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 3
    assert all(name.replace("-", "").replace(".json", "").isalnum() and name.isascii() for name in names)
    assert [one.labels for one in read_store(tmp_path)] == [120, 120, 120]


def test_secrets_are_masked(tmp_path):
    secret = "sk-abcdefghijklmnop"
    model = ScriptedModel(verdict(0.9, "fine"))
    criterion = Judge(model).should_satisfy(f"It is polite. {secret} handed-over-secret")
    found = calibrate(criterion, [{"asked": "q", "reply": "r", "label": 1}])
    text = found.save(tmp_path, masker=Masker(["handed-over-secret"])).read_text(encoding="utf-8")
    assert secret not in text
    assert "handed-over-secret" not in text


def test_verdicts_of_an_unknown_judge_are_not_kept(tmp_path):
    found = calibrate("x", labels_from([{"label": 1, "v": 1}], verdict="v"))
    with pytest.raises(InvalidArgument, match="nothing says which judge"):
        found.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"format": "judgekit-calibration", "version": 9}', "nonsense"]
)
def test_a_file_that_is_none_is_named(tmp_path, text):
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(FileUnreadable, match=r"x\.json is no calibration"):
        read_store(tmp_path)


@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.dictionaries(st.text(), x))
)
def test_any_json_is_a_calibration_or_a_value_error(data):
    with pytest.raises(ValueError):
        StoredCalibration.from_json(data)


@pytest.mark.parametrize("parts", [{"fingerprint": 1}, {"model": None}, {"parameters": 5}, {"odd": 1}])
def test_an_instrument_of_other_types_is_no_calibration(polite, rows, tmp_path, parts):
    path = calibrate(polite, rows).save(tmp_path)
    data = json.loads(path.read_text())
    data["instruments"][0] |= parts
    path.write_text(json.dumps(data))
    with pytest.raises(FileUnreadable, match="is no calibration"):
        read_store(tmp_path)


def test_a_folder_that_is_not_there_holds_none(tmp_path):
    assert read_store(tmp_path / "nothing") == ()


def test_the_newest_calibration_of_the_same_instrument_stands():
    old, new = calibrated(age=9, population="a"), calibrated(age=1, population="b")
    assert behind([new, old]) == (new, "")
    assert behind([new, old], population="a") == (old, "")
    assert behind([new, old], population="c") == (
        None,
        "it is calibrated on another population, not on 'c'",
    )
    assert behind([]) == (None, "it has no calibration")


def test_age_makes_stale():
    stored = [calibrated(age=91)]
    assert behind(stored, max_age_days=92)[0] is stored[0]
    assert behind(stored, max_age_days=90) == (
        None,
        "its calibration is stale: 91 days old, at most 90 allowed",
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "openai/n"}, "model was 'openai/m', now 'openai/n'"),
        ({"threshold": 0.7}, "threshold was 0.5, now 0.7"),
        ({"criterion": "kind"}, "criterion was 'polite', now 'kind'"),
        ({"parameters": {"max_tokens": 9}}, 'parameters was {"max_tokens":1024}, now {"max_tokens":9}'),
    ],
)
def test_what_was_outgrown_says_what_changed(changes, said):
    assert behind([calibrated()], instrument("bb", **changes)) == (None, f"its calibration is stale: {said}")


def test_the_nearest_of_several_is_what_was_outgrown():
    far, near = (
        calibrated(instrument("cc", model="x", threshold=0.1)),
        calibrated(instrument("dd", model="y")),
    )
    assert behind([far, near])[1] == "its calibration is stale: model was 'y', now 'openai/m'"


def test_another_criterion_is_not_one_that_was_outgrown():
    other = calibrated(instrument("bb", criterion="short"), name="q")
    assert behind([other]) == (None, "it has no calibration")


def test_a_verdict_that_was_cut_off_and_asked_again_is_no_other_instrument():
    longer = instrument("bb", parameters={"max_tokens": 2048})
    assert behind([calibrated()], instrument(), longer)[0] is not None
    assert behind([calibrated()], longer)[0] is None
    assert behind([calibrated()], instrument(), instrument("cc", model="x"))[0] is None


def test_a_reference_that_differs_by_case_is_compared_by_what_is_recorded():
    many = calibrated(instrument("aa"), instrument("bb"))
    assert behind([many], instrument("cc"), instrument("dd"))[0] is many
    assert behind([calibrated()], instrument("cc"))[0] is None
    assert behind([many], instrument("cc", model="x"))[0] is None


def test_a_panel_is_not_one_of_its_members_nor_the_other_way_round():
    member, other = instrument("aa"), instrument("bb", model="openai/n")
    panel = calibrated(member, other)
    assert behind([panel], member, other)[0] is panel
    alone = "its calibration is stale: the judges were openai/m, openai/n, now openai/m"
    assert behind([panel], member) == (None, alone)
    both = "its calibration is stale: the judges were openai/m, now openai/m, openai/n"
    assert behind([calibrated(member)], member, other) == (None, both)
