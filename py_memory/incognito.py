"""A chat that leaves nothing behind: its store lies in memory alone and only reads what the real one knows.

The current facts of the real memory are copied into it before each message, so that prompts, answers and
recall find them as usual; nothing goes the other way. What would change or keep a fact is refused.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from .errors import IncognitoError
from .records import Message, Receipt
from .rows import facts as fact_rows
from .rows import namespaces
from .store import MemoryStore

__all__ = ["IncognitoStore"]


class IncognitoStore(MemoryStore):
    """A MemoryStore over ":memory:" beside `base`, for one chat. Closing it is the end of what was said.

    Its sessions and messages are its own; `base` is never written. Operations that keep or change facts, and
    those that read or write files, raise IncognitoError.
    """

    incognito = True

    def __init__(self, base: MemoryStore) -> None:
        super().__init__(":memory:", user_id=base.user_id, agent_id=base.agent_id, clock=base.clock)
        self.base = base
        self._seen: tuple[MemoryStore, tuple[int, int]] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Copies what is current in the real memory, unless that has not changed since the last time."""
        seen = (self.base, self.base.database.state)
        if seen == self._seen:
            return
        db = self.database
        with db.transaction():
            fact_rows.delete_all(db, self.user_id)
            for space in self.base.list_namespaces():
                namespaces.upsert_namespace(
                    db,
                    self.user_id,
                    space.prefix,
                    single_valued=space.single_valued,
                    ttl_ms=space.ttl_ms,
                    now=self.clock(),
                )
            for fact in self.base.list_facts():
                fact_rows.insert_fact(db, dataclasses.replace(fact, user_id=self.user_id))
        self._seen = seen

    def add_message(self, session_id: str, role: str, content: str, **details: Any) -> Message:
        self.refresh()
        return super().add_message(session_id, role, content, **details)

    def get_setting(self, name: str, default: Any = None) -> Any:
        """Its own, else the real memory's, such as the zone."""
        return super().get_setting(name, self.base.get_setting(name, default))

    def forget(self, *, message_id: str | None = None, session_id: str | None = None, **rest: Any) -> Receipt:
        """Messages and sessions of this chat only."""
        rest.pop("keep_facts", None)
        if any(value is not None for value in rest.values()):
            self._refuse()
        return super().forget(message_id=message_id, session_id=session_id, keep_facts=message_id is not None)

    @staticmethod
    def _refuse() -> NoReturn:
        raise IncognitoError(
            "This is an incognito chat: it keeps nothing and changes nothing that is remembered. "
            "Do this in an ordinary chat."
        )

    def connect_embedder(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def set_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def propose_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def confirm_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def reject_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def pin_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def end_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def renew_fact(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def register_namespace(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def fix_health(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def allow_kind(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def consolidate(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def export_to(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def export_text(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def export_pieces(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def import_chats(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def begin_import(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def preview_import(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def import_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def import_rows(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def sync(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def sync_steps(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()
