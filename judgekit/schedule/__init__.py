"""How attempts are carried out: agents called, evaluators run, in order and within limits."""

from judgekit.schedule.agents import Agent
from judgekit.schedule.attempts import Plan, run_attempts
from judgekit.schedule.evaluating import JUDGE, requirements_of
from judgekit.schedule.metering import CostLimit
from judgekit.schedule.observing import Observer
from judgekit.schedule.stopping import EarlyLooks

__all__ = ["JUDGE", "Agent", "CostLimit", "EarlyLooks", "Observer", "Plan", "requirements_of", "run_attempts"]
