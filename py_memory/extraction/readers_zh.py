"""Chinese frames, a pattern with a reader of what it fits, and the readers that frames share. `bare` frames may
stand without a subject where nobody else is spoken of."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Callable

from .clauses import slug
from .lexicon_zh import ILLNESSES, SURNAME
from .values_zh import HAN, LATIN, field_in, job_in, name_in, place_in, things_in, tidy

__all__ = [
    "FREE",
    "NOT_ALLERGENS",
    "Facts",
    "Frame",
    "address_or_home_in",
    "age_in",
    "allergens_in",
    "at_in",
    "diet_in",
    "first",
    "frame",
    "home_in",
    "i_am",
    "jobs_in",
    "known_home_in",
    "name_facts",
    "one",
    "people_of",
    "work_in",
]

Facts = list[tuple[str, str]]
Frame = tuple[re.Pattern[str], Callable[[re.Match[str]], Facts], bool]

NOT_ALLERGENS = re.compile(
    r"^(?:[一两三二]个|有人|有的|谁|大家)|开会?|上班|工作|学习|加班|数学|考试|领导|老板|早起|人类|社交|运动|作业|代码|恋爱|结婚|催婚|^(?:嘴巴?|脸|喉咙|嗓子|皮肤|身上|眼睛|舌头|手|全身|浑身)$|什么|任何|你|他|她|这|那|谁|尴尬|废话|鸡汤|套路|周[末二三四五]|钱$|愚蠢|虚伪|周一|体质|跑步|没有|不"
)


def frame(pattern: str, read: Callable[[re.Match[str]], Facts], bare: bool = True) -> Frame:
    return re.compile(pattern, re.IGNORECASE), read, bare


def one(key: str, read: Callable[[str], str | None] = tidy) -> Callable[[re.Match[str]], Facts]:
    def take(match: re.Match[str]) -> Facts:
        value = read(match["v"])
        return [(key, value)] if value else []

    return take


def allergens_in(match: re.Match[str]) -> Facts:
    if NOT_ALLERGENS.search(match["v"]):
        return []
    return [
        (
            "user::allergy",
            re.sub(
                r"^(?:严重|有点|有些|吃(?!的)|喝|闻|碰|所有|一点|任何|各种)+(?=.)|(?:都|也|一?多|就|了|会)+$",
                "",
                value,
            ),
        )
        for value in things_in(
            re.sub(r"(?:都|也|严重|重度|轻度|有点|有些|会|特别|比较|极度)+$", "", match["v"])
        )
    ]


def work_in(text: str) -> str | None:
    value = tidy(re.sub(r"^(?:一家|一个|一所|某|家|现在|目前|了)+", "", tidy(text)))
    value = re.sub(
        r"(?:第[一二三四五六七八九十\d]|才|刚|没|快|都|不到|不足|[\d一二两三四五六七八九十半]+(?:多)?(?:年|个月|周|天)).*$",
        "",
        value,
    )
    if not 2 <= len(value) <= 16 or re.search(
        r"[吗呢了你他她它这那份]|找到|的$|^(?:家|外|线|网|路|地铁|北|一起|旁边|附近|床|心|室|办公室|外地|外面|哪|国外|国内|工地上?|这|同|其|上|下|前|后|里|晚上|白天|周末|公司|单位|里面|努力|认真|忙|自己|朋友圈|微信|群)$|^(?:不|想|努力|晚上|白天|周|家里|考虑|犹豫|准备|等|忙|用|看|找|写|改|做|学|开|路上)",
        value,
    ):
        return None
    return value


def jobs_in(text: str) -> Facts:
    job = job_in(text)
    return [("user::job", job)] if job and not re.match(rf"{SURNAME}师傅$", job) else []


def at_in(match: re.Match[str]) -> Facts:
    """在…上班, with what the user does there: an employer, or a place to live."""
    where, rest = tidy(match["v"]), match["rest"] or ""
    out: Facts = []
    known = place_in(where, known=True)
    stays = re.match(
        r"(?:工作|上班|打工|生活|创业|打拼|读书|上学|上大学|念大学|带娃|带孩子|陪读|读博|读研|留学|读大学|念书|漂|务工|做生意|养老|定居|安家|买了?房|租房|租了|居住|待|呆|住|过)",
        match["verb"],
    )
    if known and (known == where or len(where) - len(known) <= 1 or not stays):
        tail = (
            re.sub(r"^(?:的|市|这边|那边|这里)?(?:一[家个所])?", "", where[len(known) :])
            if where.startswith(known)
            else ""
        )
        if stays:
            out.append(("user::home", known))
        elif (
            len(tail) >= 2
            and re.match(r"(?:干|做|任|担任|当|教|任职|就职|供职|实习)", match["verb"])
            and (org := work_in(where))
            and not re.match("的?一[家个所]", where[len(known) :])
        ) or (
            tail
            and (org := work_in(tail))
            and len(tail) > 2
            and re.search(
                r"(?:公司|集团|医院|学校|大学|中学|小学|银行|厂|局|院|所|社|店|馆|部|中心|园)$", tail
            )
        ):
            out.append(("user::work", org))
    elif (
        known
        and stays
        and re.match(r"(?:工作|上班|打工)", match["verb"])
        and (org := work_in(re.sub(r"^的?(?:一[家个所])?", "", where[len(known) :]) or where))
    ):
        out.append(("user::work", org))
    elif not re.match(
        r"(?:上大|带|陪|读|念|上学|留学|生活|漂|买|租|定居|安家|住|待|呆|过|养老)", match["verb"]
    ) and (org := work_in(where)):
        if (
            re.match(r"(?:当|做|任|担任|干(?!了|过))", match["verb"])
            and not job_in(rest)
            and not field_in(rest)
        ):
            return out
        if not (match["verb"].startswith("教") and org in ("小学", "中学", "初中", "高中", "大学", "学校")):
            out.append(("user::work", org))
    if re.match(r"[送跑写开画剪]", match["verb"]) and 1 < len(tidy(rest)) < 7:
        out.append(("user::job", tidy(match["verb"] + rest)))
    if re.match(r"(?:当|做|任|担任|干|教)", match["verb"]):
        out += jobs_in(rest) or (
            [("user::job", match["verb"] + tidy(rest))]
            if match["verb"].startswith("教")
            and 1 < len(tidy(rest)) < 5
            and not rest.startswith(("书", "我", "你", "他", "育"))
            else [("user::job", v)]
            if (v := field_in(rest))
            else []
        )
    return out


# Surnames that say nothing else of somebody who is one: 我是林.
_SURNAMES_ALONE = frozenset(
    "林李王张刘陈杨赵周吴徐孙朱郭何罗郑梁谢宋唐许韩冯邓曹彭肖董袁潘蒋蔡余杜叶程苏魏吕丁沈姚卢姜崔钟谭陆汪廖贾韦邱侯孟薛邹秦"
)


def i_am(match: re.Match[str]) -> Facts:
    said = re.sub(
        r"^(?:新来的|刚来的|(?:昨天|上次|之前|刚才|前天)(?:的|那个|那位)?(?:的)?|你们?的|这里的|一枚|隔壁的)(?=.{2,4}$)",
        "",
        tidy(match["v"]),
    )
    if re.match(
        r"(?:不|没|说|否|来|想|在|为|因|要|去|从|你|他|她|它|这|那|什么|怎么|第|热锅|吃瓜|有|指|被)", said
    ):
        return []
    if match2 := re.match(
        rf"(?:土生土长的|地道的|地地道道的|正宗的?|个|一个|纯正的?)*(?P<v>{HAN}{{2,8}})人$", said
    ):
        place = match2["v"]
        known = place_in(place, known=True)
        if known and (known == place or len(place) <= 8):
            return [("user::hometown", place)]
        if re.search(r"(?:市|县|省|州|镇|村)$", place):
            return [("user::hometown", place)]
        return []
    if (match2 := re.match(rf"(?P<v>{HAN}{{2,6}})的$", said)) and place_in(match2["v"], known=True) == match2[
        "v"
    ]:
        return [("user::hometown", match2["v"])]
    if match2 := re.match(rf"(?P<v>{ILLNESSES})(?:患者|病人|病友|体质)", said):
        return [("user::condition", match2["v"])]
    if match2 := re.match(
        r"(?:个|一个|天生|天生的)*(?P<v>左撇子|色盲|色弱|红绿色弱|聋人|听障人士|视障人士|盲人|残疾人|孕妇|轮椅使用者|自闭症谱系)",
        said,
    ):
        return [("user::condition", match2["v"])]
    if re.match(
        r"(?:一个|个|一名)*(?P<v>素食主义者|素食者|素食|纯素食?主义者|纯素食?者?|蛋奶素|鱼素者?|弹性素食者?)",
        said,
    ):
        return []
    if fan := re.match(
        r"(?P<v>.{1,12}?)(?:的)?(?:铁杆?粉丝?|死忠粉|忠实粉丝|骨灰级粉丝?|粉丝|球迷|爱好者|发烧友|重度爱好者|老粉|迷妹|迷弟|狂热粉)$",
        said,
    ):
        return [("user::likes", v) for v in things_in(re.sub(r"^(?:个|一个|资深)", "", fan["v"]))]
    if study := re.match(rf"(?:学|读|念|主修)(?P<v>{HAN}{{2,8}}?)(?:专业)?(?:的|出身的?|毕业的?)$", said):
        return [] if re.match(r"(?:完|到|书|习|会|不)", study["v"]) else [("user::studies", study["v"])]
    if study := re.match(
        rf"(?:.{{0,10}}?(?:大学|学院|大))?(?P<v>{HAN}{{2,6}})(?:专业|系)(?:的)?(?:大[一二三四]|研[一二三]|本科|硕士|博士|学生|研究生|博士生|大学生|在读)?",
        said,
    ):
        return [("user::studies", study["v"])]
    if work := re.match(
        r"(?:做|搞|干|从事|弄)(?P<v>[^的，]{2,10})(?:的|这行的?|这一行的?|生意的?|行业的?|工作的?)$", said
    ):
        return [] if re.match(r"(?:什么|啥|梦|好|事|我)", work["v"]) else [("user::job", work["v"])]
    if work := re.match(
        r"(?:个|一个|一名|名)?(?P<v>(?:开|跑|卖|教|修|养|种|写|画|送|收|带|管|拍)[^的，]{1,8})的$", said
    ):
        return (
            []
            if re.match(r"(?:开玩笑|开会|写给|送给|带着|卖萌|教你|跑来|开始|收到|管不|拍)", work["v"])
            else [("user::job", work["v"])]
        )
    if job := job_in(
        re.sub(
            r"^.{0,12}?(?:公司|医院|学校|大学|中学|小学|银行|厂|幼儿园|集团|华为|腾讯|阿里|字节|美团|百度|工作室|设计院|研究所|事务所|餐厅|酒店)(?:里|那边)?的(?:一名|一个)?",
            "",
            said,
        )
    ):
        out: Facts = [("user::job", job)]
        at = re.match(
            r"(?P<v>.{0,14}?(?:公司|医院|学校|大学|中学|小学|银行|厂|幼儿园|集团|华为|腾讯|阿里|字节|美团|百度|工作室|设计院|研究所|事务所|餐厅|酒店))(?:里|那边)?的",
            said,
        )
        return out + ([("user::work", at["v"])] if at else [])
    if said in _SURNAMES_ALONE:
        return [("user::name", said)]
    if named := re.fullmatch(
        rf"(?P<v>[小老阿]{HAN}{{1,2}}|{SURNAME}{HAN}{{1,2}}(?<![人员师手家生者民工长的])|{LATIN})", said
    ):
        return (
            [("user::name", named["v"])]
            if name_in(named["v"])
            and not re.search(
                r"[人员工民丁户粉白黑板子孩皮迷枪宅斗爱女弟大哥汉鬼虫怪精控痴盲恐座族派党手者家师兵机]$|新手|小学|老铁|老手|老乡|小编|小可|万能|单身|高中|方|温柔|明",
                said[-2:],
            )
            and not re.match(
                r"(?:老实|单|小气|小心|应|宗|高|黄金|白|成|明|温|安|马上|和|包|任|路|水|计|时|Windows|Mac|iOS|Android|INTJ|INFP|[A-Z]{4}$|单身|全|强|沙|金|花|甘|古|原|相|冷|官|连|商|巨|从)",
                said,
            )
            else []
        )
    return []


# Where somebody stays for a night is not where they live.
_LODGING = re.compile(r"酒店|宾馆|旅馆|青旅|民宿|招待所|(?:住|待|呆)(?:几|[一两二三四五]|\d)(?:天|晚|宿)")


def home_in(match: re.Match[str]) -> Facts:
    if _LODGING.search(match.string):
        return []
    value = place_in(match["v"])
    return [("user::home", value)] if value else []


def people_of(place: str) -> Facts:
    """“…人”: where such people come from, if that is a place."""
    known = place_in(place, known=True)
    whole = known and (place.endswith(known[-1:]) or place[:2] == known[:2])
    counted = re.search("[一二三四五六七八九十百千万住有的了]", place)
    return [("user::hometown", place)] if whole and not counted else []


def known_home_in(match: re.Match[str]) -> Facts:
    value = place_in(match["v"], known=True)
    return [("user::home", value)] if value else []


def address_or_home_in(match: re.Match[str]) -> Facts:
    value = tidy(re.sub(r"(?:啦|啊|了|那边|那儿|这边|一带|附近)+$", "", tidy(match["v"])))
    if re.search(r"\d+\s*(?:号|弄|栋|幢|室|单元|楼)|(?:路|街|大道|巷|弄)\d+", value):
        return [("user::address", value)]
    return home_in(match)


def diet_in(match: re.Match[str]) -> Facts:
    said = re.split("[也还但又]", match["what"])[0]
    whole = match["v"][: len(match["v"]) - (match.end("v") - match.start("what"))] + said
    what = re.sub(r"(?:的东西|的食物|的菜|的|了|之类)+$", "", said)
    if (
        re.match(
            r"(?:饭|早|晚|午|了|完|下|到|起|消|惯|准|苦|亏|素|你|我|他|这|那|什么|啥|东西|药|饱|得|上|够|动|醋|软|硬|要|上班|睡|一套|出|透|多少|太多|水$|着)",
            what,
        )
        or not 0 < len(what) <= 10
        or re.search(r"开车|上班|睡|早起|回家", what)
    ):
        return []
    key = "user::diet" if what in ("肉", "荤") else f"user::diet::{slug(what)}"
    return [(key, tidy(whole) if match.end("what") == match.end("v") else tidy(match["v"]))]


def name_facts(match: re.Match[str]) -> Facts:
    value = name_in(match["v"])
    return [("user::name", value)] if value else []


def age_in(match: re.Match[str]) -> Facts:
    value = match["v"]
    return [("user::age", value)] if not value.isdigit() or 3 <= int(value) <= 110 else []


FREE = r"(?:平时|平常|周末|没事|闲着|有空|下班后?|空闲|闲暇|晚上|业余|休息日?|放假|睡前|的?时候|时间?|一般|都|就|最|也|还|特别|非常|超级?|很|挺|蛮|比较|真的|一直|从小|巨|贼|尤其|格外|更|只|总|爱去|可|其实|相当|确实|老|又|比较|打小|最近|现在|天生|无比|极其|十分|太|死|真心|(?<=最)|是真)*"


def first(frames: tuple[Frame, ...], text: str, *, named: bool = True) -> Facts:
    """What the first frame that fits says; not `named`, only of those that need no subject."""
    for pattern, read, bare in frames:
        if (named or bare) and (match := pattern.match(text)) and (found := read(match)):
            return found
    return []
