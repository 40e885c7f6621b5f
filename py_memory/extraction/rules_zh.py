"""Chinese rules: what a clause says about its speaker and the speaker's family.

As in English every rule fits a clause from its first character. A clause may leave its subject out as long as
nobody else has been spoken of.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .clauses import Clause, Found, slug
from .lexicon_zh import SYMPTOM
from .loose_zh import loosely, relative_in
from .people_zh import mentioned, read_people
from .plans_zh import event_in, todo_in
from .reading import Reading
from .self_zh import about_me, anywhere
from .values_zh import tidy

__all__ = ["read"]

_OPENERS = re.compile(
    r"^(?:你好呀?|您好|嗨|哈喽|哈啰|hello|hi|hey|大家好|其实|对了|另外|还有|而且|因为|由于|所以|那个|那|嗯|哦|啊|顺便说一?下?|顺便|说实话|老实说|不过|但是?|然后|并且|同时|是的|没错|好的|补充一?下?|btw|简单介绍一?下?|自我介绍一?下?|介绍一?下(?:自己)?|说一?下|更新一?下|坦白说|讲真|真的|可能你不知道|跟你说|告诉你|最近|如今|现在|目前|今年|去年|前年|上个?月|上周(?![一二三四五六日天末])|这周(?![一二三四五六日天末])|这几年|这两年|年初|年底|刚刚|前阵子|谁知道|谁(?:叫|让)(?=我)|没想到|结果|问个事|问一?下|请教一?下|求助|说来|说起来|说到|不瞒你说|如题|弱弱地?问一?下|准确[地的]?说|具体[地的]?说|严格[地的]?说|换季|后来|毕业后|大学毕业后|退休后|结婚后|婚后|"
    r"(?:从)?(?:\d+|[一二三四五六七八九十两几半]+)年前|\d{4}年(?=[^\d]*(?:搬|来|到|入职|加入))|可是?|只是|反正|总之|哎|唉|哈|呃|首先|其次|最后(?=我)|话说|提醒你一?下|记得哦|报告|PS|p\.s\.?|备注|一个人(?=在)|自己(?=在)|孩子他爸和|[,，:：\s~～、])+(?=.)",
    re.IGNORECASE,
)
_PARTICLES = "哦啊呀哈啦呢嘛吧了喔噢耶哟呗"
_SUBJECT = re.compile(
    r"(?:(?:我们|我|咱们?|俺)俩|我们(?:一家(?:[三四五]口|人)?|全家|夫妻(?:俩)?|两口子|家)?|我(?:和|跟)(?:我)?(?:老公|老婆|先生|太太|爱人|对象|男朋友|女朋友|女友|男友|妻子|丈夫|家人)(?:都|一起)?|我本人|敝人|我家|我自己|我这个?人|我|俺们?|本人|鄙人|在下|咱们?家?|咱|i'm|I am|I)(?:呢|嘛|啊|，)?\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_OTHERS = re.compile(
    r"(?:他|她|它|你(?!可以叫我|就叫我)|您|别人|人家|有人|有的人|有些人|大家(?!都?(?:叫|喊|管)我)|朋友(?!们?都?(?:叫|喊)我)|同事(?!们?都?(?:叫|喊)我)|老板|领导|老师|邻居|隔壁|房东|楼[上下]|室友|舍友|客户|同学|闺蜜|哥们|这(?!个?(?:周|星期|礼拜|月))|那|某|医生说(?!我)|网友|作者|听说|据说|很多人|每个人|人们|所有人|谁)|我们?(?:家)?的?(?:那个)?(?:朋友|同学|同事|老板|邻居|客户|室友|舍友|老师|学生|病人|患者|租客|顾客|用户|学员|角色|闺蜜|哥们|领导|房东|前男友|前女友|前夫|前妻|前任|发小|导师|组长|经理|主管|下属|师傅|徒弟|助理|基友|战友|网友|公司|单位|学校|城市|国家|车|电脑|手机(?!号|是?\s?\d|号码)|项目|团队|班|小区|村|表[哥弟姐妹]|堂[哥弟姐妹]|大学|高中|楼|偶像|女神|男神|老爷子|老太太|姑姑|姑妈|舅舅|舅妈|叔叔|伯伯|阿姨|姨妈|侄[子女]|外甥|姐夫|嫂子|弟媳|妹夫|亲戚|邻居|师姐|师兄|学姐|学长|学弟|学妹|校长|医生|保姆|助手)|(?:病人|患者|顾客|用户|考生|甲方|乙方|男主|女主|主角)"
)
# “新来的实习生是浙大的，学计算机”: whom the clauses without a subject go on about.
_OTHER_SUBJECT = re.compile(
    r"(?![^是在叫有住]{0,6}[我咱俺你])(?!(?:平时|周末|晚上|早上|白天|今天|明天|昨天|上班|下班|工作|一直|已经|经常|真|不|没|都|也|还|就|又|刚|可能|应该|主要|关键)|(?:喜欢|爱|想|要|会|能|有|在|是|叫))[^，是在叫有住]{2,10}(?:是|在|叫|有|住在)(?=.)"
)
_NOT_SO = re.compile(
    r"^(?:也|都|还|就|其实|真的|现在|并|又|从来|从|绝对|暂时|目前|压根|根本)*(?:不是|没有|没|不叫|不姓|不住|不在|不会|不想|不打算|不确定|不知道|不懂|不记得|想(?!好)|要是|希望|好想|真想|打算|准备|可能|也许|或许|大概|应该|考虑|在考虑|在想|在犹豫|纠结|犹豫|好像|似乎|估计|说不定|但愿|梦想|巴不得|恨不得|差点|本来|原本|正要|计划|愿意|羡慕|以为|觉得|感觉|怀疑|猜|假装|敢|怕是|未必|曾|曾经|以前|之前|原来|过去|小时候(?!.{0,12}长大)|当年|当时|那时|年轻时?|上学时|上大学时|到底|究竟|为什么|怎么|何时|什么时候|说过|听说|问|能不能|可不可以|是不是|有没有|要不要|该不该|(?:被|快要?)?(?:饿|累|困|笑|烦|忙|热|冷|气)死|死了|需要|得去|一定要|想要|最好|恐怕|大约|八成|貌似|疑似|不太确定|还没|尚未|宁愿|宁可|如果|假如|倘若|争取|立志|发誓要|幻想|正在考虑|琢磨着?|寻思)"
)
_SARCASM = re.compile(r"可太(?:喜欢|爱|想)|爱死(?!吃)|真是(?:太?(?:喜欢|爱)|爱)|谢谢您?(?:嘞|了啊)|呵呵")
_FAVOURITE = re.compile(r"(?:我)?最(?:喜欢|爱|中意)(?:吃|喝|看|听|玩)?的(?P<what>[^，是:：的]{1,6})")
_DIALECT = {
    "顶唔顺": "受不了",
    "阿拉": "我们",
    "钟意": "喜欢",
    "鍾意": "喜欢",
    "中意": "喜欢",
    "我喺": "我在",
    "住喺": "住在",
    "喺": "在",
    "嘅": "的",
    "唔": "不",
    "冇": "没",
    "佢": "他",
    "我系": "我是",
    "伐": "吗",
    "咩": "么",
}
_HINT = re.compile("[唔喺嘅冇佢鍾咩伐系]|[钟中]意|阿拉")
# 明天面试，他衬衫还没熨: whose it is, is told behind it.
_OF_OTHERS = re.compile("[他她](?!说|让)")
# “我是回民”, “在下林小满”: what a clause without 是 says of its speaker.
_MODEST = re.compile(r"(?:本人|在下|鄙人|敝人)")
# Words for a search, in which nobody is spoken of: 乳糜泻和麸质不耐受区别.
_LOOKED_UP = re.compile(
    r"(?:区别|差别|症状|原因|后果|好处|坏处|影响|意思|食谱|做法|攻略|大全|注意事项|多少钱|价格|待遇|工资|收入|技巧|流程|条件|前景)$"
    r"|^(?:\d+|[一二三四五六七八九十]+)岁(?:的(?:人(?!了)|孩子|小孩|宝宝|老人|女|男)|以[上下前后]|左右|之[前后])|^[^，我]{1,8}的人(?!了)(?=.)|^(?:小孩|孩子|老人|男人|女人|男生|女生|宝宝)们?(?:是不是)?都"
)
_TITLE_ALONE = re.compile(
    r"(?:医生|大夫|老师|师傅|护士|老板|经理|律师|教授|教练|主任|警察|司机|客服|导游|店长|校长|班主任|领导|作者|博主|主播|编辑|大厨|中介|保安|保姆|秘书|助理|翻译|前台|测试|开发|运营|策划|前端|后端|审计|会计|出纳|采购|剪辑|人事|行政|财务|模特|演员|歌手|导演|作家|记者|学者)(?:[们你您好]|$)"
)
_LIKE_VERB = re.compile(r"喜欢|讨厌|爱|烦|怕|受不了")
_DECIDED = re.compile(
    r"(?:反复权衡|权衡再三|思来想去|纠结再三|考虑再三|左思右想|想了又想)(?:之后|后)?(?=$)|(?:(?:(?!我|他|她|你|老板|领导|公司)[\u3400-\u9fff]{2,6}(?=拍板|敲定|定下来|定了|选定|决定)|就这么|那就|我们?|俺|咱们?|跟|和|已经|终于|最后|最终|商量(?:来商量去)?|讨论|想|考虑|老婆|老公|全家|家里人?|对象|爸妈|家人|都|又|反复|想来想去|认真|爱人|先生|太太|媳妇|孩子|一起|上)*)(?:想好|商量好|商量完|讨论完|讨论好|说好|定|定下来|定好|决定|决定好|想清楚|考虑好|谈好|拿定主意|敲定|拍板|考虑清楚|约好|商定|下定决心|想通)(?:了|啦)?(?:的)?(?:是)?$"
)
_CONCLUDED = re.compile(
    r"^(?:那)?(?:我们?|就|咱们?|还是|这次|以后|从[^，]{1,6}起)*(?:，)?(?P<v>[^吗呢]{2,40})$"
)
_PENDING = re.compile(
    r"(?:一点(?:儿)?都?)?(?:吃不了|不能吃|不能碰|碰不得|不能喝|喝不了|吃不得|不敢吃|不敢喝|沾不得|不吃|不能接触|不能用)(?P<v>[^，了]{1,10})$"
)
_AFTER_EATING = re.compile(
    rf"^(?:因为)?(?:我)?(?:每次|只要|一|吃了|吃完|吃|喝了|会|碰|严重|容易|怕|过敏|全身|身上|浑身|不然|否则|要不然|碰了|吃多了|就).{{0,10}}{SYMPTOM}|^过敏|^(?:会|就).{{0,6}}{SYMPTOM}"
)
_TOPIC = re.compile(
    r"(?P<topic>[^我，对]{1,10}?)(?:，)?我(?:是|可|都|就|也|真|一直|从来|从小|最|超级?|特别|很|非常|平时|一般)*(?:(?P<verb>最?(?:爱|喜欢|讨厌)|受不了|接受不了|欣赏不来|吃不来|吃不惯|喝不来|喝不惯|不(?:太)?(?:喜欢|爱)|不吃|不能吃|吃不了|不喝|不能喝|不碰|不能碰|一口都?不吃)(?:了|吃|喝|看|的)?|(?P<only>只(?:喝|吃|听|看).{1,8}))$"
)


def read(clause: Clause, reading: Reading) -> Iterator[Found]:
    """What one clause says. `reading` knows what came before it in the message."""
    clause = Clause(_plain(clause.text), clause.start)
    opener = _OPENERS.match(clause.text)
    skipped = opener.end() if opener else 0
    text = clause.text[skipped:]
    kept = text.rstrip(_PARTICLES) or text
    said = Clause(kept, clause.start + skipped)
    if not re.search(r"[\u3400-\u9fff]", clause.text) and not (
        reading.speaker == "zh" or re.match(r"i'm |\d", kept)
    ):
        return
    if kept in ("我", "我自己", "俺"):
        reading.enter("zh")
        return
    if _LOOKED_UP.search(kept) and not re.search("[我俺咱]|本人", clause.text):
        reading.enter_other()
        return
    if reading.decided:
        reading.decided = False
        if re.match("[不别没]", kept) and reading.ahead:  # what it is not; what it is comes next
            reading.decided = True
            return
        if match := _CONCLUDED.match(kept):
            yield Found("user::decision", tidy(match["v"]), said.start, said.end)
            return
    if favourite := _FAVOURITE.fullmatch(kept):
        reading.pending = f"user::favorite::{slug(favourite['what'])}"
        reading.pending_start = said.start
        return
    if reading.pending.startswith("user::"):
        pending, reading.pending = reading.pending, ""
        if len(kept) <= 15 and not re.search(r"[我你吗呢]|什么|请|帮", kept):
            yield Found(pending, tidy(kept), reading.pending_start, said.end)
            return
    if reading.pending:
        pending, reading.pending = reading.pending, ""
        if _AFTER_EATING.search(kept):
            yield Found("user::allergy", pending, reading.pending_start, said.end)
            return
    if _DECIDED.match(text) and not re.search(r"没|不|还未", text):
        reading.decided = True
        return
    yield from _read(said, reading, opener.group() if opener else "")


def _read(clause: Clause, reading: Reading, opener: str) -> list[Found]:
    text = clause.text
    if facts := anywhere(text) or anywhere(re.sub(r"^(?:我|我们)", "", text)):
        reading.enter("zh")
        return [Found(key, value, clause.start, clause.end) for key, value in facts]
    if reading.mentioned and not reading.person and re.match("[他她](?!们)", text):
        reading.enter_person(reading.mentioned, clause.start)
    if (friend := loosely(text)) and friend[0][0].startswith("user::relation"):
        reading.enter_other()
        return [Found(key, value, clause.start, clause.end, loose=True) for key, value in friend]
    if _OTHERS.match(text) and not (reading.person and re.match("[他她它](?!们)", text)):
        reading.enter_other()
        return []
    if _SARCASM.search(text) and _LIKE_VERB.search(text):
        return []
    if (topic := _TOPIC.match(text)) and not re.search(r"[你他她这那]|什么|以前|如果", topic["topic"]):
        verb = "喜欢" if topic["verb"] in ("爱", "最爱") else topic["verb"]
        text = (
            f"我{verb}{re.sub('(?:类|类的|的|这种)$', '', topic['topic'])}" if verb else f"我{topic['only']}"
        )
    event = (
        None if todo_in(text) or ("我" not in text and _OF_OTHERS.match(reading.ahead)) else event_in(text)
    )
    people = None if topic else read_people(clause, reading)
    if people:
        return people
    if event:
        reading.enter("zh")
        return [Found("user::event", event, clause.start, clause.end)]
    if people is not None:
        return people
    if re.fullmatch("[男女]生?", text):
        reading.enter("zh")
        return []
    if habit := re.match(
        r"(?P<when>(?:周末|平时|平常|每[天周晚][早晚上中下午]{0,2}|早上|晚上|下班后?|放假|没事|有空|业余|闲着|冬天|夏天|休息日?|闲暇)+的?(?:时候?|时间)?)，?(?=我)",
        text,
    ):
        text = f"我{habit['when']}{text[habit.end() + 1 :]}"
    subject = _SUBJECT.match(text)
    rest = subject["rest"] if subject else text
    if subject and re.match(r"(?:爸|妈|爷|奶|哥|姐|弟|妹|女儿|儿子|的(?:朋友|同事|老板))", rest):
        reading.enter_other()
        return []
    timed = re.match(
        r"(?:现在|目前|如今|今年|去年|前年|上个?月|最近|年初|刚刚|一个人|自己|呢|，|就|(?:\d+|[一二三四五六七八九十两几半]+)年前|\d{4}年(?=[^\d]*(?:搬|来|到|入职|加入)))+(?=..)",
        rest,
    )
    if timed and not re.match(r"(?:今年|现在|刚)+(?:已经|刚满|满)?(?:\d|[一二三四五六七八九十])", rest):
        rest = rest[timed.end() :]
    rest = re.sub(r"^(?:比起|相比|跟|和|与)[^，我]{1,10}?(?:相比|比起来)?，?我?(?=更|还是|宁可)", "", rest)
    if (
        _NOT_SO.match(rest)
        and not todo_in(text)
        and not re.match(r"(?:不吃|不喝|不能|从不|从来不[吃喝]|没事|想好)", rest)
    ):
        reading.enter("zh" if subject else reading.speaker)
        return []
    if subject:
        reading.enter("zh")
        if not rest:
            return []
    elif re.match(r"(?:最后|最终|终于|已经|一起)*决定", rest):
        pass
    elif not (reading.speaker == "zh" or reading.fresh) or reading.person:
        return []
    if _PENDING.match(rest) and reading.ahead and _AFTER_EATING.search(_OPENERS.sub("", reading.ahead)):
        match = _PENDING.match(rest)
        if match and not re.match(r"(?:饭|东西|药)", match["v"]):
            reading.pending, reading.pending_start = match["v"], clause.start
            return []
    at_home = subject and re.match("(?:我们?|咱们?|俺)家", text) and rest.startswith("在")
    facts = about_me(f"家{rest}" if at_home else rest, named=bool(subject))
    if not facts and not subject and re.match(r"(?:刚刚?|才|终于|已经|早就|正式|又)(?=[^，]{3})", rest):
        facts = about_me(re.sub(r"^(?:刚刚?|才|终于|已经|早就|正式|又)+", "", rest), named=False)
    if (
        not facts
        and (not subject or _MODEST.match(text))
        and len(rest) <= 16
        and not re.search("[是在有了把被让给跟你您]", rest)
        and (not _TITLE_ALONE.match(rest) or subject)
    ):
        facts = [
            fact
            for fact in about_me(f"是{rest}", named=True)
            if fact[0] in ("user::job", "user::hometown", "user::condition")
            or (subject and fact[0] == "user::name")
        ]
    if (
        not facts
        and subject
        and (_MODEST.match(text) or re.match("我(?:今年)?[1-9]", text))
        and (age := re.fullmatch(r"(?:今年)?(?P<v>\d{2}|[二三四五六七八九]十[一二三四五六七八九]?)", rest))
    ):
        facts = [("user::age", age["v"])]
    if (
        not facts
        and re.fullmatch(r"\d{2}|[二三四五六七八九]十[一二三四五六七八九]?", rest)
        and not subject
        and (re.search("今年|刚刚?|现在", opener) or (reading.speaker == "zh" and not opener))
    ):
        facts = [("user::age", rest)]
    if not subject and not facts and reading.speaker == "zh" and len(rest) <= 14:
        facts = [
            fact
            for fact in about_me(f"是{rest}", named=True)
            if fact[0] in ("user::job", "user::studies", "user::work", "user::hometown")
        ]
    if facts and not subject and clause.start > 0 and re.match("名?叫", rest):
        facts = [
            fact for fact in facts if fact[0] != "user::name"
        ]  # what the clause before spoke of is called so
    if facts:
        reading.enter("zh")
    elif (subject or reading.fresh) and (found := mentioned(clause)):
        return found
    elif not subject and _OTHER_SUBJECT.match(text):
        reading.enter_other()
    if not facts and (todo := todo_in(text)):
        facts = [(f"task::{slug(todo)}", todo)]
    if not facts and (subject or reading.speaker == "zh" or reading.fresh):
        facts = loosely(text)
    reading.mentioned = relative_in(clause) or reading.mentioned
    return [Found(key, value, clause.start, clause.end) for key, value in facts if value]


def _plain(text: str) -> str:
    """Dialect in the standard language's words of the same length."""
    if not _HINT.search(text):
        return text
    for word, plain in _DIALECT.items():
        text = text.replace(word, plain)
    return text
