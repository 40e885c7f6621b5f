"""What must never become a fact: what is not said as true by the user, what was asked not to be kept, and
secrets.

The guards run before any rule. Unsafe spans are masked character by character, so that places in the text
stay.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .clauses import Clause, clauses, sentences

__all__ = ["MASK", "MAX_READ", "masked", "refusal", "safe_clauses", "secret_spans", "without_secrets"]

MASK = "\ufffc"
# Characters; a longer message is something pasted, and what the user says stands before or after it.
MAX_READ, TAIL = 20_000, 1000

# -- the whole message --

_PRIVATE = re.compile(
    r"(?:^|[.!?,;:(\n—–-][ \t]*|\b(?:please|but|and|so|ok|okay|just)\s+)(?:please\s+)?(?:don't|do not|dont|never)\s+"
    r"(?:you\s+)?(?:ever\s+)?(?:remember|save|store|keep|record|memori[sz]e|note|log|write)\b(?!\s+to\b)"
    r"|\b(?:no need to|needn't|don't need to|do not need to|don't have to|shouldn't|must not|mustn't)\s+"
    r"(?:remember|save|store|memori[sz]e|record)\b"
    r"|\brather\s+(?:you\s+)?(?:didn't|did not|not)\s+(?:remember|save|store|keep|record)\b"
    r"|\boff the record\b|\bforget (?:that )?I (?:ever )?(?:said|told|mentioned)\b|\bkeep (?:this|that|it) out of\b"
    r"|\b(?:just )?between (?:you and me|us)\b|\bkeep (?:this|that|it) (?:to yourself|private|between us|off)\b|\bno need to (?:save|keep|note|remember|store)\b|\bnot for (?:the record|saving|keeping)\b|\bdelete that\b|\bdon't want (?:you|this|that|it) (?:to (?:remember|be (?:saved|stored|remembered)|save|store)|saved|stored|remembered)\b"
    r"|\b(?:please )?ignore (?:that|this|what I)\b|就?当我没说|别存|别外传|别往外说|别告诉(?:别人|任何人)|保密|不要外传|仅此一次|听听就(?:好|算了|行)|听过就(?:好|算了?|忘)|说完就忘|忘了我(?:刚才?)?说的|别(?:留|写)(?:记录|下来|进)"
    r"|(?:别|不要|不用|不必|无需|无须|请勿|不许|不准|禁止|不想让你|不希望你)(?:再)?(?:把[^，。！？]{0,12})?(?:帮我|给我)?"
    r"(?:记(?!错|者|恨|仇)|保存|存储|存下|存起来|留存|写进记忆|写入记忆)",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"(?<!not )(?<!no )(?<!n't )\b(?:kidding|joking|jk|j/k)\b|(?:^|\s)/s(?:\s|$)|\bas a joke\b|\bsarcasm\b|\bnot really\b"
    r"|(?<![不没有在是])开(?:个|了个)?玩笑|逗你|骗你的|瞎说的|闹着玩|说笑|不是真的|\[(?:doge|狗头|笑哭)\]|打钱|瞎编|编的|我编|胡说|吹牛|做梦的|你信吗|信不信由你|呵呵|行了吧|才怪|\bsarcas\w+|\byeah,? right\b|\b(?:oh|yeah|yes|sure),? (?:sure|great|right|joy)\b|\bjoke\b|\blmao\b|\brofl\b|\blol\b|(?<=\. )not\.(?:$|\s)|\bas if\b[.!]*$|\bhaha\w*|秦始皇|玉皇大帝|福尔摩斯|孙悟空|唐僧|奥特曼|蜘蛛侠|钢铁侠|蝙蝠侠|皇帝|慈禧|武则天|外星人|\bbatman\b|\bspider-?man\b|\bthe (?:queen|king|pope|emperor) of\b|\b(?:queen|king) of england\b|\b(?:[2-9]\d\d|1[2-9]\d|\d{4,}) years old\b|[二三四五六七八九]百[\u3400-\u9fff]{0,4}岁|[2-9]\d\d岁|\d{4,}岁|哈哈.{0,6}(?:骗|逗|开玩笑|假)|[（(\[]狗头[）)\]]|[\U0001F61C\U0001F92A\U0001F643\U0001F644\U0001F60F]",
    re.IGNORECASE,
)
_ROLE_PLAY = re.compile(
    r"\brole[- ]?play|\bpretend(?:ing)?\b|\b(?:act|behave|speak|answer|respond) as (?:a|an|if|though|my)\b|\byou are now\b"
    r"|\bimagine (?:you|that|I|we|being|a)\b|\bplay (?:the|a) (?:role|part|character)\b|\bin (?:the voice|character)\b"
    r"|\btranslat(?!or)|\b(?:rewrite|reword|polish|edit|improve|fix|correct|check|shorten|summari[sz]e|spell-?check|tidy up|rewording|expand|simplify)(?: (?:this|the|my|that|these|for me|following|up))* ?(?:bio|sentences?|text|paragraph|grammar|e-?mail|letter|spelling|message|paragraphs?|essay|post|line|intro\w*|cv|resume|cover letter|wording|writing|draft|caption|profile|more|:)"
    r"|^(?:please |can you |could you |pls )*(?:rewrite|reword|shorten|summari[sz]e|tl;?dr|polish|correct|edit|fix|make this|turn this|say this|complete (?:this|the)|continue (?:this|the)|finish (?:this|the)|parse|classify|extract|convert|analy[sz]e) ?(?:this|these|it|the following|that|sentence)?\b.{0,60}?[:\n–-]"
    r"|\bhow (?:do|would|should|can) (?:you|I|we|one) (?:say|write|spell|pronounce|translate|put)\b|\b(?:draft|write|compose|prepare|generate|create) (?:me |us |up )?(?:an?|the|my|another|some) (?:\w+ ){0,4}(?:e-?mail|letter|bio|message|post|speech|tweet|caption|profile|intro\w*|cover letter|essay|dialog\w*|script|song|poem|rap|haiku|limerick|story|monologue|application|ad|advert\w*|review|toast|eulogy|card|note to|text to|reply|sketch|scene|test data|sample|persona)\b|\bexample sentences?\b|\bin the sentence\b|\bwhat does .{2,60} mean\b|\bmeaning of\b"
    r"|\blet'?s (?:play|imagine|say)\b|\b(?:play|playing) a game\b|\bfrom now on,? you(?:'re| are)\b|\byou(?:'re| are) (?:now )?(?:an?|the|my) [\w ]{2,30}(?:,| and) (?:and )?I(?:'m| am)\b|\b(?:in|for) (?:our|the|my|this) (?:story|game|rpg|campaign|novel|play|scene|d&d|roleplay|fanfic|screenplay|book)\b|\bmy character\b|\bin[- ]game\b|\b(?:d&d|dnd)\b|\bdear (?:sir|madam|mr|mrs|ms|dr|team|all|customer|hiring|friend|valued|colleagues?|[A-Z][a-z]+,)|\b(?:kind|best|warm) regards\b|\b(?:yours )?(?:sincerely|faithfully)\b|\bsent from my\b|\bunsubscribe\b|^(?:from|subject|to|cc|fwd?|re): .+|\babout the author\b|\bhere(?:'s| is) (?:the|an?|what) (?:\w+ ){0,3}(?:article|text|email|e-mail|passage|paragraph|post|transcript|excerpt|quote|message|letter|review|bio|job ad|ad)\b|\b(?:article|transcript|excerpt|review|testimonial|passage|press release|tweet)\b ?:|[★☆]|[♪♫\U0001F3B5\U0001F3B6]|\bsinging\b|\blyric|\bsong (?:goes|lyrics?)\b|\bcopied from\b|\bfrom (?:the|an?|this) (?:website|article|blog|page|forum|wiki\w*|book|movie|film)\b|\bpasted?\b"
    r"|翻成|译成|译为|翻一下|改得|改正式|正式[一]?点|口语化|语病|语法(?:对|有|错|检查)|病句|自我介绍(?!一?下?[，,：:]?我)|文案|请假条|英[语文](?:怎么|要怎么|里怎么)|怎么(?:说|写|念|读|翻)(?:[:：，,]|$)|用.{1,4}[语文](?:怎么)?(?:说|写)[:：]|总结一?下|概括|摘要|(?:写|拟|起草)(?:一)?[封份篇首段条则张个](?!人)|替我写|代写|例句|扩写|仿写|缩写(?:一下|成)|这[句段](?:话|文字)|(?:下面|以下|上面)(?:这|是|的)?(?:一)?[段句篇]?(?:文字|文章|内容|话|是|原文)|原文[:：如]|【转发】|转发[:：]|[【\[]?(?:广告|公告|通知|新闻)[】\]:：]|尊敬的|亲爱的(?:客户|用户|顾客|家长|同学|朋友)|此致|敬礼|作者简介|网友(?:评论|留言|说)|评论区|歌里|歌词|唱道?[:：]|角色|玩个?.{0,4}游戏|游戏里|小说里|剧情|设定[:：是]|人设|现在你是|你是.{1,12}[，,]我是|cos(?:play)?一?下|(?:^|[，。])cos|演一?[个下段]|背景是|来自[《网]|摘自|出自|节选|简历[:：]|标题[:：]|示例|样例|测试数据|占位\bproofread|\brephrase|\bparaphrase|\blyrics\b|\b(?:poem|screenplay|dialogue|monologue|novel|fiction)\b"
    r"|\b(?:short )?story (?:about|where|in which|that begins)\b|\bwrite (?:me )?(?:a|an|the) (?:short )?story\b"
    r"|假装|装作|扮演|角色扮演|你现在是|你来演|我来演|想象一?下?[你我]|续写|台词|剧本|歌词|翻译|润色|改写|造句"
    r"|写(?:一|个|篇|首|一个|一篇|一首|一段)?.{0,8}(?:故事|小说|诗|对话)|以.{1,12}的(?:口吻|身份|语气)",
    re.IGNORECASE,
)

# -- spans --

_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTED_LINE = re.compile(
    r"^[ \t]*(?:>|\{|\[\{|</?\w|\$ |\w+ ?= ?[\"'{\[]|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\[?(?:INFO|ERROR|WARN|WARNING|DEBUG|FATAL|TRACE)\b|(?:const|let|var|def|return|import|from \w+ import|class|function|public|private|if \w+ ==) ?[\w(\"'{]+ ?[=({:.\"']|(?:print|console\.log|printf|echo|alert|log)\b ?[(\"']|(?:INSERT INTO|SELECT .{1,60} FROM|UPDATE \w+ SET|DELETE FROM)\b|#include|//|/\*|# ).*$|^.*\b(?:INSERT INTO|console\.log|System\.out|SELECT \* FROM)\b.*$",
    re.MULTILINE,
)
_TAGGED = re.compile(r"<(\w[\w-]*)[^<>]{0,200}>.{0,2000}?</\1>", re.DOTALL)
_LABELLED = re.compile(
    r"^[ \t]*(?!(?:note|notes|fyi|ps|p\.s|btw|by the way|update|reminder|about me|me|to-?do|done|finished|(?:so )?about me|(?:a )?bit about me|quick intro|intro|my details|for the record|make a note|take a note|note to self|context|background|fun fact|facts?|good news|(?:big )?news|confession|(?:quick|small|little|side|short|one) (?:note|update|one|fact|thing|correction)|(?:i |i've |we )?(?:have |got |have got |just got )?(?:an? |the )?(?:new )?(?:phone |mobile |cell )?(?:number|e-?mail|address|phone)|favou?rite [\w ]{1,14}|(?:please )?keep in mind|quick update|remember(?: this)?"
    r"|please remember(?: this)?|hi|hello|备忘|记住|请记住|记一下|待办|补充|注意|关于我|提醒|完成|已完成|我[的家].{1,6}|.{0,4}(?:记一下|记下来?|记着|记住|待办|记一笔|记录)|(?:家庭|收货|新)?(?:地址|住址)|.{0,2}(?:电话|手机号?|邮箱|坐标|生日|爱好)|我?最(?:喜欢|爱)的.{1,6}|关于我.{0,2}|自我介绍|更新|(?:here(?:'s| is) )?(?:my|our) [\w -]{1,16}|(?:I|we) (?:have|'ve got|love|like|speak|can't eat|don't eat) [\w -]{1,24})[ \t]*[:：])"
    r"(?:[A-Za-z][\w .'-]{0,30}|[\u3400-\u9fff]{1,8})[:：](?!//|-?[()DPp3](?:\s|$))[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
# A quotation that is never closed reaches to the end of its line.
_IN_QUOTES = re.compile(
    r"\"[^\"\n]{2,}\"|“[^”\n]{2,}(?:”|$)|«[^»\n]{2,}(?:»|$)|「[^」\n]{2,}(?:」|$)|『[^』\n]{2,}(?:』|$)|《[^》\n]{2,}(?:》|$)"
    r"|(?<![\w])'[^'\s]*\s[^'\n]*'(?!\w)",
    re.MULTILINE,
)

# -- sentences and clauses --

_CONDITION = re.compile(
    r"^(?:(?:and|but|so|then|well|or|even|only|just|as)\s+)*(?:if|unless|suppose|supposing|assume|assuming|imagine|whether"
    r"|what if|let's say|let us say|say I|in case(?! (?:it|that|you|anyone|this)(?:'s|'re| is| are)? ?(?:matters|helps|wonder\w*|relevant|useful|wondering|asked|asks))|provided|hypothetically|for example|for instance|e\.g|were I|had I"
    r"|once|when|whenever)\b|\b(?:what if|as if|as though|if I|if we|if my)\b"
    r"|如果|要是|假如|假设|假使|倘若|万一|若是|要不是|就算|即使|哪怕|除非|想象|比如|例如|譬如|的话",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:I|we|you|it|he|she|they)'d\b|\b(?:would|might|could)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|supposedly|allegedly|hypothetically|theoretically|apparently)\b|\bI wish\b"
    r"|^(?:可能|也许|或许|据说|听说|好像)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\b(?:he|she|they|someone|somebody|people|everyone|everybody|who|(?:my|the|a|his|her|their|our) \w+|(?!I\b)[A-Z]\w+)"
    r"(?:'s)?\s+(?:\w+ly\s+|always\s+|just\s+|once\s+)?(?:said|says|say|told|tells|claims?|claimed|wrote|writes|thinks?|thought"
    r"|believes?|asked|asks|replied|answered|goes|tells me|tell me|told me|put it|puts it|reads?|insists?|swears?|quoted?|texted)\b"
    r"|\b(?:said|says|wrote|quoth|told) (?:he|she|they|my \w+|the \w+|[A-Z]\w+)\b|\baccording to\b|\bto quote\b"
    r"|(?<!我)(?<!老实)(?<!来)(?<!话)(?<!就是)(?<!顺便)(?<!坦白)(?<!跟你)(?<!和你)(?<!不)(?<!听)(?<![文语小传学])(?:说|问|写道|回答|表示|认为|觉得|回复|喊|讲)"
    r"(?:过|道)?$|^(?:他|她|他们|她们|人家|别人|有人|朋友|同事)(?:们)?.{0,4}(?:说|问|写|告诉|觉得|认为)"
)
_ADDED = re.compile(
    r".*\b(?:but|though) $"
)  # “My name is Li but everyone says Lee” is the user's word up to there
_ASKING = re.compile(
    r"^(?:(?:and|but|so|or|hey|well|please)\s+)*(?:am|is|are|was|were|do|does|did|can|could|would|will|should|shall|have|has|had"
    r"|what|what's|who|who's|whom|whose|where|when|why|how|which|don't|didn't|isn't|aren't|won't|can't|any)\b"
    r"|[吗嘛么]$|是不是|有没有|会不会|能不能|可不可以|要不要|什么|谁|哪[里儿个些]|多少|怎么|怎样|为什么|是否|几[个岁点号]|[吗呢]$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"^(?:right|no|yes|correct|isn't it|aren't I|am I|am I not|don't you think|you know|huh|eh|okay|ok|who knows|really"
    r"|对吗?|对吧|是吗|是吧|是不是|好吗|不是吗|知道吗|真的吗)$",
    re.IGNORECASE,
)
_QUESTION_START = re.compile(
    r"^(?:am|is|are|was|were|do|does|did|what|who|where|when|why|how|which)\s+(?:I|my|me|you|we|the|it|this)\b",
    re.IGNORECASE,
)
_LANGUAGE_ASKED = re.compile(
    r"^(?i:(?:please )?(?:can|could|would|will) you (?:please )?)(?=(?:always |please |only |just )*(?:answer|reply|respond|write|talk|speak|chat)(?: to| with)?(?: me| us)?(?: back)?(?: only| always)? in [A-Z]\w+(?: please| from now on| only)*$)"
)
_DENIED = re.compile(
    r"^(?:it's|it is|that's)? ?not (?:true|that|like|as)\b|^not\b|^(?:不是真的|才怪|才不是|不对|并没有|没有的事)",
    re.IGNORECASE,
)
# What is over is not what holds now; but who does not eat or drink something any more says what they avoid.
_PAST = re.compile(
    r"以前|曾经|曾(?=[在是做当养有去经])|从前|过去(?!了)|小时候|那时候?|那会儿?|当时|当年(?!级)|年轻的?(?:时候|时)|(?:上|读|念)(?:幼儿园|小学|初中|高中|大学|大[一二三四])(?:的?时候|时|那会)|刚毕业那|原来的|原先|(?<![一以目提])前(?:男友|女友|夫|妻|任|女朋友|男朋友|公司|东家|老板)|(?:^|我|家)之前|(?:^|我|家)原来|(?:^|我|家)本来"
)
_NOW = re.compile(r"现在|如今|目前|后来|去年|今年|前年|最近|上个?月|已经|刚|改|换|搬|早就")
_OVER = re.compile(
    r"^(?!.*(?:\b(?:eat|drink)\b|[吃喝]))(?:.*\b(?:any ?more|any longer|no longer)\b|.*不再|.*(?:已经|早就)不|我?们?不太?(?:喜欢|爱|住|在|是).*了$)",
    re.IGNORECASE,
)

# -- secrets --

_SECRETS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(
        r"\b(?:sk|pk|rk)[-_](?:live|test|ant|proj|or)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
        r"|\bglpat-[\w-]{16,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\bxox[abprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{20,}"
        r"|\bmt_[A-Za-z0-9]+_[A-Za-z0-9_-]{8,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    ),
    re.compile(
        r"\b(?:pass ?word|passwd|passcode|pass ?phrase|pwd|pin(?: code| number)?|cvv|cvc|security code|api[ _-]?key"
        r"|access[ _-]?key|wi-?fi key|network key|encryption key|private key|login|credentials|door code|gate code|alarm code|unlock code|license key|secret(?: key)?|(?:auth|access|api|bearer)[ _-]?token|otp|seed phrase|recovery (?:code|phrase))s?\b"
        r"[^\n.!?]{0,40}?(?:\bis\b|'s\b|\bare\b|\bwas\b|[:=])\s*[^\n]{2,}",
        re.IGNORECASE,
    ),
    re.compile(r"\bbearer\s+[\w.~+/-]{16,}", re.IGNORECASE),
    re.compile(
        r"(?:密码|口令|验证码|密钥|私钥|助记词|安全码|令牌|卡号|身份证号?码?)[^\n。！？]{0,8}?(?:是|为|[:：=])\s*[^\n]{2,}"
    ),
    re.compile(r"(?:密码|口令|验证码|卡号|账号密码)\s*[A-Za-z0-9_@#$%^&*!-]{4,}"),
    re.compile(r"\b\d{3}-\d{2}-\d{4}\b"),
    re.compile(r"(?<![0-9])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx](?![0-9])"),
)
_DIGITS = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?!\.?\d)")
_RANDOM = re.compile(
    r"(?<![\w/.@+-])(?=[A-Za-z0-9_+/-]*[A-Z])(?=[A-Za-z0-9_+/-]*[a-z])(?=(?:[A-Za-z_+/-]*\d){4})[A-Za-z0-9_+/-]{24,}={0,2}"
)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where passwords, keys, tokens, card and identity numbers stand."""
    spans = [match.span() for pattern in (*_SECRETS, _RANDOM) for match in pattern.finditer(text)]
    spans += [match.span() for match in _DIGITS.finditer(text) if _is_card(match.group())]
    return sorted(spans)


_SECRET_NAME = re.compile(
    r"(?:^|[^a-z])(?:pass ?word|passwd|pwd|passphrase|passcode|pin|otp|cvv|secret|(?:api|private)[_ -]?key|credential)s?(?:$|[^a-z])|(?:^|[^a-z])(?:token|authorization)(?:$|[^a-z])|密码|口令|密钥|令牌|验证码",
    re.IGNORECASE,
)
_HIDDEN = "•••"


def without_secrets(value: Any) -> Any:
    """A JSON value with a mark in the place of secrets: in its texts, and what is kept under a secret's name."""
    if isinstance(value, str):
        pieces, done = [], 0
        for begin, end in secret_spans(value):
            if end > done:
                pieces += [value[done : max(begin, done)], _HIDDEN if begin >= done else ""]
                done = end
        return "".join((*pieces, value[done:]))
    if isinstance(value, Mapping):
        return {
            without_secrets(name): _HIDDEN
            if isinstance(item, str | int) and item is not True and item and _SECRET_NAME.search(str(name))
            else without_secrets(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    return value


def refusal(text: str) -> str | None:
    """Why nothing at all is learned from a message: "private", "roleplay", "joke"; None if it may be read."""
    if len(text) > MAX_READ:
        text = f"{text[:MAX_READ]}\n{text[-TAIL:]}"  # “don't remember this” may also come last
    straight = _straight(text)
    if _PRIVATE.search(straight):
        return "private"
    outside = _without_quotations(straight)
    if _ROLE_PLAY.search(outside):
        return "roleplay"
    if _JOKE.search(outside):
        return "joke"
    return None


def masked(text: str) -> str:
    """The text with code, quotations, other people's lines and secrets masked, of the same length."""
    text = _straight(text)
    pieces, done = [], 0
    for begin, end in secret_spans(text):
        if end > done:
            pieces += [text[done:begin], MASK * (end - max(begin, done))]
            done = end
    return _without_quotations("".join((*pieces, text[done:])))


def safe_clauses(text: str) -> Iterator[tuple[Clause, list[Clause]]]:
    """Each sentence of a masked text with those of its clauses that state something as true."""
    for sentence in sentences(text):
        if found := _stated(sentence):
            yield sentence, found


def _stated(sentence: Clause) -> list[Clause]:
    parts = clauses(sentence)
    if _HEDGE.search(sentence.text):
        return []
    told = next((index for index, part in enumerate(parts) if _REPORT.search(part.text)), None)
    if told is not None:
        if not _ADDED.match(
            sentence.text[: parts[told].end - sentence.start].removesuffix(parts[told].text)[-8:]
        ):
            return []
        parts = parts[:told]
    if any(_DENIED.search(part.text) for part in parts[1:]):
        return []
    kept = parts
    for index, part in enumerate(parts):
        if _CONDITION.search(part.text):
            # What depends on a condition that comes later is as little stated as what follows it.
            kept = [] if any(_WOULD.search(p.text) for p in parts) else parts[:index]
            break
    kept = [part for part in _of_now(kept) if not _OVER.match(part.text)]
    if sentence.text.rstrip("\"'”’」)） ").endswith(("?", "？")):
        return _before_question(kept)
    if parts and _QUESTION_START.search(parts[0].text):
        return []
    return [
        part for part in kept if not (_ASKING.search(part.text) and re.search("[\u3400-\u9fff]", part.text))
    ]


def _of_now(parts: list[Clause]) -> list[Clause]:
    """Without what a clause about the past tells, up to the next one about now."""
    out, over = [], False
    for part in parts:
        if _PAST.search(part.text):
            over = True
        elif over and _NOW.search(part.text):
            over = False
        if not over:
            out.append(part)
    return out


def _before_question(parts: list[Clause]) -> list[Clause]:
    """What is stated before a sentence turns into a question. "…, right?" asks about everything before it."""
    for index, part in enumerate(parts):
        if _LANGUAGE_ASKED.search(part.text):
            asked = _LANGUAGE_ASKED.sub("", part.text)
            return [*parts[:index], Clause(asked, part.end - len(asked))]
        if _TAG.search(part.text):
            return []
        if _ASKING.search(part.text):
            return parts[:index]
    return []


def _without_quotations(text: str) -> str:
    for pattern in (_FENCED, _TAGGED, _QUOTED_LINE, _LABELLED):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", MASK, match.group()), text)
    return _IN_QUOTES.sub(_quotation, text)


def _quotation(match: re.Match[str]) -> str:
    """A quoted sentence is somebody's words; a single quoted name is only emphasis."""
    inner = match.group()[1:-1]
    if (
        re.search(r"\b(?:I|I'm|my|me|we|remember|remind)\b|[我咱记]", inner, re.IGNORECASE)
        or len(inner.split()) > 3
    ):
        return MASK * len(match.group())
    return f"'{inner}'" if match.group().startswith("《") else f" {inner} "


def _straight(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'")


def _is_card(digits: str) -> bool:
    """Luhn's check over the digits of a card number."""
    numbers = [int(d) for d in digits if d.isdigit()][::-1]
    doubled = (n if i % 2 == 0 else n * 2 - 9 * (n > 4) for i, n in enumerate(numbers))
    return len(set(numbers)) > 1 and sum(doubled) % 10 == 0
