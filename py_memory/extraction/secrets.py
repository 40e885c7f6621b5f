"""Where passwords, keys, tokens, card and identity numbers stand in a text."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["names_a_secret", "secret_spans", "without_secrets"]

# Each with what a text must hold, in small letters, for the pattern to be tried: most texts hold none of it, and
# looking for a word is far quicker than trying a pattern at every place.
_SECRETS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (
        ("-----begin",),
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
        ),
    ),
    (
        (
            *(
                "sk-",
                "sk_",
                "pk-",
                "pk_",
                "rk-",
                "rk_",
                "ghp_",
                "gho_",
                "ghu_",
                "ghs_",
                "ghr_",
                "github_pat_",
            ),
            *("glpat-", "akia", "aiza", "xox", "hf_", "mt_", "eyj"),
        ),
        re.compile(
            r"\b(?:sk|pk|rk)[-_](?:live|test|ant|proj|or)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
            r"|\bglpat-[\w-]{16,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\bxox[abprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{20,}"
            r"|\bmt_[A-Za-z0-9]+_[A-Za-z0-9_-]{8,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
        ),
    ),
    (
        (
            *("pass", "pwd", "pin", "cvv", "cvc", "code", "key", "login", "credential", "secret", "token"),
            *("otp", "phrase"),
        ),
        re.compile(
            r"\b(?:pass ?word|passwd|passcode|pass ?phrase|pwd|pin(?: code| number)?|cvv|cvc|security code|api[ _-]?key"
            r"|access[ _-]?key|wi-?fi key|network key|encryption key|private key|login|credentials|door code|gate code|alarm code|unlock code|license key|secret(?: key)?(?!(?: key)?s? (?!(?:key|access|code|word|phrase|pass\w*|pin|token|number|string|value|id|answer|for|of|to|on|in|at|from|with|is|was|are|here|now|today|and|that|I|we|you|it)\b)[a-z]+\b)|(?:auth|access|api|bearer)[ _-]?token|otp|seed phrase|recovery (?:code|phrase))s?\b"
            r"[^\n.!?]{0,40}?(?:\bis\b|'s\b|\bare\b|\bwas\b|[:=])\s*[^\n]{2,}",
            re.IGNORECASE,
        ),
    ),
    (
        ("pass", "pwd"),
        re.compile(
            r"\b(?:user(?:[ _-]?name)?|log-?in|account|e-?mail)[ \t]*[:=][ \t]*\S{1,100}[ \t,;/|]+(?:and )?(?:password|passwd|pass|pwd)\b[ \t]*[:=]?[ \t]*\S{3,}"
            r"|(?:^|[,;/|(])[ \t]*pass[ \t]*[:=][ \t]*[^\s,;|)]{3,}(?=[ \t]*(?:$|[,;|)]))",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    (
        ("://",),
        re.compile(r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/?#:@]{0,200}:[^\s/?#]{1,200}@(?=\w|\[)", re.IGNORECASE),
    ),
    (("bearer",), re.compile(r"\bbearer\s+[\w.~+/-]{16,}", re.IGNORECASE)),
    (
        (*("密码", "口令", "验证码", "密钥", "私钥", "助记词", "安全码", "令牌", "卡号", "身份证"),),
        re.compile(
            r"(?:密码|口令|验证码|密钥|私钥|助记词|安全码|令牌|卡号|身份证号?码?)[^\n。！？]{0,8}?(?:是|为|[:：=])\s*[^\n]{2,}"
        ),
    ),
    (
        ("密码", "口令", "验证码", "卡号"),
        re.compile(r"(?:密码|口令|验证码|卡号|账号密码)\s*[A-Za-z0-9_@#$%^&*!-]{4,}"),
    ),
)
_FORMS = re.compile("|".join(sorted(re.escape(word) for needed, _ in _SECRETS for word in needed)))
# The same for what consists of digits, and for long words without a meaning: any place that could be one.
_NUMBER = re.compile(r"[\d -]{11}")
_LONG = re.compile(r"[A-Za-z0-9_+/-]{24}")
_NUMBERS = (
    re.compile(r"\b\d{3}-\d{2}-\d{4}\b"),
    re.compile(r"(?<![0-9])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx](?![0-9])"),
)
_DIGITS = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?!\.?\d)")
# An id's digits may pass for a card's; a saved state whose ids are hidden cannot be taken up again.
_ID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_RANDOM = re.compile(
    # A short word fails at once.
    r"(?<![\w/.@+-])(?=[A-Za-z0-9_+/-]{24})(?=[A-Za-z0-9_+/-]*[A-Z])(?=[A-Za-z0-9_+/-]*[a-z])(?=(?:[A-Za-z_+/-]*\d){4})[A-Za-z0-9_+/-]{24,}={0,2}"
)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where passwords, keys, tokens, card and identity numbers stand."""
    spans: list[tuple[int, int]] = []
    if _LONG.search(text):
        spans += [match.span() for match in _RANDOM.finditer(text)]
    small = _small(text)
    if _FORMS.search(small):
        for needed, pattern in _SECRETS:
            if any(word in small for word in needed):
                spans += [match.span() for match in pattern.finditer(text)]
    if _NUMBER.search(text):
        spans += [match.span() for pattern in _NUMBERS for match in pattern.finditer(text)]
        cards = [match.span() for match in _DIGITS.finditer(text) if _is_card(match.group())]
        ids = [match.span() for match in _ID.finditer(text)] if cards else []
        spans += [card for card in cards if not any(begin < card[1] and card[0] < end for begin, end in ids)]
    return sorted(spans)


def _small(text: str) -> str:
    """In small letters, as patterns that ignore case compare them: İ, ı, ſ and K pass for letters of ASCII."""
    return text.lower() if text.isascii() else text.replace("İ", "i").replace("ı", "i").casefold()


def _is_card(digits: str) -> bool:
    """Luhn's check over the digits of a card number."""
    numbers = [int(d) for d in digits if d.isdigit()][::-1]
    doubled = (n if i % 2 == 0 else n * 2 - 9 * (n > 4) for i, n in enumerate(numbers))
    return len(set(numbers)) > 1 and sum(doubled) % 10 == 0


_SECRET_NAME = re.compile(
    r"(?:^|[^a-z])(?:pass ?word|passwd|pwd|passphrase|passcode|pin|otp|cvv|secret|(?:api|private)[_ -]?key|credential)s?(?:$|[^a-z])|(?:^|[^a-z])(?:token|authorization)(?:$|[^a-z])|密码|口令|密钥|令牌|验证码",
    re.IGNORECASE,
)
# What a key of a fact may also call one; in the JSON of other programs such a name is often that of something else.
_SECRET_KEY = re.compile(
    r"(?:^|[^a-z])(?:pass|pw|log-?in|cvc|ssn|(?:wi-?fi|network|access|encryption|security|license|recovery|ssh|door|gate|alarm|unlock|safe)[ _:-]*(?:key|code)"
    r"|(?:seed|recovery)[ _:-]*(?:phrase|word)|(?:card|social security)[ _:-]*number)s?(?:$|[^a-z])|pass(?:word|phrase|code)|卡号|身份证号|私钥|助记词|安全码",
    re.IGNORECASE,
)
_HIDDEN = "•••"


def names_a_secret(key: str) -> bool:
    """Whether what stands under a fact's key is a secret by the key alone: user::wifi_password."""
    return bool(_SECRET_NAME.search(key) or _SECRET_KEY.search(key))


def without_secrets(value: Any) -> Any:
    """A JSON value with a mark in the place of secrets: in its texts, and what is kept under a secret's name."""
    if isinstance(value, str):
        pieces, done = [], 0
        for begin, end in secret_spans(value):
            if end > done:
                pieces += [value[done : max(begin, done)], _HIDDEN if begin >= done else ""]
                done = end
        return "".join((*pieces, value[done:]))
    if isinstance(value, Mapping):
        return {
            without_secrets(name): _HIDDEN
            if isinstance(item, str | int) and item is not True and item and _SECRET_NAME.search(str(name))
            else without_secrets(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    return value
