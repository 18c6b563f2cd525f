"""A real small model behind a real HTTP server on loopback, for tests that ask for it.

`JUDGEKIT_GGUF` names a model file in GGUF form, and the package `xllamacpp` runs it. Without either the
tests here are skipped. docs/contributing.md says where both come from.
"""

import os
import socket
import subprocess
import sys
import textwrap
import time
import urllib.error
import urllib.request
from importlib.util import find_spec

import pytest

SERVER = textwrap.dedent(
    """
    import sys, time
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.port = sys.argv[1], int(sys.argv[2])
    params.hostnames = ["127.0.0.1"]
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 8192, 1, 0
    # Two threads are far slower than one as soon as anything else runs.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    time.sleep(7200)
    """
)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(url: str, process: subprocess.Popen) -> None:
    for _ in range(600):
        if process.poll() is not None:
            pytest.fail(f"the model server stopped with exit code {process.returncode}")
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail("the model server did not come up within a minute")


@pytest.fixture(scope="session")
def model_url():
    """Base URL of an OpenAI-compatible server of one small model."""
    gguf = os.environ.get("JUDGEKIT_GGUF")
    if not gguf:
        pytest.skip("needs a local model: JUDGEKIT_GGUF names none (see docs/contributing.md)")
    if find_spec("xllamacpp") is None:
        pytest.skip("needs the package xllamacpp to run the local model")
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, gguf, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}/v1"
    try:
        _wait_for(url, process)
        yield url
    finally:
        process.kill()
        process.wait()
