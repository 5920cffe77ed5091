"""Engines: work in this process, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "engine-unused/evidence": Message(
        actual="--engine {engine} with evidence by {how}, which compares no texts",
        expected="a similarity that is computed here: partial, sequence or tokens",
        fix="Leave --engine out. For similarity by embedding give it to: ragdash score --match-how embedding.",
    ),
    "engine-unused/id": Message(
        actual="--engine {engine}, and documents matched by their ids",
        expected="--match evidence",
        fix="Leave --engine out: an evaluation takes less time than reading the files.",
    ),
    "engine-unused/judge": Message(
        actual="--engine {engine} with {option}",
        expected="one of the two",
        fix="Leave --engine out: a batch is read and written by this process.",
    ),
    "no-ray-cluster": Message(
        actual="no address of a Ray cluster{address:? but {address!r}}",
        expected="RAY_ADDRESS: auto on a machine of the cluster, or host:port of its head",
        fix="Set RAY_ADDRESS=auto there, or submit the command: ray job submit --address http://HEAD:8265 -- ragdash "
            "... --engine ray. One machine alone needs no Ray: leave --engine out.",
    ),
    "ray-failed": Message(
        actual="an error of Ray: {reason}",
        expected="a result of every shard",
        fix="See the logs of the cluster. What is done is kept; the same command goes on from there.",
    ),
    "ray-gone": Message(
        actual="no answer of the Ray cluster at {address} for {seconds:.0f} s",
        expected="its head, and Ray on this machine",
        fix="Start the cluster again. What is done is kept; the same command goes on from there.",
    ),
    "ray-no-module": Message(
        actual="a package that a machine of the Ray cluster lacks: {reason}",
        expected="the packages of this machine",
        fix="Install the same version of ragdash, with its extras, on all machines, then start the cluster again.",
    ),
    "ray-no-room": Message(
        actual="no machine of the Ray cluster with {cores:g} cores{gpus:? and {gpus:g} GPU} for {seconds:.0f} s",
        expected="at least one",
        fix="Ask for fewer threads of a model with RAGDASH_THREADS, or add a machine.",
    ),
    "ray-no-model": Message(
        actual="no model at {path} on {host}, a machine of the Ray cluster",
        expected="the model in the same folder on every machine",
        fix="Copy it there, or name a folder that all machines mount.",
    ),
    "ray-not-installed": Message(
        actual="no package ray",
        expected="the one that the cluster runs",
        fix='pip install "ragdash[ray]", in the version of the cluster.',
    ),
    "ray-other-model": Message(
        actual="another model at {path} on {host}, a machine of the Ray cluster: its files differ",
        expected="the same files on every machine",
        fix="Copy the folder there again.",
    ),
    "ray-other-version": Message(
        actual="ragdash {other} on {host}, a machine of the Ray cluster",
        expected="{version}, as here",
        fix="Install the same version of ragdash on all machines, then start the cluster again.",
    ),
    "ray-unreachable": Message(
        actual="no connection with the Ray cluster at {address}: {reason}",
        expected="a running cluster that this machine is part of, with the same Ray and Python",
        fix="Look with: ray status. From elsewhere submit the command: ray job submit --address http://HEAD:8265 -- "
            "ragdash ... --engine ray.",
    ),
    "ray-worker-lost": Message(
        actual="a shard whose worker was killed {tries:count time}: {reason}",
        expected="workers that live until the shard is done",
        fix="The usual reason is memory: allow fewer workers on each machine. What is done is kept; the same command "
            "goes on from there.",
    ),
    "unknown-engine": Message(
        actual="{engine!r}",
        expected="{engines:or}",
        fix="Leave --engine out to work on this machine.",
    ),
    "wrong-ray-address/client": Message(
        actual="{address}: the address of a Ray client",
        expected="a connection from a machine of the cluster",
        fix="Ray advises against its client. Set RAY_ADDRESS=auto on a machine of the cluster, or submit the command: "
            "ray job submit --address http://HEAD:8265 -- ragdash ... --engine ray.",
    ),
    "wrong-ray-address/jobs": Message(
        actual="{address}: the address where jobs are submitted",
        expected="auto, or host:port of the head of the cluster",
        fix="Submit the command: ray job submit --address {address} -- ragdash ... --engine ray.",
    ),
}
