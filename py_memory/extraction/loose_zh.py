"""What a Chinese clause says by its words alone, where no frame fits it: an illness, a friend by name, told by
somebody who speaks of themselves and of nobody else."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import Clause
from .lexicon_zh import ILLNESSES, RELATIVES, SYMPTOM
from .readers_zh import NOT_ALLERGENS
from .values_zh import HAN, LATIN, job_in, person_named

__all__ = ["loosely", "relative_in"]

_SOMEBODY = re.compile(
    rf"[他她它您你谁]|人家|别人|有人|有的|的人|患者|病人|朋友|同事|同学|领导|老板|客户|邻居|网友|医生|大夫|孩子|小孩|老人|宝宝|狗|猫|{'|'.join(sorted(RELATIVES, key=len, reverse=True))}"
)
_UNCERTAIN = re.compile(
    r"[没不未无别](?!舒服|太?好|行|了)|怎么|什么|如果|要是|是不是|会不会|可能|好像|怀疑|担心|怕|以前|小时候|曾|治好|好了|痊愈|科普|论文|文章|科室|药|疫苗|预防|治疗|症状|检查|筛查|风险|宣传|海报|写|查资料|[吗呢？?]$"
)
_ILLNESS = re.compile(rf"(?P<v>{ILLNESSES})")
_ALLERGY = re.compile(
    rf"(?:^|[，我]|对)(?:对)?(?:那个|这个|某种)?(?P<v>(?!体质|皮肤|季节|换季|鼻|食物|药物|严重|有点|特别|容易|真的|还是|一直|又|会|很)(?:(?![我对你他她]){HAN}){{1,5}}?)(?:都|也|严重|重度|有点|特别)*过敏(?!原|性|体质|药|怎么|反应是|源|了怎)|(?:一|每次|只要)(?:吃|喝|碰|闻|沾|摸|用)了?(?:点)?(?P<w>{HAN}{{1,4}}?)(?:就|都|会|全身|嘴|脸|马上)+(?:.{{0,3}}{SYMPTOM}|吐|上吐下泻|犯恶心)"
)
_RELATIONS = {
    "老板": "boss",
    "领导": "boss",
    "上司": "boss",
    "闺蜜": "friend",
    "朋友": "friend",
    "好友": "friend",
    "死党": "friend",
    "发小": "friend",
    "哥们": "friend",
    "哥们儿": "friend",
    "同事": "colleague",
    "室友": "roommate",
    "舍友": "roommate",
}
_RELATION = re.compile(
    rf"(?:^|[，和跟给陪约请帮])(?:我们?|我的|俺)?(?:的)?(?:最好的|好|老|大学|高中)?(?P<who>{'|'.join(sorted(_RELATIONS, key=len, reverse=True))})\s?(?:叫做?|名叫|是|姓)?\s?(?P<rest>.+)$"
)
# What describes a friend or colleague alone: 同事小张吃素.
_ONLY_OF_THEM = re.compile(
    r"(?:也|都|就)?(?:吃素|不吃|是|住|在.{1,8}(?:工作|上班|住)|有|喜欢|爱|讨厌|对.{1,6}过敏|养|学|今年|会)"
)
_BEING = re.compile(rf"(?:身为|作为|当了?.{{0,4}}年)(?:一[名个位])?(?P<v>{HAN}{{2,8}}?)(?:的我|，|我|$)")
_MENTIONED = re.compile(
    rf"(?:我们?|俺|咱)(?:家)?(?:的)?(?P<who>{'|'.join(sorted((w for w in RELATIVES if len(w) > 1 or w in '爸妈'), key=len, reverse=True))})(?!的|们|家|说|问|让|叫)"
)


def loosely(text: str) -> list[tuple[str, str]]:
    """(key, value) of what the words of a clause tell that no frame reads."""
    out: list[tuple[str, str]] = []
    if match := _RELATION.search(text):
        rest = match["rest"]
        named = person_named(rest) or (
            (latin.group(), "")
            if (latin := re.match(LATIN, rest))
            and rest[latin.end() :][:1] in ("", " ", "又", "说", "让", "要", "约", "，")
            else None
        )
        if named and not job_in(named[0]) and not (_ONLY_OF_THEM.match(named[1]) and "我" not in named[1]):
            out.append((f"user::relation::{_RELATIONS[match['who']]}", named[0]))
        return out
    if _SOMEBODY.search(text) or _UNCERTAIN.search(text):
        return out
    if (other := person_named(text)) and re.match(r"(?:也|都|好像)?对", other[1]):
        return out  # 小美对花生过敏, whoever that is
    if match := _ALLERGY.search(text):
        what = match["v"] or match["w"]
        if not NOT_ALLERGENS.search(what):
            out.append(("user::allergy", what))
    elif match := _ILLNESS.search(text):
        out.append(("user::condition", match["v"]))
    if (match := _BEING.search(text)) and (job := job_in(match["v"])):
        out.append(("user::job", job))
    return out


def relative_in(clause: Clause) -> str:
    """The key of the user's relative that a clause names on the way (“给我爸挑件外套”), for a clause about him to
    go on with; "" if it names none."""
    match = _MENTIONED.search(clause.text)
    return f"user::family::{RELATIVES[match['who']]}" if match else ""
