"""The address of a model server, as people type it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from py_memory.text import clean

from .failures import failure

__all__ = ["ServerAddress", "network_of", "server_address", "shown_address"]

_ENDPOINTS = ("/chat/completions", "/completions", "/models")  # people paste what stands in a manual
_LOCAL_ENDINGS = (".local", ".lan", ".home", ".internal", ".home.arpa")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """`base` is what /chat/completions is put behind; `server` names it to people: host and port."""

    base: str
    server: str

    def holds(self, url: str) -> bool:
        """Whether a request to `url` would go to this same server."""
        return urlsplit(url)[:2] == urlsplit(self.base)[:2]


def server_address(typed: str, *, has_key: bool = False) -> ServerAddress:
    """Reads an address; the scheme and /v1 may be missing. Raises ModelAddressError, also where a key would
    travel unencrypted over the internet."""
    typed = typed.strip() if isinstance(typed, str) else ""
    if "://" not in typed:
        before, _, after = typed.partition("/")[0].rpartition(":")
        typed = f"{'http' if network_of(before or after) else 'https'}://{typed}"
    try:
        parts = urlsplit(typed)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise failure("bad_address") from None
    plain = typed.isascii() and typed.isprintable() and not any(mark in typed for mark in " ?#@\\")
    if parts.scheme not in ("http", "https") or not host or not plain:
        raise failure("bad_address")
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        if path.endswith(endpoint):
            path = path.removesuffix(endpoint)
            break
    if parts.scheme == "http" and has_key and not network_of(host):
        raise failure("key_in_clear", server=parts.netloc)
    named = f"[{host}]" if ":" in host else host
    netloc = named if port is None else f"{named}:{port}"
    return ServerAddress(f"{parts.scheme}://{netloc}{path or '/v1'}", netloc)


def network_of(host: str) -> str | None:
    """ "loopback" for this device and "local" for the network around it, the names that browsers have for
    them (Local Network Access); None for the internet."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return "loopback"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "local" if host and ("." not in host or host.endswith(_LOCAL_ENDINGS)) else None
    if address.is_loopback:
        return "loopback"
    return "local" if address.is_private or address.is_link_local else None


def shown_address(url: str) -> str:
    """An address from elsewhere, for people to read: nothing of it but the server and the path."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "?", parts.port
    except ValueError:
        return "?"
    path = clean(parts.path)[0][:100]
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"
