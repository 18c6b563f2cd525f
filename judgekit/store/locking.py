"""A lock on an open file that a second writer, in this process or another, cannot get."""

from __future__ import annotations

import errno
import os
import sys

__all__ = ["lock", "unlock"]

_HELD = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}

if sys.platform == "win32":
    import msvcrt

    # Windows locks bytes against reading too, so the locked byte lies where no journal reaches.
    _FAR = 1 << 60

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        # A child process may hold a copy of the descriptor, and closing ours would leave its lock.
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock(descriptor: int) -> bool:
    """Take the lock without waiting; False where another writer holds it.

    Some network file systems have no locks; there the answer is True.
    """
    try:
        _lock(descriptor)
    except OSError as error:
        return error.errno not in _HELD
    return True


def unlock(descriptor: int) -> None:
    """Give the lock back."""
    try:
        _unlock(descriptor)
    except OSError as error:
        if error.errno in _HELD:
            raise
