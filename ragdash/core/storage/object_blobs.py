"""Blobs in an object store: S3 and what speaks its protocol, Google Cloud Storage, Azure. Needs `ragdash[team]`."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import obstore
from obstore import exceptions
from obstore.store import from_url

from ragdash.core.errors import InputError, Problem

_TAKEN = (exceptions.AlreadyExistsError, exceptions.PreconditionError)
_MISSING = (FileNotFoundError, exceptions.NotFoundError)
_RIGHTS = (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError)
RETRY: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=20),
              "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=3), "base": 2}}
_ANSWER = re.compile(r"<Code>(\w+)</Code>(?:\s*<Message>([^<]*)</Message>)?")  # of S3 and Azure
_OF_KEYS = re.compile("Expired|Token|AccessKey|Signature|Credential|Denied|Forbidden|Auth|Skewed")
AT_ONCE = 1_000  # names in one request to delete
CLIENT: Any = {"connect_timeout": "5s", "timeout": "120s"}


class ObjectBlobs:
    """Blobs below a prefix of a bucket. Keys, regions and endpoints come from the usual variables of the environment.

    Parameters
    ----------
    url
        s3://bucket/prefix, gs://bucket/prefix or az://container/prefix.
    retry
        How often a request is tried again, as obstore takes it.
    """

    def __init__(self, url: str, retry: Any = None):
        self._location = url.rstrip("/")
        client = {**CLIENT, **({"allow_http": True} if _is_plain_endpoint() else {})}
        try:
            self._store: Any = from_url(self._location, client_options=client, retry_config=retry or RETRY)
        except (exceptions.BaseError, ValueError) as error:
            raise self._unusable(error) from None

    @property
    def location(self) -> str:
        """The address, which has no key in it."""
        return self._location

    def put(self, name: str, content: bytes) -> None:
        """Keep a content, whole or not at all. Raises FileExistsError where the name is taken."""
        try:
            obstore.put(self._store, name, content, mode="create", use_multipart=False)
        except _TAKEN:
            raise FileExistsError(f"{self._location}/{name}") from None
        except _MISSING as error:
            raise self._unusable(error, "bucket") from None
        except (exceptions.BaseError, OSError) as error:
            raise self._unusable(error) from None

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none."""
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except _MISSING:
            raise FileNotFoundError(f"{self._location}/{name}") from None
        except (exceptions.BaseError, OSError) as error:
            raise self._unusable(error) from None

    def delete(self, names: Iterable[str]) -> None:
        """Delete contents; a name that is not there is ignored."""
        listed = list(names)
        for some in (listed[start:start + AT_ONCE] for start in range(0, len(listed), AT_ONCE)):
            try:
                obstore.delete(self._store, some)
            except _MISSING:
                if len(some) > 1:  # a store that ends there
                    for name in some:
                        self.delete([name])
            except (exceptions.BaseError, OSError) as error:
                raise self._unusable(error) from None

    def names(self, folder: str) -> list[str]:
        """The names below a folder, a request for each thousand."""
        try:
            return sorted(entry["path"] for entries in obstore.list(self._store, folder) for entry in entries)
        except (exceptions.BaseError, OSError) as error:
            raise self._unusable(error) from None

    def check(self) -> None:
        """Raise InputError unless a content can be written, read and deleted."""
        name = f"check/{secrets.token_hex(8)}"
        self.put(name, b"ragdash")
        self.get(name)
        self.delete([name])

    def _unusable(self, error: Exception, kind: str = "") -> InputError:
        text = " ".join(str(error).split())
        answer = _ANSWER.search(text)
        if answer:
            text = ": ".join(filter(None, answer.groups()))
        if isinstance(error, (*_RIGHTS, PermissionError)) or (answer and _OF_KEYS.search(answer[1])):
            kind = kind or "rights"
        text = re.sub(r"\?\S+", "", text)  # a query may hold a signature
        text = re.sub(r"Error performing (\w+) \S+ in [^-]*? - ", r"\1: ", text.partition(" Debug source")[0])
        text = re.sub(r"https?://\S+", "", text)  # an address is internal
        return InputError([Problem(f"unusable-blobs/{kind}" if kind else "unusable-blobs", {"reason": text[:200]},
                                   self._location)])


def _is_plain_endpoint() -> bool:
    """Whether the endpoint of the environment is one without encryption, as of a store in the same network."""
    return os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
