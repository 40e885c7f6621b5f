"""English rules: what a clause says about its speaker and the speaker's family.

Every rule fits a clause from its first word, so that “nobody thinks I'm …” says nothing about the user.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator

from .asides_en import taken_for_granted
from .clauses import Clause, Found, slug
from .loose_en import loosely
from .mine_en import mine, whole
from .people_en import read_people
from .plans_en import event_in, todo_in
from .readers_en import Facts, employer_in
from .reading import Reading
from .self_en import am, do, have
from .values_en import GIVEN_NAME, name_in, names_in, things_in, tidy

__all__ = ["read"]

_OPENERS = re.compile(
    r"^(?:(?:hi|hello|hey|hiya|yo|hi all|hey there|hi there|hello there|good morning|good evening|well|so|and|but|also|actually|ok|okay|yes|yeah|yep|no(?=[,.!])|nope|btw|by the way|fyi|oh|ah|um|uh|plus|now|because|since(?! (?:relocating|moving|coming|I moved|I came|we moved|we came)\b)|as you know|just so you know|to be clear|honestly|that(?= (?:I|I'm|I've|my|we|our)\b)|please note|note|"
    r"tbh|ngl|for the record|in case it matters|about me|one thing|here's|here is|quick intro|quick update|update|good news|big news|news|finally|anyway|though|luckily|sadly|unfortunately|well then|personally|for context|for what it's worth|just fyi|heads up|ps|p\.s|reminder|more about me|nice to meet you|a bit about me|some context|context|"
    r"as(?= (?:I|my|we)\b)|given(?: that)?|considering(?: that)?|seeing (?:as|that)|now that|knowing(?: that)?|'?cause|coz|cos|cuz|(?:the )?(?:fact|thing|problem|truth|issue|trouble) is(?: that)?|(?:it )?turns out(?: that)?|fun fact|confession|listen|look|ugh+|omg|wow|yay|hmm+|argh|oof|sigh|woo+|phew|as I said|like I said|again|unrelated|off topic|k|thx|thanks|thank you|cheers|one more thing|fwiw|imo|guys|folks|mate|pal|dude|bro|long story short|full disclosure|tmi|tbf|reminder that|I (?:can|must) (?:confirm|admit|confess)(?: that)?|I admit(?: that)?|I(?:'d| should| must| forgot to| want to| have to| need to)(?: probably| also)? (?:say|mention|add|note|point out)(?: that)?|did I mention(?: that)?|(?:you should|so you|just so you|for you to) know(?: that)?|bear in mind(?: that)?|a little about me|me(?=,)|right|today|lately|recently|these days|nowadays|currently|at the moment|right now|on weekends|at weekends|in my (?:free|spare) time|on (?:sundays|saturdays)|usually|as of (?:today|now)|speaking of which|not gonna lie|to be honest|these days|by day|by trade|truth be told|yesterday|for now|apparently not|both|officially|of course)\b[ ,!:–-]*)+(?=\S)",
    re.IGNORECASE,
)
_ADJUNCT = re.compile(
    r"^(?!if\b|unless\b|when\b)(?:after|before|following|thanks to|in|on|at|last|this|for|with|due to|because of|from|over|during|between|around|back in|until|apart from|besides|like|despite|since)\b(?:(?!\b(?:if|would|not|when|wish|I|we)\b)[^,]){2,45}? (?=(?:I|we)(?:'ve|'m|'re|'ll)?\b)",
    re.IGNORECASE,
)
_ALLERGIC_AHEAD = re.compile(
    r"^(?:(?:because|cause|as|since|coz|cuz) )?(?:(?:I'm|I am|im) )?(?:\w+ )?allergic(?: to (?:it|them|that|those))?$",
    re.IGNORECASE,
)
_HATED_AHEAD = re.compile(
    r"(?:(?:because|cause|as|since|coz|cuz) )?I (?:really |just |absolutely )*(?:hate|can't stand|don't like|dislike|detest|loathe|despise) (?:it|them|that|those|the \w+)$",
    re.IGNORECASE,
)
_AVOIDED = re.compile(
    r"^(?:please )?(?:no|skip|hold the|hold|avoid|leave out|without|(?:(?:I|we) )?(?:can't|cannot|cant|don't|can not) (?:eat|have|do|touch|drink|use|take|go near)) (?:any |the )?(?P<v>[\w' -]{2,30}?)(?: please| for me| in it| these days| now)*$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"(?:I|we)(?:'m| am|'re| are|'ve| have)?(?: \w+)? (?:think|guess|suppose|suspect|might|may|could(?! (?:listen to|watch|eat|live on|drink|play|read|talk about)\b)|would|should|wish|want|hope|plan|dream|consider\w*|not sure|unsure|thinking|wondering|tempted|planning|hoping|trying|considering|debating|toying|supposed|about to quit|doubt|assume|imagine|wonder|bet|feel like|am not sure|used to|wanna|need to decide)\b"
    r"|(?:I|we)'d (?!rather|prefer|like you)|(?:maybe|perhaps|hopefully|possibly|probably|not sure|thinking|wish|hope|might|considering|toying|wondering|unsure|planning|still|once|if)\b|(?:I|we) had\b(?! (?:an? (?:little )?(?:baby|son|daughter|boy|girl)|our|twins|born|diagnosed|raised|brought|recently diagnosed|just diagnosed))",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:he|she|they|it|you|your|his|her|their|the|this|that|these|those|someone|everyone(?! calls?)|everybody(?! calls?)|people(?! call)|some|an?|one|which|who|there)\b(?! name(?:'s| is))"
    r"|my (?:\w+ )?(?:friend|friends|boss|neighbou?r|colleague|coworker|co-worker|flatmate|roommate|landlord|teacher|client|manager|team|ex|ex-\w+)\b",
    re.IGNORECASE,
)
_ADVERBS = r"(?:(?:really|also|just|absolutely|truly|always|still|particularly|especially|do(?= (?:really |not )?(?:like|love|enjoy|hate|live|work|have|eat|speak|prefer)\b)|generally|usually|personally|mostly|both|actually|currently|now|kind of|kinda|sort of|definitely|totally|simply|honestly|already|even|myself|too|only(?! (?:eat|drink)\b)|all|mainly|basically|finally|recently|originally|officially|genuinely|secretly|happily|quite|rather|most|very much|so|do really|often|frequently|regularly|sometimes|strongly|deeply|lowkey|low-key|super|hugely) )*"
_ADVERB = _ADVERBS.removeprefix("(?:").removesuffix(" )*")
_BE = re.compile(
    rf"(?:(?:both )?(?:my|our) \w+(?: [A-Z]\w+)? and I are|(?:both )?me and my \w+ are|I'm|I am|Im|we're|we are|I've been|I have been|ive been|we've been|we have been|been|I've always been|'m|am) (?:(?!mostly|mainly|only){_ADVERB} )*(?P<rest>.+)$",
    re.IGNORECASE,
)
_HAVE = re.compile(
    rf"(?:I|we)(?:'ve| have|ve)(?: got)? {_ADVERBS}(?P<rest>.+)$|(?:have|got|have got) (?P<bare>.+)$",
    re.IGNORECASE,
)
_DO = re.compile(
    rf"(?:I|we|my \w+ and I|me and my \w+|\w+ and I)(?:'ve| have(?!n't)|'ll| will|'re| are|'m| am)? ?{_ADVERBS}(?P<rest>.+)$",
    re.IGNORECASE,
)
_MY = re.compile(r"(?:my|our)(?: own)? (?P<rest>.+)$", re.IGNORECASE)
_BARE = re.compile(
    rf"{_ADVERBS}(?P<rest>(?:am|been|born|based|living|working|moved|went|grew|raised|employed|studying|allergic|originally from|from (?-i:[A-Z])|fluent|live|work|love|hate|enjoy|adore|speak|eat|don't|dont|can't|cant|never|not (?:a|an|into|keen|really|much)|huge fan|big fan|massive fan|a (?:huge|big) fan|joined|started|turned|turning|just turned|diagnosed|suffer|decided|relocated|"
    r"play|prefer|married|retired|pregnant|vegan|vegetarian|diabetic|majoring in|celebrated my|off (?:meat|dairy|gluten|sugar|alcohol|coffee|carbs)|based|been on this|on (?:insulin|dialysis|keto|chemo|warfarin)|\d{1,2} weeks pregnant|gone|playing|sticking with|halfway through|writing from|taking|learning|driving|starting (?:at|with) (?-i:[A-Z])|enrolled|sucker|quit|gave up|dislike|currently|still (?:in|at|living|teaching|working|based|studying|running)|based|teaching|loving (?:the|my) new|enjoying (?:the|my) new|in my|\d\d(?:\s?yo|\s?y/?o| years?)|study|doing|teach|run|got|have|settled|allerg|severely allergic|into|obsessed|mum|mom|dad|an? |own|use|follow|keep|avoid|drive|collect|lactose|coeliac|celiac|can|switched|relocating|stay|bought)\b.*)$",
    re.IGNORECASE,
)
# “Working at Acme must be fun” is said of anybody.
_GENERIC = re.compile(
    r"\w+ing\b.* (?:is|must|would|sounds?|seems?|means?|can|costs?|sucks|was|has|requires?|takes|makes)\b",
    re.IGNORECASE,
)
_NO_ITEM = re.compile(
    r"^(?:dont|doesnt|cant|wont|pls|plz|sorry|don't|doesn't|no|not|it's|that's|just|obviously|help|any|got|need|pls|lol|ha|tho|honestly|right|ok|okay|yes|if|ideally|especially|as|well|too|the end|cheers|ta|mate|love|lads|everyone|guys|hey|hi|hello|recommend|suggest|find|give|show|tell|make|let|let's|I|he|she|it|they|we|you|my|his|her|their|please|thanks?|what|so|can|could|do|and (?:I|my|we))\b|\b(?:vegetarian|vegan|is|are|was|live|work)\b",
    re.IGNORECASE,
)
_NO_LIST = re.compile(
    r"^(?:so|because|but|since|though|not)\b|\b(?:my|our|always|never|really|just|often|usually|please|me|thanks|need|take|make|get|go)\b",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"^(?:my )?(?:all-time |absolute )?fav(?:e|ou?rite)? (?P<what>[\w-]+(?: [\w-]+)?)$", re.IGNORECASE
)
_ROLE_AT = re.compile(
    r"^(?!(?:I|we|he|she|they|you|my|our|the|this|that|an?|some|any|every)\b)(?:[\w-]+ ){0,4}?(?:student|undergrad|engineer|developer|designer|nurse|teacher|manager|analyst|researcher|doctor|consultant|lawyer|accountant|chef|scientist|barista|driver) (?:at|for|in|from) (?:the )?[A-Z][\w&'.-]*(?: (?:[A-Z][\w&'.-]*|of|the|and|&)){0,4}$"
)
# What is asked for and what is looked for: “how to become a teacher in Finland”.
_NO_ROLE = re.compile(r"\b(?:how|what|who|to|become|becoming|being|best|good|find|need)\b", re.IGNORECASE)
_MADE_UP = re.compile(
    r"(?:(?:I|we)(?:'ve| have)? ?)?(?:(?:finally|just|ok|okay|so) )*(?:made up (?:my|our) minds?|made (?:a|my|our|the) decision|made the call|decided|(?:it's |that's )settled|final answer|final call|final verdict|final decision|come to a decision)(?: that)?$",
    re.IGNORECASE,
)
# “Raw onion. Can't stand it”: a noun alone, and how the user feels about it.
_TOPIC = re.compile(
    r"(?!(?:he|she|they|it|you|this|that|what|who|thanks|sorry|yes|no|ok|okay|hi|hello|people|everyone|my|your|his|her)\b)(?P<v>[a-z][\w'-]*(?: [\w'-]+){0,2})",
    re.IGNORECASE,
)
_OF_TOPIC = re.compile(
    r"(?:(?:I|and|but|just|really|absolutely|I'm|am|we) )*(?P<verb>love|adore|hate|loathe|despise|dislike|detest|can't stand|cannot stand|can't bear|can't eat|don't eat|don't like|allergic to|obsessed with|addicted to|not a fan of|can't get enough of)(?: eating)? (?:it|them|that stuff|those)(?=$| (?:so|at|all|with|anymore|any more|to|since|ever)\b)",
    re.IGNORECASE,
)
_NAME_LAST = re.compile(
    rf"(?:^|^(?:meet|this is|say hi to|say hello to|here's|and|it's) |\b(?:with|to|for|named|called) )(?P<v>{GIVEN_NAME})$",
    re.IGNORECASE,
)
_MOVED_THERE = re.compile(
    r"(?:(?:I|we)(?:'ve| have|'m| am|'re| are)? )?(?:(?:just|recently|only|currently|actually|now|also) )*(?:(?:moved|relocated) (?:there|here)|live (?:there|here|in the (?:\w+ )?(?:part|centre|center|north|south|east|west|suburbs|old town)|near the centre|near the center|close by|nearby)|based (?:there|here)|new (?:there|here|in town)|a local)\b",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"(?:and )?(?:that's|that is|it's) (?:final|settled|decided|that|my final (?:answer|decision))$",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"(?:I'm|we're|I am|we are|I'll|we'll|I will|we will) (?:going to |gonna )?(?P<v>.{3,80})$", re.IGNORECASE
)
# “In my free time I restore radios”: what is done then is liked.
_LEISURE = re.compile(
    r"\b(?:(?:free|spare) time|weekends?|(?:most|every) (?:sun|satur)days?|sundays|saturdays|evenings|to (?:relax|unwind)|for fun)\b",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"(?:I|we) (?:(?:usually|mostly|always|often|like to|love to|tend to|just) )*(?P<v>(?!have|am|work|sleep|need|can|don't|want|was|get|feel|think|do nothing|should|must|will|visit my|see my|see the|take care|clean)[a-z]+(?: [\w'-]+){1,4})$",
    re.IGNORECASE,
)
# “As a teacher, how would one …”: what anybody in that role does.
_IN_A_ROLE = re.compile(r"(?:speaking )?(?:as|being) an? ", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|I'\w+|my|me|we|our|us|im|ive)\b", re.IGNORECASE)
_ANYBODY = re.compile(r"\b(?:one|you|someone|somebody|anyone|people|they)\b", re.IGNORECASE)
# “The interview is tomorrow and he hasn't ironed a shirt”: whose it is, is told behind it.
_OF_OTHERS = re.compile(
    r"(?:and |but |so )?(?:he|she|they|his|her|their)\b|.*\b(?:they|he|she) (?:leave|go|be|do|take)\b",
    re.IGNORECASE,
)
# The verbs that a list may follow; “I sing in a choir, alto” lists nothing.
_LISTING = re.compile(
    r"\b(?:lov|lik|ador|enjoy|hat(?:e|ing)|dislik|loath|detest|despis|allergic|intolerant|into|fans?|fond|keen|speak|fluent|prefer|stand|bear|favou?rite|eat|drink|mad|crazy|addicted|obsessed|collect|dig|fancy|passion|interests?|hobb)",
    re.IGNORECASE,
)
_LISTS = ("user::allergy", "user::likes", "user::dislikes", "user::speaks")


def read(clause: Clause, reading: Reading) -> Iterator[Found]:
    """What one clause says. `reading` knows what came before it in the message."""
    opener = _OPENERS.match(clause.text)
    skipped = opener.end() if opener else 0
    led = whole(clause.text[skipped:])
    if adjunct := None if led else _ADJUNCT.match(clause.text[skipped:]):
        skipped += adjunct.end()
    text = clause.text[skipped:]
    if (_ALLERGIC_AHEAD.match(reading.ahead) or _HATED_AHEAD.match(reading.ahead)) and (
        avoided := _AVOIDED.match(text)
    ):
        yield from (
            Found(
                "user::allergy" if _ALLERGIC_AHEAD.match(reading.ahead) else "user::dislikes",
                v,
                clause.start,
                clause.end,
            )
            for v in things_in(avoided["v"], pleasant=False)
        )
        return
    if (
        (role := _IN_A_ROLE.match(text))
        and not _FIRST_PERSON.search(f"{text[role.end() :]} {reading.ahead}")
        and _ANYBODY.search(f"{text[role.end() :]} {reading.ahead}")
    ):
        reading.enter_other()
        return
    now = bool(opener and re.search(r"\bnow\b", opener.group(), re.IGNORECASE))
    said = Clause(text, clause.start + skipped)
    if opener and re.search(r"about me|intro", opener.group(), re.IGNORECASE):
        reading.speaker = "am"
    if both := re.match(
        r"(?:both )?(?:(?P<who>(?:my|our) \w+(?: (?-i:[A-Z])[\w'-]+)?),? and I|me and (?P<me>my \w+(?: (?-i:[A-Z])[\w'-]+)?)) (?P<rest>.+)$",
        text,
        re.IGNORECASE,
    ):
        yield from taken_for_granted(Clause(f"{both['who'] or both['me']} ", said.start), reading)
        reading.enter("do")
        yield from (
            Found(key, value, said.start, said.end)
            for key, value in _about_me(f"we {both['rest']}", reading, now=False)
            if value
        )
        return
    text = re.sub(
        r"^one of my (?:\w+ )?(?:hobbies|passions|interests) is ", "my hobby is ", text, flags=re.IGNORECASE
    )
    text = re.sub(
        r"^me (?=(?:nan|nana|mam|mum|mom|da|dad|gran|grandad|brother|sister|daughter|son|wife|husband|missus)\b)",
        "my ",
        text,
    )
    text = re.sub(r"^I(?:'ve| have) (?:always|long|never not) had\b", "I have", text)
    text = re.sub(
        r"^I(?:'ve| have) always (lov|lik|hat|ador|enjoy|prefer)(?:r?ed)\b",
        lambda m: f"I {m[1]}{'' if m[1] in ('enjoy', 'prefer') else 'e'}",
        text,
    )
    if reading.pending:
        pending, reading.pending = reading.pending, ""
        if 0 < len(text.split()) <= 6 and not _NO_ITEM.search(text):
            yield Found(pending, tidy(text), reading.pending_start, clause.end)
            return
    if favourite := _FAVOURITE.match(text):
        reading.pending, reading.pending_start = f"user::favorite::{slug(favourite['what'])}", said.start
        return
    if reading.fresh and not reading.speaker and not reading.person:
        if (
            re.match(r"(?:\d{2}|\d{2} (?:years old|yo|y/o)|\d{2}[mf])$", reading.ahead)
            and (named := names_in(text))
            and text.isascii()
            and len(named) == 1
            and len(text.split()) <= 2
        ):
            reading.enter("am")
            yield Found("user::name", named[0], said.start, said.end)
            return
        if reading.ahead and _ROLE_AT.match(text) and not _NO_ROLE.search(text):
            reading.enter("am")
            yield from (
                Found(key, value, said.start, said.end)
                for key, value in am(text, listed=True) or am(f"a {text}")
            )
            return
    if now and reading.speaker == "am" and (place := re.match(r"in (?P<v>[A-Z].+)$", text)):
        yield from (Found(key, value, said.start, said.end) for key, value in am(f"living in {place['v']}"))
        return
    if reading.decided:
        reading.decided = False
        if match := re.match(
            r"(?:(?:I'm|we're|I am|we are|I'll|we'll|I will|we will)(?: going to| gonna)? )?(?P<v>.{3,80})$",
            text,
            re.IGNORECASE,
        ):
            yield Found("user::decision", tidy(match["v"]), clause.start, clause.end)
            return
    if _MADE_UP.match(text):
        reading.decided = True
        return
    if re.match(
        r"(?:I|we) used to\b|(?:I|we) (?:lived|worked)\b|(?:I|we) (?:was|were)\b(?! (?:born|diagnosed|raised|brought|recently diagnosed|just diagnosed))|used to\b",
        text,
        re.IGNORECASE,
    ):
        reading.enter_other()
        reading.past = True
        return
    if _UNSURE.match(text):
        reading.enter_other()
        return
    found = read_people(said, reading)
    if found is None:
        facts = _about_me(text, reading, now=now)
        if facts:
            found = [Found(key, value, said.start, said.end) for key, value in facts if value]
            key = facts[-1][0]
            if key in _LISTS and _LISTING.search(text) and not re.search(r"\ballerg(?:y|ies)\b", text):
                reading.enter_list(key, said.start)
        else:
            found = _listed(clause, reading)
    found = [*found, *(f for f in taken_for_granted(clause, reading) if f.key not in {g.key for g in found})]
    found += [f for f in loosely(said) if f.key not in {g.key for g in found}]
    if not found and reading.place_before and _MOVED_THERE.match(text):
        found = [Found("user::home", reading.place_before, said.start, said.end)]
    reading.place_before = ""
    if not found:
        topic = reading.topic
        if topic and (feeling := _OF_TOPIC.match(text)):
            found = [
                Found(key, value, reading.topic_start, said.end)
                for key, value in do(f"{feeling['verb']} {topic}") or am(f"{feeling['verb']} {topic}")
            ]
    if not found and (todo := todo_in(text)):
        found = [Found(f"task::{slug(todo)}", todo, said.start, said.end)]
    if not found and not _OF_OTHERS.search(reading.ahead) and (event := event_in(text)):
        found = [Found("user::event", event, said.start, said.end)]
    if not found and _FINAL.match(reading.ahead) and (final := _SETTLED.match(text)):
        found = [Found("user::decision", tidy(final["v"]), said.start, said.end)]
    if (
        not found
        and _LEISURE.search(clause.text[: said.start - clause.start])
        and (habit := _HABIT.match(text))
    ):
        found = [Found("user::likes", tidy(habit["v"]), said.start, said.end)]
    _remember_names(said, reading)
    alone = _TOPIC.fullmatch(text)
    reading.topic, reading.topic_start = (alone["v"] if alone and not found else ""), said.start
    if not found and not reading.person and _OTHERS.match(text):
        reading.enter_other()
    yield from found


def _remember_names(clause: Clause, reading: Reading) -> None:
    """The name at the end of a clause, for what the next one says of it: “Bruno, my terrier”."""
    reading.name_before = ""
    if match := _NAME_LAST.search(clause.text):
        named = name_in(match["v"])
        reading.name_before = named[0] if named and not named[1] else ""
        reading.name_start = clause.start + match.start("v")


def _about_me(text: str, reading: Reading, *, now: bool) -> Facts:
    if facts := whole(text):
        reading.enter("do" if facts[0][0] != "user::name" else "am")
        return facts
    if match := _BE.match(text):
        reading.enter("am")
        rest = match["rest"]
        if (
            rest.startswith("in ")
            and ((now and reading.past) or re.match(r"in [A-Z]\w+ (?:now|these days)$", rest))
            and not re.search(r"\b(?:week|today|weekend|days? only)\b", rest)
        ):
            return am(f"living {rest}")
        began = re.match(r"(?:I'm|I am|Im)\b", text, re.IGNORECASE)
        if at := re.match(
            r"(?:I'm|I am) (?:(?:now|officially|finally|newly|currently) )+(?:at|with) (?P<v>(?-i:[A-Z]).+)",
            text,
            re.IGNORECASE,
        ):
            return employer_in(at)
        if facts := am(rest, may_name=bool(began)):
            return facts
        if re.match(r"(?:(?:I've|I have|been|we've|we have)\b)", text, re.IGNORECASE):
            if match := re.match(r"(?:at|with) (?P<v>[A-Z].+) (?:for|since)\b", rest):
                return do(f"work at {match['v']}")
            if facts := have(rest) or do(rest):
                return facts
        return do(rest) if re.match(r"not\b", rest) else []
    if re.match(r"(?:I|we)(?:'ve| have)\b", text, re.IGNORECASE) and (match := _HAVE.match(text)):
        reading.enter("do")
        return have(match["rest"]) or do(match["rest"]) or do(f"have {match['rest']}")
    if match := _DO.match(text):
        reading.enter("do")
        if re.match(r"(?:lived|worked|been) ", match["rest"]) and not re.match(
            r"(?:I|we)(?:'ve| have)\b", text, re.IGNORECASE
        ):
            return []
        return do(match["rest"]) or (am(match["rest"]) if re.match(r"(?:was|were) ", match["rest"]) else [])
    if match := _MY.match(text):
        facts = mine(match["rest"])
        reading.enter("do" if facts else "")
        return facts
    if (reading.speaker or reading.fresh) and not reading.person and (match := _BARE.match(text)):
        rest = re.sub(r"^(?:am|been) ", "", match["rest"])
        if re.match(r"(?:moved|relocated|moving) (?:\w+ )*?to (?-i:[a-z])", rest):
            return []
        if _GENERIC.match(rest):
            return []
        rest = re.sub(r"^(?:an? )?(?:huge|big|massive) fan of", "a fan of", rest)
        facts = (
            []
            if re.match(r"(?:an?|not) ", rest)
            and not reading.speaker
            and not re.match(r"not (?:an?|into|keen|really|much)\b", rest)
            else am(rest, listed=reading.speaker == "am")
            or do(rest)
            or (have(re.sub(r"^(?:have|got) ", "", rest)) if re.match(r"(?:have|got|an? )", rest) else [])
        )
        if not facts and (
            place := re.match(r"been (?:at|with) (?P<v>[A-Z].+?) (?:for|since)\b", match["rest"])
        ):
            facts = do(f"work at {place['v']}")
        if facts and not (
            reading.fresh
            and not reading.speaker
            and facts[0][0] == "user::likes"
            and re.match(r"(?:like|play|into|keep|stay)\b", rest)
        ):
            reading.enter(reading.speaker or "do")
            return facts
        return []
    if reading.speaker == "am" and not reading.person:
        return am(text, listed=True)
    return []


def _listed(clause: Clause, reading: Reading) -> list[Found]:
    """A clause without a subject goes on with the list before it."""
    text = clause.text
    if (
        not reading.list_key
        or _NO_ITEM.search(text)
        or len(text.split()) > (6 if re.match(r"(?:and|or)\b", text) else 5 if " and " in text else 2)
        or _NO_LIST.search(text)
    ):
        return []
    items = things_in(re.sub(r"^(?:and|or) ", "", text), pleasant=reading.list_key == "user::likes")
    if items and all(len(item.split()) <= 3 for item in items):
        return [Found(reading.list_key, item, reading.list_start, clause.end) for item in items]
    return []
