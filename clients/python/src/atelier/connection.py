"""How a request reaches the service: what is sent again, and when."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from .errors import AtelierError, NoAnswerError, error_of
from .transport import LOST, Answer, Transport

LONGEST_PAUSE_SECONDS = 30.0

ANSWER_SECONDS = 90.0
"""The service holds back no answer for longer than a minute."""

PASSING = {408, 429, 500, 502, 503, 504}


@dataclass(frozen=True)
class Connection:
    base_url: str
    api_key: str = field(repr=False)
    retries: int
    """How many times a repeatable request is sent again."""
    transport: Transport


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    repeatable: bool
    """Whether sending it twice has the same effect as sending it once. If not, it is only sent again when the
    first attempt certainly had no effect.
    """
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


def backoff_seconds(attempt: int) -> float:
    """Half of the pause is random, so that clients that lost their connection together do not all return at
    once.
    """
    whole = min(0.25 * 2.0 ** min(attempt, 20), LONGEST_PAUSE_SECONDS)
    return whole / 2 + random.random() * whole / 2


def pause_seconds(error: AtelierError | NoAnswerError, attempt: int) -> float:
    """No shorter than the service asked for."""
    asked_for = error.retry_after_seconds if isinstance(error, AtelierError) else None
    return max(asked_for or 0.0, backoff_seconds(attempt))


def json_body(value: Any) -> bytes | None:
    return None if value is None else json.dumps(value, ensure_ascii=False).encode()


async def read_whole(answer: Answer) -> bytes:
    parts = []
    while part := await answer.read_some():
        parts.append(part)
    return b"".join(parts)


def _url(base_url: str, request: Request) -> str:
    query = urlencode(
        [
            (name, str(each).lower() if isinstance(each, bool) else str(each))
            for name, value in request.query.items()
            for each in (value if isinstance(value, (list, tuple)) else [value])
            if each is not None
        ]
    )
    return base_url.rstrip("/") + request.path + (f"?{query}" if query else "")


def may_be_repeated(error: AtelierError | NoAnswerError, repeatable: bool) -> bool:
    if isinstance(error, NoAnswerError):
        return repeatable
    # A 429: the service refused the request before it had any effect.
    return error.status == 429 or (
        repeatable and (error.status in PASSING or error.code == "IDEMPOTENCY_KEY_IN_USE")
    )


async def open_answer(connection: Connection, request: Request, silence_seconds: float) -> Answer:
    """Sends a request once, and returns a successful answer whose body is still to be read.

    Raises AtelierError and NoAnswerError.
    """
    url = _url(connection.base_url, request)
    headers = {"authorization": f"Bearer {connection.api_key}"}
    if request.body is not None:
        headers["content-type"] = "application/json"
    headers |= {name.lower(): value for name, value in request.headers.items()}
    try:
        answer = await connection.transport.request(
            request.method, url, headers, request.body, silence_seconds
        )
        if 200 <= answer.status < 300:
            return answer
        try:
            body = await read_whole(answer)
        finally:
            await answer.close()
    except LOST as cause:
        raise NoAnswerError(f"{request.method} {url} was not answered: {cause!r}") from cause
    raise error_of(url, answer.status, answer.headers, body)


async def _read_once(connection: Connection, request: Request) -> Any:
    answer = await open_answer(connection, request, ANSWER_SECONDS)
    try:
        body = await read_whole(answer)
    except LOST as cause:
        raise NoAnswerError(f"{request.method} {request.path}: half an answer came: {cause!r}") from cause
    finally:
        await answer.close()
    if answer.status == 204:
        return None
    try:
        return json.loads(body)
    except ValueError as cause:
        # `http.client` takes a head that was cut off for a whole one.
        if not body:
            raise NoAnswerError(f"{request.method} {request.path}: no answer came") from cause
        raise error_of(_url(connection.base_url, request), answer.status, answer.headers, body) from cause


async def ask(connection: Connection, request: Request) -> Any:
    """Repeats a request until it gets an answer, and returns the JSON of a successful one.

    openapi.json describes its form. Raises AtelierError when the service refuses, NoAnswerError when no
    answer came.
    """
    attempt = 0
    while True:
        try:
            return await _read_once(connection, request)
        except (AtelierError, NoAnswerError) as error:
            if attempt >= connection.retries or not may_be_repeated(error, request.repeatable):
                raise
            seconds = pause_seconds(error, attempt)
        await connection.transport.sleep(seconds)
        attempt += 1
