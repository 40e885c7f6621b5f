"""Bearer tokens, one for each device: `mt_<key id>_<secret>`. The store keeps the secret's hash alone."""

from __future__ import annotations

import hashlib
import hmac
import os
import re

from .store import Store, Token

__all__ = ["SCOPES", "check_token", "key_of", "make_token"]

SCOPES = ("sync", "pull")
_TOKEN = re.compile(r"mt_([0-9a-f]{12})_([0-9a-f]{64})")


def _hash(secret: str) -> bytes:
    # 256 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).digest()


def make_token(
    store: Store,
    user_id: str,
    now: int,
    *,
    label: str = "",
    scope: str = "sync",
    expires_at: int | None = None,
) -> str:
    """Stores a new token and returns it; it cannot be shown again."""
    key, secret = os.urandom(6).hex(), os.urandom(32).hex()
    store.add_token(Token(key, user_id, _hash(secret), label, scope, now, expires_at, None))
    return f"mt_{key}_{secret}"


def key_of(authorization: str) -> str | None:
    """The key id, which is no secret, in a header that holds a token."""
    match = _TOKEN.search(authorization)
    return match[1] if match else None


def check_token(store: Store, given: str, now: int) -> Token | str:
    """The token, or why it does not let in: "unknown", "expired" or "revoked"."""
    match = _TOKEN.fullmatch(given)
    token = store.token(match[1]) if match else None
    if match is None or token is None or not hmac.compare_digest(token.secret_hash, _hash(match[2])):
        return "unknown"
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at is not None and token.expires_at <= now:
        return "expired"
    return token
