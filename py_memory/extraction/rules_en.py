"""English rules: what a clause says about its speaker.

Every rule fits a clause from its first word, so that “nobody thinks I'm …” says nothing about the user.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .clauses import Clause, Found, slug
from .reading import Reading

__all__ = ["read"]

_OPENERS = re.compile(
    r"^(?:(?:hi|hello|hey|there|well|so|and|but|also|actually|ok|okay|yes|yeah|yep|no|btw|by the way|fyi|oh|plus|now|because"
    r"|since|as you know|just so you know|to be clear|honestly|that|please note|note)\b[ ,!]*)+(?=\S)",
    re.IGNORECASE,
)
_NAME = r"(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2}|[\u3400-\u9fff]{1,4})"
_PLACE = r"(?-i:[A-Z\u3400-\u9fff])[\w' ,.-]*?"
_I_AM = r"(?:I'm|I am|Im)"
_NOT_NAMES = frozenset(
    [
        "Sorry",
        "Happy",
        "Sad",
        "Tired",
        "Fine",
        "Good",
        "Great",
        "OK",
        "Ok",
        "Okay",
        "Here",
        "Back",
        "Not",
        "Sure",
        "Just",
        "Very",
        "So",
        "Really",
        "Also",
        "Going",
        "Still",
        "Now",
        "Done",
        "Ready",
        "Afraid",
        "Busy",
        "Home",
        "IT",
        "HR",
        "QA",
        "CEO",
        "CTO",
        "Chinese",
        "English",
        "American",
        "British",
        "French",
        "German",
        "Japanese",
        "Korean",
        "Indian",
        "Canadian",
        "Australian",
        "Spanish",
        "Italian",
        "Russian",
        "Dutch",
        "Irish",
        "Scottish",
        "Swedish",
        "Swiss",
        "Turkish",
        "Polish",
        "Greek",
        "Brazilian",
        "Mexican",
        "European",
        "Asian",
        "African",
        "Christian",
        "Muslim",
        "Jewish",
        "Buddhist",
        "Hindu",
        "Catholic",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "January",
        "February",
        "March",
        "April",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
)
_RELATIVES = {
    **{word: word for word in ["daughter", "son", "wife", "husband", "partner", "spouse", "girlfriend", "boyfriend", "sister", "brother"]},
    **{word: word for word in ["aunt", "uncle", "cousin", "niece", "nephew", "grandmother", "grandfather", "mother", "father"]},
    "mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather",
    "fiancé": "fiance", "fiancée": "fiance", "fiance": "fiance", "fiancee": "fiance",
}  # fmt: skip
_PETS = {
    word: word for word in ["dog", "cat", "parrot", "rabbit", "hamster", "horse", "puppy", "kitten", "turtle"]
}
_WHO = (
    r"(?:(?P<kind>older|younger|elder|little|big|eldest|oldest|youngest|twin)[ -])?"
    rf"(?P<who>{'|'.join((*_RELATIVES, *_PETS))})"
)
_YEARS = r"(?:(?P<age>\d{1,3})(?:[ -]?(?:years?|yrs?)[ -]?old|[ -]?y/?o)?|(?P<months>\d{1,2} (?:months?|weeks?) old))"

_DIET = (
    r"vegetarian|vegan|pescatarian|pescetarian|flexitarian|lacto-vegetarian|ovo-vegetarian|gluten[- ]free|dairy[- ]free"
    r"|lactose[- ]free|halal|kosher|keto|plant[- ]based"
)
_SINCE = r"(?: now| too| as well| these days| by the way| since [\w ]{2,20}| for \d+ \w+| for years)?"
_JOBS = (
    r"\w*(?:engineer|teacher|developer|programmer|designer|lawyer|writer|manager|researcher|driver|farmer|baker|photographer"
    r"|plumber|carpenter|lecturer|officer|worker|doctor|professor|actor|author|editor|translator|director|analyst|scientist"
    r"|artist|journalist|dentist|therapist|pharmacist|psychologist|biologist|chemist|physicist|economist|musician|technician"
    r"|electrician|librarian|physician|politician|accountant|assistant|consultant|student|nurse|chef|pilot|architect|surgeon"
    r"|mechanic|paramedic|firefighter|freelancer|entrepreneur|veterinarian|vet|clerk|cashier|barista|waiter|waitress|soldier)"
)
_END_OF_THING = re.compile(
    r"\s+(?:too|a lot|very much|so much|as well|the most|most of all|best|by the way|though|these days|at all)$",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"\b(?:them|this|these|those|that|his|her|him|their|your)\b|"
    r"^(?:you|it|that|this|him|her|them|these|those|me|how|when|what|where|why|who|whether|if|your|to be|to know|to say|to think"
    r"|to ask|to see (?:you|that)|being here|here|there|anything|nothing|everything|much|enough|at|out|to)\b$"
    r"|^(?:you|it|that|this|him|them|these|those|how|when|what|where|why|who|whether|if|your|to be|to know|to say|to ask)\b"
    r"|^the (?:idea|way|plan|first|second|third|last|other|new one|one|sound|look|answer|result|version|option|suggestion)\b",
    re.IGNORECASE,
)

_ADVERBS = r"(?:(?:really|also|just|absolutely|truly|always|still|particularly|especially|do|generally|usually|personally|mostly|both) )*"
_STRONG = r"(?:(?:severely|very|really|also|badly|highly|deathly|extremely) )*"


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{pattern}$", re.IGNORECASE)


# Said after “I'm”, and after a comma behind it: (pattern with the value `v`, key, confidence).
_COMPLEMENTS = (
    (_rule(rf"(?:(?:a|an|also|now|actually|both|currently|lifelong|strict) )*(?P<v>(?:(?:strictly|mostly|mainly|fully) )?(?:{_DIET})){_SINCE}"), "user::diet"),
    (_rule(r"(?:also |now |currently )?on an? (?P<v>[\w-]+(?: [\w-]+)? diet)"), "user::diet"),
    (_rule(r"(?:also )?(?P<v>(?:lactose|gluten|fructose|histamine)[- ]intolerant|a? ?c(?:o)?eliac)"), "user::allergy"),
    (_rule(r"(?P<v>diabetic|pregnant|colou?r[- ]?blind|left[- ]handed|retired)"), "user::condition"),
    (_rule(r"(?P<v>\d{1,3})(?: years? old| yrs? old| y/?o)?"), "user::age"),
    (_rule(rf"(?:originally |also )?from (?P<v>{_PLACE})"), "user::hometown"),
    (_rule(rf"(?:currently |now )?(?:living|based|located) in (?P<v>{_PLACE})(?: now| at the moment)?"), "user::home"),
    (_rule(rf"(?:currently |now )?(?:an?|the) (?P<v>(?:[\w-]+ ){{0,3}}{_JOBS})(?: (?:at|for|in|from|with|by) [\w &'.-]+)?"), "user::job"),
    (_rule(r"(?:currently |now )?working (?:at|for) (?P<v>[\w&'. -]+)"), "user::work"),
    (_rule(rf"(?:happily )?married to (?P<v>{_NAME})"), "user::family::spouse"),
)  # fmt: skip

# Whole clauses.
_RULES = (
    (_rule(r"my (?:full |first )?name(?: is|'s) (?P<v>(?!not\b|too\b)[\w'-]+(?: (?-i:[A-Z])[\w'-]*){0,2})"), "user::name"),
    (_rule(rf"(?:you can |please |just |everyone can )*call me (?P<v>{_NAME})"), "user::name"),
    (_rule(r"my age is (?P<v>\d{1,3})"), "user::age"),
    (_rule(rf"I (?:only |always )?(?:eat|keep) (?:only )?(?P<v>{_DIET})(?: food| only| diet)?"), "user::diet"),
    (_rule(rf"I(?:'ve| have) been (?:an? )?(?P<v>{_DIET}){_SINCE}"), "user::diet"),
    (_rule(r"I have an? (?:\w+ly |bad |severe )?(?P<v>[\w-]+(?: [\w-]+)?) allergy"), "user::allergy"),
    (_rule(rf"I (?:currently |now |still )?live in (?P<v>{_PLACE})(?: (?:now|with|since|at the moment|these days)\b.*)?"), "user::home"),
    (_rule(rf"I(?:'ve| have)? (?:just |recently )*moved to (?P<v>{_PLACE})(?: (?:now|with|last|this|in|recently|from|for)\b.*)?"), "user::home"),
    (_rule(rf"I (?:originally )?come from (?P<v>{_PLACE})"), "user::hometown"),
    (_rule(r"I was born in (?P<v>(?-i:[A-Z\u3400-\u9fff])[^\d]*)"), "user::hometown"),
    (_rule(r"I was born (?:on|in) (?P<v>(?:the )?[\w ,]*\d[\w ,]*)"), "user::birthday"),
    (_rule(r"my (?:birthday|date of birth) is (?:on )?(?P<v>[\w ,./-]+)"), "user::birthday"),
    (_rule(r"my address is (?P<v>[\w ,.'#/-]+)"), "user::address"),
    (_rule(r"I (?:currently |now |still )?work (?:at|for) (?P<v>(?!home\b|night)[\w&'. -]+?)(?: as an? .+)?"), "user::work"),
    (_rule(r"I (?:currently |now |still )?work (?:at .+ |for .+ )?as (?:an? |the )?(?P<v>[\w&' -]+)"), "user::job"),
    (_rule(r"my (?:job|occupation|profession) is (?:being )?(?:an? )?(?P<v>[\w&' -]+)"), "user::job"),
    (_rule(r"I (?:currently )?(?:study|major in) (?P<v>[\w&' -]+)"), "user::studies"),
    (_rule(r"(?:I|we) (?:(?:always|usually|will|only|prefer to|would rather|mostly) |'ll )*(?:answer|reply|respond|write|speak|talk)(?: to you)? in (?P<v>(?-i:[A-Z])\w+)"), "user::language"),
    (_rule(r"(?:please |always |from now on )*(?:answer|reply|respond|speak|talk|write)(?: to)?(?: me)?(?: back)?(?: only| always)? in (?P<v>(?-i:[A-Z])\w+)(?: please| from now on| only)*"), "user::language"),
    (_rule(r"I (?:also |can )?speak (?P<v>(?-i:[A-Z])\w+(?:(?:, | and )(?-i:[A-Z])\w+)*)"), "user::speaks"),
    (_rule(r"my e-?mail(?: address)?(?: is|'s)? (?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)"), "user::contact::email"),
    (_rule(r"my (?:phone|mobile|cell)(?: phone)?(?: number)?(?: is|'s)? (?P<v>\+?\d[\d .-]{5,18}\d)"), "user::contact::phone"),
    (_rule(r"(?:I|we)(?:'ve| have)? (?:finally |just )?decided (?:to|on|that) (?P<v>.{3,80})"), "user::decision"),
    (_rule(r"I(?:'ve| have)(?: got)? an? (?P<v>(?:[\w-]+ ){0,3}(?:appointment|meeting|interview|exam)\b.{0,50})"), "user::event"),
)  # fmt: skip

_BARE_VERB = re.compile(
    r"(?:also |now |really )*(?:am|work|live|love|hate|enjoy|study|speak|eat|don't|can't)\b", re.IGNORECASE
)
_I_AM_X = re.compile(rf"{_I_AM} (?P<rest>.+)$", re.IGNORECASE)
_ALLERGIC = _rule(rf"{_STRONG}allergic to (?P<v>.+)")
_NO_ITEM = re.compile(
    rf"^(?:I|he|she|it|they|we|you|my|his|her|their|please|thanks?)\b|\b(?:{_DIET}|is|are|was)\b",
    re.IGNORECASE,
)
_FAN = _rule(r"(?:an? |also )(?:big |huge |great |massive )*fan of (?P<v>.+)")
_LIKES = _rule(rf"I {_ADVERBS}(?:like|love|enjoy|adore|prefer) (?P<v>.+)")
_DISLIKES = _rule(
    rf"I {_ADVERBS}(?:hate|dislike|detest|loathe|can't stand|cannot stand|(?:don't|do not) {_ADVERBS}(?:like|enjoy|care for)) (?P<v>.+)"
)
_NEVER_EATS = _rule(
    rf"I {_ADVERBS}(?P<v>(?:don't|do not|never|can't|cannot|avoid)(?: (?:eat|drink|have|eating|drinking))? (?P<what>[\w' -]+))"
)
_EATS = re.compile(r"\b(?:eat|drink|eating|drinking|avoid)\b", re.IGNORECASE)
_FAVOURITE = _rule(r"my (?:all-time )?favou?rite (?P<what>[\w-]+(?: [\w-]+)?) (?:is|are) (?P<v>.+)")

_MY = re.compile(rf"(?:my|our) {_WHO}\b(?P<rest>.*)$", re.IGNORECASE)
_HAVE = re.compile(
    rf"(?:I|we)(?:'ve| have)(?: got)? (?:an?|one) (?:(?P<old>\d{{1,3}})[ -]years?[ -]old )?{_WHO}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"^(?:'s (?:first )?name(?: is|'s)|,? (?:who )?(?:is|'s) (?:called|named)|,? (?:called|named)| is|,)? +(?P<v>{_NAME})(?P<rest>,?(?: .*)?)$",
    re.IGNORECASE,
)
# After “my daughter”: “Mei”, “is 6”, “her name is Mei”, “She's called Mei”.
_GOES_ON = re.compile(
    r"(?:her|his|its|their)(?= name)(?P<own> name(?: is|'s) .+)|(?:(?:and )?(?:who|he|she|it) ?)?(?P<rest>(?:is|'s|likes|loves|named|called) .+)"
    r"|(?P<bare>(?-i:[A-Z])[\w'-]*)$",
    re.IGNORECASE,
)
_AGED = re.compile(
    rf"^,?(?: (?:who|he|she))?(?:'s| is| just turned| turned| has turned| will soon be|,)* +(?:now |already |just |only )?{_YEARS}$",
    re.IGNORECASE,
)
_PERSON_IS = re.compile(r"^,? (?:(?:who|he|she) )?(?:is|'s) (?P<v>.+)$", re.IGNORECASE)
_PERSON_LIKES = re.compile(
    r"^,? (?:(?:who|he|she) )?(?:really )?(?:likes|loves|enjoys) (?P<v>.+)$", re.IGNORECASE
)


def read(clause: Clause, reading: Reading) -> Iterator[Found]:
    """What one clause says. `reading` knows what came before it in the message."""
    opener = _OPENERS.match(clause.text)
    skipped = opener.end() if opener else 0
    said = Clause(clause.text[skipped:], clause.start + skipped)
    found = _family(said, reading)
    if found is None:
        found = _about_me(said, reading) or _continued(said, reading)
    if not found and re.match(r"(?:he|she|they|it|you|my|the|his|her)\b", said.text, re.IGNORECASE):
        reading.speaker = ""
    yield from found


def _about_me(clause: Clause, reading: Reading) -> list[Found]:
    text = clause.text
    if reading.speaker and _BARE_VERB.match(text):
        text = f"I {text}"
    if match := _I_AM_X.match(text):
        reading.enter("am")
        return _complements(match["rest"], clause, reading, may_name=True)
    if not re.match(
        r"(?:I|we|my|please|you can|call|just|answer|reply|respond|everyone|always|from now|speak|talk|write)\b",
        text,
        re.IGNORECASE,
    ):
        return []
    reading.enter("do" if re.match(r"(?:I|we)\b", text, re.IGNORECASE) else "")
    out = [
        Found(key, match["v"].strip(" ,."), clause.start, clause.end)
        for pattern, key in _RULES
        if (match := pattern.match(text))
    ]
    if out:
        return out
    if match := _FAVOURITE.match(text):
        return [Found(f"user::favorite::{slug(match['what'])}", match["v"], clause.start, clause.end)]
    if (match := _NEVER_EATS.match(text)) and _EATS.search(match["v"]) and _is_thing(match["what"]):
        return [Found(f"user::diet::{slug(match['what'])}", match["v"], clause.start, clause.end)]
    for pattern, key in ((_LIKES, "user::likes"), (_DISLIKES, "user::dislikes")):
        if match := pattern.match(text):
            return _things(match["v"], key, clause, reading)
    return []


def _complements(rest: str, clause: Clause, reading: Reading, *, may_name: bool) -> list[Found]:
    """What “I'm” is followed by: a name, a diet, an age, a place, a job."""
    if match := _ALLERGIC.match(rest):
        return _things(match["v"], "user::allergy", clause, reading)
    if match := _FAN.match(rest):
        return _things(match["v"], "user::likes", clause, reading)
    out: list[Found] = []
    named = re.match(rf"(?P<v>{_NAME})(?: (?P<rest>from .+)| and (?P<more>.+))?$", rest)
    if may_name and named and named["v"].split()[0] not in _NOT_NAMES and not named["v"].endswith("'s"):
        out.append(Found("user::name", named["v"], clause.start, clause.end))
        rest = named["rest"] or named["more"] or ""
    for part in re.split(r" and (?:also )?", rest):
        for pattern, key in _COMPLEMENTS:
            if match := pattern.match(part.strip()):
                if key == "user::age" and not 3 <= int(match["v"]) <= 120:
                    continue
                out.append(Found(key, match["v"].strip(" ,."), clause.start, clause.end))
                break
    return out


def _continued(clause: Clause, reading: Reading) -> list[Found]:
    """A clause without a subject goes on with the list or with the “I'm” before it."""
    text = clause.text
    if reading.list_key and not _NO_ITEM.search(text):
        items = [item for item in re.split(r"^(?:and|or) | (?:and|or) ", text) if item]
        if all(len(item.split()) <= 3 and _is_thing(item) for item in items):
            return [Found(reading.list_key, item, reading.list_start, clause.end) for item in items]
    if reading.person and (match := re.fullmatch(_YEARS, text, re.IGNORECASE)):
        return [
            Found(f"{reading.person}::age", match["age"] or match["months"], reading.person_start, clause.end)
        ]
    if reading.speaker == "am":
        return _complements(text, clause, reading, may_name=False)
    return []


def _family(clause: Clause, reading: Reading) -> list[Found] | None:
    """None if the clause is about no relative or pet."""
    match = _MY.match(clause.text) or _HAVE.match(clause.text)
    if match:
        word = match["who"].lower()
        kind = f"{match['kind'].lower()}-" if match["kind"] else ""
        key = f"user::pet::{word}" if word in _PETS else f"user::family::{kind}{_RELATIVES[word]}"
        reading.enter_person(key, clause.start)
        out = []
        if match.re is _HAVE and match["old"]:
            out.append(Found(f"{key}::age", match["old"], clause.start, clause.end))
        out += _about_person(match["rest"], key, clause)
        reading.person_named = any(found.key == key for found in out)
        return out
    if not reading.person or not (match := _GOES_ON.match(clause.text)):
        return None
    if match["bare"] and (reading.person_named or match["bare"] in _NOT_NAMES):
        return None
    rest = f"'s{match['own']}" if match["own"] else match["rest"] or f"named {match['bare']}"
    found = _about_person(rest if rest.startswith("'") else f" {rest}", reading.person, clause)
    reading.person_named |= any(item.key == reading.person for item in found)
    return [Found(item.key, item.value, reading.person_start, item.end) for item in found]


def _about_person(rest: str, key: str, clause: Clause) -> list[Found]:
    """What follows “my daughter”: her name, then her age, diet, allergy or likes."""
    out: list[Found] = []
    named = _NAMED.match(rest)
    if named and named["v"].split()[0] not in _NOT_NAMES:
        out.append(Found(key, named["v"], clause.start, clause.end))
        rest = named["rest"]
    if match := _AGED.match(rest):
        out.append(Found(f"{key}::age", match["age"] or match["months"], clause.start, clause.end))
    elif match := _PERSON_IS.match(rest):
        said = match["v"]
        if allergic := _ALLERGIC.match(said):
            out.append(Found(f"{key}::allergy", allergic["v"], clause.start, clause.end))
        elif (diet := _COMPLEMENTS[0][0].match(said)) is not None:
            out.append(Found(f"{key}::diet", diet["v"], clause.start, clause.end))
    elif (match := _PERSON_LIKES.match(rest)) and _is_thing(match["v"]):
        out.append(Found(f"{key}::likes", match["v"], clause.start, clause.end))
    return out


def _things(said: str, key: str, clause: Clause, reading: Reading) -> list[Found]:
    """What is liked or not tolerated; further items may follow behind commas."""
    said = _END_OF_THING.sub("", said.strip())
    parts = re.split(r" (?:and|or) ", said) if key == "user::allergy" else [said]
    out = [Found(key, part.strip(), clause.start, clause.end) for part in parts if _is_thing(part)]
    if out:
        reading.enter_list(key, clause.start)
    return out


def _is_thing(said: str) -> bool:
    return 0 < len(said.split()) <= 8 and not _NO_THING.search(said.strip())
