"""What an English clause says by its words alone, where no frame fits it: an illness, an allergen, a name beside a
relative, told by somebody who speaks of themselves and of nobody else."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import Clause, Found
from .lexicon_en import ILLNESSES, JOB
from .people_en import GONE, ONE, key_of
from .readers_en import Facts
from .values_en import GIVEN_NAME, may_be_name, name_in, org_in, place_in, tidy

__all__ = ["loosely"]

_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'll|im|ive|my|me|mine|we|we're|we've|our|us)\b", re.IGNORECASE)
# Whose illness it is: “I have …”, “my arthritis”, but not “my lad's got …”.
_OF_SPEAKER = re.compile(
    rf"\b(?:I|I'm|I've|I'll|im|ive|we|we're|we've|us)\b|\b(?:my|our) (?:\w+ )?(?:{ILLNESSES}|throat|lips|tongue|face|eyes|skin|allerg\w+)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"\b(?:he|she|they|his|her|their|him|them|your|you|someone|somebody|anyone|anybody|everyone|people|person|who|friends?|mates?|boss|guests?|colleagues?|clients?|customers?|patients?|neighbou?rs?|students?|kids?|child(?:ren)?|man|woman|boy|girl|guy|lady|baby|toddler"
    r"|mum|mom|mother|dad|father|wife|husband|partner|girlfriend|boyfriend|son|daughter|sister|brother|gran\w*|nan|aunt\w*|uncle|cousin|niece|nephew|dog|cat|puppy|kitten|horse|in-?laws?)\b",
    re.IGNORECASE,
)
# What is denied, over, only supposed, or is a subject to write or read about.
_UNCERTAIN = re.compile(
    r"\b(?:not|never|no longer|quit|left|leav(?:e|es|ing)|resign(?:ed|ing)?|fired|sacked|laid off|interview\w*|apply(?:ing)?|applied|offer|isn't|wasn't|don't|doesn't|didn't|haven't|without|used to|as a (?:kid|child|baby|teen\w*)|outgrew|grew out of|cured|was|were|had|might|may|could|would|should|if|wonder\w*|think|guess|hope|wish|want|maybe|possibly|could be|tested (?:for|negative)|test for|risk of|scared of|afraid of|worried about"
    r"|about|article|poster|essay|paper|research|leaflet|book|chapter|documentary|podcast|article|awareness|charity|fundrais\w*|symptoms of|cure for|facts|writing|reading|studying|lecture|clinic|ward|campaign)\b",
    re.IGNORECASE,
)
_AMBIGUOUS = re.compile(
    r"(?:an?xiety|depression|OCD|MS|ADD|cancer|insomnia|autism|arthritis|cataracts|vertigo|gout)$",
    re.IGNORECASE,
)
_ILLNESS = re.compile(
    rf"(?<![\w-])(?P<v>{ILLNESSES})(?![\w-]| (?:research|nurse|specialist|doctor|medication|drugs?))",
    re.IGNORECASE,
)
_ALLERGEN = re.compile(
    r"\b(?P<v>(?:tree |pea|brazil |pine )?nuts?|peanuts?|walnuts?|cashews?|almonds?|hazelnuts?|pistachios?|shellfish|shrimps?|prawns?|crab|lobster|mussels|oysters|fish|eggs?|milk|dairy|lactose|gluten|wheat|soya?|sesame|kiwis?|strawberr(?:y|ies)|mango(?:es)?|pineapple|bananas?|avocados?|latex|penicillin|amoxicillin|aspirin|ibuprofen|codeine|pollen|dust(?: mites)?|cat (?:hair|fur)|bee stings?|wasp stings?|mould|mold|nickel|sulfa|mustard|celery|peach(?:es)?)\b",
    re.IGNORECASE,
)
_REACTS = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|anaphyla\w+|epi-?pen|hives|(?:lips|tongue|throat|face|eyes) (?:swell\w*|clos\w+|puff\w*|itch\w*)|(?:closes|swells) my \w+|comes? (?:me )?out in (?:hives|a rash|spots)|break(?:s)? (?:me )?out|swell up|in a&e|anaphylactic)\b",
    re.IGNORECASE,
)
# “Keith being my other half”, “Imogen is our eldest”.
_NAME_FIRST = re.compile(
    rf"\b(?P<name>{GIVEN_NAME})(?:,? (?:is|being|who's|who is)|,) (?:my|our) {ONE}(?=$|[,;:!?.)]| (?:and|who|but)\b)(?!'s)",
    re.IGNORECASE,
)
# “hubby Dan”, “with sister Jo”: a relative without a possessor is the speaker's.
_KIN_BARE = re.compile(
    rf"(?<!my )(?<!our )(?<!My )(?<!Our )(?<!Your )(?<!his )(?<!her )(?<!your )(?<!their )(?<!the )(?<!'s )(?<!a )(?<!an )(?<!own )(?<!late )(?<!Her )(?<!His )(?<!Their )(?<!The )(?<!big )(?<!little )(?<!older )(?<!younger )(?<!elder )(?<!twin )(?<!baby )(?<!-)(?<!ex )\b(?P<who>wife|husband|hubby|mum|mom|dad|sister|brother|daughter|son|nan|gran|grandma|grandad|aunt|auntie|uncle|partner|girlfriend|boyfriend|fianc[ée]e?) (?P<name>{GIVEN_NAME})(?=$|\W)",
)
_HOME = re.compile(
    r"\b(?:(?:my|our) (?:\w+ )?(?:flat|place|house|apartment|home|garden|allotment|street|council|neighbou?rhood|studio|cottage|landlord)|(?:rent|renting|bought|own|share|sharing|lodging)\b(?: \w+){0,4} (?:house|flat|apartment|place|condo|studio|room|cottage|bungalow|home)|(?:us|we|I|me) (?:down |up |over |out )?here) (?:is )?(?:near|in|outside) (?P<v>(?-i:[A-Z]).+)",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:my|our) (?:(?!last|old|first|previous|former)\w+ )?(?:shifts?|boss|manager|job|desk|office|team|work|colleagues|department|contract|employer) (?:here )?at (?P<v>(?-i:[A-Z]).+)",
    re.IGNORECASE,
)
_TRADE = re.compile(
    rf"\b(?:(?:us|we|fellow) (?P<many>{JOB})s\b|(?:my (?:job|work|life|day) as|being|(?:I'm|I am) (?:just )?) an? (?P<one>{JOB})(?=$|[,;:!?.)]| (?:and|so|at|in|by|for|with|I|means|who)\b))",
    re.IGNORECASE,
)


def _facts(text: str) -> Facts:
    out: Facts = []
    alone = bool(_FIRST_PERSON.search(text)) and not _SOMEBODY.search(text) and not _UNCERTAIN.search(text)
    if alone:
        own = bool(_OF_SPEAKER.search(text))
        if own and _REACTS.search(text):
            found = list(dict.fromkeys(match["v"] for match in _ALLERGEN.finditer(text)))
            if 0 < len(found) <= 3:
                out += [("user::allergy", value) for value in found]
        elif own and (ill := _ILLNESS.search(text)) and not _AMBIGUOUS.search(ill["v"]):
            out.append(("user::condition", ill["v"]))
        if (home := _HOME.search(text)) and (place := place_in(home["v"])):
            out.append(("user::home", place))
        if (work := _WORK.search(text)) and (org := org_in(work["v"])):
            out.append(("user::work", org))
        if trade := _TRADE.search(text):
            out.append(("user::job", tidy(trade["many"] or trade["one"])))
    return out


def loosely(clause: Clause) -> list[Found]:
    """What the words of a clause tell that no frame reads."""
    text = clause.text
    out = [Found(key, value, clause.start, clause.end, loose=True) for key, value in _facts(text)]
    if GONE.search(text):
        return out
    for match in (*_NAME_FIRST.finditer(text), *_KIN_BARE.finditer(text)):
        name, behind = match["name"].removesuffix("'s"), text[match.end("name") :]
        led = match.re is _NAME_FIRST
        if name_in(name) and (led or may_be_name(name, behind) or match["name"].endswith("'s")):
            key = key_of(match)[0] if led else _KIN_KEYS[match["who"].lower()]
            out.append(Found(key, name, clause.start, clause.end, loose=True))
    return out


_KIN_KEYS = {
    "wife": "user::family::wife",
    "husband": "user::family::husband",
    "hubby": "user::family::husband",
    "mum": "user::family::mother",
    "mom": "user::family::mother",
    "dad": "user::family::father",
    "nan": "user::family::grandmother",
    "gran": "user::family::grandmother",
    "grandma": "user::family::grandmother",
    "grandad": "user::family::grandfather",
    "auntie": "user::family::aunt",
    "fiance": "user::family::fiance",
    "fiancé": "user::family::fiance",
    "fiancee": "user::family::fiance",
    "fiancée": "user::family::fiance",
    **{
        who: f"user::family::{who}"
        for who in (
            "sister",
            "brother",
            "daughter",
            "son",
            "aunt",
            "uncle",
            "partner",
            "girlfriend",
            "boyfriend",
        )
    },
}
