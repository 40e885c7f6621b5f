"""English values: where a name, a place, an employer or a thing ends, and what is none."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import words
from .lexicon_en import FIELDS, JOB, LANGUAGES, NOT_NAMES, NOT_PLACES, UNPLEASANT

__all__ = [
    "AFTER_NAME",
    "GIVEN_NAME",
    "NAME",
    "job_in",
    "languages_in",
    "may_be_name",
    "name_in",
    "names_in",
    "org_in",
    "place_in",
    "thing_in",
    "things_in",
]

NAME = r"(?-i:(?!(?:I|I'm|I've|My)\b)[A-Z\u00c0-\u00de][\w'-]*(?: (?!(?:I|My)\b)[A-Z\u00c0-\u00de][\w'.-]*){0,2}|[\u3400-\u9fff]{1,4})"
GIVEN_NAME = r"(?-i:(?!(?:I|I'm|I've|My|The|A|An)\b)[A-Z\u00c0-\u00de][\w-]*[a-z\u00df-\u00ff](?:-[A-Z]\w+|'[A-Z]\w+)?)(?:'s)?"
AFTER_NAME = (
    r"(?=$|'s?\b|[,;:!.)(—–-]| ?[\U0001F300-\U0001FAFF]| (?:and|or|who|to|for|with|in|on|at|from|about|an?|the|some|his|her|their|this|that|as|by|so|but|because|when|while|if|just|also|really|always|never|still|already|finally|almost|nearly|\w+ly|keeps?|seems?|wants?|needs?|loves?|than|too|up|out|off|back|home|over|next|again|please|btw|not|into|both|now|I|we"
    r"|is|was|has|had|have|are|were|will|can|does|do|did|got|might|may|should|would|could|must|went|came|made|took|said|told|gave|lost|ate|\w+s|\w+ed|\w+ing|\w+n't)\b)"
)
_AFTER_NAME = re.compile(AFTER_NAME, re.IGNORECASE)
_NO_NAMES = re.compile(
    r"^(?:Facebook|Instagram|Google|Amazon|Netflix|Minecraft|Fortnite|Roblox|Lego|Disney|Apple|Samsung|Spotify|Tinder|Zoom|Whatsapp|WhatsApp|Birthday|Day|Pokemon|Xbox|Halloween|Uber|Ikea)$"
)
_NAME_START = re.compile(NAME)
_LOWER_NAME = re.compile(
    r"(?P<v>[^\W\d_][\w'-]{1,14})(?=$| (?:and|but|from|by|for|now|btw|too|short|as|here|haha|lol)\b)"
)
_NO_LOWER_NAME = frozenset(
    words(
        """a an the my not no too so just also very really called unknown known missing undefined wrong up back later it
        me you us on off when if as in at for what something somewhere nothing common weird hard long short easy crazy
        old new changed different out over names stuff things lots mud maybe again today tomorrow tonight later soon asap
        anytime whenever now monday tuesday wednesday thursday friday saturday sunday cynical picky paranoid petty naive stupid
        lazy dumb silly biased dramatic skeptical sceptical spoiled selfish impatient ignorant"""
    )
)
_PLACE_WORD = r"(?:(?!I\b)[A-Z\u00c0-\u00de][\w'’.-]*|[\u3400-\u9fff]{2,8})"
_PLACE = re.compile(
    rf"(?:(?:the|downtown|central|north|south|east|west|northern|southern|eastern|western|rural|upstate|suburban|inner|greater|outer) )*(?P<v>{_PLACE_WORD}(?:,? (?:{_PLACE_WORD}|(?:de|la|le|del|da|do|di|du|am|an der|upon|sur|of|the|and)(?= [A-Z]))(?! (?:is|are|was)\b))*)"
)
_LOWER_PLACE = re.compile(
    r"(?P<v>[^\W\d_][\w'-]{2,}(?: [a-z][\w'-]{2,})?)(?=$| (?:now|with|since|at the|these|for|and|but|btw)\b)"
)
# Of two words without capitals (“strange times”) those are a place that begin or end as places do.
_LOWER_PLACE_OF_TWO = re.compile(
    r"(?:new|san|santa|los|las|el|la|le|st|saint|fort|port|mount|east|west|north|south|lake|palm|salt|hong|kuala|buenos|rio|tel|sao|cape|puerto|mexico|costa|sri|saudi|great|upper|lower|abu|ho|da|novi|cluj|den|ann|baton|little|long|grand|green|red|glen|milton)\b"
    r"|.* (?:city|town|beach|falls|springs|island|park|hills|valley|bay|rica|lanka|rapids|rouge|keynes|kong|lumpur|haag|wales|zealand|york|africa|korea|ireland)$"
)
_SMALL_PLACE = re.compile(
    r"(?:an? |the )(?:\w+ ){0,2}(?:village|town|city|suburb|farm|island|countryside|suburbs|neighbou?rhood|place|cottage|houseboat|van|caravan|tent|dorm|flat|house|studio|apartment|cabin)(?: \w+){0,1}? (?:near|outside|called|of|in|named|outside of) (?=[A-Z])"
)
# “a tiny flat above a chip shop in Whitby”
_INSIDE = re.compile(
    r"(?!.*\b(?:hotel|hostel|airbnb|hospital|resort|campsite|guesthouse)\b)(?:an?|the|our|my|this) [a-z' -]{2,60}? (?:in|near|outside) (?=[A-Z])"
)
_END = re.compile(
    r"\s+(?:because|since|but|so|and (?:I|we|my|our|he|she|it|love|like|live|work|have|am|it's|I'm|they)\b|who|which|where|when|while|if|though|although|with|for|now|these days|at the moment|currently"
    r"|as (?:an?|the|well|my)|too|right now|from|until|till|until|this|last|next|nowadays|by the way|btw|haha|lol|again|anyway|already|on (?:weekdays|weekends)|full[- ]time|part[- ]time"
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4}|the)\b)(?!\w).*$",
    re.IGNORECASE,
)
_ORG_CAPITAL = re.compile(
    r"(?:the )?(?P<v>(?-i:[A-Z0-9\u00c0-\u00de\u3400-\u9fff])[\w'’.&/-]*(?: (?!I\b|I'm\b|My\b)(?:(?-i:[A-Z\u00c0-\u00de0-9])[\w'’.&/-]*|&|of|the|de|for(?= [A-Z])|and(?= [A-Z])))*)"
)
_ORG_LOWER = re.compile(
    r"(?:an?|the|our|my) (?P<v>(?:[\w'&-]+ ){0,4}?(?:company|startup|start-up|firm|agency|bank|school|hospital|clinic|university|college|council|government|shop|store|bakery|café|cafe|restaurant|bar|hotel"
    r"|factory|plant|warehouse|library|museum|bookshop|bookstore|pharmacy|studio|nursery|kindergarten|daycare|lab|laboratory|institute|office|nonprofit|non-profit|charity|ngo|church|garage|farm|brewery|winery"
    r"|newspaper|magazine|publisher|airline|railway|airport|port|shipyard|police|army|navy|ministry|embassy|court|gym|salon|supermarket|post office|call cent(?:er|re)|practice|vet's|dealership|theat(?:er|re)|zoo|lab|co-op|bookies|consultancy|retailer|foundation|union|hospice|care home|nursing home))\b"
)
_NO_ORG = frozenset(
    words(
        """home night nights weekends moment same least all it once least first last this that I Monday Christmas"""
    )
)
_THING_END = re.compile(
    r"\s+(?:because|since|but|so (?:much|please|I|don't)|so|when|while|if|though|although|especially|in (?:the|my) (?:mornings?|evenings?|summer|winter|spring|autumn|fall|afternoons?|weekends?|garden|kitchen|spare|free)|on (?:weekends|weekdays|the weekends?|my|[a-z]+days)"
    r"|every|each|after|before|more than|over|rather than|instead of|to (?:relax|unwind|death|bits|pieces|be honest)|these days|at the moment|a lot|very much|so much|the most|most of all|best|by the way|though|at all|too|as well|lately|recently|tbh|btw|ngl|lol|haha|now|any ?more"
    r"|and (?:I|my|we|he|she|it|so|that|they|hate|don't|can't|he's|dislike|never)\b.*|with (?:my|a passion|all)|than|with passion|to (?:eat|the)|in general|any day|any time|afterwards?|in (?:anything|everything|bed|public)|no contest|hands down|the \w+er the|from|who|which|where|please|anyway|since|for (?:years|ages|breakfast|lunch|dinner)|like crazy|I'm afraid|during|all (?:day|year|the time))(?!\w).*$",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"^(?:think|believe|say|not to|talk|know|see|imagine)\b|\b(?:them|this|these|those|his|her|him|their|your|you|yours|option|answer|suggestion|idea|version|one|ones|it)\b|\b(?:my|our) (?:\w+ )?(?:\w*wife|husband|kids?|children|son|daughter|mom|mum|dad|job|life|family|wedding|parents|boss|friends?|new|partner|boyfriend|girlfriend|dog|cat|team)\b"
    r"|^(?:you|it|that|this|him|her|them|these|those|me|how|when|what|where|why|who|whether|if|your|to (?:be|know|say|think|ask|see|hear|go|do|have|get|make|talk|admit|let)\b.*|being|here|there|anything|nothing|everything|something|someone|much|enough|at|out|to|not|no|both|either|neither|myself|myself|us|each other|people|things|stuff|talking to|chatting|making sure|asking)$"
    r"|^(?:you|it|that|this|him|them|these|those|how|when|what|where|why|who|whether|if|your|being (?:here|told|asked|able|a)|having|my|our|seeing|hearing|some|any)\b"
    r"|^the (?!(?:beatles|sea|ocean|beach|mountains|outdoors|rain|cold|heat|snow|smell|sound|taste|theat|opera|countryside|city|gym|sun|forest|desert|piano|dark|feel|colou?r|texture|news)|(?-i:[A-Z]))"
    r"|\b(?:is|are|was|were)\b|\b\d{2,}\b",
    re.IGNORECASE,
)
_SAID_ON = re.compile(
    r"(?:get|have|am|go|make|do|need|want|feel|keep|take|put|can|can't|don't|will|would|try|use|work|live|find|always|never|usually|often|then|spend|buy|watch|read|listen|play|think|know|see|hope|look)\b(?! \w+ing\b)",
    re.IGNORECASE,
)
_PAIRS = re.compile(r"\b(?:mac|rock|drum|fish|bed|salt|black|peace|r|peanut butter|sweet|dungeons|pride|hide|trial|bubble|country|song|arts|bread|cookies|wine|cut|chips|science|food|cheese|tom|rick|jazz|war|gin|rum|beans|biscuits|surf|rhythm|stand-up) (?:and|&|n|'n') \w+", re.IGNORECASE)  # fmt: skip
_JOB = re.compile(
    rf"(?:(?:freelance|full[- ]time|part[- ]time|self-employed|currently|just|also|only|mere|humble|busy) )*?(?P<v>{JOB})(?= (?:at|for|in|from|with|by|of|on|and|here|now|up|down|out|over|to|but|so|based|since|these|working|specializing|specialising|living|I|we|my|myself|too|\(|there|turned|near|over)\b|$|[ ]?[:;)(\U0001F300-\U0001FAFF/])",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    rf"\b(?:{'|'.join(word for word in LANGUAGES if word.isascii())})\b|[\u3400-\u9fff]{{1,3}}[文语]",
    re.IGNORECASE,
)
_EMOJI = re.compile(
    r"\s*(?:[\U0001F000-\U0001FAFF\u2600-\u27bf\ufe0f\u200d]|[:;]-?[)(DPp]|(?<=\s)xx?$|\^\^|<3)+.*$"
)


def tidy(text: str) -> str:
    return _EMOJI.sub("", text).strip(" ,.!~*\"'")


def may_be_name(name: str, behind: str) -> bool:
    """Whether a capitalised word next to a relative is a name and not the first of “Frozen cake” or “PE kit”."""
    return bool(
        re.search("[a-z\u00df-\u00ff\u3400-\u9fff]", name) and _AFTER_NAME.match(behind)
    ) and not _NO_NAMES.match(name.split()[-1])


def name_in(text: str, *, lower: bool = False) -> tuple[str, str] | None:
    """(a name at the start of a text, the rest)."""
    text = text.lstrip(' "')
    if (
        (match := _NAME_START.match(text))
        and match.group().split()[0] not in NOT_NAMES
        and not (match.group().split()[0].isupper() and match.group().split()[0].capitalize() in NOT_NAMES)
        and not match.group().split()[0].endswith("'s")
    ):
        words = match.group().split()
        while words[-1] in NOT_NAMES:
            words.pop()
        name = " ".join(words)
        possessive = name.endswith("'s")
        name = name.removesuffix("'s")
        return name.rstrip(".'"), text[len(name) if possessive else len(" ".join(words)) :]
    if (
        lower
        and (match := _LOWER_NAME.match(text))
        and match["v"].lower() not in _NO_LOWER_NAME
        and match["v"].capitalize() not in NOT_NAMES
    ):
        return match["v"], text[match.end() :]
    return None


def names_in(text: str) -> list[str]:
    """“Mia and Zoe”, “Ann, Bo & Cy”: nothing unless all of it is names."""
    parts = [part.strip() for part in re.split(r",? and |,|&|\+| plus ", tidy(text)) if part.strip()]
    found = [name_in(part) for part in parts]
    return [f[0] for f in found if f] if parts and all(f and not tidy(f[1]) for f in found) else []


def place_in(text: str) -> str | None:
    text = re.sub(
        r"^the (?:outskirts|suburbs|centre|center|middle|heart|north|south|east|west) of ", "", text
    )
    text = re.sub(r"^(?:(?:just|right) )?(?:outside|near|around|downtown|close to)(?: of)? ", "", text)
    if match := _SMALL_PLACE.match(text) or _INSIDE.match(text):
        text = text[match.end() :]
    if match := _PLACE.match(text):
        value = match["v"].strip(" .,")
        return None if value.split()[0].rstrip(",") in NOT_PLACES else value
    if text == text.lower() and not field_in(text) and (match := _LOWER_PLACE.match(text)):
        words = match["v"].split()
        if len(words) > 1 and not _LOWER_PLACE_OF_TWO.match(match["v"]):
            words = words[:1] if words[1] in ("now", "with", "but", "for", "since", "and") else [""]
        if words[0] in NOT_PLACES or (
            len(words) > 1 and words[-1] in ("and", "now", "with", "but", "for", "since")
        ):
            words = words[:1]
        return (
            None if not words[0] or words[0] in NOT_PLACES or words[0] in _NO_LOWER_NAME else " ".join(words)
        )
    return None


def org_in(text: str) -> str | None:
    text = tidy(text)
    if match := _ORG_CAPITAL.match(text):
        value = re.sub(r" (?:of|the|de|&)$", "", match["v"]).strip(" .,'")
        return None if value.split()[0] in _NO_ORG else value
    if match := _ORG_LOWER.match(text):
        return match["v"]
    if text == text.lower() and (
        match := re.match(r"(?P<v>[a-z][\w&-]{2,})(?=$| (?:as|for|now|in|since|and|btw)\b)", text)
    ):
        return (
            None
            if match["v"] in _NO_ORG
            or match["v"] in _NO_LOWER_NAME
            or match["v"]
            in (
                "myself",
                "money",
                "free",
                "fun",
                "peanuts",
                "hire",
                "them",
                "clients",
                "tips",
                "work",
                "school",
            )
            else match["v"]
        )
    return None


def job_in(text: str) -> str | None:
    text = re.sub(r"^(?:an?|the|your|one of the|this) ", "", text, flags=re.IGNORECASE)
    match = _JOB.match(text)
    return match["v"].strip() if match else None


def field_in(text: str) -> str | None:
    match = re.match(rf"(?P<v>{FIELDS})\b", text)
    return match["v"] if match else None


def languages_in(text: str) -> list[str]:
    """The languages of a list such as “French, some Dutch and a bit of Arabic”."""
    text = re.split(r"\b(?:but|not|learning|because|badly|at (?:school|work))\b", text)[0]
    return _LANGUAGE.findall(text)


def thing_in(text: str) -> str | None:
    text = tidy(_THING_END.sub("", f" {tidy(text)}")).strip()
    text = (
        re.sub(r"^(?:to (?=\w+)|eating (?=\w)|playing (?=with)|the (?=idea))", "", text)
        if not _NO_THING.search(text)
        else text
    )
    text = re.sub(
        r"^(?:all (?:kinds|sorts) of|any kind of|all things|all|anything (?:with|to do with)|both|a good|good|a nice|nothing more than|any) ",
        "",
        text,
    )
    return (
        text
        if 0 < len(text.split()) <= 7 and not _NO_THING.search(text) and not UNPLEASANT.search(text)
        else None
    )


def things_in(text: str, *, pleasant: bool = True) -> list[str]:
    """What is liked, avoided or not tolerated, item by item."""
    text = tidy(_THING_END.sub("", f" {tidy(text)}")).strip()
    text = re.sub(r"^(?:(?:love|hate|really|so|me some) )+(?=\w)", "", text)
    if _LANGUAGE.fullmatch(text):
        return []
    if pleasant and UNPLEASANT.search(text):
        return []
    parts = [text] if _PAIRS.search(text) else re.split(r",? (?:and|or|&) |, ", text)
    if any(len(part.split()) > 5 for part in parts):
        parts = [text]
    out = []
    for number, part in enumerate(parts):
        if number and _SAID_ON.match(part):  # what is done next, and no second thing
            break
        value = thing_in(part) if pleasant else _unpleasant_thing(part)
        if value:
            out.append(value)
    return out


def _unpleasant_thing(text: str) -> str | None:
    text = re.sub(
        r"^(?:to (?=\w+)|all (?:kinds|sorts) of |any kind of |any |all |both |most |the (?:taste|smell|sound|texture) of (?=\w))",
        "",
        tidy(text),
    )
    return (
        text
        if 0 < len(text.split()) <= 7
        and not _NO_THING.search(text)
        and not re.match(
            r"(?:mondays?|ask|say|break|admit|bother|interrupt|disagree|do|be|see|think)\b",
            text,
            re.IGNORECASE,
        )
        else None
    )
