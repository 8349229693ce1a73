"""The two clients, and what they share."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from .calls import AsyncCalls, Calls
from .connection import Connection, Request, ask, json_body
from .openapi import DryRunResponse, JobEventResponse, UploadResponse, WorkflowAcceptedResponse
from .pictures import PictureFile, bytes_of, with_uploads
from .run import AsyncRun, Run
from .timeline import follow
from .transport import AsyncioTransport, BlockingTransport, Transport, finish, iterate

PAGE_SIZE = 200


def _connection(base_url: str, api_key: str, retries: int, transport: Transport) -> Connection:
    for name, value in (("base_url", base_url), ("api_key", api_key)):
        if not isinstance(value, str) or not value:
            raise TypeError(f"{name} is {value!r}: is the environment variable set that it is read from?")
    if not base_url.startswith(("http://", "https://")):
        raise ValueError(f"base_url is {base_url!r}: it begins with http:// or https://")
    return Connection(base_url, api_key, retries, transport)


async def _upload(connection: Connection, file: PictureFile) -> UploadResponse:
    content = await connection.transport.from_disk(lambda: bytes_of(file))
    boundary = uuid.uuid4().hex
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="picture"\r\n'
        "content-type: application/octet-stream\r\n\r\n"
    )
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={boundary}"}
    # A repeated upload only leaves a picture that nothing refers to.
    request = Request("POST", "/v1/uploads", repeatable=True, headers=headers, body=body)
    upload: UploadResponse = await ask(connection, request)
    return upload


async def _uploaded(connection: Connection, body: Any) -> Any:
    """The body with the asset id of each file in its place."""

    async def asset_id(file: PictureFile) -> str:
        return (await _upload(connection, file))["asset_id"]

    return await with_uploads(body, asset_id)


async def _dispatch(
    connection: Connection, workflow: str, body: Any, key: str, headers: Mapping[str, str] | None
) -> WorkflowAcceptedResponse:
    accepted: WorkflowAcceptedResponse = await ask(
        connection,
        Request(
            "POST",
            f"/v1/{workflow}",
            repeatable=True,
            headers={**(headers or {}), "idempotency-key": key},
            body=json_body(await _uploaded(connection, body)),
        ),
    )
    return accepted


async def _quote(connection: Connection, workflow: str, body: Any) -> DryRunResponse:
    sent = json_body(await _uploaded(connection, body))
    request = Request("POST", f"/v1/{workflow}", repeatable=True, query={"dry_run": True}, body=sent)
    price: DryRunResponse = await ask(connection, request)
    return price


async def _call(connection: Connection, method: str, path: str, body: Any, asked: dict[str, Any]) -> Any:
    query = dict(asked)
    filled = re.sub(r"\{(\w+)\}", lambda part: quote(str(query.pop(part[1])), safe=""), path)
    repeatable = method in ("GET", "DELETE")
    sent = json_body(await _uploaded(connection, body))
    return await ask(connection, Request(method, filled, repeatable, query=query, body=sent))


async def _rows(connection: Connection, path: str, asked: dict[str, Any]) -> AsyncGenerator[Any, None]:
    start: dict[str, Any] = {}
    offset = PAGE_SIZE
    while True:
        page = await _call(connection, "GET", path, None, {**asked, **start, "limit": PAGE_SIZE})
        # The one array of the answer holds its rows.
        rows = next(value for value in page.values() if isinstance(value, list))
        for row in rows:
            yield row
        if len(rows) < PAGE_SIZE:
            return
        # A cursor avoids gaps and repeats when rows are added meanwhile. Lists without a cursor use the offset.
        cursor = page.get("next_cursor")
        start = {"cursor": cursor} if cursor else {"offset": offset}
        offset += PAGE_SIZE


class Atelier(Calls):
    """The client. Each call opens a connection of its own, so threads can share a client.

    base_url: the address of the service.
    api_key: `sk_live_…` or `sk_test_…`. Keep it on your server.
    retries: how many times a repeatable request is sent again.
    """

    def __init__(self, *, base_url: str, api_key: str, retries: int = 5) -> None:
        self._connection = _connection(base_url, api_key, retries, BlockingTransport())

    def upload(self, file: PictureFile) -> UploadResponse:
        """Keeps a picture: JPEG, PNG or WebP, at most 25 MiB. Its `asset_id` works in every picture field."""
        return finish(_upload(self._connection, file))

    def follow(self, job_id: str, *, since: int = 0) -> Iterator[JobEventResponse]:
        """The events of an earlier job, up to its last one.

        since: the `seq` of the last event that is known already.
        """
        return iterate(follow(self._connection, job_id, since))

    def _run(self, workflow: str, body: Any, key: str | None, headers: Mapping[str, str] | None) -> Run:
        dispatch = _dispatch(self._connection, workflow, body, key or str(uuid.uuid4()), headers)
        return Run(self._connection, finish(dispatch))

    def _quote(self, workflow: str, body: Any) -> DryRunResponse:
        return finish(_quote(self._connection, workflow, body))

    def _call(self, method: str, path: str, body: Any, asked: dict[str, Any]) -> Any:
        return finish(_call(self._connection, method, path, body, asked))

    def _list(self, path: str, asked: dict[str, Any]) -> Iterator[Any]:
        return iterate(_rows(self._connection, path, asked))


class AsyncAtelier(AsyncCalls):
    """The client on asyncio, with the same calls.

    base_url: the address of the service.
    api_key: `sk_live_…` or `sk_test_…`. Keep it on your server.
    retries: how many times a repeatable request is sent again.
    """

    def __init__(self, *, base_url: str, api_key: str, retries: int = 5) -> None:
        self._connection = _connection(base_url, api_key, retries, AsyncioTransport())

    async def upload(self, file: PictureFile) -> UploadResponse:
        """Keeps a picture: JPEG, PNG or WebP, at most 25 MiB. Its `asset_id` works in every picture field."""
        return await _upload(self._connection, file)

    def follow(self, job_id: str, *, since: int = 0) -> AsyncIterator[JobEventResponse]:
        """The events of an earlier job, up to its last one.

        since: the `seq` of the last event that is known already.
        """
        return follow(self._connection, job_id, since)

    def _run(
        self, workflow: str, body: Any, key: str | None, headers: Mapping[str, str] | None
    ) -> AsyncRun:
        # The key is made here, so that each await of the run finds the same job.
        chosen = key or str(uuid.uuid4())
        return AsyncRun(
            self._connection, lambda: _dispatch(self._connection, workflow, body, chosen, headers)
        )

    async def _quote(self, workflow: str, body: Any) -> DryRunResponse:
        return await _quote(self._connection, workflow, body)

    async def _call(self, method: str, path: str, body: Any, asked: dict[str, Any]) -> Any:
        return await _call(self._connection, method, path, body, asked)

    def _list(self, path: str, asked: dict[str, Any]) -> AsyncIterator[Any]:
        return _rows(self._connection, path, asked)
