"""Calls that an engine makes: by this process, or by workers of a cluster, each its own key."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragdash.models.engines import LOCAL, Engine, Task, WorkerLost
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.plan import Patience
from ragdash.models.judge.transport.http import Post, poster
from ragdash.models.judge.transport.litellm_calls import litellm_poster
from ragdash.models.judge.transport.response_status import HttpResponse

CORES = 0.05  # of a call, which waits


@dataclass
class Call:
    """Posts a body to the endpoint. The key is read from the environment of the machine that makes the call."""

    endpoint: Endpoint
    patience: Patience
    _post: Post | None = None

    def __call__(self, body: bytes) -> HttpResponse:
        """What came back."""
        if self._post is None:
            self._post = direct_poster(self.endpoint, self.patience)
        return self._post(body)

    def __getstate__(self) -> dict:
        return {"endpoint": replace(self.endpoint, key=None), "patience": self.patience, "_post": None}


def direct_poster(endpoint: Endpoint, patience: Patience) -> Post:
    """A function that posts from this process."""
    return (litellm_poster if endpoint.kind == "litellm" else poster)(endpoint, patience)


def engine_poster(engine: Engine, endpoint: Endpoint, patience: Patience) -> Post:
    """A function that posts by the engine. InputError as `poster`, on a cluster with the first call.

    A call is never made twice by the engine: where its worker was killed, it counts as sent and may have been paid.
    """
    if engine.name == LOCAL.name:
        return direct_poster(endpoint, patience)
    endpoint.check_allowed()
    task = Task(Call(endpoint, patience), cores=CORES, repeatable=False)

    def post(body: bytes) -> HttpResponse:
        try:
            return next(engine.map(task, [body]))
        except WorkerLost as lost:
            return HttpResponse(0, failure="unreachable", words=lost.problems[0].actual)

    return post
