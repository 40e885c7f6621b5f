"""What in a text is about a person: the check that know-how has to pass before it may be kept for every task.

It errs on the side of refusing: a refused experience can be worded without the person in it, while a kept one
would carry them into other work.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterable

from .extraction.secrets import secret_spans
from .text import has_cjk, normalize

__all__ = ["personal_kinds"]

_CONTACTS = (
    ("email", re.compile(r"[\w.+-]+(?:[@＠]| ?(?:\(at\)|\[at\]) ?)[\w-]+(?:\.| ?\[dot\] ?)[\w.-]+", re.IGNORECASE)),
    ("phone", re.compile(r"(?<![A-Za-z0-9_.])(?!\d{4}-\d{2}-\d{2}(?!\d))(?:\+|00)?\(?\d(?:[\s().-]{0,2}\d){6,14}(?![A-Za-z0-9_]|\.\d)")),
    ("password", re.compile(r"\b(?:password|passcode|passphrase|pin|token)\s+(?=\S*\d)\S{4,}|(?:密码|口令)\s*[A-Za-z0-9]{4,}", re.IGNORECASE)),
    ("handle", re.compile(r"(?<![\w.@/])@(?!(?:app|click|dataclass|property|pytest|staticmethod|classmethod|media|import|types|angular|babel)\b)[A-Za-z]\w{2,}")),
    ("account", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,}\b|\b(?:plate number|licen[cs]e plate)\b|车牌|尾号\s*\d{3,}|(?:小红书|抖音|微博|微信|QQ|wechat|支付宝|账号|帐号|工号|学号)(?:号|号码|id)?\s*(?:是|为|[:：=])?\s*[A-Za-z0-9_-]{4,}", re.IGNORECASE)),
    ("address", re.compile(
        r"\b\d{1,5}[A-Za-z]? (?:[A-Z][\w'.-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Square|Terrace|Way)\b"
        r"|\b(?:[A-Z][\w'.-]+ ?){1,2}(?:straße|strasse|str\.|Street|Road|Avenue|Lane) ?\d+"
        r"|\b(?i:apartment|apt\.?|flat|room) (?:no\.? ?)?\d+\w?\b"
        r"|[\u4e00-\u9fff]{1,8}(?:路|街|大道|巷|胡同|弄)\s?[\d一二三四五六七八九十百]+\s?(?:号|弄)|[\d一二三四五六七八九十]+(?:号楼|栋|单元|室)"
    )),
    ("birthday", re.compile(r"\b(?:born (?:on|in)|birthday|date of birth|dob)\b|生日|出生(?:于|日期|在)|\d{2,4}年(?:\d{1,2}月)?出?生", re.IGNORECASE)),
)  # fmt: skip
# A sentence about oneself, one's people, one's body or one's money.
_ABOUT_A_PERSON = re.compile(
    r"\b(?:he|she|him|her|hers|his|himself|herself|ex-?(?:wife|husband)|\w+-in-law|years? old|\d+-year-old|weighs \d+)\b"
    r"|\b(?:kid|child|baby|toddler|teen)(?:s|'s|ren|ren's)?\b(?! (?:process|node|element|page|table|class|task|widget|theme|window|dir|folder))"
    r"|\b(?:divorced?|widow(?:er|ed)?|tenants?|landlord|landlady|neighbou?rs?|therapists?|therapy|wedding|marriage|married|funeral|mortgage|salary|wages|mother|father|sisters?|brothers?|nanny|babysitter|snores?|smokes?|medications?|religio\w+|bridesmaids?|hates?)\b"
    r"|\b(?:the )?user (?!has\b|is\b|was\b|wants\b|needs\b|says\b|asks\b|agrees\b|confirms\b|chooses\b|clicks\b|gives\b|sees\b|sends\b|does\b|types\b|uploads\b|replies\b|permissions\b|names\b|ids\b|accounts\b|lists\b|settings\b|access\b|stories\b|rights\b|roles\b|groups\b)[a-z]+s\b"
    r"|姐姐|妹妹|哥哥|弟弟|儿子|女儿|舅舅|叔叔|阿姨|姑姑|老人|家里|家人|信教|宗教|租客|房客|房租|邻居|保姆|亲戚|家长|离异|结婚|婚姻|葬礼|出诊|看病|医院|吃药|服药|血压|血糖|体重|身高|工资|薪水|房贷|本人|(?<!其)他(?!日)|她|孩子|小孩|[这那某]位|\d+岁|[一二三四五六七八九十]+岁|"
    r"\b(?:my|his|her|our|their|the user's|your|[A-Z][a-z]+'s) (?:\w+ )?(?:wife|husband|spouse|partner|girlfriend|boyfriend|mother|father|mom|mum|dad|parents?|son|daughter|sister|brother|kids?|child(?:ren)?|baby|aunt|uncle|cousin|grand\w+|family|boss|manager|colleague|co-?worker|neighbou?r|landlord|doctor|dentist|therapist|teacher|friend|dog|cat|home|house|address|salary|income|diagnosis|illness|medication|health|diet|allerg\w+|age|phone|number|birthday|e-?mail|password|passport)\b"
    r"|\b(?:I|he|she|the user|user|customer|client|patient)(?:'m| am|'s| is| was| has| had| have| prefers?| likes?| dislikes?| loves?| hates?| lives?| works?| suffers?| takes?| earns?| called| named)\b(?! (?:asked|offline|online|logged|not|to|been|given|required|missing|waiting|typed|clicked|chosen|seen|logged)\b)"
    r"|\b(?:grandma|grandpa|grandmother|grandfather|granny|mom|mum|dad|wife|husband|girlfriend|boyfriend)\b"
    r"|\b(?:diabet\w+|pregnan\w+|cancer|depress(?:ion|ed)|asthma\w*|vegetarian|vegan|allergic|divorc\w+|HIV)\b"
    r"|我(?:的|是|叫|在|家|们家|有|爱|喜欢|不喜欢|讨厌|对|住)|(?:我|他|她|用户|客户|病人|顾客)(?:的)?(?:妈妈?|母亲|爸爸?|父亲|老婆|妻子|太太|老公|丈夫|先生|儿子|女儿|孩子|姐姐?|妹妹?|哥哥?|弟弟?|奶奶|爷爷|外婆|外公|家人|家里|老板|领导|同事|朋友|邻居|房东|医生|老师|男友|女友|男朋友|女朋友|狗|猫|家|住址|地址|电话|手机|邮箱|生日|工资|收入|病|身份证)"
    r"|(?:用户|客户|病人|顾客|他|她)(?:叫|姓|是|住|喜欢|不喜欢|讨厌|爱|不吃|对|患|怀孕|有|在|偏好|习惯|今年)|外婆|外公|奶奶|爷爷|姥姥|姥爷|妈妈|爸爸|老婆|老公|过敏|糖尿病|高血压|抑郁|怀孕|吃素|素食者|离婚|癌症",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Madam|Aunt|Uncle|Herr|Frau|Señora?|Mme)\.? [A-Z][\w'-]+"
    r"|(?:[\u4e00-\u9fff]{1,2})(?:先生|女士|小姐|太太|老师|医生|大夫|教授|师傅|阿姨|叔叔|经理|总监|主任|律师|同学)"
)
_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常"
_NAMED_ZH = re.compile(
    rf"(?:收件人|联系人|负责人)(?:[写填是为:：])?[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|(?:提醒|通知|叮嘱)(?!用户|对方|大家|所有|每个|管理)[\u4e00-\u9fff]{{2,3}}(?=带|来|去|吃|回|接)|"
    rf"[{_SURNAMES}]总(?=[的不要说在也让，。]|$)|的[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}(?=处理|负责|审批|确认|签字|回复)|小[\u4e00-\u9fff](?=的(?:家|妈|爸|生日|手机|电话|邮箱|老师|课))|"
    rf"(?:问|找|给|跟|和|联系|通知|告诉|发给|抄送|转给|叫做?|姓名[是为:：]?|请|让|由|替|帮|约)(?:[小老阿][{_SURNAMES}]|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}})(?=[的发审确签说要看批先再来去开接帮给核查写做办负复填交送取打拿参处提，。、；！？\s]|$)"
    r"|(?:欧阳|上官|司马|诸葛|皇甫|司徒|夏侯|慕容|尉迟|公孙)[\u4e00-\u9fff]{1,2}"
    rf"|(?<![\u4e00-\u9fff])[小老阿][{_SURNAMES}](?=[的说要喜爱不会是在]|$|[，。])"
    rf"|^[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}(?=(?:喜欢|不喜欢|负责|要求|说|总是|每次|住|会|的(?:审批|日程|邮箱|电话|会议|报告)))"
)
# Given names that are common in English and, spelled in Latin letters, in Chinese and some other languages.
_GIVEN = frozenset(["aaron", "abby", "adam", "adrian", "aisha", "alan", "alex", "alexander", "alexandra", "alice", "alicia", "amanda", "amelia", "amir", "amy", "ana", "andrea", "andrew", "angela", "anita", "ann", "anna", "anne", "anthony", "antonio", "arthur", "ashley", "barbara", "ben", "benjamin", "bob", "brenda", "brian", "bruce", "carl", "carla", "carlos", "carol", "caroline", "catherine", "charles", "charlie", "charlotte", "chloe", "chris", "christian", "christina", "christopher", "claire", "clara", "cynthia", "daisy", "dan", "daniel", "daniela", "david", "deborah", "denise", "dennis", "diana", "diane", "diego", "donald", "donna", "doris", "dorothy", "douglas", "dylan", "edward", "elena", "eli", "elizabeth", "ella", "ellen", "emily", "emma", "eric", "erica", "ethan", "eva", "evelyn", "fatima", "felix", "fiona", "frances", "francis", "frank", "fred", "gabriel", "gary", "george", "gloria", "greg", "gregory", "hannah", "harold", "harry", "hassan", "heather", "helen", "henry", "hiroshi", "hugo", "ian", "ibrahim", "irene", "isabel", "isabella", "ivan", "jack", "jacob", "james", "jane", "janet", "janice", "jason", "jean", "jeff", "jeffrey", "jennifer", "jenny", "jeremy", "jessica", "jill", "jim", "joan", "joe", "john", "jonathan", "jordan", "jorge", "jose", "joseph", "joshua", "juan", "judith", "judy", "julia", "julian", "julie", "karen", "karl", "kate", "katherine", "kathleen", "kathryn", "keith", "kelly", "ken", "kenji", "kenneth", "kevin", "kim", "kyle", "larry", "laura", "lauren", "leah", "leo", "leon", "linda", "lisa", "liz", "lucas", "lucia", "lucy", "luis", "luke", "lynn", "maggie", "marco", "margaret", "maria", "marie", "marilyn", "mark", "marta", "martha", "martin", "mary", "matt", "matteo", "matthew", "megan", "mei", "melissa", "mia", "michael", "michelle", "miguel", "mike", "mohammed", "molly", "monica", "nancy", "natalie", "nathan", "nicholas", "nick", "nicole", "nina", "noah", "nora", "olga", "oliver", "olivia", "omar", "oscar", "pamela", "patricia", "patrick", "paul", "paula", "pedro", "peter", "philip", "priya", "rachel", "rajesh", "ralph", "raymond", "rebecca", "richard", "rita", "rob", "robert", "roger", "ronald", "rosa", "rose", "roy", "russell", "ruth", "ryan", "sally", "sam", "samantha", "samuel", "sandra", "sara", "sarah", "scott", "sean", "sergei", "sharon", "sofia", "sophia", "sophie", "stephanie", "stephen", "steve", "steven", "stuart", "susan", "sven", "teresa", "terry", "theresa", "thomas", "tim", "timothy", "tina", "tom", "tony", "tyler", "vanessa", "victor", "victoria", "vincent", "walter", "wei", "wendy", "william", "xiaoming", "yan", "yuki", "yusuf", "zoe"])  # fmt: skip
_ALSO_WORDS = frozenset(
    [
        "mark",
        "rose",
        "will",
        "grant",
        "frank",
        "jack",
        "art",
        "may",
        "bill",
        "sue",
        "pat",
        "jean",
        "dan",
        "ray",
        "ken",
        "mia",
        "hugo",
        "jordan",
        "felix",
        "jasmine",
        "oscar",
        "kim",
    ]
)
_WORD = re.compile(r"[A-Za-zÀ-ÿ][\w'-]*")
_ROLE_WORDS = re.compile(
    r"\b(?:ask|tell|email|e-mail|call|ping|message|contact|notify|cc|for|from|to|with|by|and|meet)$",
    re.IGNORECASE,
)
# Where only a person's name stands with a capital: after these words, and before these.
_ADDRESSED = re.compile(
    r"\b(?i:ask|tell|ping|remind|notify|cc|phone|meet|thank|consult|(?:forward|hand|assign|report|escalate|talk|speak|write|belongs?|give|send|deliver)\b[^.!?\n]{0,40}? to)\s+([A-ZÀ-Þ][a-zà-ÿ][\w-]*)"
    r"|\b([A-ZÀ-Þ][a-zà-ÿ][\w-]*)(?: (?:approves|answers|prefers|likes|dislikes|hates|loves|lives|wants|knows|thinks|feels|hopes|said|asked|signs|replies|decides|insists|(?:is|was) (?:ill|sick|away|busy|on (?:holiday|leave|vacation)))\b|['’]s\b)",
)
_CAPITALISED = """
    accept acrobat africa airtable alipay all always amazon america android angular another any apple april
    arabic asana asia ask august australia authorization azure baidu base base64 basecamp bash bing bitbucket
    bluetooth both brazil britain calendar canada celsius china chinese chrome cloudflare confluence contacts
    content cookie csv cyrillic debian discord django do docker docs drive dropbox dutch each edge emacs
    english error europe everybody everyone excel explorer facebook fahrenheit false fedora figma finder
    firefox flask forms france french friday german germany git github gitlab gmail go google greek greenwich
    gregorian gzip he here hindi host how hubspot illustrator india instagram internet ios it italian italy
    january japan japanese java javascript jenkins jira json july june jupyter keep kelvin keynote korean
    kotlin kubernetes latin let linear linkedin linux location mac macos mailchimp maps march markdown
    mastercard may mexico microsoft miro monday month mysql netflix never new no nobody node none not note
    notion november null numbers numpy october one only oracle origin other outlook pages pandas paypal perl
    photos photoshop pinterest polish portuguese postgres powerpoint powershell preview python react reddit
    redis referer retry roman ruby rule russian rust safari salesforce saturday scala sendgrid september she
    sheets shell shopify signal skype slack someone spain spanish spotify sqlite step stripe sunday svelte
    swedish swift taobao tar tasks teams telegram terminal that there they thursday tiktok today toml tomorrow
    translate trello true tsv tuesday turkish twilio twitter typescript ubuntu unicode use user utf vim vimeo
    visa vue warning we web webex webpack wechat wednesday week what whatsapp when where who wikipedia windows word
    wordpress xml yaml year yes yesterday you youtube zapier zip zoom
"""
_NO_PERSONS = frozenset(_CAPITALISED.split())
# A capital inside a sentence begins a name, unless it is one of things.
_INSIDE = re.compile(r"(?<=[^\W_]|[,;)]) ([A-ZÀ-Þ][a-zà-ÿ]+)\b(?![-.]\w| as (?:read|unread|done|spam))")
_LEAST_KNOWN = 2  # characters of a known value; a shorter one stands in too many words


def personal_kinds(text: str, known: Iterable[str] = ()) -> list[str]:
    """What in the text is about a person, as kinds: "secret", "email", "phone", "password", "handle", "account",
    "address", "birthday", "person", "name", "known" (a name or contact of somebody in `known`). Empty if nothing is."""
    found = [kind for kind, pattern in _CONTACTS if pattern.search(text)]
    if secret_spans(text):
        found.append("secret")
    if _ABOUT_A_PERSON.search(text):
        found.append("person")
    if _TITLED.search(text) or _NAMED_ZH.search(text) or _holds_given_name(text) or _is_addressed(text):
        found.append("name")
    if any(_holds(text, value) for value in known):
        found.append("known")
    return found


def _holds_given_name(text: str) -> bool:
    """A capitalised given name. One that is also a word, or a product's name, counts only where a person
    would stand: after “ask”, “with” and the like, or before a surname."""
    words = list(_WORD.finditer(text))
    for number, word in enumerate(words):
        said = word.group().split("'")[0]
        if said.lower() not in _GIVEN or not said[0].isupper() or said.isupper():
            continue
        if said.lower() not in _ALSO_WORDS or _ROLE_WORDS.search(text[: word.start()].rstrip()):
            return True
        after = words[number + 1].group() if number + 1 < len(words) else ""
        if after[:1].isupper() and number:
            return True
    return False


def _is_addressed(text: str) -> bool:
    names = [first or second for first, second in _ADDRESSED.findall(text)] + _INSIDE.findall(text)
    return any(name.lower() not in _NO_PERSONS for name in names)


def _holds(text: str, value: str) -> bool:
    """Whether a known name or contact stands in the text, as a whole word or, in Chinese, anywhere; a number
    in whatever grouping; a name of several words also by one of them."""
    folded, wanted = normalize(text), normalize(value).strip()
    digits = re.sub(r"\D", "", wanted)
    if len(digits) >= 7 and len(digits) >= len(wanted) / 2:
        return digits in re.sub(r"\D", "", folded)
    if "@" in wanted:
        return wanted in folded
    parts = [wanted, *(part for part in wanted.split() if len(part) > 2 and part.isalpha())]
    return any(_stands_in(part, folded) for part in parts if len(part) >= _LEAST_KNOWN and not part.isdigit())


def _stands_in(wanted: str, folded: str) -> bool:
    if has_cjk(wanted):
        return wanted in folded
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded) is not None
