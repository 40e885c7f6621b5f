"""Whether a text is a list of memories, or a program or a document that was chosen by mistake."""

from __future__ import annotations

import json
import re
from itertools import pairwise

__all__ = ["why_no_list"]

_BULLET = re.compile(r"\s*(?:[-*+•·–—▪◦‣>]|\d{1,4}[.)、]|\[[ xX]\])\s")
_CODE = re.compile(
    r"#!|#include\b|import [\w.]+(?: as \w+)?;?$|from [\w.]+ import |(?:async )?def \w+\("
    r"|class \w+[:({ ].*[:{]$|@\w+(?:\.\w+)*(?:\(.*\))?$|(?:if|elif|for|while|with|try|except|else)\b.*:$"
    r"|return\b.*[\w)\]};]$"
    r"|(?:export |public |private |static )*(?:function|const|let|var|fn|func|void|int)\b.*[({;=]"
    r"|[\w.\[\]]+ ?[-+*/|]?= ?\S|[\w.]+\(.*\)?[,;]?$|.*[;{]$|[)\]}]+[,;]?$|//|/\*|</?\w+[^>]*>$"
    r"|(?:SELECT|INSERT|CREATE|UPDATE|DELETE) \w"
)
_SURELY_CODE = re.compile(
    r"#!/|#include\b|import [\w.]+;?$|from [\w.]+ import |(?:async )?def \w+\("
    r"|import .* from [\"']|CREATE \w+ "
)
_OF_A_DOCUMENT = re.compile(r"(?:```|~~~)(?!te?xt|md|markdown)\w|\|.*\|$|!\[[^\]]*\]\(")
_ENDED = tuple(".!?:;。！？：；…”\"')")
_WRAPPED = 60  # characters of a line that goes on in the next one
_PARAGRAPH = 300  # characters
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")


def why_no_list(text: str) -> str | None:
    """What the text is instead of statements, one a line: None where it can be a list. Judged by shares of
    its lines, so that one odd line in a list does no harm."""
    if _is_json_value(text):
        return "a single JSON value"
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    code = sum(bool(_CODE.match(line.lstrip())) for line in lines if not _BULLET.match(line))
    surely = sum(bool(_SURELY_CODE.match(line.lstrip())) for line in lines)
    if surely >= 2 or (code >= 2 and code * 3 >= len(lines)):
        return "source code"
    marks = sum(bool(_OF_A_DOCUMENT.match(line)) for line in lines)
    going_on = sum(
        len(line) >= _WRAPPED
        and not line.endswith(_ENDED)
        and not _BULLET.match(after)
        and after.lstrip()[:1].islower()
        for line, after in pairwise(lines)
    )
    paragraphs = sum(
        len(line) > _PARAGRAPH and len(_SENTENCE_END.findall(line)) >= 3
        for line in lines
        if not _BULLET.match(line)
    )
    if marks >= 2 or (going_on >= 2 and going_on * 5 >= len(lines)) or paragraphs * 2 > len(lines):
        return "a document of running text"
    return None


def _is_json_value(text: str) -> bool:
    if text.lstrip()[:1] not in {*'"-0123456789tfn'}:
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
