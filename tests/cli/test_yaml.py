"""A YAML suite on the command line."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_example_runs_from_any_folder(judgekit):
    done = judgekit("run", REPOSITORY / "examples" / "yaml" / "suite.yaml")
    assert done.returncode == 0, done.err
    assert done.out.startswith("3 cases, 1 run: 3/3 attempts passed (100%)")


def test_a_broken_suite_is_a_line_for_each_problem(judgekit):
    judgekit.write("s.yaml", "cases:\n  - {id: a, command: x}\nrepeat: 0\ngate: none\n")
    for command in ("run", "validate"):
        done = judgekit(command, "s.yaml")
        assert done.returncode == 2
        assert done.out == ""
        lines = done.err.splitlines()
        assert [line.partition(": ")[2][:9] for line in lines] == ["s.yaml:4:", "s.yaml:3:"]
    assert judgekit("run", "nothing.yaml").err == "judgekit: nothing.yaml: No such file or directory\n"


def test_an_agent_of_a_suite_takes_no_model_from_outside(judgekit):
    judgekit.write("s.yaml", "cases:\n  - {id: a, command: x, reply: y}\n")
    assert judgekit("run", "s.yaml").returncode == 0
    done = judgekit("run", "s.yaml", "--model", "m")
    assert done.returncode == 2
    assert (
        "takes no model; its agent is fixed in the file. In a Python suite write `def experiment" in done.err
    )
