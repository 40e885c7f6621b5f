"""What English speakers say of what is theirs (“my name is”), and whole clauses such as “call me Max” or
“penicillin gives me a rash”."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import slug, words
from .lexicon_en import DIETS, DIGIT_OR_WORD, ILLNESSES, UNPLEASANT
from .readers_en import (
    FOODS,
    Facts,
    Frame,
    age_in,
    allergens_in,
    date_in,
    each,
    favourite_in,
    first,
    frame,
    job_and_employer_in,
    likes_in,
    named_in,
    one,
    role_in,
    subject_in,
)
from .self_en import am, do, have
from .values_en import job_in, languages_in, name_in, org_in, place_in, things_in

__all__ = ["mine", "whole"]

_IS = r"(?:is|'s|are|has (?:always )?been|has to be|would be|will always be|:)"
_FIRST_PERSON = {"has": "have", "doesn't": "don't", "teaches": "teach", "studies": "study"}


_NO_HERE = frozenset(
    words(
        """bug typo error issue question help problem line mistake urgent emergency update warning hint spoiler nitpick correction answer comment note reminder tldr edit link source image photo file code test demo check done finished quick small big beginner newbie noob student parent introvert extrovert same someone nobody customer user foodie gamer reader writer kiwi aussie
        brit scot swede dane londoner yank texan everything nothing something anyone noone mum mom dad it's he she they we you anybody
        expert amateur fan hello hi hey idiot dummy novice rookie boomer millennial winter summer spring autumn christmas snow monday
        tuesday wednesday thursday friday saturday sunday weekend rain still only first last question problem issue welcome"""
    )
)


def here_in(match: re.Match[str]) -> Facts:
    """“nurse here”, “Desmond here”: what the user is, without a verb."""
    said = match["v"]
    if said.lower() in _NO_HERE:
        return []
    if (job := job_in(said)) and said.endswith(job):
        return [("user::job", said)]
    if facts := [fact for fact in am(f"a {said}") or am(said) if fact[0] != "user::name"]:
        return facts
    if (named := name_in(said)) and not named[1] and len(said.split()) <= 2 and match.string.startswith(said):
        return [("user::name", named[0])]
    return []


def place_is(match: re.Match[str]) -> Facts:
    """“Perth is where I live”."""
    lives = (match["what"] or match["own"]) in ("live", "based", "living", "call home", "home")
    place = place_in(match["v"])
    return [("user::home" if lives else "user::hometown", place)] if place and match["what"] != "work" else []


def in_first_person(match: re.Match[str]) -> Facts:
    """“someone who lives in Bonn” says what “I live in Bonn” says."""
    told = match["no"].lower()
    verb = _FIRST_PERSON.get(told, told.removesuffix("s"))
    return (have(match["v"]) if verb == "have" else []) or do(f"{verb} {match['v']}")


_MY: tuple[Frame, ...] = (
    frame(rf"(?:doctor|GP|dermatologist|neurologist|cardiologist|allergist|consultant|specialist|nurse|dietitian) (?:just |recently |has |finally )*(?:says|said|told me|confirmed|diagnosed me with)(?: that)?(?: (?:I have|I've got|I've|it's|I'm|I am))? (?:an? |early |mild |severe |chronic )*(?P<v>{ILLNESSES}|diabetic|prediabetic|asthmatic|an?emic)(?=$|\W)", one("user::condition")),
    frame(r"(?:full |first |given |real |legal |actual |chosen |preferred |nick)?name ?(?:is|'s|:) (?:actually |still |now )*(?:(?:spelled|spelt|written) (?:as )?(?=(?-i:[A-Z][a-z])))?(?P<v>(?!not\b|too\b).+)", named_in),
    frame(r"(?:friends|family|mates|colleagues|coworkers|mum|mom|team|students|kids)(?: at \w+)? (?:all |mostly |usually |just )?(?:calls?|know|knows) me (?:as )?(?P<v>.+)", named_in),
    frame(rf"(?:all-time |absolute |current |personal |number one |one )*(?:favou?rite|fave?) (?P<what>(?!is\b|are\b|of\b|part|thing about|way|about)[\w-]+(?: (?!is\b|are\b|was\b|has\b|to\b|of\b|in\b)[\w-]+){{0,2}})(?: (?:to \w+|of all time|ever|in the world))? ?{_IS} (?P<v>.+)", favourite_in),
    frame(rf"age ?(?:is|:) (?P<v>{DIGIT_OR_WORD})\b", one("user::age", age_in)),
    frame(r"(?:birthday|b-?day|date of birth|birth ?date|dob) ?(?:is|'s|falls|:)?(?: actually)?(?: in \w+ (?:days|weeks|months))?(?: on)?(?: the)? (?P<v>.+)", one("user::birthday", date_in)),
    frame(r"(?:new |home |postal |mailing |shipping |current |delivery |street )*address ?(?:is|:|has changed to|changed to)(?: now)? (?P<v>(?=.*\d|.*\b(?:street|road|avenue|lane|way|square|close|drive)\b).+)", one("user::address")),
    frame(r"(?:\w+ )?(?:e-?)?mail(?: address)? ?(?:is|'s|:|has changed to|changed to)?(?: now)? ?(?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))", one("user::contact::email")),
    frame(r"(?:new |work |private |home |current |personal |mobile |cell |phone |tele|whatsapp )*(?:phone|mobile|cell|number|landline|phone number)(?: number)? ?(?:is|'s|:|has changed to|changed to)?(?: now)? ?(?P<v>\+?[(\d][\d ().-]{5,20}\d)(?!\d)", one("user::contact::phone")),
    frame(r"(?:day |current |new |main )?(?:job|occupation|profession|title|role|job title) ?(?:is|:)(?: to)? (?:being |working as )?(?P<v>.+)", lambda m: [("user::job", v)] if (v := job_in(m["v"]) or (role_in(re.sub(r"^(?:an?|the) ", "", m["v"])) if not re.match(r"(?:so|very|really|too|hard|boring|stressful|killing|great|fun|not|awful|amazing|the best|going|tough|exhausting|getting|at|in|pretty|quite|done|a nightmare|ok|fine|a mess|making)\b", m["v"]) else None)) else []),
    frame(r"(?:current |new )?(?:employer|company|workplace) (?:is|:) (?:called )?(?P<v>.+)", one("user::work", lambda v: org_in(v) if v[:1].isupper() else None)),
    frame(r"(?:main |biggest |favou?rite |new |only )*(?:hobby|hobbies|passion|passions|interests?|pastime|pastimes|obsession) (?:is|are|include|includes|:) (?P<v>.+)", likes_in),
    frame(r"(?:go-to|favou?rite|usual|comfort) (?:[\w-]+ )?(?:drink|snack|food|order|dish|meal|breakfast|lunch|pizza|coffee|takeaway|karaoke song|game|show|workout) (?:is|are|:) (?P<v>.+)", likes_in),
    frame(r"(?:guilty pleasure|(?:biggest |only |one )?weakness|comfort food|happy place|biggest joy|drink of choice) (?:is|are|:) (?P<v>.+)", likes_in),
    frame(r"(?:native|first|main|home) language ?(?:is|'s|:) (?P<v>.+)", each("user::speaks", languages_in)),
    frame(r"mother tongue ?(?:is|'s|:) (?P<v>.+)", lambda m: [("user::speaks", v) for v in languages_in(m["v"])] or ([("user::speaks", n["v"])] if (n := re.match(r"(?P<v>[A-Z]\w+)$", m["v"])) else [])),
    frame(r"(?P<v>(?-i:[A-Z])\w+) is (?:pretty |quite |very |totally )?(?:fluent|native|good|decent|solid)\b", each("user::speaks", languages_in)),
    frame(r"home ?town ?(?:is|'s|:) (?P<v>.+)", one("user::hometown", place_in)),
    frame(r"(?:food )?allerg(?:y|ies) ?(?:is|are|include|:)(?: to)? (?P<v>.+)", each("user::allergy", allergens_in)),
    frame(r"(?:major|degree|course|phd|masters?|subject) ?(?:is|'s|:)(?: in)? (?P<v>.+)", one("user::studies", lambda v: subject_in(v) if not re.match(r"(?:set|so|very|really|hard|boring|not|going|due|almost|done|killing|useless|great|fun|taking)\b", v) else None)),
    frame(r"(?:home|house|flat|apartment|place) is in (?P<v>.+)", one("user::home", place_in)),
    frame(r"(?:diet) is (?P<v>(?:mostly |strictly )?[\w-]+(?: [\w-]+)?)$", one("user::diet", lambda v: v if re.search(DIETS, v) else None)),
)  # fmt: skip
_NOT_TOPIC = r"(?!(?:it|that|this|he|she|they|which|what|who|and|you|I|there|your|his|her|their|these|those|nobody|everyone|nothing)\b)"
_PHONE = r"(?P<v>\+?[(\d][\d ().-]{5,20}\d)(?!\d)"
_WHOLE: tuple[Frame, ...] = (
    frame(r"(?:(?:you|people|everyone|everybody|they|most people|friends|folks|colleagues)(?: (?:at|from|in) (?:\w+ )?\w+)? (?:can |may |should |all |usually |always |just |mostly )*|please |just |so |feel free to )*(?:calls? me|knows? me as) (?P<v>.+)", named_in),
    frame(r"(?:(?:the |my )?[\w ]{2,24} )?(?:should |must |needs? to )?(?:have|put|keep|got) me (?:down )?as (?P<v>(?-i:[A-Z]).+)", named_in),
    frame(r"(?:please )?(?:sign|put|book|reserve)(?: (?:it|this|me|off|the (?:letter|table|email|note|card|message)|a table)){0,2}(?: down| in)? (?:(?<=sign )as|(?<=off )as|(?<=it )as|(?<=down )as|(?<=letter )as|(?<=email )as|(?<=note )as|(?<=card )as|under(?= the name)(?: the name(?: of)?)?|with the name) (?P<v>(?-i:[A-Z]).+)", lambda m: [("user::name", n[0])] if (n := name_in(m["v"])) and re.match(r"$|,?(?: please| pls| thanks)?$", n[1]) else []),
    frame(r"at (?P<v>\d\d),? (?:I|I'm)(?= (?:still|finally|am|can't|have|just|feel|need|want|should|don't|never|\w+)\b)(?! (?:was|had|got|started|moved|left|learned|learnt|became|\w+ed)\b)", one("user::age", age_in)),
    frame(r"(?:out |over |up |down )?here in (?P<v>(?-i:[A-Z]).+)", lambda m: [("user::home", p)] if (p := place_in(m["v"])) and not re.search(r"\b(?:holiday|vacation|trip|visiting|conference|airport|weekend|hotel|week)\b", m.string) else []),
    frame(r"(?:greetings|hello|hi|hey) from (?:sunny |rainy |cold |beautiful )?(?P<v>(?-i:[A-Z]).+)", lambda m: [("user::home", p)] if (p := place_in(m["v"])) and not re.search(r"\b(?:holiday|vacation|trip|visiting|conference|airport|weekend|hotel)\b", m.string) else []),
    frame(r"(?:they|we|the (?:company|boss|board|team)|my (?:company|boss|manager)|work)(?:'ve| have|'s| has)? (?:just |finally )*(?:made|promoted|appointed) me (?:to |as )?(?:the |an? )?(?P<v>.+)", lambda m: [("user::job", v)] if (v := job_in(m["v"]) or (t["v"] if (t := re.match(r"(?P<v>(?:team|shift|tech|group|project|department) (?:lead|leader|head|manager))\b", m["v"])) else None)) else []),
    frame(r"(?:it was |it's |its |was )?my (?P<v>\d\d)(?:th|st|nd|rd)(?: birthday)?(?: (?:is|was))? (?:yesterday|today|tomorrow|next|on|this|last|in)\b(?!.*\b(?:day|time|week|year|attempt|visit) (?:at|of)\b)", one("user::age", age_in)),
    frame(r"(?:first|second|third|fourth|fifth|final|last)[- ]year (?P<v>(?!(?:phd|uni|college|university)\b)\w+(?: \w+)?) student(?=$|\W)", one("user::studies")),
    frame(r"(?P<v>(?-i:[A-Z])\w+) (?:is|was) my (?:mother tongue|(?:first|native|main|home) language)\b", each("user::speaks", languages_in)),
    frame(r"(?:can|could|shall) (?:we|you) (?:please )?(?:switch to|speak|use|continue in|talk in|chat in|do this in|go on in|stick to|keep (?:it|this|things) in) (?P<v>(?-i:[A-Z])\w+)(?=$|\W)", lambda m: [("user::language", v) for v in languages_in(m["v"])[:1]]),
    frame(r"(?P<v>lactose|gluten|dairy|milk|wheat|fructose|onions?|garlic|eggs?|soy|nuts?|shellfish) (?:doesn't|don't|does not|do not|never) (?:really )?(?:agree|sit well|get along) with me", each("user::allergy", allergens_in)),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,2}}) tastes? (?:just )?like (?:soap|feet|dirt|socks|garbage|cardboard|vomit)\b", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False)]),
    frame(r"(?P<v>(?:not going to|won't|no longer going to|are not going to) [\w' ]{3,60}) after all$", one("user::decision")),
    frame(r"(?:I'm|we're|I am|we are) (?P<v>(?:not )?going to [\w' ]{3,60}) after all$", one("user::decision")),
    frame(r"(?:we're|we are|I'm|I live|we live) at (?P<v>\d+\w? (?-i:[A-Z])[\w' ]+)", one("user::address")),
    frame(r"(?:the )?name(?:'s| is|:) (?P<v>(?!not).+)", lambda m: [("user::name", n[0])] if (n := name_in(m["v"])) else []),
    frame(r"(?:hi |hey |hello )?(?:it's|its|it is|this is)(?: just| only)? (?P<v>.+)", lambda m: [("user::name", n[0])] if (n := name_in(m["v"])) and re.match(r" (?:here|speaking|again|writing|from (?=[A-Z]))", n[1]) else []),
    frame(r"(?:an? |your |just an? |another |fellow |the )*(?P<v>(?!right|over|in|out|up|not|it's|everything|all|nobody|no one|been|from|new\b|the only)[\w' /-]{2,40}?) here(?=$|[,;:!)]| (?:from(?= [A-Z])|and|with|who|needing|looking|wondering|so|how|what|can|need|trying|seeking|asking|again)\b| ?[\U0001F300-\U0001FAFF])", here_in),
    frame(r"(?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w)) (?:is|'s) (?:my|the best|where you can reach me|how to reach me)\b(?! (?:wife|husband|boss|friend|mum|mom|dad|son|daughter|brother|sister|old))", one("user::contact::email")),
    frame(r"(?P<v>\+?[(\d][\d ().-]{5,20}\d) (?:is|'s) my (?:new |mobile |cell |phone |work )*(?:number|phone|mobile|cell)\b", one("user::contact::phone")),
    frame(r"(?:you can |please |just |best to |feel free to |to )*(?:e-?mail|reach|contact|write(?: to)?|mail|message) me (?:at|on|via|under|here:?|by email at) (?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))", one("user::contact::email")),
    frame(rf"(?:you can |please |just |best to |feel free to |or )*(?:call|text|reach|ring|phone|whatsapp|contact|message|sms) me (?:at|on|under|via|any ?time (?:at|on)) {_PHONE}", one("user::contact::phone")),
    frame(rf"(?:I can be|I'm) reach(?:ed|able) (?:at|on|under|by phone on|by phone at) {_PHONE}", one("user::contact::phone")),
    frame(r"(?:I can be|I'm) reach(?:ed|able) (?:at|on|under|via) (?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))", one("user::contact::email")),
    frame(r"(?:(?:I|we) (?:(?:always|usually|will|only|prefer to|would rather|mostly|want to|'d like to) |'ll )*|(?:please|always|from now on|just|can you|could you|try to|you should|only) )*(?:answer|reply|respond|speak|talk|write|chat|communicate|converse)(?: to| with)?(?: me| us| you)?(?: back)?(?: only| always)? (?:in |(?<!I speak )(?<!we speak )(?<!mostly speak )(?<!only speak )(?<!usually speak )(?<!always speak )(?<=speak ))(?:simple |plain |easy |British |American |proper |basic |simplified |traditional )?(?P<v>(?-i:[A-Z])\w+)(?=$| (?:please|pls|plz|thanks|thx|from now|only|always|with me|to me|here|because|since|going forward|in this|unless|so)\b|[;:)])", lambda m: [("user::language", v) for v in languages_in(m["v"])[:1]] if not re.match(r"(?:I|we) (?:\w+ )?(?:speak|write)\b", m.group()) else []),
    frame(r"(?:I'd|I would|we'd) (?:rather|prefer)(?: it if| if| that)?(?: you)? ?(?:answer(?:ed|s)?|reply|replied|replies|respond(?:ed)?|wrote|spoke|talked|use|used|to get (?:your )?answers|to speak|to chat|to talk)?(?: to me| with me)? ?(?:in )?(?P<v>(?-i:[A-Z])\w+)\b", lambda m: [("user::language", v) for v in languages_in(m["v"])[:1]]),
    frame(r"(?:please |let's |can we |could we |from now on )*(?:switch to|stick to|stick with|use|continue in|speak|talk in|chat in|keep (?:it|things|this) in) (?P<v>(?-i:[A-Z])\w+)(?=$| (?:please|from now|only|always|with me|here|for your)\b)", lambda m: [("user::language", v) for v in languages_in(m["v"])[:1]]),
    frame(r"(?P<v>(?-i:[A-Z])\w+) (?:only )?(?:answers |replies )?(?:please|only)$", lambda m: [("user::language", v) for v in languages_in(m["v"])[:1]]),
    frame(rf"(?:being|at the (?:ripe old )?age of) (?P<v>{DIGIT_OR_WORD})(?=$|,| (?:I|and|is|sucks|now)\b)", one("user::age", age_in)),
    frame(r"(?P<v>(?:translating|teaching|cleaning|driving|coding|nursing|farming|baking|plumbing|roofing|tutoring|modelling|editing|writing|acting|busking|gardening|welding|tailoring)(?: \w+){0,3}?) (?:pays|keeps) (?:the|my) (?:bills|lights on|rent)\b", one("user::job")),
    frame(r"(?:just )?(?:finished|starting|back from|on|after) (?:my|a|another) (?:\w+ )?shift as an? (?P<v>.+)", lambda m: [("user::job", v)] if (v := job_in(m["v"])) else []),
    frame(r"(?P<v>\d\d) ?[mf](?=$|,| (?:from|here|in|and|with)\b)", one("user::age", age_in)),
    frame(r"(?:it's|its|it is) actually (?P<v>(?-i:[A-Z]).+)", lambda m: [("user::name", n[0])] if (n := name_in(m["v"])) and re.match(r" with an?\b", n[1]) else []),
    frame(r"(?:please )?keep (?:your|the|all) (?:answers|replies|responses|messages) in (?P<v>(?-i:[A-Z])\w+)", lambda m: [("user::language", v) for v in languages_in(m["v"])[:1]]),
    frame(rf"(?:lifelong|strict|proud|committed|long-?time|recent|new) (?P<v>{DIETS})(?=$|\W)", one("user::diet")),
    frame(r"(?:just |please |best to )*(?:call|text|ring)(?: or (?:call|text))(?: me)?(?: on| at)? (?P<v>\+?[(\d][\d ().-]{5,20}\d)(?!\d)", one("user::contact::phone")),
    frame(r"(?:please |could you |can you |you can |you may )*(?:address|refer to) me as (?P<v>.+)", named_in),
    frame(r"(?:the )?(?:reservation|booking|table|order|appointment|account|ticket)(?: is)? (?:under|in the name of) (?:the name )?(?P<v>(?-i:[A-Z]).+)", lambda m: [("user::name", n[0])] if (n := name_in(m["v"])) and re.match(r"$|,?(?: please| pls| thanks)?$", n[1]) else []),
    frame(rf"(?P<v>{DIGIT_OR_WORD}) and (?:still|counting|never|single|unmarried|feeling|proud|broke|tired)\b", one("user::age", age_in)),
    frame(r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|many) years as an? (?P<v>.+)", lambda m: [f for f in job_and_employer_in(m["v"]) if f[0] == "user::job"]),
    frame(r"(?:(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty) years (?:now )?|back )(?:at|with) (?P<v>(?-i:[A-Z])[\w&' ]+?)(?= (?:and|after|since|so|now|from|today|but)\b|$)", lambda m: [("user::work", o)] if (o := org_in(m["v"])) and not re.search(r"\b(?:school|college|university|home|uni|Christmas|Easter)\b", m["v"], re.IGNORECASE) else []),
    frame(r"(?:they|work|the boss|my boss|HR)(?:'ve| have)? (?:just |finally )?(?:made|promoted) me (?:to |up to )?(?:an? |the )?(?P<v>head of [\w ]+|.+)", lambda m: [("user::job", v)] if (v := job_in(m["v"])) else []),
    frame(r"(?:my )?(?:uni |college |university |degree )?course is (?P<v>(?!due|hard|so|boring|not|going|great|full|long|too|set\b|over|free|online|cancelled|closed|really|very|the|a|an)[\w ]{3,30})$", one("user::studies", subject_in)),
    frame(r"(?:first|second|third|fourth|final|last|1st|2nd|3rd) year of (?:my )?(?P<v>[\w ]{3,24}?)(?: school| degree| studies)(?= (?:is|and|here|now|so|but|at)\b|$)", lambda m: [("user::studies", v)] if (v := subject_in(m["v"])) and not re.match(r"(?:college|uni|high|school|university|marriage|my|our|the)\b", v) else []),
    frame(r"(?:finally |just |I )*got into (?:uni|university|college|(?-i:[A-Z])\w+) (?:for|to (?:study|read|do)) (?P<v>.+)", one("user::studies", subject_in)),
    frame(r"give me (?!(?:an? |some |the )?(?:list|hint|name|break|example|reason|minute|second|number|summary|set)\b)(?:an? |some )?(?P<v>[\w' -]{3,30}?) over [\w' ]+?(?: any ?(?:day|time))?$", likes_in),
    frame(r"nothing (?:quite )?like (?P<v>.+)", likes_in),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,2}}?) has (?:completely |totally )?(?:taken over my life|become my (?:life|obsession|new obsession))\b", likes_in),
    frame(r"you(?:'ll| will) (?:usually |always )?find me (?P<v>in the (?:garden|gym|kitchen|library|mountains|pub|pool|workshop)|\w+ing\b[\w ]*?)(?: (?:most|every|on|all|at)\b.*)?$", one("user::likes")),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,2}}?) and I (?:are not|aren't|will never be|don't) (?:friends|get on|agree)\b", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False)]),
    frame(r"(?P<v>cats?|dogs?|dust|pollen|onions(?= .*allerg)|feathers|grass|mould|mold|perfume|horses|rabbits)(?: always| really)? makes? my (?:eyes (?:water|itch|stream|swell)|nose run|skin itch|throat close)", one("user::allergy")),
    frame(r"(?:just |got |have |I've got |I have )*(?:a )?(?:bit of an?|slight|mild|bad|severe|nasty|serious) (?P<v>(?!food|seasonal|skin)[\w-]+) (?:allergy|intolerance)\b", lambda m: [("user::allergy", v) for v in allergens_in(m["v"])]),
    frame(r"my (?:skin|stomach|body|gut) (?:can't|cannot|doesn't|won't) (?:handle|tolerate|take|like|agree with|process) (?P<v>.+)", each("user::allergy", allergens_in)),
    frame(r"(?P<v>(?!it|that|this)[\w-]+(?: [\w-]+)?) is my enemy\b", lambda m: [("user::allergy", v) for v in allergens_in(m["v"])] if re.search(r"\b(?:nuts?|peanuts?|shellfish|shrimp|prawns|gluten|sesame|soy|milk|dairy|pollen|lactose|wheat)\b", m["v"], re.IGNORECASE) else []),
    frame(r"(?:favou?rite|fave?) (?P<what>(?!is\b|of\b|part|thing|way)[\w-]+(?: (?!is\b|are\b|was\b)[\w-]+)?) (?:is|are) (?P<v>.+)", favourite_in),
    frame(r"(?:you can |feel free to |best to |just )*(?:get|catch|get hold of|find) me (?:on|at) (?P<v>\+?[(\d][\d ().-]{5,20}\d)(?!\d)", one("user::contact::phone")),
    frame(r"(?:you can |feel free to |please |just )*(?:drop|send|shoot) me (?:a line|an? e-?mail|a note|a message) (?:at|to|on) (?P<v>(?a:[\w.+-]+@[\w-]+\.[\w.-]*\w))", one("user::contact::email")),
    frame(r"(?:(?:my )?(?:whatsapp|telegram|mobile|cell|tel)(?: number)?(?: is|'s|:| -)? ?|number's )(?P<v>\+?[(\d][\d ().-]{5,20}\d)(?!\d)", one("user::contact::phone")),
    frame(r"(?:my |our )?(?:family )?roots are in (?P<v>.+)", one("user::hometown", place_in)),
    frame(r"(?P<v>(?-i:[A-Z])[\w'-]+) (?:speaking|on the line)$", lambda m: [("user::name", n[0])] if (n := name_in(m["v"])) and not n[1] else []),
    frame(rf"(?:they|the (?:doctors?|hospital|clinic)) (?:just |recently |finally )*diagnosed me with (?P<v>{ILLNESSES})(?=$|\W)", one("user::condition")),
    frame(r"(?P<v>(?!it|that|this)(?:(?:Mt|St|Dr|Mr|Mrs|Ms)\. )?[\w'-]+(?: [\w'-]+){0,3}?)(?: is| are|'s) my (?:all-time |absolute )?(?:fav(?:e|ou?rite)?) (?P<what>[\w-]+(?: [\w-]+)?)$", favourite_in),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,3}}?) (?:is|are) (?:what I do|how I) (?:to |for )?(?:relax|unwind|fun|cope|de-?stress|switch off)\b", likes_in),
    frame(rf"(?P<v>{_NOT_TOPIC}(?!the |this |my |our |some |all )[\w'-]+(?: [\w'-]+){{0,2}}?) (?:is|are) (?:just |so |absolutely |really |honestly |simply )*(?:disgusting|gross|vile|revolting|the devil)$", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False) if not UNPLEASANT.search(v)]),
    frame(r"nothing (?:makes me happier|relaxes me more|is better|compares) (?:than |to )(?P<v>.+)", likes_in),
    frame(rf"(?P<v>{_NOT_TOPIC}(?-i:[A-Z])[\w' -]{{1,30}}?) (?:is|has been|will always be) (?:where (?:I|we)(?:'m| am| 're| are)? (?P<what>live|based|living|from|grew up|was born|raised|come from|call home|work)|(?:my |our )?(?P<own>home|home ?town)(?= (?:now|for me|to me|these days|since|for)|$))", place_is),
    frame(r"home (?:for me |for us )?is (?:now |currently |in )*(?P<v>(?-i:[A-Z]).+)", one("user::home", place_in)),
    frame(r"(?:I|we) call (?P<v>(?-i:[A-Z])[\w' ]{1,30}?) home\b", one("user::home", place_in)),
    frame(r"(?P<v>(?-i:[A-Z])[\w' ]{1,24}?) (?:born and (?:bred|raised)|native here|native)$", one("user::hometown", place_in)),
    frame(r"(?:speaking )?(?:as|being) (?:someone|somebody|a person|one) who(?:'s| is) (?P<v>.+)", lambda m: am(m["v"])),
    frame(r"(?:speaking )?(?:as|being) (?:someone|somebody|a person|one) who (?P<no>can't|cannot|doesn't|never|hates|has|lives|works|loves|likes|plays|speaks|teaches|studies|suffers|enjoys|collects|avoids|keeps|owns|grew|moved) (?P<v>.+)", in_first_person),
    frame(r"(?:speaking )?(?:as|being) (?:someone|somebody|a person|one) (?:living|based) in (?P<v>.+)", one("user::home", place_in)),
    frame(rf"(?:as|being) (?:someone|somebody|a person) (?:with|who (?:has|suffers from|lives with)) (?:\w+ )??(?P<v>{ILLNESSES})(?=$|\W)", one("user::condition")),
    frame(rf"(?:I |we )?(?:have |'ve |got |have got |just got |changed my number to )*(?:an? |the |my )?new (?:phone |mobile |cell )?number ?(?:is|'s|:)? ?{_PHONE}", one("user::contact::phone")),
    frame(r"(?:as|speaking as|being) an? (?P<v>.+)", lambda m: [("user::age", a["v"])] if (a := re.match(rf"(?P<v>{DIGIT_OR_WORD})[- ]year[- ]old", m["v"])) else [(k, v) for k, v in job_and_employer_in(m["v"]) if k in ("user::job", "user::work")] + ([("user::diet", d["v"])] if (d := re.match(rf"(?P<v>{DIETS})(?=$|\W)", m["v"])) else [])),
    frame(r"(?:(?:as|since|because|cos) )?(?P<v>(?!(?:it|that|this|he|she|they|which|what|who|and|you|I)\b)[\w'-]+(?: [\w'-]+){0,4}?) (?:(?:always|really|usually|will) )*(?:gives?|puts?|makes?|sends?|lands?|got|put|makes|closes|swells|brings) (?:me|my (?:\w+ )?(?:throat|face|lips|tongue|skin|mouth|eyes))(?: (?:in|to|into|really|very|so|a|an|the|bad|break out|come out|out|all|terrible|horrible|violently|super|severe|terribly|properly)){0,4} (?:rash|hives|hospital|swell|swollen|sick|itchy?|anaphyla\w+|wheez\w+|ill|er|a&e|sneez\w+|shock|blotch\w+|close)\b", lambda m: [("user::allergy", v) for v in allergens_in(re.sub(r"^(?:eating|drinking|even|just|touching|a bite of) ", "", m["v"]))] if not re.search(r"\b(?:boats?|cars?|flying|people|heights|news|driving|thought|you|buses|reading|travel\w*|work|smell|roller ?coasters?|stress|idea)\b", m["v"], re.IGNORECASE) else []),
    frame(r"(?P<v>[\w'-]+(?: [\w'-]+){0,2}) (?:could|would|can|will|nearly|almost) (?:kill|killed) me", lambda m: [("user::allergy", v) for v in allergens_in(m["v"])] if re.search(r"\b(?:nuts?|peanuts?|stings?|shellfish|shrimp|prawns|penicillin|latex|eggs?|milk|dairy|fish|wasps?|bees?|sesame|soy|cashews?|almonds?|kiwi)\b", m["v"], re.IGNORECASE) else []),
    frame(r"(?P<v>(?!(?:it|that|this|he|she|they|which|what|who|and|you|I|there)\b)[\w'-]+(?: [\w'-]+){0,4}?)(?: is| are|'s) (?:really |totally |just |absolutely |definitely )*my (?:thing|passion|jam|hobby|happy place|guilty pleasure|life|everything|biggest passion|weakness|great love|absolute favou?rites?|favou?rites?|idea of fun)(?=$|\W)", lambda m: [("user::likes", v) for v in things_in(m["v"])]),
    frame(r"(?P<v>(?!(?:it|that|this|he|she|they|which|what|who|and|you|I|there)\b)(?:(?:Mt|St|Dr|Mr|Mrs|Ms)\. )?[\w'-]+(?: [\w'-]+){0,4}?) (?:is|are) my (?:all-time |absolute )?favou?rite (?P<what>[\w-]+(?: [\w-]+)?)$", favourite_in),
    frame(r"(?P<v>(?!(?:it|that|this|he|she|they|which|what|who|and|you|I|there)\b)[\w'-]+(?: [\w'-]+){0,4}?) (?:isn't|aren't|is not|are not|is really not|just isn't|is just not|'s not) (?:really |exactly |at all )*(?:my (?:thing|cup of tea|jam)|for me)(?=$|\W)", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False)]),
    frame(r"(?:please )?(?:send|ship|deliver|mail|post)(?: (?:it|them|this|that|everything|the [\w ]{2,20}?))? to (?:my place at |me at |us at |my address,? |my office at |us at )?(?P<v>(?:(?:Unit|Flat|Apt|Apartment|Suite|Room|No\.?|Block|House) ?)?\d+\w?,? ?[A-Z0-9].*|(?:Unit|Flat|Apt|Apartment|Suite) ?\w{1,5})", one("user::address")),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,4}}?) (?:(?:always|really|just|totally|is what) )*(?:keeps? me (?:sane|going|happy|calm|grounded|young)|calms? me(?: down)?|relax(?:es)? me|makes? me (?:so |really |very )?(?:happy|smile)|makes? my day|cheers? me up|(?:is|are) (?:life|my (?:therapy|escape|zen|drug of choice))|brings? me joy)(?=$|\W)", lambda m: [("user::likes", v) for v in things_in(m["v"])] if not re.match(r"(?:seeing|my|our|the) ", m["v"]) else []),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,4}}?) (?:(?:always|really|just|still|honestly|usually) )*(?:makes? me (?:gag|cringe|retch|want to (?:gag|puke|vomit)|nauseous)|turns? my stomach|gross(?:es)? me out|creeps? me out|gives? me the (?:creeps|ick|heebie-jeebies)|bores? me (?:to (?:death|tears)|stiff|silly))(?=$|\W)", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False)] if not re.match(r"(?:seeing|my|our|the|talking|thinking|being) ", m["v"]) else []),
    frame(r"(?:a )?(?:big|huge|massive|proper|total|lifelong|die-?hard|serious|avid|unashamed|long-?time) (?P<v>[\w' -]{2,30}?) (?:person|fan|nerd|lover|geek|buff|enthusiast|addict|fanatic|girl|guy|girly)(?: here)?$", likes_in),
    frame(rf"(?P<v>{_NOT_TOPIC}[\w'-]+(?: [\w'-]+){{0,2}}) and I (?:don't|do not|really don't) (?:mix|get along|agree)\b", lambda m: [("user::allergy", v) for v in allergens_in(m["v"])] if re.search(r"\b(?:nuts?|peanuts?|shellfish|shrimp|prawns|penicillin|latex|eggs?|milk|dairy|gluten|wheat|lactose|bees?|wasps?|sesame|soy|cashews?|almonds?|cats?|pollen)\b", m["v"], re.IGNORECASE) else []),
    frame(r"(?:my (?:\w+ )?(?:throat|face|lips?|tongue|skin|mouth|eyes|hands)|I) (?:swells? up|swells?|puffs? up|breaks? out(?: in \w+)?|comes? out in \w+|itch(?:es)?|closes? up|goes? numb|tingles?|get hives|can't breathe)(?: \w+)? (?:(?:around|near|from)(?= )|(?:if|when|whenever|every time|as soon as) I (?:so much as |even |just |only )?(?:eat|have|touch|drink|look at|smell|am near|go near|come near|wear|lick|bite into|taste)(?: an?| any| some)?) (?P<v>.+)", each("user::allergy", allergens_in)),
    frame(r"nothing beats (?P<v>.+)", likes_in),
    frame(rf"(?P<v>{_NOT_TOPIC}[\\w'-]+(?: [\\w'-]+){{0,3}}?) (?:is|are) my (?:worst |biggest |absolute )?(?:nightmare|pet peeve|pet hate|kryptonite|idea of hell|arch[- ]?enemy)$", lambda m: [("user::dislikes", v) for v in things_in(m["v"], pleasant=False)]),
    frame(rf"no (?P<what>{FOODS}|[\w-]+)(?: for me| please)$", lambda m: [(f"user::diet::{slug(m['what'])}", m.group())] if re.fullmatch(FOODS, m["what"], re.IGNORECASE) else []),
    frame(rf"(?:ours is|we're|we are) an? (?:strictly |mostly )?(?P<v>{DIETS}) (?:household|family|home|couple)", one("user::diet")),
    frame(r"(?:it's |it is )?(?:decided|final decision|the decision is made|decision made|it's settled|settled):? (?P<v>(?!to\b|on\b|that\b|by\b).{3,80})", one("user::decision")),
)  # fmt: skip


def mine(rest: str) -> Facts:
    return first(_MY, rest)


def whole(text: str) -> Facts:
    return first(_WHOLE, text)
