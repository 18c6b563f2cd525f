"""`--model` and `--judge-model`: what a suite takes, and judges that are replaced from outside."""

import json

from judgekit.testing import verdict

SUITE = """
from judgekit import EvalCase, ExperimentRunner, Judge, Verdict
from judgekit.judging import Criterion
from judgekit.testing import ScriptedModel, otherwise, verdict


class Own:
    async def decide(self, criterion, interaction):
        return Verdict(score=1.0, reason="always")


judge = Judge(ScriptedModel(otherwise(verdict(0.2, "curt"))))
polite = judge.should_satisfy("The reply is polite", name="polite")
own = Criterion(judge=Own(), criterion="anything", name="own")
cases = [EvalCase("a", "hi", polite), EvalCase("b", "hello", polite, own)]
"""


def test_judge_model_replaces_the_model_of_every_judge(judgekit, fake_provider):
    provider = fake_provider(verdict(0.9, "friendly"))
    judgekit.write(
        "suite.py",
        SUITE
        + f"judge = Judge('openai/old', api_base={provider.url!r}, api_key='k')\n"
        + "polite = judge.should_satisfy('The reply is polite', name='polite')\n"
        + "cases = [EvalCase('a', 'hi', polite), EvalCase('b', 'hello', polite, own)]\n"
        + "experiment = ExperimentRunner('t').cases(cases).evaluator(judge.should_satisfy('It is warm'))\n"
        + "experiment = experiment.agent(lambda command: command)\n",
    )
    done = judgekit("run", "suite.py", "--json", "--judge-model", "openai/new")
    assert done.returncode == 0, done.out + done.err
    attempts = json.loads(done.out)["attempts"]
    judged = [result for attempt in attempts for result in attempt["results"]]
    models = {m["model"] for result in judged for m in result.get("measurements", ()) if m.get("requests")}
    assert models == {"openai/new"}
    assert {request.body["model"] for request in provider.requests} == {"new"}
    assert [result["name"] for result in judged] == ["polite", "It is warm", "polite", "own", "It is warm"]


def test_a_suite_without_judges_refuses_a_judge_model(plain):
    done = plain("run", "suite.py", "--judge-model", "openai/new")
    assert done.returncode == 2
    assert done.err == (
        "judgekit: --judge-model: no evaluator of suite.py asks a judge whose model could be changed\n"
    )


def test_a_judge_of_ones_own_has_no_model_to_change(judgekit):
    judgekit.write(
        "suite.py",
        SUITE + "experiment = ExperimentRunner('t').cases(EvalCase('a', 'hi', own)).agent(lambda c: c)\n",
    )
    assert judgekit("run", "suite.py").returncode == 0
    done = judgekit("run", "suite.py", "--judge-model", "openai/new")
    assert done.returncode == 2
    assert "asks a judge whose model could be changed" in done.err


def test_the_function_of_a_suite_may_place_the_judge_itself(judgekit):
    judgekit.write(
        "suite.py",
        SUITE
        + "def experiment(judge_model=None):\n    assert judge_model == 'openai/new'\n"
        + "    return ExperimentRunner('t').cases(EvalCase('a', 'hi', own)).agent(lambda command: command)\n",
    )
    assert judgekit("run", "suite.py", "--judge-model", "openai/new").returncode == 0


def test_a_scripted_judge_needs_no_litellm(judgekit):
    judgekit.write(
        "suite.py",
        SUITE
        + "import atexit, sys\natexit.register(lambda: print('litellm' in sys.modules, file=sys.stderr))\n"
        + "experiment = ExperimentRunner('t').cases(cases).agent(lambda command: command)\n",
    )
    done = judgekit("run", "suite.py")
    assert done.returncode == 1
    assert done.err == "False\n"
