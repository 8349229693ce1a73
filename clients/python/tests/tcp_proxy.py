"""A TCP proxy on loopback that can simulate faults."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

CUTS = (0, 100, None, 0, 1_000, 2_000, 3_000)
"""The dispatch gets no answer, then half of one, then its answer. The timeline breaks at several places."""


class TcpProxy:
    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._passing = threading.Event()
        self._passing.set()
        self._limits: list[int | None] = []
        self.cuts = 0
        """How many connections were broken."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def hold_answers(self) -> None:
        """From now on data from clients passes, and data from the server is held back."""
        self._passing.clear()

    def restore(self) -> None:
        """Held answers pass."""
        self._passing.set()

    def cut(self) -> None:
        """Breaks all connections on both sides; data that was held back is lost."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for client, upstream in pairs:
            self.cuts += 1
            # Without lingering, closing a socket resets its connection.
            with suppress(OSError):
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            for one in (client, upstream):
                # A thread that waits for this socket wakes up only by a shutdown.
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()

    def cut_answers(self, limits: Sequence[int | None]) -> None:
        """Breaks each of the next connections after so many bytes of its answer. None leaves one whole."""
        self._limits = list(limits)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                upstream = socket.create_connection(("127.0.0.1", self._target_port))
                pair = (client, upstream)
                with self._lock:
                    self._pairs.add(pair)
                limit = self._limits.pop(0) if self._limits else None
                threading.Thread(target=self._ask, args=pair, daemon=True).start()
                threading.Thread(target=self._answer, args=(*pair, limit), daemon=True).start()

    def _ask(self, client: socket.socket, upstream: socket.socket) -> None:
        with suppress(OSError):
            while part := client.recv(65_536):
                upstream.sendall(part)
            upstream.shutdown(socket.SHUT_WR)

    def _answer(self, client: socket.socket, upstream: socket.socket, limit: int | None) -> None:
        with suppress(OSError):
            while part := upstream.recv(65_536):
                self._passing.wait()
                if limit is not None and len(part) > limit:
                    client.sendall(part[:limit])
                    self.cut()
                    return
                client.sendall(part)
                limit = limit and limit - len(part)
            client.shutdown(socket.SHUT_WR)

    def __enter__(self) -> TcpProxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.restore()
        self.cut()
