"""What an English clause takes for granted about the user, even where it asks or requests: “how old must my son
Tom be”, “with my nut allergy”."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import Clause, Found
from .lexicon_en import DIGIT_OR_WORD, ILLNESSES
from .people_en import GONE as _GONE
from .people_en import MANY, ONE, key_of
from .readers_en import NOT_ALLERGENS, date_in, employer_in, home_in
from .reading import Reading
from .values_en import AFTER_NAME, GIVEN_NAME, job_in, may_be_name, name_in, org_in, tidy

__all__ = ["taken_for_granted"]

_KIN = re.compile(
    rf"\b(?:my|our) {ONE},?(?: (?:is )?(?:called|named))? (?P<name>{GIVEN_NAME}(?: {GIVEN_NAME})?)(?=$|\W)",
    re.IGNORECASE,
)
_KINDRED = re.compile(
    rf"\b(?:my|our) {MANY},? (?P<names>{GIVEN_NAME}(?:(?:, (?:and )?| and | & ){GIVEN_NAME})+)", re.IGNORECASE
)
_RELATION = re.compile(
    rf"\b(?:my|our) (?:(?:best|good|old|dear|close|closest|new|oldest|lovely|dear) )*(?P<who>friend|mate|bestie|buddy|boss|manager|colleague|co-?worker|flatmate|roommate|housemate)(?:,|'s name is|'s name's| is called| is named| called| named)? (?P<name>(?:(?:Mr|Mrs|Ms|Dr)\.? )?{GIVEN_NAME}(?: {GIVEN_NAME})?)(?=$|\W)",
    re.IGNORECASE,
)
# What describes a friend or colleague, and nothing that they and the user have to do with each other.
_ONLY_OF_THEM = re.compile(
    r"(?:'s| is| was|'s been| has been) (?:(?:also|now|a bit|really|very|severely|both) )*(?:an?\b|vegan|vegetarian|allergic|from\b|\d|pregnant|diabetic|lactose|married|single|retired|based|born|living|studying|working)|(?: also| now)? (?:lives?|works?|eats?|has|speaks?|studies|loves?|likes?|hates?|owns|plays|collects|moved|comes from|doesn't|can't|never eats)\b",
    re.IGNORECASE,
)
_RELATION_ALONE = re.compile(
    r"(?:my|our) (?:(?:best|good|old|dear|close|closest|new|oldest) )*(?P<who>friend|mate|bestie|buddy|boss|manager|colleague|co-?worker|flatmate|roommate|housemate)",
    re.IGNORECASE,
)
_RELATIONS = {
    "manager": "boss",
    "mate": "friend",
    "bestie": "friend",
    "buddy": "friend",
    "coworker": "colleague",
    "co-worker": "colleague",
    "flatmate": "roommate",
    "housemate": "roommate",
}
_AGED = re.compile(
    rf"\b(?:my|our|(?:have|got|'ve got|have got) an?|and an?(?= \d+ year old$)) (?P<age>{DIGIT_OR_WORD})[ -]?(?:year[ -]?old|y/?o)s?\b(?! (?:self|laptop|car|phone|house|computer|bike|boiler|pc|mac|macbook|washing|fridge|account|code|tv|sofa|mattress|whisk\w+|wine|tree|dog|cat|son|daughter|boy|girl|system|server|app|site|database|problem|bug|contract|\w+ car))(?: {ONE})?",
    re.IGNORECASE,
)
_ALLERGY = re.compile(
    r"\b(?:my|with an?|having an?) (?:severe |bad |mild |serious |awful |stupid |terrible )*(?P<v>(?!(?:food|seasonal|new|old|skin|known|only|worst|severe|bad|mild|child|son|kid|daughter|wife|husband|partner)\b)[a-z]+(?: (?:nut|protein|pollen|dander|mite|sting|milk))?) (?:allergy|allergies|intolerance)\b",
    re.IGNORECASE,
)
_ILLNESS = re.compile(
    rf"\bmy (?:mild |severe |chronic |bad |stupid )*(?P<v>(?!anxiety|depression|OCD|insomnia|MS\b|ADD\b|cancer|autism){ILLNESSES})(?=$|\W)",
    re.IGNORECASE,
)
# “How old is my dog Rex” asks the memory for what it should know.
_REMEMBERED = re.compile(
    r"(?i:(?:and|so|but|hey|do you (?:know|remember)|can you tell me|remind me|tell me) )*(?i:how old|what|what's|who|who's|where|where's|when|when's|which|is|was|does|did|do) (?:is |was |does |did |do )?(?:my|our) (?:[\w-]+ ){1,3}?[A-Z][\w']+(?: [\w']+){0,2}$"
)
_PLACE_ASKED = re.compile(r"\b(?:in|near|around) (?P<v>[A-Z][\w' -]+)")
_FOLLOWED = re.compile(AFTER_NAME, re.IGNORECASE)
# Behind “does my cat Mochi” any verb may follow the name.
_HELPED = re.compile(
    r"\b(?:does|do|did|will|can|could|should|would|let|makes?|help|must|may|might)(?: \w+)? $", re.IGNORECASE
)
_OWN_NAME = re.compile(
    rf"\bmy (?:full |real |first )?(?:name, |(?<=with my )name )(?P<v>{GIVEN_NAME}(?: {GIVEN_NAME})*)(?=$|[,;:!.)])"
)
_OWN_PLACE = re.compile(
    r"\b(?:my|our) (?:new |little |small |tiny |own |current )*(?:flat|apartment|house|place|condo|studio|home)(?:'s| is)? in (?P<v>[A-Z].+)"
)
_CAME_TO = re.compile(
    r"\b[Ss]ince (?:(?:I|we) (?:moved|came|relocated)|moving|relocating|coming) (?:over |down |up |out |back )?to (?P<v>[A-Z].+)"
)
_OWN_JOB = re.compile(
    r"\bmy (?:new |current |day )*(?:job|work|role|position) (?:(?:as (?:an? |the )?(?P<job>.+))|(?:at|with) (?P<v>[A-Z].+))"
)
_OWN_COMPANY = re.compile(
    r"\b[Mm]y (?:company|employer|firm|startup),? (?P<v>[A-Z][\w&]+(?: [A-Z][\w&]+)*)(?=,|$)"
)
_OWN_NUMBER = re.compile(
    r"\b(?:my|me) (?:new |current |work |home )*(?:number|phone|mobile|cell|landline|on whatsapp|on signal)\b[^\d+(@]{0,24}(?P<v>\+?[(\d][\d ().-]{5,20}\d)(?!\d)",
    re.IGNORECASE,
)
_OWN_MAIL = re.compile(
    r"\bmy (?:new |current |work |private |personal |home )*(?:e-?mail|inbox|mail)\b[^@]{0,24}?(?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))",
    re.IGNORECASE,
)
_NOT_MINE = re.compile(
    r"\b(?:old|was|lost|former|not|stolen|order|account|invoice|card|previous|used to|fake|example)\b|n't",
    re.IGNORECASE,
)
_OWN_BIRTHDAY = re.compile(
    r"\bmy (?:\w+ )?birthday(?: party| dinner)?,? (?:on|is|is on|falls on) (?:the )?(?P<v>.+)", re.IGNORECASE
)
_NO_CONTEXT = re.compile(
    r"\b(?:grew out of|outgrew|got rid of|cured|got over) $|\b(?:name|named|naming|rename|call|called|calling|wish|ex|former|late|imagine|suppose|pretend|like(?= my)|as if)\b|(?:n't|\bnot)(?: \w+)? $|\b(?:your|his|her|their|friend's)\b.* (?:is|was) $",
    re.IGNORECASE,
)
# Somebody else who may be meant by “with a nut allergy”.
_SOMEBODY = re.compile(
    r"\b(?:friends?|guests?|colleagues?|clients?|customers?|patients?|neighbou?rs?|students?|classmates?|someone|somebody|anyone|people|person|kids?|child(?:ren)?|man|woman|boy|girl|guy|lady|he|she|they|him|her|them|your|his|their)\b",
    re.IGNORECASE,
)


def taken_for_granted(clause: Clause, reading: Reading) -> list[Found]:
    """Named or aged relatives and pets, and what “my” names of the user's own. Whoever is named last may be gone
    on with (“…, he turns 60”)."""
    text = clause.text
    out: list[Found] = []
    if _REMEMBERED.match(text) or _GONE.search(text):
        return []

    def found(key: str, value: str) -> None:
        if value:
            out.append(Found(key, value, clause.start, clause.end))

    if place := _PLACE_ASKED.search(text):
        reading.place_before = home_in(place["v"]) or ""
    if came := _CAME_TO.search(text):
        found("user::home", home_in(came["v"]) or "")
    if (
        "my " not in text.lower()
        and "our " not in text.lower()
        and not re.search(r"\b(?:with|have|got) an? ", text, re.IGNORECASE)
    ):
        return out
    for match in _KIN.finditer(text):
        if not _given(text[: match.start()]) or re.match(
            r"(?:is|was) $", text[: match.start()], re.IGNORECASE
        ):
            continue
        behind = text[match.end("name") :]
        if match["name"].endswith("'s") or _HELPED.search(text[: match.start()]):
            behind = ""  # anything may follow “my son Leo's” or “does my cat Mochi”
        if not _FOLLOWED.match(behind) or re.search(r"\b(?:late|former)\b", match.group()):
            continue
        named = name_in(match["name"].removesuffix("'s"))
        if named and may_be_name(named[0], behind):
            key, _ = key_of(match)
            found(key, named[0])
            reading.enter_person(key, clause.start)
            reading.person_named = True
            if age := re.match(
                rf"(?:'s| is| turns| turned| just turned| is turning|,)? (?:now |only |just )?(?P<v>{DIGIT_OR_WORD})(?=$| (?:and|now|next|this|today|tomorrow|in|on|so)\b|[,;!.])",
                text[match.end("name") :],
            ):
                found(f"{key}::age", age["v"])
    if (alone := _RELATION_ALONE.fullmatch(text)) and (led := name_in(reading.ahead)) and not tidy(led[1]):
        who = alone["who"].lower()
        found(f"user::relation::{_RELATIONS.get(who, who)}", led[0])
    for match in _RELATION.finditer(text):
        behind = text[match.end("name") :]
        if match["name"].endswith("'s") or _HELPED.search(text[: match.start()]):
            behind = ""
        if _ONLY_OF_THEM.match(behind) and not re.search(r"\b(?:I|I'\w+|me|us|we)\b", behind):
            continue
        name = re.sub(r"^(?:Mr|Mrs|Ms|Dr)\.? ", "", match["name"].removesuffix("'s"))
        if _given(text[: match.start()]) and name_in(name) and may_be_name(name, behind):
            who = match["who"].lower()
            found(f"user::relation::{_RELATIONS.get(who, who)}", name)
    for match in _KINDRED.finditer(text):
        if _given(text[: match.start()]):
            key, _ = key_of(match)
            for name in re.split(r", and |, | and | & ", match["names"]):
                found(key, name if name_in(name) else "")
    for match in _AGED.finditer(text):
        if _given(text[: match.start()]):
            key = key_of(match)[0] if match["who"] else "user::family::child"
            found(f"{key}::age", match["age"])
            reading.enter_person(key, clause.start)
    for match in _ALLERGY.finditer(text):
        before = text[: match.start()]
        if match.group().lower().startswith(("with", "having")) and _SOMEBODY.search(before):
            continue
        if _given(before) and not NOT_ALLERGENS.search(match["v"]) and not out:
            found("user::allergy", match["v"])
    if (own := _ILLNESS.search(text)) and _given(text[: own.start()]):
        found("user::condition", own["v"])
    if re.search(r"\bwith my (?:full )?name$", text) and (named := name_in(reading.ahead)) and not named[1]:
        found("user::name", named[0])
    if (own := _OWN_NAME.search(text)) and (named := name_in(own["v"])):
        found("user::name", named[0])
    if (own := _OWN_PLACE.search(text)) and not re.search(r"\b(?:old|used|sold|left|sell)\b", text):
        found("user::home", home_in(own["v"]) or "")
    if (own := _OWN_JOB.search(text)) and not re.search(
        r"\b(?:quit|left|lost|leave|old|before|leaving|last day)\b", text
    ):
        for key, value in [("user::job", job_in(own["job"]) or "")] if own["job"] else employer_in(own):
            found(key, value)
    if (own := _OWN_COMPANY.search(text)) or re.search(r"\bmy (?:company|employer|firm|startup)$", text):
        found("user::work", org_in(own["v"] if own else reading.ahead) or "")
    if (own := _OWN_NUMBER.search(text)) and not _NOT_MINE.search(text):
        found("user::contact::phone", own["v"])
    if (own := _OWN_MAIL.search(text)) and not _NOT_MINE.search(text):
        found("user::contact::email", own["v"])
    if own := _OWN_BIRTHDAY.search(text):
        found("user::birthday", date_in(tidy(own["v"])) or "")
    return out


def _given(before: str) -> bool:
    return not _NO_CONTEXT.search(before)
