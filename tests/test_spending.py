"""Sums over attempts that finish in any order."""

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall
from judgekit.spending import JudgeSpend, Spend

amounts = st.lists(st.floats(0, 1e12), max_size=30)


@given(amounts, st.randoms(use_true_random=False))
def test_what_was_spent_does_not_depend_on_what_finished_first(costs, shuffler: random.Random):
    shuffled = list(enumerate(costs))
    shuffler.shuffle(shuffled)
    sums = []
    for order in (list(enumerate(costs)), shuffled):
        spend, judges = Spend(), JudgeSpend()
        for index, cost in order:
            call = ModelCall(cost=cost)
            spend.add(f"c{index}", 1, Interaction(latency=cost, model_calls=[call]))
            measured = Measurement(model="m", requests=1, cost=cost)
            judges.add(EvalResult(Outcome.PASS, measurements=(measured,)))
        sums.append((spend, spend.cost, spend.latency, judges.cost))
    assert sums[0] == sums[1]
    assert sums[0][1:] == (math.fsum(costs),) * 3


def test_of_equally_slow_attempts_the_first_by_id_is_named():
    for order in (("a", "b"), ("b", "a")):
        spend = Spend()
        for case_id in order:
            spend.add(case_id, 1, Interaction(latency=0.5))
        assert (spend.slowest_case, spend.slowest) == ("a", 0.5)


def test_an_unknown_price_makes_the_sum_a_lower_bound():
    spend = Spend()
    spend.add("a", 1, Interaction(model_calls=[ModelCall(cost=0.5)]))
    spend.add("b", 1, Interaction(model_calls=[ModelCall()]))
    assert (spend.cost, spend.cost_complete) == (0.5, False)
