"""What is doubtful, whatever rule read it: what is told must be a plain statement of one whole thing.

The rules know how people tell things; they cannot know all that people say in the same words without meaning it
(“I live for Fridays”, “the exam is on Monday”, 我对废话过敏). So each kind has a condition on what it told: a
likeable thing is spoken of in general, an allergen is one of a table, an appointment is the speaker's own, a name
looks like a name. What does not meet it has a confidence of 0 and is put before nobody; what the user asked to
remember is kept nevertheless. How strict the conditions are was chosen on messages written before anybody knew
the rules that read them (`tests/data/utterances_eighth.jsonl`): see docs/benchmarks.md.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from dataclasses import dataclass

from .clauses import words
from .lexicon_zh import ALLERGENS as ALLERGENS_ZH

__all__ = ["doubtful"]

_HAN = re.compile("[\u3400-\u9fff]")
# Said of what is not so, or of everybody: before the value, or in the same breath behind it.
_UNREAL = re.compile(
    r"\b(?:(?<!\bCould )(?<!\bWould )(?:would|might|could)(?! you\b)(?! (?:eat|drink|watch|listen|live|play|read|kill)\b)|as (?:if|though)|supposedly|figuratively|practically|for (?:everyone|everybody|all)|everybody|no one|nobody|so-called)\b"
    r"|似的|恨不得|简直|大家都(?![叫喊])|人人|所谓",
    re.IGNORECASE,
)
_NEXT = re.compile(r",|\b(?:and|so|but|because|as|when|if)\b|[，。；]", re.IGNORECASE)
# A sentence that only weighs or supposes something.
_SUPPOSED = re.compile(
    r"\bpros and cons\b|\bsay I\b|利弊|比方说|打个比方|就当|假定|按.{1,6}算", re.IGNORECASE
)
_OVER = re.compile(
    r"\b(?:lost (?:my|the|our)|quit(?! (?:booze|alcohol|sugar|meat|dairy|drinking|smoking|coffee|caffeine|gluten))|quitting|left|leaving|laid off|fired|sacked|resign\w*|made redundant|used to|formerly|back when)\b|^(?!.*\b(?:moved|been|since|gave|given|became|started|joined|turned|bought|went (?:vegan|vegetarian|veggie)(?! for)|have|'ve|diagnosed|born)\b).*\b(?:years? ago|in (?:19|20)\d\d|for (?:an?|\w+) (?:weeks?|months?|years?|while))\b"
    r"|辞了|离职|裁了|被裁|开除|[住呆待]到",
    re.IGNORECASE,
)
# What holds for a day or a week only, unless it begins then.
_PASSING = re.compile(
    r"^(?!.*\b(?:moved|moving|relocat\w+|started|starting|start|joined|diagnosed|became|turned|just)\b).*\b(?:today|tonight|this (?:morning|afternoon|evening|weekend|week)|for (?:the|an?|one|two|once) (?:day|night|evening|weekend|week|month)s?)\b"
    r"|\bstaying\b.*\b(?:till|until)\b"
    r"|^(?!.*(?:搬|刚|入职|开始|确诊|查出)).*(?:今天|今晚|今早|这周|这个?周末|这几天|[到待]周|暂时|临时|一天|半天)",
    re.IGNORECASE,
)
_ALMOST = re.compile(
    r"\b(?:almost|nearly|virtually|half|sort of|kind of|kinda|a bit of an?)\b|差点|险些|半个|算是",
    re.IGNORECASE,
)
_AGED = re.compile(
    r"\b(?:now|currently|still|only) \d{1,3}\b|(?:现在|今年|目前)才?(?:\d|[一二三四五六七八九十])",
    re.IGNORECASE,
)
_LAUGHED = re.compile("[，, ]?(?:哈哈|hhh|233)")
_TOO_OLD = re.compile(r"1[1-9]\d|[2-9]\d\d|百")

# -- likings --
# What is liked in general stands without an article: “a good list”, “the colours”, “this one” are liked in passing.
_IN_PASSING = re.compile(
    r"^(?:an?|the|this|that|these|those|some|any|one|another|each|every|both|its|his|her|their|your|my|our)\b(?! (?:(?-i:[A-Z])|(?:sea|ocean|outdoors|rain|cold|heat|piano|guitar|cello|violin|harp|drums|oboe|flute|smell|sound|taste|countryside|mountains|beach|opera|theat(?:re|er)|snow|sun|dark|gym|desert|forest)\b))"
    r"|\b(?:I|me|my|mine|you|your|yours|we|us|our|ours|he|him|his|she|her|it|its|they|them|their|myself|yourself|himself|herself|itself|ourselves|themselves|this|that|these|those|who|which|what|how|when|where|why|nothing|nobody|everywhere|anywhere|somewhere|anything|something|anyone|someone|everyone|not|never|always|equally)\b"
    r"|\b(?:valued|brings?|supported|helps?|makes?|gets?|goes|comes?|does|did|has|had|says|feels|looks|sounds|seems|works|keeps|thanks)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"^(?:(?:week|page|chapter|day|month|level|season|round|part|number|option) \w+|\W*|yeah|yes|yep|no|nope|ok|okay|wow|cool|help|helping|theme|themes|idea|ideas|plan|plans|list|lists|labels?|detail|details|colou?rs?|texture|vibe|vibes|style|look|looks|design|effort|work|options?|suggestions?|answers?|questions?|questions|results?|end|start|begin\w*|part|parts|bits?|way|ways|attitude|energy|enthusiasm|honesty|confidence|support|advice|feedback|reply|replies|both|all|most|others?|hugs?|love|hate|happy endings?|endings?|surprises? like .*|being (?:right|wrong|here|alive|me|with people|around friends)|trying|living|talking|chatting|thinking|learning|going|doing .*|having .*|getting .*|making .*|seeing .*|knowing .*|giving .*|taking .*|finding .*|feeling .*|sounding .*|looking .*|using .*|asking .*|telling .*|improving .*|helping .*|mindset|(?!family|jelly|fly|bully|lily|july)\w+ly|.*\b(?:an? |the )?(?:safe|good|nice|better|great)|everything|\w*days?|mornings?|weekends?|holidays?|january|february|march|april|june|july|august|september|october|november|december)$",
    re.IGNORECASE,
)
_VAGUE_ZH = re.compile(
    r"^(?:安静|认真|慢|快|分点|直接|简[短单洁]|随便|正式|口语)|[新旧](?:logo|版|图标|界面|字体|样式)|有(?![氧声轨趣机])|[我你您他她它咱俺这那哪谁]|[但又也就都还却才]|喜欢|讨厌|不|没|^(?:感觉|样子|类型|风格|颜色|细节|态度|设计|结局|回答|答案|说法|做法|想法|思路|主意|建议|过程|故事|部分|情感|人性|生活|工作|学习|一切|东西|事情|自己|大家|.*(?:字号|字体|排版|格式|版式|[大小]字)|一些.*|.*[里中]的.*性)$|^(?:在|是|被|把|给|让|叫|对|跟|和|有|去|来|会|能|要|想)|得[很]?$|[了过着吗呢吧啊]$|大团圆|[个种款版稿段]$"
)

_ONE = re.compile(
    r"\b(?:love|like|enjoy|adore|hate|prefer|for) (?:an?|this|that|these|those)(?: \w+)? $", re.IGNORECASE
)
# “I hate Dave” and “I hate surprises in contracts” are no tastes.
_SOMEBODY_DISLIKED = re.compile(r"^[A-Z][a-z]+[a-rt-z]$|^\w+ in \w+$")
# Whom somebody speaks to is not what they like: “Thanks, Caroline! I'm obsessed with those”.
_CALLED_TO = re.compile(
    r"\b(?:thanks|thank you|hi|hey|hello|wow|yes|yeah|yep|no|ok|okay|sorry|cheers|sure)[, ]+$", re.IGNORECASE
)
# “I'm a cat person”, but not “I'm a cat person trapped with a dog”.
_OF_A_KIND = re.compile(
    r" (?:person|people|lover|girl|guy|type) (?!and\b|but\b|so\b|too\b|here\b|myself\b|by\b|at\b)\w",
    re.IGNORECASE,
)
# -- illnesses: “anxiety about this e-mail” and “pregnant with ideas” are none --
_OF_ILLNESS = re.compile(
    r" (?:inhalers?|medication|meds|tablets|pills|pumps?|nurses?|clinics?|research|awareness|charit\w+|books?|leaflets?|symptoms?|jokes?|patients?|support|forums?|apps?)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r".*(?:anxiety|anxious|depress\w+|OCD|ADHD|blind|deaf|insomnia) (?:about|over|to|without|by)\b|pregnant with (?!twins|triplets|my|our|a|an|number|baby|\d)",
    re.IGNORECASE,
)

# -- decisions --
_FIRM = re.compile(r"[\w'-]+")
_SLACK = frozenset(
    words(
        """i me my you your we us our it its he him she her they them this that these those to a an the and or not no be
        is are do did done go going get have had let so just really now today tonight tomorrow later soon again anyway
        then here there up out on off in at for of with about against"""
    )
)
_ATTITUDE = re.compile(
    r"^\w+ly$|^(?:the )?(?:flow|plan \w+|option \w+|version \w+|gut)$|\b(?:care|mind|worry|matter|believe|trust|know|see|think|feel|guess|wonder|agree|disagree|forget|forgive|ignore|wait|ask|tell|talk|say|listen|try|hope|wish|pretend|laugh|cry|nap|right|wrong|happy|nice|kind|you|you're|it's|he's|she's|they're|this|that)\b",
    re.IGNORECASE,
)
_ATTITUDE_ZH = re.compile(
    r"(.)\1$|在乎|在意|介意|相信|原谅|理[你他她它]|生气|难过|开心|快乐|[你您他她它咱]|今天|今晚|现在|好看|好笑|可爱|先不|不管|不说|不想|告诉|等等?|看看|试试|再说|随便|躺|摆烂|佛系|忍|算了|努力|加油|放弃|拼|去想|瞪|发呆|认命|随缘|顺其自然"
)

# -- allergens, of which somebody who says so is allergic --
_ALLERGEN = re.compile(
    r"\b(?:\w*nuts?|almonds?|cashews?|pistachios?|macadamias?|fish|salmon|tuna|cod|\w*fish|seafood|shrimps?|prawns?|crabs?|lobsters?|mussels?|oysters?|clams?|scallops?|squid|octopus|molluscs?|eggs?|milk|dairy|lactose|whey|casein|gluten|wheat|barley|rye|oats?|corn|maize|rice|soya?|tofu|sesame|tahini|mustard|celery|lupin|sulphites?|sulfites?|kiwis?|kiwi ?fruit|\w*berr(?:y|ies)|mango(?:e?s)?|pineapples?|bananas?|avocados?|peach(?:es)?|apples?|pears?|plums?|cherr(?:y|ies)|melons?|grapes?|citrus|oranges?|lemons?|limes?|tomato(?:e?s)?|potato(?:e?s)?|carrots?|onions?|garlic|peppers?|paprika|chill?i(?:e?s)?|mushrooms?|spinach|lentils?|chickpeas?|beans?|peas?|legumes?|pulses|coconuts?|chocolate|cocoa|cinnamon|spices?|coriander|cilantro|parsley|yeast|msg|alcohol|wine|beer|caffeine|coffee|honey|meat|pork|beef|chicken|gelatine?|latex|rubber|penicillin|amoxicillin|\w+cillin|\w+mycin|antibiotics?|aspirin|ibuprofen|paracetamol|nsaids?|codeine|morphine|opioids?|\w+caine|an(?:a)?esthe\w+|iodine|contrast|sulfa|sulpha|sulfa drugs|insulin|vaccines?|pollen|grass(?:es)?|hay|birch|ragweed|trees?|olive trees?|flowers?|lil(?:y|ies)|dust|dust mites?|mites?|mou?lds?|cats?|dogs?|horses?|rabbits?|hamsters?|guinea pigs?|animals?|reptiles?|pets?|fur|hair|dander|feathers?|down|wool|bees?|wasps?|hornets?|ants?|mosquito(?:e?s)?|insects?|stings?|bites?|venom|nickel|silver|gold|metals?|cobalt|chrom\w+|lanolin|perfumes?|fragrances?|scents?|detergents?|soap|bleach|hair dye|dye|dyes|ppd|formaldehyde|adhesives?|plasters?|sunscreen|sun|sunlight|cold|water|smoke|sugar|red meat|food colou?ring|additives|preservatives?|parabens?|shellfish|crustaceans?|poison ivy)\b",
    re.IGNORECASE,
)
_ALLERGEN_ZH = re.compile(
    rf"(?:生|熟|所有|各种|一切)?(?:{ALLERGENS_ZH})(?:类|毒|过敏原|仁|肉|粉|油|酱|制品)?$"
)

# -- appointments --
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'll|I'd|im|ive|me|my|mine|we|we're|we've|we'll|us|our|ours|got)\b|[我咱俺]|本人",
    re.IGNORECASE,
)
_OF_THINGS = re.compile(
    r"^(?:the )?(?:deadline|concert|game|match|election|sale|strike|shop|store|bank|holiday|train|bus|flight|ferry|show|film|movie|news|class|course|term|school|office)s? (?:is|are|was|leaves|starts|ends|opens|closes|departs)\b|^an? |\bfor (?:everyone|everybody|all|year \w+)\b|^\w+ (?:price|time|ticket|option|deal|idea|outfit|gift|menu|plan|rule|tip)s\b|\b(?:is|are|'s) (?:open|closed|free|full|available|late|delayed|cancell?ed|sold out|busy|out|over|expired)\b",
    re.IGNORECASE,
)
_OF_THINGS_ZH = re.compile(r"(?<![成首])都|全|截止|放假|开门|关门|开售|开播|上映|停[运课业]|刚入职")

_HOUR_ONLY = re.compile(r"\w+ at \d{1,2}|[\d一二三四五六七八九十]{1,3}点.{1,4}", re.IGNORECASE)

# -- names --
_SURNAME_ETC = re.compile(
    r"[A-Za-z·]|^[小阿老大]|^(.)\1|[哥姐叔姨婶爷奶妹弟爸妈总工仔宝崽]$|老师$|先生$|女士$"
)
_CALLED_ZH = re.compile(r"(?:叫|喊)我(?P<v>[^，。]{1,6}?)(?:$|都|也|，)")
_CALLED_SO = re.compile(
    r"就(?:好|行|可以|成)|即可|吧$|(?:大家|朋友|同事|他们|人家|别人|家里人?)们?都?(?:叫|喊)我"
)
_NAMED_BY = re.compile("外公|外婆|爷爷|奶奶|爸|妈|[起取改写]$")
# “我是…” tells what somebody is as well as who: 顾客 and 房东 begin like names.
_ROLE_ZH = re.compile("[生工头员师者人民手迷粉控党客户主汉族哈猿狗女男友]$")
_GREETING = re.compile("你好|您好|大家好|嗨|哈喽|hi|hello|早|又来|来了", re.IGNORECASE)
_NOT_MINE_ZH = re.compile(
    "[那这他她它某]的?$|[那这他她它某][^，。我]{0,4}(?:老板|同事|朋友|领导|室友|邻居|老师)"
)

# -- trades: what is behind one must go on about it --
_BEING = re.compile(r"\b(?:I'm|I am|im|we're|we are) (?:\w+ ){0,2}(?:an?|the) $", re.IGNORECASE)
_AT_WORK = re.compile(
    r"$|[^\w ]| (?:at(?! heart)|in(?! my)|with(?! my)|from|by|on|and|but|so|or|who|which|that|now|here|working|based|living|currently|these|since|too|also|as|up|down|out|over|near|because|while|looking|trying|doing|specialis\w+|specializ\w+|turned|myself|again|then|just|half|part|full|freelance|full-time|part-time|remotely|if|when|btw|lol|haha|years?|is|are|there|nowadays|tbh|please|any|what|how|can|I|I'm|my|not)\b"
    r"| for (?!(?:my|the) (?:day|night|week\w*|friends?|family|kids|cats?|dogs?|house\w*)\b|an? (?:day|night|week)\b|once\b|fun\b|friends\b|free\b)| of (?!napping|sleeping|nothing|all\b|my\b|our\b|this|that|these|those|the mess)",
    re.IGNORECASE,
)
_NO_TRADE = re.compile(
    r"^(?:bit of|unpaid|amateur|armchair|wannabe|would-be|professional (?:over|pro|nap)\w*|self-proclaimed|self-appointed|budding|aspiring|failed|part-time parent)\b|^(?:一天|半个|免费|职业内)|内耗",
    re.IGNORECASE,
)
_TRAINED = re.compile(
    r"\b(?:trained|qualified|started out|applied|posing|dressed up|disguised|moonlight\w*|known|typecast) as\b",
    re.IGNORECASE,
)
# “Call me lucky”: a word without a capital that ends as adjectives do, or is one that people call themselves.
_ADJECTIVE = re.compile(
    r"(?:lucky|crazy|mad|weird|old|spoilt|cautious|romantic|greedy|nuts|insane|cheap|basic|sad|simple|slow|happy|sappy|cheesy|nosy|needy|lazy|fussy|silly|curious|sentimental|sensitive|blessed|cursed|\w+(?:ful|ous|ish|able|ible|less|ing|ed|ic))$"
)
_GOES_BY = re.compile(r"\bgo by $", re.IGNORECASE)
_NO_KIN = re.compile(
    r"\b(?:work|future|imaginary|fake|fictional|former|first|second|late|ex)[ -](?:\w+)? ?$", re.IGNORECASE
)
_DEAD_ZH = re.compile("没了|走了|去世|过世|不在了|已故|离世")
# One answer in a language, and not all from now on.
_ONE_ANSWER = re.compile("用[^，。]{1,4}[语文话]?(?:说|讲|写|念|翻)(?:一下|一遍|吧)?$")
_NO_FOOD_ZH = re.compile("的|[^吃喝能]不(?![吃喝沾碰])|名字")
_MISSED_ZH = re.compile("没(?!事)|错过|误了|取消|改天")

# -- contacts: whose they are is said in front of them --
_OF_SOMEBODY = re.compile(
    r"\b(?!it's|that's|here's|what's|one's|who's|where's|there's|let's)[A-Za-z]+'s (?:\w+ ){0,2}(?:number|phone|mobile|cell|e-?mail|address)\b"
    r"|(?:^|[，。我打加存给是])(?:的)?(?!自己|本人|常用|新换|现在|平时|家里|工作|公司|我们?|以前|备用)[^\s，。我的]{2,5}?用?的(?:联系|工作|手机|公司|办公)?(?:电话|手机|号码|邮箱|微信|住址|地址)",
    re.IGNORECASE,
)
# -- whose a clause without a subject is --
_SOMEBODY_ELSE = re.compile(
    r"\b(?:he|she|they|his|her|their)\b|[他她]|别人|有人|人家|大家(?!好)|医生|老师|主要内容|客人|顾客|病人|患者|学员|嘉宾|女士|小姐|(?<!我)(?<!我家)(?:先生|太太)",
    re.IGNORECASE,
)

# -- the rest --
_KIN_IN_TRADE = re.compile(
    r"\b(?:others|fellow|people|folks|everyone|kids'|family|household|house)\b|孩子|老婆|老公|家里|全家|群里",
    re.IGNORECASE,
)
_NO_SUBJECT_ZH = re.compile(r"特别|都|听起来|非常|很|太|更|最|这|那|各家|人物|体$|关$|感觉|没有|思考")
_NO_WORK_ZH = re.compile(r"思考|考虑|正在|打算|想|找|换|忙|努力|认真|拼命|加班")


_RAISED = re.compile(r"\b(?:raised|grew up|brought up) (?:in|near|outside) $", re.IGNORECASE)
_BORN = re.compile(r"\bborn in\b", re.IGNORECASE)
# Behind a place, an employer or a subject: another word of the same name, at which it was cut.
_GOES_ON = re.compile(
    r" (?!(?:and|or|but|so|because|since|as|at|in|on|for|with|from|of|to|by|near|who|which|that|where|while|if|when|though|although|now|these|this|currently|right|until|till|the|my|our|your|his|her|their|an?|i|i'm|i've|we|we're|is|isn't|was|are|here|too|also|please|lol|haha|hence|again|already|already|still|just|always|not|last|next|every|most|full|part|about|over|under|than|then|after|before|during|all|both|doing|working|living|studying|way|btw|tho|myself|alone|together|what|how|any|it|it's|can|do|does|has|have|would|will|way|off|up|out|through|via|plus|yet|only|remotely|temporarily|permanently|originally|\w+ly|\w+ing|\w*days?|mornings|evenings|nights|weekends|january|february|march|april|june|july|august|september|october|november|december|student|students|degree|course|university|school|college|department|faculty)\b)[a-z]+",
    re.IGNORECASE,
)
_ANY = re.compile(r"(?:an?|some) ", re.IGNORECASE)
_UNDER_A_YEAR = re.compile(r" (?:month|week|day)s?\b")
_JESTED = ("likes", "dislikes", "job", "age")
_LASTING = ("work", "job", "home", "diet", "studies")


@dataclass(frozen=True, slots=True)
class _Told:
    """A value with what stands before and behind it in its clause; `own` where it is told of the user."""

    value: str
    before: str
    behind: str
    clause: str
    sentence: str
    own: bool
    chinese: bool


def _liking(told: _Told) -> bool:
    value, before, behind = told.value, told.before, told.behind
    if told.chinese:
        headless = bool(re.match("的(?!铁|粉|歌|书|电影)", behind)) and not value.startswith(("吃", "喝"))
        return (
            headless or "爱在" in before or "欢在" in before or value == "颜" or bool(_VAGUE_ZH.search(value))
        )
    return bool(
        _IN_PASSING.search(value)
        or _VAGUE.match(value)
        or _ONE.search(before)
        or _OF_A_KIND.match(behind)
        or _CALLED_TO.search(told.sentence[: told.sentence.find(value)])
        or len(value.split()) > 6
    )


def _dislike(told: _Told) -> bool:
    somebody = bool(_SOMEBODY_DISLIKED.search(told.value)) and bool(told.before.strip())
    return (somebody and not told.chinese) or _liking(told)


def _illness(told: _Told) -> bool:
    if told.chinese:
        return False
    return bool(_ABOUT.match(told.value + told.behind) or _OF_ILLNESS.match(told.behind))


def _allergen(told: _Told) -> bool:
    return not (_ALLERGEN_ZH.match(told.value) if told.chinese else _ALLERGEN.search(told.value))


def _decision(told: _Told) -> bool:
    if told.chinese:
        return len(told.value) < 2 or bool(_ATTITUDE_ZH.search(told.value))
    content = [word for word in _FIRM.findall(told.value.lower()) if word not in _SLACK]
    return not content or bool(_ATTITUDE.search(told.value) or _ANY.match(told.value))


def _event(told: _Told) -> bool:
    if _MISSED_ZH.search(told.clause):
        return True
    of_things = _OF_THINGS_ZH if told.chinese else _OF_THINGS
    anybodys = of_things.search(told.clause) or _HOUR_ONLY.fullmatch(told.clause)
    return bool(anybodys) and not _FIRST_PERSON.search(told.clause)


def _age(told: _Told) -> bool:
    # Of a baby of four months the number alone would be years.
    if _UNDER_A_YEAR.match(told.behind) or _TOO_OLD.search(told.value):
        return True
    return told.own and bool(_AGED.search(told.sentence.replace(told.clause, "", 1)))


def _home(told: _Told) -> bool:
    return _over_or_cut(told) or "老家" in told.before


def _hometown(told: _Told) -> bool:
    return _over_or_cut(told) or bool(_RAISED.search(told.before) and _BORN.search(told.sentence))


def _over_or_cut(told: _Told) -> bool:
    """What is over, and a lower-case name cut off before its last word."""
    if not told.own:
        return False
    cut = told.value.islower() and told.value.isascii() and _GOES_ON.match(told.behind)
    return bool(cut or _OVER.search(told.clause))


def _trade(told: _Told) -> bool:
    if (told.own and _OVER.search(told.clause)) or _TRAINED.search(told.before):
        return True
    if _KIN_IN_TRADE.search(told.value) or _NO_TRADE.search(told.value):
        return True
    return told.own and bool(_BEING.search(told.before)) and not _AT_WORK.match(told.behind)


def _employer(told: _Told) -> bool:
    return _over_or_cut(told) or (told.chinese and bool(_NO_WORK_ZH.search(told.value)))


def _subject(told: _Told) -> bool:
    return _over_or_cut(told) or (told.chinese and bool(_NO_SUBJECT_ZH.search(told.value + told.behind[:1])))


def _diet(told: _Told) -> bool:
    if told.own and _OVER.search(told.clause):
        return True
    no_food = _NO_FOOD_ZH.search(told.value.rstrip("的"))
    return told.chinese and not told.value.startswith("戒") and bool(no_food)


def _birthday(told: _Told) -> bool:
    return told.chinese and told.value.endswith("月")  # the day is missing


def _language(told: _Told) -> bool:
    return bool(_ONE_ANSWER.fullmatch(told.sentence.strip("。！!.~ ")))


def _relation(told: _Told) -> bool:
    if not told.chinese:
        return False
    bare = len(told.value) == 2 and re.match("了|$", told.behind) and not re.search("[叫是]", told.before)
    in_front = told.sentence.partition(told.value)[0]
    return bool(bare and not _SURNAME_ETC.search(told.value)) or bool(_NOT_MINE_ZH.search(in_front))


def _name(told: _Told) -> bool:
    value = told.value
    if not told.chinese:
        return value.islower() and bool(_GOES_BY.search(told.before) or _ADJECTIVE.match(value))
    if _NAMED_BY.search(value):
        return True
    if (called := _CALLED_ZH.search(told.sentence)) and value in called["v"]:
        return not (_SURNAME_ETC.search(value) or _CALLED_SO.search(told.sentence))
    if not told.before.endswith("我是") or _SURNAME_ETC.search(value):
        return False
    return bool(_ROLE_ZH.search(value)) or (len(value) < 3 and not _GREETING.search(told.sentence))


_BY_KIND = {
    "likes": _liking,
    "favorite": _liking,
    "dislikes": _dislike,
    "condition": _illness,
    "allergy": _allergen,
    "decision": _decision,
    "event": _event,
    "age": _age,
    "home": _home,
    "hometown": _hometown,
    "job": _trade,
    "work": _employer,
    "studies": _subject,
    "diet": _diet,
    "birthday": _birthday,
    "language": _language,
    "relation": _relation,
    "name": _name,
}


def doubtful(key: str, value: str, clause: str, sentence: str) -> bool:
    """Whether too little says that a value told in a clause of a sentence is meant as it stands."""
    if key.startswith("task::"):
        return False
    of, *parts = key.removeprefix("user::").split("::")
    what = parts[-1] if of in ("family", "pet") and len(parts) > 1 else of
    before, _, behind = clause.partition(value)
    own = of == what and of not in ("family", "pet")
    told = _Told(value, before, behind, clause, sentence, own, bool(_HAN.search(clause)))
    if _SUPPOSED.search(sentence) or _UNREAL.search(before) or _UNREAL.search(_NEXT.split(behind)[0]):
        return True
    if what != "age" and _ALMOST.search(before):
        return True
    if own and what in _LASTING and _PASSING.search(clause):
        return True
    if own and what in _JESTED and _LAUGHED.match(sentence.partition(clause)[2]):
        return True
    if of in ("contact", "address") and _OF_SOMEBODY.search(sentence):
        return True
    lead = sentence.partition(clause)[0]
    of_user = own and of not in ("relation", "event", "decision", "contact")
    if of_user and not _FIRST_PERSON.search(clause) and _SOMEBODY_ELSE.search(lead):
        return True
    if (
        of in ("family", "pet")
        and what == of
        and value.startswith("老")
        and not re.search("[叫名是]", before)
    ):
        return True
    if of == "family" and (_NO_KIN.search(before) or _DEAD_ZH.search(sentence)):
        return True
    by_kind = _BY_KIND.get(what)
    return by_kind is not None and by_kind(told)
