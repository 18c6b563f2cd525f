"""What a run that stopped early says of itself, and the order of its cases."""

from hypothesis import given
from hypothesis import strategies as st

from judgekit.stopping import EarlyStop, Stopped


def stopped(saved, *, judged=True, cases=200):
    return Stopped(looked_at=60, cases=cases, attempts_saved=saved, judged=judged, alpha=0.05, seed=1).text()


def test_it_says_what_it_saved():
    assert stopped(140) == (
        "stopped early after 60 of 200 cases: the gate was decided (alpha 0.05), "
        "140 attempts and their judge calls saved"
    )
    assert stopped(1).endswith("1 attempt and its judge calls saved")
    assert stopped(140, judged=False).endswith("140 attempts saved")


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_every_case_stands_once_in_the_order_and_the_seed_decides_where(seed, cases):
    early = EarlyStop(alpha=0.05, seed=seed, case_runs=[1] * cases, requirements=())
    assert sorted(early.order()) == list(range(cases))
    assert early.order() == EarlyStop(alpha=0.2, seed=seed, case_runs=[3] * cases, requirements=()).order()


def test_two_seeds_give_two_orders():
    first, second = (
        EarlyStop(alpha=0.05, seed=seed, case_runs=[1] * 20, requirements=()).order() for seed in (1, 2)
    )
    assert first != second
