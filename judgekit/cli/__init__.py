"""The command line `judgekit`: a thin shell over the same run, journal, gate and report."""

from judgekit.cli.main import main

__all__ = ["main"]
