"""What starting costs: the processor time of an import and of the help text, against their yardsticks.

Run it by hand: `python tests/bench/bench_import.py [ROUNDS]`. It exits with 1 where a ratio is too high.
"""

import os
import resource
import statistics
import subprocess
import sys

PYDANTIC = ["-c", "from pydantic import BaseModel; import jsonschema"]
SUITE = "from judgekit import EvalCase, ExperimentRunner, Gate, Judge; import judgekit.evaluators"
PAIRS = (
    ("import judgekit", ["-c", "import judgekit"], PYDANTIC),
    ("judgekit --help", ["-m", "judgekit", "--help"], ["-c", "import click, pydantic"]),
    ("what a suite imports", ["-c", SUITE], PYDANTIC),
    ("from judgekit import *", ["-c", "from judgekit import *"], PYDANTIC),
)
LIMIT = 1.5


def processor_seconds(arguments: list[str]) -> float:
    """User and system time of one fresh interpreter."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int) -> int:
    """Measure every pair in turn, so that a slow minute of the machine hits both sides."""
    too_slow = 0
    for name, ours, yardstick in PAIRS:
        processor_seconds(ours), processor_seconds(yardstick)  # writes the bytecode
        times = [(processor_seconds(ours), processor_seconds(yardstick)) for _ in range(rounds)]
        mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
        ratio = mine / theirs
        too_slow += ratio > LIMIT
        print(
            f"{name}: {mine * 1000:.0f} ms, yardstick {theirs * 1000:.0f} ms, "
            f"ratio {ratio:.2f} (limit {LIMIT})",
            flush=True,
        )
    return 1 if too_slow else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
