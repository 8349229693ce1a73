"""The client on asyncio, with the real service."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from atelier import AsyncAtelier, Atelier, AtelierError
from atelier.openapi import ModelGeneratorBody
from eventually import eventually
from tcp_proxy import CUTS, TcpProxy

JUMPER = Path(__file__).parents[3] / "assets" / "samples" / "jumper.jpg"
CASTING: ModelGeneratorBody = {"gender": "MALE", "age_range": "30-34"}


def balance(client: Atelier) -> int:
    return client.get("/v1/credits")["balance"]


def test_orders_several_at_once_each_with_its_pictures(url: str, key: str) -> None:
    client = AsyncAtelier(base_url=url, api_key=key)

    async def order() -> None:
        runs = [
            client.run("model-generator", CASTING),
            client.run("product-to-model-direct", {"product_image_s3_key": JUMPER}),
        ]
        jobs = await asyncio.gather(*(run.result() for run in runs))
        assert jobs[0]["public_id"] != jobs[1]["public_id"]
        assert [len(job["pictures"]) for job in jobs] == [1, 1]
        again = await runs[0].result()
        assert again["public_id"] == jobs[0]["public_id"]

    asyncio.run(order())


def test_is_cut_off_again_and_again_charges_once_and_tells_each_event_once(
    client: Atelier, key: str, proxy: TcpProxy
) -> None:
    impatient = AsyncAtelier(base_url=proxy.url, api_key=key, retries=20)
    before = balance(client)

    async def order() -> None:
        run = impatient.run("model-generator", CASTING)
        seqs = [event["seq"] async for event in run]
        assert seqs == sorted(set(seqs))
        assert len((await run.result())["pictures"]) == 1

    proxy.cut_answers(CUTS)
    asyncio.run(order())
    assert balance(client) == before - 5
    assert proxy.cuts >= 6


@pytest.mark.parametrize("answered", [True, False])
def test_cancels_the_job_when_its_task_is_cancelled(
    url: str, test_key: str, proxy: TcpProxy, answered: bool
) -> None:
    watching = Atelier(base_url=url, api_key=test_key)
    before = balance(watching)
    known = watching.get("/v1/jobs")["total"]

    async def order() -> None:
        client = AsyncAtelier(base_url=proxy.url, api_key=test_key)
        run = client.run("model-generator", CASTING, headers={"X-Atelier-Test-Outcome": "timeout"})
        inside = asyncio.Event()

        async def work() -> None:
            async with run:
                inside.set()
                await run.result()

        task = asyncio.create_task(work())
        if answered:
            await inside.wait()
        await asyncio.to_thread(lambda: eventually(lambda: watching.get("/v1/jobs")["total"] > known))
        assert inside.is_set() == answered
        task.cancel()
        proxy.restore()
        with pytest.raises(asyncio.CancelledError):
            await task

    if not answered:
        proxy.hold_answers()
    asyncio.run(order())
    job = watching.get("/v1/jobs/{public_id}", public_id=watching.get("/v1/jobs")["jobs"][0]["public_id"])
    assert job["error"] and job["error"]["code"] == "CANCELLED"
    assert balance(watching) == before


def test_speaks_each_method_and_raises_refusals(url: str, key: str) -> None:
    client = AsyncAtelier(base_url=url, api_key=key)

    async def speak() -> None:
        webhook = await client.post(
            "/v1/webhooks", {"url": "https://shop.example/hook", "events": ["job.failed"]}
        )
        public_id = webhook["public_id"]
        changed = await client.patch("/v1/webhooks/{public_id}", {"enabled": False}, public_id=public_id)
        assert changed["enabled"] is False
        await client.delete("/v1/webhooks/{public_id}", public_id=public_id)
        with pytest.raises(AtelierError) as gone:
            await client.get("/v1/webhooks/{public_id}", public_id=public_id)
        assert gone.value.code == "RESOURCE_NOT_FOUND"
        assert (await client.quote("model-generator", CASTING))["credits_cost"] == 5
        upload = await client.upload(JUMPER)
        found = await client.get("/v1/uploads/{public_id}", public_id=upload["asset_id"])
        assert found["asset_id"] == upload["asset_id"]
        ids = [job["public_id"] async for job in client.list("/v1/jobs", status="SUCCESS")]
        assert len(ids) == len(set(ids)) > 0

    asyncio.run(speak())
