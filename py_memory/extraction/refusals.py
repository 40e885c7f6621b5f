"""Messages from which nothing at all is learned: not to be kept, said in play, in jest, or another's words to
be worked on."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import sentences
from .masking import straight, without_quotations

__all__ = ["MAX_READ", "own_words", "refusal"]

# Characters; a longer message is something pasted, and what the user says stands before or after it.
MAX_READ, TAIL = 20_000, 1000

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
    r"|(?<![不没有在是])开(?:个|了个)?玩笑|逗你|骗你的|瞎说的|闹着玩|说笑|不是真的|\[(?:doge|狗头|笑哭)\]|打钱|瞎编|编的|我编|胡说|吹牛|做梦的|你信吗|信不信由你|呵呵|行了吧|才怪|\bsarcas\w+|\byeah,? right\b|\b(?:oh|yeah|yes|sure),? (?:sure|great|right|joy)\b|(?<!no )(?<!not a )\bjoke\b(?!s)|(?<=\. )not\.(?:$|\s)|\bsaid (?:nobody|no[- ]?one)\b|\bas if\b[.!]*$|秦始皇|玉皇大帝|福尔摩斯|孙悟空|唐僧|奥特曼|蜘蛛侠|钢铁侠|蝙蝠侠|皇帝|慈禧|武则天|外星人|\bbatman\b|\bspider-?man\b|\bthe (?:queen|king|pope|emperor) of\b|\b(?:queen|king) of england\b|\b(?:[2-9]\d\d|1[2-9]\d|\d{4,}) years old\b|[二三四五六七八九]百[\u3400-\u9fff]{0,4}岁|[2-9]\d\d岁|\d{4,}岁|哈哈.{0,6}(?:骗|逗|开玩笑|假)|狗头(?!金)|\bobvs? (?:not|kidding)\b|[\U0001F61C\U0001F92A\U0001F643\U0001F644\U0001F60F]",
    re.IGNORECASE,
)
# A part played, a game, fiction.
_PLAY = re.compile(
    r"\brole[- ]?play|\bpretend(?:ing)?\b|\b(?:act|behave|speak|answer|respond) as (?:a|an|if|though|my)\b|\byou are now\b"
    r"|\bimagine (?:you|that|I|we|being|a|my)\b|\bplay (?:the|a) (?:role|part|character)\b|\bin (?:the voice|character)\b|\bstay in role\b"
    r"|\blet'?s (?:play|imagine|say|do an? (?:scene|skit|improv))\b|\b(?:play|playing) a game\b|\bfrom now on,? you(?:'re| are)\b|\byou(?:'re| are) (?:now )?(?:an?|the|my) [\w ]{2,30}(?:,| and) (?:and )?I(?:'m| am)\b"
    r"|\bI(?:'m| am) [^.?!\n]{1,60}(?:,| and) (?:and )?you(?:'re| are) (?:the|an?(?! (?:bot|ai|assistant|machine|robot|star|legend|life-?saver|angel|genius|computer)\b)|my) \w"
    r"|\b(?:I'll|I will|let me|I'm gonna) (?:be|play) (?:the|an?) \w+[^.\n]{0,30}\byou\b|\byou(?:'ll| will)? (?:be|play) (?:the|an?|my) (?!able|best|good|great|nice)\w+"
    r"|\blet me be (?:your|the|an?)\b|让我当你?的?"
    r"|\bmock (?:interview|trial|exam|call|debate)\b|\b(?:practi[cs]e|rehears\w+) (?:dialog\w*|conversation|interview|scene|my lines)\b|\bfor (?:this|the) (?:exercise|drill|scenario|simulation|skit|sketch)\b"
    r"|\b(?:in|for) (?:our|the|my|this|a) (?:story|game|rpg|campaign|novel|play|scene|d&d|roleplay|fanfic\w*|screenplay|book|manuscript|sim|simulation|comic|musical|sitcom)\b|\bmy (?:character|OC|avatar|sim|alter ego|persona)\b|\bin[- ]game\b|\b(?:d&d|dnd)\b"
    r"|\b(?:make|create|invent|design|build|generate|give|need|write|imagine|come up with)\b(?: me| us| up)? (?:an?|some|the|my|another)(?: [\w-]+){0,3} (?:characters?|personas?|protagonist|villain|hero(?:ine)?|NPC|backstory|alter ego|avatar)\b"
    r"|\b(?:the|my|our) (?:villain|protagonist|narrator|antagonist|main character|hero|heroine|detective in)\b|^chapter (?:\d|one|two|three)|\bcontinue (?:from here|the story|this story)\b|\b(?:in|for|of) (?:my|the|this|our) poem\b|\b(?:screenplay|dialogue|monologue|novel|fiction|fan ?fic)\b(?! club| reading| book)"
    r"|\b(?:short )?story (?:about|where|in which|that begins)\b|\bwrite (?:me )?(?:a|an|the) (?:short )?story\b"
    r"|(?:设计|编|写|做|想|生成|给|造)[^，。]{0,4}[个位名](?:[^，。]{0,6})(?:人物|角色|主角|反派|人设)|游戏里|玩个?.{0,4}游戏|小说(?:里|中|男主|女主|主角|的(?:男|女|主)|开头)|[男女]主(?:角|叫|是|人公|姓|住)|主人公|主角|剧情|设定[:：是]|人设|现在你是|你是.{1,12}[，,]我是|我是.{1,12}[，,]你是|cos(?:play)?一?下|(?:^|[，。])cos|演一?[个下段]|背景是|[你我](?:来)?(?:演|扮|饰)|你(?:来)?当.{1,8}[，,].{0,3}我(?:来)?(?:当|是)|我(?:来)?当.{1,12}[，,].{0,3}你(?:来)?(?:当|是)"
    r"|陪我练|练(?:习)?(?:一?下)?(?:口语|对话|面试|台词)|模拟(?:一?下|一?个|一?场)?(?:面试|对话|场景|法庭|客服|电话)|跑团|角色|台词|剧本(?!杀)|就当我是|当我是"
    r"|假装|装作|扮演|你现在是|想象一?下?[你我]|设想|续写|以.{1,12}的(?:口吻|身份|语气)|写(?:一|个|篇|首|一个|一篇|一首|一段)?.{0,8}(?:故事|小说|诗|对话|剧本(?!杀)|歌)",
    re.IGNORECASE,
)
_LANGUAGE = "English|French|German|Spanish|Portuguese|Italian|Dutch|Polish|Russian|Ukrainian|Czech|Greek|Turkish|Arabic|Hebrew|Persian|Urdu|Hindi|Bengali|Punjabi|Tamil|Telugu|Chinese|Mandarin|Cantonese|Japanese|Korean|Vietnamese|Thai|Indonesian|Swahili|Swedish|Norwegian|Danish|Finnish|Irish|Welsh|Latin"
# A text to be translated or worked on, and texts that are somebody else's.
_WORKED_ON = re.compile(
    rf"\b(?:in|into|to) (?:{_LANGUAGE})\b[^.?!\n]{{0,16}}[:：]|\bput (?:\w+ )?into (?:{_LANGUAGE})\b"
    r"|\btranslat(?!ors?\b|ing\b(?! (?:this|these|it|the following))|ion (?:studies|agency|work|degree|job))|\bput (?:this|that|it|the following) into [A-Z]|\b(?:rewrite|reword|polish|edit|improve|fix|correct|check|shorten|summari[sz]e|spell-?check|tidy up|rewording|expand|simplify)(?: (?:this|the|my|that|these|for me|following|up))* ?(?:bio|sentences?|text|paragraph|gramm[ae]r|e-?mail|letter|spelling|message|paragraphs?|essay|post|line|intro\w*|cv|resume|cover letter|wording|writing|draft|caption|profile|more|:)"
    r"|^(?:please |can you |could you |pls )*(?:rewrite|reword|shorten|summari[sz]e|tl;?dr|polish|correct|edit|fix|make (?:this|it)|turn this|say this|complete (?:this|the)|continue (?:this|the)|finish (?:this|the)|parse|classify|extract|convert|analy[sz]e) ?(?:this|these|it|the following|that|sentence)?\b.{0,60}?[:\n–-]"
    r"|\bexample sentences?\b|\bin the sentence\b"
    r"|\bproofread|\brephrase|\bparaphrase|\b(?:sounds?|is|does) (?:this|that|it) (?:natural|correct|right|ok|polite)\b|\bgramm[ae]r ?(?:check|:)"
    r"|\bdear (?:sir|madam|mr|mrs|ms|dr|team|all|customer|hiring|friend|valued|colleagues?|[A-Z][a-z]+,)|\b(?:kind|best|warm) regards\b|\b(?:yours )?(?:sincerely|faithfully)\b|\bsent from my\b|\bunsubscribe\b|^(?:from|subject|to|cc|fwd?|re): .+|\babout the author\b|\bhere(?:'s| is) (?:the|an?|what) (?:\w+ ){0,3}(?:article|text|email|e-mail|passage|paragraph|post|transcript|excerpt|quote|message|letter|review|bio|job ad|ad)\b|\b(?:article|transcript|excerpt|review|testimonial|passage|press release|tweet)\b ?:|[★☆]|[♪♫\U0001F3B5\U0001F3B6]|\bsinging\b(?=[:,] )|\blyrics?\b|\b(?:song|chorus|verse|hook|rhyme) (?:goes|lyrics?|is|says)\b|\bcopied from\b|\bfrom (?:the|an?|this) (?:website|article|blog|page|forum|wiki\w*|book|movie|film)\b|\bpasted?\b|\bAITA\b"
    r"|翻成|译成|译为|翻一下|改得|改正式|正式[一]?点|口语化|语病|语法(?:对|有|错|检查)|病句|自我介绍(?!一?下?[，,：:]?我)|文案|请假条|英[语文](?:怎么|要怎么|里怎么)|怎么(?:说|写|念|读|翻)(?:[:：，,]|$)|用.{1,4}[语文](?:怎么)?(?:说|写)[:：]|总结(?:一下|这|下面|以下)|概括|摘要|精简|替我写|代写|例句|扩写|仿写|缩写(?:一下|成)|这[句段](?:话|文字|简介)|(?:下面|以下|上面)(?:这|是|的)?(?:一)?[段句篇]?(?:文字|文章|内容|话|是|原文)|原文[:：如]|【转发】|转发[:：]|[【\[]?(?:广告|公告|通知|新闻)[】\]:：]|尊敬的|亲爱的(?:客户|用户|顾客|家长|同学|朋友)|此致|敬礼|作者简介|网友(?:评论|留言|说)|评论区|歌里|歌词|首歌|唱道?[:：]|来自[《网]|摘自|出自|节选|简历[:：]|标题[:：]|示例|样例|测试数据|占位|翻译(?!工作|员|官|是我|[，。]|专业|公司|这行|$)|润色|改写|造句|押韵",
    re.IGNORECASE,
)
# A line of a song, a film or a book, a title, a saying: what is asked is what it is from or what it means.
_WORK_ASKED = re.compile(
    r"\bwho (?:said|sang|sings|wrote|played|plays|voiced|voices|directed|painted)\b|\b(?:what|which) (?:book|film|movie|song|poem|quote|show|year|album|band|play|series|opera|musical|painting|novel|episode)\b|\b(?:lyrics?|synonyms?|antonyms?|synopsis|sparknotes|chords|guitar tabs?|cast list|plot summary|quote|great song|famous line|idiom|proverb|saying|grammatical)\b(?! of the day)[?!. ]*$"
    r"|谁(?:唱|说|写|演|拍)的|出自哪|出自谁|哪[年部首本](?:拍|播|唱|写|出|上映)?的|第几[季集部]|几集|歌名|原唱|歌词|台词|(?:这|那)(?:段子|句诗|首诗|句歌)|什么(?:意思|梗)|的(?:英文|英语|日语|法语|近义词|反义词|由来|典故)(?:是|怎么|$|[?？])|改成.{1,4}字句|主题曲|结局(?:是|怎)",
    re.IGNORECASE,
)
# A question about words: only what it holds is not the user's.
_WORDS_ASKED = re.compile(
    r"\bhow (?:do|would|should|can) (?:you|I|we|one) (?:say|write|spell|pronounce|translate|put)\b|\bwhat does .{2,60} mean\b|\bmeaning of\b",
    re.IGNORECASE,
)
# A text to be written: what follows is meant for it where its kind is told in the first person or where words for
# it are given. A text for a relative of the user's own is about somebody real.
_FOR_OWN = r"(?![^.:!?\n]{0,20}? (?:for|to|about) (?:my|our) (?:\w+ ){0,2}?(?:wife|husband|partner|mum|mom|mother|dad|father|son|daughter|sister|brother|girlfriend|boyfriend|fianc\w+|grand\w+|niece|nephew|aunt|uncle|cousin)\b(?![^\n]*(?::|\bwhere\b|\bin which\b|\bsaying\b)))"
_COMPOSED = re.compile(
    r"\b(?:draft|write|compose|prepare|generate|create|make) (?:me |us |up )?(?:an?|the|my|another|some) (?:\w+ ){0,4}(?:bio|post|speech|tweet|caption|profile|intro\w*|essay|dialog\w*|script|song|poem|rap|haiku|limerick|story|monologue|ad|advert\w*|review|toast|eulogy|sketch|scene|test data|sample|persona|testimonial)\b"
    + _FOR_OWN
    + r"|\b(?:draft|write|compose|prepare|generate|create) (?:me |us |up )?(?:an?|the|my|another|some) (?:[\w-]+ ){0,4}(?:e-?mail|letter|message|application|card|note|text|reply|invitation|statement|report)\b"
    + _FOR_OWN
    + r"[^.?!\n]{0,80}?(?:[:\n]|\b(?:saying|says|starting|beginning|with the (?:text|words|line)|in which|where|from the perspective|as if|who|named|called|for an?|from an?|about an?|of an?)\b)"
    r"|(?:写|拟|起草)(?:一)?[篇首段则条张个](?!人)|(?:写|拟|起草)(?:一)?[封份][^。！？\n]{0,20}[:：\n]|(?:写|拟|起草)(?:一)?[封份][^。！？\n]{0,20}(?:内容|大意|开头|说我)",
    re.IGNORECASE,
)


# A request to forget states nothing, although it says over what is to go.
_FORGET = re.compile(
    r"\W*(?:(?:please|pls|can you|could you|would you|will you|you (?:can|may|should|must)|I(?: want|'d like) you to|hey|ok|okay|and|now|also|yes|no|sure|then|just|actually|kindly)\b[\s,]*)*"
    r"(?:forget|unremember|erase|(?:delete|remove) (?:that|the fact|the note|the memory|what|my|everything|all)\b)(?! to\b)"
    r"|(?:请|帮我|帮忙|你|麻烦|我想让你|我要你|那就?|好的|对|是的|把|可以|，|,|\s)*(?:忘掉|(?:忘记|忘了)(?!带|拿|买|做|关(?!于)|锁|吃|去|写|交|还|发|打|说|告诉|讲|提|介绍|自我)|删掉|删除|清除|抹掉)"
    r"|(?:请|帮我|麻烦)*把.{1,40}(?:忘掉|忘了|忘记|删掉|删除)",
    re.IGNORECASE,
)


def refusal(text: str) -> str | None:
    """Why nothing at all is learned from a message: "private", "roleplay", "joke"; None if it may be read."""
    if len(text) > MAX_READ:
        text = f"{text[:MAX_READ]}\n{text[-TAIL:]}"  # “don't remember this” may also come last
    plain = straight(text)
    if _PRIVATE.search(plain):
        return "private"
    outside = without_quotations(plain)
    if (
        any(pattern.search(outside) for pattern in (_PLAY, _WORKED_ON, _WORK_ASKED))
        or _text_from(outside) == 0
    ):
        return "roleplay"
    if _JOKE.search(outside):
        return "joke"
    return None


def _text_from(plain: str) -> int | None:
    """Where in a message a text to be written begins: with the sentence that asks for it. What the user said
    before that is about them."""
    asked = _COMPOSED.search(plain)
    if asked is None:
        return None
    begins = [sentence.start for sentence in sentences(plain) if sentence.start <= asked.start()]
    return 0 if begins[:1] == begins[-1:] else begins[-1]


def own_words(visible: str) -> str:
    """A masked message without what is meant for a text, asked about words or to be forgotten, of the same
    length."""
    end = _text_from(visible)
    if end is not None:
        visible = visible[:end] + re.sub(r"[^\n]", " ", visible[end:])
    for sentence in sentences(visible):
        if _WORDS_ASKED.search(sentence.text) or _FORGET.match(sentence.text):
            last = len(visible) if sentence.text.endswith((":", "：")) else sentence.end
            gap = re.sub(r"[^\n]", " ", visible[sentence.start : last])
            visible = visible[: sentence.start] + gap + visible[last:]
    return visible
