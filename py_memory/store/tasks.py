"""Tool calls, and the saved state of a task that a session is resumed with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from py_memory import resuming, text
from py_memory.checks import check_choice, check_id, json_text
from py_memory.errors import ConflictError, InvalidInputError, shown
from py_memory.extraction.secrets import without_secrets
from py_memory.ids import uuid7
from py_memory.records import Resumption, Snapshot, ToolCall
from py_memory.rows import events, messages, sessions, snapshots, tool_calls
from py_memory.rows.tombstones import is_forgotten
from py_memory.snapshots import checked_state, checked_validation, plan_is_done

from .summaries import SummaryOperations

__all__ = ["TaskOperations"]

_CALL_STATUSES = frozenset(
    {"proposed", "approved", "running", "success", "failed", "timeout", "cancelled", "unknown"}
)
_RECENT = 200  # messages looked through for those that are newer than a snapshot


class TaskOperations(SummaryOperations):
    """A part of MemoryStore."""

    def add_tool_call(
        self,
        session_id: str,
        tool_name: str,
        input: Any,
        *,
        message_id: str | None = None,
        status: str = "proposed",
        id: str | None = None,
    ) -> ToolCall:
        """Notes a call, of an answer in the same session if `message_id` is given. The same `id` again
        returns the one there is. Raises NotFoundError, InvalidInputError, ConflictError."""
        with self.database.transaction():
            sessions.get_session(self.database, self.user_id, session_id)
            if message_id is not None:
                message = messages.get_message(self.database, self.user_id, message_id)
                if message.session_id != session_id:
                    raise InvalidInputError("The message of the tool call lies in another session.")
            if id is None:
                id = uuid7(self.clock())
            elif found := tool_calls.find_tool_call(self.database, self.user_id, check_id(id, "tool call")):
                if (found.session_id, found.tool_name) == (session_id, text.clean(tool_name)[0]):
                    return found
                raise ConflictError(
                    f"The id {shown(id)} belongs to another tool call. Give a new call a new id."
                )
            tool_calls.insert_tool_call(
                self.database,
                self.user_id,
                id=id,
                session_id=session_id,
                message_id=message_id,
                tool_name=text.clean(tool_name)[0],
                input=input,
                status=self._call_status(status),
                now=self.clock(),
            )
            self._event("added", "tool_calls", id, json_text(input))
            return tool_calls.get_tool_call(self.database, self.user_id, id)

    def update_tool_call(
        self, id: str, status: str, *, output: Any = None, error: str | None = None, validation: Any = None
    ) -> ToolCall:
        """Moves a call on. `validation` is what a check of it found: {"state": "valid" | "invalid" |
        "unknown", "why", "at" (ms)}. One that has ended stays as it ended: ConflictError."""
        status, validation = self._call_status(status), checked_validation(validation)
        with self.database.transaction():
            known = tool_calls.get_tool_call(self.database, self.user_id, id)
            if known.status in tool_calls.FINISHED and status != known.status:
                raise ConflictError(
                    f"The tool call {shown(id)} has ended as {known.status}. Note a new call instead."
                )
            tool_calls.update_tool_call(
                self.database,
                self.user_id,
                id,
                status,
                output=output,
                error=None if error is None else text.clean(error)[0],
                validation=validation,
                now=self.clock(),
            )
            self._event(status, "tool_calls", id, json_text([output, validation] if validation else output))
            call = tool_calls.get_tool_call(self.database, self.user_id, id)
            if status in tool_calls.FINISHED:
                self._consolidation.tool_finished(call.session_id, call.tool_name)
            return call

    def list_tool_calls(self, session_id: str, *, message_id: str | None = None) -> list[ToolCall]:
        """Calls of a session, or of one answer in it, oldest first."""
        return tool_calls.list_tool_calls(self.database, self.user_id, session_id, message_id)

    def open_tool_calls(self, session_id: str) -> list[ToolCall]:
        """Those that are not over: waiting, running, or of an unknown end that nobody was asked about."""
        return tool_calls.open_tool_calls(self.database, self.user_id, session_id)

    @staticmethod
    def _call_status(status: str) -> str:
        return check_choice(status, "The status of a tool call", _CALL_STATUSES)

    def save_snapshot(self, session_id: str, state: Mapping[str, Any], reason: str) -> Snapshot:
        """Saves the state of the session's task (see snapshots.py), with a mark in the place of secrets. The
        newest few of a session are kept. One whose plan is done completes the session.

        Raises InvalidInputError, which names the place in the state, TooLargeError (over 128 KiB),
        NotFoundError.
        """
        reason = self._short(reason, "The reason") or ""
        saved_state = without_secrets(checked_state(state))
        db = self.database
        with db.transaction():
            session = sessions.get_session(db, self.user_id, session_id)
            if saved_state["plan"] != self._plan_before(session_id):
                self._consolidation.task_node(session_id, "plan_step")
            saved_state["message_id"] = saved_state["message_id"] or session.current_message_id
            saved = snapshots.insert_snapshot(
                db, self.user_id, session_id, saved_state, without_secrets(reason), self.clock()
            )
            self._event("added", "snapshots", saved.id, json_text(saved_state))
            for id in snapshots.prune(db, self.user_id, session_id):
                events.drop_salts(db, id)
            if plan_is_done(saved_state) and session.status != "completed":
                sessions.set_status(db, self.user_id, session_id, "completed", self.clock())
                self._event("completed", "sessions", session_id)
            return saved

    def _plan_before(self, session_id: str) -> list[Any]:
        try:
            before = snapshots.latest(self.database, self.user_id, session_id)
        except InvalidInputError:  # of a newer release
            return []
        return before.state["plan"] if before else []

    def latest_snapshot(self, session_id: str) -> Snapshot | None:
        """The newest one, its state in the present format. Raises InvalidInputError where it cannot be
        read."""
        return snapshots.latest(self.database, self.user_id, session_id)

    def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Those that are kept, oldest first."""
        return snapshots.list_snapshots(self.database, self.user_id, session_id)

    def resume_session(self, session_id: str, *, language: str | None = None) -> Resumption:
        """What a session is taken up again with: nothing is run. Calls that were running are closed as
        unknown. `language` "en" or "zh", by default that of the user's last message. ChatAgent.resume_session
        also checks with the tools what can still be done."""
        if language is not None and not (isinstance(language, str) and language in ("en", "zh")):
            raise InvalidInputError(f"The language is 'en' or 'zh', not {shown(language, 20)}.")
        db = self.database
        with db.transaction():
            recent = self.get_recent_messages(session_id, _RECENT)
            self._note_pending(session_id)
            for call in tool_calls.open_tool_calls(db, self.user_id, session_id):
                if call.status == "running":
                    self.update_tool_call(call.id, "unknown")
            said = next((m.content for m in reversed(recent) if m.role == "user"), "")
            return resuming.load(
                db,
                self.user_id,
                session_id,
                now=self.clock(),
                language=language or text.detect_language(said),
                overview=self.build_system_prompt(session_id=session_id),
                facts=self.list_facts(),
                recent=recent,
            )

    def _note_pending(self, session_id: str) -> None:
        """Calls that a saved state names as pending and nobody has noted get a record, so that they are
        checked and told like others. That the user agreed to one is not taken from there."""
        db, user = self.database, self.user_id
        try:
            snapshot = snapshots.latest(db, user, session_id)
        except InvalidInputError:
            return
        if snapshot is None or not snapshot.state["pending"]:
            return
        calls = tool_calls.list_tool_calls(db, user, session_id, None)
        for item in snapshot.state["pending"]:
            id, name = item["id"], text.clean(item["tool"])[0]
            ended = item["status"] in tool_calls.FINISHED
            if id and (tool_calls.find_tool_call(db, user, id) or is_forgotten(db, user, "tool_calls", id)):
                continue
            if ended or any((call.tool_name, call.input) == (name, item["params"]) for call in calls):
                continue
            id = id or uuid7(self.clock())
            status = "running" if item["status"] in ("running", "unknown") else "proposed"
            tool_calls.insert_tool_call(
                db,
                user,
                id=id,
                session_id=session_id,
                message_id=None,
                tool_name=name,
                input=item["params"],
                status=status,
                now=snapshot.created_at,
            )
            self._event("added", "tool_calls", id, json_text(item["params"]))
            if item["validation"]:
                self.update_tool_call(id, status, validation=item["validation"])
            calls.append(tool_calls.get_tool_call(db, user, id))

    def settle_tool_call(self, id: str) -> ToolCall:
        """The user has been asked about a call of unknown end: it is no longer an open task."""
        with self.database.transaction():
            tool_calls.get_tool_call(self.database, self.user_id, id)
            tool_calls.settle(self.database, self.user_id, id, self.clock())
            self._event("settled", "tool_calls", id)
            return tool_calls.get_tool_call(self.database, self.user_id, id)
