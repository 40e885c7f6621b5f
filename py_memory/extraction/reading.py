"""Where a reader of a message stands: what a clause without a subject goes on about."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reading"]


@dataclass
class Reading:
    """`speaker` tells how the user was last the subject ("am" after “I'm”, "do" after another verb of
    theirs, "zh"), "" if they were not. `person` is the key of the relative last spoken of, `list_key` that
    of an open list; their starts are places in the text."""

    speaker: str = ""
    person: str = ""
    person_start: int = 0
    person_named: bool = False
    list_key: str = ""
    list_start: int = 0

    def enter(self, speaker: str) -> None:
        """The user is the subject now."""
        self.speaker, self.person, self.list_key = speaker, "", ""

    def enter_person(self, key: str, start: int) -> None:
        self.speaker, self.list_key = "", ""
        self.person, self.person_start, self.person_named = key, start, False

    def enter_list(self, key: str, start: int) -> None:
        self.list_key, self.list_start = key, start

    def next_sentence(self) -> None:
        """Lists end with their sentence; a person may be gone on with."""
        self.speaker, self.list_key = "", ""
