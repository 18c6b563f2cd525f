"""The garbage collector during runs that ask models."""

import asyncio
import gc
import weakref

import pytest

from judgekit.providers import ask
from judgekit.providers.heap import set_aside, take_back
from judgekit.testing import FakeProvider, ScriptedModel, verdict


@pytest.fixture(autouse=True)
def _nothing_is_frozen_before_or_after():
    assert gc.get_freeze_count() == 0
    gc.disable()  # no collection but those that a test asks for
    yield
    gc.enable()
    assert gc.get_freeze_count() == 0


class Node:
    """Something that can be part of a cycle."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def frozen_while_read(question_to, read_score):
    """How many objects are set aside while an answer is read."""

    def go(provider, **changes):
        seen = []

        def read(reply):
            seen.append(gc.get_freeze_count())
            return read_score(reply)

        answer = asyncio.run(ask(question_to(provider, **changes), read))
        assert answer.error is None
        return seen

    return go


def test_what_litellm_left_is_set_aside_while_it_is_called_and_not_after(frozen_while_read):
    with FakeProvider(verdict(0.5)) as provider:
        (during,) = frozen_while_read(provider)
    assert during > 100_000
    assert gc.get_freeze_count() == 0


def test_a_scripted_model_changes_nothing(frozen_while_read):
    with FakeProvider(verdict(0.5)) as provider:
        assert frozen_while_read(provider, model=ScriptedModel(verdict(0.5))) == [0]


def test_it_stays_aside_until_the_last_user_takes_it_back():
    set_aside()
    set_aside()
    take_back()
    assert gc.get_freeze_count() > 0
    take_back()
    assert gc.get_freeze_count() == 0


def test_what_the_process_froze_itself_stays_frozen():
    gc.freeze()
    try:
        set_aside()
        take_back()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_garbage_made_meanwhile_is_collected_at_once_and_older_garbage_afterwards():
    older = weakref.ref(Node())
    set_aside()
    newer = weakref.ref(Node())
    gc.collect()
    assert (older() is None, newer() is None) == (False, True)
    take_back()
    gc.collect()
    assert older() is None
