"""Chinese: what a stated sentence says about its speaker."""

from __future__ import annotations

import re

from .guards import Sentence
from .proposal import Proposal, task

__all__ = ["facts_in", "request_in"]

_RELATIONS = {
    "女儿": "daughter",
    "儿子": "son",
    "老婆": "wife",
    "妻子": "wife",
    "太太": "wife",
    "老公": "husband",
    "丈夫": "husband",
    "先生": "husband",
    "女朋友": "girlfriend",
    "男朋友": "boyfriend",
    "妈妈": "mother",
    "母亲": "mother",
    "爸爸": "father",
    "父亲": "father",
    "姐姐": "sister",
    "妹妹": "sister",
    "哥哥": "brother",
    "弟弟": "brother",
    "奶奶": "grandmother",
    "外婆": "grandmother",
    "爷爷": "grandfather",
    "外公": "grandfather",
    "狗": "dog",
    "猫": "cat",
}
_RELATION = "|".join(sorted(_RELATIONS, key=len, reverse=True))
_NAME = r"[\u4e00-\u9fff]{1,3}?|[A-Za-z][\w'’-]*"
_NUMBER = r"\d{1,3}|[一二三四五六七八九十百两]{1,4}"
_STOP = r"(?=\s*(?:[，。,.；;！!、\n]|但|因为|所以|而且|并且|$))"
_WHAT = r"[^，。,.；;！!、\n的了吗呢]{1,20}?"

_RULES: tuple[tuple[re.Pattern[str], str, str, float], ...] = tuple(
    (re.compile(pattern), key, category, confidence)
    for pattern, key, category, confidence in (
        (rf"(?:我(?:的名字)?叫|我的名字是|我名叫|叫我)\s*(?P<v>[\u4e00-\u9fff]{{1,4}}|[A-Za-z][\w'’-]*){_STOP}", "user::name", "identity", 0.95),
        (rf"我(?:今年)?(?P<v>{_NUMBER})岁", "user::age", "identity", 0.9),
        (r"我(?:是|一直是)?(?:一个)?(?P<v>吃素|素食主义者|素食者|纯素食?者?|吃清真|清真饮食|不吃肉|无麸质饮食|乳糖不耐受?)", "user::diet", "preference", 0.9),
        (rf"我(?:现在|目前)?(?:住在|家在|搬到了?|定居在?)\s*(?P<v>{_WHAT}){_STOP}", "user::home", "identity", 0.9),
        (rf"我(?:的)?老家(?:在|是)\s*(?P<v>{_WHAT}){_STOP}", "user::hometown", "identity", 0.85),
        (rf"我(?:是|来自)(?P<v>[\u4e00-\u9fff]{{2,6}})人{_STOP}", "user::hometown", "identity", 0.8),
        (rf"我(?:现在|目前)?在(?P<v>{_WHAT})(?:工作|上班|任职)", "user::work", "identity", 0.9),
        (
            rf"我(?:现在|目前)?(?:是|做)(?:一名|一个|一位|个)?(?P<v>[^，。,.；;！!、\n的了]{{0,8}}(?:程序员|工程师|老师|教师|医生|护士|律师|设计师|学生|会计|经理|厨师|司机|记者|作家|画家|研究员|教授|销售|警察|翻译)){_STOP}",
            "user::job",
            "identity",
            0.85,
        ),
        (rf"我对(?P<v>{_WHAT})过敏", "user::allergy", "preference", 0.95),
        (rf"我(?:真的|一直|特别|非常|很|最|从来|从)?(?:不喜欢|讨厌|不爱|受不了|不吃|不喝)(?:吃|喝)?\s*(?P<v>{_WHAT}){_STOP}", "user::dislikes", "preference", 0.85),
        (rf"我(?:真的|一直|特别|非常|很|最|也|更|还)?(?:喜欢|热爱|爱吃|爱喝|爱看|偏爱|爱好是)(?!你|她|他|的)\s*(?P<v>{_WHAT}){_STOP}", "user::likes", "preference", 0.85),
        (r"我(?:的)?(?:邮箱|电子邮件|邮件地址)(?:地址)?(?:是|：|:)\s*(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)", "user::contact::email", "contact", 0.95),
        (r"我(?:的)?(?:电话|手机)(?:号码|号)?(?:是|：|:)\s*(?P<v>\+?\d[\d -]{5,18}\d)", "user::contact::phone", "contact", 0.95),
        (rf"我(?:的)?生日(?:是|在)\s*(?P<v>{_WHAT}){_STOP}", "user::birthday", "identity", 0.9),
        (r"(?:请)?(?:我)?(?:都|一直)?用(?P<v>中文|英文|英语|日语|汉语|普通话)(?:来)?(?:回答|回复|交流|聊天)", "user::language", "preference", 0.85),
        (r"我们?(?:已经|最终|最后)?决定(?:了)?(?P<v>[^，。,.；;！!\n]{2,60})", "user::decision", "decision", 0.85),
        (r"我(?P<v>(?:今天|明天|后天|大后天|下?周[一二三四五六日天]|下个?星期[一二三四五六日天]|\d{1,2}月\d{1,2}[日号])[^，。,.；;！!\n]{0,20}(?:开会|面试|考试|看医生|看牙|出差|复诊|体检|预约|见面))", "user::event", "event", 0.85),
    )
)
# “我叫林，吃素，…”: a clause without its own subject goes on about the speaker of the one before.
_BARE_DIET = re.compile(r"(?<=[，,、])\s*(?P<v>吃素|素食|素食主义者|纯素|吃清真|不吃肉)" + _STOP)
_OTHER_SUBJECT = re.compile(rf"(?:{_RELATION}|他|她|它|朋友|同事)[^，,、]*[，,、]\s*$")
_FAMILY = re.compile(
    rf"我?(?:家)?(?:的)?(?:大|小|二)?(?P<relation>{_RELATION})(?P<named>的名字是|的名字叫|名字叫|名叫|叫|是)?\s*"
    rf"(?P<name>{_NAME})?\s*(?:[，,]?\s*(?:今年|刚满|刚过)?\s*(?P<age>{_NUMBER})\s*岁)?(?=[，。,.；;！!、\s]|今年|很|也|$)"
)
_REMEMBER = re.compile(
    r"^\W*(?:请|麻烦|帮我|你要|你|要)*(?:记住|记得|记下(?:来)?|记一下|别忘了|不要忘记|帮我记)(?:[:：，,]|一下|了)?\s*(?P<v>.+)$"
)
_REMIND = re.compile(
    r"^\W*(?:请|麻烦|帮我|记得|你)*(?:提醒我|提醒一下我|加(?:一)?个待办|添加待办|待办)(?:一下)?(?:[:：，,]|去|要)?\s*(?P<v>.+)$"
)


def request_in(sentence: Sentence) -> Proposal | None:
    """“记住……” and “提醒我……”."""
    if sentence.text.rstrip().endswith(("吗", "吗?", "吗？", "?", "？")):
        return None
    if found := _REMIND.search(sentence.text):
        return task(found["v"], sentence.text)
    if found := _REMEMBER.search(sentence.text):
        return Proposal("user::note", found["v"].rstrip("。. ！!"), sentence.text, None, 1.0, True)
    return None


def facts_in(sentence: Sentence) -> list[Proposal]:
    text = sentence.text
    out: list[Proposal] = []
    for pattern, key, category, confidence in _RULES:
        for found in pattern.finditer(text):
            out.append(Proposal(key, found["v"].strip(), found.group().strip(), category, confidence))
    if "我" in text:
        for found in _BARE_DIET.finditer(text):
            if not _OTHER_SUBJECT.search(text[: found.start()]):
                out.append(Proposal("user::diet", found["v"], found.group().strip(), "preference", 0.9))
        for found in _FAMILY.finditer(text):
            out.extend(_family(found))
    return out


def _family(found: re.Match[str]) -> list[Proposal]:
    key = f"user::family::{_RELATIONS[found['relation']]}"
    quote = found.group().strip(" ，,")
    out = []
    # Without 叫 or an age, what follows a relation is its predicate and not a name.
    if found["name"] and found["named"] != "是" and (found["named"] or found["age"]):
        out.append(Proposal(key, found["name"], quote, "relation", 0.9))
    if found["age"]:
        out.append(Proposal(f"{key}::age", found["age"], quote, "relation", 0.9))
    return out
