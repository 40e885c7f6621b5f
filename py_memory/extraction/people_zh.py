"""The user's relatives and pets in Chinese: names, ages, birthdays, jobs, what they like and do not tolerate."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import Clause, Found
from .lexicon_zh import DATE, NUMBER, PETS, RELATIVES, SURNAME
from .reading import Reading, is_to_come
from .self_zh import about_me
from .values_zh import HAN, LATIN, job_in, name_in, person_named, tidy

__all__ = ["mentioned", "read_people"]

_WHO = "|".join(sorted((*RELATIVES, *PETS), key=len, reverse=True))
_ALONE = "|".join(
    word
    for word in sorted((*RELATIVES, *PETS), key=len, reverse=True)
    if len(word) > 1
    and word
    not in (
        "先生",
        "姑娘",
        "小子",
        "对象",
        "宝贝",
        "老大",
        "老师",
        "公公",
        "龙猫",
        "小弟",
        "小妹",
        "老弟",
        "老哥",
        "大哥",
        "大姐",
        "小鸟",
        "夫人",
    )
)
_COUNT = r"(?:[一二两俩三四五\d][个只条位对名匹口头]|[个只条位])?"
_FAMILY = re.compile(
    rf"(?:(?:我们俩|我们家?|我家里?|我|俺家?|咱们?家?|家里|家中|家)(?:的|里|现在|最近|刚|又|还|也)*(?:有|养了?|生了|收养了|领养了|领了|捡了|添了|买了|新?来了|带着|家)*|(?:刚|最近|又|还|也|上个?月|去年|今年|前年|新|家里)*(?:养了?|有|领养了|收养了|捡了|生了|添了|来了|带)(?=[一二两俩三四五\d]?[个只条对匹])|(?:家有|养))(?:着|过)?"
    rf"(?:那[只条个位匹])?{_COUNT}(?:(?P<old>{NUMBER})岁(?:半|多)?大?的)?(?:叫(?P<called>{LATIN}|{HAN}{{1,4}}?)的)?(?:[黑白橘黄灰花胖小老奶]色?的?|流浪|小奶|可爱的)?(?P<ordinal>[大小二])?(?P<who>{_WHO})(?P<rest>.*)$"
)
_BARE = re.compile(rf"(?P<ordinal>[大小二])?(?P<who>{_ALONE})(?P<rest>.*)$")
_NOT_REST = re.compile(
    r"^(?:的(?!名字|生日|小名|大名)|们|夫|媳|公|婿|爸|妈|家|他|她|俩|两|和你|粮|砂|舍|屎|说|觉得|认为|问|让|叫我|喊我|以前|曾|朋友|同学|老师|学校|店|咖|主任|爷|娘|狗|猫|毛|派|眼|都说|告诉|打电话|做的|妹|弟|哥|姐|子|头|车|罐头|医院|节|朋|一样|似|为|想|希望|如果|要是|没)"
)
_FOLLOW = re.compile(
    r"^(?:他|她|它|人|小家伙)?(?:的)?(?P<rest>(?:小名|大名|名字|名叫|名|取名|起名|叫|今年|现在|已经|刚|快|马上|下个?月|明年|\d|[一二三四五六七八九十两]+(?:岁|个月|了?$)|是|在|做|当|对|喜欢|爱|不吃|特别|超|最|也是|生日|属|从事|(?:开|跑|卖|教|修)[^，]{1,8}的$|职业|都|才|有|[^，我你他她过没不]{1,6}过敏$).*)$"
)
_OF_PEOPLE = re.compile(
    r"(?:也|还|都)*(?:对[^，]{1,12}过敏|在[^，]{1,12}(?:工作|上班|当|做|任|教|读)|住在?|做[^，]{1,8}的$)"
)
_EACH = re.compile(
    r"(?:一[个只条位匹](?:小名)?|[\u3400-\u9fff]{1,3}的(?:那只|那个|那条)?|另一[个只条位]|还有一[个只]|老[大二三]|大[的宝]|小[的宝]|二[宝的]|姐姐|妹妹|哥哥|弟弟|分别|公的|母的|黑的|白的|男孩|女孩)(?:是)?(?:名字)?(?:叫做?|名叫|取名)\s*(?P<v>.+)$"
)
_EACH_AGED = re.compile(
    rf"(?:大的|小的|老[大二三]|大宝|二宝|一个|另一个|姐姐|妹妹|哥哥|弟弟)(?:今年|刚|快|已经|才)*(?P<age>{NUMBER})岁(?:半|多)?了?"
)
_NEXT_ONE = re.compile(
    r"[，、和跟]*(?=(?:小的|老[二三]|另一[个只条]|还有一[个只]|二[的宝]|弟弟|妹妹|一[只个条])(?:叫|名))"
)
_SEVERAL = re.compile(rf"(?:[两三四五2345][个只条位匹口]|俩|仨|双胞胎)(?:小|大)?(?P<who>{_WHO})")
_NAME_LED = re.compile(
    r"^(?:，|\s|人|也|就|给[它他她]|大家都|我们都|我|都|的)*(?:大名|小名|名字|乳名|学名|官名|全名|名)?(?:就)?(?:(?<=[大小乳]名)|叫做?|名叫|取名(?:叫)?|起名(?:叫)?|名字(?:叫|是)|是叫|名为|唤作|的名字(?:叫|是)|(?<=名)是)\s*(?P<v>.+)$"
)
_AGE = re.compile(
    rf"^\s*(?:今年|现在|已经|刚满|刚过|马上|快|才|都|也|有|下个?月|明年|过完年|明天|就|要|虚岁|周岁|过|满|刚|奔|这个月|，|[（(]|了|大|周末|(?:周|星期|礼拜)[一二三四五六日天]|年底|开春|[一二三四五六七八九十\d]+月份?|是|快要)*(?:(?P<age>{NUMBER}|周)(?:周?岁|周年|大寿|高寿)(?:半|多|出头|大寿|生日)?|(?P<months>{NUMBER}个(?:多|半)?月)大?|(?P<plain>[二三四五六七八九]?十[一二三四五六七八九]?|\d{{2}})(?:了|大寿|啦|$|多了|好几))"
)
# Who has died: what is told of them is over.
_GONE = re.compile(r"去世|过世|不在了|离世|逝世|[就后]走了|生前|走得早")
_PREDICATES = {
    "user::allergy": "::allergy",
    "user::diet": "::diet",
    "user::job": "::job",
    "user::birthday": "::birthday",
    "user::home": "::home",
    "user::hometown": "::hometown",
    "user::condition": "::condition",
}


def _key(match: re.Match[str]) -> str:
    who = match["who"]
    if who in PETS:
        return f"user::pet::{PETS[who]}"
    return f"user::family::{RELATIVES[who]}"


def read_people(clause: Clause, reading: Reading) -> list[Found] | None:
    """What a clause says of a relative or pet; None if it is about none."""
    text = clause.text
    if (rest := reading.enter_known(text, clause.start)) is not None:
        return _about(rest, reading.person, clause)
    if (
        reading.person
        and (ages := _EACH_AGED.findall(text))
        and _EACH_AGED.sub("", text).strip("，、和 ") == ""
    ):
        return [Found(f"{reading.person}::age", age, reading.person_start, clause.end) for age in ages]
    if reading.person and _EACH.match(text):
        parts = [_EACH.match(part) for part in _NEXT_ONE.split(text)]
        names = [name for part in parts if part for name in _names(part["v"])]
        return [Found(reading.person, name, reading.person_start, clause.end) for name in names]
    if (several := _SEVERAL.fullmatch(text)) and re.match(
        r"一[个只条位匹]|大的|小的|都?叫|名|分别", reading.ahead
    ):
        reading.enter_person(_key(several), clause.start)
        reading.many = True
        return []
    match = _FAMILY.match(text)
    if not match and (reading.speaker or reading.fresh or reading.person):
        match = _BARE.match(text)
        if match and match["who"] in PETS and not re.match(r"(?:叫|今年|的名字|名)", match["rest"]):
            match = None
    if match and match["rest"][:1] == "是" and match["who"] in ("先生", "姑娘") and not text.startswith("我"):
        match = None
    if match:
        rest = match["rest"]
        if re.match(r"我(?:们)?(?:想|要)", text) or rest.startswith(("过敏", "毛过敏")):
            return None
        if _NOT_REST.match(rest) and not re.match(r"(?:都|家里|家叫|们叫|他爸|在家)", rest):
            reading.enter_other()
            return []
        key = _key(match)
        if _GONE.search(rest) or _GONE.search(reading.ahead):
            reading.enter_other()
            return []
        reading.enter_person(key, clause.start)
        reading.many = (
            bool(re.search(r"[两俩三四五2345][个只条位对匹]", text[: match.start("who")]))
            or "双胞胎" in match["who"]
        )
        out = (
            [Found(f"{key}::age", match["old"], clause.start, clause.end)]
            if match.groupdict().get("old")
            else []
        )
        if match.groupdict().get("called"):
            out.append(Found(key, match["called"], clause.start, clause.end))
        return out + _about(rest, key, clause)
    if reading.person.startswith("user::pet") and _OF_PEOPLE.match(text):
        reading.enter("zh")  # “养了一只猫，对花生过敏” goes on about who keeps it
        return None
    if reading.person and re.fullmatch(
        rf"(?:今年|都|已经|也|快|才)*(?:{NUMBER}岁(?:半|多)?|[二三四五六七八九]?十[一二三四五六七八九]?|\d{{1,2}})了?",
        text,
    ):
        return [
            Found(f.key, f.value, reading.person_start, f.end)
            for f in _about(text if "岁" in text else f"{text}了", reading.person, clause)
        ]
    if reading.person and (match := _FOLLOW.match(text)):
        if re.match(r"(?:在家|在[^，]{0,6}(?:等|吗))", match["rest"]):
            return []
        found = _about(match["rest"], reading.person, clause)
        return [Found(f.key, f.value, reading.person_start, f.end) for f in found]
    return None


def _names(text: str) -> list[str]:
    parts = re.split(r"、|和|跟|还有|与|，", tidy(text))
    names = [name_in(part) for part in parts]
    return [name for name in names if name] if all(names) else []


def _about(rest: str, key: str, clause: Clause) -> list[Found]:
    """What follows 女儿: her name, then her age, job, birthday, what she likes or does not eat."""
    out: list[Found] = []
    pet = key.startswith("user::pet")

    def found(part: str, value: str) -> None:
        if value:
            out.append(Found(key + part, value, clause.start, clause.end))

    if match := re.match(rf"姓(?P<v>{SURNAME})(?=$|，|,|名)", rest):
        found("", match["v"])
        return out
    if match := _NAME_LED.match(rest):
        said = match["v"]
        names = _names(said) if re.search(r"、|和|跟", said) else []
        if not names:
            aged = re.match(rf"(?P<v>.{{1,6}}?)(?=今年|现在|已经|{NUMBER}[岁个]|在|是|，|$)", said)
            name = (name_in(aged["v"]) or _pet_name(aged["v"])) if aged else None
            names = [name] if name else []
            rest = said[aged.end() :] if aged else ""
        else:
            rest = ""
        for name in names:
            found("", name)
        if not names:
            return []
    elif (named := person_named(rest)) and not job_in(rest):
        found("", named[0])
        rest = named[1]
    elif (
        (
            match := re.fullmatch(
                rf"\s*[:：]?\s*(?P<v>[小阿大]{HAN}{{1,2}}|{LATIN}|({HAN})\2|{SURNAME}{HAN}{{1,2}})", rest
            )
        )
        and name_in(match["v"])
        and not job_in(match["v"])
    ):
        found("", match["v"])
        return out
    if (match := _AGE.match(rest)) and is_to_come(rest):
        return out
    if match:
        age = match["age"] or match["months"] or match["plain"]
        found("::age", "周岁" if age == "周" else age)
        return out
    if match := re.match(
        rf"(?:的)?(?:生日)(?:是|在|就是)?\s*(?P<v>{DATE})|(?P<b>{DATE})(?:生的?|出生|过?生日)", rest
    ):
        found("::birthday", match["v"] or match["b"])
        return out
    if pet:
        for part, value in about_me(rest, named=True):
            if part in ("user::condition", "user::allergy"):
                found(_PREDICATES[part], value)
        return out
    rest = re.sub(r"^(?:也|还|都|就|现在|目前|，|她|他|人)+", "", rest)
    if match := re.match(
        r"(?:是|当|做|在[^，]{1,10}?(?:当|做|任)|从事|干|搞)(?:一[个名位]|个|名|位|了)?(?P<v>[^，]{2,12})$",
        rest,
    ):
        if job := job_in(match["v"]):
            found("::job", job)
            return out
        if (work := re.match(r"是(?:做|搞|干|开|教|卖)(?P<v>[^，]{2,8})的$", rest)) and not work[
            "v"
        ].startswith(("什么", "梦")):
            found("::job", work["v"])
            return out
    if trade := re.match(r"(?:是)?(?P<v>(?:开(?!玩笑|心)|跑|卖(?!萌)|教|修)[^，]{1,8})的$", rest):
        found("::job", trade["v"])
        return out
    for part, value in about_me(rest, named=True):
        if part == "user::likes":
            found("::likes", value)
        elif part in _PREDICATES or part.startswith("user::diet"):
            found(_PREDICATES.get(part, "::diet"), value)
    return out


def _pet_name(text: str) -> str | None:
    """Pets have names that people do not: 年糕, 土豆."""
    value = tidy(re.sub(r"(?:了|啊|呀|哈|啦|呢|的|吧)+$", "", tidy(text)))
    return (
        value
        if re.fullmatch(rf"{HAN}{{1,4}}", value)
        and not re.match(r"什么|啥|我|你|他|她|它|不|没|得|个|外卖|声|一|起来|的", value)
        else None
    )


_MENTION = re.compile(
    rf"(?:带着?|陪着?|和|跟|给|送|接|教|为|替|把)(?:我)?(?:家)?(?:的)?(?P<who>女儿|闺女|儿子|老婆|老公|女朋友|男朋友|女友|男友|妻子|丈夫|闺女|弟弟|妹妹|哥哥|姐姐|孙子|孙女|狗狗?|猫咪?)(?P<v>{LATIN}|[小阿]{HAN}{{1,2}}?|({HAN})\3)(?=去|上|在|来|一起|一块|打|报|看|做|过|买|求婚|编|挑|选|找|的?$|，|住|回|洗|散步|讲|辅导|准备)"
)


def mentioned(clause: Clause) -> list[Found]:
    """A relative or pet named on the way: 周末带女儿小雨去学琴."""
    match = _MENTION.search(clause.text)
    if not match or re.search(r"[没不想]|如果|朋友|同事|他|她", clause.text[: match.end()]):
        return []
    key = (
        f"user::pet::{PETS[match['who']]}"
        if match["who"] in PETS
        else f"user::family::{RELATIVES[match['who']]}"
    )
    return [Found(key, match["v"], clause.start, clause.end)]
