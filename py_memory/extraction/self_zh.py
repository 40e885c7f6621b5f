"""What Chinese speakers say of themselves: who they are, where they live, how to reach them, what they decided.
A frame fits what follows the subject."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .lexicon_zh import DATE, LANGUAGE, NUMBER, SURNAME
from .readers_zh import (
    FREE,
    Facts,
    Frame,
    address_or_home_in,
    age_in,
    at_in,
    first,
    frame,
    home_in,
    known_home_in,
    name_facts,
    one,
    people_of,
)
from .tastes_zh import TASTES
from .values_zh import HAN, place_in, tidy
from .work_zh import WORK

__all__ = ["about_me", "anywhere"]

_WHO: tuple[Frame, ...] = (
    frame(rf"(?:土生土长的?|地道的?|地地道道的?|正宗的?|纯正的?|是|一个|个|一名|个地道的|标准|老)*(?P<v>{HAN}{{2,6}}?)(?:本地)?(?:妹子|汉子|崽崽?|娃|土著|伢子?|仔|姑娘|小伙子?|爷们儿?|老爷们|女孩|男孩|大妈|大叔|本地人|人|囡|老乡)(?:一枚|儿)?$", lambda m: [("user::hometown", m["v"])] if (place_in(m["v"], known=True) == m["v"] and m.string[m.end("v") :] != "人") or (m.string[: m.start("v")] and place_in(m["v"], known=True) == m["v"]) else []),
    frame(rf"(?:是)?(?P<v>{HAN}{{2,4}})(?:那旮沓|那旮旯|那边|那块儿?|这边|那头)的$", lambda m: [("user::hometown", m["v"])] if place_in(m["v"], known=True) == m["v"] else []),
    frame(r"(?:人|我人)?(?:现在|目前|现|都|平时)*(?:常年|长期|(?<=人)一直|(?<=人))(?:都|就)?在(?P<v>[^，的]{2,12})$", known_home_in),
    frame(r"(?:(?:毕业|退伍|婚|退休|工作)(?:后|以后|了)?(?:就|一直)*|就|一直)?(?:留|扎根)(?:在)?(?P<v>[^，了]{2,6})了?$", known_home_in),
    frame(rf"(?:是)?(?P<v>{HAN}{{2,4}})的$", lambda m: [("user::hometown", m["v"])] if place_in(m["v"], known=True) == m["v"] else [], False),
    frame(r"(?:真名|大名|本名|全名|原名)(?:叫|是|：|:)?(?P<v>[^，]{2,4})$", name_facts),
    frame(rf"(?P<v>{DATE})是我(?:的)?生日$", one("user::birthday")),
    frame(r"(?:蜗居|租住|寄居|租房|借住|落脚|扎根|安家)(?:在|于)(?P<v>[^，]{2,12}?)(?:的|[\d一二三四五六七八九十百]+平.*|$)", home_in),
    frame(r"(?:租的房子|房子|出租屋|我家|家|我租房)(?:租)?(?:就)?在(?P<v>[^，]{2,10})$", lambda m: [("user::home", v)] if (v := place_in(m["v"], known=True)) else home_in(m) if m.group().startswith("租") else []),
    frame(r"在(?P<v>[^，在]{2,10}?)(?:安了家|扎了根|落了户|买了房|定了居)(?:了|$)", home_in),
    frame(rf"(?:祖上|祖辈|家里|世代|祖孙)[^，]{{0,5}}?是(?P<v>{HAN}{{2,6}})人$", lambda m: [("user::hometown", m["v"])] if place_in(m["v"], known=True) == m["v"] else []),
    frame(rf"(?:从|打|我)?(?P<v>{HAN}{{2,5}})来的$", lambda m: [("user::hometown", m["v"])] if place_in(m["v"], known=True) == m["v"] else []),
    frame(r"(?:过完年|过了年|年后|明年|(?:下个?月|[\d一二三四五六七八九十]{1,2}月)(?=就|要)|转眼|眼看|一晃)(?:我)?(?:就|都|要)*(?:到)?(?P<v>\d{2}|[二三四五六七八九]?十[一二三四五六七八九]?)(?:岁)?了?$", age_in),
    frame(r"小时候在(?P<v>[^，]{2,8})长大的?$", lambda m: [("user::hometown", v)] if (v := place_in(m["v"])) else []),
    frame(r"(?:我|今年|已经|都)*(?:才|刚|就)?(?P<v>[二三四五六七八]?十有[一二三四五六七八九])(?:了|$)", one("user::age")),
    frame(r"(?:才|刚)(?P<v>\d{2}|[二三四五六七八]?十[一二三四五六七八九]?)(?:岁)?$", age_in),
    frame(r"(?:已经|刚|又)?回(?:了)?(?:老家|家乡)(?P<v>[^，了]{2,6})了?$", lambda m: [("user::home", v)] if (v := place_in(m["v"], known=True)) else []),
    frame(r"(?:现在|目前|最近)?(?:窝|宅|蹲|躺|漂|驻|待|猫)在(?P<v>[^，]{2,10})$", lambda m: [("user::home", v)] if (v := place_in(m["v"], known=True)) else []),
    frame(r"在(?P<v>[^，在]{2,6}?)(?:这边|那边|这儿|这里)(?:躺平|生活|过日子|养老|打工|工作|上班|读书|待着)", lambda m: [("user::home", v)] if (v := place_in(m["v"], known=True)) else []),
    frame(r"在(?P<v>[^，在]{2,10}?)(?:混|漂|蹲|窝|躺|住|飘|搬砖|打拼)(?:着|了|[\d一二两三四五六七八九十几半].*)?$", home_in),
    frame(r"(?:都|今年|已经|马上|快|才|刚|我)*(?P<v>\d{2}|[二三四五六七八九]?十[一二三四五六七八九]?|[二三四五六七八九]十(?:多|好几|出头)?)(?:岁)?(?:了|的人了?|的人)(?:，|还|才|也|就)", age_in),
    frame(r"(?:的)?(?:全名|大名|本名|真名|名字|中文名|英文名|网名|昵称|外号|笔名|小名)(?:就)?(?:叫做?|是|[:：])\s*(?P<v>.+)", name_facts, False),
    frame(r"(?:名叫|叫做?)\s*(?P<v>.+(?<!的))$", name_facts),
    frame(rf"姓(?P<v>{SURNAME})(?=，|$|,|名)", one("user::name")),
    frame(rf"(?P<v>{SURNAME}{HAN}{{1,2}})$", lambda m: [("user::name", m["v"])] if m.string == m["v"] and "本人" in m["v"] else [], False),
    frame(rf"(?:今年|现在|虚岁|周岁|实岁|已经|刚满|刚过|刚|马上|刚好|正好|快|才|都|就|也|要|明年|有|年龄|年纪|[:：]|到|是|奔)*(?P<v>{NUMBER})(?:周?岁|嘞)(?:半|多|出头|整)?(?:了|的人|老|啦|的)?(?=$|的|，|[^\u3400-\u9fff])", age_in),
    frame(r"(?:今年|现在|虚岁|已经|刚满|刚过|刚好|正好|刚|都|满|下个?月|马上|快|就)+满?(?P<v>(?:\d{2}|[二三四五六七八九]?十[一二三四五六七八九]?|[二三四五六七八九]十(?:出头|好几|多)?))(?:了|啦|哈|整)?$", age_in),
    frame(r"(?:的)?年龄(?:是|[:：])?\s*(?P<v>\d{1,3})$", age_in),
    frame(rf"(?:的)?(?:阳历|阴历|农历|公历|新历|身份证)?生日(?:是|在|就是|[:：])?\s*(?P<v>{DATE})", one("user::birthday")),
    frame(rf"(?:是|出生于|生于|出生在)?\s*(?P<v>{DATE})(?:出生|生的?|生人|的生日|过生日|我?过生日|生日)", one("user::birthday")),
    frame(rf"(?:出生于|生于|出生日期[:：是])\s*(?P<v>{DATE}|\d{{4}}年)", one("user::birthday")),
    frame(r"(?:是)?(?P<v>(?:19|20)?\d\d年|[一二三四五六七八九零〇]{2,4}年)(?:(?:出生|生)(?:的|人)?|的)$", one("user::birthday")),
    frame(rf"(?!老家){FREE}(?:(?:跟|和)(?:我)?(?:老公|老婆|爱人|对象|男朋友|女朋友|男友|女友|爸妈|家人|孩子|朋友)(?:一起|一块儿?)?)?(?:租住在?|租在|暂住在?|住的地方(?:就)?(?:在|是)|住在|住到|家住在?|住|家在|定居在?于?|安家在?|落户在?|扎根在?|常住|常驻|现居|搬到了?|搬去了?|搬来了?|搬回了?|搬家到了?|移居到?了?|移民到?了?|生活在|人在|人现在在|base在?|坐标[:：]?|所在地[:：]|居住地[:：是]|嫁到了?|嫁去了?|家搬到了?|迁到了?|回到了?|漂在)\s*(?P<v>[^，]{{2,40}})", address_or_home_in),
    frame(r"(?:从|由)(?:[^，]{2,8}?)(?:搬到|搬去|搬来|搬回|调到|调回|迁到|回到|来到|移居)了?(?P<v>[^，]{2,20})", home_in),
    frame(r"(?:已经|又|刚|终于)*(?:回|来)(?:到)?(?P<v>[^，]{2,8})(?:了|定居|发展|生活|工作了?)?$", known_home_in),
    frame(rf"(?:一直|一个人|独自|全家|一家人?|自己|长期|就|都|人)*在\s*(?P<v>[^，在]{{2,20}}?)(?P<verb>工作|上班|任职|就职|供职|打工|实习|教书|生活|上大学|念大学|读大学|当兵|带娃|带孩子|陪读|定居|创业(?!公司|团队|板|园|企业)|打拼|务工|做生意|养老|读书|上学|读博|读研|读大学|念书|留学|漂|安家|买了?房|租房|租了|待了?(?={NUMBER}|好|很|多|半|快)|呆了?(?={NUMBER}|好|很|多|半|快)|住了?(?={NUMBER}|好|很|多|半|快)|干了?(?={NUMBER}|好|很|多|半|快)|做了?(?={NUMBER}|好|多|半|快)|担任|任|当(?!地|时|年|前|然)|做(?!梦|客)|干(?!什么|啥|嘛)|搞|教|送(?=快递|外卖|货|餐)|跑(?=外卖|快递|滴滴|长途|业务|运输)|写(?=后端|前端|代码|程序|文案|算法|测试)|开(?=.{0,5}(?:店|馆|公司|厂|出租|网约车|滴滴|货车))|画(?=图|插画|漫画|原画)|剪(?=片|视频))(?P<rest>(?!要|得花|需要|很?贵|便宜|很?难|很?累|多少|怎么|压力).*)$", at_in),
    frame(r"(?:的)?(?:老家|家乡|籍贯|故乡|祖籍|娘家)(?:是|在|[:：])?\s*(?P<v>[^，]{2,20})", lambda m: [("user::hometown", v)] if (v := re.sub(r"人$", "", place_in(m["v"]) or "")) and len(v) > 1 and not re.match(r"(?:房|冬|过年|特产|有|没|话|菜|那|下雪|今年|的)", m["v"]) else []),
    frame(r"(?:是)?来自(?:于)?\s*(?P<v>[^，]{2,20})", one("user::hometown", place_in)),
    frame(r"(?:是)?(?:从小|打小|一直)*(?:在|是在)?(?P<v>[^，在]{2,14}?)(?:长大|出生长大|土生土长|出生)的?$", one("user::hometown", lambda v: place_in(v) if len(v) < 9 else None)),
    frame(r"(?:出生在|生在|生长在|成长于)(?P<v>[^，]{2,12})", one("user::hometown", lambda v: place_in(v, known=True))),
    frame(rf"(?P<v>{HAN}{{2,8}})人(?:氏)?$", lambda m: people_of(re.sub("^(?:是|地道)", "", m["v"]))),
)  # fmt: skip
_REACHED: tuple[Frame, ...] = (
    frame(r"(?:的)?(?:家庭|联系|收货|收件|通讯|邮寄|新|家里的?|现在的?)*(?:地址|住址)(?:是|在|填|写|用|改成了?|换成了?|变成了?|[:：])\s*(?P<v>[^，吗呢]{3,60})", lambda m: [("user::address", tidy(m["v"]))] if re.search(r"\d|路|街|区|号|村|镇|巷", m["v"]) else []),
    frame(r"(?:快递|包裹|东西|信|文件)?(?:请|麻烦)?(?:寄|送|邮)(?:到|至)(?P<v>[^，]{4,40}?)(?:就行|就好|吧|即可|哈|这里|来)?$", lambda m: [("user::address", tidy(m["v"]))] if re.search(r"\d", m["v"]) and re.search(r"[号路街幢栋室弄]", m["v"]) else []),
    frame(r"(?:的)?(?:新|工作|私人|个人|常用|公司|联系|备用)*(?:的)?(?:邮箱|电子邮[件箱]|邮件|email|e-mail|mail)(?:地址)?(?:是|换成了?|改成了?|改为|变成了?|[:：])?\s*(?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))", one("user::contact::email")),
    frame(r"(?:的)?新号码?(?:是|[:：])?\s*(?P<v>\+?\d[\d -]{5,18}\d)", one("user::contact::phone")),
    frame(r"(?:的)?(?:新|工作|私人|个人|常用|现在的?|国内|备用|家里的?|办公室)*(?:的)?(?:联系)?(?:电话|手机|号码|联系方式|座机|手机号|tel)(?:号码|号)?(?:已经|现在)?(?:是|换成了?|改成了?|改为|换了?|变成了?|[:：])*\s*(?P<v>\+?\d[\d -]{5,18}\d)", one("user::contact::phone")),
    frame(r"(?:(?:已经|最终|最后|终于|还是|慎重考虑后)*(?:决定|决意|下决心|下定决心|打定主意))(?:了|要|好了?|[:：，]|好)*(?P<v>[^吗呢]{2,60})", lambda m: [("user::decision", tidy(m["v"]))] if not re.match(r"(?:不了|权|性|因素|的|一切|是|于|下来$)", m["v"]) else []),
    frame(r"(?:我们?|最终|最后|终于|还是|已经|商量后)*(?:敲定|拍板|定下来?|说定|谈妥|选定|定好)(?:了)?(?:要|是|，|：)?(?P<v>(?!一下|个时间)[^吗呢了]{3,40})$", lambda m: [("user::decision", tidy(m["v"]))] if m.group()[0] not in "定" or m.group().startswith("定下") else []),
    frame(r"(?:[^，我你他她它老]{1,6}?)?(?:最终|最后|终于)(?:还是)?选(?:了|择了?|定了?)(?P<v>(?!个寂寞)[^吗呢]{2,40})", one("user::decision")),
)  # fmt: skip
_FRAMES = (*_WHO, *WORK, *TASTES, *_REACHED)
_ANYWHERE: tuple[Frame, ...] = (
    frame(r"(?:你好|大家好|喂|哈喽)?(?:这里是|这边是|我这边是|我这里是|我这儿是)(?P<v>[^，]{2,5})$", lambda m: [("user::home", m["v"])] if place_in(m["v"], known=True) == m["v"] else name_facts(m) if re.match(rf"[小老阿]{HAN}{{1,2}}$|{SURNAME}{HAN}{{1,2}}(?<![告区服部处台店海京])$|[A-Z][a-z]+$", m["v"]) and "我" not in m.group() else []),
    frame(r"(?:名字|姓名|署名|落款|收件人|收货人|联系人|称呼|抬头|预订人|预约人)(?:请|就|那里|那栏|麻烦|那儿)*(?:写|填|用|是|叫|留|签|(?<=姓名))(?P<v>[^，]{2,6})$", name_facts),
    frame(rf"(?:请|麻烦|能不能|可以|以后|从现在起|从今天起|接下来|咱们?|我们|全程|都|就|一律|你)*(?:用|说|讲)?(?P<v>{LANGUAGE})(?:来)?(?:回复|回答|答复|交流|沟通|聊|作答|对话)(?:我|就行|就好|吧|哈|即可)*$", one("user::language")),
    frame(rf"(?:以后|从现在起|从今天起|接下来|今后)(?:都|就|请|咱们?|我们|全程|你|跟我|和我|一律)*(?:用|说|讲){HAN}?(?P<v>{LANGUAGE})(?:吧|就行|就好|哈|好吗|好了)*$", one("user::language")),
    frame(r"(?:请|麻烦|可以|就|能不能|你|直接|都)+(?:跟我|和我)?(?:用|说|讲)(?P<v>(?:繁体中文|简体中文|文言文|粤语|英文|英语|中文|普通话|法语|日语|德语|韩语|西班牙语|俄语))(?:吧|就行|就好|哈|跟我说|说话)*$", one("user::language")),
    frame(rf"(?:以后|今后|请|麻烦|都|就|一律)*用(?P<v>{LANGUAGE})(?:来)?(?:回|答|跟|和)我(?:说|聊|说话)?(?:就行|就好|吧|哈|啦|呀)*$", one("user::language")),
    frame(rf"(?:回|回复|回答|答)我(?:请|麻烦|就|都)?用(?P<v>{LANGUAGE})(?:吧|就行|就好|哈)*$", one("user::language")),
    frame(r"(?:可以|请|有事|直接)?(?:联系我|找我|打我|打这个电话|拨打|拨|电话打)(?:请)?(?:[:：]|到|这个|拨)?\s*(?P<v>\+?\d[\d -]{5,18}\d)", one("user::contact::phone")),
    frame(r"(?:可以|请|有事|直接)?(?:联系我|找我|发我|邮箱给你|邮箱是|我的邮箱)(?:请|邮箱)?(?:[:：])?\s*(?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))", one("user::contact::email")),
    frame(r"(?:可以|请|有事|直接)?(?:加我)(?:的)?(?:微信|wx|VX|vx)(?:号)?(?:是|[:：])?\s*(?P<v>[A-Za-z][\w-]{4,20})", one("user::contact::wechat")),
    frame(r"(?:的)?(?:微信号?|wx|VX|vx)(?:号)?(?:是|[:：])?\s*(?P<v>[A-Za-z][\w-]{4,20})", one("user::contact::wechat")),  # said to the user's assistant about the user, whatever the subject
    frame(r"(?:你)?(?:可以|大家都?|都|就|请|以后|你|朋友们?都?|同事们?都?|别人都?|家里人都?|平时|一般|直接|身边人都?|喊|也可以)*(?:管我叫|叫我|喊我|称呼我(?:为)?)\s*(?P<v>.+)", lambda m: name_facts(m) if not re.search(r"(?:来|去|干|做|吃|帮|带|写|起床|回家)", m["v"]) else []),
    frame(rf"(?:请|以后|麻烦|都|你|一律|一直|全部|统统|还是|咱们?|我们|今后|从现在起|能不能|可以|就)*(?:用|说|讲|换成|改用|切换到|使用)(?P<v>{LANGUAGE})(?:来)?(?:跟我|和我|给我|与我)?(?:回答|回复|交流|聊天|聊|沟通|说|对话|答复|讲|作答|吧|就行|就好)+(?:我|我的问题|吧|就好|就行|哈|好吗|我的提问|所有问题)*$", one("user::language")),
    frame(rf"(?:以后|请|你|今后|都|平时)*(?:回答|回复|跟我(?:聊天?|说话?|交流)|和我(?:聊天?|说话?|交流)|聊天|沟通|答复|交流)(?:我)?(?:的?时候?|的?问题)?(?:你|请|都|一律|就|还是|全部|麻烦)*(?:用|说)(?P<v>{LANGUAGE})(?:吧|就好|就行|哈)?$", one("user::language")),
    frame(r"(?:有事|有急事|要联系我|可以|请|直接|到时候?|就|你|以后|急事|麻烦)*(?:打(?:我)?(?:的)?(?:电话|手机)?|拨|call|短信发到?|联系我[:：]?|发短信到?)\s*(?P<v>\+?\d[\d -]{5,18}\d)(?:找我|给我|联系我|就行|就好)?", one("user::contact::phone")),
    frame(r"(?:有事|资料|文件|请|可以|直接|简历|账单|发票|就|你|麻烦|把)*(?:发邮件|邮件|发|写信|写邮件|寄|联系我)(?:请)?(?:发|寄)?(?:到|给|至|往|用|[:：])?(?:我)?(?:的)?(?:邮箱)?(?:是)?\s*(?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))\s*(?:给我|就行|就好|即可|吧|联系我|找我)", one("user::contact::email")),
)  # fmt: skip


def about_me(text: str, *, named: bool) -> Facts:
    """What follows the subject, or, not `named`, a clause that leaves it out."""
    return first(_FRAMES, text, named=named)


def anywhere(text: str) -> Facts:
    return first(_ANYWHERE, text)
