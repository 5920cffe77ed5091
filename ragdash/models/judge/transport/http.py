"""One request and what came back: the only place that touches the network."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from html import escape
from urllib.parse import urlsplit

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.plan import Patience
from ragdash.models.judge.transport.protocols import headers
from ragdash.models.judge.transport.response_status import MAX_ERROR_LENGTH, HttpResponse

LARGEST = 16 << 20  # bytes of a reply
HIDDEN, SHORTEST = "[key]", 8
Post = Callable[[bytes], HttpResponse]
Send = Callable[..., HttpResponse]
"""(method, url, body, more headers) -> what came back."""


def poster(endpoint: Endpoint, patience: Patience) -> Post:
    """A function that posts a body to the endpoint, as `sender`."""
    send, url = sender(endpoint, patience), endpoint.url
    return lambda body: send("POST", url, body)


def sender(endpoint: Endpoint, patience: Patience, largest: int = LARGEST) -> Send:
    """A function that sends a request to the endpoint's host and never raises for what the network does; threads may
    share it. largest: bytes of a reply.

    The key is taken out of everything that comes back. Raises InputError where `requests` is not installed, the key is
    not there, or the host may not be called.
    """
    try:
        import requests
        from urllib3.exceptions import HTTPError, ReadTimeoutError

        from ragdash.models.judge.transport.guarded_connections import GuardedAdapter
    except ImportError:
        raise InputError([Problem("not-installed")]) from None
    endpoint.check_allowed()
    secret = endpoint.secret()
    request_headers, local = headers(endpoint, secret), threading.local()
    late, broken = (requests.exceptions.Timeout, ReadTimeoutError), (requests.exceptions.RequestException, HTTPError)

    def session() -> requests.Session:
        if not hasattr(local, "session"):
            local.session = requests.Session()
            local.session.trust_env = not endpoint.local  # proxies
            adapter = GuardedAdapter(endpoint.allows_address, patience.reply)
            local.deadline = adapter.deadline
            for scheme in ("http://", "https://"):
                local.session.mount(scheme, adapter)
            local.session.auth = lambda request: request  # none of ~/.netrc
            local.session.get_redirect_target = lambda response: None  # else it reads one that it never follows
        return local.session

    def send(method: str, url: str, body: bytes | None = None, more: Mapping[str, str] | None = None) -> HttpResponse:
        try:
            with session().request(
                method,
                url,
                data=body,
                headers={**request_headers, **(more or {})},
                timeout=(patience.connect, patience.reply),
                stream=True,
                allow_redirects=False,
            ) as response:
                content = _content(response.raw, largest)
                if local.deadline.passed:
                    raise TimeoutError("a reply that does not end")
                return HttpResponse(response.status_code, _redact_bytes(content, secret),
                              {name.lower(): redact(value, secret) for name, value in response.headers.items()})
        except requests.exceptions.ConnectTimeout as error:
            return _failed("unreachable", error, secret, sent=False)
        except (*late, TimeoutError) as error:
            return _failed("timeout", error, secret)
        except broken as error:
            if local.deadline.passed:
                return _failed("timeout", TimeoutError("a reply that does not end"), secret)
            refused = "NewConnectionError" in repr(error) or "NameResolutionError" in repr(error)
            return _failed("unreachable", _nobody(url, repr(error)) or error, secret, sent=not refused)
        finally:
            local.deadline.stop()

    return send


def _content(raw, largest: int) -> bytes:
    """The body of a response; what is too large is cut."""
    pieces, size = [], 0
    while piece := raw.read1(1 << 16, decode_content=True):
        pieces.append(piece)
        size += len(piece)
        if size > largest:
            break
    return b"".join(pieces)


def _nobody(url: str, words: str) -> Exception | None:
    """That no server is at an address, and what to do; None where the error says something else.

    Examples
    --------
    >>> print(_nobody("http://localhost:11434/v1", "[Errno 111] Connection refused"))
    nothing listens at localhost:11434: start the server, or correct the base URL
    """
    host = urlsplit(url).netloc.rpartition("@")[2]
    if "Connection refused" in words:
        return ConnectionError(f"nothing listens at {host}: start the server, or correct the base URL")
    if "NameResolutionError" in words:
        return ConnectionError(f"no host is found for {host}: correct the base URL")
    return None


def _failed(reason: str, error: Exception, secret: str | None, sent: bool = True) -> HttpResponse:
    return HttpResponse(
        0,
        failure=reason,
        words=shorten(redact(str(error) or type(error).__name__, secret), MAX_ERROR_LENGTH),
        sent=sent,
    )


def _redact_bytes(content: bytes, secret: str | None) -> bytes:
    pattern = _pattern(secret)
    return re.sub(pattern.encode(), HIDDEN.encode(), content) if pattern else content


def redact(text: str, secret: str | None) -> str:
    """The text without the key.

    Examples
    --------
    >>> redact(r"no key sk-ab\\u002Bcd%3d, sk-ab&#43;cd=", "sk-ab+cd=")
    'no key [key], [key]'
    """
    pattern = _pattern(secret)
    return re.sub(pattern, HIDDEN, text) if pattern else text


def _pattern(secret: str | None) -> str:
    """What finds the key as it may come back; "" for none. What is shorter is a word such as "ollama"."""
    return "".join(map(_spellings, secret)) if secret is not None and len(secret) >= SHORTEST else ""


def _spellings(character: str) -> str:
    """What finds a character of the key: as it is, or as JSON, an address or HTML writes it, once or twice."""
    if character.isalnum():
        return character
    number, plain = ord(character), re.escape(character)
    names = "|".join(filter(None, (rf"#0{{0,4}}{number}", rf"#x0{{0,4}}{number:x}", escape(character)[1:-1])))
    return rf"(?:\\{{0,4}}{plain}|(?i:\\{{1,4}}u{number:04x}|%(?:25){{0,2}}{number:02x}|&(?:amp;){{0,2}}(?:{names});))"
