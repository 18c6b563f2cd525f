"""Run something when a module is imported, without importing it."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["Pending", "when_imported"]


class _Loader:
    """A module's own loader, with a call after the module ran; it steps aside before the module runs."""

    def __init__(self, loader: Any, pending: Pending) -> None:
        self._loader = loader
        self._pending = pending

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        # The module must see its own loader: its resources are found through it.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._pending.fire()


class Pending:
    """A callback that waits for a module; `cancel()` gives up waiting."""

    def __init__(self, name: str, callback: Callable[[], None]) -> None:
        self._name = name
        self._callback = callback
        self._lock = threading.Lock()
        self._done = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import protocol: the module's spec, with a loader that tells us."""
        if name != self._name or self._done:
            return None
        finders = list(sys.meta_path)
        # Only those behind this one: several can wait for one module, each wraps the next.
        for finder in finders[finders.index(self) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self)
                return spec  # type: ignore[no-any-return]
        return None

    def fire(self) -> None:
        """Call back, once."""
        if self._finish():
            self._callback()

    def cancel(self) -> None:
        """Never call back."""
        self._finish()

    def _finish(self) -> bool:
        with self._lock:
            if self._done:
                return False
            self._done = True
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        return True


def when_imported(name: str, callback: Callable[[], None]) -> Pending:
    """Call `callback` at once where the module is imported, else right after it will be.

    The module is never imported by this. `callback` runs in the importing thread and at most once.
    """
    pending = Pending(name, callback)
    if name in sys.modules:
        # It may still be running in another thread; this waits until it is whole.
        importlib.import_module(name)
        pending.fire()
    else:
        sys.meta_path.insert(0, pending)
        if name in sys.modules:  # imported by another thread in between
            importlib.import_module(name)
            pending.fire()
    return pending
