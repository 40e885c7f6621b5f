"""Appointments and errands in Chinese: an event with the words for its day, and what is still to be done."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .lexicon_zh import EVENTS, TIME
from .values_zh import tidy

__all__ = ["errand_in", "event_in", "todo_in"]

_EVENT = re.compile(EVENTS)
_TIME = re.compile(TIME)
_NO_EVENT = re.compile(
    r"^(?:我们?(?:把|给|帮|在|叫|让|刚|跟|问)|帮|给我|请|把|安排|推荐|查|写|设|订|预订|改|取消|怎么|如果|他|她|它|你|您|老板|领导|同事|朋友|别人|听说|不|没|想|麻烦|提醒|记|昨天|上周|上个?月|前天|去年|刚才|据说|可能|要不|能不能|好想|希望|计划|要是|万一|今天天气|每|我(?:朋友|同事|同学|老板|领导|邻居|想|不|没|可能|打算|也许|希望|要是|以前|昨天|每))|取消|不去了|推迟|[全都坐]满了?$|停运|晚点|延误|没票|昨天|上周|每[周天个]|吗$|呢$|怎么|什么|几点|哪|[如假]|以前|去年|可能|也许|不用|[没未](?:定|说|约|有|在|去)|还没|不想|根本"
)
_ERRAND = r"(?:买|交(?!给我|流|往|朋友|女朋友|男朋友|代)|缴|取(?!消|决|得)|寄|还(?=[书钱款贷信花]|.{0,4}(?:书|钱|卡|车|贷))|续(?:费|保|签|约|租|借)|预约|约(?!会)|打电话|打个电话|回(?:邮件|电话|个?信)|送(?!命)|接(?!受|下来|着)|修(?!改|炼)|洗(?!澡|脸|头)|换(?!句话|言之|个角度)|订|退(?!休|步|出)|报名|提交|拿(?!下)|领(?!导|域)|喂|浇|倒垃圾|办(?!法|公)|充(?:值|话费|电费)|签(?:字|合同)|搬(?!家|去|到|来|走|进|出)|收(?:快递|衣服|拾)|打扫|拖地|挂号|体检|打疫苗|理发|剪头发|做(?:核酸|饭|作业|保养|美甲|检查)|给.{1,4}做保养|写作业|遛狗|铲屎|复印|打印|扔|存(?:钱|款)|转账|报销|汇款|给(?=.{1,8}(?:打电话|打个电话|发邮件|回信|回电话|打疫苗|洗澡|过生日|浇水|喂食|充电|换水)))"
_MUST = re.compile(
    rf"(?:我们?|俺|咱们?)?(?P<when>(?:{TIME}|下班后?|放学后?|回家路上|路上|待会儿?|等会儿?|一会儿?|晚点|周末|这周|本周|下周|月底前?|之?前|上午|下午|晚上|早上|的时候|记得|，)*)(?:我)?(?P<must>还(?:得|要|需要|有)|(?:也|又)?(?:得|要|必须|需要|该|一定要|务必|别忘了?))(?:记得|抽空|赶紧|尽快|早点)?(?:先)?(?:去)?(?P<v>(?:[^，得要去]{{1,6}}?)?{_ERRAND}.*|把[^，]{{1,10}}?(?:寄|交|发|还|送|取|办|修|洗|退|改|写|搬|拿|打印)[^，]*)$"
)


# What takes place for everybody is an event of the user's where they say that they are in it.
_PUBLIC = re.compile(
    r"演唱会|音乐会|话剧|比赛|马拉松|半马|讲座|演讲|直播|发布会|首映|展览|运动会|高铁|火车|航班"
)
# An errand with its day is no appointment: 报告周五之前得去拿.
_TO_FETCH = re.compile(
    r"(?:得|必须|还要|记得)(?:先|去|再)*(?:拿|取|交(?!流)|寄|缴|还(?!有)|买|退|领|送|洗|收拾)"
)
_OWN = re.compile(
    r"[我咱俺]|约|去|参加|要|[抢买有].{0,4}票|跑|看|听|陪|带|飞|坐|赶|的(?:飞机|航班|高铁|火车)(?!票)"
)


_IMPERATIVE = re.compile(
    rf"(?:{TIME}|下班后?|放学后?|路上|待会儿?|晚点|周末|这周|本周|下周|月底前?|之?前|上午|下午|晚上|早上|，|,)*(?:我)?(?:还|一定|务必|必须)?(?:要|得|去|该)*(?:给.{{1,6}}|把.{{1,8}}|跟.{{1,6}})?{_ERRAND}.*$"
)


def errand_in(text: str) -> bool:
    """Whether what is to be remembered is something to do: 周五交材料."""
    return bool(_IMPERATIVE.match(text)) and not re.search(
        r"了$|[是叫]|的(?:是|人)|喜欢|爱|不|[放藏搁收挂存摆锁停]在", text
    )


def todo_in(text: str) -> str | None:
    """An errand that the user says is to be done: 还得交水电费. Its day, or that it is still open, must be told."""
    match = _MUST.match(text)
    if (
        not match
        or not (match["when"] or match["must"].startswith("还"))
        or re.search(r"[吗呢？?]$|怎么|多少|哪|什么|[几每]", text)
    ):
        return None
    value = tidy(re.sub(r"[呢啊呀吧了哦]+$", "", match["v"]))
    return value if 2 <= len(value) <= 40 else None


def event_in(text: str) -> str | None:
    """An appointment with its day: 周五下午三点约了牙医."""
    time = _TIME.search(text)
    if (
        not time
        or time.start() > 12
        or len(text) > 50
        or _NO_EVENT.search(text)
        or not _EVENT.search(text[: time.start()] + "，" + text[time.end() :])
    ):
        return None
    if re.fullmatch(
        r"(?:上午|下午|晚上|早上|中午|傍晚)?[\d一二三四五六七八九十]{1,3}点|今天", time.group()
    ) and not re.search(r"约了|面试|牙医|航班|飞机|高铁|考试|复诊|复查", text):
        return None
    if _PUBLIC.search(text) and not _OWN.search(text):
        return None
    if _TO_FETCH.search(text):
        return None
    return tidy(re.sub(r"^(?:我们家|我们|我|咱们|咱)(?:得|要|的)?(?=.)", "", text)) or None
