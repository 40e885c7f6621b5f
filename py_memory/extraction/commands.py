"""Explicit requests: “remember that …”, “remind me to …”. They are read at the start of a clause, outside
quotations."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from dataclasses import dataclass

from .clauses import Clause

__all__ = ["Command", "command_in"]


@dataclass(frozen=True, slots=True)
class Command:
    """`kind` is "remember" or "todo"; `body` is what for, and `start` where the request begins in the
    text."""

    kind: str
    body: Clause
    start: int


_POLITE_EN = (
    r"(?:(?:please|pls|fyi|btw|thanks|thx|oh yes|one more thing|right|well|hey|hi|ok|okay|oh|and|also|so|now|then|just|kindly|always|(?:can|could|would|will) you(?: please)?"
    r"|(?:I|I'd) (?:want|like|need) you to|make sure (?:you|to)|you (?:should|must|can|need to))[ ,:]+){0,6}"
)
_TODO_EN = re.compile(
    rf"{_POLITE_EN}(?:remind me(?: (?:again|later))?(?P<when> (?:tomorrow|tonight|today|on \w+|next \w+|at [\w: ]+?|in \w+ \w+))? (?:to|about|of|that I (?:have|need) to)"
    r"|(?:I |we )?need (?:an?|another) reminder (?:to|about|for)|(?:set|create|make|add)(?: me)?(?: up)? an? (?:\w+ )?reminder(?: for me)?(?P<at> (?:for|on|at) (?:tomorrow|tonight|\w+day|\d[\w: ]*?))?(?: to|:| about| that I need to)|(?:I |we )?need to be reminded to|nudge me to|ping me (?:to|about)|make sure I (?:don't forget to|remember to)|(?:please )?help me remember to|remember to|(?:don't|do not|dont|never) (?:let me )?forget (?:to|about (?=\w+ing\b))|(?:don't|do not|dont) let me forget(?= (?:my |the |our )?\w+(?:'s)? \w)|do not forget to|add (?:an? )?(?:new )?(?:to-?do|task)(?: item)?(?: to|:)|(?:please )?(?:add|put|stick|pop)(?: this| the following)?(?: on)?(?: to)? (?:my|the) (?:to-?do|task)s?(?: list)?(?:\s*:|,| please:)|on (?:my|the) to-?do list:|new (?:to-?do|task):|note to self:(?! (?:I|my|the|we|never|always|don't)\b)|to do:|(?:to-?do|task)s?(?: items?| list)?(?: for (?:me|today|tomorrow|this week|the week(?:end)?))?:"
    r"|(?:put|add|stick|pop) (?=.{1,300} on my (?:to-?do )?list)|add (?=.{1,300} to (?:my|the) (?:to-?do|task|shopping|grocery|list)))\s*(?P<body>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ON_LIST = re.compile(
    r"\s(?:on|to) (?:my|the) (?:to-?do |task |shopping |grocery )?(?:list|to-?dos|tasks)\W*$", re.IGNORECASE
)
_REMEMBER_EN = re.compile(
    rf"{_POLITE_EN}(?:remember|memori[sz]e|keep in mind|bear in mind|make a note|take a note|note down|note|jot down|write down|don't forget"
    r"|do not forget)(?: for me| please)?(?:(?: this| the following)?\s*:\s*|\s*,\s*(?=(?:I|I'm|my|we|our)\b)|\s+(?:that\s+)?(?!(?:to|me|when|how|what|who|where|why|the time"
    r"|the day|the days|us|this|it|of|about|if)\b))(?P<body>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_POLITE_ZH = r"(?:请你?|麻烦你?|帮我|帮忙|给我|你要|你得|一定要|务必|好的|那|嗯|对了|另外|还有|千万|我(?=要(?:记得|别忘))|你|要|，|,){0,8}"
_TODO_ZH = re.compile(
    rf"{_POLITE_ZH}(?:记得)?(?:(?P<when>(?:(?:今|明|后)[天晚早]|(?:这|下)?个?(?:周|星期|礼拜)[一二三四五六日天末]|早上|上午|中午|下午|晚上|到时候?|到点|等会儿?|一?会儿|\d{{1,2}}[点:：](?:半|钟|\d\d)?|[一二三四五六七八九十]{{1,3}}点(?:半|钟)?|\d{{1,2}}[日号]|\d{{1,2}}月\d{{1,2}}[日号]|(?:\d+|半|[一二两三])个?(?:分钟|小时|天)[之以]?后|每[天周晚早][一二三四五六日天]?|[\u3400-\u9fff]{{1,4}}(?:之前|之后|前|后|时)|的时候?|，?你?)(?:记得)?){{0,5}})"
    r"(?:提醒(?:一下|一声|下(?![午周个班课月次楼]))?(?:我|一下我|俺|咱)(?:一下|一声|下(?![午周个班课月次楼]))?[，,：:]?(?:要|去|记得)?|(?:设|定|建|加)(?:一?个)?(?:提醒|闹钟|日程)[，,:：]?(?:提醒我)?|[别不](?:要)?让我忘(?:了|记)?(?:要|去)?|(?:叫|喊|提醒)我一[声下][，, ]*(?:我)?(?:得|要|该|记得|去)*|叫我(?=吃药|起床|起来|出门|去|打电话|开会|关火|收|拿|带|交|喝水|吃|买|取)|(?:加|添加|新增|记)(?:一?[个条])?(?:到)?待办(?:事项|清单)?[:：，,]?|待办(?:事项|清单)?(?:里|上)?(?:再?(?:加|添|记|新增)(?:上)?一?[条项个件]?)?[:：，,]\s*"
    r"|(?:记得|别忘了?|不要忘记?了?|别忘记)(?:要|去)?(?:(?:叫|提醒)我)?(?!我|你|他|她|它|这|那|吗|的|了|[:：，,]))\s*(?P<body>\S.*)$",
    re.DOTALL,
)
_REMEMBER_ZH = re.compile(
    rf"{_POLITE_ZH}(?:记住|记一下|记下来?|记着|牢记|备忘|记录一下|记录|记得|别忘了?|不要忘记?了?|别忘记)(?!了?[吗么？?])(?:了|一下)?(?:[:：，,]\s*)?(?P<body>\S.*)$",
    re.DOTALL,
)
_TODO_AFTER_ZH = re.compile(  # the thing first: 周五交房租，记得提醒我
    r"(?P<body>[^，,。！？!?\n]{3,40})[，,\s]+(?:到时候?|你|请|麻烦|帮我|记得|别忘了?|千万|一定要?|提前|前一天|可以)*提醒(?:一下|一声|下)?我?(?:一下|一声|哈|哦|啊|吧|呀)*[。！!\s]*$"
)
_ONTO_LIST_ZH = re.compile(
    r"(?:帮我|请|麻烦)*(?:把|将)(?P<body>[^，。！？!?\n]{1,40}?)(?:也|都)?(?:加|添|放|记|列|写)(?:到|进|入|在|上)(?:我的?)?(?:待办|清单|任务|日程)(?:事项|清单|列表|单)?(?:里|中|上|里面)?(?:去|吧|哈|一下)*[。！!\s]*$"
)
_NO_STATEMENT = re.compile(
    r"^(?:(?:my|the|our|his|her|their|this|that) (?:[\w'-]+ ){0,3}[\w'-]+|it|this|that|me|you)\W*$|^(?:了|吗|这个|那个|这件事|它|我|我说的话?)?$",
    re.IGNORECASE,
)
# What is asked of the assistant itself is nothing to note down: how to answer, what it is.
_OF_ASSISTANT_EN = re.compile(
    r"you(?:'re| are| must| should| can| will)?\b|(?:be (?:brief|concise|short|polite|nice|formal|casual|honest|careful|kind|specific|funny)|keep it (?:short|brief|simple)|answer|reply|respond|translate|cite|explain|summari[sz]e|use (?:bullet|simple|plain|short|markdown|tables?))\b",
    re.IGNORECASE,
)
_OF_ASSISTANT_ZH = re.compile(
    r"你(?:是|要|得|必须|现在|只)|(?:回答|回复|翻译|解释|总结|输出)|.*(?:推荐|什么(?:好)?办法|怎么|哪[个些种]|是什么|英[语文])"
)
# “Note that the function returns None” explains; it is to be kept where it is about the user.
_WEAK = re.compile(r"^(?:please |also |and )*note\b(?! (?:down|to self))", re.IGNORECASE)
_ABOUT_USER = re.compile(r"\b(?:I|I'm|I've|I'll|my|me|mine|we|we're|our|us)\b", re.IGNORECASE)
# 记得上次…, 别忘了那年: a memory called up, and nothing to keep.
_CALLED_UP_ZH = re.compile(
    r"(?:上次|上回|那次|那时|那年|那个|这个|小时候|以前|当年|当时|有一?[次回年]|好像|之前|昨天|前天|去年)|(?:笔记|账|单词|公式|日记|歌词|台词|谱)"
)
# Advice to everybody (“remember to breathe”), and words for work on a text (“add a comma to the list”).
_TRIVIAL = re.compile(
    r"(?:breathe?|smile|relax|be \w+|have fun|enjoy|live|laugh|love|like and subscribe|say (?:please|thanks|thank you)|(?:an? |another |one more |the )(?:comma|semicolon|column|row|bullet(?: point)?|function|heading|hyperlink|paragraph|sentence|emoji|parameter|comment|header|footer|slide)s?)\b(?! (?:to|for|at|about|with|by) \w+ ?(?:mum|mom|bob|landlord))[\w ]{0,20}$"
    r"|(?:呼吸|微笑|笑|快乐|开心|做自己|爱自己|对[\u3400-\u9fff]{1,4}好一?点|善良|保持[\u3400-\u9fff]{2,4}|想我|点赞|关注|加油)$|.*的(?:区别|不同|用法|意思|方法|步骤|定义|原理|公式|规则|顺序|流程)$",
    re.IGNORECASE,
)
# What somebody is reminded of is nothing to do either: 记得小时候的冰棍才两毛钱.
_LONG_AGO_ZH = re.compile(r"(?:小时候|以前|当年|当时|那时|那年|那会儿?|从前)")
# No statement and nothing to do: a question, a poem, a list to be written, a thing that is looked for.
_ASKED = re.compile(
    r"(?:what|who|where|how|when|why|which|whose|remember)\b|.*[啥咋]|.*(?:哪[里儿个些了]?$|什么|怎么|多少|谁|几[个点号]|[吗呢]$)|这[几些个]|.*的[\u3400-\u9fff]{0,3}(?:闹钟|软件|app|歌|视频|书|工具|方法|办法|技巧|推荐)$",
    re.IGNORECASE,
)
_DOWN = re.compile(r"\b(?:jot|write|note) down\b", re.IGNORECASE)
_POLITE_QUESTION = re.compile(r"(?:.*\b)?(?:can|could|would|will) you\b|.*能不?能?帮?", re.IGNORECASE)
_VERB = re.compile(
    r"\d|\b(?:is|are|am|was|were|be|has|have|had|do|does|did|will|can|likes?|loves?|hates?|lives?|works?|needs?|wants?|goes|eats?)\b|'s |'m |'re "
)


def command_in(sentence: Clause) -> Command | None:
    """The request a sentence makes, None if it makes none. One that asks to remember a bare noun states
    nothing."""
    if (after := _TODO_AFTER_ZH.match(sentence.text)) and not re.search(
        r"提醒|记住|记一下|叫我|[吗呢]$|如果|要是", after["body"]
    ):
        return Command("todo", Clause(after["body"], sentence.start + after.start("body")), sentence.start)
    if onto := _ONTO_LIST_ZH.match(sentence.text):
        return Command("todo", Clause(onto["body"], sentence.start + onto.start("body")), sentence.start)
    for match in re.finditer(r"(?:^|[,;，；。]\s*)(?=\S)", sentence.text):
        begin = match.end()
        for pattern, kind in (
            (_TODO_EN, "todo"),
            (_TODO_ZH, "todo"),
            (_REMEMBER_EN, "remember"),
            (_REMEMBER_ZH, "remember"),
        ):
            found = pattern.match(sentence.text, begin)
            if not found:
                continue
            body = found["body"].rstrip(' .。!！?？"”')
            if kind == "todo":
                body = _ON_LIST.sub("", body).rstrip()
            told = re.search(r"\bthat\s+$", sentence.text[begin : found.start("body")])
            if kind == "remember" and (
                not body or (not told and _NO_STATEMENT.match(body) and not _VERB.search(body))
            ):
                return None
            if found["body"].rstrip().endswith(("吗", "么", "呢", "?", "？")) and not _POLITE_QUESTION.match(
                sentence.text, begin
            ):
                return None
            lead = sentence.text[begin : found.start("body")]
            if _ASKED.match(body) or (
                _DOWN.search(lead) and not _ABOUT_USER.search(body) and not _VERB.search(body)
            ):
                return None
            if kind == "remember" and (
                (_WEAK.search(lead) and not _ABOUT_USER.search(body)) or _CALLED_UP_ZH.match(body)
            ):
                return None
            if _TRIVIAL.match(body) or _LONG_AGO_ZH.match(body) or not re.search(r"\w{2}", body):
                return None
            if _OF_ASSISTANT_EN.match(body) or (kind == "remember" and _OF_ASSISTANT_ZH.match(body)):
                return None
            place = sentence.start + found.start("body")
            return Command(kind, Clause(body, place), sentence.start + begin) if body else None
    return None
