"""Which words answer to a word of the question: other forms, things of its kind, what the lexicon has near
it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from py_memory import text

from .lexicon import chinese_words, links
from .parameters import Parameters
from .question import Question
from .stemming import stem
from .words import members, variants

__all__ = ["Wanted", "wanted"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A token with its weight, and what may stand for it as (token, share of the weight). `linked` ones come
    from the lexicon and must be rare to tell anything."""

    token: str
    weight: float
    akin: tuple[tuple[str, float], ...] = ()
    linked: tuple[tuple[str, float], ...] = ()


def wanted(question: Question, parameters: Parameters) -> Iterator[Wanted]:
    """What a message may hold to answer the question; each item adds what its best stand-in gains."""
    for token, weight in question.terms.items():
        akin = tuple(_akin(token, parameters))
        yield Wanted(token, weight, akin, tuple(_linked(token, parameters)) if token.isascii() else ())
    for mark in question.marks:
        yield Wanted(mark, 1.0)
    # Pairs of characters are no words: what the lexicon knows is looked for by itself.
    for word in chinese_words(question.text) if question.chinese else ():
        yield Wanted(word, parameters.word, (), tuple(_linked(word, parameters, 1 / parameters.word)))


def _akin(token: str, parameters: Parameters) -> Iterator[tuple[str, float]]:
    for other in variants(token):
        yield other, parameters.variant
    for other in members(token):
        yield other, parameters.member
    root = stem(token)
    if token.isascii() and len(root) >= parameters.prefix_least:
        kept = max(parameters.prefix_kept, len(root) - parameters.prefix_cut)
        yield root[:kept] + "*", parameters.prefix


def _linked(word: str, parameters: Parameters, scale: float = 1.0) -> Iterator[tuple[str, float]]:
    for other, weight in links(word)[: parameters.lexicon_links]:
        across = text.has_cjk(other) != text.has_cjk(word)
        yield other, scale * weight * (parameters.lexicon_across if across else parameters.lexicon)
