"""Chinese rules: what a clause says about its speaker.

As in English every rule fits a clause from its first character. A clause may leave its subject out when the
user has been the subject before; after a relative it is unclear who is meant, and nothing is taken.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .clauses import Clause, Found, slug
from .reading import Reading

__all__ = ["read"]

_OPENERS = re.compile(
    r"^(?:你好|您好|嗨|哈喽|大家好|其实|对了|另外|还有|而且|因为|所以|那个|嗯|哦|啊|顺便说一?下?|说实话|老实说|不过|但是?|然后|并且|同时|是的|没错|好的)*(?=.)"
)
_PARTICLES = "哦啊呀哈啦呢嘛吧了喔噢的"
_HAN = r"[\u3400-\u9fff]"
_LATIN = r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)?"
_NAME = rf"(?:{_HAN}{{1,4}}|{_LATIN})"
_SHORT_NAME = rf"(?:{_HAN}{{1,4}}?|{_LATIN})"
_NUMBER = r"(?:\d{1,3}|[一二三四五六七八九十两百]{1,4})"
_AGE = rf"(?:(?P<age>{_NUMBER})岁半?|(?P<months>{_NUMBER}个月)大?)"
_SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊陆郝孔崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹易武乔贺赖龚文"
_NOT_NAMES = re.compile(
    r"^(?:什么|啥|谁|他|她|它|你|您|咱|人|大家|外卖|车|滴滴|快递|救命|错|好|醒|停|不|没|很|也|都|还|就|真|最|太|更|从|每|特别|非常|今年|现在"
    r"|已经|一直|最近|平时|经常|比较|今天|明天|昨天|刚|快|在|是|有|的|和|跟|对|会|要|想|喜欢|说|爱|去|来|上|做|给|让|把|被|这|那)"
)
_RELATIVES = {
    "女儿": "daughter", "闺女": "daughter", "儿子": "son", "老婆": "wife", "妻子": "wife", "太太": "wife", "媳妇": "wife",
    "老公": "husband", "丈夫": "husband", "爱人": "spouse", "对象": "partner", "女朋友": "girlfriend", "女友": "girlfriend",
    "男朋友": "boyfriend", "男友": "boyfriend", "妈妈": "mother", "母亲": "mother", "妈": "mother", "爸爸": "father",
    "父亲": "father", "爸": "father", "姐姐": "older-sister", "妹妹": "younger-sister", "哥哥": "older-brother",
    "弟弟": "younger-brother", "奶奶": "grandmother", "外婆": "maternal-grandmother", "姥姥": "maternal-grandmother",
    "爷爷": "grandfather", "外公": "maternal-grandfather", "姥爷": "maternal-grandfather", "孙女": "granddaughter",
    "孙子": "grandson",
}  # fmt: skip
_PETS = {
    "狗": "dog",
    "小狗": "dog",
    "狗狗": "dog",
    "猫": "cat",
    "小猫": "cat",
    "猫咪": "cat",
    "兔子": "rabbit",
}
_WHO = "|".join(sorted((*_RELATIVES, *_PETS), key=len, reverse=True))
_ORDINAL = {"大": "elder-", "小": "younger-", "二": "second-"}

_ADVERBS = r"(?:(?:真的|一直|特别|非常|超级?|很|最|也|还|更|都|比较|平时|平常|从小|现在|目前|其实|是|就|挺|蛮|只|从来|从|确实)(?!是))*"
_JOB_END = r"(?:程序员|工程师|师|员|医生|护士|教授|学生|研究生|博士|会计|经理|厨师|司机|记者|作家|画家|歌手|演员|律师|警察|翻译|销售|老板|公务员|导游|农民)"
_NOT_PLACES = frozenset("好坏男女工老大病成年主客本个军年轻诚实聪明善良普通外地名有钱当地")

_SUBJECT = r"(?P<subject>(?:我们家|我们|我家|我|俺|本人|咱们家)(?:自己|本人|的)?)?"


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_SUBJECT}{pattern}$")


# (pattern with the value `v`, key, confidence, may lack its subject)
_RULES = (
    (_rule(rf"(?:是)(?P<v>[{_SURNAMES}][\u3400-\u9fff]{{2}}(?<![人员师手家生者民工长的]))"), "user::name", False),
    (_rule(rf"(?:的?名字(?:叫|是)|名叫|叫做?)\s*(?P<v>{_NAME})"), "user::name", True),
    (re.compile(rf"(?P<subject>)(?:你?可以|大家都|就|请|以后|你)*叫我\s*(?P<v>{_NAME})$"), "user::name", True),
    (_rule(rf"{_ADVERBS}(?:今年|现在|已经|刚满|刚)*(?P<v>{_NUMBER})岁半?"), "user::age", False),
    (_rule(rf"{_ADVERBS}(?:一个|个|一名|位)?(?P<v>吃素|吃全素|吃长素|素食主义者|素食者|纯素食?主义者|纯素食?者?|吃清真|清真饮食|蛋奶素|鱼素者?)(?:多年|很久|\d+年)?"), "user::diet", True),
    (_rule(r"(?:一直|现在)?(?P<v>乳糖不耐受?|麸质不耐受?|对乳糖不耐受?)"), "user::allergy", True),
    (_rule(r"(?:有|得了|患有)(?P<v>糖尿病|高血压|痛风|哮喘|高血脂)"), "user::condition", True),
    (_rule(r"(?:现在|目前|一直)?(?:就)?(?:住在|家在|定居在|常住|搬到了?|搬去了?|住)\s*(?P<v>[^的了吗呢，]{2,20})"), "user::home", True),
    (_rule(r"(?:的)?老家(?:在|是)\s*(?P<v>[^的了吗呢，]{2,20})"), "user::hometown", True),
    (_rule(r"来自\s*(?P<v>[^的了吗呢，]{2,20})"), "user::hometown", True),
    (_rule(r"(?:是|是个)(?P<v>[\u3400-\u9fff]{2,6})人"), "user::hometown", False),
    (_rule(r"(?:现在|目前|一直)?在(?P<v>[^的了吗呢，]{2,20}?)(?:工作|上班|任职|就职)"), "user::work", True),
    (_rule(rf"(?:现在|目前)?(?:是|做|当)(?:一名|一个|一位|个|名)?(?P<v>[^，的了不没]{{0,8}}{_JOB_END})"), "user::job", True),
    (_rule(r"(?:的)?(?:工作|职业)是(?P<v>[^，吗呢]{2,20})"), "user::job", False),
    (_rule(r"(?:在(?:大学|学校)?)?(?:学|读|主修|的专业是)(?P<v>[\u3400-\u9fff]{2,8}专业)"), "user::studies", False),
    (_rule(r"(?:的)?生日(?:是|在|[:：])?\s*(?P<v>(?:[农阴公阳]历)?[\d一二三四五六七八九十]+[^，吗呢]{1,15})"), "user::birthday", True),
    (_rule(r"(?:是)?(?P<v>\d{2,4}年[^，]{0,8}?)(?:出生|生)"), "user::birthday", False),
    (_rule(r"(?:的)?(?:家庭|联系)?(?:地址|住址)(?:是|在|[:：])\s*(?P<v>[^，吗呢]{3,60})"), "user::address", True),
    (_rule(r"(?:一般|平时|都|只|习惯|会)*用(?P<v>中文|英文|英语|汉语|普通话|日语|粤语|简体中文|繁体中文)(?:来)?(?:回答|回复|交流|聊天|沟通|说|写)?"), "user::language", True),
    (re.compile(r"(?P<subject>)(?:请|以后|麻烦|都|你|一律)*用(?P<v>中文|英文|英语|汉语|普通话|日语|粤语|简体中文|繁体中文)(?:来)?(?:跟我|和我)?(?:回答|回复|交流|聊天|沟通)(?:我|我的问题)?$"), "user::language", True),
    (_rule(r"(?:的)?(?:邮箱|电子邮[件箱]|邮件)(?:地址)?(?:是|[:：])?\s*(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)"), "user::contact::email", True),
    (_rule(r"(?:的)?(?:联系)?(?:电话|手机)(?:号码|号)?(?:是|[:：])?\s*(?P<v>\+?\d[\d -]{5,18}\d)"), "user::contact::phone", True),
    (_rule(r"(?:已经|最终|最后|终于)?决定了?(?P<v>[^，吗呢]{2,60})"), "user::decision", False),
    (_rule(r"(?P<v>(?:今天|明天|后天|大后天|下?周[一二三四五六日天末]|下?个?星期[一二三四五六日天]|\d{1,2}月\d{1,2}[日号]).{0,14}(?:开会|面试|考试|看医生|看牙|出差|复诊|体检|预约|见面).{0,10})"), "user::event", False),
)  # fmt: skip
_ALLERGIC = (
    _rule(rf"{_ADVERBS}对(?P<v>.{{1,30}}?)(?:都|严重|有点|有些)*过敏"),
    _rule(rf"{_ADVERBS}(?P<v>[^对不没是，]{{1,6}})过敏"),
)
_LIKES = _rule(
    rf"{_ADVERBS}(?:喜欢上了|喜欢|喜爱|热爱|偏爱|(?P<verb>爱)(?=[吃喝看听玩读跑打唱跳写画做])|的?爱好是|的?兴趣是)(?P<v>.{{1,30}})"
)
_DISLIKES = _rule(
    rf"{_ADVERBS}(?:不太喜欢|不喜欢|讨厌|不爱(?=[吃喝看听])|受不了|反感|厌恶|最怕)(?P<v>.{{1,30}})"
)
_NEVER_EATS = _rule(
    rf"{_ADVERBS}(?P<v>(?:不吃|不喝|不能吃|不能喝|从不吃|从不喝|忌口)(?P<what>(?!素)[^，饭早晚午了完]{{1,10}}))"
)
_FAVOURITE = _rule(r"最?(?:喜欢|爱)的(?P<what>[^，是]{1,8})是(?P<v>.{1,30})")
_NO_THING = re.compile(
    r"^(?:你|您|他|她|它|这|那|的|什么|谁|哪|怎么|为什么|这样|那样|我|里面)|这[种个些]|那[种个些]|^(?:上|过)$"
)
_FAMILY = re.compile(rf"(?:我们家?|我家|我|俺)?(?:的|有(?:一|两)?[个只条位]?)?(?:(?P<old>{_NUMBER})岁的)?(?P<ordinal>[大小二])?(?P<who>{_WHO})(?P<rest>.*)$")  # fmt: skip
_PERSON_NAME = re.compile(
    rf"(?:的名字(?:叫|是)|名字(?:叫|是)|小名叫?|名叫|叫做?)\s*(?P<v>{_SHORT_NAME})(?=今年|现在|已经|{_NUMBER}[岁个]|$)"
)
_PERSON_AGE = re.compile(
    rf"\s*(?P<name>{_SHORT_NAME})??\s*(?:今年|现在|已经|刚满|刚过|刚|才|都|也|有)*\s*{_AGE}(?:大|多)?$"
)
_PERSON_PREDICATE = re.compile(
    rf"\s*(?P<name>{_HAN}{{1,3}}?|{_LATIN})?(?:也|很|最|特别|非常|都)*(?:(?P<likes>喜欢|爱(?=[吃喝看听玩画跳唱]))(?P<liked>.{{1,20}})|对(?P<allergy>.{{1,15}})过敏"
    r"|(?P<diet>吃素|不吃[^，饭了]{1,8}))$"
)


def read(clause: Clause, reading: Reading) -> Iterator[Found]:
    """What one clause says. `reading` knows what came before it in the message."""
    opener = _OPENERS.match(clause.text)
    skipped = opener.end() if opener else 0
    text = clause.text[skipped:]
    said = Clause(text.rstrip(_PARTICLES) or text, clause.start + skipped)
    found = _family(said, reading)
    yield from _about_me(said, reading) if found is None else found


def _about_me(clause: Clause, reading: Reading) -> list[Found]:
    text = clause.text
    if re.match(r"(?:他|她|它|你|您|别人|人家|有人|大家|朋友|同事|老板|这|那)", text) and "叫我" not in text:
        reading.enter("")
        return []
    if re.match(r"(?:我|俺|本人|咱)", text):
        if re.match(r"我的?(?:朋友|同学|同事|老板|邻居|客户|室友|老师|学生)", text):
            reading.enter("")
            return []
        reading.enter("zh")
    implied = reading.speaker == "zh"
    for pattern, key, may_lack in _RULES:
        match = pattern.match(text)
        if not match or not (
            match["subject"]
            or (may_lack and implied)
            or text.startswith("我")
            or "叫我" in text
            or key == "user::language"
        ):
            continue
        value = match["v"].strip()
        if _fits(key, value):
            reading.enter("zh")
            return [Found(key, value, clause.start, clause.end)]
    for pattern in _ALLERGIC:
        if (match := pattern.match(text)) and (match["subject"] or implied):
            return _things(match["v"], "user::allergy", clause)
    if (match := _FAVOURITE.match(text)) and match["subject"]:
        return [Found(f"user::favorite::{slug(match['what'])}", match["v"], clause.start, clause.end)]
    for pattern, key in ((_DISLIKES, "user::dislikes"), (_LIKES, "user::likes")):
        if (match := pattern.match(text)) and (match["subject"] or implied):
            value = f"{match['verb']}{match['v']}" if match.groupdict().get("verb") else match["v"]
            return _things(value.removeprefix("爱"), key, clause)
    if (match := _NEVER_EATS.match(text)) and (match["subject"] or implied):
        key = "user::diet" if match["what"] in ("肉", "荤") else f"user::diet::{slug(match['what'])}"
        return [Found(key, match["v"], clause.start, clause.end)]
    return []


def _fits(key: str, value: str) -> bool:
    if key == "user::name":
        return not _NOT_NAMES.match(value)
    if key == "user::hometown":
        return (
            value not in ("好", "坏")
            and not set(value) <= _NOT_PLACES
            and not value.endswith(("个", "种", "的", "类"))
        )
    if key == "user::job":
        return not value.startswith(("你", "他", "她", "好"))
    return True


def _family(clause: Clause, reading: Reading) -> list[Found] | None:
    """None if the clause is about no relative or pet."""
    text = clause.text
    if match := _FAMILY.match(text):
        who = match["who"]
        key = (
            f"user::pet::{_PETS[who]}"
            if who in _PETS
            else f"user::family::{_ORDINAL.get(match['ordinal'] or '', '')}{_RELATIVES[who]}"
        )
        reading.enter_person(key, clause.start)
        out = [Found(f"{key}::age", match["old"], clause.start, clause.end)] if match["old"] else []
        return out + _about_person(match["rest"], key, clause)
    if reading.person and (match := re.match(r"(?:他|她|它)?(?P<rest>(?:的?名字|名叫|叫|小名|今年|现在|已经|刚满|\d|[一二三四五六七八九十两]).*)$", text)):  # fmt: skip
        found = _about_person(match["rest"], reading.person, clause)
        return [Found(f.key, f.value, reading.person_start, f.end) for f in found]
    return None


def _about_person(rest: str, key: str, clause: Clause) -> list[Found]:
    """What follows 女儿: her name, then her age, or what she likes and does not eat."""
    out: list[Found] = []

    def found(part: str, value: str) -> None:
        out.append(Found(key + part, value.strip(), clause.start, clause.end))

    if match := _PERSON_NAME.match(rest):
        if _NOT_NAMES.match(match["v"]):
            return []
        found("", match["v"])
        rest = rest[match.end() :]
    if match := _PERSON_AGE.match(rest):
        if match["name"] and not out:
            if _NOT_NAMES.match(match["name"]):
                return []
            found("", match["name"])
        found("::age", match["age"] or match["months"])
    elif match := _PERSON_PREDICATE.match(rest):
        if match["name"] and not out and not _NOT_NAMES.match(match["name"]):
            found("", match["name"])
        elif match["name"]:
            return out
        for part, value in (
            ("::likes", match["liked"]),
            ("::allergy", match["allergy"]),
            ("::diet", match["diet"]),
        ):
            if value and not _NO_THING.match(value):
                found(part, value)
    elif (match := re.fullmatch(rf"\s*(?P<v>[小阿大]{_HAN}{{1,2}}|{_LATIN})", rest)) and not _NOT_NAMES.match(
        match["v"]
    ):
        found("", match["v"])
    return out


def _things(said: str, key: str, clause: Clause) -> list[Found]:
    """What is liked or not tolerated, item by item."""
    items = re.split(r"、|以及|(?<=[\u3400-\u9fff])[和跟与及](?=[\u3400-\u9fff]{2})", said)
    return [
        Found(key, item.strip(), clause.start, clause.end)
        for item in items
        if 0 < len(item.strip()) <= 20 and not _NO_THING.match(item)
    ]
