"""litellm is quiet, is loaded late, and leaves nothing behind."""

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from judgekit.interaction import ToolCall
from judgekit.providers import ask
from judgekit.providers.litellm_wire import LitellmWire
from judgekit.testing import Answer as Said
from judgekit.testing import FakeProvider, Fault

GOOD = {"reason": "polite", "score": 0.75}


def child(code, *, cwd, **environment):
    clean = {"PATH": os.environ["PATH"], "HOME": str(cwd), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=clean | environment,
        check=False,
    )


def test_importing_the_package_imports_no_client(tmp_path):
    code = """
        import os, sys
        before = dict(os.environ)
        import judgekit.providers, judgekit.providers.calling
        heavy = {"litellm", "openai", "httpx", "aiohttp", "tenacity", "pydantic"} & sys.modules.keys()
        assert not heavy, heavy
        assert dict(os.environ) == before
    """
    done = child(code, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_first_call_loads_no_env_file_opens_no_socket_and_prints_nothing(tmp_path):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-a-file-nobody-asked-for\n")
    code = """
        import os, sys
        before = dict(os.environ)
        reached = []
        def audit(event, args):
            if event == "socket.getaddrinfo":
                reached.append(args[0])
            elif event == "socket.connect" and isinstance(args[1], tuple):
                reached.append(args[1][0])
        sys.addaudithook(audit)
        import asyncio
        from judgekit.providers import Request, ask
        from judgekit.testing import FakeProvider, Fault
        faults = [None, Fault.status(500), Fault.html(), Fault.content_parts(), Fault.finish("banana")]
        with FakeProvider("fine", faults=faults) as provider:
            for number in range(5):
                message = {"role": "user", "content": f"hi {number}"}
                request = Request(
                    model="openai/m", messages=[message], api_base=provider.url, api_key="sk-x", attempts=1
                )
                answer = asyncio.run(ask(request, lambda reply: reply.text))
            assert provider.count == 5
        assert answer.value == "fine", answer
        added = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
        assert dict(os.environ) == before | added
        assert set(reached) <= {"127.0.0.1"}, reached
    """
    done = child(code, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_what_the_user_set_stays(tmp_path):
    code = """
        import os
        from judgekit.providers import price_of
        assert price_of("openai/gpt-4o-mini")
        assert os.environ["LITELLM_MODE"] == "DEV"
        assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    """
    done = child(code, cwd=tmp_path, LITELLM_MODE="DEV")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_loop_goes_on_while_litellm_is_imported(tmp_path):
    code = """
        import asyncio, sys
        from judgekit.providers.litellm_wire import LitellmWire
        async def main():
            wire, ticks = LitellmWire(), 0
            loads = asyncio.gather(*(wire.load() for _ in range(20)))
            while not loads.done():
                await asyncio.sleep(0.005)
                ticks += 1
            await loads
            assert "litellm" in sys.modules
            assert ticks > 20, ticks
            await wire.close()
        asyncio.run(main())
    """
    done = child(code, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
@pytest.mark.parametrize("model", ["openai/judge-1", "hosted_vllm/judge-1"])
def test_a_run_leaves_no_connection_open(question_to, in_one_run, model):
    with FakeProvider(GOOD, latency=0.02) as provider:
        in_one_run([question_to(provider, model=model)])
        before = descriptors()
        for number in range(4):
            requests = [question_to(provider, f"{number}.{n}", model=model) for n in range(8)]
            assert [answer.value for answer in in_one_run(requests)] == [0.75] * 8
        # The server closes its own end a moment later.
        for _ in range(100):
            if descriptors() <= before:
                break
            asyncio.run(asyncio.sleep(0.02))
        assert descriptors() <= before


def test_a_run_that_ends_leaves_the_connections_of_another_alone(question_to, read_score):
    async def run(provider, name, count):
        from judgekit.context import AttemptContext, RunScope, attempt_context

        scope, found = RunScope(), []
        for number in range(count):
            attempt_context.set(
                AttemptContext(case_id=name, case_index=0, run=1, session_id=f"{name}{number}", scope=scope)
            )
            found.append(await ask(question_to(provider, f"{name} {number}", attempts=1), read_score))
        await scope.close()
        return found

    async def both(provider):
        return await asyncio.gather(*(run(provider, name, count) for name, count in (("a", 2), ("b", 12))))

    with FakeProvider(GOOD, latency=0.02) as provider:
        short, long = asyncio.run(both(provider))
        assert provider.count == 14
    assert [answer.error for answer in (*short, *long)] == [None] * 14


def test_callbacks_of_the_user_see_every_call(question_to, in_one_run, litellm, monkeypatch):
    from litellm.integrations.custom_logger import CustomLogger

    seen = []

    # litellm drops a second logger of one class name, and another test's may still be in its lists.
    class SeesEveryCall(CustomLogger):
        async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
            seen.append(kwargs["model"])

    monkeypatch.setattr(litellm, "callbacks", [SeesEveryCall()])
    with FakeProvider(GOOD) as provider:
        in_one_run([question_to(provider, f"text {number}") for number in range(20)])
    assert seen == ["judge-1"] * 20


def test_a_wire_that_never_loaded_closes_at_once():
    asyncio.run(LitellmWire().close())


def test_logprobs_are_copied_where_the_provider_gives_them(question_to):
    top = [{"token": "A", "logprob": -0.1, "bytes": None}, {"token": "B", "logprob": -2.5, "bytes": None}]
    logprobs = {"content": [{**top[0], "top_logprobs": top}]}

    def with_logprobs(completion):
        return {**completion, "choices": [{**completion["choices"][0], "logprobs": logprobs}]}

    with FakeProvider("A", faults=[Fault(edit=with_logprobs)]) as provider:
        request = question_to(provider, format=None, params={"logprobs": True, "top_logprobs": 2})
        answer = asyncio.run(ask(request, lambda reply: reply.logprobs))
        assert provider.requests[0].body["top_logprobs"] == 2
    assert answer.value == ({"token": "A", "logprob": -0.1, "top": [["A", -0.1], ["B", -2.5]]},)


def test_a_forced_tool_calls_arguments_are_the_answer(answered):
    called = Said(text="Let me grade.", tool_calls=(ToolCall("score", GOOD),))
    with FakeProvider(called) as provider:
        answer = answered(provider, rung="tool_call")
    assert (answer.value, answer.reply.finish_reason) == (0.75, "tool_calls")


def test_two_different_tool_calls_are_both_read(answered):
    called = Said(tool_calls=(ToolCall("score", GOOD), ToolCall("score", {"reason": "no", "score": 0.1})))
    with FakeProvider(called) as provider:
        answer = answered(provider, rung="tool_call", attempts=1)
    assert (answer.value, answer.cause) == (None, "malformed")
    assert answer.reply.text.count('"score"') == 2
