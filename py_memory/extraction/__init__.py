"""What is worth remembering in a user's message, by rules: Chinese and English, no model, pure text in and out.

Better nothing than something wrong: guards come first, and what they cover is invisible to the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..text import detect_language
from . import guards, rules_en, rules_zh
from .proposal import MAX_VALUE_CHARACTERS, Proposal, split_long

__all__ = ["propose"]

_Rules = Callable[[guards.Sentence], list[Proposal]]
_RULES: dict[str, _Rules] = {"en": rules_en.facts_in, "zh": rules_zh.facts_in}
_REQUESTS: dict[str, Callable[[guards.Sentence], Proposal | None]] = {
    "en": rules_en.request_in,
    "zh": rules_zh.request_in,
}


def propose(
    text: str, *, lang: str | None = None, now: int | None = None, zone: str | None = None
) -> list[dict[str, Any]]:
    """Facts that a user's message states, as {key, value, quote, category, confidence, explicit, zone}.

    `explicit` marks what the user asked to remember; the rest waits for a yes. `quote` is cut from `text` as it
    stands, values are at most 100 characters. `lang` is "en" or "zh" (default: seen from the text); `now` (ms) and
    `zone` (IANA name) are kept with what was said about time. Never raises; text that says nothing gives [].
    """
    language = lang or detect_language(text)
    if guards.is_off_the_record(text):
        return []
    found: list[Proposal] = []
    for sentence in guards.sentences(text):
        if sentence.has_secret:
            continue
        request = _REQUESTS[language](sentence)
        if request is not None:
            found.extend(_requested(request, language))
        elif not sentence.is_doubtful:
            found.extend(_RULES[language](sentence))
    unique: dict[tuple[str, str], Proposal] = {}
    for proposal in found:
        if len(proposal.value) <= MAX_VALUE_CHARACTERS:
            unique.setdefault((proposal.key, proposal.value.casefold()), proposal)
    return [{**proposal.to_dict(), "zone": zone} for proposal in unique.values()]


def _requested(request: Proposal, language: str) -> list[Proposal]:
    """“Remember that …”: the facts the rules see in it, or the words themselves as notes."""
    if request.key.startswith("task::"):
        return [request]
    known = [
        proposal.asked_for()
        for sentence in guards.sentences(request.value)
        for proposal in _RULES[language](sentence)
    ]
    if known:
        return known
    return [Proposal(request.key, part, request.quote, None, 1.0, True) for part in split_long(request.value)]
