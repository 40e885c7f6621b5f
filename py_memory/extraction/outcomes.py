"""What a stretch of conversation came to, by rules: what was decided, and what is still open.

Whole sentences, quoted as they were said. The user's words count; the assistant's only where the user agreed
to them or where they name a decision or an open point as such. A sentence too many is a smaller fault here
than one too few, so the rules are wider than those that make facts.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .clauses import Clause, sentences
from .masking import MASK, masked
from .refusals import MAX_READ, refusal
from .secrets import secret_spans

__all__ = ["MAX_SENTENCE", "Outcome", "outcomes", "quotable"]

MAX_SENTENCE = 300  # characters kept of a sentence; a longer one is cut and marked

# Words before a colon that say what follows: it is the speaker's own, not a line of somebody else's.
_LABEL_DECISION = r"decision|decided|conclusions?|approved|agreed|final(?: answer| decision)?|verdict|result|决定|结论|决议|定论|最终(?:决定|答案|方案)?"
_LABEL_OPEN = r"to-?do|action items?|next steps?|open(?: questions?| issues?| points?| items?)?|follow[- ]?up|pending|tbd|reminder|待办|待处理|待定|待确认|待解决|下一步|遗留(?:问题)?|未决(?:事项|问题)?|后续|行动项|提醒"
_OWN = re.compile(
    rf"^[ \t>*-]*(?:{_LABEL_DECISION}|{_LABEL_OPEN}|(?:[^:：\n]{{0,12}}[我咱]|\W*(?:I|we|it|my|our)\b)[^:：\n]{{0,60}})[ \t]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_LABEL = re.compile(r"^[ \t]*[^:：\n]{1,30}[:：]", re.MULTILINE)
_CLOCK = re.compile(r"(?<=\d)[:：](?=\d)")
_LABELLED_DECISION = re.compile(rf"^\W*(?:{_LABEL_DECISION})[ \t]*[,，:：]", re.IGNORECASE)
_LABELLED_OPEN = re.compile(rf"^\W*(?:{_LABEL_OPEN})[ \t]*[,，:：]", re.IGNORECASE)

_WE = r"\b(?:I|we|you|he|she|they)"
_NOT_A_CHOICE = r"have to|need|see|think|know|check|ask|find out|figure|wait|let you|look|try|talk|wonder|miss|never|probably|be (?:back|right|there|late)"
_DECIDED = re.compile(
    r"\b(?:decid(?:e|es|ed|ing)|decisions?|agreed?|settled|approved?|chose|chosen|picked|opted|concluded|voted|rejected|resolved|elected|ruled out|signed (?:with|up|off)|made up (?:my|our|his|her|their) minds?|from now on|final(?:ly)?|deal|case closed|compromised?|scrapped|dropped|abandoned|cancell?ed|postponed|adopted|accepted|declined|turned down|selected|appointed|hired|ordered|booked|bought|called off|green light|go-ahead|sign(?:ed)?[- ]?off|it will be|instead|wins?|won|takes? over|took over|makes? the (?:list|cut)|made the (?:list|cut)|keep(?:s|ing)? the|starts? (?:on|in|next|as)|starting)\b"
    rf"|\blet(?:'s|'s| us) (?!see\b|talk|look|think|say|discuss|imagine|wait|hope|start by|go over|check|find out|figure|compare|review|know|me\b)\w+"
    rf"|{_WE}(?:'ll| will|'m going to| am going to|'re going to| are going to|'s going to| is going to|'d rather) (?!{_NOT_A_CHOICE})\w+"
    rf"|{_WE} (?:won't|will not|refuse to|(?:said|say) (?:yes|no) to|gave (?:up|it|the)|prefer to|took|take (?!a look)|go with|went with|use |keep )"
    r"|\b(?:book|order|take|use|cancel|send|buy|do|make|keep|drop) (?:it|them|that one|this one)\b|^\W*(?:(?:ok(?:ay)?|please|yes|so)\W+)*(?:put|sign|book|count) me (?:down|up|in|out|for)\b|\b(?:works|suits|is fine|is better|it shall be)(?: for (?:me|us))?(?:,|;|$)"
    r"|\b(?:going|go|went|stick(?:ing)?|stay(?:ing)?) (?:with|for)\b"
    r"|\b(?:I'm|I am|we're|we are) (?!wait|look|think|try|wonder|hop|hav|argu|compar|ask|do|be|talk|work|liv|writ|read|miss|feel|tell|say|worry|hurry|go|ask)(?:not )?\w+ing\b|\b(?:I'm|I am|we're|we are) (?:not (?!sure|certain)|going (?:for|with|to (?!ask|check|see|find|look|think|need|have)))\w*"
    r"|\bthe plan (?:is|will be|now is)\b|\b(?:it is|it's)[.!]?$|^\W*(?:(?:ok|okay|so|right|fine|good)\W+)?then (?:it's|it is|I|we|the)\b|\bthen[,.!]|^[^,]{1,40} then$|, (?:not|instead of|rather than) |\bthat is (?:final|settled|decided)\b|\bthat's (?:final|settled|decided|it)\b",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"(?:n't|\bnot|\bnever|\bno|\byet to|\bun)[ ]?(?:\w+ ){0,3}(?:decid\w*|decision|agreed?|settled|approved?|chosen|resolved|sure|clear)\b"
    r"|\b(?:have|has|is|are|was|were|did|does|do)(?:n't| not)\b.*\b(?:yet|so far)\b|\bstill (?:\w+n't|not|no|to be|un\w+|open|missing|pending)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^(?:(?:and|but|so|then)\s+)?(?:if|suppose|imagine|unless|what if|maybe|perhaps)\b|\b(?:might|would have|could have)\b"
    r"|如果|要是|假如|假设|万一|也许|或许|说不定|要么",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:still|yet)\b.*\b(?:need|has? to|have|must|open|list|check|find|ask|to be|undecided|missing|pending|sign|wait|to (?!much|many)\w+)|\bhave yet to\b"
    r"|\b(?:I|we|you|he|she|they|somebody|someone|who|it|there)(?:'ll| will|'d)? (?:still )?(?:needs?|must|should|ought to|has to|have to|had better)\b"
    r"|\b(?:remind me|(?:don't|do not|mustn't) (?:let me |let us )?forget|to-?do|action item|next step|open (?:question|issue|point)|follow(?:ing)?[- ]?up|later on)\b"
    r"|\b(?:unclear|undecided|unresolved|unanswered|unknown|unfinished|pending|outstanding|missing|overdue|tbd|remains?|up in the air|not sure|don't know|do not know|no idea|wonder(?:ing)?|not written|not sent)\b"
    r"|\bneeds? \w+ing\b|\b(?:TBA|TBC|we'll see|we will see|who knows|anybody's guess|anyone's guess|no (?:clue|reply|answer|news|word|response)|torn|hesitat\w+|debating|can't (?:find|decide|tell|say|remember)|cannot (?:find|decide|tell|say)|owes?|due (?:on|by|in)|deadline|promised to|next (?:week|month) we|lost track|lacks?|nobody (?:has|knows|told)|no one (?:has|knows|told)|not there yet|in progress|on hold|stuck|blocked)\b|\bto be (?:decided|confirmed|determined|seen|done|checked|discussed)\b|\b(?:waiting|wait) (?:for|on|to hear)\b|\b(?:get|gets|getting|come|comes) back to\b"
    r"|\b(?:figure out|find out|look into|sort out|double-?check|(?:check|ask|clarify|confirm|see) (?:with|if|whether|how|when|who|what))\b",
    re.IGNORECASE,
)
_OPEN_ASKED = re.compile(
    r"\b(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone) (?:please |also |maybe )?(?:re\w+|look|check|find|ask|send|write|prepare|remind|confirm|sort|get)\b|^\W*(?:open|todo|to-do|pending)\b",
    re.IGNORECASE,
)

_DECIDED_ZH = re.compile(
    r"决定(?!不了)|敲定|选定|选了|选择了|(?:我|我们|咱们?)选|定(?:了|下来|好了|为|在|成)|就(?:用|选|去|买|订|做|走|坐|交|叫|按)|就(?:这么|这样|此)(?:办|定|做|来|说定)|那就|那(?:我|我们|咱们?)(?!怎|该|要不要|能)"
    r"|同意|通过(?!什么|哪)|批准|确定(?:了|用|是|下来)|最终|最后(?:选|定|用|还是|我们|决)|结论|一致|投票|说好了|谈妥了|拍板|想好了|签了|放弃|取消(?:了|吧|掉)|不要了|不(?:做|买|去|用|办|搬|出)了|不会.{1,12}的"
    r"|以后(?:都|就|我|再也不)|从.{1,8}(?:起|开始)|改(?:成|用|到|为|在|由|坐|去|买|租|走|订)|定的(?=[，,。]|$)|胜出|入选|保留|去掉|接手|接.{1,8}班|开始(?:学|做|用|在|去|上)|折中|作罢|算了|批(?:了|准)|绿灯|拍了板|(?:商量|谈|说|约|讲)好|不.{1,6}了$|(?:给|帮|替)我(?:报|订|买|约|取消|退|办)|只(?:有|用|买|走|做|留)|而不是|不(?:再|是.{1,8}而)|(?:唱|用|选|买|去|住|走|坐|做).{1,10}[，,]不|报名|下单|采用|录用|接受|拒绝|推迟|提前到|^那(?!么|个|些|里|边|儿|天|时|件|次|种|是|有|怎|谁)|计划(?:就)?是|打算(?!怎|如何)|按.{1,10}(?:来|办|做|报|算|走|执行)|就(?:行|好|可以)了?$|吧$|留着"
)
_UNDECIDED_ZH = re.compile(
    r"(?:没|未|没有|尚未|还没|不能|无法)(?:有)?(?:最终|完全)?(?:决定|定|敲定|选定|确定|通过|谈|想好|批)|决定不了|定不下来|有没有|要不要"
)
_OPEN_ZH = re.compile(
    r"还没|还未|尚未|尚待|没定|未定|待(?:定|办|处理|确认|解决|讨论|查|补)|未(?:决|完成|解决|回复)|悬而未决"
    r"|还(?:要|得|需|在等|不清楚|不确定|不知道|缺|差|剩|欠)|不确定|不清楚|不知道|没想好|拿不准|没着落|没有?人|需要|必须|应该|应当"
    r"|(?:^|[，,我们你他她])得(?!到|了|很|不)|要(?:问|确认|通知|查|核对|核实|等|补|提醒|安排|联系|找|先|去)|等(?:着)?.{0,8}(?:回复|结果|消息|通知|确认|答复|批)|提醒|别忘|不要忘|记得|下一步|遗留|后续|回头"
    r"|麻烦.{0,6}(?:查|看|问|找|发|改|补|确认)|帮我(?:查|问|找|确认|看看)|(?:弄|搞|问|查)(?:清楚|明白)|缺(?!点|陷|少了?不)|(?:再|会|给)(?:我|我们)?(?:们)?(?:回复|答复|联系|通知|打电话|回电)|再(?:说|看|定|议|商量|考虑)|得(?:更新|改|补|查|问|打|去|找|跟|有人|先|等|把|写|买|重)|待\w|找不到|(?:没|无)(?:有)?(?:回音|回复|消息|答复|下文|结果|动静)|说不准|说不好|纠结|犹豫|拖着|卡在|至今|看情况|截止|没说|催"
)
_OPEN_ASKED_ZH = re.compile(
    r"遗留|未决|待(?:办|定|确认|解决)|谁(?:能|来|可以|会)|麻烦|帮我(?:查|问|找|确认)|怎么办"
)

_AGREES = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|fine|agreed|absolutely|definitely|exactly|perfect|great|please(?: do)?\W*$|please do|go ahead|sounds good|good idea|let's do (?:that|it|so)|do (?:that|it)|works for me|deal"
    r"|好(?:的|啊|呀|吧|主意)?|要的|麻烦了|可以|行(?:吧|啊)?|没问题|同意|就这(?:么|样)(?:办|定|做)?|对|嗯|当然|成|没错)(?!\w*(?:吗|么|[?？]))(?=\W|$|就|那|这)",
    re.IGNORECASE,
)
_SUGGESTS = re.compile(
    r"\b(?:I (?:suggest|recommend|propose|would)|shall (?:I|we)|should (?:I|we)|do you want|would you like|how about|what about|why not|(?:you|we) (?:could|might|can)|let's|want me to)\b"
    r"|建议|推荐|要不要|要不|不如|可以|是否|我来|需要我|好吗|怎么样|行吗",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A sentence as it was said: `kind` is "decision" or "open", `turn` the number of its message."""

    kind: str
    text: str
    turn: int


def outcomes(turns: Iterable[tuple[str, str]]) -> list[Outcome]:
    """What was decided and what is open in messages of (role, text), in the order in which it was said."""
    found: dict[tuple[str, str], Outcome] = {}
    suggested: list[tuple[int, str]] = []  # by the assistant's last message
    for number, (role, text) in enumerate(turns):
        own = quotable(text)
        if role == "assistant":
            suggested = [(number, quote) for visible, quote in own if _SUGGESTS.search(visible)]
            kinds = [(kind, quote) for visible, quote in own for kind in _labelled(visible)]
        else:
            if own and suggested and _AGREES.search(own[0][0]):
                for turn, quote in suggested:
                    found.setdefault(("decision", quote), Outcome("decision", quote, turn))
            kinds = [(kind, quote) for visible, quote in own for kind in _kinds(visible)]
            suggested = []
        for kind, quote in kinds:
            found.setdefault((kind, quote), Outcome(kind, quote, number))
    return sorted(found.values(), key=lambda outcome: outcome.turn)


def quotable(text: str) -> list[tuple[str, str]]:
    """Sentences that may be quoted, each as (what is visible of it, the words themselves): nothing of a
    message that is not to be kept, none with a secret, none that is only code or somebody else's words."""
    if refusal(text) == "private":
        return []
    text = text[:MAX_READ]
    secrets = secret_spans(text)
    visible = masked(_without_own_labels(text))
    out = []
    for sentence in sentences(visible):
        words = sentence.text.replace(MASK, "").strip()
        if not any(character.isalnum() for character in words) or _overlaps(sentence, secrets):
            continue
        out.append((sentence.text, _cut(text[sentence.start : sentence.end])))
    return out


def _without_own_labels(text: str) -> str:
    """Colons that make no line somebody else's become commas. One labelled line is the speaker's heading
    (“Permit: no reply so far”); several are a conversation that was pasted."""
    text = _CLOCK.sub(".", text)
    several = len(_ANY_LABEL.findall(text)) > 1
    return (_OWN if several else _ANY_LABEL).sub(lambda label: f"{label.group()[:-1]},", text)


def _overlaps(sentence: Clause, spans: list[tuple[int, int]]) -> bool:
    return any(begin < sentence.end and sentence.start < end for begin, end in spans)


def _cut(quote: str) -> str:
    quote = " ".join(quote.split())
    return quote if len(quote) <= MAX_SENTENCE else f"{quote[: MAX_SENTENCE - 1]}…"


def _labelled(sentence: str) -> Iterator[str]:
    if _LABELLED_DECISION.search(sentence):
        yield "decision"
    if _LABELLED_OPEN.search(sentence):
        yield "open"


def _kinds(sentence: str) -> Iterator[str]:
    straight = sentence.replace("’", "'")
    body = straight.rstrip(".!?。！？…\"'”’」)） ")
    labelled = set(_labelled(straight))
    yield from labelled
    if straight.rstrip("\"'”’」)） ").endswith(("?", "？")):
        if "open" not in labelled and (_OPEN_ASKED.search(straight) or _OPEN_ASKED_ZH.search(straight)):
            yield "open"
        return
    undecided = _UNDECIDED.search(body) or _UNDECIDED_ZH.search(body)
    if not labelled and not undecided and not _SUPPOSED.search(body) and _says_decided(body):
        yield "decision"
    if "open" not in labelled and (undecided or _OPEN.search(body) or _OPEN_ZH.search(body)):
        yield "open"


def _says_decided(body: str) -> bool:
    return bool(_DECIDED.search(body) or _DECIDED_ZH.search(body))
