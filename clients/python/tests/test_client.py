"""The client on blocking sockets, with the real service."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest
from atelier import Atelier, AtelierError, JobFailedError
from atelier.openapi import ModelGeneratorBody, TrialItem
from eventually import eventually
from tcp_proxy import CUTS, TcpProxy

SAMPLES = Path(__file__).parents[3] / "assets" / "samples"
CASTING: ModelGeneratorBody = {"gender": "FEMALE", "ethnicity": "east_african", "age_range": "26-30"}


def balance(client: Atelier) -> int:
    return client.get("/v1/credits")["balance"]


def test_uploads_what_stands_where_a_picture_is_taken_and_tells_the_stages(client: Atelier) -> None:
    model = client.run("model-generator", CASTING).result()
    jumper = SAMPLES / "jumper.jpg"
    with jumper.open("rb") as opened:
        run = client.run(
            "look",
            {
                "model_image_public_id": model["public_id"],
                "items": [
                    {"trial_image": SAMPLES / "jacket.jpg", "trial_item_category": "outerwear"},
                    {"trial_image": jumper.read_bytes(), "trial_item_category": "top"},
                    {"trial_image": opened, "trial_item_category": "top"},
                ],
            },
        )
    types = [event["event_type"] for event in run]
    assert types == ["queued", *["stage"] * (len(types) - 2), "succeeded"]
    job = run.result()
    assert job["credits_cost"] == run.accepted["credits_cost"]
    with urllib.request.urlopen(job["pictures"][0]["image_url"]) as picture:
        assert picture.read().startswith(b"\x89PNG")


def test_uploads_a_file_once_that_a_body_names_twice(client: Atelier) -> None:
    jumper = SAMPLES / "jumper.jpg"
    item: TrialItem = {"trial_image": jumper, "trial_item_category": "top"}

    def uploads() -> int:
        return sum(row["endpoint"] == "/v1/uploads" for row in client.list("/v1/usage"))

    before = uploads()
    with pytest.raises(AtelierError) as refused:
        client.run("look", {"model_image_public_id": "01K9Z7J0V4M2Q8T6R3N5B1C7DE", "items": [item, item]})
    assert refused.value.code == "RESOURCE_NOT_FOUND"
    request_id = refused.value.request_id
    assert eventually(lambda: any(row["request_id"] == request_id for row in client.list("/v1/usage")))
    assert uploads() == before + 1


def test_says_before_what_it_would_cost_and_charges_nothing_for_that(client: Atelier) -> None:
    before = balance(client)
    quote = client.quote("model-generator", CASTING)
    assert (quote["credits_cost"], quote["would_be_accepted"]) == (5, True)
    assert balance(client) == before


def test_is_cut_off_again_and_again_charges_once_and_tells_each_event_once(
    client: Atelier, key: str, proxy: TcpProxy
) -> None:
    impatient = Atelier(base_url=proxy.url, api_key=key, retries=20)
    before = balance(client)
    proxy.cut_answers(CUTS)
    run = impatient.run("model-generator", CASTING)
    events = list(run)
    assert events[-1]["event_type"] == "succeeded"
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))
    assert len(run.result()["pictures"]) == 1
    assert balance(client) == before - 5
    assert proxy.cuts >= 6


def test_orders_once_under_the_key_of_the_caller(client: Atelier) -> None:
    before = balance(client)
    first, second = (client.run("model-generator", CASTING, idempotency_key="python-4711") for _ in range(2))
    assert first.accepted["job_id"] == second.accepted["job_id"]
    assert balance(client) == before - 5
    assert [event["seq"] for event in client.follow(first.accepted["job_id"], since=1)][0] > 1


def test_cancels_the_job_when_its_block_is_left_by_an_exception(url: str, test_key: str) -> None:
    client = Atelier(base_url=url, api_key=test_key)
    before = balance(client)
    with pytest.raises(KeyboardInterrupt):
        with client.run("model-generator", CASTING, headers={"X-Atelier-Test-Outcome": "timeout"}) as run:
            raise KeyboardInterrupt
    job = client.get("/v1/jobs/{public_id}", public_id=run.accepted["job_id"])
    assert job["error"] and job["error"]["code"] == "CANCELLED"
    assert balance(client) == before
    with pytest.raises(JobFailedError) as failed:
        run.result()
    assert failed.value.code == "CANCELLED"


def test_speaks_each_method_with_the_parts_of_a_path(client: Atelier) -> None:
    address = "https://shop.example/hook"
    webhook = client.post("/v1/webhooks", {"url": address, "events": ["job.failed"]})
    public_id = webhook["public_id"]
    test = client.post("/v1/webhooks/{public_id}/test", public_id=public_id)

    def is_listed() -> bool:
        rows = client.list("/v1/webhooks/{public_id}/deliveries", public_id=public_id, status="pending")
        return any(row["public_id"] == test["delivery_id"] for row in rows)

    assert eventually(is_listed)
    changed = client.patch("/v1/webhooks/{public_id}", {"enabled": False}, public_id=public_id)
    assert changed["enabled"] is False
    client.delete("/v1/webhooks/{public_id}", public_id=public_id)
    with pytest.raises(AtelierError) as gone:
        client.get("/v1/webhooks/{public_id}", public_id=public_id)
    assert gone.value.code == "RESOURCE_NOT_FOUND"


def test_raises_refusals_with_their_code_request_and_fields_and_lists_page_after_page(
    client: Atelier,
) -> None:
    for _ in range(205):
        with pytest.raises(AtelierError) as refused:
            client.run("model-generator", {"age_range": "90-95"})  # type: ignore[call-overload]
    error = refused.value
    assert (error.status, error.code) == (422, "VALIDATION_ERROR")
    assert error.detail[0]["loc"] == ["body", "age_range"]
    assert error.request_id and len(error.request_id) == 26
    rows = eventually(
        lambda: [row["request_id"] for row in client.list("/v1/usage")]
        if next(client.list("/v1/usage"))["request_id"] == error.request_id
        else None
    )
    assert len(set(rows)) == len(rows) > 205


def test_says_why_a_picture_is_too_large(client: Atelier) -> None:
    with pytest.raises(AtelierError) as refused:
        client.upload(bytes(26 * 1024 * 1024))
    assert refused.value.code == "PAYLOAD_TOO_LARGE"


@pytest.mark.parametrize("name", ["base_url", "api_key"])
@pytest.mark.parametrize("value", [None, ""])
def test_says_so_when_an_environment_variable_is_forgotten(name: str, value: str | None) -> None:
    given = {"base_url": "http://127.0.0.1:1", "api_key": "sk_test_x", name: value}
    with pytest.raises(TypeError, match=f"{name} is .*: is the environment variable set"):
        Atelier(**given)  # type: ignore[arg-type]
