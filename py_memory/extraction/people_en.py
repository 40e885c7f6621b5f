"""The user's relatives and pets in English: names, ages, birthdays, jobs, what they like and do not tolerate."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import Clause, Found
from .lexicon_en import DIGIT_OR_WORD, PETS, PLURALS, RELATIVES
from .predicates_en import said_of
from .reading import Reading, is_to_come
from .values_en import GIVEN_NAME, may_be_name, name_in, names_in, tidy

__all__ = ["GONE", "MANY", "ONE", "key_of", "read_people"]


def _any(words: dict[str, str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", "[ -]") for word in sorted(words, key=len, reverse=True))


_KIND = r"(?:(?P<kind>older|younger|elder|little|big|eldest|oldest|youngest|twin|middle|baby|kid|maternal|paternal|big)[ -])?"
_FILLER = (
    r"(?:(?:dear|other|stray|foster|lovely|beautiful|wonderful|amazing|old|new|late|adopted|wee|sweet|crazy|naughty|fluffy|black|white|grey|gray|orange|ginger|rescue|golden|german|french|border|cocker|"
    r"bernese|senior|own|two|three|four|five|gorgeous|silly|chubby|fat|tiny|large|elderly|only|first|second|third|long-term|pet|mixed-breed|brown|spotted|teenage|poor|shelter|labrador|maine coon) )*"
)
_AGED_ADJECTIVE = (
    rf"(?:(?P<old>{DIGIT_OR_WORD})[ -](?:years?|yrs?|yr)[ -]olds? |(?P<old2>{DIGIT_OR_WORD})yo )?"
)
ONE = rf"{_FILLER}{_AGED_ADJECTIVE}{_FILLER}{_KIND}(?P<who>{_any({**RELATIVES, **PETS})})\b(?!-|[ -]in[ -]law| tongue| language| nature| person| lover| food| figure| board| company| class| room)"
MANY = rf"{_FILLER}(?:\d |twin |grown |grown-up |young |adult |lovely |beautiful |older |younger |rescue |pet |little |small )*(?P<many>{_any(PLURALS)})\b"
_MY = re.compile(
    rf"(?:(?:this is|meet|and|with|it's|for|say hi to) )?(?:my|our) (?:{MANY}|{ONE})(?P<rest>.*)$",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?:the )?(?P<who>mom|mum|dad|grandma|grandpa|granny|nana|nan|gran|grandad|granddad|hubby|husband|wife|missus|son|daughter|partner|girlfriend|boyfriend|sister|brother|sis|(?:mother|father|sister|brother|son|daughter)-in-law)(?P<rest>(?:(?: {GIVEN_NAME})?(?:'s| is| was born| was diagnosed| turns| turned| turning| just turned| has| lives| works| loves| hates| likes| can't| doesn't)| {GIVEN_NAME},? (?=\d|and\b|$)).*)$",
    re.IGNORECASE,
)
_HAVE = re.compile(
    r"(?:(?:(?:I|we)(?:'ve| have|'re| are|'m| am)?)?(?: ?just| ?recently| ?finally| ?also| ?both)* ?(?:got|have|had(?= (?:an? (?:little )?(?:baby|son|daughter|boy|girl)|our|twins))|own|adopted|rescued|picked up|brought home|took in|fostered|foster|raised?|raising|bought|keep|are raising|raising|share (?:my|our) \w+ with|live with|welcomed|take care of|parents? (?:of|to)|parenting|(?:a |the )?(?:proud )?(?:mum|mom|dad|mother|father|parents?)(?: of| to)|married)?|there's also|also) "
    rf"(?:(?:an?|one|my|our|the|also a|two|three|four|five|\d) )?(?:{MANY}|{ONE})(?P<rest>.*)$",
    re.IGNORECASE,
)
_TO = re.compile(
    r"(?:I'm|I am|we're) (?:a |the )?(?:proud |single |new |stay-at-home )*(?P<who>mum|mom|dad|mother|father|parents?|mama|papa) (?:to|of) (?P<rest>(?-i:[A-Z]).+)$",
    re.IGNORECASE,
)
_WED = re.compile(
    r"(?:I|we)(?:'ve| have|'m| am|'re)?(?: been)?(?: (?:happily|just|recently|finally))* (?P<how>married|engaged|dating|seeing|dated)(?: to)? (?P<rest>(?-i:[A-Z]).+)$",
    re.IGNORECASE,
)
_NAMED_OUR = re.compile(
    rf"(?:I|we)(?:'ve| have)?(?: just| finally)* (?:named|called) (?:our|my|the) (?:new )?{ONE}(?P<rest> .+)$",
    re.IGNORECASE,
)
_THE_CHILDREN = re.compile(
    rf"(?:the|our|my) (?:twins|kids|boys|girls|triplets|little one|baby) (?:are|is|just turned|turned|turn|turns|have turned)(?: now| already| only)? (?P<v>{DIGIT_OR_WORD})(?=$|\W)(?! (?:minutes|hours|times|people))",
    re.IGNORECASE,
)
_CALL_THEM = re.compile(
    r"(?:(?:I|we) )?(?:and )?(?:(?:have |decided to |are |am )?(?:named|called|call|name|calling|naming)) (?:her|him|it|them) (?P<rest>.+)$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:and |but )?(?:(?:her|his|its)(?= (?:name|birthday))(?P<own> (?:name|birthday)(?: is|'s) .+)|(?:their|the)(?: \w+)? names? (?:is|are) (?P<names>.+)"
    r"|(?:(?:and )?(?:who|he|she|it|they) ?)?(?P<rest>(?:is|'s|likes|loves|hates|named|called|just|turns?|turned|works|will|has|are|'re|was born|who|recently|who's|also|really|can't|doesn't|won't|aged|age|got|goes by)\b.+)"
    r"|(?:and )?(?P<bare>(?-i:[A-Z])[\w'-]*(?: (?:and|&) (?-i:[A-Z])[\w'-]*)?)$|(?:and )?(?P<mine>mine is (?:called|named) .+))",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"(?:and )?(?:one|the (?:first|second|other|older|younger|eldest|oldest|youngest|elder|big one|little one)(?: one)?)(?: is|'s)? (?:is |called |named )+(?P<rest>.+)$",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"^(?:,? (?:who|which|that))?(?:(?:'s| is| are|,)?(?: an? (?:[\w-]+ ){1,5}?)?(?: ?called| ?named)| called| named|'s (?:first )?name(?: is|'s)|s'? names are|,? whose name is| goes by| answers to| by the name of|'re called)(?: the)? +",
    re.IGNORECASE,
)
_AGED = re.compile(
    rf"^,?(?: (?:who|and|he|she|it|they))?(?:'s| is|'re| are| has| will| just| recently| only| already| now| about to| nearly| almost| soon| finally| going to|,|\()* ?(?:(?:turns?|turned|turning|be|is|aged|age|celebrated (?:her|his)|hit) )?(?:just |only |now |already |nearly |almost |about )?"
    rf"(?:(?P<age>{DIGIT_OR_WORD})(?:th|st|nd|rd)?(?: birthday)?(?:[ -]?(?:years?|yrs?)[ -]?olds?|[ -]?y/?o)?|(?P<months>\w+ (?:months?|weeks?)(?: old)?))(?=$|\W+$| (?:in|on|this|next|last|today|yesterday|tomorrow|now|and|soon|already|a|who|but|years|years? old|months|with|so)\b|[,;:)(!])",
    re.IGNORECASE,
)
_AGES = re.compile(
    rf"(?: are|,)? (?:now |only |just |both )?(?P<v>{DIGIT_OR_WORD}(?:, {DIGIT_OR_WORD})*,? (?:and|&) {DIGIT_OR_WORD})(?=$| (?:now|and|so|but|years|yrs|yo)\b)",
    re.IGNORECASE,
)
_AGE_LED = re.compile(
    r"^,?(?: (?:who|he|she|it|they))?(?: is|'s| are|'re| turns?| turned| just turned| is turning| is about to turn| will be| will turn| has just turned| recently turned| is only| is now| is already| now| is nearly| is almost| aged| age| has turned|,|\(| \(|$)",
    re.IGNORECASE,
)
GONE = re.compile(
    r"\b(?:died|passed(?: away)?|is dead|used to|was (?!born|diagnosed)|ran away|is gone)\b", re.IGNORECASE
)
_BIRTHDAY = re.compile(
    r"^(?:'s)? (?:birthday|b-?day)(?! (?:party|dinner|cake|gift|present|card|trip|lunch|bash))(?: is|'s| falls)?(?: on)?(?: the)? (?P<v>(?=[^,]*(?:\d|january|february|march|april|june|july|august|september|october|november|december)).+)|^,?(?: who)? was born (?:on|in) (?P<b>(?=.*\d).+)",
    re.IGNORECASE,
)
_NAMED_BIRTHDAY = re.compile(r"^ (?P<v>[A-Z][\w-]+)(?='s (?:birthday|b-?day)\b)")
_TEACHES = re.compile(
    r"^,?(?: (?:who|he|she))? (?P<v>teaches [\w' -]+|(?:drives|fixes|sells|designs|builds|repairs|paints) [\w' -]+(?= for a living)|drives (?:an? )?(?:trucks?|taxi|bus|lorry|lorries|tram|train|uber|cab|delivery \w+)|runs an? (?:\w+ ){0,2}(?:shop|bakery|cafe|café|restaurant|store|company|farm|business|studio|salon|bar|garage)|owns an? (?:\w+ ){0,2}(?:shop|bakery|cafe|café|restaurant|store|company|farm|business|bar))",
    re.IGNORECASE,
)
_DIET = re.compile(
    r"^,?(?: (?:who|he|she))? (?P<v>(?:doesn't|does not|can't|won't) (?:eat|drink|have|touch) [\w -]+)$",
    re.IGNORECASE,
)
_LOWER_NAMED = re.compile(
    rf"^,? (?P<v>[a-z][\w'-]{{1,12}})(?= (?:is|turns|turned|just turned|turning) {DIGIT_OR_WORD}\b|, {DIGIT_OR_WORD}\b)"
)
_NOT_NAMES = frozenset(
    [
        "who",
        "is",
        "was",
        "and",
        "now",
        "just",
        "also",
        "only",
        "already",
        "both",
        "really",
        "has",
        "had",
        "will",
        "does",
        "never",
        "always",
        "soon",
        "almost",
        "nearly",
        "about",
        "turns",
        "turned",
        "age",
        "aged",
    ]
)


def key_of(match: re.Match[str]) -> tuple[str, bool]:
    """(key, whether several)."""
    groups = match.groupdict()
    if groups.get("many"):
        word = re.sub(r"-", " ", groups["many"].lower())
        what = PLURALS[word]
        return (f"user::pet::{what}" if what in PETS.values() else f"user::family::{what}"), True
    word = (
        groups["who"].lower().replace("-", " ")
        if groups["who"].lower() not in PETS and groups["who"].lower() not in RELATIVES
        else groups["who"].lower()
    )
    if word in PETS:
        return f"user::pet::{PETS[word]}", False
    what = RELATIVES[word]
    kind = (groups.get("kind") or "").lower()
    if what in ("sister", "brother"):
        kind = {
            "big": "older",
            "elder": "older",
            "eldest": "older",
            "oldest": "older",
            "little": "younger",
            "baby": "younger",
            "kid": "younger",
            "youngest": "younger",
        }.get(kind, kind)
    elif what in ("grandmother", "grandfather", "aunt", "uncle"):
        kind = kind if kind == "maternal" else ""
    else:
        kind = ""
    return f"user::family::{kind}-{what}" if kind else f"user::family::{what}", False


def read_people(clause: Clause, reading: Reading) -> list[Found] | None:
    """What a clause says of a relative or pet; None if it is about none."""
    text = clause.text
    if re.match(
        r"(?:my|our) (?:ex|late|step|former|imaginary|friend|boss|neighbou?r|flatmate|roommate|colleague|coworker|co-worker|landlord|teacher)\b",
        text,
        re.IGNORECASE,
    ):
        reading.enter_other()
        return []
    if (
        not re.match("[\u3400-\u9fff]", text)
        and (rest := reading.enter_known(text, clause.start)) is not None
    ):
        return _about(rest, reading.person, clause, reading, False)
    if match := _TO.match(text):
        names = names_in(re.split(r"\b(?:who|aged|\d)", match["rest"])[0])
        reading.enter("am")
        return [Found("user::family::child", name, clause.start, clause.end) for name in names]
    if match := _WED.match(text):
        key = {"married": "spouse", "engaged": "fiance"}.get(match["how"].lower(), "partner")
        named = name_in(match["rest"])
        reading.enter("am")
        return (
            [Found(f"user::family::{key}", named[0], clause.start, clause.end)]
            if named and not re.match(r" (?:doctor|specialist|every|about)", named[1])
            else []
        )
    if match := _NAMED_OUR.match(text):
        key, _ = key_of(match)
        reading.enter_person(key, clause.start)
        return _about(f" called{match['rest']}", key, clause, reading, False)
    match = (
        _MY.match(text)
        or _HAVE.match(text)
        or (_BARE.match(text) if not re.search(r"\b(?:your|her|his|their)\b", text) else None)
    )
    if match:
        key, many = key_of(match)
        rest = match["rest"]
        if match.re is _HAVE and re.match(
            r"(?:I'm|I am|we're|we are) (?!raising|parents)", text, re.IGNORECASE
        ):
            return None
        if match.re is _HAVE and re.match(
            r" (?:allerg|person|lover|food|in\b|fur|hair|on\b|at\b|interview|show|sitter|appointment|who (?:would|could)|fan\b|problem|bite|photo|video|litter|toy)",
            rest,
        ):
            return None
        if match.re is _MY and re.match(
            r"(?:'s|s') (?!name\b|birthday\b|b-?day\b|called\b|named\b|allergic\b|an?\b|\d|turning\b|vegetarian\b|vegan\b|about to\b|almost\b|nearly\b|now\b|working\b|just\b|\d\dth\b|(?:"
            + DIGIT_OR_WORD
            + r")\b)",
            rest,
            re.IGNORECASE,
        ):
            reading.enter_other()
            return []
        reading.enter_person(key, clause.start)
        reading.many = many
        out = []
        if (
            match.re is _MY and not many and not rest.strip() and reading.name_before
        ):  # “Bruno, my terrier, …”
            out.append(Found(key, reading.name_before, reading.name_start, clause.end))
            reading.person_named = True
        old = match.groupdict().get("old") or match.groupdict().get("old2")
        if old:
            out.append(Found(f"{key}::age", old, clause.start, clause.end))
        out += _about(rest, key, clause, reading, many)
        return out
    if aged := _THE_CHILDREN.match(text):
        return [Found("user::family::child::age", aged["v"], clause.start, clause.end)]
    if bare := re.fullmatch(
        r"(?:and |so |the )?(?P<who>mom|mum|dad|grandma|grandpa|granny|hubby|wife|missus)",
        text,
        re.IGNORECASE,
    ):
        reading.enter_person(key_of(bare)[0], clause.start)
        return []
    return _continued(clause, reading)


_LISTED = re.compile(
    rf"(?:and )?(?:also )?(?:an?|one|two|three) (?:{MANY}|{ONE})(?P<rest>.*)$", re.IGNORECASE
)
_ALLERGIC_AHEAD = re.compile(
    r"^(?:(?:because|cause|as|since) )?(?:she|he|they)(?:(?:'s| is|'re| are) (?:\w+ )?allergic(?: to (?:it|them|that|those))?$| (?:comes?|breaks?) out in \w+| gets? (?:a rash|hives|an? (?:allergic )?reaction)| swells? up| goes into shock)",
    re.IGNORECASE,
)


def _continued(clause: Clause, reading: Reading) -> list[Found] | None:
    if not reading.person:
        return None
    text, key = clause.text, reading.person

    def placed(found: list[Found]) -> list[Found]:
        return [Found(f.key, f.value, reading.person_start, f.end) for f in found]

    if match := _LISTED.match(text):
        key, many = key_of(match)
        reading.enter_person(key, clause.start)
        reading.many = many
        return _about(match["rest"], key, clause, reading, many)
    if match := _EACH.match(text):
        named = name_in(match["rest"])
        return placed([Found(key, named[0], clause.start, clause.end)]) if named else []
    if match := _CALL_THEM.match(text):
        names = names_in(match["rest"]) or [n[0] for n in [name_in(match["rest"])] if n]
        return placed([Found(key, name, clause.start, clause.end) for name in names])
    if match := re.match(
        rf"(?:age[d:]? )?(?P<age>{DIGIT_OR_WORD})(?:[ -]?(?:years?|yrs?)[ -]?old| y/?o)?$|(?P<months>\d{{1,2}} (?:months?|weeks?) old)$",
        text,
        re.IGNORECASE,
    ):
        return placed([Found(f"{key}::age", match["age"] or match["months"], clause.start, clause.end)])
    if not (match := _GOES_ON.match(text)):
        return None
    if match["bare"]:
        if reading.person_named and not reading.many:
            return None
        names = names_in(match["bare"])
        if not names:
            return None
        reading.person_named = True
        return placed([Found(key, name, clause.start, clause.end) for name in names])
    if match["names"]:
        return placed([Found(key, name, clause.start, clause.end) for name in names_in(match["names"])])
    if match["mine"]:
        return placed(_about(match["mine"][4:], key, clause, reading, False))
    rest = f"'s{match['own']}" if match["own"] else match["rest"]
    return placed(_about(rest if rest.startswith("'") else f" {rest}", key, clause, reading, reading.many))


def _about(rest: str, key: str, clause: Clause, reading: Reading, many: bool) -> list[Found]:
    out: list[Found] = []

    def found(part: str, value: str) -> None:
        if value:
            out.append(Found(key + part, value, clause.start, clause.end))

    pet = key.startswith("user::pet")
    rest = re.sub(r"^ (?:who lives |living )?in (?-i:[A-Z])\w+ (?=called|named)", " ", rest)
    if GONE.search(rest):
        return []
    link = _LINK.match(rest)
    said = rest[link.end() :] if link else rest
    if many:
        if not pet and (aged := _AGES.match(rest)):
            for age in re.findall(DIGIT_OR_WORD, aged["v"], re.IGNORECASE):
                found("::age", age)
            return out
        if (
            re.match(
                r"(?:\s*$|,? ?(?:is|are|'s|who|that|which|and I|at|in|with|from|under|over)\b(?! called| named))",
                said,
            )
            and not link
        ):
            return []
        if match := re.match(r"(?:[ :,(]|who are called|called|named)* ?(?P<v>.+)$", said, re.IGNORECASE):
            names = names_in(
                re.split(
                    r" (?:who|are|is|aged|\d|they|from|so|go|in|on|keep|both|when)\b|[(]| both", match["v"]
                )[0]
            )
            for name in names:
                found("", name)
            reading.person_named |= bool(names)
        return out
    named = (
        name_in(said, lower=bool(link))
        if link or not re.match(r"(?:is|'s|are)\b|^,? *(?:is|'s)? *$", said)
        else None
    )
    if (
        link
        and pet
        and (
            titled := re.match(
                r" ?(?P<v>(?:Mr|Mrs|Miss|Lady|Lord|Captain|Sir|Professor|Dr|King|Queen|Princess|Prince)\.? (?-i:[A-Z])[\w'-]+)",
                said,
            )
        )
    ):
        named = titled["v"], said[titled.end() :]
    if named and not link and not may_be_name(*named):
        named = None
    if not named and not link and (whose := _NAMED_BIRTHDAY.match(said)) and (alone := name_in(whose["v"])):
        named = alone[0], said[whose.end("v") :]
    if not link and (lower := _LOWER_NAMED.match(said)) and lower["v"] not in _NOT_NAMES:
        named = lower["v"], said[lower.end() :]
    if (
        not named
        and not link
        and (is_name := re.match(r"^ is (?P<v>[A-Z].*)$", rest))
        and (alone := name_in(is_name["v"]))
        and not tidy(alone[1])
    ):
        named = alone
    if not named and not link and (is_name := re.match(r"^, ?(?P<v>[A-Z].*)$", rest)):
        named = name_in(is_name["v"])
    if named and not re.match(
        r"'s? (?!name|birthday|turn|\d|an?\b|allerg)|,? (?:and|&) (?=[A-Z][a-z]+\b(?! I\b))(?!I\b).*\b(?:are|both)\b",
        named[1],
    ):
        found("", named[0])
        reading.person_named = True
        rest = named[1]
        if (
            (both := re.match(r" (?:and|&) (?P<v>[A-Z][\w'-]+)$", rest))
            and key.startswith("user::pet")
            and name_in(both["v"])
        ):
            found("", both["v"])
    elif link:
        return []
    if (match := _AGED.match(rest)) and is_to_come(rest):
        return out
    if match and _AGE_LED.match(rest):
        found("::age", match["age"] or match["months"] or "")
        if more := re.match(r" (?:and|but) (?P<v>.+)$", rest[match.end() :]):
            goes_on = f" {re.sub(r'^(?:he|she|it) ', '', more['v'])}"
            for part, value in said_of(goes_on, pet=pet) or said_of(f" is{goes_on}", pet=pet):
                found(part, value)
    elif match := re.match(
        r"'s (?P<v>\d\d)(?:th|st|nd|rd)(?: birthday)?(?: is| was|,)? (?:in|on|next|this|last|yesterday|today|tomorrow|coming)\b",
        rest,
    ):
        found("::age", match["v"])
    elif match := _BIRTHDAY.match(rest):
        found("::birthday", tidy(match["v"] or match["b"]))
    elif match := _TEACHES.match(rest):
        found("::job", tidy(re.split(r" (?:at|in|for|and|since)\b", match["v"])[0]))
    elif (match := _DIET.match(rest)) and not pet and _ALLERGIC_AHEAD.match(reading.ahead):
        found("::allergy", re.sub(r"^.*? (?:eat|drink|have|touch) ", "", match["v"]))
    else:
        for part, value in said_of(rest, pet=pet):
            found(part, value)
    return out
