"""The errors that a call can raise."""

from __future__ import annotations

import json
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Literal, cast

from .openapi import ErrorCode, ErrorDetail, ErrorEnvelope, JobDetailResponse, JobErrorCode


class AtelierError(Exception):
    """The service refused. Branch on `code`. The text says what to do and whether credits were charged."""

    def __init__(
        self,
        status: int,
        code: ErrorCode | Literal["UNEXPECTED_ANSWER"],
        message: str,
        request_id: str | None = None,
        detail: list[ErrorDetail] | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id
        """Quote it when you contact the operator."""
        self.detail = detail or []
        """For a 422: each field that is wrong."""
        self.retry_after_seconds = retry_after_seconds
        """How long to wait before the next try, if the service says so."""


class NoAnswerError(ConnectionError):
    """No answer came, even after all retries. The dispatch may still have happened: repeat it with the
    same `idempotency_key` to find out.
    """


class JobFailedError(Exception):
    """The job ended without a picture. Its credits were given back."""

    def __init__(self, job: JobDetailResponse) -> None:
        error = job["error"]
        super().__init__(error["message"] if error else f"The job {job['public_id']} failed.")
        self.job = job

    @property
    def code(self) -> JobErrorCode | None:
        error = self.job["error"]
        return error["code"] if error else None


def error_of(url: str, status: int, headers: Message, body: bytes) -> AtelierError:
    """The error in an unsuccessful answer."""
    pause = _pause_asked_for(headers.get("retry-after"))
    envelope = _envelope_of(body)
    if envelope:
        error = envelope["error"]
        detail = envelope.get("detail")
        return AtelierError(status, error["code"], error["message"], error["request_id"], detail, pause)
    # A proxy in between answers in its own form.
    message = f"{url} answered {status}: {body[:200].decode(errors='replace')}"
    return AtelierError(status, "UNEXPECTED_ANSWER", message, headers.get("x-request-id"), None, pause)


def _pause_asked_for(retry_after: str | None) -> float | None:
    """The service gives seconds; a proxy may give a time."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None


def _envelope_of(body: bytes) -> ErrorEnvelope | None:
    try:
        parsed = json.loads(body)
    except ValueError:
        return None
    error = parsed.get("error") if isinstance(parsed, dict) else None
    # JSON that has an `error` with a code comes from the service: nothing else answers in that form.
    known = isinstance(error, dict) and isinstance(error.get("code"), str)
    return cast(ErrorEnvelope, parsed) if known else None
