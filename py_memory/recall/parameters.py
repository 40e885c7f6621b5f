"""Every number of ranked recall, each with where it came from.

"Study" is a measured study on labelled conversations, some English, some Chinese: it found the pipeline and
most weights, and that nearly all of them may move by a third at a loss under half a point. "Here" means
chosen with this code on the development halves of the same sets, see docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["DEFAULTS", "Feedback", "Parameters"]


@dataclass(frozen=True, slots=True)
class Feedback:
    """Pseudo-relevance feedback (Rocchio): telling terms of the best messages join the query."""

    messages: int  # taken as relevant
    terms: int  # that join
    weight: float  # of the best of them, against 1 for a term of the query


@dataclass(frozen=True, slots=True)
class Parameters:
    # BM25 (Robertson et al., TREC-3); a term counts once in a message: repetitions lost 0.6 points (here)
    k1: float = 1.2
    b: float = 0.75  # under 0.5 costs Chinese 2 to 5 points, as its messages differ more in length (here)

    # What is looked up
    query_terms: int = 64  # at most, the last question's first
    common_share: float = 0.1  # terms in more messages than this are passed over …
    common_least: int = 1000  # … but never in memories so small that they cost nothing (here)
    variant: float = 0.8  # weight of another form of a word, as bought for buy (here: +0.6)
    member: float = 0.5  # weight of a thing of the kind asked for, as violin for instruments (here: +0.9)
    prefix: float = 0.7  # weight of words that begin alike, as mentored for mentorship (here: +0.3) …
    prefix_least: int = 6  # … for stems of as many letters, of which …
    prefix_cut: int = 3  # … so many may differ, but not the first …
    prefix_kept: int = 5
    aside: float = 0.3  # weight of what a rambling message says besides its questions (here: +1.5 in Chinese)
    lexicon: float = (
        1.0  # weight of the lexicon's links within one language, of which the best has 0.3, and …
    )
    lexicon_across: float = 0.9  # … across languages: below 1, so that the word itself comes first (here)
    lexicon_share: float = 0.05  # a linked word in more messages than this tells nothing (study)
    word: float = 0.5  # more for a Chinese word the lexicon knows than for its pairs
    lexicon_links: int = 6

    # Latin words: study, but 5 messages and 8 terms. Pairs of CJK characters, of which one word gives
    # several: here, +7 points on MemDaily.
    words: Feedback = field(default_factory=lambda: Feedback(3, 12, 0.2))
    pairs: Feedback = field(default_factory=lambda: Feedback(4, 30, 0.4))
    feedback_share: float = 0.1  # a term in more messages than this tells nothing (study) …
    feedback_least: int = 50
    feedback_most: int = 1000  # … nor in more than these, whatever the size: it bounds the cost (here)

    # Neighbours within a session (study)
    gap_ms: int = 30 * 60_000  # a longer pause separates
    before: float = 0.3
    after_question: float = 0.3  # more, if what stands before asks something
    after: float = 0.3
    two_before: float = 0.25
    two_after: float = 0.15
    alone: float = (
        0.5  # a missing neighbour counts as this share of one that matches as well (here: +4 in Chinese)
    )
    session: float = 0.2  # of the mean of the session's three best (study: 0.1)
    session_least: int = 3

    # Factors
    coverage: float = 0.15  # for each further word of the question that is there; Latin only (here: +0.5)
    question: float = 0.75  # a message that itself asks (study)
    short: float = 0.2  # up to this less for a very short one (study) …
    short_characters: float = 32.0  # … fading with its length; a CJK character counts 7
    time: float = 1.3  # a time word where the question asks for a time (study: 1.15; here +0.4)
    speaker: float = 2.5  # said by the one person the question names (study: 1.5; here +0.6)
    first_speaker: float = 1.3  # said by the first of several whom it names (here: +0.4)
    role: float = 1.3  # said by the side that the question asks about (study)

    # Other kinds against messages (here): a fact says in few words what was told in many
    kinds: Mapping[str, float] = field(
        default_factory=lambda: {"facts": 1.5, "summaries": 1.0, "tool_calls": 0.7, "experiences": 0.7}
    )

    # Tool results, on the questions of tests/data/tool_results.jsonl (here)
    result: float = 2.0  # where the question asks for what a tool said
    last: float = 1.1  # of the best of a tool's results: the newest one, where the last time is asked for …
    last_share: float = 0.5  # … if it scores this share of the best itself
    around_call: float = 0.5  # of the best message said within `gap_ms`, which a call gains, at most its own

    # Active recall adds nothing unless a memory scores its floor times ln(messages + 1), by what the message
    # is about and for memories in words and in Chinese, which share more pairs by chance. What speaks of
    # nobody is mostly general knowledge. docs/benchmarks.md has what that costs and keeps out (here).
    floors: Mapping[str, tuple[float, float]] = field(
        default_factory=lambda: {"anything": (2.8, 7.5), "somebody": (2.5, 5.3), "reminder": (2.0, 4.0)}
    )
    floor_share: float = 0.3  # what scores less than this share of the best is not worth a line

    # Vectors, where an embedder is connected; see docs/benchmarks.md for what they are worth (here)
    vector: float = 0.3  # weight of a message as near as one can be, against the best by its words
    vector_full: float = 6.0  # standard deviations above the average message that count as that near
    vector_sample: int = 100  # messages that the average is taken from
    vector_candidates: int = 100  # nearest ones by their bits
    vector_scan: int = 30_000  # above so many only what the words have found is looked at

    # Candidates: more change nothing from here on (here)
    seeds: int = 50  # looked at for feedback
    candidates: int = 150  # matching messages kept, with their neighbours
    finalists: int = 60  # whose text is read


DEFAULTS = Parameters()
