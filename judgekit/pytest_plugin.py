"""The pytest plugin: inert until a test uses it; imports pytest and json only."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from judgekit.in_pytest.judged import Judged
    from judgekit.in_pytest.session import Session

__all__ = ["fake_provider", "judged"]

_PROPERTY = "judgekit"
_CACHE = "judgekit/attempts"
_SKIPPED = "may call a model; run it with --judgekit"

_records: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flags and their ini twins."""
    group = parser.getgroup("judgekit", "evaluations of LLM agents")
    group.addoption("--judgekit", action="store_true", help="Run tests that may call a model.")
    group.addoption(
        "--judgekit-model", metavar="MODEL", help="Ask the judges of `@judgekit.cases` with this model."
    )
    group.addoption(
        "--judgekit-report", metavar="PATH", help="Write all that was judged to PATH, by its suffix."
    )
    parser.addini("judgekit", "Run tests that may call a model.", type="bool", default=False)
    parser.addini("judgekit_model", "Ask the judges of `@judgekit.cases` with this model.", default="")
    parser.addini("judgekit_report", "Write all that was judged to this file, by its suffix.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what concludes the session, in the one process that writes for people."""
    config.addinivalue_line("markers", "judgekit: may call a model; skipped without --judgekit")
    if hasattr(config, "workerinput"):
        return
    config.pluginmanager.register(_Controller(config), "judgekit-controller")
    if path := _option(config, "judgekit-report"):
        _check_report(path)


def _check_report(path: str) -> None:
    """Refuse before the session what could not be written after it."""
    import os
    from pathlib import Path

    from judgekit.errors import InvalidArgument
    from judgekit.reporting.formats import format_for

    try:
        format_for(Path(path))
    except InvalidArgument as error:
        raise pytest.UsageError(f"--judgekit-report: {error}") from error
    folder = next(parent for parent in Path(path).absolute().parents if parent.exists())
    if Path(path).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise pytest.UsageError(f"--judgekit-report: {path} cannot be written")


def _option(config: pytest.Config, name: str) -> Any:
    return config.getoption(f"--{name}") or config.getini(name.replace("-", "_"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what may call a model, unless that was asked for."""
    if _option(config, "judgekit"):
        return
    model = _option(config, "judgekit-model")
    for item in items:
        group = _group_of(item)
        asks = group is not None and (group.asks_models or (model and group.models))
        if asks or item.get_closest_marker("judgekit") is not None:
            item.add_marker(pytest.mark.skip(reason=_SKIPPED))


@pytest.fixture
def judged(request: pytest.FixtureRequest) -> Judged:
    """Asserts what was judged and records it: `judged(report)`, or with a case `judged.ask(agent)`."""
    from judgekit.in_pytest.judged import Judged

    item, group = request.node, _group_of(request.node)
    callspec = getattr(item, "callspec", None)
    index = None
    if group is not None and callspec is not None:
        index = group.places.get(id(callspec.params.get("case")))
    name = item.nodeid.removesuffix(item.name) + getattr(item, "originalname", item.name)
    others = _other_parameters(callspec, None if index is None else group.shown(index))
    records = item.stash.setdefault(_records, [])
    model = _option(request.config, "judgekit-model") or None
    return Judged(name + others, group, index, model=model, keep=records.append)


def _group_of(item: pytest.Item) -> Any:
    return getattr(getattr(item, "function", None), "__judgekit_cases__", None)


def _other_parameters(callspec: Any, own: str | None) -> str:
    """A test's parameters beside its case, as its id has them, so that every process says the same."""
    if callspec is None or (own is not None and list(callspec.params) == ["case"]):
        return ""
    shown = f"-{callspec.id}-"
    if own is not None:
        last = list(callspec.params)[-1] == "case"
        # pytest escapes what is not ASCII, unless it is told not to.
        for part in (f"-{own.encode('unicode_escape').decode()}-", f"-{own}-"):
            if part in shown:
                before, _, after = shown.rpartition(part) if last else shown.partition(part)
                shown = f"{before or '-'}{after or '-'}" if not (before and after) else f"{before}-{after}"
                break
    return f"[{shown[1:-1]}]"


@pytest.fixture
def fake_provider() -> Iterator[Callable[..., Any]]:
    """Starts a `judgekit.testing.FakeProvider(...)` with what it is given; all are closed after the test."""
    from contextlib import ExitStack

    from judgekit.testing import FakeProvider

    with ExitStack() as stack:

        def start(*args: Any, **options: Any) -> FakeProvider:
            return stack.enter_context(FakeProvider(*args, **options))

        yield start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test that has a case and passes without judging it: its evaluators checked nothing."""
    result = yield
    if _group_of(item) is not None and not item.stash.get(_records, None):
        pytest.fail("this test has a case and judged nothing; write judged.ask(agent)", pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Hand a test's records over with its last report, the only one that reaches every reader once."""
    records = item.stash.get(_records, None)
    if records and call.when == "teardown":
        # A test that is tried again keeps its properties; what counts is the last try.
        others = [(name, value) for name, value in item.user_properties if name != _PROPERTY]
        item.user_properties[:] = [*others, (_PROPERTY, json.dumps(records))]
        del item.stash[_records]
    return (yield)


def _read(kept: Any) -> dict[str, Any]:
    """What an earlier session kept, by group; nothing where it cannot be read."""
    try:
        found = json.loads(kept)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


class _Controller:
    """Hears of every test's records, in this process or from workers, and concludes the session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._session: Session | None = None
        self._written = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test kept."""
        for name, value in report.user_properties:
            if name == _PROPERTY and report.when == "teardown":
                if self._session is None:
                    from judgekit.in_pytest.session import Session

                    self._session = Session()
                self._session.add(report.nodeid, json.loads(str(value)))

    @pytest.hookimpl(tryfirst=True)  # before what failed last is written, and before the summary
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide the gates, and write the report."""
        if self._session is None:
            return
        cache = getattr(self._config, "cache", None)
        earlier = _read(None if cache is None else cache.get(_CACHE, None))
        merge = bool(self._config.getoption("lf", False))
        kept = self._session.conclude(earlier, merge=merge)
        if not self._session.passed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        last = getattr(self._config.pluginmanager.get_plugin("lfplugin"), "lastfailed", None)
        if last is not None:
            last.update(dict.fromkeys(self._session.failing_nodes(), True))
        if (path := _option(self._config, "judgekit-report")) and not self._write(self._session, path):
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
        if cache is not None:
            # As ASCII: pytest writes its cache in UTF-8, and what a model says may hold half a character.
            cache.set(_CACHE, json.dumps({**earlier, **kept}))

    def _write(self, session: Session, path: str) -> bool:
        try:
            session.write(path)
        except OSError as error:
            self._written = f"{path} was not written: {error.strerror or error}"
            return False
        self._written = f"written to {path}"
        return True

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One section: for each group its gate, a line a criterion, then the cost."""
        path = _option(self._config, "judgekit-report")
        if self._session is None and not path:
            return
        terminalreporter.section("judgekit")
        if self._session is None:
            terminalreporter.line(f"no test judged anything, so {path} was not written")
            return
        for line in self._session.lines():
            terminalreporter.line(line)
        if self._written:
            terminalreporter.line(self._written)
