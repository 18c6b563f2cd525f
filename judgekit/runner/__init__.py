"""Experiments: what is to be run, and running it."""

from judgekit.runner.experiment import ExperimentRunner
from judgekit.schedule import Observer

__all__ = ["ExperimentRunner", "Observer"]
