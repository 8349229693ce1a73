"""Messages that the service really sent, and what is made of them on the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple

import pytest
from atelier import Atelier, WebhookVerificationError, verify_webhook


class Delivery(NamedTuple):
    body: bytes
    headers: Any


@contextmanager
def endpoint() -> Iterator[tuple[str, Queue[Delivery]]]:
    arrived: Queue[Delivery] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            arrived.put(Delivery(self.rfile.read(length), self.headers))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """The tests look at what arrived."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", arrived
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def sent(url: str, test_key: str) -> Iterator[tuple[Delivery, Delivery, str, str]]:
    """A message, one from after a rotation of the secret, and both secrets."""
    client = Atelier(base_url=url, api_key=test_key)
    with endpoint() as (address, arrived):
        webhook = client.post("/v1/webhooks", {"url": address, "events": ["job.failed"]})
        public_id = webhook["public_id"]
        client.post("/v1/webhooks/{public_id}/test", public_id=public_id)
        first = arrived.get(timeout=60)
        rotated = client.post("/v1/webhooks/{public_id}/rotate-secret", {}, public_id=public_id)
        client.post("/v1/webhooks/{public_id}/test", public_id=public_id)
        yield first, arrived.get(timeout=60), webhook["secret"], rotated["secret"]
        client.delete("/v1/webhooks/{public_id}", public_id=public_id)


def test_verifies_what_the_service_signed(sent: tuple[Delivery, Delivery, str, str]) -> None:
    first, rotated, secret, new_secret = sent
    message = verify_webhook(first.body, first.headers, secret)
    assert message["type"] == "webhook.test"
    assert verify_webhook(first.body.decode(), dict(first.headers.items()), secret) == message
    for either in (secret, new_secret):
        assert verify_webhook(rotated.body, rotated.headers, either)["type"] == "webhook.test"


def test_refuses_every_other_message(
    sent: tuple[Delivery, Delivery, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _, secret, new_secret = sent
    headers = {name.lower(): value for name, value in first.headers.items()}

    def refused(why: str, body: bytes = first.body, secret: str = secret, **changed: str) -> None:
        given = {**headers, **{f"webhook-{name}": value for name, value in changed.items()}}
        with pytest.raises(WebhookVerificationError, match=why):
            verify_webhook(body, given, secret)

    refused("no signature fits", body=first.body.replace(b"webhook.test", b"job.succeeded"))
    refused("no signature fits", secret=new_secret)
    refused("no signature fits", id="msg_other")
    refused("no signature fits", signature="v1,aGVsbG8= v2,é")
    refused("no signature fits", signature=headers["webhook-signature"].replace("v1,", "v2,"))
    refused("not base64", secret="whsec_ä")
    refused("missing", signature="")
    refused("not a number", timestamp="soon")
    refused("not a number", timestamp="9" * 5_000)
    for offset in (-400, 400):
        now = time.time() + offset
        monkeypatch.setattr(time, "time", lambda: now)
        refused("too far from ours")
        monkeypatch.undo()
