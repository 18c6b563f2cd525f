"""What litellm leaves in memory, kept out of the garbage collector's way while a run asks models."""

from __future__ import annotations

import gc
import threading

__all__ = ["set_aside", "take_back"]

# The collector is one for the whole process, so who still needs it so is known for the whole process too.
_lock = threading.Lock()
_users = 0
_ours = False


def set_aside() -> None:
    """Let full collections pass over everything that exists now; `take_back` ends it.

    litellm's import leaves 400,000 objects. A full collection visits them all, stops the event loop for a
    quarter of a second, and comes every few hundred calls. Only objects that exist now and become garbage in
    cycles stay longer: until the last user has taken back. A process that has frozen objects itself is left
    as it is.
    """
    global _users, _ours
    with _lock:
        _users += 1
        if _users == 1 and not gc.get_freeze_count():
            gc.freeze()
            _ours = True


def take_back() -> None:
    """End one `set_aside`; after the last one the collector visits everything again."""
    global _users, _ours
    with _lock:
        _users -= 1
        if _users == 0 and _ours:
            gc.unfreeze()
            _ours = False
