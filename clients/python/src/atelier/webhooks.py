"""Messages to your endpoints, verified as Standard Webhooks describes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable
from typing import Any, Protocol

from .openapi import WebhookMessage


class WebhookVerificationError(Exception):
    """The service did not sign the request, or signed it too long ago."""


class Headers(Protocol):
    """A dict, or the headers of a request in any framework."""

    def items(self) -> Iterable[tuple[str, Any]]: ...


def verify_webhook(
    body: bytes | str, headers: Headers, secret: str, *, tolerance_seconds: float = 300
) -> WebhookMessage:
    """The message in a request to your endpoint, after its signature is verified.

    body: exactly as it arrived; parsing and writing it again changes the text.
    secret: `whsec_…`, from the answer to the endpoint's registration or to its last rotation.
    tolerance_seconds: the largest allowed difference between the request's time and ours. It stops replayed
    requests.

    Raises WebhookVerificationError.
    """
    given = {name.lower(): str(value) for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    message_id, timestamp, signatures = (given.get(name) for name in names)
    if not message_id or not timestamp or not signatures:
        raise WebhookVerificationError("the headers of a webhook are missing")
    if not re.fullmatch("[0-9]{1,15}", timestamp):
        raise WebhookVerificationError("its time is not a number")
    if abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("its time is too far from ours")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{timestamp}.".encode() + content
    expected = hmac.new(_key_of(secret), signed, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(expected)
    if not any(hmac.compare_digest(wanted, each.encode()) for each in signatures.split(" ")):
        raise WebhookVerificationError("no signature fits: is this the secret of the endpoint?")
    message: WebhookMessage = json.loads(content)
    return message


def _key_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError as cause:
        raise WebhookVerificationError("the secret is not base64") from cause
