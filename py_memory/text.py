"""Text: cleaning, size estimates, and the segmenting that lets SQLite's full-text index find Chinese words.

FTS5's own tokenizers see a Chinese clause as one word (unicode61) or need three characters (trigram), so text
is cut here, before it reaches the index: Latin words as they are, every run of CJK characters as its single
characters and its pairs. A word of one or two characters is then one token; a longer one is a phrase of
pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime

from .errors import InvalidInputError, shown
from .marks import day_marks, spoken_marks

__all__ = [
    "cjk_runs",
    "clean",
    "detect_language",
    "estimate_tokens",
    "has_cjk",
    "match_all",
    "match_any",
    "normalize",
    "search_marks",
    "search_terms",
    "terms",
]

# Han with extensions and compatibility forms, kana without their punctuation, Hangul.
_CJK = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_PIECE = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
_MARKED = 20_000  # characters of a message that are read for days
_SURROGATE = re.compile("[\ud800-\udfff]")

# Words too common to help a question; they stay out of ranked queries, while exact search still finds them.
_COMMON = """
    a about again all also am an and any are as at be because been being but by can could did do does doing
    done each ever for from get got had has have having he her here hers him his how i if in into is it its
    itself just let like me more most much my myself no nor not of off on once one only or other our ours out
    over own please s same she should so some such t than that the their theirs them then there these they
    this those through to too up us very was we were what when where which while who whom whose why will with
    would you your yours
"""
_STOP_WORDS = frozenset(_COMMON.split())
_STOP_CHARACTERS = frozenset(
    "的了是在我你他她它们有和就不也都很吗呢吧啊么这那个要会能说对于与及或而被把给到从向为之其"
)
# Of a question, pairs that only ask.
_ASKING = """
    什么 怎么 怎样 如何 多少 多久 多长 多大 哪些 哪个 哪里 哪儿 哪位 哪种 哪座 哪年 哪天 为什 为何 几个
    几点 是谁 谁是 是什 是多 是哪 么是 么样 样的 么意 意思 请问 一下 一个 一些 这个 那个 哪一 可以 能不
    不能 有没 没有 时候 有哪 里的 我的 你的 他的 她的 的是 了什 吗我 我想 想知 知道 告诉 诉我 还记 记得
    请你 帮我
"""
_ASKING_PAIRS = frozenset(_ASKING.split())


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """Replaces what SQLite or UTF-8 cannot carry (NUL, lone surrogates) by U+FFFD.

    Returns the text and codes of what was changed: "nul_replaced", "surrogate_replaced". Raises
    InvalidInputError for anything but a text.
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"A text is expected here, not {shown(text)}.")
    notes: list[str] = []
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        notes.append("nul_replaced")
    if _SURROGATE.search(text):
        # A pair of surrogates that arrived as two characters is one real character.
        paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if paired.count("\ufffd") > text.count("\ufffd"):
            notes.append("surrogate_replaced")
        text = paired
    return text, tuple(notes)


def has_cjk(text: str) -> bool:
    return _CJK_CHARACTER.search(text) is not None


def cjk_runs(text: str) -> list[str]:
    """Every run of CJK characters."""
    return [match.group() for match in _PIECE.finditer(text) if has_cjk(match.group())]


def detect_language(text: str) -> str:
    """ "zh" if a text outside code has as many CJK characters as Latin words, or more; else "en"."""
    wide = narrow = 0
    for match in _PIECE.finditer(_CODE.sub(" ", text)):
        if has_cjk(match.group()):
            wide += len(match.group())
        else:
            narrow += not match.group().isdigit()
    return "zh" if wide and wide >= narrow else "en"


def estimate_tokens(text: str) -> int:
    """Model tokens without a tokenizer: a CJK character counts 1/1.5, any other 1/3, rounded up."""
    wide = len(_CJK_CHARACTER.findall(text))
    return -(-(2 * wide + (len(text) - wide)) // 3)


def normalize(text: str) -> str:
    """Compatibility forms folded (NFKC), lower case: what search compares."""
    return unicodedata.normalize("NFKC", text).lower()


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    for match in _PIECE.finditer(normalize(text)):
        piece = match.group()
        yield piece, not piece.isascii() and has_cjk(piece)


def terms(text: str, *, for_query: bool = False) -> list[str]:
    """The tokens of a text in order, without what is too common to help. A query of a longer CJK run leaves
    its single characters out."""
    out: list[str] = []
    for piece, wide in _pieces(text):
        if not wide:
            if piece not in _STOP_WORDS:
                out.append(piece)
            continue
        pairs = [piece[i : i + 2] for i in range(len(piece) - 1)]
        if not (for_query and pairs):
            out.extend(character for character in piece if character not in _STOP_CHARACTERS)
        passed_over = _ASKING_PAIRS if for_query else frozenset()
        out.extend(pair for pair in pairs if pair not in passed_over and not set(pair) <= _STOP_CHARACTERS)
    return out


def search_terms(text: str | None) -> str:
    """What the index stores for a text: its tokens, space separated. Registered in SQLite under this name."""
    return " ".join(terms(text)) if text else ""


def search_marks(speaker: str | None, created_at: int | None, content: str | None = None) -> str:
    """Searchable marks of a message: its speaker's name, its UTC date as xy2026 xm11 xd1130, and the days it
    speaks of."""
    marks = terms(speaker) if speaker else []
    if created_at is not None:
        try:
            marks += day_marks(datetime.fromtimestamp(created_at / 1000, UTC).date())
        except (OverflowError, OSError, ValueError):  # a clock far outside the calendar
            return " ".join(marks)
        if content:
            marks += spoken_marks(normalize(content[:_MARKED]), created_at)
    return " ".join(dict.fromkeys(marks))


def _quoted(tokens: list[str]) -> list[str]:
    return [f'"{token}"' for token in dict.fromkeys(tokens)]


def match_any(text: str, *, limit: int = 64) -> str:
    """FTS5 query of the tokens of a question joined by OR; "" if nothing in it can be searched for."""
    return " OR ".join(_quoted(terms(text, for_query=True))[:limit])


def match_all(text: str, *, limit: int = 64) -> str:
    """FTS5 query that every text containing `text` as whole words or CJK characters satisfies; "" if the
    index cannot help. The first and last Latin word may be part of a longer one, so they are left to the
    caller's own check, and so is what the index leaves out as too common. Of `text` its first `limit` tokens
    are used."""
    pieces = list(_pieces(text))
    # Words without CJK between them, and the pairs of a run, follow one another in the index too.
    phrases: list[list[str]] = [[]]
    for index, (piece, wide) in enumerate(pieces):
        if wide:
            parts = [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
            phrases += [[part for part in parts if not set(part) <= _STOP_CHARACTERS], []]
        elif 0 < index < len(pieces) - 1 and piece not in _STOP_WORDS:
            phrases[-1].append(piece)
    out: list[str] = []
    for phrase in phrases:
        if limit > 0 and phrase:
            out.append(" ".join(phrase[:limit]))
            limit -= len(phrase)
    return " AND ".join(_quoted(out))
