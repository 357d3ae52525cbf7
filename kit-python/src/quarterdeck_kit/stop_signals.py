"""Under a server that handles stop signals itself (uvicorn, gunicorn) the kit only listens in on them."""

from __future__ import annotations

import signal
import threading
from types import FrameType

from .kit import Kit


def listen_in_on_stop(kit: Kit) -> None:
    """Not ready from the signal on; then the server does what it would have done. Without a server's handler in place,
    or away from the main thread, it does nothing: asked again later, it may find one."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        _listen_in(kit, number)


def _listen_in(kit: Kit, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    if not callable(before) or before is signal.default_int_handler or isinstance(before, _Listener):
        return
    signal.signal(number, _Listener(kit, before))
    # As asyncio has it, whose handler this may replace: system calls go on after the signal.
    signal.siginterrupt(number, False)


class _Listener:
    def __init__(self, kit: Kit, before: object) -> None:
        self._kit = kit
        self._before = before

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._kit.begin_stop()
        if callable(self._before):
            self._before(number, frame)
