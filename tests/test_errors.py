"""The exception tree."""

import inspect
import pickle

import pytest

from judgekit import errors

PROVIDER_ERRORS = [
    held for name in errors.__all__ if issubclass(held := getattr(errors, name), errors.ProviderError)
]


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_ours_says_what_it_means_and_stands_in_the_tree(name):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.JudgekitError)
    assert inspect.getdoc(kind)
    assert name in errors.__doc__


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name != "InvalidPlan"])
def test_every_error_survives_pickling(name):
    original = getattr(errors, name)("what happened")
    again = pickle.loads(pickle.dumps(original))
    assert type(again) is type(original)
    assert str(again) == "what happened"


@pytest.mark.parametrize("kind", PROVIDER_ERRORS)
def test_a_provider_error_keeps_its_status_and_wait_when_pickled(kind):
    again = pickle.loads(pickle.dumps(kind("no", status=429, retry_after=2.5)))
    assert (again.status, again.retry_after, again.cause) == (429, 2.5, kind.cause)


def test_each_way_to_end_without_an_answer_has_a_cause_of_its_own():
    causes = [kind.cause for kind in PROVIDER_ERRORS if kind is not errors.ProviderError]
    assert len(causes) == 9
    assert len(set(causes)) == 9


def test_a_plan_lists_every_problem_and_survives_pickling():
    again = pickle.loads(pickle.dumps(errors.InvalidPlan(["one thing", "another"])))
    assert again.problems == ("one thing", "another")
    assert str(again) == "one thing\nanother"


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        (errors.InvalidArgument, ValueError),
        (errors.InvalidPlan, ValueError),
        (errors.FileUnreadable, ValueError),
        (errors.ExtraMissing, ImportError),
        (errors.GateFailed, AssertionError),
    ],
)
def test_an_error_is_also_what_a_caller_would_catch(kind, base):
    assert issubclass(kind, base)
