"""One HTTP request at a time, in two ways: with blocking sockets, and on asyncio.

Both have the same asynchronous form, so that everything above them is written once. The blocking way never
suspends, so `finish` can run what uses it to its end without an event loop.
"""

from __future__ import annotations

import asyncio
import io
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import suppress
from email.message import Message
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, parse_headers
from typing import Protocol, TypeVar
from urllib.parse import SplitResult, urlsplit

T = TypeVar("T")

LOST = (OSError, EOFError, HTTPException, asyncio.TimeoutError, asyncio.LimitOverrunError)
"""How a transport fails when no whole answer comes."""

CHUNK_BYTES = 65_536

CUT_OFF = "the connection ended in the middle of the answer"


class Answer(Protocol):
    """An answer whose head has arrived."""

    status: int
    headers: Message

    async def read_some(self) -> bytes:
        """The next bytes of the body; none at its end."""

    async def close(self) -> None:
        """Closes the connection, also in the middle of the body."""


class Transport(Protocol):
    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, silence_seconds: float
    ) -> Answer:
        """Sends a request on a connection of its own.

        silence_seconds: a connection that is silent for longer counts as lost.
        """

    async def sleep(self, seconds: float) -> None: ...

    async def from_disk(self, read: Callable[[], bytes]) -> bytes:
        """Runs something that waits for a disk."""


def finish(awaitable: Awaitable[T]) -> T:
    """Runs something that never suspends."""
    try:
        next(awaitable.__await__())
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("this waits for an event loop: use AsyncAtelier there")


def iterate(rows: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """The same for a generator."""
    try:
        while True:
            try:
                row = finish(rows.__anext__())
            except StopAsyncIteration:
                return
            yield row
    finally:
        finish(rows.aclose())


@cache
def tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


class BlockingTransport:
    """On `http.client`. Threads can share it."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, silence_seconds: float
    ) -> Answer:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        connection = (
            HTTPSConnection(host, port, timeout=silence_seconds, context=tls_context())
            if parts.scheme == "https"
            else HTTPConnection(host, port, timeout=silence_seconds)
        )
        try:
            # The service may refuse a body before it has arrived whole. The refusal says why.
            with suppress(BrokenPipeError):
                connection.request(method, _target(parts), body, {**headers, "connection": "close"})
            return BlockingAnswer(connection, connection.getresponse())
        except BaseException:
            connection.close()
            raise

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def from_disk(self, read: Callable[[], bytes]) -> bytes:
        return read()


class BlockingAnswer:
    def __init__(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        self._connection = connection
        self._response = response
        self.status = response.status
        self.headers: Message = response.headers

    async def read_some(self) -> bytes:
        some = self._response.read1(CHUNK_BYTES)
        # `read1` does not tell a body that was cut off from its end.
        if not some and self._response.length:
            raise EOFError(CUT_OFF)
        return some

    async def close(self) -> None:
        self._response.close()
        self._connection.close()


class AsyncioTransport:
    """HTTP/1.1 on asyncio's streams, since the standard library has no asynchronous client."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, silence_seconds: float
    ) -> Answer:
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        opening = asyncio.open_connection(
            parts.hostname, parts.port or (443 if secure else 80), ssl=tls_context() if secure else None
        )
        reader, writer = await _within(silence_seconds, opening)
        sent = {"host": parts.netloc.rpartition("@")[2], **headers, "connection": "close"}
        if body is not None or method in ("POST", "PATCH"):
            sent["content-length"] = str(len(body or b""))
        try:
            lines = [f"{method} {_target(parts)} HTTP/1.1", *map(_line, sent.items()), "", ""]
            writer.write("\r\n".join(lines).encode("latin-1") + (body or b""))
            # The service may refuse a body before it has arrived whole. The refusal says why.
            with suppress(BrokenPipeError):
                await _within(silence_seconds, writer.drain())
            status, received = await _within(silence_seconds, _head(reader))
        except BaseException:
            writer.transport.abort()
            raise
        return AsyncioAnswer(reader, writer, status, received, silence_seconds)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def from_disk(self, read: Callable[[], bytes]) -> bytes:
        return await asyncio.to_thread(read)


async def _within(seconds: float, awaitable: Awaitable[T]) -> T:
    """`asyncio.wait_for` of Python before 3.12 can swallow the cancellation of its caller."""
    task = asyncio.ensure_future(awaitable)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
    if not done:
        raise asyncio.TimeoutError(f"nothing came for {seconds:g} seconds")
    return task.result()


def _line(header: tuple[str, str]) -> str:
    line = ": ".join(header)
    if "\r" in line or "\n" in line:
        raise ValueError(f"the header {header[0]} has a line break")
    return line


async def _head(reader: asyncio.StreamReader) -> tuple[int, Message]:
    while True:
        head = io.BytesIO(await reader.readuntil(b"\r\n\r\n"))
        version, _, rest = head.readline().decode("latin-1").partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise HTTPException("what answered does not speak HTTP/1.1")
        # Some proxies send interim answers before the real one.
        if not rest.startswith("1"):
            return int(rest[:3]), parse_headers(head)


class AsyncioAnswer:
    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        status: int,
        headers: Message,
        silence_seconds: float,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._silence_seconds = silence_seconds
        self.status = status
        self.headers = headers
        chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        self._read = self._read_chunk if chunked else self._read_plain
        length = "0" if status == 204 else headers.get("content-length")
        # Without a length, the body ends with the connection.
        self._left = int(length) if length and length.isdigit() else None

    async def read_some(self) -> bytes:
        return await _within(self._silence_seconds, self._read())

    async def _read_plain(self) -> bytes:
        if self._left is None:
            return await self._reader.read(CHUNK_BYTES)
        some = await self._reader.read(min(self._left, CHUNK_BYTES))
        if not some and self._left > 0:
            raise EOFError(CUT_OFF)
        self._left -= len(some)
        return some

    async def _read_chunk(self) -> bytes:
        size, _, _ = (await self._reader.readuntil(b"\r\n")).partition(b";")
        try:
            length = int(size, 16)
        except ValueError as cause:
            raise HTTPException("a chunk of the answer has no size") from cause
        if length == 0:
            return b""
        return (await self._reader.readexactly(length + 2))[:-2]

    async def close(self) -> None:
        # Everything that matters has been read, so the connection need not be closed politely.
        self._writer.transport.abort()
