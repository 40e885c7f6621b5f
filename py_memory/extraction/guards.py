"""What keeps a sentence from being taken as a fact: it asks, supposes, jokes, plays, quotes, or holds a secret."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Sentence", "holds_secret", "is_off_the_record", "sentences"]


@dataclass(frozen=True)
class Sentence:
    """A sentence as the user wrote it. `is_doubtful`: not stated as true."""

    text: str
    is_doubtful: bool
    has_secret: bool


_OFF_THE_RECORD = re.compile(
    r"\b(?:do not|don'?t|never|please don'?t)\s+(?:you\s+)?(?:remember|save|store|record|memori[sz]e|keep|note|log)\s+"
    r"(?:this|that|it|any of this|what i)"
    r"|\boff the record\b|\bforget (?:that )?i (?:just )?said\b|\bbetween us\b"
    r"|(?:不要|别|不用|不许|千万别|请勿)(?:去)?(?:记住|记下|记录|保存|存|记)(?!得)",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"\b(?:just kidding|only kidding|kidding|jk|j/k|joking|just a joke|as a joke|sarcasm)\b|/s\b"
    r"|开玩笑|玩笑话|说笑|逗你|骗你的|闹着玩",
    re.IGNORECASE,
)
_PLAY = re.compile(
    r"\b(?:pretend|role-?play\w*|act as|acting as|play the (?:role|part)|imagine (?:that )?(?:i|you|we)|let'?s play|"
    r"in (?:this|the|my) (?:story|novel|game|scene)|my character|write (?:me )?a (?:story|scene|dialogue|poem|letter))\b"
    r"|扮演|假装|角色扮演|想象一下|假想|写(?:一)?(?:个|篇|首|段)(?:故事|小说|对话|剧本|诗)|故事里|小说里|游戏里",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|supposing|assuming|what if|hypothetically|would|could|might|may|maybe|perhaps|"
    r"probably|possibly|wish|hope|in case|as if|thinking (?:of|about)|not sure|no idea|wondering|used to)\b"
    r"|如果|假如|要是|假设|假使|倘若|万一|也许|可能|或许|说不定|大概|好像|不确定|希望|但愿|想要是|的话",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"[?？]\s*[\"'”’)）]*\s*$"
    r"|^\s*(?:do|does|did|am|is|are|was|were|can|could|should|would|will|have|has|what|when|where|which|who|why|how)\b"
    r"(?!\s+i\s+(?:need|want)\b)"
    r"|(?:吗|呢|么|吧)[。.!！~～]*\s*$|^(?:谁|什么|哪|怎么|为什么|为何|几时|多少|是不是|有没有)|是不是|有没有|什么时候",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:he|she|they|someone|somebody|everyone|people|the (?:man|woman|guy|article|book|text|email|assistant|bot|ai)|"
    r"my (?:boss|friend|wife|husband|mom|mother|dad|father|sister|brother|colleague|neighbou?r|teacher|doctor)|you|[A-Z][a-z]+)"
    r"\s+(?:said|says|wrote|writes|told|tells|claims?|claimed|thinks?|thought|believes?|asked|replied|goes)\b"
    r"|(?:他|她|它|他们|她们|有人|别人|大家|朋友|同事|老板|老师|医生|妈妈|爸爸|老婆|老公|书里|文章里|你)(?:们)?"
    r"(?:说|写|告诉|认为|觉得|问|回答|声称)",
)
_MASKED = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"`[^`\n]*`"),
    re.compile(r"^\s*>.*$", re.MULTILINE),
    re.compile(r"[“「『《][^”」』》]*[”」』》]"),
    re.compile(r"\"[^\"\n]*\""),
    re.compile(r"(?<!\w)'[^'\n]{3,}'(?!\w)"),
    re.compile(r"<(memory|notes|recall)\b.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"^-{5}$.*?(?:^-{5}$|\Z)", re.DOTALL | re.MULTILINE),
)
_BREAK = re.compile(r"(?<=[。！？!?；;\n])|(?<=[.])(?=\s+(?:[A-Z\"“(]|$))")

_SECRET = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_-]{12,}"
    r"|\bAKIA[0-9A-Z]{12,}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{20,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bmt_[A-Za-z0-9]+_[A-Za-z0-9_-]{16,}"
    r"|\b(?:pass(?:word|code|phrase|wd)?|pwd|pin(?: code)?|cvv|secret|api[ _-]?key|access[ _-]?token|token|private key|"
    r"ssn|social security)(?:\s+(?:for|of|to)\s+[\w\s]{1,30}?)?\s*(?:is|are|=|:|was)\s*\S+"
    r"|(?:密码|口令|密钥|验证码|支付密码|身份证号?|私钥|令牌|银行卡号?)[^，。,.\n]{0,8}?(?:是|为|=|:|：)\s*\S+",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?:\d[ -]?){13,19}")


def is_off_the_record(text: str) -> bool:
    """The user said not to remember this, meant it as a joke, or is playing a part: the whole message is left alone."""
    visible = _masked(text)
    return any(pattern.search(visible) for pattern in (_OFF_THE_RECORD, _JOKE, _PLAY))


def holds_secret(text: str) -> bool:
    """Passwords, keys, tokens, and card numbers that pass the Luhn check (ISO/IEC 7812-1)."""
    return bool(_SECRET.search(text)) or any(_luhn(match.group()) for match in _DIGITS.finditer(text))


def _luhn(digits: str) -> bool:
    numbers = [int(c) for c in digits if c.isdigit()]
    doubled = [d * 2 - 9 * (d > 4) if i % 2 else d for i, d in enumerate(reversed(numbers))]
    return len(numbers) >= 13 and sum(doubled) % 10 == 0


def _masked(text: str) -> str:
    """Quotes, code and what memory itself wrote are blanked, keeping every position."""
    for pattern in _MASKED:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", "\x00", match.group()), text)
    return text


def sentences(text: str) -> list[Sentence]:
    """The sentences outside quotes and code, in order."""
    out = []
    secret = holds_secret(text)
    for part in _BREAK.split(_masked(text)):
        part = part.strip()
        if not part.replace("\x00", "").strip():
            continue
        doubtful = any(pattern.search(part) for pattern in (_SUPPOSED, _ASKED, _REPORTED)) or "\x00" in part
        out.append(Sentence(part, doubtful, secret and holds_secret(part)))
    return out
