"""The sync door."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
from contextvars import ContextVar

import pytest

from judgekit.loop import run_sync

word = ContextVar("word", default="none")


async def thread_name():
    return threading.current_thread().name


def child(code: str, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_returns_what_the_coroutine_returns():
    async def answer():
        await asyncio.sleep(0)
        return 42

    assert run_sync(answer) == 42


def test_it_raises_what_the_coroutine_raises():
    async def broken():
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run_sync(broken)


def test_what_makes_no_coroutine_raises_instead_of_waiting_for_ever():
    def broken():
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run_sync(broken)


def test_all_calls_share_one_loop_thread():
    assert run_sync(thread_name) == run_sync(thread_name) == "judgekit-loop"


def test_context_variables_of_the_caller_are_seen_inside_and_stay_outside():
    async def change():
        seen = word.get()
        word.set("inner")
        return seen

    token = word.set("outer")
    try:
        assert run_sync(change) == "outer"
        assert word.get() == "outer"
    finally:
        word.reset(token)


def test_it_works_inside_a_running_loop():
    async def notebook_cell():
        return run_sync(thread_name)

    assert asyncio.run(notebook_cell()) == "judgekit-loop"


def test_it_works_on_the_loop_thread_itself():
    async def outer():
        return run_sync(thread_name)

    assert "nested" in run_sync(outer)


def test_a_coroutine_that_cancels_itself_raises_that():
    async def stop():
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_sync(stop)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_makes_a_loop_of_its_own():
    process = child(
        """
        import os, sys, warnings
        from judgekit.loop import run_sync
        async def answer(): return 42
        assert run_sync(answer) == 42
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
        if pid == 0:
            os._exit(0 if run_sync(answer) == 42 else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
    )
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    "left_behind",
    [
        "asyncio.create_task(asyncio.sleep(60))",
        "asyncio.create_task(stubborn())",
        "tasks.append(asyncio.create_task(broken()))",
    ],
)
def test_a_process_ends_quietly_whatever_was_left_running(left_behind):
    process = child(
        f"""
        import asyncio
        from judgekit.loop import run_sync
        tasks = []
        async def stubborn():
            while True:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    pass
        async def broken():
            try:
                await asyncio.sleep(60)
            finally:
                raise ValueError("x")
        async def leave():
            {left_behind}
            await asyncio.sleep(0)
        run_sync(leave)
        """
    )
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_ctrl_c_waits_for_an_orderly_end_and_is_raised_in_the_caller():
    process = child(
        """
        import asyncio
        from judgekit.loop import run_sync
        async def work():
            print("ready", flush=True)
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.2)
                print("tidied", flush=True)
        try:
            run_sync(work)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "tidied\ninterrupted\n", "")


def test_a_second_ctrl_c_no_longer_waits():
    process = child(
        """
        import asyncio
        from judgekit.loop import run_sync
        async def work():
            print("ready", flush=True)
            try:
                await asyncio.sleep(60)
            finally:
                print("stopping", flush=True)
                await asyncio.sleep(60)
        try:
            run_sync(work)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopping\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


@pytest.mark.parametrize(
    "disturb",
    [
        "await asyncio.create_task(raising(SystemExit(3)))",
        "await asyncio.create_task(raising(KeyboardInterrupt()))",
        "asyncio.get_running_loop().call_soon(sys.exit); await asyncio.sleep(0.01)",
        "asyncio.get_running_loop().stop(); await asyncio.sleep(0.01)",
    ],
)
def test_nothing_that_runs_on_the_loop_ends_it(disturb):
    code = f"""
        import asyncio, sys
        from judgekit.loop import run_sync

        async def raising(error):
            raise error

        async def disturbing():
            {disturb}
            return "calm"

        async def calm():
            return "calm"

        try:
            print(run_sync(disturbing))
        except BaseException as error:
            print(type(error).__name__)
        print(run_sync(calm))
    """
    out, err = child(code).communicate(timeout=30)
    assert out.split() in (["calm", "calm"], ["SystemExit", "calm"], ["KeyboardInterrupt", "calm"]), err
    assert not err
