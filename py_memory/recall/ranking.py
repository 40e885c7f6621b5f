"""Which messages bear on a question: BM25 with feedback, smoothed over neighbours, times what fits.

    own(i)   = norm(length) · (Σ weight(t) · rarity(t) + Σ feedback) · coverage
    score(i) = (own(i) + Σ weight(d) · own(i + d) + session) · factors

Neighbours are those of the same session in its own order, however rowids lie.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from py_memory import text
from py_memory.database import Database
from py_memory.rows.messages import NEWEST_VERSION

from .expansion import wanted
from .parameters import DEFAULTS, Parameters
from .postings import Postings
from .question import Question, is_question, names_a_time
from .stemming import stem
from .vectors import Meaning, nearness
from .words import variants

__all__ = ["Ranked", "rank_messages"]

_READ = 4_000  # characters of a message that its factors and its telling terms are taken from
_OFFSETS = (-2, -1, 1, 2)


@dataclass
class Ranked:
    """A message with its score and how it came about."""

    seq: int
    id: str
    session_id: str
    role: str
    speaker: str | None
    created_at: int
    content: str
    score: float
    own: float
    factors: dict[str, float]
    neighbours: tuple[str, ...]
    terms: tuple[str, ...] = ()
    share: float = 0.0  # of the question's weight that the message and its neighbours hold
    near: float = 0.0  # how near it is by its vector, 0 to 1


@dataclass
class _Place:
    """Where a message stands."""

    id: str
    session_id: str
    role: str
    speaker: str | None
    created_at: int
    around: list[int | None] = field(default_factory=lambda: [None] * 4)  # seq at _OFFSETS


def rank_messages(
    db: Database,
    user_id: str,
    question: Question,
    limit: int,
    *,
    session_id: str | None = None,
    parameters: Parameters = DEFAULTS,
    meaning: Meaning | None = None,
) -> list[Ranked]:
    """The `limit` best messages, best first. Nothing if the question holds no telling word that is there and
    has no vector."""
    if limit < 1 or not (question.terms or question.marks or meaning):
        return []
    return _Ranking(db, user_id, question, session_id, parameters, meaning).best(limit)


class _Ranking:
    def __init__(
        self,
        db: Database,
        user_id: str,
        question: Question,
        session_id: str | None,
        parameters: Parameters,
        meaning: Meaning | None,
    ) -> None:
        self._db = db
        self._user = user_id
        self._session = session_id
        self._meaning = meaning
        self._question = question
        self._p = parameters
        self._postings = Postings(db, user_id, session_id)
        self._common = max(parameters.common_least, int(parameters.common_share * self._postings.total))
        self._telling = max(parameters.feedback_least, int(parameters.lexicon_share * self._postings.total))
        self._scores: dict[int, float] = {}
        self._beside = (parameters.two_before, parameters.before, parameters.after, parameters.two_after)
        self._around: dict[int, list[int | None]] = {}
        self._matched: dict[int, int] = {}  # how many words of the question
        self._gains: list[tuple[bool, float, dict[int, float]]] = []  # (spelled out?, most, by message)

    def best(self, limit: int) -> list[Ranked]:
        p = self._p
        self._add_question()
        if self._scores:
            self._add_feedback()
        own = self._own(nlargest(p.candidates, self._scores, key=self._scores.__getitem__))
        near = self._add_nearness(own)
        if not own:
            return []
        places = self._places(own)
        missing = [seq for seq in places if seq not in own and seq in self._scores]
        own |= self._own(missing)
        sessions = self._sessions(own, places)
        named = self._named({place.speaker for place in places.values() if place.speaker})
        self._around = {seq: place.around for seq, place in places.items()}
        sides = {(place.speaker, place.role): place for place in places.values()}
        weights = {side: math.prod(self._of_place(place, named).values()) for side, place in sides.items()}
        drafts = {
            seq: (self._smoothed(seq, own, place.around) + p.session * sessions.get(place.session_id, 0.0))
            * weights[place.speaker, place.role]
            for seq, place in places.items()
        }
        finalists = nlargest(max(p.finalists, 2 * limit), drafts, key=drafts.__getitem__)
        contents = self._contents({*finalists, *(s for f in finalists if (s := places[f].around[1]))})
        asking = frozenset(seq for seq, content in contents.items() if is_question(content))
        ranked = []
        for seq in finalists:
            place, content = places[seq], contents.get(seq, "")
            factors = self._of_place(place, named) | self._of_content(content, seq in asking)
            score = self._smoothed(seq, own, place.around) + p.session * sessions.get(place.session_id, 0.0)
            if place.around[1] in asking:
                score += p.after_question * own.get(place.around[1], 0.0)
            around = tuple(
                places[other].id for other in (place.around[1], place.around[2]) if other in places
            )
            ranked.append(
                Ranked(
                    seq, place.id, place.session_id, place.role, place.speaker, place.created_at, content,
                    score * math.prod(factors.values()), own.get(seq, 0.0), factors, around,
                    near=near.get(seq, 0.0),
                )
            )  # fmt: skip
        ranked.sort(key=lambda found: (-found.score, -found.created_at, found.id))
        for found in ranked[:limit]:
            self._explain(found)
        return ranked[:limit]

    # -- terms --

    def _of(self, token: str) -> list[int]:
        """Postings of a token, none if it is too common to tell anything."""
        found = self._postings.of(token, self._common)
        return found if len(found) <= self._common else []

    def _add_question(self) -> None:
        items = list(wanted(self._question, self._p))
        found = {item.token: self._of(item.token) for item in items}
        if not any(found.values()):  # everything there is in it is common: the newest of it
            found = {token: self._postings.of(token, self._common)[-self._common :] for token in found}
        for item in items:
            rarity = self._postings.rarity(len(found[item.token]))
            gains = dict.fromkeys(found[item.token], item.weight * rarity)
            self._widen(gains, item.weight, item.akin, self._common)
            self._widen(gains, item.weight, item.linked, self._telling)
            spelled = item.token in self._question.terms
            scale = 1.0 if spelled or item.token in self._question.marks else 1 / self._p.word
            self._gains.append((spelled, scale * item.weight * rarity, gains))
            scores, matched = self._scores, self._matched
            for seq, gain in gains.items():
                scores[seq] = scores.get(seq, 0.0) + gain
            if not self._question.chinese:  # where the coverage counts
                for seq in gains:
                    matched[seq] = matched.get(seq, 0) + 1

    def _widen(
        self, gains: dict[int, float], weight: float, others: Iterable[tuple[str, float]], most: int
    ) -> None:
        """Lets other words answer as well, if not in more than `most` messages: the one that gains most
        counts."""
        for other, share in others:
            seqs = self._postings.of(other, self._common)
            if len(seqs) > most:
                continue
            gain = weight * share * self._postings.rarity(len(seqs))
            for seq in seqs:
                if gains.get(seq, 0.0) < gain:
                    gains[seq] = gain

    def _add_feedback(self) -> None:
        """Telling terms of the messages that match best."""
        p = self._p
        how = p.pairs if self._question.chinese else p.words
        own = self._own(nlargest(p.seeds, self._scores, key=self._scores.__getitem__), covered=False)
        best = nlargest(how.messages, own, key=own.__getitem__)
        contents = self._contents(best)
        gains: dict[str, float] = {}
        asked = {stem(token) for token in self._question.terms}
        words: dict[str, str] = {}
        for seq in best:
            for token in dict.fromkeys(text.terms(contents.get(seq, "")[:_READ])):
                root = stem(token)
                if root not in asked and (len(token) > 1 or token.isascii()):
                    words.setdefault(root, token)
                    gains[root] = gains.get(root, 0.0) + own[seq]
        most = min(max(p.feedback_least, int(p.feedback_share * self._postings.total)), p.feedback_most)
        for root in gains:
            count = len(self._postings.of(words[root], most))
            gains[root] *= math.log(self._postings.total / count) if 1 < count <= most else 0.0
        chosen = nlargest(how.terms, gains, key=lambda root: (gains[root], root))
        for root in chosen:
            if gains[root] <= 0:
                break
            seqs = self._postings.of(words[root], most)
            gain = how.weight * gains[root] / gains[chosen[0]] * self._postings.rarity(len(seqs))
            for seq in seqs:
                self._scores[seq] = self._scores.get(seq, 0.0) + gain

    def _own(self, seqs: Iterable[int], *, covered: bool = True) -> dict[int, float]:
        p = self._p
        norms = self._postings.norms(list(seqs), p.k1, p.b)
        step = 0.0 if self._question.chinese or not covered else p.coverage
        return {
            seq: self._scores[seq] * norm * (1 + step * max(self._matched.get(seq, 0) - 1, 0))
            for seq, norm in norms.items()
        }

    def _add_nearness(self, own: dict[int, float]) -> dict[int, float]:
        """Lets messages whose vectors lie near the question's gain as well, against the best by words; where
        the words find nothing, against one telling word."""
        if self._meaning is None:
            return {}
        near = nearness(self._db, self._user, self._meaning, own, self._session, self._p)
        best = max(own.values(), default=self._postings.rarity(1))
        for seq, share in near.items():
            own[seq] = own.get(seq, 0.0) + self._p.vector * best * share
        return near

    # -- places --

    def _places(self, own: Mapping[int, float]) -> dict[int, _Place]:
        """The messages and their neighbours."""
        near = (
            "SELECT n.seq FROM messages n WHERE n.session_id = m.session_id "
            "AND (n.created_at, n.id) {sign} (m.created_at, m.id) AND n.created_at {bound} ? "
            "AND n.role IN ('user', 'assistant') AND n.status IN ('complete', 'stopped') "
            "ORDER BY n.created_at {way}, n.id {way} LIMIT 1 OFFSET {skip}"
        )
        columns = ", ".join(
            "(" + near.format(
                sign="<" if offset < 0 else ">",
                bound=">= m.created_at -" if offset < 0 else "<= m.created_at +",
                way="DESC" if offset < 0 else "ASC",
                skip=abs(offset) - 1,
            ) + ")"
            for offset in _OFFSETS
        )  # fmt: skip
        gap = self._p.gap_ms
        rows = self._db.query(
            f"SELECT m.seq, {columns} FROM json_each(?) j CROSS JOIN messages m ON m.seq = j.value",
            (2 * gap, gap, gap, 2 * gap, json.dumps(list(own))),
        )
        around = {row[0]: list(row)[1:] for row in rows}
        for seq, (two_before, before, after, two_after) in list(around.items()):
            line = [two_before, before, seq, after, two_after]
            for at, other in enumerate(line):
                if other is not None and other not in own:
                    known = around.setdefault(other, [None] * 4)
                    for slot, offset in enumerate(_OFFSETS):
                        if 0 <= at + offset < 5 and known[slot] is None:
                            known[slot] = line[at + offset]
        found = self._db.query(
            "SELECT m.seq, m.id, m.session_id, m.role, m.speaker, m.created_at "
            "FROM json_each(?) j CROSS JOIN messages m ON m.seq = j.value",
            (json.dumps(list(around)),),
        )
        return {
            seq: _Place(id, session_id, role, speaker, created_at, around[seq])
            for seq, id, session_id, role, speaker, created_at in map(tuple, found)
        }

    def _contents(self, seqs: Iterable[int]) -> dict[int, str]:
        rows = self._db.query(
            f"SELECT m.seq, v.content FROM json_each(?) j CROSS JOIN messages m ON m.seq = j.value "
            f"JOIN message_versions v ON {NEWEST_VERSION}",
            (json.dumps(list(seqs)),),
        )
        return {row[0]: row[1] for row in rows}

    def _smoothed(self, seq: int, own: Mapping[int, float], around: Sequence[int | None]) -> float:
        mine = total = own.get(seq, 0.0)
        alone = self._p.alone * mine
        for other, weight in zip(around, self._beside, strict=True):
            if other is None:
                total += weight * alone
            elif other in own:
                total += weight * own[other]
        return total

    def _sessions(self, own: Mapping[int, float], places: Mapping[int, _Place]) -> dict[str, float]:
        """The mean of each session's three best messages."""
        found: dict[str, list[float]] = {}
        for seq, score in own.items():
            if seq in places:
                found.setdefault(places[seq].session_id, []).append(score)
        return {
            id: sum(nlargest(3, scores)) / 3
            for id, scores in found.items()
            if len(scores) >= self._p.session_least
        }

    # -- factors --

    def _named(self, speakers: Iterable[str]) -> dict[str, float]:
        """The factor of the speaker whom the question names, or names first."""
        asked = self._question.text
        named = [speaker for speaker in speakers if text.normalize(speaker) in asked]
        if not named:
            return {}
        first = min(named, key=lambda speaker: (asked.find(text.normalize(speaker)), speaker))
        return {first: self._p.speaker if len(named) == 1 else self._p.first_speaker}

    def _of_place(self, place: _Place, named: Mapping[str, float]) -> dict[str, float]:
        factors = {}
        if place.speaker is not None and place.speaker in named:
            factors["speaker"] = named[place.speaker]
        if self._question.side == place.role:
            factors["role"] = self._p.role
        return factors

    def _of_content(self, content: str, asks: bool) -> dict[str, float]:
        p = self._p
        factors = {"question": p.question} if asks else {}
        size = len(content) * (7 if text.has_cjk(content[:_READ]) else 1)
        factors["short"] = 1 - p.short * math.exp(-size / p.short_characters)
        if self._question.asks_time and names_a_time(text.normalize(content[:_READ])):
            factors["time"] = p.time
        return factors

    def _explain(self, found: Ranked) -> None:
        held = {stem(token) for token in text.terms(found.content[:_READ])}
        terms = [token for token in self._question.terms if held & {stem(token), *map(stem, variants(token))}]
        found.terms = tuple(terms)
        found.share = self._share(found.seq)

    def _share(self, seq: int) -> float:
        """How much of the question's weight the message and its neighbours hold, 0 to 1. Pairs of
        characters and Chinese words say the same twice, so the better of the two counts."""
        line = [seq, *(other for other in self._around.get(seq, ()) if other is not None)]
        shares = []
        for kind in (True, False):
            most = [(full, gains) for spelled, full, gains in self._gains if spelled is kind]
            asked = sum(full for full, _ in most)
            held = sum(min(full, max(gains.get(other, 0.0) for other in line)) for full, gains in most)
            shares.append(held / asked if asked else 0.0)
        return max(shares)
