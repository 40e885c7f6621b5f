"""What a message asks of the offline assistant, in Chinese or English."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Intent", "understand"]


@dataclass(frozen=True)
class Intent:
    """`kind` with what it is about: greeting, thanks, help, about_me, todo_list, todo_done, forget, question,
    request, statement."""

    kind: str
    topic: str = ""


def _rules(*rules: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, pattern in rules)


# The first that fits decides. A group `t` is the topic.
_EN = _rules(
    (
        "about_me",
        r"\bwhat (?:do|did|else do) you (?:know|remember|have)(?: stored| saved)?(?: about| on)?(?: me| of me)?\b(?!\s+(?:about|on)\s+(?!me\b|myself\b))"
        r"|\b(?:who am i|tell me (?:what you know|everything you know)|show (?:me )?my (?:memory|facts))\b",
    ),
    (
        "todo_list",
        r"\bwhat(?:['’]s| is| are| do i have)?\b[^?]*\b(?:left to do|to-?dos?\b|on my (?:list|plate)|still to do|my tasks)"
        r"|\b(?:show|list|read)\b[^?]*\b(?:to-?dos?|to-?do list|tasks)\b|\bwhat (?:should|must|do) i (?:still )?(?:need to |have to )?do\b"
        r"|\bmy to-?dos?\b",
    ),
    (
        "todo_done",
        r"^\W*(?:done|finished|completed|tick off|check off|close)\b(?:\s*:|\s+with)?\s+(?P<t>.+)$"
        r"|^\W*i(?:['’]ve| have)?(?: just| already)?\s+(?P<t1>(?:bought|called|finished|done|did|sent|paid|picked|cleaned|booked|wrote|fixed|"
        r"washed|mailed|returned|got|made|watered|ordered|submitted)\b.+)$"
        r"|^(?P<t2>.+?)\s+is done\b",
    ),
    (
        "forget",
        r"^\W*(?:please |can you |could you )*(?:forget|delete|erase|remove)\s+(?:about |that |everything about |what you know about )*(?P<t>.+)$",
    ),
    ("thanks", r"^\W*(?:thanks|thank you|thx|cheers|great,? thanks)\b.{0,30}$"),
    ("greeting", r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|howdy)\b[\s\w,!.]{0,20}$"),
    ("help", r"\bwhat can you do\b|\bhow do(?:es)? (?:you|this) work\b|^\W*help\W*$|\bwho are you\b"),
    (
        "question",
        r"^\W*(?:so |and |hey |please )*(?:what|when|where|who|whom|whose|which|how|why|did|do|does|am|is|are|was|were|have|has|can you (?:tell|find|remind)|"
        r"tell me|find|search|show me|look up)\b(?P<t>.*)$|(?P<t1>.*\?)\s*$",
    ),
    (
        "request",
        r"^\W*(?:please |can you |could you |would you |i need you to |help me(?: to)? |let['’]?s )*"
        r"(?P<t>(?:plan|write|draft|make|create|suggest|recommend|cook|book|compose|translate|summari[sz]e|explain|design|organi[sz]e|prepare|"
        r"give me|generate|calculate|order|find me|propose|brainstorm|come up)\b.*)$",
    ),
)
_ZH = _rules(
    ("about_me", r"你(?:都|还)?(?:知道|记得|了解|记住了?)(?:关于)?我(?:的)?(?:什么|哪些|多少|些什么|些啥|啥)|你(?:对我)?(?:有什么了解|了解多少)|我是谁|你(?:都|还)?记(?:得|住)了?(?:些)?(?:什么|哪些|啥)"),
    ("todo_list", r"(?:还有|有)(?:什么|哪些|啥)(?:事|事情|任务)?(?:要做|没做|待办|没完成|要办)|待办(?:事项|清单|列表)?(?:有|是|呢|$|[?？])|(?:列出|看看|显示)(?:我的)?(?:待办|任务)|(?:今天|接下来)(?:要|该)做什么"),
    ("todo_done", r"^(?:我)?(?:已经|刚|刚刚)?(?P<t>.{0,30}?(?:买|做|打|写|交|寄|付|办|洗|修|订|发|送|取|还|看|读|喂|浇)(?:好|完|了).*?)[。!！]*$|^(?:完成|做完|搞定)了?[:：，,]?\s*(?P<t1>.+)$"),
    ("forget", r"^(?:请|帮我|你)*(?:忘掉|忘记|忘了|删掉|删除|清除)(?:关于|所有关于)?\s*(?P<t>.+)$"),
    ("thanks", r"^(?:谢谢|多谢|感谢|辛苦了|谢啦).{0,8}$"),
    ("greeting", r"^(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|早|在吗).{0,6}$"),
    ("help", r"你(?:能|会|可以)(?:做|干)?(?:什么|啥)|怎么用|^帮助$|你是谁"),
    ("request", r"^(?:请|麻烦|你能|能不能|可以|帮我|给我|来)*(?P<t>(?:帮我|给我)?(?:写|计划|安排|做一?[个份道]|推荐|建议|设计|翻译|总结|解释|准备|策划|制定|生成|画|起草|规划|列一?[个份]).+)$"),
    ("question", r"(?P<t>.*(?:什么|谁|哪|怎么|几|多少|吗|呢|为什么|是不是|有没有|何时).*)|^(?:找|搜|查)(?:一下|找)?(?P<t1>.+)|(?P<t2>.*[?？])\s*$"),
)


def understand(text: str, language: str) -> Intent:
    text = text.strip()
    for kind, pattern in _ZH if language == "zh" else _EN:
        if found := pattern.search(text):
            topic = next((group for group in found.groupdict().values() if group), "")
            return Intent(kind, topic.strip(" \t?？.。!！,，:："))
    return Intent("statement", text)
