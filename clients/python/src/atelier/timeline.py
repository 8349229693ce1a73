"""The timeline of a job, as a stream that survives broken connections."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from .connection import (
    Connection,
    Request,
    ask,
    backoff_seconds,
    may_be_repeated,
    open_answer,
    pause_seconds,
)
from .errors import AtelierError, NoAnswerError
from .openapi import JobDetailResponse, JobEventResponse
from .transport import LOST

SILENCE_SECONDS = 45.0
"""The service sends something every 15 seconds. A connection that is silent for three times as long counts as
dead.
"""


async def job_of(connection: Connection, job_id: str) -> JobDetailResponse:
    job: JobDetailResponse = await ask(connection, Request("GET", f"/v1/jobs/{job_id}", repeatable=True))
    return job


async def follow(
    connection: Connection, job_id: str, since: int = 0
) -> AsyncGenerator[JobEventResponse, None]:
    """The public events of a job, up to its last one. After a broken connection, it reconnects and continues
    behind the last event received.

    Raises AtelierError, and NoAnswerError when several attempts in a row failed.
    """
    failures, last = 0, since
    while True:
        try:
            async with aclosing(_stream(connection, job_id, last)) as events:
                async for event in events:
                    failures, last = 0, event["seq"]
                    yield event
                    if event["event_type"] in ("succeeded", "failed"):
                        return
            # The service closed the stream without a final event: it is restarting, or the job had ended
            # before `since`.
            if (await job_of(connection, job_id))["finished_at"] is not None and failures > 0:
                return
            seconds = backoff_seconds(failures)
        except (AtelierError, NoAnswerError) as error:
            if failures >= connection.retries or not may_be_repeated(error, repeatable=True):
                raise
            seconds = pause_seconds(error, failures)
        await connection.transport.sleep(seconds)
        failures += 1


async def _stream(
    connection: Connection, job_id: str, since: int
) -> AsyncGenerator[JobEventResponse, None]:
    headers = {"accept": "text/event-stream", "last-event-id": str(since)}
    request = Request("GET", f"/v1/jobs/{job_id}/events", repeatable=True, headers=headers)
    answer = await open_answer(connection, request, SILENCE_SECONDS)
    parser = EventParser()
    try:
        while True:
            try:
                part = await answer.read_some()
            except LOST as cause:
                raise NoAnswerError(f"the timeline of {job_id} broke off: {cause!r}") from cause
            if not part:
                return
            for data in parser.feed(part):
                event: JobEventResponse = json.loads(data)
                yield event
    finally:
        await answer.close()


class EventParser:
    """Reads Server-Sent Events, as far as the service uses them: only `data` matters, since it has all that
    the other fields say.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []

    def feed(self, part: bytes) -> list[str]:
        """The data of the events that this part completes."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        complete = []
        for line in lines:
            name, _, value = line.rstrip(b"\r").decode().partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
            elif name == "" and value == "" and self._data:
                # A comment begins with a colon too, but it has a text.
                complete.append("\n".join(self._data))
                self._data = []
        return complete
