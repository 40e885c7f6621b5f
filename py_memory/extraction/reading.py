"""Where a reader of a message stands: what a clause without a subject goes on about."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Reading", "is_to_come"]

# A name typed without its capital may be another word: something must be told of it.
_TOLD = re.compile(r"(?:'s| is| has| just| turned| turns)\b")
# An age that somebody has not reached yet.
_TO_COME = re.compile(
    r"^,?(?: (?:who|and|he|she|it|they))?(?: (?:will|would|(?:is|are)(?: \w+)? (?:about|going) to|(?:is|are) (?:nearly|almost)|nearly|almost|about to)\b"
    r"|(?:'ll|'re? (?:about to|going to|nearly|almost))\b)"
    r"|^(?:今年|就|马上|明年|过几天|过完年|下个?月|，)*(?:快|即将|马上|明年|过完年)[就要满到]*.{0,4}岁",
    re.IGNORECASE,
)


def is_to_come(said: str) -> bool:
    """Whether what is said behind a name or a relative tells an age that is not reached yet."""
    return bool(_TO_COME.match(said))


@dataclass
class Reading:
    """`speaker` tells how the user was last the subject ("am" after “I'm”, "do" after another verb of
    theirs, "zh"), "" if they were not; `fresh` that nobody else has been the subject of this sentence.
    `person` is the key of the relative last spoken of (`many`: of several), `list_key` that of an open list;
    their starts are places in the text. `past` tells that something over was spoken of, `decided` that a
    decision is about to be told; `ahead` is the next clause, and `pending` what waits
    for it: a food and why it is not eaten, or the key of a favourite. `topic` is a noun that stood alone just
    before. `name_before` is the name that the clause before ended in, `place_before` a place asked about.
    `mentioned` is the key of a relative named on the way, of whom “he” may tell more. `known` maps names of relatives and pets to their keys.
    """

    speaker: str = ""
    fresh: bool = True
    person: str = ""
    person_start: int = 0
    person_named: bool = False
    many: bool = False
    list_key: str = ""
    list_start: int = 0
    past: bool = False
    decided: bool = False
    ahead: str = ""
    pending: str = ""
    pending_start: int = 0
    topic: str = ""
    topic_start: int = 0
    name_before: str = ""
    name_start: int = 0
    place_before: str = ""
    mentioned: str = ""
    known: Mapping[str, str] = field(default_factory=dict)

    def enter(self, speaker: str) -> None:
        """The user is the subject now."""
        self.speaker, self.person, self.list_key = speaker, "", ""

    def enter_other(self) -> None:
        """Somebody else is the subject, or nothing certain is said."""
        self.enter("")
        self.fresh = False

    def enter_person(self, key: str, start: int) -> None:
        self.speaker, self.list_key, self.fresh = "", "", False
        self.person, self.person_start, self.person_named, self.many = key, start, False, False

    def enter_known(self, text: str, start: int) -> str | None:
        """What a text says behind a known name at its start; None if it starts with none."""
        for name, key in self.known.items():
            rest = text[len(name) :]
            typed = text.startswith(name) or (text.startswith(name.lower()) and _TOLD.match(rest))
            if typed and not (name[-1:].isascii() and rest[:1].isalnum()):
                self.enter_person(key, start)
                self.person_named = True
                return rest
        return None

    def enter_list(self, key: str, start: int) -> None:
        self.list_key, self.list_start = key, start

    def next_sentence(self) -> None:
        """Lists end with their sentence; a person may be gone on with."""
        self.speaker, self.list_key, self.fresh, self.past = "", "", True, False
        self.pending = ""
        self.name_before = ""
