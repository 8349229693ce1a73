from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 60.0
"""Generous, because only a failure uses all of it: a busy machine may need a multiple of the usual time."""


def eventually(look: Callable[[], T | None]) -> T:
    """Repeats a check until it returns something true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        seen = look()
        if seen:
            return seen
        assert time.monotonic() < deadline, f"it did not happen within {PATIENCE_SECONDS:g} seconds"
        time.sleep(0.02)
