"""Fixtures that several test modules share."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from judgekit.testing import FakeProvider

# A busy machine is no failure of the code; a failure on the build machine must come back here.
settings.register_profile(
    "judgekit",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("judgekit")

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Let litellm's use of pydantic warn: nothing here can change it."""
    config.addinivalue_line("filterwarnings", "ignore:Items? .* on TypedDict class:UserWarning")
    config.addinivalue_line("filterwarnings", "ignore:Accessing the 'model_:DeprecationWarning")


@pytest.fixture(scope="session")
def litellm() -> Iterator[Any]:
    """The real litellm, imported without a network call, a `.env` or output."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        patch.setenv("LITELLM_MODE", "PRODUCTION")
        module = pytest.importorskip("litellm")
        patch.setattr(module, "suppress_debug_info", True)
        yield module


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of large real data sets, which is not part of the repository."""
    folder = Path(os.environ.get("JUDGEKIT_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets are not here; JUDGEKIT_DATA names their folder")
    return folder


@pytest.fixture
def fake_provider() -> Iterator[Callable[..., FakeProvider]]:
    """Starts a `FakeProvider(...)` with what it is given; all are closed after the test."""
    with ExitStack() as stack:

        def start(*args: Any, **options: Any) -> FakeProvider:
            return stack.enter_context(FakeProvider(*args, **options))

        yield start
