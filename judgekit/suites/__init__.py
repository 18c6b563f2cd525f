"""Suites as data: a YAML file instead of Python."""

from judgekit.suites.reading import load_suite
from judgekit.suites.schema import suite_schema

__all__ = ["load_suite", "suite_schema"]
