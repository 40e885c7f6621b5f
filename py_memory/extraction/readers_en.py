"""English frames, a pattern with a reader of what it fits, and the readers that frames share."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Callable

from .clauses import slug
from .values_en import (
    job_in,
    name_in,
    org_in,
    place_in,
    thing_in,
    things_in,
    tidy,
)

__all__ = [
    "FOODS",
    "NOT_ALLERGENS",
    "SINCE",
    "Facts",
    "Frame",
    "age_in",
    "allergens_in",
    "born_in",
    "date_in",
    "diet_item_in",
    "dislikes_in",
    "each",
    "employer_in",
    "favourite_in",
    "first",
    "frame",
    "home_in",
    "job_and_employer_in",
    "likes_in",
    "named_in",
    "one",
    "role_in",
    "subject_in",
]

Facts = list[tuple[str, str]]
Frame = tuple[re.Pattern[str], Callable[[re.Match[str]], Facts]]

NOT_ALLERGENS = re.compile(
    r"\b(?:meetings?|work|working|bullshit|drama|mondays?|mornings?|exercis\w+|people|commitment|nonsense|stupid\w*|small talk|maths?|fun|cleaning|housework|adult\w*|responsibilit\w+|cardio"
    r"|fools|idiots|politics|bureaucracy|paperwork|deadlines|emails?|the gym|effort|change|sports?|losing|cooking|chores|romance|excel|powerpoint|nothing|anything|them|it|that|this|you|hypocrisy|mediocrity)\b",
    re.IGNORECASE,
)
FOODS = r"(?:meat|red meat|alcohol|drinking|booze|sugar|dairy|gluten|coffee|caffeine|carbs|pork|beef|wheat|milk|eggs|seafood|fish|soda|sweets|animal products|bread|spicy food|fried food|nightshades)"
_BORN = re.compile(
    r"(?:on |in )?(?P<v>(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?[ ./-]?(?:of )?)?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ ./-]?)?(?:\d{1,2}(?:st|nd|rd|th)?)?(?:,? ?(?:in )?(?:19|20)\d\d|[./-]\d{1,4}(?:[./-]\d{2,4})?)?)(?=$|\W)",
    re.IGNORECASE,
)
HOLIDAYS = r"(?:christmas(?: eve| day)?|new year'?s(?: eve| day)?|halloween|valentine'?s(?: day)?|boxing day|leap day|april fools'?(?: day)?|st\.? patrick'?s day|bastille day|the (?:4th|fourth) of july)"
_MONTH_OR_DAY = re.compile(
    r"(?:19|20)\d\d|\d[./-]\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\d|\d.*\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
SINCE = r"(?= (?:now|too|as well|except|apart from|but not|these days|by the way|since|for|and|but|so|household|family|here|all|btw|most|who|anyway)\b|$|[;:)(]| ?[\U0001F300-\U0001FAFF])"


def frame(pattern: str, read: Callable[[re.Match[str]], Facts]) -> Frame:
    return re.compile(pattern, re.IGNORECASE), read


def one(key: str, read: Callable[[str], str | None] = tidy) -> Callable[[re.Match[str]], Facts]:
    def take(match: re.Match[str]) -> Facts:
        value = read(match["v"])
        return [(key, value)] if value else []

    return take


def each(key: str, read: Callable[[str], list[str]]) -> Callable[[re.Match[str]], Facts]:
    return lambda match: [(key, value) for value in read(match["v"])]


def allergens_in(text: str) -> list[str]:
    return (
        []
        if NOT_ALLERGENS.search(text)
        else [
            re.sub(r"^(?:cow'?s (?=milk)|tree (?=nuts$))", lambda m: m.group(), v)
            for v in things_in(text, pleasant=False)
        ]
    )


def date_in(text: str) -> str | None:
    if holiday := re.match(rf"(?:on )?(?P<v>{HOLIDAYS})\b", text, re.IGNORECASE):
        return holiday["v"]
    match = _BORN.match(text)
    return tidy(match["v"]) if match and _MONTH_OR_DAY.search(match["v"]) else None


def age_in(text: str) -> str | None:
    return text if not text.isdigit() or 3 <= int(text) <= 110 else None


def home_in(text: str) -> str | None:
    return place_in(text)


def born_in(match: re.Match[str]) -> Facts:
    out: Facts = []
    said = match["v"]
    if (date := date_in(said)) or (
        (later := re.search(r"\b(?:in|on) (?=(?:19|20)?\d|the \d|[A-Z][a-z]+ \d)", said))
        and (date := date_in(said[later.end() :]))
    ):
        out.append(("user::birthday", date))
    if (
        at := re.search(
            r"\b(?:in|near) (?=[A-Z\u3400-\u9fff])(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)",
            said,
        )
    ) and (place := place_in(said[at.end() :])):
        out.append(("user::hometown", place))
    return out


def employer_in(match: re.Match[str]) -> Facts:
    """“for Acme as a nurse”."""
    said = match["v"]
    out: Facts = []
    role = re.search(r"\bas (?:an?|the|one of the)? ?(?P<job>.+)", said)
    if org := org_in(re.split(r" as (?:an?|the)\b", said)[0]):
        out.append(("user::work", org))
    if role and (job := job_in(role["job"]) or role_in(role["job"])):
        out.append(("user::job", job))
    return out


def role_in(text: str) -> str | None:
    match = re.match(
        r"(?P<v>[\w&'-]+(?: [\w&'-]+){0,3}?)(?= (?:at|for|in|from|with|on|and|here|now|but|so|since|these|there)\b|$|[;:)(])",
        tidy(text),
    )
    return (
        None
        if not match
        or match["v"].lower() in ("well", "usual", "hard", "fast", "team", "much", "it", "one", "whole")
        else match["v"]
    )


def job_and_employer_in(said: str) -> Facts:
    """A job, and the employer behind it."""
    job = job_in(said)
    if not job:
        return []
    if job.lower().endswith(("student", "undergrad")):
        return _student(said) or [("user::job", job)]
    out = [("user::job", job)]
    rest = said[said.index(job) + len(job) :]
    if (
        (
            at := re.match(
                r" (?:at|for|with) (?!heart|home|first|now|the moment|my own|all|life|fun|hire|a living|over|\d)(?P<org>.+)",
                rest,
            )
        )
        and (org := org_in(at["org"]))
        and not at["org"].startswith(("a ", "an "))
    ):
        out.append(("user::work", org))
    if (
        at := re.match(
            r"(?: by trade| by profession)? (?:up |down |out |over )?(?:in|from|based in|living in|working in|here in) (?P<place>[A-Z].+)",
            rest,
        )
    ) and (place := place_in(at["place"])):
        out.append(("user::hometown" if rest.startswith(" from") else "user::home", place))
    return out


def _student(said: str) -> Facts:
    match = re.search(r"(?:(?:PhD|doctoral|grad(?:uate)?|master's|masters|exchange|college|university|undergrad|uni|high[- ]school|[\w-]+[- ]year|law school) )*student (?:of|studying|doing|in(?! (?-i:[A-Z]))) (?P<v>[\w &'-]+?)(?= (?:at|in|and)\b|$)", said, re.IGNORECASE) or re.search(
        r"(?:an?|the)? ?(?:(?:PhD|doctoral|grad(?:uate)?|master's|masters|exchange|college|university|undergrad|uni|high[- ]school|[\w-]+[- ]year|final-year|second-year) )*(?P<v>(?!(?:PhD|doctoral|graduate|grad|exchange|college|university|school|year|uni|mature|good|bad|poor|full-time)\b)[\w-]+(?: [\w-]+)?) (?:PhD )?(?:student|undergrad)", said, re.IGNORECASE)  # fmt: skip
    return (
        [("user::studies", tidy(match["v"]))]
        if match and match["v"].lower() not in ("high school", "a", "an")
        else []
    )


def subject_in(text: str) -> str | None:
    if re.match(
        r".*\b(?:when|if|while)\b|(?:for|hard|harder|better|best|more|less|alone|together|daily|all|at|late|abroad|tonight|today|in|the|how|my|from|here|every|what|this|with|a lot|and|too|on)\b",
        text,
    ):
        return None
    match = re.match(
        r"(?P<v>[\w&'/-]+(?: [\w&'/-]+){0,4}?)(?= (?:at|in|with|and (?:I|work|live)|now|right|for|because|but|so|since|on|full|part|under|here|abroad|through|this|there)\b|$|[;:)(,])",
        tidy(text),
    )
    return match["v"] if match else None


def diet_item_in(match: re.Match[str]) -> Facts:
    said = re.split(r",? (?:or|and) any(?:thing|body)?\b", match["what"])[0]
    what = (
        thing_in(said)
        if not re.search(
            r"^(?:at|in|on|and|or|with|for|like|as|to|from|off|by|without|tonight|tomorrow|alone|late|early|fast|slowly)\b|\b(?:with|when|if|another|one more|that|so|such|bite|lunch|breakfast|dinner|much|well|enough|properly|out|yet|today|there|here|alone|until|before|after|anything|everything|it|that|this|when|at all)\b",
            said,
        )
        else None
    )
    if not what:
        return []
    first = re.split(r",| or | and ", what)[0]
    end = match.start("what") - match.start("v")
    return [(f"user::diet::{slug(first)}", tidy(match["v"][:end] + what))]


def likes_in(match: re.Match[str]) -> Facts:
    said = match["v"]
    if re.match(r"(?:to )?(?:an? )?(?:good|nice|bit of) ", said, re.IGNORECASE):
        return []  # of “I love a good list” anything may be meant
    if re.search(r"\bprefer", match.group()[: match.start("v") - match.start()], re.IGNORECASE):
        said = re.split(r" (?:to|over|rather than|instead of) ", said)[0]
    return [("user::likes", value) for value in things_in(said)]


def dislikes_in(match: re.Match[str]) -> Facts:
    return [("user::dislikes", value) for value in things_in(match["v"], pleasant=False)]


def named_in(match: re.Match[str]) -> Facts:
    named = name_in(match["v"], lower=True)
    return (
        [("user::name", named[0])]
        if named
        and not re.match(
            r" (?:a|an|when|if|at (?!work|home|school|the office)|tomorrow|later|back|on|is|for)\b", named[1]
        )
        else []
    )


def favourite_in(match: re.Match[str]) -> Facts:
    value = tidy(
        re.split(
            r" (?:because|and (?:I|my|we|it|nobody|no one|everyone|people|they|you|he|she)|but|since|so|by far|by a mile|of all|at the moment|right now|these days|in the world|hands down|no contest|any day|every time)\b",
            match["v"],
        )[0]
    )
    value = re.sub(r"^(?:probably|definitely|still|always|by far|actually|the color|the colour) ", "", value)
    good = (
        value
        and len(value.split()) <= 7
        and not re.match(
            r"(?:not|no longer|to be|that|this|it|undefined|when|what|how|you|your|unknown)\b", value
        )
    )
    return [(f"user::favorite::{slug(match['what'])}", value)] if good else []


def first(frames: tuple[Frame, ...], text: str) -> Facts:
    for pattern, read in frames:
        if (match := pattern.match(text)) and (found := read(match)):
            return found
    return []
