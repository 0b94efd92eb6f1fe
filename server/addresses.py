"""Whose a connection is, by its address: the socket's, or what the proxies in front of the server say. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

_HOUSEHOLD_BITS: Final = 64
"""An IPv6 customer has at least so many bits of addresses to himself, so they count as one."""


@dataclass(frozen=True, slots=True)
class Proxies:
    """How many proxies of ours stand between a client and us, and the header each adds the address it saw to."""

    header: str
    hops: int


def address_of(socket_host: str, forwarded: Sequence[str], hops: int) -> str:
    """Return the client's address.

    *forwarded* are the proxy header's lines, oldest first, each a list of addresses. Only our own proxies wrote the
    last *hops* of these: what a client puts before them counts for nothing. With fewer there than that, or nonsense,
    it is the socket's address.
    """
    if hops:
        told = [part.strip() for line in forwarded for part in line.split(",")]
        if len(told) >= hops:
            try:
                return _shortened(told[-hops])
            except ValueError:
                pass
    try:
        return _shortened(socket_host)
    except ValueError:
        return socket_host


def _without_port(text: str) -> str:
    """Return the address alone: some proxies write ``192.0.2.1:5678`` or ``[2001:db8::1]:5678``."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _shortened(text: str) -> str:
    address = ip_address(_without_port(text).partition("%")[0])
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((address, _HOUSEHOLD_BITS), strict=False))
