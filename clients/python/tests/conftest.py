"""The tests run against a real service. Its address and keys come from the environment, as
`test/clients/python-client.e2e-spec.ts` sets them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from atelier import Atelier
from tcp_proxy import TcpProxy


@pytest.fixture(scope="session")
def url() -> str:
    return os.environ["ATELIER_URL"]


@pytest.fixture(scope="session")
def key() -> str:
    return os.environ["ATELIER_KEY"]


@pytest.fixture(scope="session")
def test_key() -> str:
    """A key of the test environment, where a header decides how a job ends."""
    return os.environ["ATELIER_TEST_KEY"]


@pytest.fixture(scope="session")
def client(url: str, key: str) -> Atelier:
    return Atelier(base_url=url, api_key=key)


@pytest.fixture
def proxy(url: str) -> Iterator[TcpProxy]:
    with TcpProxy(urlsplit(url).port or 80) as proxy:
        yield proxy
