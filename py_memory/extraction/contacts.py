"""The user's own email address and telephone number, wherever in a sentence they stand: “put my gmail on the form:
…”. It is the sentence that tells whose they are."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .clauses import Clause, Found

__all__ = ["own_contacts"]

MAX_SENTENCE = 600  # characters; a longer one says many things
_MAIL = re.compile(r"(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w)")
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.@/:-])\+?\(?\d[\d ().-]{5,18}\d(?![A-Za-z0-9_@%$€£年月日号元块]|[.:]\d)"
)
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")
# The user says that it is theirs, or has it put into a form, a signature, a notice of theirs.
_OWN = re.compile(
    r"\b(?:my|me|mine|that's me|thats me|our|us)\b|[我俺咱]|本人"
    r"|\b(?:cv|resume|résumé|form|signature|business card|poster|flyer|listing|letterhead)\b.*\b(?:put|use|add|have|should|say)\b|\b(?:put|use|add|have)\b.*\b(?:cv|resume|résumé|form|signature|business card|poster|flyer|listing|letterhead)\b"
    r"|(?:简历|报名|名片|表格|问卷|启事|签名|落款|快递单|收件|投稿|登记|联系方式)[^。！？]{0,16}(?:填|写|用|留|印|栏|[:：])",
    re.IGNORECASE,
)
# Somebody else's, one that is no more, or one that is only spoken about.
_NOT_OWN = re.compile(
    r"\b(?:his|hers?|their|he|she|they|your|yours|someone|somebody|anyone|boss|manager|client|customer|friend|colleague|coworker|neighbou?r|teacher|doctor|dentist|landlord'?s?(?! form)|tenant|support|helpline|hotline|helpdesk|company's|school's"
    r"|mum|mom|dad|mother|father|wife|husband|partner|girlfriend|boyfriend|son|daughter|sister|brother|kid|aunt|uncle|gran\w*|niece|nephew|cousin"
    r"|old|former|previous|dead|used to|was|lost|fake|example|sample|dummy|placeholder|test|regex|valid|format|spam|scam\w*|whose|who's|order|account|invoice|tracking|serial|ticket|isbn|not|never|n't|called me|calls me|texted me|e-?mailed me|keeps? (?:calling|texting|e-?mailing)|got (?:a|an) (?:call|text|e-?mail)|my (?:e-?mails?|message|letter) to)\b"
    r"|[他她它你您谁]|上司|下属|父亲|母亲|叔|舅|姑|姨|伯|丈夫|妻子|岳|公公|婆婆|同学|室友|助理|秘书|亲戚|客户|客服|顾客|老板|领导|经理|同事|朋友|对方|房东|老师|医生|商家|卖家|买家|以前|之前|原来|旧|停用|不用了|注销|骗|陌生|哪里|示例|例如|比如|正则|格式|测试|订单|单号|账号|爸|妈|儿子|女儿|老公|老婆|爱人|对象|男友|女友|男朋友|女朋友|奶奶|爷爷|外婆|外公|哥|姐|弟|妹|收到|打来|来电|不是|没",
    re.IGNORECASE,
)
_BY_MAIL = re.compile(
    r"\b(?:e-?mail|gmail|mail|inbox|reach|contact|write|send|forward|signature|form|cv|resume|résumé|card|down as|put|use|add)\b|邮|联系|发|写|填|留|用|投稿",
    re.IGNORECASE,
)
_BY_PHONE = re.compile(
    r"\b(?:call|ring|text|phone|mobile|cell|number|landline|whatsapp|signal|telegram|reach|tel|down as|contact)\b|电话|手机|号码|的号|联系|打给|拨|座机|热线",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"(?:support|info|admin|hello|sales|contact|no-?reply|help|service|office|team|hr|jobs|careers|press|billing|test|example|user|name|abc|xxx)@",
    re.IGNORECASE,
)


def own_contacts(sentence: Clause) -> Iterator[Found]:
    """(key, value) of what a sentence, already without quotations and secrets, gives as the user's own."""
    text = sentence.text
    if len(text) > MAX_SENTENCE:
        return
    if ("@" not in text and not _PHONE.search(text)) or not _OWN.search(text):
        return
    for key, pattern, by in (
        ("user::contact::email", _MAIL, _BY_MAIL),
        ("user::contact::phone", _PHONE, _BY_PHONE),
    ):
        found = list(pattern.finditer(text))
        if len(found) != 1:  # of several none is known to be the right one
            continue
        (match,) = found
        value = match.group().strip(" .-(")
        behind = re.split(r"[,;，；。!?！？]", text[match.end() :], maxsplit=1)[0]
        around = f"{text[: match.start()]} {behind}"
        if _NOT_OWN.search(around) or not by.search(around) or _SHARED.match(value):
            continue
        if key.endswith("phone") and (
            not 7 <= sum(c.isdigit() for c in value) <= 15 or _DATE.fullmatch(value)
        ):
            continue
        yield Found(key, value, sentence.start, sentence.start + match.end())
