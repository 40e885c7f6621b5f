"""Chinese values: where a name, a place, an employer or a thing ends, and what is none."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import words
from .lexicon_zh import FIELDS, JOB, NUMBER, PLACES, SURNAME

__all__ = ["LATIN", "job_in", "name_in", "person_named", "place_in", "things_in", "tidy"]

HAN = r"[\u3400-\u9fff]"
LATIN = r"(?:[A-Z][\w'-]*(?: [A-Z][\w'-]*)?)"
_NOT_NAMES = re.compile(
    r"^(?:周|礼拜|星期)[一二三四五六日末天]|^老(?:派|土|套|旧|掉牙|古董|实|好|油条|司机|人家|东西|古|顽固|糊涂)|^(?:傻|笨|懒|别|勿|怎|咋|哪|滚|喝|放|坐|站|签|走|跑|先|等|帅哥|美女|大叔|阿姨|叔叔|大妈|大神|大佬|老板|大爷|亲爱|大哥|大姐|起床|醒|什么|啥|谁|他|她|它|你|您|咱|人|大家|外卖|车|滴滴|快递|救命|错|好|醒|停|不|没|很|也|都|还|就|真|最|太|更|从|每|特别|非常|今年|现在|已经|一直|最近|平时|经常|比较|今天|明天|昨天|刚|快|在|是|有|的|和|跟|对|会|要|想|喜欢|说|爱|去|来|上|做|给|让|把|被|这|那|个|[一两](?:[个只条位下直般点些样定起]|$)|名字|苦|板|作|做|我|过|了|吃|早|起床|开会|声|份|主人|邦德|甄嬛|哪吒|诸葛亮|李白|鲁迅|哈利波特|陛下|殿下|爸爸|女王|宝贝|亲爱|宁可|宁愿|于是|向来|应该|时常|终于|万一|全都|安静|高兴|常常|从来|原来|从小|成天|曾经|习惯|简直|甚至|居然|乐意|莫名|强烈|明明|白天|唐氏|连|易|方便|容易|和|单独|经过|计划|相信|包括|温柔|路过|穆斯林|基督徒|机器人|用户|东西|未|无)"
)
_GIVEN = re.compile(
    rf"(?P<v>{SURNAME}{HAN}{{1,2}}|[小老阿大]{HAN}{{1,2}}|[小老阿大][A-Z]|({HAN})\2{HAN}?|{HAN}{{2,3}}|{LATIN})$"
)
_AFTER_NAME = rf"(?=\s*(?:想|最近|老是|总是|又|发烧|感冒|生病|咳嗽|问|要|今年|现在|也|在|上|是|喜欢|爱|对|不|刚|马上|快|最|很|特别|已经|才|都|去|考|{NUMBER}[岁个]|下个?月|明年|明天|还|每|会|有|要|从|做|超|酷|热|生日|属|吃|学|读|念|住|跟|比|一直|\d|快要|[（(]|，|$))"
_LEADING_NAME = re.compile(
    rf"\s*(?P<v>{LATIN}|[小老阿]{HAN}{{1,2}}?|({HAN})\2|{SURNAME}{HAN}{{1,2}}?){_AFTER_NAME}"
)
_NAME_END = re.compile(
    r"(?:就(?:行|好|可以|成|是了)|就|吧|即可|好了|也行|都行|来着|哦|啊|呀|哈|啦|嘛|了|的|呢|～|~|[!！。,，.]|是也|同学|这个名字)+$"
)
_PLACE_END = re.compile(
    r"(?:了|的|呢|这边|那边|那儿|这儿|这里|那里|啊|吧|已经|快|有|\d|[一二三四五六七八九十两好几]+(?:年|个月|来年)|工作|上班|生活|定居|附近|市区|，|,|\s|一带|租房|读书|上学|做|当|住|和|跟|啦|呀|哈|以后|现在|一个人|养老|打工|创业|安家|买房|很久|多年).*$"
)
_NOT_PLACES = re.compile(
    r"^(?:地球|屋|床|江湖|囧途|车上|路上|旅途|现场|[喝吃靠听看])|^(?:世界|宇宙|银河|[这那哪]|附近|一起|楼|家|学校|宿舍|海边|乡下|农村|酒店|医院|月球|火星|公司|哪|你|他|她|我|谁|外面|里|山|心|梦|老地方|隔壁|大房子|别墅|校|一|二|三|四|五|六|七|八|九|十|\d|着|得|不|过|了|的|在|新|旧|老房子|出租屋|合租|父母|爸妈|岳|公婆|单位|员工|城里|市区|郊区|地下室|很|太|好|云|网|国外|国内|海外|外地|异地|家里|同|自己|老家|黄土高坡|某)"
)
_LATIN_PLACES = frozenset(
    words(
        """London Paris Berlin Munich Tokyo Osaka Singapore Sydney Melbourne Toronto Vancouver Boston Seattle Chicago
        Dublin Amsterdam Rome Milan Madrid Barcelona Lisbon Vienna Zurich Geneva Helsinki Stockholm Oslo Copenhagen
        NYC LA Bangkok Dubai Seoul Austin Dallas Houston Manchester Edinburgh Oxford Cambridge Hamburg Frankfurt
        Leipzig Auckland Brisbane Perth"""
    )
)
_NO_THING = re.compile(
    r"^上?一[个位](?:女|男|人|同|姑|小伙)|^(?:你|您|他|她|它|这|那|的|什么|谁|哪|怎么|为什么|这样|那样|我|里面|上了?你|不|没|了|就是|跟你|和你|被|有人|是|得|来|去|问题|说|一下|到|死|个|不起|过|看你|吗|别人|大家|自己|上班族|一个人$|各种$|东西)|[这那][种个些款段句部版]|^(?:上|过|人|它们|做|钱)$|^(?:听|看|写|读|说|想|走)$|别人|(?:[长短大小快慢早晚]|简[单洁])一?点|加班|堵车|领导|老板骂|被[^，]{0,3}骂|上班$|交税|早起|开会迟到|挤地铁|扣钱|写周报|改需求|吃不吃|\d{3,}"
)
_NO_DISLIKED = re.compile(
    r"^(?:你|您|他|她|它|这|那|的|什么|谁|哪|怎么|为什么|我|了|就是|得|死|个|一下|人$|它们|东西|一个人$|各种$|说|来|去)|[这那][种个些款]|我$|\\d{3,}"
)
_TAIL = re.compile(
    r"(?:了|的时候|得很|得不得了|的人|啊|呀|哈|啦|呢|吧|嘛|哦|噢|喔|～|~|[!！。.…]|之类的?|什么的|等等|等|一类|这口|这一口|一口|死了|的)+$"
)
_SPLIT = re.compile(
    r"、|以及|还有|/|(?<=[\u3400-\u9fff])[和跟与及](?=[\u3400-\u9fffA-Z])|(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])"
)
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27bf\ufe0f\u200d]+.*$|[\[【（(]\S{1,4}[\]】）)]$")


def tidy(text: str) -> str:
    return _EMOJI.sub("", text).strip(" ,.!~，。！：:“”\"'、　")


def name_in(text: str) -> str | None:
    """A name that is all of a text."""
    value = tidy(_NAME_END.sub("", tidy(text)))
    if re.fullmatch(HAN, value):
        return value if not _NOT_NAMES.match(value) and value not in "爸妈哥姐弟妹" else None
    if _NOT_NAMES.match(value) or re.search(r"[的了吗是呢么]|公司|医院|学校|机器", value):
        return None
    if re.fullmatch(r"[A-Za-z][\w'-]*(?: [A-Z][\w'-]*)?|[小老阿大][A-Z]", value):
        return value
    return (
        value
        if _GIVEN.match(value)
        or re.fullmatch(rf"{SURNAME}{HAN}{{1,3}}|{HAN}{{4}}|{HAN}{{2,5}}·{HAN}{{2,5}}", value)
        else None
    )


# Behind such a name any verb may follow: 阿杰打呼噜, 糖糖约我.
_LOVING_NAME = re.compile(
    rf"(?P<v>[小阿]{HAN}|({HAN})\2)(?=(?:打|把|被|给|让|叫|约|跟|和|同|晕|怕|编|老|总|每天|咳|拉|吐|挑食|闹|哭|睡|玩|看|写|画|跑|跳|掉|偷|咬|抓|啃|舔|摔|丢|到|从|比|突然|说|过|求|生|戴|穿|拿|长|换|报|参加|准备|正|老是|昨|今|明|下周|周)(?!时候|学))"
)
_NOT_LOVING = re.compile(
    r"天天|常常|刚刚|偏偏|慢慢|渐渐|偷偷|悄悄|明明|往往|每每|统统|好好|真真|太太|爸爸|妈妈|爷爷|奶奶|哥哥|姐姐|弟弟|妹妹|叔叔|宝宝|人人|个个|小[学时孩朋伙家区声心便手脚孩]"
)


def person_named(text: str) -> tuple[str, str] | None:
    """(the name right behind a relative, the rest): “小雨今年六岁”."""
    if (loving := _LOVING_NAME.match(text)) and not _NOT_LOVING.match(loving["v"]):
        return loving["v"], text[loving.end() :]
    match = _LEADING_NAME.match(text)
    return (
        (match["v"], text[match.end() :])
        if match
        and not _NOT_NAMES.match(match["v"])
        and not re.search(r"[说我你他她是不没让叫想在就]", match["v"])
        else None
    )


def place_in(text: str, *, known: bool = False) -> str | None:
    """A place at the start of a text; with `known` only one of the table, or one that a word for its kind ends."""
    text = text.lstrip(" 在到去了")
    if match := re.match(r"[A-Za-z][\w'-]*(?: [A-Z][\w'-]*)*", text):
        return (
            match.group()
            if match.group()[0].isupper()
            and (not known or match.group() in _LATIN_PLACES)
            and match.group() not in ("IT", "HR", "APP", "App", "Windows")
            else None
        )
    for length in range(min(5, len(text)), 1, -1):
        if text[:length] in PLACES:
            district = re.match(
                rf"{HAN}{{1,6}}?(?:[市区县镇省州村]|新区|街道)|(?:市|省|自治区)", text[length:]
            )
            value = text[:length] + (district.group() if district and len(district.group()) < 7 else "")
            rest = _PLACE_END.sub("", text[length:])
            if not district and re.fullmatch(rf"(?:的)?{HAN}{{2,4}}", rest) and rest[:2] in PLACES:
                value += rest
            return value
    value = _PLACE_END.sub("", text) if len(text) > 2 else text
    if known:
        match = re.match(rf"(?P<v>(?!这|那|哪|全|大|小|城|一){HAN}{{1,5}}[市县省州镇村])(?!场|民|面)", text)
        return match["v"] if match and not _NOT_PLACES.match(match["v"]) else None
    value = tidy(value)
    return (
        value
        if 2 <= len(value) <= 14
        and not _NOT_PLACES.match(value)
        and not re.search(
            r"[吗么呢]|(?:边上?|旁边?|[里上下中]|附近|对面|隔壁)$|房|楼|酒店|宿舍|医院|公司|海边|水深", value
        )
        else None
    )


def job_in(text: str) -> str | None:
    """The job a text is, or begins with before a particle."""
    text = tidy(
        re.sub(
            r"(?:一枚|一名|一个|而已|啦|了|哈|呀|啊|的|，.*|哦|呢|一只|这行|这一行|这块|这一块|行业|工作|相关)+$",
            "",
            tidy(text),
        )
    )
    text = re.sub(r"^(?:一名|一个|一位|一枚|名|个|位|枚)+", "", text) if not text.startswith("个体") else text
    text = (
        re.sub(
            r"^(?:一名|一个|一位|一枚|名|个|位|枚|做|干|当|全职|兼职|普通|资深|高级|初级|新手|刚入行的|小小的?|苦逼|单身)+",
            "",
            text,
        )
        if not text.startswith(("全职妈", "全职宝", "全职爸", "全职太", "全职奶", "个体"))
        else text
    )
    return (
        text
        if re.fullmatch(JOB, text, re.IGNORECASE)
        and not re.fullmatch(rf"{SURNAME}(?:师傅|老师|医生|律师|经理|总)", text)
        else None
    )


def field_in(text: str) -> str | None:
    text = tidy(re.sub(r"(?:的|这行|这一行|行业|方面|工作|生意|相关|这块|了|啦|呀|啊)+$", "", tidy(text)))
    return text if re.fullmatch(rf"(?:{HAN}{{0,4}})?(?:{FIELDS})", text, re.IGNORECASE) else None


def things_in(text: str, *, pleasant: bool = True) -> list[str]:
    """What is liked, avoided or not tolerated, item by item."""
    out = []
    for part in _SPLIT.split(tidy(text)):
        value = tidy(_TAIL.sub("", tidy(part)))
        if 0 < len(value) <= 16 and not (_NO_THING if pleasant else _NO_DISLIKED).search(value):
            out.append(value)
    return out
