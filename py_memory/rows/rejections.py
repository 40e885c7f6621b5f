"""Fingerprints of what must not be proposed again: HMAC-SHA256 under a key of this file, so that no text is
kept."""

from __future__ import annotations

import hashlib
import hmac
import os

from py_memory.database import Database
from py_memory.ids import uuid7

from .settings import get_setting, set_setting

__all__ = [
    "FINGERPRINT_KEY",
    "add_rejection",
    "adopt_key",
    "has_rejections",
    "is_rejected",
    "rejection_id",
    "remove_rejection",
]

_FILE = ""  # settings of the file itself belong to no owner
FINGERPRINT_KEY = "fingerprint_key"


def _fingerprint(db: Database, what: str) -> str | None:
    key = get_setting(db, _FILE, FINGERPRINT_KEY)
    return hmac.new(bytes.fromhex(key), what.encode(), hashlib.sha256).hexdigest() if key else None


def add_rejection(db: Database, user_id: str, what: str, now: int) -> str | None:
    """Returns the id of the new row, or None if it was rejected before."""
    if get_setting(db, _FILE, FINGERPRINT_KEY) is None:
        set_setting(db, _FILE, FINGERPRINT_KEY, os.urandom(32).hex(), now)
    id = uuid7(now)
    cursor = db.execute(
        "INSERT OR IGNORE INTO rejections (id, user_id, created_at, fingerprint) VALUES (?, ?, ?, ?)",
        (id, user_id, now, _fingerprint(db, what)),
    )
    return id if cursor.rowcount else None


def adopt_key(db: Database, key: str, now: int) -> bool:
    """Whether fingerprints under `key` (64 hex digits) hold in this file: it is the file's own, or becomes
    it."""
    own = get_setting(db, _FILE, FINGERPRINT_KEY)
    if own is None:
        set_setting(db, _FILE, FINGERPRINT_KEY, key, now)
    return own in (None, key)


def has_rejections(db: Database, user_id: str) -> bool:
    return db.one("SELECT 1 FROM rejections WHERE user_id = ? LIMIT 1", (user_id,)) is not None


def rejection_id(db: Database, user_id: str, what: str) -> str | None:
    fingerprint = _fingerprint(db, what)
    found = fingerprint and db.one(
        "SELECT id FROM rejections WHERE user_id = ? AND fingerprint = ?", (user_id, fingerprint)
    )
    return found["id"] if found else None


def is_rejected(db: Database, user_id: str, what: str) -> bool:
    return rejection_id(db, user_id, what) is not None


def remove_rejection(db: Database, user_id: str, what: str) -> None:
    if fingerprint := _fingerprint(db, what):
        db.execute("DELETE FROM rejections WHERE user_id = ? AND fingerprint = ?", (user_id, fingerprint))
