"""What a message asks of the offline assistant, in Chinese or English."""
# ruff: noqa: E501 -- a rule is one line

from __future__ import annotations

import re
from dataclasses import dataclass

from py_memory.text import detect_language

__all__ = ["Intent", "understand"]


MAX_READ = 1000  # characters; what a long message asks for stands at its beginning


@dataclass(frozen=True)
class Intent:
    """`kind` with what it is about: yes, no, about_me, todo_list, todo_done, forget, forget_all, thanks,
    greeting, farewell, small_talk, help, request, question, statement. `sure`: what will go has been seen
    and agreed to."""

    kind: str
    topic: str = ""
    sure: bool = False


def _rules(*rules: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, pattern in rules)


_PLEASE = r"^\W*(?:(?:please|pls|can you|could you|would you|will you|hey|ok|okay|and|now|also|yes|sure|then|just)\b[\s,]*)*"
_DONE_VERBS = (
    r"bought|called|finished|done|did|sent|paid|picked|cleaned|booked|wrote|fixed|washed|mailed|emailed|returned|got|made|took"
    r"|watered|ordered|submitted|completed|renewed|cancelled|canceled|read|met|told|brought|fed|went|signed|filed|packed|repaired"
)

# The first that fits decides. A group `t…` is the topic.
_EN = _rules(
    ("yes", r"^\W*(?:yes|yeah|yep|yup|sure|ok|okay|correct|right|that's right|please do|go ahead|keep (?:it|them|that|all)|do it)(?:[,\s]+(?:please|keep (?:it|them|all)|do|thanks|thank you|that's right|all of (?:it|them)))*\W*$"),
    ("no", r"^\W*(?:no|nope|nah|don't|do not|never mind|please don't|don't keep (?:it|them|that))(?:[,\s]+(?:please|thanks|thank you|don't|keep (?:it|them)))*\W*$"),
    ("about_me", r"\bwhat (?:do|did|else do|all do) you (?:know|remember|have)(?: stored| saved)?(?: (?:about|on) (?:me|myself))?\s*(?:\?|$|so far|now|\.)|\bwho am i\b|\b(?:tell me|show me|list) (?:what|everything|all) you (?:know|remember|have)|\bshow (?:me )?my (?:memory|facts|notes)\b"),
    ("todo_list", r"\bwhat(?:'s|s| is| are| do i have| else is)?\b[^?]*\b(?:left to do|to-?dos?\b|on my (?:list|plate)|still to do|to be done|my tasks)|\b(?:show|list|read)\b[^?]*\b(?:to-?dos?|to-?do list|tasks)\b|\bwhat (?:should|must|do) i (?:still )?(?:need to |have to )?do(?: today| now| next| tomorrow)?\W*$|^\W*(?:my )?to-?dos?(?: list)?\W*$"),
    ("todo_done", rf"{_PLEASE}(?:done|finished|completed|tick off|check off|close)\b(?:\s*:|\s+with)?\s+(?P<t>[^?]+)$|^\W*(?:ok,? |done,? )?i(?:'ve| have)?(?: just| already| now| finally)?\s+(?P<t1>(?:{_DONE_VERBS})\b[^?]+)$|^(?P<t2>[^?]{{2,80}}?)\s+(?:is|are) (?:done|finished|bought|paid|sent)\W*$|^\W*mark (?P<t3>[^?]+?) (?:as )?done\W*$"),
    ("forget_all", rf"{_PLEASE}(?:forget|delete|erase|remove|wipe) (?:everything|all|anything|all (?:the )?messages)(?: that)?(?: you know| I (?:said|told you)| I have said)? (?:about|on|with|mentioning|containing) (?P<t>.+)$"),
    ("forget", rf"{_PLEASE}(?:forget|delete|erase|remove|unremember)\s+(?:about |that |what you know about |what I said about |the fact that |the note (?:about|that) )*(?P<t>.+)$"),
    ("thanks", r"^\W*(?:many )?(?:thanks|thank you|thx|cheers|great,? thanks|perfect|great|awesome|nice|cool)\b[\w ,!.]{0,24}$"),
    ("small_talk", r"^\W*(?:(?:hi|hello|hey)\W+)?(?:how are you|how's it going|how do you do|what's up|how is it going|are you there|you there)\b.{0,20}$"),
    ("greeting", r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|howdy)\b(?:\s+(?:there|again|assistant|everyone))?[\s,!.~]*$"),
    ("farewell", r"^\W*(?:bye|goodbye|good night|see you|see ya|talk to you|cya)\b.{0,24}$"),
    ("help", r"\bwhat can you do\b|\bhow do(?:es)? (?:you|this) work\b|^\W*help\W*$|\bwho are you\b|\bwhat are you\b"),
    ("request", rf"{_PLEASE}(?:i (?:need|want) you to |help me(?: to)? |let's |let us )?(?P<t>(?:plan|write|draft|make|create|suggest|recommend|cook|book|compose|translate|summari[sz]e|explain|design|organi[sz]e|prepare|give me|generate|calculate|order|find me (?:a|an|some)|propose|brainstorm|come up|pick|choose|invent|teach|tell me (?:a|an)|code|build|fix|solve|improve|help me)\b.*)$|^\W*(?P<t1>what (?:should|shall|could|can) (?:i|we) (?:cook|eat|make|wear|buy|give|have|order|read|watch|get)\b.*)$"),
    ("question", rf"{_PLEASE}(?:so |tell me |remind me )*(?:what|when|where|who|whom|whose|which|how|why|did|do|does|am|is|are|was|were|have|has|find|search|show me|look up|what's|who's|when's|where's)\b(?P<t>.*)$|(?P<t1>.*\?)\s*$"),
)  # fmt: skip
_ZH = _rules(
    ("yes", r"^\W*(?:是|是的|对|对的|好|好的|好啊|可以|行|嗯|嗯嗯|没错|保存|保存吧|记住吧|都保存|都记住|要|可以的|确认)[，,]?(?:请?保存|记住吧?|谢谢)?\W*$"),
    ("no", r"^\W*(?:不|不用|不要|不是|不对|别|算了|不用了|不必|不行|不保存)[，,]?(?:谢谢|保存|了)?\W*$"),
    ("about_me", r"你(?:都|还|现在)?(?:知道|记得|了解|记住了?)(?:关于)?(?:我)(?:的)?(?:什么|哪些|多少|些什么|些啥|啥|事)|关于我.{0,4}(?:知道|记得|了解|记住了?)(?:什么|哪些|多少|些什么|啥)|对我.{0,3}了解|我是谁|你(?:都|还)?记(?:得|住)了?(?:些)?(?:什么|哪些|啥)\W*$"),
    ("todo_list", r"(?:还|我)?(?:还有|还剩|有)(?:什么|哪些|啥)(?:事|事情|任务|活)?(?:要做|没做|待办|没完成|要办|没办|得做)|待办(?:事项|清单|列表)?(?:有|是|呢|$|\W*$)|(?:列出|列一下|看看|显示|查看)(?:我的)?(?:待办|任务)|(?:今天|接下来|现在)(?:要|该|还要)做(?:什么|啥)|还要做(?:什么|啥)"),
    ("todo_done", r"^(?:完成|做完|搞定|办完|办好)了?[:：，, ]\s*(?P<t1>.+)$|^(?!.*(?:没|未|别|不|[吗么?？]))(?:好了)?(?:我)?(?:已经|刚|刚刚)?(?:把)?(?P<t>.{0,30}?(?:买|做|打|写|交|寄|付|办|洗|修|订|发|送|取|还|看|读|喂|浇|拿|打扫|收拾|预约|完成|搞定|弄)(?:好|完|了|过).*?)[。!！]*$|^(?P<t2>.{1,30}?)(?:做完了|完成了|搞定了|办好了|弄好了)\W*$"),
    ("forget_all", r"^(?:请|帮我|你|那就|是的|好的|对|确定|，|,)*(?:把)?(?:忘掉|忘记|忘了|删掉|删除|清除)(?:所有)?(?:关于|有关|和|跟)(?P<t>.+?)(?:有关)?的?(?:一切|所有.*|全部.*)$"),
    ("forget", r"^(?:请|帮我|你|，|,)*(?:把)?(?:忘掉|忘记|忘了|删掉|删除|清除)(?:关于|所有关于|我说的)?\s*(?P<t>.+)$|^(?:请|帮我)?把(?P<t1>.+?)(?:忘掉|忘了|忘记|删掉|删除)\W*$"),
    ("thanks", r"^\W*(?:谢谢|多谢|感谢|辛苦了|谢啦|太好了|很好|不错|真棒).{0,8}$"),
    ("small_talk", r"^\W*(?:你好吗|最近怎么样|你怎么样|在吗|在不在|吃了吗|忙吗)\W*$"),
    ("greeting", r"^\W*(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|早安|早|大家好)[啊呀哦，,！!。\s]{0,6}$"),
    ("farewell", r"^\W*(?:再见|拜拜|晚安|回头见|下次见|明天见).{0,6}$"),
    ("help", r"你(?:能|会|可以)(?:做|干|帮我做?)(?:什么|啥|些什么)|怎么用\W*$|^\W*帮助\W*$|你是谁|你是什么"),
    ("request", r"^(?:请|麻烦|你能|能不能|可以|可不可以|我想让你|我想要你|来|给我|帮我|帮忙|为我|替我|我们?)*(?P<t>(?:帮我|给我)?(?:写|计划|安排|做一?[个份道顿]|推荐|建议|设计|翻译|总结|解释|准备|策划|制定|生成|画|起草|规划|列一?[个份]|想一?[个份]|出一?[个份]|算|编|教我|帮我选|选一?[个份]).+)$|^(?P<t1>.*(?:吃|做|买|送|穿|看|读)(?:点|些)?(?:什么|啥)(?:好|菜|礼物).*)$"),
    ("question", r"(?P<t>.*(?:什么|谁|哪|怎么|几|多少|[吗呢]\W*$|为什么|是不是|有没有|何时|啥).*)|^(?:找|搜|查)(?:一下|找|一查)?(?P<t1>.+)|(?P<t2>.*[?？])\s*$"),
)  # fmt: skip
_SURE = re.compile(r"^\W*(?:yes|sure|是的|好的|对|确定)\b|^\W*(?:是的|好的|对|确定)", re.IGNORECASE)


def understand(text: str) -> Intent:
    """What a message asks for. The words after it are the topic, without marks at their ends."""
    text = text.strip()[:MAX_READ].replace("’", "'")
    language = detect_language(text)
    for kind, pattern in _ZH if language == "zh" else _EN:
        if found := pattern.search(text):
            topic = next((group for group in found.groupdict().values() if group), "")
            return Intent(kind, topic.strip(' \t?？.。!！,，:："”“'), _SURE.match(text) is not None)
    return Intent("statement", text)
