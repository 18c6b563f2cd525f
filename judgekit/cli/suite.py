"""From the SUITE argument to an experiment: find the file or module, import it, take its plan."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from judgekit.cli.mistakes import Mistake, where
from judgekit.runner import ExperimentRunner
from judgekit.swapping import ProviderSwap
from judgekit.text import first_line, one_line

__all__ = ["Experiment", "load_experiment"]

Experiment: TypeAlias = ExperimentRunner | ProviderSwap

_YAML = (".yaml", ".yml")
_HOW = (
    "write `experiment = ExperimentRunner(...)` at module level, or "
    "`def experiment(model=None, judge_model=None): return ExperimentRunner(...)`"
)


@dataclass(frozen=True, slots=True)
class _Suite:
    """An imported suite: `shown` is how the user called it, `folder` where its own code lies."""

    shown: str
    folder: Path
    module: ModuleType


def load_experiment(target: str, options: Mapping[str, str | None]) -> tuple[Experiment, frozenset[str]]:
    """The experiment of a suite, and which of `options` its function took.

    Args:
        target: `file.py` or `package.module`, either with `:name` behind it; or a YAML suite.
        options: Given to the suite's function as far as it declares them, such as `model`.

    Raises:
        Mistake: There is no such suite, importing it raised, or it holds no experiment.
    """
    if Path(target).suffix.lower() in _YAML and not Path(target).is_dir():
        from judgekit.suites import load_suite

        return load_suite(target), frozenset()
    place, name = _split(target)
    if name and Path(place).suffix.lower() in _YAML:
        raise Mistake(f"{target}: a YAML suite is one experiment; write {place}")
    suite = _import_suite(place)
    held = _named(suite, name) if name else _found(suite)
    if isinstance(held, Experiment):
        return held, frozenset()
    return _called(suite, held, options)


def _split(target: str) -> tuple[str, str | None]:
    place, colon, name = target.rpartition(":")
    if colon and place and name.isidentifier() and not Path(target).exists():
        return place, name
    return target, None


def _import_suite(place: str) -> _Suite:
    path = Path(place)
    if path.is_dir():
        files = sorted(str(file) for file in path.glob("*.py") if not file.name.startswith("__"))
        hint = f"name the file, such as {files[0]}" if files else "there is no Python file in it"
        raise Mistake(f"{place} is a folder; {hint}")
    if path.is_file():
        if path.suffix != ".py":
            raise Mistake(_no_suite(path, place))
        resolved = path.resolve()
        return _Suite(place, resolved.parent, _guarded(resolved.parent, lambda: _import_file(resolved)))
    if path.suffix == ".py" or not all(part.isidentifier() for part in place.split(".")):
        raise Mistake(f"there is no file {place}")
    _put_on_path(Path.cwd())
    module = _guarded(Path.cwd(), lambda: _import_module(place))
    return _Suite(place, Path(module.__file__ or ".").resolve().parent, module)


def _no_suite(path: Path, place: str) -> str:
    text = f"{place} is no suite; a suite is a .py or .yaml file, or a module"
    rows = path.suffix.lower() in (".jsonl", ".json", ".csv", ".tsv", ".parquet")
    return f"{text}. For a file of replies write judgekit score {place}" if rows else text


def _guarded(folder: Path, action: Callable[[], Any]) -> Any:
    """Run code of the user's; whatever it raises is told in one line with its place."""
    try:
        return action()
    except (Mistake, KeyboardInterrupt):
        raise
    except BaseException as error:
        place = where(error, folder)
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        told = f"{type(error).__name__}: {text}{_meant(error)}" if text else first_line(error)
        raise Mistake(f"{place}: {told}") from error


def _meant(error: BaseException) -> str:
    from judgekit.suites.guessing import meant

    return meant(error)


def _put_on_path(*folders: Path) -> None:
    for folder in reversed(folders):
        text = str(folder)
        if text in sys.path:
            sys.path.remove(text)
        sys.path.insert(0, text)


def _import_file(path: Path) -> ModuleType:
    """Import a file as Python would: as a part of its package, or by its own name beside its neighbours."""
    root, names = path.parent, [path.stem]
    while (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    _put_on_path(path.parent, root)
    if len(names) > 1:
        module = importlib.import_module(".".join(names))
        if module.__file__ is None or not path.samefile(module.__file__):
            raise Mistake(f"{path} is hidden by another module {module.__name__}: {module.__file__}")
        return module
    # A suite called json.py must not take the place of the module json for everyone else.
    taken = path.stem in sys.modules or path.stem in sys.stdlib_module_names
    name = f"judgekit_suite_{path.stem}" if taken else path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Mistake(f"{path} cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _import_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise Mistake(f"there is no file and no module {name}") from error
        raise


def _named(suite: _Suite, name: str) -> Any:
    if not hasattr(suite.module, name):
        raise Mistake(f"{suite.shown} holds no {name}{_known(suite.module)}")
    held = getattr(suite.module, name)
    if isinstance(held, Experiment) or callable(held):
        return held
    raise Mistake(f"{suite.shown}:{name} is a {type(held).__name__}, not an ExperimentRunner or a function")


def _experiments(module: ModuleType) -> dict[str, Experiment]:
    return {name: held for name, held in vars(module).items() if isinstance(held, Experiment)}


def _known(module: ModuleType) -> str:
    names = list(_experiments(module))
    return f"; it holds {', '.join(names)}" if names else ""


def _found(suite: _Suite) -> Any:
    held = getattr(suite.module, "experiment", None)
    if isinstance(held, Experiment) or inspect.isfunction(held):
        return held
    experiments = _experiments(suite.module)
    if len({id(plan) for plan in experiments.values()}) == 1:
        return next(iter(experiments.values()))
    if experiments:
        names = ", ".join(experiments)
        first = next(iter(experiments))
        raise Mistake(
            f"{suite.shown} holds several experiments ({names}); say which, as {suite.shown}:{first}"
        )
    raise Mistake(f"{suite.shown} holds no experiment; {_HOW}")


def _called(
    suite: _Suite, function: Callable[..., Any], options: Mapping[str, str | None]
) -> tuple[Experiment, frozenset[str]]:
    shown = f"{suite.shown}:{getattr(function, '__name__', function)}"
    declared, needed = _declared(shown, function, options)
    given = {name: options[name] for name in declared if name in needed or options[name] is not None}
    plan = _guarded(suite.folder, lambda: function(**given))
    if inspect.iscoroutine(plan):
        plan.close()
        raise Mistake(f"{shown} is async; a suite's function returns its ExperimentRunner directly")
    if not isinstance(plan, Experiment):
        raise Mistake(f"{shown}() returned {one_line(repr(plan), 80)}; it must return an ExperimentRunner")
    return plan, frozenset(declared)


def _declared(
    shown: str, function: Callable[..., Any], options: Mapping[str, str | None]
) -> tuple[list[str], list[str]]:
    """The options that a suite's function declares, and those of them that it has no default for."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return list(options), []
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needed = [p.name for p in named if p.default is p.empty]
    unknown = [name for name in needed if name not in options]
    if unknown:
        raise Mistake(
            f"{shown} has no default for {', '.join(unknown)}; "
            f"the command line gives {' and '.join(options)} only"
        )
    return [p.name for p in named if p.name in options], needed
