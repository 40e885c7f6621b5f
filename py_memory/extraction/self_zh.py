"""What Chinese speakers say of themselves. A frame fits what follows the subject; `bare` frames may stand
without one where nobody else is spoken of."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Callable

from .clauses import slug
from .lexicon_zh import DATE, ILLNESSES, LANGUAGE, NUMBER, SUBJECTS, SURNAME, SYMPTOM
from .values_zh import HAN, LATIN, field_in, job_in, name_in, place_in, things_in, tidy

__all__ = ["Facts", "about_me", "anywhere"]

Facts = list[tuple[str, str]]
Frame = tuple[re.Pattern[str], Callable[[re.Match[str]], Facts], bool]

_NOT_ALLERGENS = re.compile(
    r"开会?|上班|工作|学习|加班|数学|考试|领导|老板|早起|人类|社交|运动|作业|代码|恋爱|结婚|催婚|^(?:嘴巴?|脸|喉咙|嗓子|皮肤|身上|眼睛|舌头|手|全身|浑身)$|什么|任何|你|他|她|这|那|谁|尴尬|愚蠢|虚伪|周一|体质|跑步|没有|不"
)


def _frame(pattern: str, read: Callable[[re.Match[str]], Facts], bare: bool = True) -> Frame:
    return re.compile(pattern, re.IGNORECASE), read, bare


def _one(key: str, read: Callable[[str], str | None] = tidy) -> Callable[[re.Match[str]], Facts]:
    def take(match: re.Match[str]) -> Facts:
        value = read(match["v"])
        return [(key, value)] if value else []

    return take


def _allergens(match: re.Match[str]) -> Facts:
    if _NOT_ALLERGENS.search(match["v"]):
        return []
    return [
        (
            "user::allergy",
            re.sub(
                r"^(?:严重|有点|有些|吃|喝|闻|碰|所有|一点|任何|各种)+(?=..)|(?:都|也|一?多|就|了|会)+$",
                "",
                value,
            ),
        )
        for value in things_in(
            re.sub(r"(?:都|也|严重|重度|轻度|有点|有些|会|特别|比较|极度)+$", "", match["v"])
        )
    ]


def _work(text: str) -> str | None:
    value = tidy(re.sub(r"^(?:一家|一个|一所|某|家|现在|目前|了)+", "", tidy(text)))
    if not 2 <= len(value) <= 16 or re.search(
        r"[吗呢了你他她它这那份]|找到|的$|^(?:家|外|线|网|路|地铁|北|一起|旁边|附近|床|心|室|办公室|外地|外面|哪|国外|国内|工地上?|这|同|其|上|下|前|后|里|晚上|白天|周末|公司|单位|里面|努力|认真|忙|自己|朋友圈|微信|群)$|^(?:不|想|努力|晚上|白天|周|家里|考虑|犹豫|准备|等|忙|用|看|找|写|改|做|学|开|路上)",
        value,
    ):
        return None
    return value


def _job(text: str) -> Facts:
    job = job_in(text)
    return [("user::job", job)] if job and not re.match(rf"{SURNAME}师傅$", job) else []


def _at(match: re.Match[str]) -> Facts:
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
            and (org := _work(where))
        ):
            out.append(("user::work", org))
        if (
            tail
            and (org := _work(tail))
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
        and (org := _work(re.sub(r"^的?(?:一[家个所])?", "", where[len(known) :]) or where))
    ):
        out.append(("user::work", org))
    elif not re.match(
        r"(?:上大|带|陪|读|念|上学|留学|生活|漂|买|租|定居|安家|住|待|呆|过|养老)", match["verb"]
    ) and (org := _work(where)):
        if (
            re.match(r"(?:当|做|任|担任|干(?!了|过))", match["verb"])
            and not job_in(rest)
            and not field_in(rest)
        ):
            return out
        if not (match["verb"].startswith("教") and org in ("小学", "中学", "初中", "高中", "大学", "学校")):
            out.append(("user::work", org))
    if re.match(r"(?:当|做|任|担任|干|教)", match["verb"]):
        out += _job(rest) or (
            [("user::job", rest)]
            if match["verb"].startswith("教")
            and 1 < len(tidy(rest)) < 5
            and not rest.startswith(("书", "我", "你", "他", "育"))
            else [("user::job", v)]
            if (v := field_in(rest))
            else []
        )
    return out


def _i_am(match: re.Match[str]) -> Facts:
    said = tidy(match["v"])
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
    if work := re.match(r"(?P<v>(?:开|跑|卖|教|修|养|种|写|画|送|收|带|管|拍)[^的，]{1,8})的$", said):
        return (
            []
            if re.match(r"(?:开玩笑|开会|写给|送给|带着|卖萌|教你|跑来|开始|收到|管不|拍)", work["v"])
            else [("user::job", work["v"])]
        )
    if job := job_in(
        re.sub(
            r"^.{1,12}?(?:公司|医院|学校|大学|中学|小学|银行|厂|幼儿园|集团|华为|腾讯|阿里|字节|美团|百度|工作室|设计院|研究所|事务所|餐厅|酒店)(?:里|那边)?的(?:一名|一个)?",
            "",
            said,
        )
    ):
        out: Facts = [("user::job", job)]
        at = re.match(
            r"(?P<v>.{1,14}?(?:公司|医院|学校|大学|中学|小学|银行|厂|幼儿园|集团|华为|腾讯|阿里|字节|美团|百度|工作室|设计院|研究所|事务所|餐厅|酒店))(?:里|那边)?的",
            said,
        )
        return out + ([("user::work", at["v"])] if at else [])
    if named := re.fullmatch(
        rf"(?P<v>[小老阿]{HAN}{{1,2}}|{SURNAME}{HAN}{{1,2}}(?<![人员师手家生者民工长的])|{LATIN})", said
    ):
        return (
            [("user::name", named["v"])]
            if name_in(named["v"])
            and not re.search(
                r"[人员工民丁户粉白黑板子孩]$|新手|小学|老铁|老手|老乡|小编|小可|万能|单身|高中|方|温柔|明",
                said[-2:],
            )
            and not re.match(
                r"(?:老实|单|小气|小心|应|宗|高|黄金|白|成|明|温|安|马上|和|包|任|路|水|计|时|Windows|Mac|iOS|Android|INTJ|INFP|[A-Z]{4}$|单身|全|强|沙|金|花|甘|古|原|相|冷|官|连|商|巨|从)",
                said,
            )
            else []
        )
    return []


def _home(match: re.Match[str]) -> Facts:
    value = place_in(match["v"])
    return [("user::home", value)] if value else []


def _known_home(match: re.Match[str]) -> Facts:
    value = place_in(match["v"], known=True)
    return [("user::home", value)] if value else []


def _address_or_home(match: re.Match[str]) -> Facts:
    value = tidy(re.sub(r"(?:啦|啊|了|那边|那儿|这边|一带|附近)+$", "", tidy(match["v"])))
    if re.search(r"\d+\s*(?:号|弄|栋|幢|室|单元|楼)|(?:路|街|大道|巷|弄)\d+", value):
        return [("user::address", value)]
    return _home(match)


def _diet(match: re.Match[str]) -> Facts:
    what = re.sub(r"(?:的东西|的食物|的菜|的|了|之类)+$", "", match["what"])
    if (
        re.match(
            r"(?:饭|早|晚|午|了|完|下|到|起|消|惯|准|苦|亏|素|你|我|他|这|那|什么|啥|东西|药|饱|得|上|够|动|醋|软|硬|一套|出|透|多少|太多|水$|着)",
            what,
        )
        or not 0 < len(what) <= 10
    ):
        return []
    key = "user::diet" if what in ("肉", "荤") else f"user::diet::{slug(what)}"
    return [(key, tidy(match["v"]))]


def _name(match: re.Match[str]) -> Facts:
    value = name_in(match["v"])
    return [("user::name", value)] if value else []


def _age(match: re.Match[str]) -> Facts:
    value = match["v"]
    return [("user::age", value)] if not value.isdigit() or 3 <= int(value) <= 110 else []


_FREE = r"(?:平时|平常|周末|没事|闲着|有空|下班后?|空闲|闲暇|晚上|业余|休息日?|放假|睡前|的?时候|时间?|一般|都|就|最|也|还|特别|非常|超级?|很|挺|蛮|比较|真的|一直|从小|巨|贼|尤其|格外|更|只|总|爱去|可|其实|相当|确实|老|又|比较|打小|最近|现在|天生|无比|极其|十分|太|死|真心|(?<=最)|是真)*"
_FRAMES: tuple[Frame, ...] = (
    _frame(r"(?:的)?(?:全名|大名|本名|真名|名字|中文名|英文名|网名|昵称|外号|笔名|小名)(?:就)?(?:叫做?|是|[:：])\s*(?P<v>.+)", _name, False),
    _frame(r"(?:名叫|叫做?)\s*(?P<v>.+)", _name),
    _frame(rf"姓(?P<v>{SURNAME})(?=，|$|,|名)", _one("user::name")),
    _frame(rf"(?P<v>{SURNAME}{HAN}{{1,2}})$", lambda m: [("user::name", m["v"])] if m.string == m["v"] and "本人" in m["v"] else [], False),
    _frame(rf"(?:今年|现在|虚岁|周岁|实岁|已经|刚满|刚过|刚|马上|刚好|正好|快|才|都|就|也|要|明年|有|年龄|年纪|[:：]|到|是|奔)*(?P<v>{NUMBER})(?:周?岁|嘞)(?:半|多|出头|整)?(?:了|的人|老|啦|的)?(?=$|的|，|[^\u3400-\u9fff])", _age),
    _frame(r"(?:今年|现在|虚岁|已经|刚满|刚过|刚好|正好|刚|都|满|下个?月|马上|快|就)+满?(?P<v>(?:\d{2}|[二三四五六七八九]?十[一二三四五六七八九]?|[二三四五六七八九]十(?:出头|好几|多)?))(?:了|啦|哈|整)?$", _age),
    _frame(r"(?:的)?年龄(?:是|[:：])?\s*(?P<v>\d{1,3})$", _age),
    _frame(rf"(?:的)?(?:阳历|阴历|农历|公历|新历|身份证)?生日(?:是|在|就是|[:：])?\s*(?P<v>{DATE})", _one("user::birthday")),
    _frame(rf"(?:是|出生于|生于|出生在)?\s*(?P<v>{DATE})(?:出生|生的?|生人|的生日|过生日|我?过生日|生日)", _one("user::birthday")),
    _frame(rf"(?:出生于|生于|出生日期[:：是])\s*(?P<v>{DATE}|\d{{4}}年)", _one("user::birthday")),
    _frame(r"(?:是)?(?P<v>(?:19|20)?\d\d年|[一二三四五六七八九零〇]{2,4}年)(?:(?:出生|生)(?:的|人)?|的)$", _one("user::birthday")),
    _frame(rf"{_FREE}(?:租住在?|租在|暂住在?|住的地方(?:就)?(?:在|是)|住在|住到|家住在?|住|家在|定居在?于?|安家在?|落户在?|扎根在?|常住|常驻|现居|搬到了?|搬去了?|搬来了?|搬回了?|搬家到了?|移居到?了?|移民到?了?|生活在|人在|人现在在|base在?|坐标[:：]?|所在地[:：]|居住地[:：是]|嫁到了?|嫁去了?|家搬到了?|迁到了?|回到了?|漂在)\s*(?P<v>[^，]{{2,40}})", _address_or_home),
    _frame(r"(?:从|由)(?:[^，]{2,8}?)(?:搬到|搬去|搬来|搬回|调到|调回|迁到|回到|来到|移居)了?(?P<v>[^，]{2,20})", _home),
    _frame(r"(?:已经|又|刚|终于)*(?:回|来)(?:到)?(?P<v>[^，]{2,8})(?:了|定居|发展|生活|工作了?)?$", _known_home),
    _frame(rf"(?:一直|一个人|独自|全家|一家人?|自己|长期|就|都|人)*在\s*(?P<v>[^，在]{{2,20}}?)(?P<verb>工作|上班|任职|就职|供职|打工|实习|教书|生活|上大学|念大学|读大学|当兵|带娃|带孩子|陪读|定居|创业|打拼|务工|做生意|养老|读书|上学|读博|读研|读大学|念书|留学|漂|安家|买了?房|租房|租了|待了?(?={NUMBER}|好|很|多|半|快)|呆了?(?={NUMBER}|好|很|多|半|快)|住了?(?={NUMBER}|好|很|多|半|快)|干了?(?={NUMBER}|好|很|多|半|快)|做了?(?={NUMBER}|好|多|半|快)|担任|任|当(?!地|时|年|前|然)|做(?!梦|客)|干(?!什么|啥|嘛)|搞|教)(?P<rest>.*)$", _at),
    _frame(r"(?:的)?(?:老家|家乡|籍贯|故乡|祖籍|娘家)(?:是|在|[:：])?\s*(?P<v>[^，]{2,20})", lambda m: [("user::hometown", v)] if (v := re.sub(r"人$", "", place_in(m["v"]) or "")) and len(v) > 1 and not re.match(r"(?:房|冬|过年|特产|有|没|话|菜|那|下雪|今年|的)", m["v"]) else []),
    _frame(r"(?:是)?来自(?:于)?\s*(?P<v>[^，]{2,20})", _one("user::hometown", place_in)),
    _frame(r"(?:是)?(?:从小|打小|一直)*(?:在|是在)?(?P<v>[^，在]{2,14}?)(?:长大|出生长大|土生土长|出生)的?$", _one("user::hometown", lambda v: place_in(v) if len(v) < 9 else None)),
    _frame(r"(?:出生在|生在|生长在|成长于)(?P<v>[^，]{2,12})", _one("user::hometown", lambda v: place_in(v, known=True))),
    _frame(rf"(?P<v>{HAN}{{2,8}})人(?:氏)?$", lambda m: [("user::hometown", re.sub("^(?:是|地道)", "", m["v"]))] if ((k := place_in(re.sub("^(?:是|地道)", "", m["v"]), known=True)) and m["v"].endswith(k[-1:])) or re.sub("^是", "", m["v"])[:2] == (k or " ")[:2] else []),
    _frame(r"(?:刚刚?|上个?月|最近|今年|去年|已经|终于|又)*(?:跳槽(?:到|去)了?|入职了?(?!了?新)|加入了?|加盟|换到了?|换工作到了?|去了?|调到了?|转到了?|考进了?|考上了?|进了?)(?P<v>[^，的]{2,14}?)(?:了|上班了?|工作了?|任职|做[^，]+|当[^，]+)?$", lambda m: [("user::work", v)] if (v := _work(re.sub("(?:上班|工作|任职)$", "", m["v"]))) and (re.search(r"跳槽|入职|上班|工作|任职|加盟", m.group()) or re.search(r"(?:公司|集团|医院|银行|局|科技|研究所|设计院)$", v)) and not place_in(v, known=True) and not re.match(r"新", v) else []),
    _frame(r"(?:的)?(?:单位|公司|东家|雇主)(?:是|叫|[:：])(?P<v>[^，]{2,14})$", lambda m: [("user::work", v)] if (v := _work(m["v"])) and not re.match(r"(?:家|个|一|做|什么|不|坑|国企|私企|外企|很)", v) else [], False),
    _frame(r"(?:现在|目前)?(?:就)?在(?P<v>华为|腾讯|阿里巴巴|阿里云?|字节跳动|字节|美团|百度|京东|小米|网易|拼多多|快手|滴滴|携程|比亚迪|蔚来|理想汽车|小鹏|宁德时代|中石油|中石化|国家电网|国网|南方电网|中国移动|中国电信|中国联通|中国银行|工商银行|工行|建设银行|建行|农业银行|招商银行|招行|平安|大疆|联想|海康威视|科大讯飞|商汤|旷视|哔哩哔哩|B站|小红书|得物|顺丰|海底捞|富士康|Google|谷歌|微软|亚马逊|苹果|特斯拉|英特尔|英伟达|高通|西门子|博世|宝马|奔驰|大众|飞利浦|三星|索尼|甲骨文|Meta|[A-Z]\w+(?= ?做| ?当))(?:公司|集团)?(?:了|里|那边)?$", _one("user::work")),
    _frame(r"(?:在[^，]{2,10}?)?(?:找到?了?|有|换了?)(?:一?份|个)(?P<v>[^，]{2,8}?)的?工作$", lambda m: _job(m["v"]) or [("user::job", v) for v in [field_in(m["v"])] if v]),
    _frame(r"(?:在[^，]{2,12}?|开店|推车)?(?:摆摊|摆个?小?摊|开店|支摊子?)?(?P<v>卖(?![萌了掉力房完不关个身你我他])[^，的了]{1,8})(?:的|为生|养家)?$", lambda m: [("user::job", m["v"])] if re.match("在|摆|开店|支", m.group()) or m.group().endswith(("的", "为生")) else []),
    _frame(r"就职于(?P<v>[^，]{2,16})$|供职于(?P<w>[^，]{2,16})$|任职于(?P<x>[^，]{2,16})$", lambda m: [("user::work", tidy(m["v"] or m["w"] or m["x"]))]),
    _frame(r"(?:现在|目前|已经|其实|也|还|就|都|只|曾)*是(?P<v>.+)", _i_am),
    _frame(r"(?:的)?(?:工作|职业|职位|岗位|本职(?:工作)?|主业|正职)(?:是|[:：])(?P<v>[^，吗呢]{2,16})$", lambda m: _job(m["v"]) or [("user::job", v) for v in [tidy(re.sub(r"^(?:做|当|一名|一个|个|教)", "", m["v"]))] if v and not re.match(r"(?:很|不|太|什么|真|挺|比较|为了|我|你|没|有)", v)]),
    _frame(r"(?:从事|做|搞|干)(?:的)?(?:是|了)?(?P<v>[^，]{2,14}?)(?:这行|这一行|行业|工作|方面)?(?:的|了)?(?:\d+|[一二两三四五六七八九十好几]+)?(?:多?年)?(?:了)?$", lambda m: _job(m["v"]) or ([("user::job", v)] if (v := field_in(m["v"])) and not re.search("梦|饭|作业", v) else [])),
    _frame(rf"(?:做|干|当|教)了?(?:快|有|整整)?{HAN}{{0,2}}?[\d一二两三四五六七八九十几多]+年(?:的)?(?P<v>[^，的了]{{2,8}})了?$", lambda m: _job(m["v"]) or ([("user::job", v)] if (v := field_in(m["v"])) else [])),
    _frame(r"(?:现在|目前|一直|如今|已经|升|被?提拔|转岗|改行|转行)*(?:当上?了?|做上?了?|升了?|成了|任|担任|转行做了?|改行做了?|转岗做了?|转做)(?P<v>[^，]{2,12})$", lambda m: _job(m["v"]) or ([("user::job", v)] if "转" in m.group() and (v := field_in(m["v"])) else [])),
    _frame(r"(?:自己|和[^，]{1,4}|跟[^，]{1,4}|在[^，]{2,8})*(?P<v>(?:开了?|经营着?|盘下了?)(?:一?[家个间]|着|自己的)?[^，的]{0,8}(?:店|馆|公司|工作室|餐厅|超市|饭店|民宿|农场|小卖部|奶茶店|诊所|厂|网店|书店|铺子|档口|培训班|驾校|琴行|茶楼|客栈|幼儿园|事务所|理发店))(?:了|多年|好几年|的)?$", _one("user::job")),
    _frame(r"(?P<v>(?:开|跑)(?:了?[\d一二两三四五六七八九十几多]+年)?(?:出租车?|网约车|滴滴|货车|大车|公交|公交车|地铁|高铁|卡车|外卖|快递|船))(?:的|为生|谋生|好几年了?)?$", _one("user::job")),
    _frame(r"(?:在[^，]{2,10})?(?P<v>教(?:小学|初中|高中|中学|大学|孩子们?)?(?:语文|数学|英语|物理|化学|生物|历史|地理|政治|体育|音乐|美术|舞蹈|钢琴|书法|计算机|日语|法语|编程|画画|瑜伽|游泳))(?:的|了|课)?", _one("user::job")),
    _frame(rf"(?P<v>{HAN}{{2,12}})(?:一枚|一名|一位|一只)$", lambda m: _job(m["v"])),
    _frame(r"(?P<v>退休|退休了|待业|失业|自由职业)(?:了|在家|中|[\d一二两三四五六七八九十几多]+年了?)?$", lambda m: [("user::job", m["v"].removesuffix("了"))], False),
    _frame(rf"(?:正|现在|目前)?(?:在[^，]{{1,10}}?)?(?:读|学|念|攻读|主修)(?P<v>{SUBJECTS})(?:专业|系|方向)?的?(?:研[一二三]|大[一二三四]|博[一二三四]|研究生|博士|硕士|本科|在读|学生)?$", _one("user::studies")),
    _frame(rf"(?:正|现在|目前)?(?:在|于)?(?:{HAN}{{2,10}}?|[A-Z]{{2,5}})?(?:大学|学院|大|校)?(?:里)?(?:学|读|念|攻读|主修|修读|研究|选了?|报了?)(?:的)?(?:是|了)?(?P<v>{HAN}{{2,8}}?)(?:专业|系|方向)(?:的)?(?:研究生|博士|硕士|本科|大[一二三四]|研[一二三]|在读|的?学生)?$", lambda m: [] if re.match(r"(?:什么|哪|一个|这个)", m["v"]) else [("user::studies", m["v"])]),
    _frame(rf"(?:的)?(?:专业|方向|本科专业|研究方向)?(?:读|学|念|修)?(?:的)?(?:专业)?(?:是|[:：])(?P<v>{HAN}{{2,10}}?)(?:专业|的|方向)?$", lambda m: [("user::studies", m["v"])] if re.match(r"(?:的)?(?:专业|方向|本科专业|研究方向|读|学|念|修)", m.group()) and not re.match(r"(?:什么|很|不|一|为)", m["v"]) else []),
    _frame(rf"(?:主修|攻读|在读|就读于|现就读于)(?P<v>{HAN}{{2,10}}?)(?:专业|硕士|博士|研究生|学位)?(?:的)?(?:研究生|博士|硕士)?$", _one("user::studies")),
    _frame(rf"(?:在[^，]{{2,10}}?)?(?:正在|在)?(?:读|念)(?P<v>{HAN}{{2,8}}?)(?:的)?(?:研究生|博士|硕士|本科|研|专科|phd|PhD)(?:了|中|[一二三四]年级)?$", lambda m: [("user::studies", m["v"])] if not re.match(r"(?:了|完|到|大|不|在|全日制|一年|两年)", m["v"]) else []),
    _frame(rf"(?P<v>{HAN}{{2,8}})专业(?:的)?(?:大[一二三四]|研[一二三]|研究生|博士|硕士|本科|在读|学生|毕业)?(?:的)?(?:学生)?$", lambda m: [("user::studies", re.sub(r"^(?:是|学|读|念|主修|学的是|大[一二三四])", "", m["v"]))] if not re.search(r"什么|很|不|哪|这个", m["v"]) else []),
    _frame(rf"(?:一般|平时|都|只|习惯|会|想|更想|还是|更习惯|希望)*用(?P<v>{LANGUAGE})(?:来)?(?:跟|和)?(?:你|我)?(?:回答|回复|交流|聊天|聊|沟通|说|写|对话|讲)?(?:吧|就好|就行|哈)?$", _one("user::language")),
    _frame(rf"(?:只|会|也会|能|还会|还能|可以|日常|在家|平时|家里)*(?:会说|会讲|能说|能讲|说|讲|精通|懂|熟练掌握|会|母语是|的母语是|第一语言是|掌握)(?:一点|一些|点|流利的?|一口流利的?|得了|几句)*(?P<v>{LANGUAGE}(?:(?:、|和|跟|以及|还有|也会|一点|一些|，)+{LANGUAGE}|和?一点{LANGUAGE})*)(?:都会|都可以|都行|也会一点|和一点点?)?$", lambda m: [("user::speaks", v) for v in re.findall(LANGUAGE, m["v"])]),
    _frame(rf"(?:现在|目前|正|在|也|是|大学|研究生|本科|研究生阶段|硕士|博士)*(?:学|读|念|主修|攻读|修)(?:的是?)?(?P<v>{SUBJECTS})(?:的|专业|系|方向)?$", _one("user::studies")),
    _frame(r"(?:天生|从小|严重|先天|好像|有|是|一直|现在|重度)*(?P<v>乳糖不耐受?症?|麸质不耐受?|酒精不耐受?|果糖不耐受?|乳糜泻|[\u3400-\u9fff]{1,3}(?:蛋白)?不耐受?)", lambda m: [("user::allergy", m["v"])] if not re.match("好像", m.group()) else []),
    _frame(r"(?:严重|天生|从小|会|也|还|就|一直|都|医生说我?)*对(?P<v>[^，]{1,30}?)(?:都|严重|重度|有点|有些|会|特别|比较|极度|也|轻度)*过敏", _allergens),
    _frame(r"(?:严重|从小|会|有|也|还|就|一直|都|好像)*(?P<v>[^对不没是，会有]{1,8}?)(?:严重|重度|轻度|都|会|也|就)*过敏(?:症|史|很多年|体质|了|者|的人|，|$|\d|[（(])", _allergens),
    _frame(rf"(?:只要|每次|我)?(?:一|只要)?(?:吃|喝|碰|闻到?|接触|沾|摸|用|打)了?(?:到)?(?:一?点|口|含)?(?P<v>[^，就会都]{{1,8}}?)(?:，)?(?:的话)?(?:就|会|都|我|全身|浑身|身上|嘴巴?|脸|喉咙|嗓子|嘴唇|眼睛|立马|马上|容易|必|皮肤|舌头|胳膊|手|肚子|胃|起|狂|发|会出|还|很|长|又|直接){{1,6}}.{{0,4}}{SYMPTOM}", _allergens),
    _frame(rf"(?P<v>{HAN}{{1,5}}?)(?:我)?(?:一|只要|每次|只要一)(?:吃|喝|碰|闻|沾)了?(?:就|会|嘴|我|全身|脸|喉咙|舌头|都|得|要){{0,4}}.{{0,3}}{SYMPTOM}", _allergens),
    _frame(rf"(?P<v>{HAN}{{1,4}}?)(?:一多|一来|季|多的时候|吃多了|吃了|过多)(?:我)?(?:就|会|都|狂|打|身上|容易|直)+.{{0,4}}{SYMPTOM}", _allergens),
    _frame(rf"(?:有|得了?|患有?|得的是|查出(?:来)?(?:有|了)?|确诊了?|被诊断(?:为|出|有)了?|检查出(?:来)?(?:有|了)?|患上了?|犯了?|的?老毛病是|诊断(?:为|是)|有点|轻度|轻微|天生|从小有?|一直有|遗传性?|去年|前年|今年|刚|体检|医院|多年|慢性|严重的?|遗传)*(?P<v>{ILLNESSES})(?=$|很多年|好多年|好几年|多年|[\d一二两三四五六七八九十几]+年|了|，|患者|需要|比较|挺|[（(]|，|好|史|犯了|期|的|\d)", lambda m: [("user::condition", m["v"])] if m["v"] != m.group() or m.string == m["v"] else []),
    _frame(r"(?:已经|现在|正|目前|刚)*(?P<v>怀孕|怀二胎|怀了?(?:双胞胎|二胎|宝宝|老二)|孕(?:早|中|晚)期|孕\d+周)(?:了)?(?:[\d一二两三四五六七八九十几半快]+(?:多)?(?:个月|周|月|天)(?:了|多)?)?(?:了|，|$)", _one("user::condition")),
    _frame(r"(?:心脏|体内)?(?P<v>左撇子|[左右双](?:耳|眼)(?:听不见|失聪|听力不好|失明|看不见|弱视|听力下降)|坐轮椅|戴助听器|装了?(?:心脏)?(?:起搏器|支架)|听力不太?好|腿脚不便|行动不便|高度近视|近视\d+度)(?:了|$|，|出行)", _one("user::condition")),
    _frame(rf"{_FREE}(?:从[^，]{{1,8}}开始|从[^，]{{1,8}}起|已经|现在|是|改|一名|一个|开始|坚持|长期|信佛|全家|都|家里|个|\d+年|因为[^，]{{1,6}}|早就|为了[^，]{{1,6}})*(?P<v>吃素食?|吃全素|吃纯素|吃长素|吃斋|吃蛋奶素|吃鱼素|素食主义者|素食者|纯素食?主义者|纯素食?者?|吃清真|清真饮食|清真|蛋奶素|鱼素者?|生酮饮食|生酮|低碳饮食|低碳水|低盐饮食|低脂饮食|地中海饮食|滴酒不沾|无麸质饮食|控糖|断碳|轻断食|戒[酒烟糖辣肉奶碳荤](?:了)?|不沾酒|不沾荤腥?|弹性素食者?)(?:多年|很久|好多年|好几年|[\d一二两三四五六七八九十几]+多?(?:个?月|年)|了|的|一族|者|中|啦|，|$)", lambda m: [("user::diet", m["v"])]),
    _frame(r"(?:现在|一般|晚上|晚餐|早上|从来|从小|从|也|都|最近|医生让我?|还|就|真的|目前|平时|一直|因为[^，]{1,8}|信[^，]{1,4}|已经|全家|家里人?)*(?P<v>(?:不吃|不喝|不能吃|不能喝|不能碰|不碰|不沾|不可以吃|吃不了|喝不了|从不吃|从不喝|忌口|忌|戒了|戒掉了|不让吃|吃不得|碰不得|不敢吃|不敢喝|沾不得|不怎么吃)(?P<what>[^，早晚午完]{1,10}))", _diet),
    _frame(r"(?P<v>一点(?P<what>[^，都也]{1,4})[都也](?:不|吃不|喝不|沾不|碰不|不能)(?:吃|了|得|喝|碰|沾)?了?)$", _diet),
    _frame(r"(?P<v>(?:不吃|不喝)?(?P<what>猪肉|牛肉|羊肉|海鲜|香菜|葱|蒜|葱姜蒜|内脏|辣|奶制品|麸质|酒|咖啡)(?:都|从来|一概|一律|一口|我)*(?:不吃|不喝|不碰|不沾|吃不了|不能吃|戒了))$", _diet),
    _frame(r"最(?:喜欢|爱|钟爱|中意|喜爱)(?:吃|喝|看|听|玩)?的(?:一[部首本种个道位])?(?P<what>[^，是:：的]{1,8})(?:一直是|永远是|还是|就是|是|[:：])\s*(?P<v>.{1,30})", lambda m: [(f"user::favorite::{slug(m['what'])}", v)] if (v := tidy(re.sub(r"(?:了|啦|呀|哈|吧|啊|没有之一)+$", "", m["v"]))) and not re.match(r"(?:什么|哪|你|谁|人$|不)", v) and m["what"] not in ("人", "就", "事") else []),
    _frame(rf"{_FREE}(?:对)(?P<v>[^，]{{1,12}}?)(?:是|真|可|一直|都|也|还|更|很|特别|非常|挺|超级?|蛮|比较|越来越|还挺|尤其|十分|提不起)*(?P<how>感兴趣|有兴趣|着迷|上瘾|情有独钟|痴迷|入迷|充满热情|毫无抵抗力|没有抵抗力|没抵抗力|爱不释手|无感|没兴趣|不感冒|没什么兴趣|没啥兴趣|不感兴趣|兴趣不大|完全没兴趣|兴趣|没好感|反感|深恶痛绝)", lambda m: [("user::dislikes" if re.search(r"无感|没|不感|不大|反感|深恶|提不起", re.sub("没有抵抗力|没抵抗力|毫无抵抗力", "", m.group()[m.end("v") - m.start() :])) else "user::likes", v) for v in things_in(m["v"])]),
    _frame(rf"{_FREE}(?:不太喜欢|不大喜欢|不怎么喜欢|不是很喜欢|不喜欢|很不喜欢|讨厌|不太爱|不怎么爱|不爱|受不了|忍不了|忍受不了|反感|厌恶|怕|烦|嫌弃|厌烦|痛恨|恨(?!不得)|接受不了|欣赏不来|吃不惯|喝不惯|受够了|看不得|听不得|闻不得|看不惯|闻不了)(?P<v>.{{1,24}})", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False)] if not re.search(r"(?:^|[^最别很超常挺其真贼巨])(?:怕|烦)(?!吃|人多|水|高|黑|蛇|虫|狗|冷|热|辣|吵|打雷|坐)", m.group()[: m.start("v") - m.start()] + m["v"]) or "最" in m.group() else []),
    _frame(rf"{_FREE}(?:喜欢上了|迷上了|爱上了|喜欢|喜爱|热爱|酷爱|偏爱|钟爱|热衷于?|痴迷于?|沉迷于?|着迷于?|爱好是?[:：]?|的?爱好(?:就)?是|的?爱好有|的?兴趣(?:爱好)?(?:就)?是|的?兴趣(?:爱好)?[:：]|特长是|好(?=喝两|吃辣)|离不开|超爱|最爱|巨爱|狂爱|馋|的最爱是|偏好|(?<=爱)|爱(?=[吃喝看听玩读跑打唱跳写画做逛爬钓养骑拍游种泡煮煲追刷织弹练收睡遛晒踢泡冲登滑潜弄捣摄折拼搭烤旅撸下去喝抽嗑折]))(?:上)?(?P<v>.{{1,40}})", lambda m: [("user::likes", re.sub(r"^爱(?=.)", "", v)) for v in things_in(m["v"])]),
    _frame(r"(?:一般|平时|从来|就|只)*只(?:喝|吃|听|看|认|用)(?P<v>[^，]{1,10})$", lambda m: [("user::likes", v) for v in things_in(m["v"]) if not re.match(r"(?:了|过|到|有|得|\d|一|两|半|几|完|点|见|是|剩)", v)]),
    _frame(r"(?:平时|周末|业余|没事|有空)(?:就|一般|经常|常常|喜欢|会|都|总|时间|的时候)*(?:去|在家)?(?P<v>(?:爬山|跑步|钓鱼|画画|打球|打篮球|打羽毛球|打网球|踢球|踢足球|游泳|看书|读书|追剧|写字|练字|弹琴|弹吉他|弹钢琴|唱歌|跳舞|摄影|拍照|徒步|露营|骑车|骑行|下棋|做饭|烘焙|种花|养花|健身|撸铁|瑜伽|滑雪|攀岩|冲浪|潜水|打游戏|玩桌游|打麻将|喝茶|听歌|看电影|看展|撸猫|遛狗))", _one("user::likes")),
    _frame(r"(?:的)?(?:家庭|联系|收货|收件|通讯|邮寄|新|家里的?|现在的?)*(?:地址|住址)(?:是|在|改成了?|换成了?|变成了?|[:：])\s*(?P<v>[^，吗呢]{3,60})", lambda m: [("user::address", tidy(m["v"]))] if re.search(r"\d|路|街|区|号|村|镇|巷", m["v"]) else []),
    _frame(r"(?:快递|包裹|东西|信|文件)?(?:请|麻烦)?(?:寄|送|邮)(?:到|至)(?P<v>[^，]{4,40}?)(?:就行|就好|吧|即可|哈|这里|来)?$", lambda m: [("user::address", tidy(m["v"]))] if re.search(r"\d", m["v"]) and re.search(r"[号路街幢栋室弄]", m["v"]) else []),
    _frame(r"(?:的)?(?:新|工作|私人|个人|常用|公司|联系|备用)*(?:的)?(?:邮箱|电子邮[件箱]|邮件|email|e-mail|mail)(?:地址)?(?:是|换成了?|改成了?|改为|变成了?|[:：])?\s*(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)", _one("user::contact::email")),
    _frame(r"(?:的)?新号码?(?:是|[:：])?\s*(?P<v>\+?\d[\d -]{5,18}\d)", _one("user::contact::phone")),
    _frame(r"(?:的)?(?:新|工作|私人|个人|常用|现在的?|国内|备用|家里的?|办公室)*(?:的)?(?:联系)?(?:电话|手机|号码|联系方式|座机|手机号|tel)(?:号码|号)?(?:已经|现在)?(?:是|换成了?|改成了?|改为|换了?|变成了?|[:：])*\s*(?P<v>\+?\d[\d -]{5,18}\d)", _one("user::contact::phone")),
    _frame(r"(?:(?:已经|最终|最后|终于|还是|慎重考虑后)*(?:决定|决意|下决心|下定决心|打定主意))(?:了|要|好了?|[:：，]|好)*(?P<v>[^吗呢]{2,60})", lambda m: [("user::decision", tidy(m["v"]))] if not re.match(r"(?:不了|权|性|因素|的|一切|是|于|下来$)", m["v"]) else []),
    _frame(r"(?:最终|最后|终于|还是)+选(?:了|择了?|定了?)(?P<v>[^吗呢]{2,40})", _one("user::decision")),
)  # fmt: skip
_ANYWHERE: tuple[Frame, ...] = (  # said to the user's assistant about the user, whatever the subject
    _frame(r"(?:你)?(?:可以|大家都?|都|就|请|以后|你|朋友们?都?|同事们?都?|别人都?|家里人都?|平时|一般|直接|身边人都?|喊|也可以)*(?:管我叫|叫我|喊我|称呼我(?:为)?)\s*(?P<v>.+)", lambda m: _name(m) if not re.search(r"(?:来|去|干|做|吃|帮|带|写|起床|回家)", m["v"]) else []),
    _frame(rf"(?:请|以后|麻烦|都|你|一律|一直|全部|统统|还是|咱们?|我们|今后|从现在起|能不能|可以|就)*(?:用|说|讲|换成|改用|切换到|使用)(?P<v>{LANGUAGE})(?:来)?(?:跟我|和我|给我|与我)?(?:回答|回复|交流|聊天|聊|沟通|说|对话|答复|讲|作答|吧|就行|就好)+(?:我|我的问题|吧|就好|就行|哈|好吗|我的提问|所有问题)*$", _one("user::language")),
    _frame(rf"(?:以后|请|你|今后|都|平时)*(?:回答|回复|跟我(?:聊天?|说话?|交流)|和我(?:聊天?|说话?|交流)|聊天|沟通|答复|交流)(?:我)?(?:的?时候?|的?问题)?(?:你|请|都|一律|就|还是|全部|麻烦)*(?:用|说)(?P<v>{LANGUAGE})(?:吧|就好|就行|哈)?$", _one("user::language")),
    _frame(r"(?:有事|有急事|要联系我|可以|请|直接|到时候?|就|你|以后|急事|麻烦)*(?:打(?:我)?(?:的)?(?:电话|手机)?|拨|call|短信发到?|联系我[:：]?|发短信到?)\s*(?P<v>\+?\d[\d -]{5,18}\d)(?:找我|给我|联系我|就行|就好)?", _one("user::contact::phone")),
    _frame(r"(?:有事|资料|文件|请|可以|直接|简历|账单|发票|就|你|麻烦|把)*(?:发邮件|邮件|发|写信|写邮件|寄|联系我)(?:请)?(?:发|寄)?(?:到|给|至|往|用|[:：])?(?:我)?(?:的)?(?:邮箱)?(?:是)?\s*(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)\s*(?:给我|就行|就好|即可|吧|联系我|找我)", _one("user::contact::email")),
)  # fmt: skip


def about_me(text: str, *, named: bool) -> Facts:
    """What follows the subject, or, not `named`, a clause that leaves it out."""
    for pattern, read, bare in _FRAMES:
        if (named or bare) and (match := pattern.match(text)) and (found := read(match)):
            return found
    return []


def anywhere(text: str) -> Facts:
    for pattern, read, _ in _ANYWHERE:
        if (match := pattern.match(text)) and (found := read(match)):
            return found
    return []
