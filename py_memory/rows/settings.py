"""Settings of an owner: a name and any JSON value."""

from __future__ import annotations

import json
from typing import Any

from py_memory.checks import json_text
from py_memory.database import Database

__all__ = ["get_setting", "set_setting"]


def get_setting(db: Database, user_id: str, name: str, default: Any = None) -> Any:
    row = db.one("SELECT value_json FROM settings WHERE user_id = ? AND name = ?", (user_id, name))
    return json.loads(row["value_json"]) if row else default


def set_setting(db: Database, user_id: str, name: str, value: Any, now: int) -> None:
    """None removes the setting."""
    if value is None:
        db.execute("DELETE FROM settings WHERE user_id = ? AND name = ?", (user_id, name))
        return
    db.execute(
        "INSERT INTO settings (user_id, name, value_json, updated_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (user_id, name) DO UPDATE "
        "SET value_json = excluded.value_json, updated_at = excluded.updated_at",
        (user_id, name, json_text(value, f"The setting {name!r}"), now),
    )
