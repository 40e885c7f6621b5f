"""Summaries of a session: when one is due, making it, compressing older ones, and keeping them true.

One is due after five rounds, past 3,000 tokens, or at a task node: a tool that finished, a step of the plan
that changed, something the user confirmed. Summaries of a level that have grown old are compressed into one
above; the ones below stay readable. A summary never outlives the words that it quotes: when a message is
edited or forgotten, or the talk goes on from an earlier one, it is made anew or goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .checks import check_id
from .clock import Clock
from .database import Database
from .errors import InvalidInputError, NotFoundError, shown
from .extraction import propose
from .extraction.digest import Digest, extract, merge
from .extraction.structured_summary import read_summary
from .facts import Facts
from .ids import uuid7
from .records import Message, PendingSummary, Summary
from .removal import Removal
from .rows import messages as message_rows
from .rows import sessions as session_rows
from .rows import summaries as rows
from .rows.rejections import has_rejections
from .text import estimate_tokens
from .undo import UndoLog

__all__ = ["TASK_NODES", "Consolidation", "Covered"]

TASK_NODES = frozenset({"tool_finished", "plan_step", "confirmed"})
ROUNDS = 5  # after which a summary is due
TOKENS = 3000  # estimated, likewise
MAX_READ = 50  # messages that one summary covers at most
# Covered by older summaries of level 1 before they become one; four times as many a level up.
COMPRESS_ROUNDS = 20
MAX_LEVEL = 8
# The memory's own tools: calling them is part of an answer and no node of the user's task.
_OWN_TOOLS = ("memory_", "todo_", "days_meant")
_NEWEST = 64  # of a level: more have never gone uncompressed

Covered = Mapping[str, Sequence[str]]  # summary → the messages it covers, or () for a higher level


class Consolidation:
    """The summaries of one owner. Every method that writes expects a transaction of the caller."""

    def __init__(self, db: Database, user_id: str, clock: Clock, undo: UndoLog, facts: Facts) -> None:
        self._db = db
        self._user = user_id
        self._clock = clock
        self._undo = undo
        self._facts = facts
        self._nodes: set[str] = set()  # sessions in which a task node was reached since the last summary

    # -- when --

    def task_node(self, session_id: str, kind: str) -> None:
        """Notes that a session has come to a node: the round's end makes a summary. After a crash the count
        of rounds does."""
        if not isinstance(kind, str) or kind not in TASK_NODES:
            raise InvalidInputError(
                f"A task node is one of {', '.join(sorted(TASK_NODES))}, not {shown(kind, 40)}."
            )
        session_rows.get_session(self._db, self._user, session_id)
        self._nodes.add(session_id)

    def tool_finished(self, session_id: str, tool_name: str) -> None:
        """A task node, unless the tool is one of the memory's own, which are no task."""
        if not tool_name.startswith(_OWN_TOOLS):
            self._nodes.add(session_id)

    def pending(self, session_id: str) -> PendingSummary:
        session = session_rows.get_session(self._db, self._user, session_id)
        stops = rows.newest_ends(self._db, self._user, session_id, _NEWEST)
        messages, more = message_rows.branch_since(
            self._db, self._user, session.current_message_id, stops, MAX_READ
        )
        while messages and messages[-1].status == "streaming":
            messages.pop()
        if more and any(message.role != "user" for message in messages):
            while messages[-1].role == "user":  # its answer is in the part that follows
                messages.pop()
        due = "rounds" if more else self._due(session_id, messages)
        return PendingSummary(session_id, due if messages else None, tuple(messages))

    def _due(self, session_id: str, messages: Sequence[Message]) -> str | None:
        if not messages or messages[-1].role == "user":
            return None
        if session_id in self._nodes:
            return "task_node"
        if sum(message.role == "user" for message in messages) >= ROUNDS or len(messages) >= MAX_READ:
            return "rounds"
        tokens = 0
        for message in messages:
            tokens += estimate_tokens(message.content)
            if tokens >= TOKENS:
                return "tokens"
        return None

    # -- making --

    def summarise(
        self, session_id: str, *, answer: str | None = None, last_message_id: str | None = None
    ) -> Summary | None:
        """A summary of what is pending, up to `last_message_id` if given; from a model's answer or, without,
        as an extract. None where nothing is pending."""
        messages = list(self.pending(session_id).messages)
        if last_message_id is not None:
            check_id(last_message_id, "message")
            ids = [message.id for message in messages]
            if last_message_id not in ids:
                raise NotFoundError("message waiting to be summarised", last_message_id)
            messages = messages[: ids.index(last_message_id) + 1]
        if not messages:
            return None
        hidden = self._hidden()
        digest = extract(messages, hidden) if answer is None else read_summary(answer, messages, hidden)
        summary = self._insert(
            session_id, 1, digest, messages[0].id, messages[-1].id, len(messages), self._clock()
        )
        self._nodes.discard(session_id)
        self._compress(session_id, 1)
        return summary

    def summarise_if_due(self, session_id: str) -> Summary | None:
        return self.summarise(session_id) if self.pending(session_id).due else None

    def _insert(
        self,
        session_id: str,
        level: int,
        digest: Digest,
        first: str | None,
        last: str | None,
        count: int,
        created_at: int,
    ) -> Summary:
        summary = Summary(
            id=uuid7(self._clock()),
            user_id=self._user,
            created_at=created_at,
            session_id=session_id,
            level=level,
            topic=digest.topic,
            content=digest.content,
            conclusions=digest.conclusions,
            open_items=digest.open_items,
            first_message_id=first,
            last_message_id=last,
            message_count=count,
        )
        rows.insert_summary(self._db, summary)
        return summary

    def _compress(self, session_id: str, level: int) -> None:
        """All but the newest of a level become one above once they cover enough."""
        newest = rows.newest_of_level(self._db, self._user, session_id, level, _NEWEST)
        older = [summary for summary in newest if summary.compressed_into is None][:0:-1]
        enough = 2 * COMPRESS_ROUNDS * 4 ** (level - 1)  # messages, two a round
        if level >= MAX_LEVEL or sum(summary.message_count for summary in older) < enough:
            return
        above = self._above(session_id, level + 1, older, self._clock())
        rows.set_compressed_into(self._db, self._user, [summary.id for summary in older], above.id)
        self._compress(session_id, level + 1)

    def _above(self, session_id: str, level: int, below: Sequence[Summary], created_at: int) -> Summary:
        count = sum(summary.message_count for summary in below)
        first, last = below[0].first_message_id, below[-1].last_message_id
        return self._insert(session_id, level, merge(below), first, last, count, created_at)

    def _hidden(self) -> Callable[[Message], Iterable[str]]:
        """Words of a message that were forgotten or rejected as facts: its other sentences may be quoted."""
        if not has_rejections(self._db, self._user):
            return lambda message: ()

        def refused(message: Message) -> Iterable[str]:
            if message.role != "user":
                return []
            return [
                proposal["quote"]
                for proposal in propose(message.content)
                if self._facts.is_refused(proposal["key"], proposal["value"])
            ]

        return refused

    # -- reading --

    def list_summaries(self, session_id: str, *, level: int | None = None) -> list[Summary]:
        session_rows.get_session(self._db, self._user, session_id)
        return rows.list_summaries(self._db, self._user, session_id, level=level)

    def latest(self, session_id: str, limit: int) -> list[Summary]:
        """The newest that no other stands for, over all levels, newest first."""
        found: list[Summary] = []
        for level in range(1, MAX_LEVEL + 1):
            newest = rows.newest_of_level(self._db, self._user, session_id, level, limit)
            if not newest:
                break
            found += [summary for summary in newest if summary.compressed_into is None]
        return found[:limit] if len(found) <= limit else [*found[: limit - 1], found[-1]]

    # -- writing them better --

    def find(self, session_id: str, id: str) -> Summary | None:
        all_of = rows.list_summaries(self._db, self._user, session_id)
        return next((summary for summary in all_of if summary.id == id), None)

    def sources(self, summary: Summary) -> list[Message]:
        """What a summary was made from and still stands: messages, or the summaries below it in that form."""
        if summary.level == 1:
            covered = self.touching(summary.session_id, (), [summary.id])[summary.id]
            found = (message_rows.find_message(self._db, self._user, id) for id in covered)
            return [message for message in found if message is not None]
        all_of = rows.list_summaries(self._db, self._user, summary.session_id)
        return [_as_said(below) for below in all_of if below.compressed_into == summary.id]

    def rewrite(self, summary: Summary, sources: Sequence[Message], answer: str) -> Summary:
        """Puts a model's summary in the place of an extract. Raises InvalidInputError for an answer that does
        not follow the schema, or that says nothing."""
        digest = read_summary(answer, sources, self._hidden(), before=summary)
        covered = [message.id for message in sources] if summary.level == 1 else []
        made = self.replace(
            self._removal(), summary.session_id, {summary.id: covered}, digests={summary.id: digest}
        )
        return made[summary.id]

    # -- keeping them true --

    def touching(
        self, session_id: str, message_ids: Iterable[str], summary_ids: Iterable[str] = ()
    ) -> Covered:
        """The summaries that cover any of the messages, and those named. To be asked before messages go."""
        wanted, named = set(message_ids), set(summary_ids)
        parents: dict[str, str | None] | None = None
        found: dict[str, Sequence[str]] = {}
        for summary in rows.list_summaries(self._db, self._user, session_id):
            if summary.level > 1:
                if summary.id in named:
                    found[summary.id] = ()
                continue
            if parents is None:
                parents = message_rows.parents_in_session(self._db, self._user, session_id)
            covered = _walk(parents, summary)
            if summary.id in named or wanted.intersection(covered):
                found[summary.id] = covered
        return found

    def edited(self, message: Message) -> None:
        """Makes the summaries anew that quote an older text of the message."""
        if touched := self.touching(message.session_id, [message.id]):
            self.replace(self._removal(), message.session_id, touched)

    def left(self, session_id: str, message_ids: Sequence[str]) -> None:
        """The talk goes on from an earlier message: summaries of what was left behind go, and what is still
        on screen is summarised again when that is due."""
        if touched := self.touching(session_id, message_ids):
            self.replace(self._removal(), session_id, touched, remake=False)

    def recover(self, session_id: str, summary_ids: Iterable[str]) -> None:
        """Summaries that came from elsewhere are made anew where they cover messages that are not here, and
        go where nothing is here that they were made from."""
        all_of = {one.id: one for one in rows.list_summaries(self._db, self._user, session_id)}
        held_up = {one.compressed_into for one in all_of.values()}
        lacking = {
            id: covered
            for id, covered in self.touching(session_id, (), summary_ids).items()
            if (len(covered) < all_of[id].message_count if all_of[id].level == 1 else id not in held_up)
        }
        if lacking:
            self.replace(self._removal(), session_id, lacking)

    def _removal(self) -> Removal:
        return Removal(self._db, self._user, self._clock(), self._undo, self._undo.begin())

    def replace(
        self,
        removal: Removal,
        session_id: str,
        touched: Covered,
        *,
        remake: bool = True,
        digests: Mapping[str, Digest] | None = None,
    ) -> dict[str, Summary]:
        """Takes summaries away, with those above them, and makes them anew from what is left, or from a
        digest given for one. Returns what stands in the place of each."""
        digests = digests or {}
        all_of = {summary.id: summary for summary in rows.list_summaries(self._db, self._user, session_id)}
        going = [all_of[id] for id in touched if id in all_of]
        for summary in going:  # grows upwards
            above = all_of.get(summary.compressed_into or "")
            if above and above not in going:
                going.append(above)
        gone = {summary.id for summary in going}
        made: dict[str, Summary] = {}  # in the place of one that went
        for summary in sorted(going, key=lambda one: (one.level, one.created_at)):
            below = [
                made.get(child.id, child)
                for child in all_of.values()
                if child.compressed_into == summary.id and (child.id in made or child.id not in gone)
            ]
            removal.take("summaries", "id = ? AND user_id = ?", summary.id, self._user)
            new = None
            if summary.id in digests:
                new = self._insert(
                    session_id,
                    summary.level,
                    digests[summary.id],
                    summary.first_message_id,
                    summary.last_message_id,
                    summary.message_count,
                    summary.created_at,
                )
            elif summary.level > 1 and below:
                new = self._above(session_id, summary.level, below, summary.created_at)
            elif summary.level == 1 and remake:
                new = self._anew(summary, touched.get(summary.id, ()))
            if new is not None:
                made[summary.id] = new
                removal.made("summaries", new.id)
            for child in below:
                removal.change("summaries", child.id, compressed_into=new.id if new else None)
        return made

    def _anew(self, summary: Summary, covered: Sequence[str]) -> Summary | None:
        left = [
            message
            for id in covered
            if (message := message_rows.find_message(self._db, self._user, id)) is not None
        ]
        if not left:
            return None
        digest = extract(left, self._hidden())
        first, last = left[0].id, left[-1].id
        return self._insert(summary.session_id, 1, digest, first, last, len(left), summary.created_at)


def _as_said(summary: Summary) -> Message:
    """The points of a summary, as if they had been said in one message."""
    points = [line.removeprefix("- ") for line in summary.content.splitlines() if line.startswith("- ")]
    return Message(
        id=summary.id,
        user_id=summary.user_id,
        created_at=summary.created_at,
        session_id=summary.session_id,
        parent_id=None,
        role="user",
        content="\n".join(points),
        version_id=summary.id,
    )


def _walk(parents: Mapping[str, str | None], summary: Summary) -> list[str]:
    """Ids of the messages a summary covers that are there, oldest first."""
    covered: list[str] = []
    id = summary.last_message_id
    while id is not None and id in parents and len(covered) < MAX_READ:
        covered.append(id)
        if id == summary.first_message_id:
            break
        id = parents[id]
    return covered[::-1]
