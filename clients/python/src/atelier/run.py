"""A dispatch and its job."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from types import TracebackType
from typing import cast

from .connection import Connection, Request, ask
from .errors import AtelierError, JobFailedError, NoAnswerError
from .openapi import Artifact, JobDetailResponse, JobEventResponse, WorkflowAcceptedResponse
from .timeline import follow, job_of
from .transport import finish, iterate


class FinishedJob(JobDetailResponse):
    """A job that succeeded."""

    pictures: list[Artifact]
    """The ordered pictures: the artifacts whose role is `final`."""


async def _finished(connection: Connection, job_id: str) -> FinishedJob:
    job = await job_of(connection, job_id)
    if job["status"] != "SUCCESS":
        raise JobFailedError(job)
    artifacts = job["result"]["artifacts"] if job["result"] else []
    pictures = [artifact for artifact in artifacts if artifact["role"] == "final"]
    # The forms of TypedDict cannot be spread into each other.
    return cast(FinishedJob, {**job, "pictures": pictures})


async def _cancel(connection: Connection, job_id: str) -> None:
    await ask(connection, Request("POST", f"/v1/jobs/{job_id}/cancel", repeatable=True))


class Run:
    """A dispatch and its job. Iterate it for the events of its timeline, call `result()` for the pictures, or
    do both.

    As a context, it cancels the job when the block is left by an exception, also by Ctrl+C. The credits are
    given back.
    """

    def __init__(self, connection: Connection, accepted: WorkflowAcceptedResponse) -> None:
        self._connection = connection
        self.accepted = accepted
        """The answer to the dispatch: the job's id and its cost."""

    def __iter__(self) -> Iterator[JobEventResponse]:
        return iterate(follow(self._connection, self.accepted["job_id"]))

    def result(self) -> FinishedJob:
        """The job, once it has succeeded. Raises JobFailedError, AtelierError, NoAnswerError."""
        for _ in self:
            pass
        return finish(_finished(self._connection, self.accepted["job_id"]))

    def cancel(self) -> None:
        """Cancels the job; its credits are given back. A job that has ended does not change: the answer is
        409 JOB_ALREADY_FINISHED.
        """
        finish(_cancel(self._connection, self.accepted["job_id"]))

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with suppress(AtelierError, NoAnswerError):
                self.cancel()


class AsyncRun:
    """A dispatch and its job, on asyncio. The dispatch is sent when it is first awaited: by `accepted()`, by
    `result()`, by an iteration, or by `async with`.

    As a context, it cancels the job when the block is left by an exception, also when its task is cancelled
    or `asyncio.timeout` ends it. The credits are given back.
    """

    def __init__(
        self, connection: Connection, dispatch: Callable[[], Awaitable[WorkflowAcceptedResponse]]
    ) -> None:
        self._connection = connection
        self._dispatch = dispatch
        self._dispatched: asyncio.Future[WorkflowAcceptedResponse] | None = None

    async def accepted(self) -> WorkflowAcceptedResponse:
        """The answer to the dispatch: the job's id and its cost."""
        if self._dispatched is None:
            self._dispatched = asyncio.ensure_future(self._dispatch())
            # If the caller is cancelled meanwhile, no other code asks for the error.
            self._dispatched.add_done_callback(lambda done: done.cancelled() or done.exception())
        # A dispatch that is on its way goes on: its job can only be cancelled once its id is known.
        return await asyncio.shield(self._dispatched)

    async def __aiter__(self) -> AsyncIterator[JobEventResponse]:
        job_id = (await self.accepted())["job_id"]
        async with aclosing(follow(self._connection, job_id)) as events:
            async for event in events:
                yield event

    async def result(self) -> FinishedJob:
        """The job, once it has succeeded. Raises JobFailedError, AtelierError, NoAnswerError."""
        async for _ in self:
            pass
        return await _finished(self._connection, (await self.accepted())["job_id"])

    async def cancel(self) -> None:
        """Cancels the job; its credits are given back. A job that has ended does not change: the answer is
        409 JOB_ALREADY_FINISHED.
        """
        await _cancel(self._connection, (await self.accepted())["job_id"])

    async def __aenter__(self) -> AsyncRun:
        try:
            await self.accepted()
        except asyncio.CancelledError as error:
            await self.__aexit__(type(error), error, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with suppress(AtelierError, NoAnswerError):
                await self.cancel()
