"""Which hosts a judge may be called at: nothing is sent elsewhere, whatever a name resolves to."""

from __future__ import annotations

import socket

import pytest
from models.judge.asking_cases import questions

from ragdash.core.errors import InputError
from ragdash.models.judge import Endpoint, allowed_hosts
from ragdash.models.judge.allowed_hosts import AllowedHosts
from ragdash.models.judge.batch import ask

INTERNAL = ("127.0.0.1", "::1", "10.1.2.3", "192.168.0.5", "172.16.9.9", "169.254.169.254", "fe80::1", "fd00::1",
            "0.0.0.0", "::", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "100.64.0.1", "224.0.0.1")


@pytest.mark.parametrize("address", INTERNAL)
def test_public_leaves_the_internal_network_out(address):
    assert not AllowedHosts.parse("public").allows("llm.example.org", 443, address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111", "::ffff:93.184.216.34"])
def test_public_lets_the_internet_in(address):
    assert AllowedHosts.parse("public").allows("llm.example.org", 443, address)
    assert not AllowedHosts.parse("").allows("llm.example.org", 443, address)


@pytest.mark.parametrize(("listed", "host", "port", "allowed"), [
    ("localhost:11434", "localhost", 11434, True), ("localhost:11434", "localhost", 22, False),
    ("localhost", "LOCALHOST", 22, True), ("10.1.2.3:80", "10.1.2.3", 80, True), ("10.1.2.3:80", "10.1.2.4", 80, False),
    ("[::1]:80", "::1", 80, True), ("::1", "::1", 80, True), ("llm.internal", "llm.internal.", 443, True),
    ("llm.internal", "evil-llm.internal", 443, False)])
def test_a_list_names_hosts_with_or_without_a_port(listed, host, port, allowed):
    assert AllowedHosts.parse(listed).allows(host, port, "10.1.2.3") is allowed


@pytest.mark.parametrize("word", ["http://x/y", "https://llm.example.org", "x/y", "user@x", "*.example.org", "a b",
                                  "x:0", "x:99999", "x:", ":80", "x:80:90", "[::1", "x?y"])
def test_what_is_no_host_is_refused_and_not_taken_for_one_that_allows_nothing(word):
    with pytest.raises(InputError) as error:
        AllowedHosts.parse(f"public,{word}")
    assert [problem.kind for problem in error.value.problems] == ["bad-judge-host"] and word in str(error.value)


def test_an_address_where_clouds_keep_credentials_may_never_be_called():
    assert not AllowedHosts.parse("public,169.254.169.254").allows("169.254.169.254", 80, "169.254.169.254")
    assert not AllowedHosts.parse("metadata").allows("metadata", 80, "::ffff:169.254.169.254")


def test_a_host_that_is_not_allowed_is_not_asked(serve, endpoint, verdict_store, quick):
    server = serve()
    with pytest.raises(InputError) as error:
        ask(questions(3), endpoint(server, allowed=AllowedHosts.parse("public")), verdict_store, patience=quick)
    (problem,) = error.value.problems
    assert problem.kind == "judge-host-not-allowed" and "127.0.0.1" in problem.actual
    assert server.asked == []


def test_a_listed_host_is_asked(serve, endpoint, verdict_store, quick):
    server = serve()
    allowed = AllowedHosts.parse(f"127.0.0.1:{server.port}")
    assert ask(questions(3), endpoint(server, allowed=allowed), verdict_store, patience=quick).asked == 3


def test_a_name_that_leads_inside_after_the_check_is_not_sent_anything(serve, verdict_store, quick, monkeypatch):
    server = serve()
    monkeypatch.setattr(allowed_hosts, "_addresses", lambda host, port: ["93.184.216.34"])
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *more, **options: resolve("127.0.0.1", *more, **options))
    here = Endpoint(f"http://rebinding.example.org:{server.port}/v1", "toy", allowed=AllowedHosts.parse("public"))
    outcome = ask(questions(2), here, verdict_store, patience=quick)
    assert outcome.missing == {"unreachable": 2} and server.asked == []


@pytest.mark.parametrize(("allowed", "shown"), [(None, "page not found"), ("listed", "not JSON")])
def test_text_that_is_no_json_is_shown_where_every_host_is_open(serve, endpoint, verdict_store, quick,
                                                                          allowed, shown):
    server = serve("404")
    hosts = AllowedHosts.parse("127.0.0.1") if allowed else None
    problem = ask(questions(1), endpoint(server, allowed=hosts), verdict_store, patience=quick).problem
    assert shown in problem.actual and ("page not found" in problem.actual) is (allowed is None)


def test_where_nothing_listens_the_page_says_what_to_do(verdict_store, quick):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    outcome = ask(questions(1), Endpoint(f"http://127.0.0.1:{port}/v1", "toy"), verdict_store, patience=quick)
    assert outcome.missing == {"unreachable": 1}
    assert f"nothing listens at 127.0.0.1:{port}: start the server, or correct the base URL" in outcome.replies[0].note
