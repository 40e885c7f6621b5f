"""Appointments in English: an event and the words for its day, in a clause that states it."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .lexicon_en import EVENTS, WHEN
from .values_en import tidy

__all__ = ["errand_in", "event_in", "todo_in"]

_EVENT = re.compile(rf"\b(?:{EVENTS})\b(?! (?:person|lover|fan|season|report|day))", re.IGNORECASE)
_WHEN = re.compile(WHEN, re.IGNORECASE)
_LEAD = re.compile(
    rf"(?:(?:(?:on |next |this )?\w+ (?:morning |afternoon |evening |night )?|{WHEN},? )(?=(?:I|we|there|my|our|it)\b))?"
    r"(?P<lead>(?:I|we)(?:'ve| have)(?: got)?(?: to (?:go to|see|attend|be at|take))? |(?:I|we) (?:got|see|meet|booked|made|scheduled|fly|leave|need to be at|am|are) |(?:I'm|I am|we're|we are) (?:(?=leaving|heading|moving|travell?ing|driving|getting married|graduating)|seeing|meeting|going to|having|visiting|attending|flying|getting|taking|in for|booked in for|"
    r"due at|off to|hosting|throwing|booked in for|booked for|at|scheduled for|catching|going in for) |there's |there is |got |have |seeing |having |flying |going to |it's |)",
    re.IGNORECASE,
)
_NO_LEAD = re.compile(
    r"(?:'s no|there's no|there is no|there isn't|no|he|she|they(?! moved)|you|your|his|her|their|book|plan|move|find|write|prepare|schedule|cancel|add|set|create|make|draft|organi[sz]e|reschedule|suggest|give|help|show|tell|send|what|when|where|which|how|who|is|are|do|does|can|could|should|will|would|let's|please|if|the last|last|no|not|any|every|remember|check|put|invite|never|call me"
    r"|cancelled|thanks|good|see you|happy|a friend|someone|good luck|was|were|weather|it was|don't|didn't|the (?:news|president|company|match was|film|series|new))\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?!scheduled|booked|planned|wed\b|need)[a-z]+ed\b(?! (?:for|in))|\b(?:was|were|had|yesterday|last|ago|cancell?ed|sold out|is over|is off|postponed|missed|went|didn't|don't|not|every|usually|always|never|might|maybe|would|could|if|instead of|called off|wish|hope|want|think|used to|(?:boss|friend|neighbou?r|colleague|coworker|flatmate|roommate)'s (?!wedding|party|funeral|birthday))\b",
    re.IGNORECASE,
)


_TRAVEL = re.compile(
    r"\b(?:leav(?:e|ing)|fly(?:ing)?|travel(?:l?ing)?|heading|head|off|driv(?:e|ing)|sail(?:ing)?) (?:back |out |off |home )?(?:for|to) (?-i:[A-Z])\w+|\b(?:my |our |the (?=in-?laws|kids|parents|grandparents))(?:[\w-]+ ){1,3}(?:is|are) (?:getting married|graduating|visiting|coming (?:to visit|over|to stay)|arriving|moving in|arrives|lands|gets (?:in|here))|\b(?:I'm|we're|I am|we are) (?:getting married|graduating|moving house|moving in|moving out|leaving|flying|off to|travell?ing|driving (?:up|down|over))|\b(?:booked|scheduled) (?:the|my|an?|our) [\w ]{2,20} for|\b(?:I'm|we're|I am|we are) (?:seeing|meeting|visiting|hosting) (?!you|each other|a rise|an? (?:increase|trend)|expectations|demand)[\w' ]+|\bhaving (?:my|our|the|a) [\w ]{3,24} (?:out|removed|done|fitted|fixed|taken out)|\b(?:boiler|gas|cable|tv|repair|delivery) (?:man|guy|woman|person|engineer) (?:comes|is coming)|\bthe (?:movers|plumber|electrician|cleaners?|builders?|painters?|inspector|vet|nurse|technician|landlord) (?:is|are) coming|\b(?:moving|wedding|exam|graduation|election|match|race|report|results) day",
    re.IGNORECASE,
)


_MOVED = re.compile(
    rf"(?:(?:they|we|I|the \w+|she|he)(?:'ve| have|'s| has)? )?(?:just |had to )*(?:moved|rescheduled|pushed|changed|brought forward|booked|scheduled) (?:my|our) (?P<v>(?:[\w-]+ )?(?:{EVENTS}) (?:back |forward |out )?(?:to|for|on) .+)$",
    re.IGNORECASE,
)


# What takes place for everybody is an event of the user's where they say that they are in it.
_PUBLIC = re.compile(
    r"\b(?:match|game|race|marathon|concert|gig|festival|conference|keynote|talk|panel|webinar|prom|hearing|court|demo|election)\b",
    re.IGNORECASE,
)
# “Appointments on Saturdays”, “the train on Friday is full”, but “the exam is on Friday”.
_OF_ANYBODY = re.compile(
    r"an? [\w-]+ (?:leaves|departs|arrives|starts|ends|takes|is|costs)\b|(?:[\w-]+ )?(?:appointments|flights|meetings|interviews|trains|exams|weddings|buses|classes|lessons)\b|the (?!(?:(?!train|bus|bank|film|movie|show|news|plane|shop|store|sun|moon|game|match|concert)[\w-]+ ){1,3}(?:is|are|'s) (?:on|at|in|next|this|tomorrow|tonight|today)\b)(?!(?:in-?laws|kids|parents|movers|plumber|electrician|cleaners?|builders?|painters?|inspector|vet|nurse|technician|landlord)\b)|.*\b(?:says?|said)\b",
    re.IGNORECASE,
)
_AT_AN_HOUR = re.compile(r"(?:the|an?) (?:[\w-]+ ){1,3}(?:is|leaves|starts|begins) at \d", re.IGNORECASE)
_OWN = re.compile(
    r"\b(?:I|I'm|I've|I'll|we|we're|we've|we'll|my|our|me|us|got|have|tickets?|going)\b", re.IGNORECASE
)


def _when_in(text: str) -> re.Match[str] | None:
    """The words for the day; an hour only where there are none."""
    found = list(_WHEN.finditer(text))
    return next(
        (match for match in found if not re.match(r"at\b", match.group(), re.IGNORECASE)),
        found[0] if found else None,
    )


def event_in(text: str) -> str | None:
    """An appointment with its day: “dentist appointment on Friday at 10”."""
    text = tidy(text)
    if (moved := _MOVED.match(text)) and _WHEN.search(moved["v"]):
        return tidy(moved["v"])
    if _NO_LEAD.match(text) or _OVER.search(text):
        return None
    if _AT_AN_HOUR.match(text):
        return None
    if (_PUBLIC.search(text) or _OF_ANYBODY.match(text)) and not _OWN.search(text):
        return None
    event, when = _EVENT.search(text) or _TRAVEL.search(text), _when_in(text)
    if not event or not when or len(text) > 100 or text.endswith("?"):
        return None
    if re.match(r"at\b", when.group(), re.IGNORECASE) and not re.search(
        r"\b(?:appointment|interview|meeting|flight|exam|train)\b", text
    ):
        return None
    if event.start() >= when.start() and event.end() <= when.end():
        return None
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    if begin > min(event.start(), when.start()):
        begin = 0
    if lead and not lead["lead"]:
        before = text[begin : event.start()].split()
        if event.start() > when.start():
            before = before[len(when.group().split()) :]
        if len(before) > 4 or re.match(r"(?:I|we|I'm|we're)\b", text[begin:]):
            return None
    value = re.sub(r"^(?:an?|my|our|the|another) ", "", text[begin:], flags=re.IGNORECASE)
    return tidy(re.split(r" (?:and (?:I|we|my)|but|so|because|which|wish)\b", value)[0]) or None


_ERRAND = (
    r"(?:buy|book|call|ring|phone|pay(?! (?:attention|tribute|respect|heed|the price))|renew|return(?! to)|cancel|schedule|order(?! (?:my|your|the) (?:thoughts|files|list))|send|post|mail|ship|submit|hand in|file|pick up|drop off|collect|fetch|fix|repair|clean|wash|mow|water|feed|walk the|take out|take the"
    r"|pack|register|sign up|enrol+|apply for|print|finish|refill|bring|deliver|email|text|reply to|get (?:my|the|a|an|some|our|new|milk|bread|eggs|petrol|gas|stamps)|do the (?:laundry|dishes|taxes|shopping|ironing|groceries)|do my (?:taxes|tax return|laundry|homework)|make an appointment|make a dentist|reschedule|replace|change the|charge|top up|transfer|withdraw|invite|back up|update my|sort out|vacuum|hoover|defrost|iron|sew|hang|assemble|paint the|service the|get .{2,30} (?:fixed|repaired|serviced|vaccinated|cut|done))"
)
_MUST = re.compile(
    rf"(?:I |we )?(?:(?:really|still|also|just|definitely) )*(?:need to|have to|have still to|(?:'ve|am|'m) still to|still to|have got to|(?:'ve|ve) got to|gotta|got to|must|mustn't forget to|can't forget to|have yet to|ought to)(?: (?:also|still|really|remember to|go and|go))* (?P<v>{_ERRAND}\b.*)$",
    re.IGNORECASE,
)
_MUST_FIRST = re.compile(
    r"(?:tomorrow|tonight|today|later|this (?:week|weekend|evening|afternoon)|(?:on )?\w+day)[, ]+(?=(?:I|we)\b)",
    re.IGNORECASE,
)
# That it is still open, or by when: without either it may be said of anything (“I need to buy a laptop”).
_OPEN = re.compile(
    rf"\b(?:still|yet to|forget|remember to|btw|by the way|asap|before|by (?:the end|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|noon|then|next|\d)|this (?:week|weekend|month|evening|afternoon|morning)|later|soon|at some point|on the way home|after work|tomorrow|tonight|today|next week)\b|{WHEN}",
    re.IGNORECASE,
)


_IMPERATIVE = re.compile(rf"(?:to )?{_ERRAND}\b(?!(?:'s| is| are| was)\b).*$", re.IGNORECASE)


def errand_in(text: str) -> bool:
    """Whether what is to be remembered is something to do: “buy stamps”."""
    return bool(_IMPERATIVE.match(text))


def todo_in(text: str) -> str | None:
    """An errand that the user says is to be done: “still have to hand in the form”."""
    lead = _MUST_FIRST.match(text)
    said = text[lead.end() :] if lead else text
    match = _MUST.match(re.sub(r"^I(?:'ve| have) (?=got to|yet to)", "I ", said))
    if (
        not match
        or not (lead or _OPEN.search(said))
        or re.search(
            r"\b(?:when|which|how|every|always|usually|if|it|this(?! (?:week|weekend|month|evening|afternoon|morning))|that|them|something|anything|or else)\b|\?",
            said,
        )
    ):
        return None
    value = tidy(re.sub(r",? (?:btw|by the way|asap|at some point|too|as well|though)$", "", match["v"]))
    return value if len(value.split()) > 1 and len(value) <= 100 else None
