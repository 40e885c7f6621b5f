"""What a message asks of the offline assistant, in Chinese or English."""
# ruff: noqa: E501 -- a rule is one line

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from py_memory.text import detect_language, has_cjk

__all__ = ["Intent", "asks_of_oneself", "asks_to_eat", "is_nod", "understand"]


MAX_READ = 1000  # characters; what a long message asks for stands at its beginning


@dataclass(frozen=True)
class Intent:
    """`kind` with what it is about: undo, yes, no, why (the answer before), about_me, schedule (of days), todo_list (for a day), todo_done, ended (what is
    no longer so), forget, forget_all, forget_everything, thanks, greeting, farewell, small_talk, help,
    request, question, statement. `sure`: what will go has been seen and agreed to."""

    kind: str
    topic: str = ""
    sure: bool = False


def _rules(*rules: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, pattern in rules)


_PLEASE = r"^\W*(?:(?:please|pls|can you|could you|would you|will you|hey|ok|okay|and|now|also|yes|sure|then|just)\b[\s,]*)*"
_DAY = r"(?:today|tonight|tomorrow|the day after tomorrow|(?:on |this |next |by )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_SPAN = rf"(?:{_DAY}|(?:(?:this|next|the coming|at the|on the|over the|for the) )?(?:week(?:end)?|month)|(?:in )?(?:the )?(?:next|coming) (?:few )?days)"
_DAY_ZH = r"(?:大后天|[今明后]天|[今明]晚|(?:下个?|这个?|本)?(?:周|星期|礼拜)[一二三四五六日天])"
_SPAN_ZH = rf"(?:{_DAY_ZH}|(?:[这本下]个?|这一)(?:周末|周|星期|礼拜|月)|周末|[这近]几天|最近|近期|接下来)"
_DONE_VERBS = (
    r"bought|called|finished|done|did|sent|paid|picked|cleaned|booked|wrote|fixed|washed|mailed|emailed|returned|got|made|took"
    r"|watered|ordered|submitted|completed|renewed|cancelled|canceled|read|met|told|brought|fed|went|signed|filed|packed|repaired"
)

# The first that fits decides. A group `t…` is the topic.
_EN = _rules(
    ("undo", r"^\W*(?:(?:please|pls|can you|could you|ok|okay|oh|no|wait|oops|sorry|stop|hey|quick)\b[,!.\s]*)*(?:undo|revert|(?:take|bring|put) (?:it|that|this|them|those|these)(?: all)? back|(?:restore|undelete|unforget) (?:it|that|this|them|those|these))(?: (?:that|this|it|them|all|of|the last (?:one|thing|step)|(?:the|that|this) (?:deletion|forgetting|delete)|now|quickly|again))*(?:[,\s]+please)?\W*$"),
    ("yes", r"^\W*(?:(?:yes|ok|okay|sure)[,\s]+)(?:please )?(?:go ahead and )?(?P<t>(?:delete|forget|remove|erase) (?:it|them|these|those|all of (?:it|this|them|these)|them all))(?:[,\s]+please)?\W*$|^\W*(?:confirm(?:ed)?|yes|yeah|yep|yup|sure|ok|okay|correct|right|that's right|please do|go ahead|keep (?:it|them|that|all)|do it)(?:[,\s]+(?:please|keep (?:it|them|all)|do|thanks|thank you|that's right|all of (?:it|them)))*\W*$"),
    ("no", r"^\W*(?:no|nope|nah|don't|do not|never mind|forget it|please don't|keep (?:it|them) all|leave (?:it|them|all)|don't keep (?:it|them|that))(?:[,\s]+(?:please|thanks|thank you|don't|keep (?:it|them)))*\W*$"),
    ("why", r"^\W*(?:(?:but|and|so|ok|okay|hm+|wait|well)\b[,\s]*)*(?:why (?:did|do|would|are|have) you (?:say|saying|said|tell|telling|told|think|thinking|answer|mention|bring)\b.{0,60}|(?:and )?how (?:do|did|would|could|can) you know(?: (?:that|this|it|about (?:that|this|it)|so))?|where (?:did|do) you (?:get|have|know|take) (?:that|this|it)(?: from)?|what (?:makes|made) you (?:say|think) (?:so|that|this)|what (?:is|was) (?:that|this|it|your answer|the answer) based on|(?:based )?on what (?:is that|basis|grounds)|based on what|what(?:'s| is| was) (?:your|the) (?:source|evidence|reason)(?: for (?:that|this|it))?|which memories did you use(?: for (?:that|this))?|says who|why(?: is)? that)\W*$"),
    ("forget_everything", rf"{_PLEASE}(?:forget|delete|erase|remove|wipe|clear)(?: out)? (?:absolutely |really |just )?(?:everything|anything|it all|all of it|all|(?:all )?(?:of )?(?:the|my|your|our) (?:whole |entire )?(?:data|memor(?:y|ies)|messages|facts|conversations?|chats?|history|notes)|all (?:data|memories|messages|facts|conversations|chats|notes))(?: (?:about|on|of) me| (?:that )?you (?:know|have|remember|stored|saved)(?: (?:about|on) me)?| (?:that )?I(?:'ve| have)? (?:ever )?(?:said|told you))?(?: please| now| at once)*\W*$"),
    ("forget_all", rf"{_PLEASE}(?:forget|delete|erase|remove|wipe) (?:everything|all|anything|all (?:the )?messages)(?: that)?(?: you know| I (?:said|told you)| I have said)? (?:about|on|with|mentioning|containing) (?P<t>.+)$"),
    ("forget", rf"{_PLEASE}(?:forget|delete|erase|remove|unremember)\s+(?:about |that |what you know about |what I (?:said|told you) about |the fact that |the note (?:about|that) )*(?P<t>.+)$"),
    ("about_me", r"\bwhat (?:do|did|else do|all do) you (?:know|remember|have)(?: stored| saved)?(?: (?:about|on) (?:me|myself))?\s*(?:\?|$|so far|now|\.)|\bwho am i\b|\b(?:tell me|show me|list) (?:what|everything|all) you (?:know|remember|have)|\bshow (?:me )?my (?:memory|facts|notes)\b"),
    ("schedule", rf"^\W*(?:(?:and|so|ok|hey|please|tell me|show me|list|check|read)\b[, ]*)*(?:what(?:'s|s| is| are| do I have| have I got| else is)?|do I have|have I got|is there|are there|any(?:thing)?)\b(?!.*\b(?:about|like|favou?rite)\b)[^?]*\b(?:(?:on|in) (?:my|the) (?:schedule|calendar|diary)|(?:my|the) (?:schedule|calendar|diary)|appointments?)\b(?: (?:for|on|do I have|have I got|coming up))*(?: {_SPAN})?\W*$|^\W*(?:my |the )?(?:schedule|calendar|agenda|appointments)(?: (?:for|on))?(?: {_SPAN})?\W*$|^\W*what(?:'?s| is| do I have| have I got| am I doing| are we doing)(?: (?:on|planned|happening|coming up|scheduled|up))*(?: (?:for|on|in))? {_SPAN}\W*$"),
    ("todo_list", rf"\bwhat(?:'s|s| is| are| do I have| else is)?\b[^?]*\b(?:left to do|to-?dos?\b|on my (?:list|plate|agenda)|still to do|to be done|my tasks|reminders)(?: (?P<t>{_DAY}))?|\b(?:show|list|read|give)\b[^?]*\b(?:to-?dos?|to-?do list|tasks|reminders)\b(?: (?:for )?(?P<t1>{_DAY}))?|\bwhat (?:should|must|do|shall) I (?:still )?(?:need to |have to |have got to |got to )?(?:do|get done)(?: now| next| (?P<t2>{_DAY}))?\W*$|\bwhat(?:'s| is| do I have) (?:due |planned |on |up )?(?:for )?(?P<t3>{_DAY})\W*$|\b(?:any|are there|do I have)\b[^?]*\b(?:to-?dos|tasks|reminders)\b(?: (?:for )?(?P<t4>{_DAY}))?|^\W*(?:(?:my|the|all|open) )*(?:to-?dos?|tasks|reminders?)(?: list)?(?: (?:for )?(?P<t5>{_DAY}))?\W*$"),
    ("ended", r"^\W*(?:(?:well|so|actually|no|btw|by the way|but|and|also|now)\b[ ,]*)*(?:I(?:'m| am| was) (?:not|no longer)|I no longer|I (?:don't|do not|can't|cannot|won't)(?=.* any ?(?:more|longer)\b)|I(?:'ve| have)? (?:just )?(?:stopped|quit|given up|gave up) (?:being|liking|living|working|studying)|my(?= .{1,60}(?:\bis|\bare) (?:not|no longer)\b))\s+(?P<t>[^?]+?)(?: any ?(?:more|longer)| now| these days)*\W*$"),
    ("todo_done", rf"{_PLEASE}(?:done|finished|completed|tick off|check off|close)\b(?:\s*:|\s+with)?\s+(?P<t>[^?]+)$|^\W*(?:ok,? |done,? )?i(?:'ve| have)?(?: just| already| now| finally)?\s+(?P<t1>(?:{_DONE_VERBS})\b[^?]+)$|^(?P<t2>[^?]{{2,80}}?)\s+(?:is|are|has been|have been|got) (?:done|finished|bought|paid|sent|booked|submitted|filed|renewed|cancelled|washed|watered|fixed|returned|signed)(?:[, ]+(?:now|finally|at last|today|already|too))*\W*$|^\W*(?:just |finally |already )*(?P<t4>(?!(?:did|done|got|made|took|told|went|met|read|called)\b)(?:{_DONE_VERBS})\b[^?]+)$|^(?P<t5>[\w' -]{{2,40}}? (?:bought|paid|sent|booked|submitted|filed|renewed|cancelled|washed|watered|fixed|returned|signed|packed|ordered|fed))\W*$|^\W*mark (?P<t3>[^?]+?) (?:as )?done\W*$"),
    ("thanks", r"^\W*(?:many )?(?:thanks|thank you|thx|cheers|great,? thanks|perfect|great|awesome|nice|cool)\b[\w ,!.]{0,24}$"),
    ("small_talk", r"^\W*(?:(?:hi|hello|hey)\W+)?(?:how are you|how's it going|how do you do|what's up|how is it going|are you there|you there)\b.{0,20}$"),
    ("greeting", r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|howdy)\b(?:\s+(?:there|again|assistant|everyone))?[\s,!.~]*$"),
    ("farewell", r"^\W*(?:bye|goodbye|good night|see you|see ya|talk to you|cya)\b.{0,24}$"),
    ("help", r"\bwhat can you do\b|\bhow do(?:es)? (?:you|this) work\b|^\W*help\W*$|\bwho are you\b|\bwhat are you\b"),
    ("request", rf"{_PLEASE}(?:i (?:need|want) you to |help me(?: to)? |let's |let us )?(?P<t>(?:plan|write|draft|make|create|suggest|recommend|cook|book|compose|translate|summari[sz]e|explain|design|organi[sz]e|prepare|give me|generate|calculate|order|find me (?:a|an|some)|propose|brainstorm|come up|pick|choose|invent|teach|tell me (?:a|an)|code|build|fix|solve|improve|help me)\b.*)$|^\W*(?P<t1>what (?:should|shall|could|can) (?:i|we) (?:cook|eat|make|wear|buy|give|have|order|read|watch|get|bring|pack|play|do (?:on|for|with|this|next|at|in))\b.*)$|^\W*(?P<t2>where (?:should|shall|could|can) (?:i|we) (?:eat|go|stay|travel|celebrate|take|have)\b.*)$|^\W*(?P<t3>how (?:should|shall|could|can|do) (?:i|we) (?:plan|organi[sz]e|celebrate|spend|decorate|budget|save|get fit|arrange)\b.*)$|^\W*(?P<t4>(?:(?:do you have|have you(?: got)?|got|i need|give me|i(?:'d| would) like) )?(?:any |some |a few )?(?:good |nice )?(?:ideas?|suggestions?|recommendations?|tips|inspiration) (?:for|on|about|how|what|where)\b.*)$"),
    ("question", rf"{_PLEASE}(?:so |tell me |remind me )*(?:what|when|where|who|whom|whose|which|how|why|did|do|does|am|is|are|was|were|have|has|find|search|show me|look up|what's|who's|when's|where's)\b(?P<t>.*)$|(?P<t1>.*\?)\s*$"),
)  # fmt: skip
_ZH = _rules(
    ("undo", r"^\W*(?:请|麻烦|帮我|快|等等|等一下|不对?|那|哎呀|把(?:它们?|这个|那个|刚才的?(?:删除)?)|[，,！!\s])*(?:撤[销消回]|(?:恢复|还原)(?=(?:吧|一下|它们?|回来|刚才|删除|\W)*$))(?:刚才|刚刚|这次|上一?[步次个]|的|删除|操作|回来|它们?|掉|一下|吧|了|[，,]?谢谢)*\W*$"),
    ("yes", r"^\W*(?:是的?|对|好的?|确认|确定)[，,]?(?:请|全部|都)*(?P<t>删除|删掉|删了|忘掉)(?:吧|它们?|这些)*\W*$|^\W*(?:确定|是|是的|对|对的|好|好的|好啊|可以|行|嗯|嗯嗯|没错|保存|保存吧|记住吧|都保存|都记住|要|可以的|确认)[，,]?(?:请?保存|记住吧?|谢谢)?\W*$"),
    ("no", r"^\W*(?:不|不用|不要|不是|不对|别|算了|不用了|不必|不行|不保存)[，,]?(?:谢谢|保存|了)?\W*$"),
    ("why", r"^\W*(?:那|可是|但是|不过|嗯|，|,)*(?:你(?:刚才|刚刚)?(?:为什么|为何|为啥|干嘛|怎么)(?:会|要)?(?:这么|这样|那么|那样)?(?:说|讲|回答|认为|觉得|提到).{0,20}|(?:为什么|为何|为啥|怎么)(?:会)?(?:这么|这样|那么|那样)(?:说|讲|回答|认为|觉得)|你(?:是)?(?:怎么|从哪里?|从哪儿|如何)(?:会)?(?:知道|得知|了解到?|晓得|看出来)(?:这[个件些]?|那[个件些]?)?(?:事情?)?的?|(?:你)?(?:这么说|这样说|这个?回答|这)?(?:的)?(?:依据|根据|凭据|理由|来源)(?:是什么|是啥|在哪里?|呢)|你?(?:凭什么|根据什么|有什么(?:依据|根据))(?:这么|这样)?(?:说|认为)?|你?(?:用到?了|参考了)(?:哪些|什么)记忆)(?:呢|的|啊|呀|了)*\W*$"),
    ("forget_everything", r"^(?:请|帮我|你|麻烦|那就|现在|，|,|\s)*(?:(?:忘掉|忘记|忘了|删掉|删除|删了|清除|清空|抹掉)(?:你(?:知道|记得|记住)的?)?(?:关于我的?|有关我的?|我的|我说过的)?(?:所有|一切|全部|全都|任何)(?:的|我的)?(?:内容|东西|记忆|数据|消息|信息|事实|事情|事|对话|聊天|聊天记录|记录)?|清空(?:所有|全部|我的)?(?:记忆|数据|消息|对话|聊天记录|记录)|(?:把)?(?:你知道的|我的|关于我的)?(?:所有|一切|全部)?(?:的)?(?:内容|东西|记忆|数据|消息|信息|记录)?(?:全部|都|全都|统统)(?:给我)?(?:忘掉|忘了|忘记|删掉|删除|删了|清除|清空))(?:吧|了|掉)*\W*$"),
    ("forget_all", r"^(?:请|帮我|你|那就|是的|好的|对|确定|，|,)*(?:把)?(?:忘掉|忘记|忘了|删掉|删除|清除)(?:所有)?(?:关于|有关|和|跟)(?P<t>.+?)(?:有关)?的?(?:一切|所有.*|全部.*)$"),
    ("forget", r"^(?:请|帮我|你|，|,)*(?:把)?(?:忘掉|(?:忘记|忘了)(?!带|拿|买|做|关(?!于)|锁|吃|去|写|交|还|发|打)|删掉|删除|清除)(?:关于|所有关于|我说的)?\s*(?P<t>.+)$|^(?:请|帮我)?把(?P<t1>.+?)(?:忘掉|忘了|忘记|删掉|删除)\W*$"),
    ("about_me", r"你(?:都|还|现在)?(?:知道|记得|了解|记住了?)(?:关于)?(?:我)(?:的)?(?:什么|哪些|多少|些什么|些啥|啥|事)|关于我.{0,4}(?:知道|记得|了解|记住了?)(?:什么|哪些|多少|些什么|啥)|对我.{0,3}了解|我是谁|你(?:都|还)?记(?:得|住)了?(?:些)?(?:什么|哪些|啥)\W*$"),
    ("schedule", rf"^\W*(?:那|请问|帮我看看|看看|查一下|，|,)*(?:我|我们)?(?:的)?{_SPAN_ZH}(?:我|我们)?(?:都|还)?(?:有|是)?(?:什么|哪些|啥|没有|几个)?(?:别的)?(?:安排|日程|行程|活动|预约|约会|约|事)(?:吗|么|呢|没有|是什么|有哪些)?\W*$|^\W*(?:那|请问|看看|，|,)*(?:我|我们)(?:的|都|还)*(?:有)?(?:什么|哪些|啥|没有|几个)?(?:安排|日程|行程|预约)(?:吗|么|呢|没有|是什么|有哪些)?\W*$"),
    ("todo_list", rf"(?:还|我)?(?:还有|还剩|有)(?:什么|哪些|啥)(?:事|事情|任务|活)?(?:要做|没做|待办|没完成|要办|没办|得做)|(?:待办|提醒)(?:事项|清单|列表)?(?:有|是|呢|$|\W*$)|(?:有|还有)(?:什么|哪些|啥)(?:待办|提醒|任务)|(?:列出|列一下|看看|显示|查看)(?:我的|所有)*(?:待办|任务|提醒)|(?:接下来|现在)(?:要|该|还要)做(?:什么|啥)|(?:我)?(?P<t>{_DAY_ZH})(?:我)?(?:(?:要|该|还要|得|需要|应该)(?:做|办|干)(?:什么|啥|哪些)|(?:还)?有(?:什么|哪些|啥)(?:事|安排|任务|待办|提醒|要做|要办)|(?:的)?(?:待办|提醒|任务)\W*$)|^\W*我(?:要|该|得)(?P<t1>{_DAY_ZH})做(?:什么|啥)|还要做(?:什么|啥)"),
    ("ended", r"^(?:其实|对了|那个|现在|[，,\s])*我(?:们|现在|目前)*(?:不再|再也不|(?:已经|早就|早已|现在)+不再?)是?(?P<t>[^?？吗]+?)了?\W*$|^(?:其实|对了|[，,\s])*我(?:现在|已经)*(?:不是)(?P<t1>[^?？吗]+?)了?\W*$|^(?:其实|对了|[，,\s])*我(?:现在|已经)*不(?:太)?(?P<t2>[^?？吗]+?)了\W*$|^(?:其实|对了|[，,\s])*我(?:现在|已经)*对(?P<t3>[^?？吗]+?)(?:已经)?不(?:再)?过敏了?\W*$"),
    ("todo_done", r"^(?:完成|做完|搞定|办完|办好)了?[:：，, ]\s*(?P<t1>.+)$|^(?!.*(?:没|未|别|不|[吗么?？]))(?:好了)?(?:我)?(?:已经|刚|刚刚)?(?:把)?(?P<t>.{0,30}?(?:买|做|打|写|交|寄|付|办|洗|修|订|发|送|取|还|看|读|喂|浇|拿|打扫|收拾|预约|完成|搞定|弄)(?:好|完|了|过).*?)[啦咯嘞哦呀]*\W*$|^(?P<t2>.{1,30}?)(?:做完|完成|搞定|办好|弄好|写完|交完)(?:了|啦|咯|嘞)\W*$"),
    ("thanks", r"^\W*(?:谢谢|多谢|感谢|辛苦了|谢啦|太好了|很好|不错|真棒).{0,8}$"),
    ("small_talk", r"^\W*(?:你好吗|最近怎么样|你怎么样|在吗|在不在|吃了吗|忙吗)\W*$"),
    ("greeting", r"^\W*(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|早安|早|大家好)[啊呀哦，,！!。\s]{0,6}$"),
    ("farewell", r"^\W*(?:再见|拜拜|晚安|回头见|下次见|明天见).{0,6}$"),
    ("help", r"你(?:能|会|可以)(?:做|干|帮我做?)(?:什么|啥|些什么)|怎么用\W*$|^\W*帮助\W*$|你是谁|你是什么"),
    ("request", r"^(?:请|麻烦|你能|能不能|可以|可不可以|我想让你|我想要你|来|给我|帮我|帮忙|为我|替我|我们来|咱们来?)*(?P<t>(?:帮我|给我)?(?:写|计划|安排|做一?[个份道顿]|推荐|建议|设计|翻译|总结|解释|准备|策划|制定|生成|画|起草|规划|列一?[个份]|想一?[个份]|出一?[个份]|算|编|教我|帮我选|选一?[个份]|讲一?个|定一?[个份]|订一?[个份]|制作|来一?[个份]).+)$|^(?P<t1>.*(?:吃|做|买|送|穿|看|读|玩|带)(?:点|些)?(?:什么|啥)(?:好|菜|礼物|书|电影|衣服).*)$|^(?:[^？?]*[，,。；;\s])?(?:请|麻烦你?|能不能|可以|你)*(?:帮我们?|替我们?|帮忙|为我们?)(?P<t3>(?![记忘删])(?:规划|计划|安排|推荐|设计|准备|策划|查|搜|订|预订|预约|约|买|叫|选|挑|想|写|列|算|看|翻译|总结)[^了过？?]*)$|^(?P<t2>(?!.*(?:过|了)).*(?:去哪(?:里|儿)?(?:吃|玩|旅游|旅行|度假|过|好)|(?:怎么|如何)(?:安排|庆祝|计划|布置|省钱|锻炼|减肥|过(?=[生春中节周]))|有(?:什么|哪些|没有|啥)(?:好的?)?(?:推荐|建议|主意|点子)).*)$"),
    ("question", r"(?P<t>.*(?:什么|谁|哪|怎么|几|多少|[吗呢]\W*$|为什么|是不是|有没有|何时|啥).*)|^(?:找|搜|查)(?:一下|找|一查)?(?P<t1>.+)|(?P<t2>.*[?？])\s*$"),
)  # fmt: skip
# Code, an exclamation and what is told in the past begin like requests sometimes: “Build failed”, 写完了.
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CODE = re.compile(
    r"^\s*(?:import [\w.]+|from [\w.]+ import\b|def \w+\(|async def|class \w+[:({]|(?:const|let|var) \w+ ?=|function\b.*\(|#include|#!|//|/\*|@\w+\s*$"
    r"|(?:public|private|static) |SELECT .+ FROM|INSERT INTO|CREATE TABLE|</?\w[^>]*>|[{}\[\]]|\$ \S|(?:make|npm|Traceback|\w*Error)\b.*:)|^\S.*[;{]\s*$|^\s*[\w.]+\(.*\)\s*$|^\s*[\w.\[\]]+ ?[-+]?= ?\S",
    re.IGNORECASE,
)
_EXCLAIMED = re.compile(
    r"^\W*(?:what an? |how \w+(?: \w+)*!|such an? )[^?]*!\W*$|^\W*(?:太|真是?|好)[^?？吗什么]*[啊呀了！!]\W*$",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"^\W*\w+(?:\s+\S+){0,3}?(?<!\bthat)(?<!\bwhich)(?<!\bwho)(?<!\bwhat)\s+(?:is|are|was|were|has|had|failed|worked|works|arrived|went|shipped|came"
    r"|broke|looks?|seems?|sounds?|makes?|starts?|started|begins|ended)\b|^\W*make sense\b"
    r"|^\W*(?:算了|算是|编号|安排[在好得]|计划[是有在]|我们?(?:计划|安排|准备|写|画|做))|^\W*(?:帮我|给我)?(?:写|画|算|编|做|准备|设计|翻译|总结|安排|计划|推荐|解释|规划|选)(?:完|好了|过了?|了|得|信)",
    re.IGNORECASE,
)
_SURE = re.compile(r"^\W*(?:yes|sure|是的|好的|对|确定)\b|^\W*(?:是的|好的|对|确定)", re.IGNORECASE)


_NOD = re.compile(
    r"^\W*(?:ok|okay|sure|right|correct|great|嗯+|好的?|好啊|行|可以|可以的)(?:[,\s，]+(?:thanks|thank you|谢谢))?\W*$",
    re.IGNORECASE,
)
_EATING = re.compile(
    r"\b(?:can|could|may|should|am I allowed to|is it (?:ok|okay|fine|safe) (?:for me )?(?:to|if I)) ?(?:I |we )?(?:still |ever |now )?(?:eat|drink|have|try|order|taste)\b"
    r"|(?:我|咱)?(?:能不能|可不可以|可以|能|该不该|适合|应该)(?:吃|喝|尝|点)|(?:吃|喝)[^，。？?]{1,12}(?:行吗|可以吗|行不行|好吗|没事吧|有问题吗)",
    re.IGNORECASE,
)


def is_nod(text: str) -> bool:
    """“OK” and 好的 may answer anything that was said, where “yes” and 是的 answer a question."""
    return _NOD.match(text) is not None


def asks_to_eat(text: str) -> bool:
    """“Can I eat steak?”, 我能吃牛排吗."""
    return len(text) <= MAX_READ and _EATING.search(text) is not None


def asks_of_oneself(text: str) -> bool:
    """“What am I allergic to?”, 我对什么过敏: the user's own comes first."""
    return bool(re.search(r"\b(?:I|I'm|me|myself)\b|我(?![的家]|[女儿爸妈老丈妻先太哥姐弟妹])", text))


def understand(text: str) -> Intent:
    """What a message asks for. The words after it are the topic, without marks at their ends."""
    text = _FENCE.sub(" ", text[:MAX_READ]).strip().replace("’", "'")
    if not text or _CODE.match(text.splitlines()[0]):
        return Intent("statement", text)
    rules = [_ZH, _EN] if detect_language(text) == "zh" else [_EN, _ZH]
    for kind, pattern in itertools.chain(*rules[: 1 + has_cjk(text)]):
        if kind in ("request", "question") and (
            _EXCLAIMED.match(text) or (kind == "request" and _TOLD.match(text))
        ):
            continue
        if found := pattern.search(text):
            topic = next((group for group in found.groupdict().values() if group), "")
            return Intent(kind, topic.strip(' \t?？.。!！,，:："”“'), _SURE.match(text) is not None)
    return Intent("statement", text)
