"""What is known that bears on something to be planned, made or chosen, also where nobody planned for that topic:
a dinner has to do with allergies and who eats, a trip with the dog that stays behind, a translation with neither."""
# ruff: noqa: E501 -- tables of words

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .matching import fitting
from .phrases import PARTS, key_in_words

__all__ = [
    "Topic", "about_named", "bearing_on", "in_groups", "in_second_person", "is_about_food", "topic_of", "whose",
]  # fmt: skip

Fact = Mapping[str, Any]

# Kinds of facts, by the beginnings of their keys.
_KINDS: dict[str, tuple[str, ...]] = {
    "allergy": ("user::allergy",),
    "condition": ("user::condition",),
    "diet": ("user::diet",),
    "dislikes": ("user::dislikes",),
    "likes": ("user::likes", "user::favorite"),
    "people": ("user::family", "user::relation"),
    "pets": ("user::pet",),
    "language": ("user::language", "user::speaks"),
    "home": ("user::home", "user::address"),
    "name": ("user::name",),
    "self": ("user::age", "user::birthday"),
    "work": ("user::job", "user::work", "user::studies"),
    "decision": ("user::decision",),
}
_MUST = ("allergy", "condition", "diet")  # named first, whatever it is about
_ANY = (*_MUST, "people", "pets", "likes", "dislikes", "language")


@dataclass(frozen=True)
class Topic:
    """What a request is about: the kinds of facts that bear on it, in order, and what is worth settling first, in
    English and Chinese."""

    name: str
    kinds: tuple[str, ...]
    settle: tuple[str, str] = ("", "")


_UNPLANNED = Topic("", _ANY)


def _topic(
    name: str, english: str, chinese: str, kinds: Sequence[str], settle: tuple[str, str] = ("", "")
) -> tuple[re.Pattern[str], Topic]:
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE), Topic(name, tuple(kinds), settle)


# The first that a request names decides, so the more telling come first.
_TOPICS = (
    _topic("words", r"translat\w*|proofread\w*|summari[sz]\w*|rephras\w*|spell\w*|grammar|rewrite|paraphras\w*|jokes?|riddles?|limericks?|puns?|haikus?|tongue.?twisters?", r"翻译|校对|总结|概括|改写|润色|笑话|谜语|绕口令|段子|对联", ("language",)),
    _topic("code", r"code|coding|program(?:me)?|script|function|regex|sql|bug|python|javascript|algorithm|spreadsheet|formula", r"代码|编程|程序|脚本|函数|算法|公式|表格", ("language",)),
    _topic("news", r"weather|forecast|news|headlines|temperature|exchange rates?|stock prices?", r"天气|气温|新闻|头条|汇率|股价", ("home",)),
    _topic("story", r"(?:bedtime |good ?night |fairy |short )?(?:story|stories|tale|tales|poem|lullaby|song|rhyme)", r"故事|童话|诗|儿歌|摇篮曲|歌词", ("people", "pets", "likes", "language"), ("who it is for, and how long it may be", "讲给谁听、讲多久")),
    _topic("present", r"gifts?|presents?|surprise|what (?:\w+ )?(?:give|get) (?:my|her|him|them|the)\b.*", r"礼物|礼品|送(?:点|些)?(?:什么|啥)|惊喜", ("people", "pets", "allergy"), ("how much it may cost, and by when it has to be there", "预算多少、什么时候要")),
    _topic("clothes", r"outfits?|clothes|wear|dress|shoes|jacket|wardrobe|hair(?:cut|style)?|makeup", r"衣服|穿什么|穿搭|搭配|裙子|鞋|外套|发型|化妆", ("allergy", "likes", "dislikes", "self", "people"), ("the occasion, and the weather", "什么场合、什么天气")),
    _topic("party", r"part(?:y|ies)|birthday|wedding|anniversary|celebrat\w*|baby shower|reception|sleepover|playdate|christmas|new year|festival", r"派对|聚会|生日|婚礼|纪念日|庆祝|过年|春节|中秋|圣诞|节日|团圆", (*_MUST, "people", "dislikes", "likes", "pets"), ("who is coming and what they may not eat, where, and until when", "谁来、他们有什么不能吃、在哪里办、办到几点")),
    _topic("food", r"dinner|lunch|breakfast|brunch|supper|meals?|menus?|recipes?|cook\w*|bak(?:e|es|ing)|cake|dish(?:es)?|food|eat|eating|snacks?|picnic|barbecue|bbq|restaurants?|caf[eé]|takeaway|takeout|grocer(?:y|ies)|shopping list|dessert|lunchbox(?:es)?|drinks?|wine|what to order", r"晚[饭餐]|午[饭餐]|早[饭餐]|夜宵|吃|菜|食谱|做饭|烘焙|蛋糕|零食|野餐|烧烤|餐厅|餐馆|饭店|外卖|点心|甜点|便当|聚餐|饮食|买菜|火锅", (*_MUST, "dislikes", "people", "tastes"), ("how many will eat, and how much time there is", "几个人吃、有多少时间")),
    _topic("trip", r"trips?|travel\w*|holidays?|vacation|journey|itinerary|flights?|planes?|hotel|weekend|day out|excursion|outing|hik(?:e|es|ing)|camping|sightseeing|museum|zoo|road ?trip|city break|packing|what to pack|where (?:should|shall|could|can) (?:we|I) go|what (?:should|shall|could|can) we do", r"旅行|旅游|出游|出行|度假|行程|机票|航班|飞机|酒店|周末|郊游|露营|徒步|爬山|游玩|景点|去哪|自驾|博物馆|动物园|打包|行李", (*_MUST, "people", "pets", "likes", "dislikes", "home", "language"), ("where to, on which days, how you get there, and what it may cost", "去哪里、哪几天、怎么去、预算多少")),
    _topic("exercise", r"exercis\w*|work ?outs?|fitness|gym|training|run(?:ning)?|jog\w*|yoga|swim\w*|stretch\w*|lose weight|weight loss|get fit|marathon|cycling|push-?ups?", r"锻炼|健身|运动|跑步|慢跑|瑜伽|游泳|减肥|减脂|增肌|拉伸|马拉松|骑行|训练", ("condition", "self", "likes", "dislikes", "diet"), ("how many days a week, and what has hurt before; with a condition, ask a doctor first", "每周几天、以前哪里受过伤；有身体状况请先问医生")),
    _topic("health", r"doctor|medicine|medication|medical|symptoms?|headache|sleep (?:better|schedule)|insomnia|diet plan|nutrition|vitamins?|health\w*|therapy|vaccin\w*|first aid", r"医生|看病|就诊|药|症状|头疼|失眠|睡眠|营养|保健|健康|疫苗|体检", ("allergy", "condition", "self", "diet", "people"), ("what it feels like and since when; anything that worries you is for a doctor", "什么症状、从什么时候开始；不放心就去看医生")),
    _topic("money", r"budget\w*|sav(?:e|ing) money|savings|expenses|invest\w*|mortgage|insurance|tax(?:es)?|pension|afford|pocket money|costs?", r"预算|省钱|存钱|储蓄|开销|开支|理财|投资|房贷|保险|报税|养老|零花钱", ("people", "pets", "home", "work", "decision"), ("what comes in each month, what is fixed, and what it is for", "每月收入多少、固定支出多少、为了什么")),
    _topic("learning", r"learn\w*|stud(?:y|ies|ying)|homework|lessons?|course|exam\w*|curriculum|practi[cs]e|teach\w*|tutor\w*|school|revision|quiz", r"学习|复习|功课|作业|课程|备考|考试|教我|辅导|练习|上课|学校|测验", ("people", "language", "work", "likes"), ("by when, and how much time there is each day", "什么时候之前、每天有多少时间")),
    _topic("media", r"films?|movies?|series|shows?|books?|novels?|read(?:ing)? list|music|playlists?|podcasts?|games?|concert|theat(?:re|er)|watch", r"电影|剧集|追剧|书单|一本书|读什么|看什么|小说|音乐|歌单|播客|游戏|演唱会|话剧|综艺", ("people", "likes", "dislikes", "language"), ("who watches, reads or plays along, and for how long", "和谁一起、有多少时间")),
    _topic("home", r"room|bedroom|kitchen|living room|garden\w*|balcony|decorat\w*|renovat\w*|furniture|mov(?:e|ing) house|declutter\w*|clean(?:ing)?|tidy\w*|plants?|apartment|flat", r"房间|卧室|厨房|客厅|花园|阳台|装修|布置|家具|搬家|收纳|打扫|大扫除|植物|养花|公寓", ("people", "pets", "allergy", "home", "likes", "dislikes"), ("the size, and what has to stay", "有多大、哪些要留着")),
    _topic("pet", r"pets?|dogs?|cats?|puppy|kitten|vet|hamster|rabbit", r"宠物|狗|猫|兽医|仓鼠|兔子", ("pets", "allergy", "people", "home")),
    _topic("letter", r"letters?|e-?mails?|messages?|cv|r[eé]sum[eé]|cover letter|bio|introduc\w*|application|speech|toast|invitations?|cards?|complaint|reply", r"信|邮件|简历|自我介绍|介绍|申请|演讲|发言|致辞|请柬|邀请函|贺卡|投诉|回复", ("name", "language", "work"), ("to whom it goes, and what they should do then", "写给谁、希望对方做什么")),
    _topic("time", r"schedule|timetable|calendar|routine|agenda|week|month|day plan|morning|evening|to-?do|agenda|tomorrow|today", r"日程|时间表|作息|安排|计划表|一周|一天|明天|今天|早上|晚上", (*_MUST, "people", "pets", "work", "likes"), ("what cannot be moved", "哪些时间不能动")),
)  # fmt: skip
_FOOD = re.compile(
    r"\b(?:food|dish\w*|meal|cuisine|eat\w*|drink\w*|cook\w*|bak\w*|noodles?|pasta|pizza|rice|bread|soup|salad|tofu|cheese|chocolate|curry|sushi|ramen|dumplings?|tacos?|burgers?|steak|fish|"
    r"seafood|chicken|beef|pork|eggs?|vegetables?|fruits?|berr(?:y|ies)|\w*berries|apples?|mango\w*|banana\w*|tomato\w*|potato\w*|mushrooms?|coriander|cilantro|garlic|onions?|chil[il]\w*|spicy|sweet\w*|"
    r"cakes?|ice ?cream|coffee|tea|wine|beer|juice|breakfast|lunch|dinner|snacks?|italian|thai|indian|japanese|chinese|mexican|sichuan)\b"
    r"|吃|喝|菜|面|饭|粥|饺|饼|汤|肉|鱼|虾|蟹|鸡|鸭|蛋|豆|菇|果|瓜|葱|蒜|椒|香菜|辣|甜|酸|咖啡|茶|酒|奶|糖|巧克力|蛋糕|冰淇淋|火锅|寿司|披萨",
    re.IGNORECASE,
)
# Whom a request names, by the part of a key that stands for them.
_NAMED = {
    "daughter": r"daughters?|girls?|kids?|child(?:ren)?|family|little one|we|us|our|toddler|son or daughter",
    "son": r"sons?|boys?|kids?|child(?:ren)?|family|little one|we|us|our|toddler",
    "mother": r"mom|mum|mother|parents?|family|we|us|our",
    "father": r"dad|father|parents?|family|we|us|our",
    "wife": r"wife|spouse|family|we|us|our",
    "husband": r"husband|spouse|family|we|us|our",
    "partner": r"partner|family|we|us|our",
}
_NAMED_ZH = {
    "daughter": "女儿|闺女|孩子|小孩|宝宝|娃|全家|一家|家人",
    "son": "儿子|孩子|小孩|宝宝|娃|全家|一家|家人",
    "mother": "妈|母亲|父母|爸妈|全家|家人",
    "father": "爸|父亲|父母|爸妈|全家|家人",
    "wife": "妻子|老婆|太太|爱人|全家|家人",
    "husband": "丈夫|老公|先生|爱人|全家|家人",
    "partner": "伴侣|爱人|对象|家人",
}
# Of people who are not named themselves, what matters beside their names, unless it is them it is about.
_OF_OTHERS = frozenset({"name", "age", "allergy", "diet", "condition"})
_ABOUT_PEOPLE = ("present", "party")
_EATEN = ("food", "party")


def topic_of(said: str) -> Topic:
    """What a request is about; where no topic is named, whatever may bear on anything."""
    return next((topic for pattern, topic in _TOPICS if pattern.search(said)), _UNPLANNED)


def bearing_on(facts: Sequence[Fact], said: str) -> list[Fact]:
    """Of what is known, that which bears on a request: what its topic has to do with, who is named in it, and what
    shares its words; the most binding first. A present for somebody has to do with them and not with the user."""
    topic = topic_of(said)
    theirs = about_named(facts, said)
    found: list[Fact] = []
    if topic.name == "present" and theirs:
        found = theirs
    else:
        for kind in topic.kinds:
            found += [fact for fact in _of_kind(facts, kind) if _bears(fact, kind, topic, theirs)]
        found += [fact for fact in theirs if fact not in found]
    alike = fitting([fact for fact in facts if fact not in found], said) if said.strip() else []
    return list({fact["id"]: fact for fact in (*found, *alike)}.values())


def about_named(facts: Sequence[Fact], said: str) -> list[Fact]:
    """What is known of the people and animals that a text names, by name or by what they are to the user."""
    relations = {whose(fact["key"]) for fact in facts if _names(said, fact)}
    return [fact for fact in facts if whose(fact["key"]) in relations - {""}]


def is_about_food(key: str) -> bool:
    """Whether such facts, the user's or of somebody of theirs, say what may be eaten."""
    return bool({"diet", "allergy", "condition", "dislikes"} & set(key.split("::")))


def _bears(fact: Fact, kind: str, topic: Topic, theirs: Sequence[Fact]) -> bool:
    """A taste in food bears on meals alone, and on meals no other taste; a meal for somebody is for them."""
    if kind in ("likes", "dislikes"):
        words = f"{fact['key']} {fact['value']}"
        if topic.name in _EATEN:
            return topic_of(words).name in ("", *_EATEN)
        return not _FOOD.search(words) or not topic.name
    parts = fact["key"].split("::")
    if kind == "people" and topic.name == "food" and theirs and fact not in theirs:
        return False
    return topic.name in _ABOUT_PEOPLE or parts[1] != "family" or len(parts) < 4 or parts[3] in _OF_OTHERS


def _of_kind(facts: Sequence[Fact], kind: str) -> list[Fact]:
    if kind == "tastes":  # what is liked, as far as it can be eaten
        return [
            f for f in _of_kind(facts, "likes") if _FOOD.search(f"{f['key']} {f['value']} {f['quote'] or ''}")
        ]
    begin = _KINDS[kind]
    return [
        f for f in facts if f["key"] in begin or f["key"].startswith(tuple(f"{name}::" for name in begin))
    ]


def whose(key: str) -> str:
    """`user::family::daughter` of a daughter and all that is known of her; "" for what is the user's own."""
    parts = key.split("::")
    return "::".join(parts[:3]) if len(parts) > 2 and parts[1] in ("family", "relation", "pet") else ""


def _names(said: str, fact: Fact) -> bool:
    """Whether a request names whom a fact is about, by name or by what they are to the user."""
    relation = whose(fact["key"]).rpartition("::")[2]
    if not relation:
        return False
    if fact["key"].endswith(relation) and len(fact["value"]) > 1 and fact["value"].lower() in said.lower():
        return True
    english, chinese = PARTS.get(relation, (relation.replace("-", " "), ""))
    words = "|".join(filter(None, (re.escape(english), rf"{re.escape(english)}s", _NAMED.get(relation))))
    chinese = "|".join(filter(None, (re.escape(chinese), _NAMED_ZH.get(relation))))
    return bool(re.search(rf"\b(?:{words})\b" + (f"|{chinese}" if chinese else ""), said, re.IGNORECASE))


def in_groups(facts: Sequence[Fact], language: str) -> list[str]:
    """Facts as people would tell them, one line a kind: “allergy: nuts, eggs”, “daughter: Mei, 6 years old”."""
    lines: dict[str, list[Fact]] = {}
    for fact in facts:
        lines.setdefault(whose(fact["key"]) or fact["key"], []).append(fact)
    colon, comma = ("：", "、") if language == "zh" else (": ", ", ")
    out = []
    for key, group in lines.items():
        if whose(key):
            out.append(_of_somebody(key, group, language))
        else:
            values = comma.join(dict.fromkeys(str(fact["value"]) for fact in group))
            out.append(values if key == "user::note" else f"{key_in_words(key, language)}{colon}{values}")
    return out


def _of_somebody(key: str, facts: Sequence[Fact], language: str) -> str:
    zh = language == "zh"
    colon, comma = ("：", "，") if zh else (": ", ", ")
    names = [str(fact["value"]) for fact in facts if fact["key"] == key]
    details = []
    for fact in facts:
        if fact["key"] == key:
            continue
        rest = fact["key"][len(key) + 2 :]
        value = str(fact["value"])
        if rest == "age" and value.isdigit():
            details.append(f"{value}岁" if zh else f"{value} years old")
        elif rest == "name":
            names.append(value)
        else:
            details.append(f"{key_in_words(f'user::{rest}', language)}{colon if zh else ' '}{value}")
    said = (
        comma.join((("、" if zh else ", ").join(dict.fromkeys(names)), *details))
        if names
        else comma.join(details)
    )
    return f"{key_in_words(key, language)}{colon}{said}"


_LONGEST_ECHO = 60  # characters of a request that are said again
_SWAPPED = {
    "me": "you", "my": "your", "mine": "yours", "i": "you", "us": "you", "our": "your", "ours": "yours", "we": "you",
    "myself": "yourself", "ourselves": "yourselves", "i'm": "you're", "we're": "you're", "am": "are",
}  # fmt: skip
_VERB = re.compile(
    r"(?:plan|write|draft|make|create|suggest|recommend|cook|book|compose|translate|summari[sz]e|explain|design|organi[sz]e|prepare|generate|calculate|order|find|propose|brainstorm|pick|choose|invent|teach|tell|code|build|fix|solve|improve|come up|give|help)\b",
    re.IGNORECASE,
)


def in_second_person(topic: str, language: str) -> str:
    """What is asked for, as it can be said back: “plan my week” is “plan your week”. "" where it cannot."""
    topic = re.split(r"[:：\n]", topic.strip())[0].strip().rstrip("。.!！?？")
    if not topic or len(topic) > _LONGEST_ECHO or re.search(r"[\n`*_\[\]<>#|]", topic):
        return ""
    if language == "zh":
        return re.sub(r"^(?:帮我|给我|为我|替我)+", "", topic)
    words = topic.split(" ")
    if not _VERB.match(topic) or re.search(r"\byou(?:r|rs|rself)?\b", topic, re.IGNORECASE):
        return ""
    words[0] = words[0].lower()
    return " ".join(_swapped(word) for word in words)


def _swapped(word: str) -> str:
    core = word.rstrip(",;:")
    return _SWAPPED.get(core.lower(), core) + word[len(core) :]
