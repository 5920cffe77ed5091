"""Which hosts a judge may be called at, so that a shared server is not used to reach its own network."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

from ragdash.core.errors import InputError, Problem

PUBLIC = "public"  # in a list of hosts: every host on the internet
VARIABLE = "RAGDASH_JUDGE_HOSTS"
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s/\\?#@*:\[\]]+)(:(?P<port>[0-9]{1,5}))?")  # or an IPv6 address alone


@dataclass(frozen=True)
class AllowedHosts:
    """Hosts that may be called.

    Parameters
    ----------
    hosts
        Names or addresses in lower case, each with its port where only that port may be called.
    public
        Whether every host on the internet may be called as well.

    Examples
    --------
    >>> allowed = AllowedHosts.parse("public, llm.example.org:8000, localhost")
    >>> allowed.public, sorted(allowed.hosts)
    (True, ['llm.example.org:8000', 'localhost'])
    """

    hosts: frozenset[str]
    public: bool

    @classmethod
    def parse(cls, text: str) -> AllowedHosts:
        """The hosts of a text such as "public,localhost:11434"; InputError for what is none, such as an address."""
        words = {word.strip().casefold() for word in text.split(",")} - {""}
        wrong = sorted(word for word in words if not _is_host(word))
        if wrong:
            raise InputError([Problem("bad-judge-host", {"host": host}, field="--judge-hosts") for host in wrong])
        return cls(frozenset(words - {PUBLIC}), PUBLIC in words)

    def check(self, host: str, port: int) -> None:
        """Raise InputError unless the host may be called, by its name and by every address that the name has now."""
        addresses = _addresses(host, port)
        wrong = next((address for address in addresses if not self.allows(host, port, address)), None)
        if wrong is not None or not (addresses or self.public or self._lists(host, port)):
            facts = {"host": host, "address": wrong or "", "allowed": [*sorted(self.hosts), *[PUBLIC] * self.public]}
            raise InputError([Problem("judge-host-not-allowed", facts, field="base_url")])

    def allows(self, host: str, port: int, address: str) -> bool:
        """Whether this address of a host may be called. Link-local ones, where clouds keep credentials, never may."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        ip = getattr(ip, "ipv4_mapped", None) or ip
        if ip.is_link_local or ip.is_unspecified or ip.is_multicast:
            return False
        return self._lists(host, port) or (self.public and ip.is_global)

    def _lists(self, host: str, port: int) -> bool:
        name = host.casefold().strip("[]").rstrip(".")
        return bool(self.hosts & {name, f"[{name}]", f"{name}:{port}", f"[{name}]:{port}"})


def _is_host(word: str) -> bool:
    """Whether this is a name or an address, with a port or without."""
    try:
        return bool(ipaddress.IPv6Address(word))
    except ValueError:
        match = _HOST.fullmatch(word)
    return match is not None and 0 < int(match["port"] or 1) < 65_536


def _addresses(host: str, port: int) -> list[str]:
    """Every address of a name; none where it has none."""
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []
