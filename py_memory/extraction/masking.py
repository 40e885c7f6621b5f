"""What in a message is not said by the user: code, quotations, other people's lines, and secrets. Unsafe spans
are masked character by character, so that places in the text stay."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .secrets import secret_spans

__all__ = ["MASK", "masked", "straight", "without_fences", "without_quotations"]

MASK = "\ufffc"

# A fence of code as Markdown has it, in quotations and lists too, with what stands behind its opening.
_FENCE = re.compile(
    r"^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*([^\n]*)$", re.MULTILINE
)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTED_LINE = re.compile(
    r"^[ \t]*(?:>|\{|\[\{|</?\w|\$ |\w+ ?= ?[\"'{\[]|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\[?(?:INFO|ERROR|WARN|WARNING|DEBUG|FATAL|TRACE)\b|(?:const|let|var|def|return|import|from \w+ import|class|function|public|private|if \w+ ==) ?[\w(\"'{]+ ?[=({:.\"']|(?:print|console\.log|printf|echo|alert|log)\b ?[(\"']|(?:INSERT INTO|SELECT .{1,60} FROM|UPDATE \w+ SET|DELETE FROM)\b|#include|//|/\*|# ).*$|^.*\b(?:INSERT INTO|console\.log|System\.out|SELECT \* FROM)\b.*$",
    re.MULTILINE,
)
_TAGGED = re.compile(r"<(\w[\w-]*)[^<>]{0,200}>.{0,2000}?</\1>", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_LABELLED = re.compile(
    r"^[ \t]*(?!(?:(?:my|our|I|I'm|we|put|use|add|add my|send|here's) [^:\n]{0,30}|[^:\n]{0,24}\b(?:my|me|mine)\b[^:\n]{0,24})[:：]|[^:：\n]{0,8}(?:我的|简历|报名|名片|联系方式|填一?下)[^:：\n]{0,8}[:：])(?!(?:(?:fyi|btw|ok|okay|oh|so|right|hey|hi|hello|well|and|also|just|ps|thanks|thx|please|pls|yes|no|alright|anyway|now|quick one),? )*(?:(?:okay |ok )?before (?:we|I|you) \w+|help me \w+|help|(?:one|two|some|a few) (?:more )?things?(?: about me)?|(?:my |the )?(?:question|problem|situation|background|request|task|goal|setup|story so far)|recipe (?:ideas?|request)|advice (?:needed|please)|(?:the )?(?:truth|thing|fact|point|reason) is|decision made|decided|verdict|(?:life|job|work|family|health|weather|home) update|(?:I|we|I'm|I've|my|our)\b[^:\n]{0,40}|important|allerg(?:y|ies)|(?:add|put|stick|pop)(?: this)? (?:to|on|onto|in) (?:my |the )?(?:to[- ]?do|list|tasks?)(?: list)?|(?:if|for) the (?:form|record|file)[\w ]{0,12}|to[- ]?do|whatsapp|signal|telegram|mobile|cell|tel|(?:please )?(?:don't|do not|dont) forget(?: this)?|final (?:answer|decision)|jot (?:this |it )?down|note|notes|fyi|ps|p\.s|btw|by the way|update|reminder|about me|me|to-?do|done|finished|(?:so )?about me|(?:a )?bit about me|quick intro|intro|my details|for the record|make a note|take a note|note to self|context|background|fun fact|facts?|good news|(?:big )?news|confession|(?:quick|small|little|side|short|one) (?:note|update|one|fact|thing|correction)|(?:i |i've |we )?(?:have |got |have got |just got )?(?:an? |the )?(?:new )?(?:phone |mobile |cell )?(?:number|e-?mail|address|phone)|fav(?:e|ou?rite)? [\w ]{1,14}|(?:please )?keep in mind|quick update|remember(?: this)?"
    r"|please remember(?: this)?|hi|hello|待办加.{0,3}|联系我|备忘|记住|请记住|记一下|待办|补充|注意|关于我|提醒|完成|已完成|我[的家].{1,6}|.{0,4}(?:记一下|记下来?|记着|记住|待办|记一笔|记录)|(?:家庭|收货|新)?(?:地址|住址)|.{0,2}(?:电话|手机号?|邮箱|坐标|生日|爱好)|我?最(?:喜欢|爱)的.{1,6}|关于我.{0,2}|自我介绍|更新|(?:here(?:'s| is) )?(?:my|our) [\w -]{1,16}|(?:I|we) (?:have|'ve got|love|like|speak|can't eat|don't eat) [\w -]{1,24})[ \t]*[:：])"
    r"(?:[A-Za-z][\w .'-]{0,30}|[\u3400-\u9fff]{1,8})[:：](?!//|(?<=\d[:：])\d|-?[()DPp3](?:\s|$))[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
# A quotation that is never closed reaches to the end of its line.
_IN_QUOTES = re.compile(
    r"\"[^\"\n]{2,}\"|“[^”\n]{2,}(?:”|$)|«[^»\n]{2,}(?:»|$)|「[^」\n]{2,}(?:」|$)|『[^』\n]{2,}(?:』|$)|《[^》\n]{2,}(?:》|$)"
    r"|(?<![\w])'[^'\s]*\s[^'\n]*'(?!\w)",
    re.MULTILINE,
)


def masked(text: str) -> str:
    """The text with code, quotations, other people's lines and secrets masked, of the same length."""
    text = straight(text)
    secrets = secret_spans(text)
    text = without_fences(text)  # first: what passes for a secret may reach over the opening of a fence
    pieces, done = [], 0
    for begin, end in secrets:
        if end > done:
            pieces += [text[done:begin], MASK * (end - max(begin, done))]
            done = end
    return without_quotations("".join((*pieces, text[done:])))


def without_quotations(text: str) -> str:
    text = without_fences(text)
    for pattern in (_CODE, _TAGGED, _TAG, _QUOTED_LINE, _LABELLED):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", MASK, match.group()), text)
    return _IN_QUOTES.sub(_quotation, text)


def without_fences(text: str) -> str:
    """A fence ends with a line of as many of its own characters, or with the text. One with words behind it opens
    even inside another: it is that of an attached file, whatever the user has left open before it."""
    fences = list(_FENCE.finditer(text))
    pieces, done = [], 0
    for number, opening in enumerate(fences):
        begin = opening.start()
        if begin < done and not opening[2].strip():
            continue
        end = next((later.end() for later in fences[number + 1 :] if _closes(later, opening[1])), len(text))
        if end > done:
            pieces += [text[done : max(begin, done)], re.sub(r"[^\n]", MASK, text[max(begin, done) : end])]
            done = end
    return "".join((*pieces, text[done:]))


def _closes(fence: re.Match[str], opening: str) -> bool:
    return fence[1].startswith(opening) and not fence[2].strip()


def _quotation(match: re.Match[str]) -> str:
    """A quoted sentence is somebody's words; a single quoted name is only emphasis."""
    inner = match.group()[1:-1]
    if (
        re.search(r"\b(?:I|I'm|my|me|we|remember|remind)\b|[我咱记]", inner, re.IGNORECASE)
        or len(inner.split()) > 3
    ):
        return MASK * len(match.group())
    return f"'{inner}'" if match.group().startswith("《") else f" {inner} "


def straight(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'")
