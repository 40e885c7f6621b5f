"""The last look at a value: what a rule cut out must read as one thing, and not as a piece of a sentence.

A value ends where its clause does, so that a verb, a pronoun or a word that joins sentences in it means that it
was cut in the wrong place. Better nothing then than something garbled.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .lexicon_en import JOB, LANGUAGES
from .lexicon_zh import ALLERGENS
from .values_zh import place_in

__all__ = ["proved"]

# What no value begins or ends with, holds, or is, in either language.
_BROKEN = re.compile(
    r"^(?:because|so|if|and|or|but|than|then|is|are|was|were|be|been|it|them|these|those|there|here|when|how|what|why|where|up|down|away|please|thanks|thank|ok|okay|yes|no|sorry|bye|lol)\b"
    r"|\b(?:my|our|your|is|are|was|were|be|that|very|really|if|please|thanks|lol|haha)$"
    r"|(?:^|\s)(?:I|I'm|I've|I'd|I'll|you're|we're|they're|he's|she's|it's|don't you|isn't it)(?=\s|$)"
    r"|^[又了的得着过吗呢吧嘛么和跟与及或但而因所]|[和跟与及或但而把被让在]$|^[A-Za-z]$|[吗呢么？?]|帮我|给我|因为|所以|但是|不过|如果|要是|什么|怎么|为啥|多少",
)
_JOINING = re.compile(
    r"(?:,? (?:and|or|but|with|so|because|than|to|of|for|from|the|an?|incredibly|extremely|really|absolutely|totally|utterly|completely|in the end|after all|eventually))+$|[和跟与及或但而]$",
    re.IGNORECASE,
)
# A thing has no verb of its own, and nothing is compared with it.
_NO_THING = re.compile(
    r"\b(?:is|are|was|were|has|had|does|did|doesn't|don't|didn't|isn't|aren't|can't|won't|wouldn't|gets?|got|makes|made|says?|said|needs?|wants?|feels?|nobody|everybody|someone|the \w+er the|any day|no contest|hands down|afterwards?|in anything|in everything|slides?|fonts?|paragraphs?|drafts?|wording|phrasing|layout|versions?|bullet points?|output)\b"
    r"|^(?:have|get|am|go|make|do|need|want|feel|keep|take|put|can|will|would|should|your|you)\b|^(?:the )?(?:first|second|third|last|other|next|previous|new|old|shorter|longer|short|long|better|more \w+) (?:answers?|versions?|options?|ones?|repl(?:y|ies)|ideas?|drafts?|parts?|lines?|sentences?|paragraphs?|titles?|suggestions?)$"
    r"|^第[一二三四五六七八九十\d两]|^[这那][个种段句]|(?:版本?|方案|开头|结尾|回答|答案|说法|写法|思路|配色|标题)$|[^不]也不",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(
    r"^(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|^(?:周|星期|礼拜)[一二三四五六日天]", re.IGNORECASE
)
# Liked in passing, or nothing in particular.
_NO_LIKING = re.compile(
    r"^(?:(?:an? )?(?:good|nice|bit of|little|proper) |(?:\w*days?|weekends?|deadlines?|drama|it|people|things?|stuff|ideas?|life|men|women|kids|myself|complaints.*|grudges|excuses|dust|problems|mistakes)$|.*\b(?:I|we|you|your|you're|lie|said|mine)\b|(?:run|lose|forget|miss|find|hear|see|leave|lie|know|say) |(?:听|看|说|走|做|吃|想|短|长|快|慢|大|小|简单|直接|看别人.*|安静|这样|那样)点?$)",
    re.IGNORECASE,
)
_NO_TRADE = re.compile(
    r"\b(?:our|my|you|your|his|her|their|me|us|them|who|which|everyone)\b|[我你您他她它不没会](?!计)|^(?:作为|身为)|资格证|考证|^(?:语文|数学|英语|物理|化学)$|^师|躺平|摸鱼|睡觉|发呆|吃饭",
    re.IGNORECASE,
)
# What is studied is a subject or leads to a trade: “I study faces on the tube” tells neither.
_SUBJECT = re.compile(
    rf"[\u3400-\u9fff]|(?:olog(?:y|ies)|ics|istry|onomy|osophy|graphy|tecture|ature|ience|ment|ance|ancy|ency|ation|ering|ing|ism|ory|law|medicine|arts?|design|business|languages?|maths?|music|drama|film|theat(?:re|er)|dance|fashion|geodesy|theology|divinity|anatomy|pharmacy|dentistry|forestry|history|IT|CS|AI|PPE|MBA|STEM|studies|University|College|School)\b|\b(?:{'|'.join(word for word in LANGUAGES if word.isascii())}|{JOB})\b",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"\b(?:my|your|our|the|this|that|home|who|which)$|[我你您他她它的吃喝]|[一这那哪][家个]|公司|上班|单位",
    re.IGNORECASE,
)
# A Chinese home is a place by its kind or by the table of places: 草地边上 and 黄色潜水艇里 are none.
_KIND_OF_PLACE = re.compile(r"[省市县区州镇乡村岛湾旗庄寨屯沟坝堡港庙桥口桥堰集坊苑园城山江河湖海]$|[A-Za-z]")
_NO_EMPLOYER = re.compile(
    r"\b(?:me|us|them|you|him|her)$|[一这那哪][家个]$|^[我你您他她它]|[我你您]|^(?:家|个|里|上|下|外)$"
)
_NO_DECISION = re.compile(
    r"\b(?:you|your|yours)\b|[你您]|\b(?:today|tonight|now)$|^be (?!an?\b)\w+$|^wait\b|今天|^(?:不管|先不|等等|再等|放过|原谅)|^(?:on|in|at|last|this|next|against|for|about)(?: \w+)?$|^(?:can|could|would|should|help|give|tell|show|write|make (?:me|it|this)|what|which|who|whether|just|now|it|that|this|nothing|anything|everything|something|yet|thanks?|bye|ok|okay|please|sorry|lol)\b|^(?:(?:帮|给|替)我|请(?:你|您|帮|给|替|把|用|问|告诉|查|看|写|列|推荐|说)|求|麻烦|写|列|谢|吧|好|哪|谁|了)",
    re.IGNORECASE,
)
# What binds nobody to anything, or only towards the assistant: “be nice”, “wait and see”, “ask you first”.
_IDLE_DECISION = re.compile(
    r"^(?:(?:to|not to|that|just|simply|never to) )*(?:be|wait|see|ask|tell|try|let|ignore|sleep|laugh|believe|trust|forgive|nothing|against (?:it|that|this)|blame|worry|relax|leave it|talk|listen|cry|die|hide|answer|reply|respond|love|hate|like|care|nap|show|pretend|think|look|eat|drink|order|watch|stop (?:worrying|caring|trying|reading|arguing|asking)|give (?:you|me|him|her|them|it|up)\b(?! (?:meat|alcohol|sugar|dairy|gluten|smoking|coffee|caffeine|drinking))|postpone deciding|do (?:nothing|it|that|this|so)|agree to disagree|disagree|go (?:home|to bed|along|with it)|stay (?:in bed|home|here)|call (?:it|in sick))\b"
    r"|^(?:再|先|还是|就|都|要)*(?:相信|信|听|问|告诉|躺平|躺|睡|摆烂|笑|哭|试试|试着|随|看看|看心情|忍|装|假装|不理|无视|不生气|不想|佛系|做自己|开心|努力|加油|对[你他她它自]|早点?睡|早睡|吃|喝|看|休息|算|躲|闭嘴|不说|不告诉|让[他她它你])|[好很]?(?:可爱|好笑|厉害|聪明)$",
    re.IGNORECASE,
)
_NO_EVENT = re.compile(
    r"^(?:wants?|needs?|has|had|is|was|says?|said|gets?|does|did|who|which|every|each|no|any)\b",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"\d|@|(?:[族座号员师]|[^·]人|[^·]教)$|\b(?:is|are|was|and|or|the|from|with)\b|[的了吗呢，。]",
    re.IGNORECASE,
)
# Who writes is no toddler: a smaller number is somebody else's age.
_TOO_YOUNG = re.compile(r"(?:[1-5]|[一二两三四五]|one|two|three|four|five)$", re.IGNORECASE)
_BY_KEY: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(key), bad)
    for key, bad in (
        (r"(?:.*::)?(?:likes|dislikes|allergy)$|user::favorite::", _NO_THING),
        (r"(?:.*::)?(?:dis)?likes$", _WEEKDAYS),
        (r"(?:.*::)?likes$", _NO_LIKING),
        (r"(?:.*::)?job$|user::studies$", _NO_TRADE),
        (r"(?:.*::)?(?:home|hometown)$", _NO_PLACE),
        (r"user::work$", _NO_EMPLOYER),
        (r"user::decision$", _NO_DECISION),
        (r"user::decision$", _IDLE_DECISION),
        (r"user::event$", _NO_EVENT),
        (r"user::name$|user::(?:family|relation)::[^:]+$", _NO_NAME),
    )
)
# 诺诺牛奶过敏, 是芝麻过敏: what stands in front of the allergen is another word.
_ALLERGEN_LAST = re.compile(rf"[\u3400-\u9fff]{{1,4}}?(?P<v>{ALLERGENS})$")
_ALLERGEN_ALONE = re.compile(rf"(?:[^是我]{{0,1}})(?:{ALLERGENS})$")
_LIVED_IN = re.compile(r"(?:.*::)?(?:home|hometown)")
_FREE = ("task::", "user::note", "user::event", "user::decision", "user::diet", "user::address")


def proved(key: str, value: str) -> str:
    """A value that a rule read for a key, without a word at its end that joins it to what follows; "" if it is
    not whole."""
    if not key.startswith(_FREE) or key == "user::decision":
        value = _JOINING.sub("", value)
    if not key.startswith(_FREE) and _BROKEN.search(value):
        return ""
    if (
        key.endswith("::allergy")
        and not _ALLERGEN_ALONE.match(value)
        and (match := _ALLERGEN_LAST.match(value))
    ):
        value = match["v"]
    if key == "user::age" and _TOO_YOUNG.match(value):
        return ""
    if _LIVED_IN.fullmatch(key) and not (_KIND_OF_PLACE.search(value) or place_in(value, known=True)):
        return ""
    if key == "user::studies" and not _SUBJECT.search(value):
        return ""
    return "" if any(what.match(key) and bad.search(value) for what, bad in _BY_KEY) else value
