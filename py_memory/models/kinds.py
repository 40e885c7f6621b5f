"""Which kind of fact a person names: “where I live” and 住址 are the key of their home."""
# ruff: noqa: E501 -- a rule is one line

from __future__ import annotations

import re

__all__ = ["keys_asked", "keys_named", "keys_of_verb", "other_asked_about"]

# A whole topic and the keys it may stand for, the likeliest first.
_NAMED = tuple(
    (re.compile(rf"(?:(?:my|our|the) (?:own )?)?(?:{english})|(?:我们?家?的?|我现在的?)?(?:{chinese})", re.IGNORECASE), keys)
    for english, chinese, keys in (
        (r"where (?:I|we)(?:'m| am)? (?:live|living|reside)|home|residence|(?:home )?(?:town|city)|place I live", r"住在?(?:哪里?|哪儿|什么地方|何处)|住处|家在哪里?|居住地|住的地方", ("user::home", "user::address")),
        (r"(?:home |postal |street |mailing )?address", r"(?:家庭|通讯|联系)?地址|住址", ("user::address", "user::home")),
        (r"(?:(?:mobile|cell|tele)?[ -]?(?:phone)|mobile|cell)(?: number)?", r"(?:联系)?(?:电话|手机)(?:号码?)?", ("user::contact::phone",)),
        (r"e-?mail(?: address)?", r"(?:电子)?邮[箱件](?:地址)?", ("user::contact::email",)),
        (r"(?:full |first |last )?name|what I(?:'m| am) called|who I am", r"名字|姓名|叫什么(?:名字)?|是谁", ("user::name",)),
        (r"birthday|birth ?date|date of birth|when I was born", r"生日|出生日期|什么时候(?:出生的?|生日)|哪天生日", ("user::birthday",)),
        (r"age|how old I am", r"年龄|岁数|几岁|多大", ("user::age",)),
        (r"diet|dietary \w+|what I (?:do |can )?(?:not |don't |can't )?eat|eating habits|how I eat", r"饮食(?:习惯|偏好)?|忌口|(?:不能)?吃什么|不吃什么", ("user::diet",)),
        (r"allerg(?:y|ies)|what I(?:'m| am) allergic to", r"对什么过敏|过敏(?:原|史)?", ("user::allergy",)),
        (r"where I work|(?:place of )?work|workplace|employer|who I work for|company", r"在(?:哪里?|哪儿|什么公司|哪家公司)(?:工作|上班)|工作单位|公司", ("user::work", "user::job")),
        (r"job|occupation|profession|what I do(?: for a living)?", r"职业|工作|做什么(?:工作)?的?", ("user::job", "user::work")),
        (r"home ?town|where I(?:'m| am| come) from|where I was born|origin", r"老家|家乡|籍贯|是?哪里人|来自哪里", ("user::hometown",)),
        (r"language", r"语言", ("user::language", "user::speaks")),
        (r"likes|what I like", r"喜好|爱好|喜欢什么", ("user::likes",)),
        (r"dislikes|what I (?:dislike|don't like|hate)", r"不喜欢什么|讨厌什么", ("user::dislikes",)),
    )
)  # fmt: skip
# What is said to be over may name its kind by a verb alone: “I don't live there any more”.
_VERBS = (
    (re.compile(r"\b(?:live|living)\b|住", re.IGNORECASE), ("user::home", "user::address")),
    (re.compile(r"\b(?:work|working)\b|工作|上班|任职", re.IGNORECASE), ("user::work", "user::job")),
    (re.compile(r"\b(?:like|love|enjoy|liking)\b|喜欢|爱", re.IGNORECASE), ("user::likes", "user::favorite")),
    (re.compile(r"\b(?:hate|dislike)\b|讨厌", re.IGNORECASE), ("user::dislikes",)),
    (re.compile(r"\ballergic\b|过敏", re.IGNORECASE), ("user::allergy",)),
    (re.compile(r"\bstud(?:y|ying)\b", re.IGNORECASE), ("user::studies",)),
)  # fmt: skip


def keys_named(topic: str) -> tuple[str, ...]:
    """The keys that a topic names as a whole, none for a topic such as “my dinner with Anna”."""
    topic = topic.strip().rstrip("的了吧")
    return next((keys for pattern, keys in _NAMED if pattern.fullmatch(topic)), ())


# A question as a topic: “where do I live” asks for “where I live”, “what's my job” for “my job”.
_LEADS_IN = re.compile(
    r"^(?:(?:please|so|and|well|ok|okay|hey|now|do you (?:know|remember)|can you (?:tell|remind) me|(?:tell|remind) me)\b[,\s]*)+|^(?:请问|那么?|你(?:还)?(?:知道|记得)|告诉我|[，,\s])+",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"(?P<what>what|where|who|how old|when)(?: (?:do|did) (?P<i>I|we)|(?: am|'m) (?P<am>I))\b(?P<rest>.*)|(?:what|who|when|where)(?:'s| is| are|'re) (?P<noun>(?:my|our) .+)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:\s+(?:now|again|currently|these days|at the moment|right now|most|best|called)|(?:是|有)?(?:什么|哪些|哪里|哪儿|多少|几号?|谁|啥)(?:来着)?|来着|[呢啊呀了的])$", re.IGNORECASE)  # fmt: skip


def keys_asked(question: str) -> tuple[str, ...]:
    """The keys whose values answer a question that asks for nothing else: “Where am I living?”, 我做什么工作？"""
    topic = _LEADS_IN.sub("", question.strip().replace("’", "'").rstrip("?？.。!！ "))
    if match := _INVERTED.fullmatch(topic):
        who = match["i"] or (f"{match['am']} am" if match["am"] else "")
        topic = match["noun"] or f"{match['what']} {who}{match['rest']}"
    topic = re.sub(r"^我(?:现在|目前|平时|们)*(?:都|是|到底)?", "我", topic)
    for said in (topic, _ENDS.sub("", topic)):
        if keys := keys_named(said):
            return keys
    return ()


def keys_of_verb(said: str) -> tuple[str, ...]:
    return next((keys for pattern, keys in _VERBS if pattern.search(said)), ())


# “my cat's name”, “how old is my sister”, 我的猫叫什么: what is asked is not the user's own.
_OF_ANOTHER = re.compile(
    r"\bmy (?!own\b|full\b|first\b|last\b)(?P<a>[\w-]+(?: [\w-]+)?)(?:'s\b|s' | (?:called|named|live|work|born)\b)"
    r"|\b(?:name|age|birthday|job|home|address|number|e-?mail)s? of my (?P<b>[\w-]+)|\bhow old (?:is|are) my (?P<c>[\w-]+)"
    r"|我(?:的|家的?)?(?P<d>(?!的|家|们|现在|目前|平时|以前|之前|到底|名字|姓名|全名|手机|电话|住|叫|在|是|多)[\u3400-\u9fff]{1,4}?)"
    r"(?:叫什么|叫啥|的?名字|多大|几岁|的?年龄|的?生日|住在?哪|在哪里?工作|做什么工作|的?电话)",
    re.IGNORECASE,
)


def other_asked_about(question: str) -> str:
    """Whom or what of the user's a question is about, in its words; "" where it is about the user."""
    found = _OF_ANOTHER.search(question.replace("’", "'"))
    return next(filter(None, found.groups()), "") if found else ""
