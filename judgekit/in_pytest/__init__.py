"""Cases as tests of pytest: one test a case, and one gate over all of them."""

from judgekit.in_pytest.cases import cases

__all__ = ["cases"]
