"""The stems that the search index stores, computed in Python.

FTS5's tokenizer `porter unicode61` folds accents away and stems each word by M. F. Porter's algorithm ("An
algorithm for suffix stripping", Program 14, 1980). Ranking needs the same stems to look words up in the
lexicon and to find telling words of a message; a test compares both word by word.
"""

from __future__ import annotations

import itertools
import unicodedata
from functools import lru_cache

__all__ = ["stem"]

_VOWELS = frozenset("aeiou")
_LONGEST = 63  # bytes; FTS5 leaves longer words alone

# (suffix, what it becomes), tried in order; the first that fits ends the step.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"),
    ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def _consonants(word: str) -> list[bool]:
    """A y is a consonant at the beginning and after a vowel."""
    out: list[bool] = []
    for character in word:
        if character == "y":
            out.append(not out or not out[-1])
        else:
            out.append(character not in _VOWELS)
    return out


def _measure(word: str) -> int:
    """How many times a vowel is followed by a consonant: Porter's m."""
    kinds = _consonants(word)
    return sum(1 for before, here in itertools.pairwise(kinds) if here and not before)


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and word[-1] not in _VOWELS


def _ends_cvc(word: str) -> bool:
    return len(word) > 2 and _consonants(word)[-3:] == [True, False, True] and word[-1] not in "wxy"


def _plurals(word: str) -> str:
    if len(word) > 3 and word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(bare := word[: -len(suffix)]):
            break
    else:
        return word
    if bare.endswith(("at", "bl", "iz")):
        return bare + "e"
    if _ends_double(bare) and bare[-1] not in "lsz":
        return bare[:-1]
    return bare + "e" if _measure(bare) == 1 and _ends_cvc(bare) else bare


def _replaced(word: str, suffixes: tuple[tuple[str, str], ...]) -> str:
    for suffix, instead in sorted(suffixes, key=lambda pair: -len(pair[0])):
        if word.endswith(suffix):
            return word[: -len(suffix)] + instead if _measure(word[: -len(suffix)]) else word
    return word


def _cut(word: str) -> str:
    for suffix in sorted(_STEP_4, key=len, reverse=True):
        if word.endswith(suffix):
            bare = word[: -len(suffix)] + (suffix[0] if suffix in ("sion", "tion") else "")
            return bare if _measure(bare) > 1 else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        bare = word[:-1]
        if _measure(bare) > 1 or (_measure(bare) == 1 and not _ends_cvc(bare)):
            word = bare
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a token that `text.terms` gave. Numbers and Chinese come back as they are."""
    if not word.isascii():
        folded = unicodedata.normalize("NFD", word)
        word = (
            "".join(letter for letter in folded if not unicodedata.combining(letter))
            if folded != word
            else word
        )
    # FTS5 works on bytes: a letter outside ASCII is two consonants or more.
    octets = word.encode()
    if not 2 < len(octets) <= _LONGEST:
        return word
    word = octets.decode("latin-1")
    word = _past(_plurals(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _tidied(_cut(_replaced(_replaced(word, _STEP_2), _STEP_3)))
    return word.encode("latin-1").decode("utf-8", "replace")
