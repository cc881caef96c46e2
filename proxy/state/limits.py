"""Requests per minute, shared by all who share the store: a window that slides between two counted minutes."""

from __future__ import annotations

from adapters.format import Quota
from proxy.state.store import Store

WINDOW = 60.0


async def counted(store: Store, name: str, most: int, now: float) -> tuple[Quota, float | None]:
    """Counts a request of `name` at wall time `now`: what is left of `most` a minute, and None if the request is
    within it, else the seconds to wait.

    The share of the last minute that still lies within 60 seconds counts along. A refused request does not count.
    """
    minute, share = divmod(now, WINDOW)
    share /= WINDOW
    key = f"limit:{name}:{int(minute)}"
    count = await store.incr(key, 1, 2 * WINDOW)
    (before,) = await store.get([f"limit:{name}:{int(minute) - 1}"])
    earlier = int(before or b"0")
    used = earlier * (1 - share) + count
    if used <= most:
        return Quota(most, int(most - used), (2 - share) * WINDOW), None
    await store.incr(key, -1, 2 * WINDOW)
    count -= 1
    if count >= most:
        wait = (1 - share + 1 - (most - 1) / count) * WINDOW
    else:
        wait = max(0.05, (1 - (most - count - 1) / earlier - share) * WINDOW)
    return Quota(most, 0, ((2 if count else 1) - share) * WINDOW), wait
