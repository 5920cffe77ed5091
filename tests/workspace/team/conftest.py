"""One PostgreSQL server and one S3 server for all tests of shared workspaces."""

from __future__ import annotations

import itertools
import os

import pytest
import team_services

_numbers = itertools.count(1)


def pytest_collection_modifyitems(items):
    """Mark as slow what needs servers; skip what cannot run here, with a line that says what is missing."""
    lacking = team_services.missing()
    for item in items:
        if "/team/" in str(item.path):
            item.add_marker(pytest.mark.slow)
            if lacking:
                item.add_marker(pytest.mark.skip(reason=lacking))


@pytest.fixture(scope="session")
def postgres():
    from ragdash.core.storage.postgres.database import Database

    server = team_services.Postgres()
    server.sql(f"create role locked login password '{team_services.PASSWORD}'")  # of the only user with a password
    Database(server.url.replace("postgresql:", "postgresql+psycopg:"), "test").upgrade()
    yield server
    server.close()


@pytest.fixture(scope="session")
def s3():
    """The client of boto3, with the environment that obstore reads."""
    import boto3

    with team_services.s3_server() as endpoint, pytest.MonkeyPatch.context() as patch:
        for name, value in {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "key", "AWS_REGION": "us-east-1",
                            "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}.items():
            patch.setenv(name, value)
        yield boto3.client("s3", endpoint_url=endpoint)


@pytest.fixture
def project():
    """The name of a project that no other test uses."""
    return f"test-{os.getpid()}-{next(_numbers)}"
