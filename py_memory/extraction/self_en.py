"""What English speakers say of themselves: what they are, what they have and do, and what is theirs.

A frame is a pattern that fits what follows the subject, and a reader that takes its values out.
"""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import slug
from .lexicon_en import DIETS, DIGIT_OR_WORD, ILLNESSES
from .readers_en import (
    FOODS,
    NOT_ALLERGENS,
    SINCE,
    Facts,
    Frame,
    age_in,
    allergens_in,
    born_in,
    diet_item_in,
    dislikes_in,
    each,
    employer_in,
    first,
    frame,
    home_in,
    job_and_employer_in,
    likes_in,
    named_in,
    one,
    role_in,
    subject_in,
)
from .values_en import field_in, job_in, languages_in, name_in, org_in, place_in, tidy

__all__ = ["am", "do", "have"]

_I_AM: tuple[Frame, ...] = (  # each takes all that follows
    frame(r"(?:(?:very|dead|super|quite|pretty|a bit|a little|so|proper|well|hella|\w+ly) )*(?:allergic|anaphylactic|intolerant|sensitive(?= to (?:gluten|lactose|dairy|caffeine|nuts|histamine)))(?: to)? (?P<v>.+)", each("user::allergy", allergens_in)),
    frame(r"(?:(?:an?|such|the|a) )?(?:big |huge |great |massive |lifelong |die-?hard |real |total |true |long-?time |proper )*(?:fan|lover|fans) of (?P<v>.+)", likes_in),
    frame(r"(?:so |very |super |totally |big |really |pretty |quite |heavily |completely |absolutely |deeply )*(?:into|crazy about|mad about|nuts about|fond of|keen on|obsessed with|addicted to|passionate about|hooked on|in love with|partial to|fascinated by|interested in) (?P<v>.+)", likes_in),
    frame(r"not (?:really |much |exactly |particularly |at all |super |too |that |so |very )*(?:an?|the|into|keen on|fond of|big on|crazy about)? ?(?:big |huge |great |massive |much of a |biggest )*(?:fan of|fan of|(?<=into)|(?<=keen on)|(?<=fond of)|(?<=big on)|(?<=crazy about)) ?(?P<v>.+)", dislikes_in),
    frame(r"(?:an? )?(?:total |complete |real |huge )?(?:sucker for|big on|all about|devoted to|hooked to) (?P<v>.+)", likes_in),
    frame(r"(?:never (?:really |ever )?been|no) (?:much of |an? |really |that |particularly |very |too |big |huge )*(?:fan of|into|keen on|fond of|big on|crazy about|one for) (?P<v>.+)", dislikes_in),
    frame(r"(?:(?:now|officially|finally|newly|currently|still|starting|working|based|full-time) )+(?:at|with) (?P<v>[A-Z].+)", lambda m: employer_in(m) if re.match(r"[A-Z]", m["v"]) else []),
    frame(r"(?:an?|in my|in) (?:first|second|third|fourth|final|last)[- ]year (?:student )?(?:at|of|in) (?P<v>[\w ]+? (?:school|college|studies|degree))\b", one("user::studies", lambda v: re.sub(r" (?:school|college|studies|degree)$", "", v))),
    frame(r"(?:learning|taking|doing|having|attending|starting|started|studying) (?:(?:\w+ )?(?:classes|lessons|courses?|a course|evening classes) in )?(?P<v>(?-i:[A-Z])\w+)(?: (?:lessons|classes))?(?=$|\W)", each("user::studies", lambda v: languages_in(v)[:1])),
    frame(r"(?:taking|doing|having|attending|starting) (?:(?:an? )?(?:\w+ )?(?:classes|lessons|course|courses|evening classes|degree|apprenticeship|diploma)) in (?P<v>.+)", one("user::studies", subject_in)),
    frame(rf"(?:living|struggling|dealing|diagnosed|battling|suffering|born) (?:with|from) (?:really |very |a bit of |mild |severe |chronic |bad |some |serious |terrible |early |also |a \w+ form of )*(?P<v>{ILLNESSES})(?=$|\W)", one("user::condition")),
    frame(r"(?:studying|working) (?:for|towards?) (?:my|an?) (?P<v>[\w ]{3,30}?) (?:degree|diploma|qualification|certificate)\b", one("user::studies")),
    frame(r"reading (?P<v>\w+(?: and \w+)?) at (?:uni|university|college|(?-i:[A-Z])\w+)", one("user::studies")),
    frame(r"(?:was |were )?born (?P<v>deaf|blind|prematurely deaf|with (?:one|a) [\w ]{3,20})(?=$|\W)", one("user::condition")),
    frame(r"(?:writing|typing|calling|texting|checking in|messaging|speaking)(?: to you)?(?: all the way)? from (?P<v>(?-i:[A-Z]).+)", one("user::home", home_in)),
    frame(r"in (?P<v>marketing|sales|finance|advertising|insurance|education|healthcare|real estate|hospitality|logistics|HR|PR|publishing|construction|retail|cybersecurity)(?=$| (?:now|too|and|at|for|so|myself)\b)", one("user::job")),
    frame(rf"(?P<v>off (?P<what>{FOODS}))(?=$| (?:now|these|for|at|since|and|so|but)\b)", lambda m: [(f"user::diet::{slug(m['what'])}", m["v"])]),
    frame(r"an? (?P<where>(?-i:[A-Z])[\w ]{2,20}?)-based (?P<v>.+)", lambda m: [("user::home", m["where"]), *[("user::job", v) for v in [job_in(m["v"])] if v]]),
    frame(r"doing (?P<v>\w+(?: and \w+)?) at (?:uni|university|college|(?-i:[A-Z])\w+ University)\b", one("user::studies")),
    frame(rf"(?P<v>{DIGIT_OR_WORD}) years young\b", one("user::age", age_in)),
    frame(rf"an? (?:wo)?man of (?P<v>{DIGIT_OR_WORD})\b", one("user::age", age_in)),
    frame(rf"on this (?:planet|earth) (?:for )?(?P<v>{DIGIT_OR_WORD}) years", one("user::age", age_in)),
    frame(r"(?:(?:now|finally|home|settled) )*back (?:home )?in (?P<v>(?-i:[A-Z])[\w' -]+?) (?:for good|permanently|to stay)\b", one("user::home", home_in)),
    frame(r"based out of (?P<v>.+)", one("user::home", home_in)),
    frame(r"(?:from|originally from) (?P<v>.+)", one("user::hometown", place_in)),
    frame(r"with the (?P<v>(?:local )?(?:fire (?:brigade|service|department)|police|army|navy|air force|coast ?guard|ambulance service|red cross))\b", one("user::work")),
    frame(r"(?:halfway through|in the middle of|about to finish|nearly done with) (?:my|an?) (?P<v>[\w ]{3,30}?) (?:apprenticeship|degree|course|diploma|phd|master's)\b", one("user::studies")),
    frame(r"\d{1,2} (?:weeks|months) (?P<v>pregnant)\b", one("user::condition")),
    frame(r"(?:nearly|almost|practically|legally|partially) (?P<v>blind|deaf)(?=$|\W)", one("user::condition")),
    frame(r"(?P<v>on (?:insulin|dialysis|antidepressants|blood thinners|chemo|warfarin|lithium|the pill))\b", one("user::condition")),
    frame(rf"(?:gone|going) (?:completely |fully |mostly )?(?P<v>{DIETS})(?=$|\W)", lambda m: [("user::diet", m["v"])] if m.group().lower().startswith("gone") else []),
    frame(r"(?:fairly |totally |completely |also |nearly )*(?:fluent|bilingual|trilingual|conversational) in (?P<v>.+)", each("user::speaks", languages_in)),
    frame(r"(?:an?|the) native (?P<v>[A-Z]\w+)(?: |-)?speaker", each("user::speaks", languages_in)),
    frame(r"born (?P<v>.+)", born_in),
    frame(r"(?:employed|working) (?:(?:full[- ]time|part[- ]time|nights|days|weekends|shifts|remotely|from home) )*(?:at|for|with|by) (?P<v>.+)", employer_in),
    frame(r"working (?:\w+ )?as (?:an?|the) (?P<v>.+)", lambda m: job_and_employer_in(m["v"]) or [("user::job", v) for v in [role_in(m["v"])] if v]),
    frame(r"working in (?P<v>.+)", one("user::job", field_in)),
    frame(r"(?P<v>(?:driving|teaching|building|fixing|repairing|selling|designing|coding|programming|translating|farming|baking|brewing|cutting hair|nursing|delivering|cleaning|running|managing)\b(?: (?!my|his|her|you|him|them|it|errands|late|a fever|around)[\w-]+){0,4}?) (?:for|since) (?:a living|about |over |nearly |almost )?(?:\d+|a|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|many|19\d\d|20\d\d|the|I)\b(?!.*\b(?:hours?|days?|weeks?|minutes?)\b)", one("user::job")),
    frame(r"(?:doing|finishing|working on|pursuing|writing|starting|getting|completing) (?:an?|my|our) (?:\w+ )?(?:phd|master'?s|masters|msc|ma|ba|bsc|mba|bachelor'?s|degree|doctorate|thesis|dissertation|diploma)(?: degree)? (?:in|on) (?P<v>.+)", one("user::studies", subject_in)),
    frame(rf"eating (?:an? |mostly |strictly |only )*(?P<v>{DIETS})\b", one("user::diet")),
    frame(r"at (?:uni|university|college|school) (?:doing|studying|reading) (?P<v>.+)", one("user::studies", subject_in)),
    frame(r"(?:studying(?: to (?:be|become) an?)?|majoring in|minoring in|training to be(?:come)?(?: an?)?|training as(?: an?)?|doing a degree in|enrolled in) (?P<v>.+)", one("user::studies", subject_in)),
    frame(r"(?:going to|gonna) (?:go (?:with|for)|stick with|take|pick) (?P<v>(?:the|option|plan) (?!train|bus|day|kids|dog|car|stairs|lift|rest|bins?|trash|rubbish)[\w' -]{3,50})$", one("user::decision")),
    frame(r"(?:going with|going for) (?P<v>the .+|option .+|plan .+)", one("user::decision")),
)  # fmt: skip
_I_AM_PART: tuple[Frame, ...] = (  # up to an “and”
    frame(rf"(?:(?:a|an|also|now|actually|both|currently|lifelong|strict|all|pretty much|basically|of|in|practising|practicing|proud|a) )*(?P<v>(?:(?:strictly|mostly|mainly|fully|strict|almost|largely|basically|raw) )?(?:{DIETS})){SINCE}", one("user::diet")),
    frame(rf"(?:also |now |currently |mostly )*on (?:the |an? )?(?P<v>{DIETS}(?: diet)?)(?=$|\W)", one("user::diet")),
    frame(r"(?:also |now |currently )?on an? (?P<v>[\w-]+(?: [\w-]+)? diet)", one("user::diet")),
    frame(r"(?:also )?(?P<v>(?:lactose|gluten|fructose|histamine|dairy|wheat|egg)[- ](?:intolerant|sensitive))\b", one("user::allergy")),
    frame(r"(?:also )?(?:an? )?(?P<v>co?eliac)(?: disease)?\b", one("user::condition")),
    frame(r"(?:severely |legally |partially |a bit |also |red-green |profoundly |slightly |mildly |badly |\w+ (?:months|weeks) |heavily |an? |type [12] )*(?P<v>diabetic|pregnant|colou?r[- ]?blind|left[- ]handed|deaf(?: in (?:one|my \w+) ear)?|hard of hearing|blind(?: in (?:one|my \w+) eye)?(?! to)|epileptic|asthmatic|autistic|dyslexic|bipolar|an?emic|hypertensive|immunocompromised|visually impaired|neurodivergent|hearing impaired|on the (?:autism )?spectrum|in a wheelchair|wheelchair[- ]bound|wheelchair user|amputee|arthritic|short-?sighted|near-?sighted|far-?sighted|recovering alcoholic|insomniac|prediabetic|h[a]?emophiliac|lefty)(?=$|[^\w ]| (?:and|so|but|since|for|with|in|at|now|here|who|as|or|because|due|again|too|from|on|by|myself|person|woman|man|girl|guy|student|parent|mum|mom|dad|mother|father|teenager|adult)\b)", one("user::condition")),
    frame(rf"(?:only |just |now |currently |about to be |nearly |almost |\w+ly )*(?P<v>{DIGIT_OR_WORD})(?:[- ]?(?:years?[- ](?:old|young|of age)|yrs?(?: old)?|y\.?/?o|yo|f|m))?(?=$| (?:now|today|this|next|already|but|so|with|male|female|years old)\b|[;:)(!]| ?[\U0001F300-\U0001FAFF])", one("user::age", age_in)),
    frame(rf"(?:an? )?(?P<v>{DIGIT_OR_WORD})[- ]years?[- ]old(?! (?:can|could|should|is|has|will|would|may|must|needs?)\\b)", one("user::age", age_in)),
    frame(rf"(?:turning|about to turn|gonna be|going to be|(?:fixin'?|fixing|set|due) to turn) (?P<v>{DIGIT_OR_WORD})(?=$| (?:next|this|in|on|tomorrow|soon|years)\b)", one("user::age", age_in)),
    frame(r"in my (?P<v>(?:(?:early|mid|late)[- ])?(?:\d0'?s|twenties|thirties|forties|fifties|sixties|seventies|eighties))", one("user::age")),
    frame(r"(?:originally |also |actually |all )*(?:from|hailing from|a native of|raised in|brought up in) (?P<v>.+)", one("user::hometown", place_in)),
    frame(r"(?:currently |now |still |also |happily )*(?:living|based|located|residing|settled|staying|at home|posted) (?:out |over |up |down |here )?(?:in|at|near|just outside|outside) (?P<v>.+)", one("user::home", home_in)),
    frame(r"in (?P<v>[A-Z][\w ]+?) (?:since|for (?:\w+ ){1,3}(?:years|months|decades|ages)|my whole life|all my life)\b", one("user::home", home_in)),
    frame(r"still (?:in|living in|at home in) (?P<v>.+)", one("user::home", home_in)),
    frame(r"(?:still )?(?P<v>teaching (?!my|him|her|them|myself|the dog|you|people)[\w' -]+?)(?= (?:at|in|since|for|to|and|on|online|now)\b|$)", one("user::job")),
    frame(r"(?:loving|enjoying|starting|started) (?:the|my) new (?:job|role|gig|position) (?:at|with) (?P<v>.+)", employer_in),
    frame(r"(?:an?|the) (?:resident|citizen) of (?P<v>.+)", one("user::home", place_in)),
    frame(r"(?:currently |now |also |still |just |only )*(?:an?|the|one of the|head|chief|lead|senior|junior|self-employed|freelance) (?P<v>.+)", lambda m: job_and_employer_in(m["v"]) if not re.match(r"(?:hobby|amateur|aspiring|wannabe|future|designated|armchair|backseat|frequent|nervous|born|natural|closet|doctor who|picky|beginner|keen|student of life)\b", m["v"], re.IGNORECASE) else []),
    frame(r"(?P<v>retired|unemployed|self-employed)(?=$|\W)", one("user::job")),
    frame(r"(?P<how>married|engaged) to an? (?:[\w-]+ ){0,3}(?:man|woman|guy|girl|person|bloke|lady|nurse|teacher|doctor|chef) (?:named|called) (?P<v>.+)", lambda m: [(f"user::family::{'fiance' if m['how'].lower() == 'engaged' else 'spouse'}", n[0]) for n in [name_in(m["v"])] if n]),
    frame(r"(?:happily |now |newly )*(?:married|engaged) to (?P<v>.+)", lambda m: [(f"user::family::{'fiance' if 'engaged' in m.group().lower() else 'spouse'}", n[0]) for n in [name_in(m["v"])] if n]),
    frame(r"in (?:my|the) (?:\w+ (?:and )?)?(?:\w+) (?:year|semester|term) of (?:(?:a|my) )?(?P<v>.+)", one("user::studies", lambda v: subject_in(re.sub(r"^(?:studying|an?|my) ", "", re.sub(r" (?:school|degree|studies|program(?:me)?|course)$", "", tidy(v)))) if not re.match(r"(?:college|uni|high|school|university|marriage|my|our|the)\b", v) else None)),
    frame(r"(?:usually |mostly )?(?:called|named|known as) (?P<v>.+)", named_in),
    frame(r"(?:an? |such an? |the )*(?:big |huge |total |real |complete |massive |self-confessed |lifelong |avid |keen |die-hard |proper )*(?P<v>(?!(?:big|huge|great|massive|biggest)\b)[\w-]+(?: [\w-]+)?) (?:fan(?! of)|lover|person|addict|nut|nerd|enthusiast|buff|geek|fanatic|junkie|freak)(?=$|\W)", lambda m: likes_in(m) if not re.match(r"(?:\w+ )?(?:good|bad|nice|kind|morning|night|private|social|busy|shy|patient|quiet|different|lazy|early|terrible|sensitive|people|anxious|happy|direct|tech|simple|curious|organi[sz]ed|boring|third|only|control|former|ex|speed|drug|creative|young|old|calm|better|worse|type|big|not|such|real|stable|neat|awful|ideas|visual|messy)\b", m["v"]) else []),
    frame(r"not (?:really |exactly |much of |that much of |such |at all )*(?:an?|the) (?:big |huge |great )*(?P<v>[\w-]+(?: [\w-]+)?) (?:fan|lover|person|drinker)(?=$|\W)", lambda m: dislikes_in(m) if not re.match(r"(?:\w+ )?(?:good|bad|nice|kind|morning|night|private|social|busy|patient|people|tech|big|creative|rich|religious|technical|native)\b", m["v"]) else []),
)  # fmt: skip
_I_DO: tuple[Frame, ...] = (
    frame(r"(?:live|am based|stay) (?:just )?(?:round|around) the corner from (?P<v>(?-i:[A-Z]).+)", one("user::home", home_in)),
    frame(r"(?:left|swapped|traded|ditched) (?-i:[A-Z])\w+ for (?P<v>(?-i:[A-Z]).+|an? .+ in .+)", one("user::home", home_in)),
    frame(r"(?P<v>(?:drive|operate) (?:(?:an?|the|number|night|school|\d+|city|big) ){0,4}(?:tram|bus|taxi|truck|lorry|train|cab|ambulance|forklift|crane|digger|excavator|ferry|coach))s?\b", one("user::job")),
    frame(r"(?:have )?(?:just |recently |finally )*(?:qualified|trained|retrained|graduated) as (?:an?|the) (?P<v>.+)", lambda m: job_and_employer_in(m["v"])),
    frame(r"spent (?:my|most of my) (?:childhood|youth|early years|teens) in (?P<v>(?-i:[A-Z]).+)", one("user::hometown", place_in)),
    frame(r"(?P<v>do (?:marketing|sales|HR|accounting|IT|PR|graphic design|design|admin|payroll|data entry|quality control|sound|lighting|security)) (?:for|at|in)\b", one("user::job")),
    frame(r"(?P<v>work the (?:front desk|door|bar|tills?|counter|phones|night shift|reception))\b", one("user::job")),
    frame(r"(?:just |recently |have )*(?:started|begun|doing|finished) (?:an? |my )apprenticeship as an? (?P<v>.+)", lambda m: [("user::job", v)] if (v := job_in(m["v"])) else []),
    frame(rf"(?P<v>(?:can't|cannot|cant|don't) (?:do|handle|stomach) (?P<what>{FOODS}))(?=$|[,;.]| (?:any|at|because|since|or|and|so)\\b)", lambda m: [(f"user::diet::{slug(m['what'])}", m["v"])]),
    frame(rf"(?P<v>try (?:to avoid|not to (?:eat|drink|have)|to stay (?:off|away from)) (?P<what>{FOODS}))\\b", lambda m: [(f"user::diet::{slug(m['what'])}", m["v"])]),
    frame(r"(?P<v>(?:sell (?:insurance|cars|houses|property|phones|shoes|furniture|flowers|software|advertising|antiques)|work with (?:kids|children|horses|animals|dogs|the elderly|old people|refugees|young people|teenagers)|manage a team of \w+))(?=$|[,;.!]| (?:who|in|at|for|with|and|on|so|online)\b)", one("user::job")),
    frame(r"(?P<v>(?:look after|take care of|work with) [\w ]{3,30}?) (?:for work|for a living|as a job|professionally)\b", one("user::job")),
    frame(r"(?:am |'m )?(?:stick(?:ing)?|stay(?:ing)?) with (?P<v>(?!it|you|him|her|them|me|my (?:mum|mom|parents|sister|brother|friend|family))[\w' ]{2,40})$", one("user::decision")),
    frame(r"went (?:for|with) (?P<v>(?!the flow\b|it\b|him|her|them|an? (?:walk|run|drive|swim|drink|coffee)|my|our).{3,60}?) (?:in the end|after all|eventually|instead)\b", one("user::decision")),
    frame(r"(?:just |recently |finally |only )*became (?:an?|the) (?P<v>.+)", lambda m: [("user::job", v)] if (v := job_in(m["v"])) else []),
    frame(r"(?:can't|cannot|cant|don't|avoid|can not) (?:have|eat|touch|drink|do|eating)? ?(?P<v>[\w' -]{2,24}?) (?:because of|due to|on account of) (?:an?|my) (?:allergy|intolerance)", each("user::allergy", allergens_in)),
    frame(r"(?:just |recently )*(?:celebrated|had) (?:my )(?P<v>\d\d)(?:th|st|nd|rd)(?: birthday)?\b", one("user::age", age_in)),
    frame(r"(?:earn|make) my (?:crust|keep|bread|money) (?:as|by) (?:an? )?(?P<v>.+)", one("user::job", lambda v: job_in(v) or role_in(v))),
    frame(r"(?:just |finally |recently )*(?:got|have) the keys to (?:my|our) (?:\w+ ){0,2}(?:flat|place|house|apartment|home) in (?P<v>.+)", one("user::home", home_in)),
    frame(r"ended up (?:living |settling )?in (?P<v>(?-i:[A-Z])[\w' -]+)$", one("user::home", home_in)),
    frame(r"(?:just |finally )*(?:got|landed|start) the (?P<v>(?-i:[A-Z])[\w&' ]{1,20}?) (?:job|gig|role|position)\b", one("user::work", org_in)),
    frame(r"(?:temp|intern|freelance|contract|consult|volunteer) (?:for|at|with) (?P<v>.+)", employer_in),
    frame(r"start(?:ed)? at (?P<v>(?-i:[A-Z]).+?) (?:on|in|next|this|last|tomorrow)\b", employer_in),
    frame(r"ended up (?:choosing|going with|picking|going for) (?P<v>.{3,60})", one("user::decision")),
    frame(r"could (?:listen to|watch|eat|drink|play|read) (?P<v>(?!you|this|that|it|him|her|them|another|one)[\w' -]{2,40}?) (?:all day|for hours|forever|for days|all night|every day|every single day|on repeat|non-?stop)\b", likes_in),
    frame(r"could (?:talk|go on|chat|bang on|geek out) about (?P<v>.+?) (?:all day|for hours|forever|for days|all night)\b", likes_in),
    frame(r"never miss (?:an? )?(?P<v>.+?) (?:game|match|episode|concert|show|gig|race|season)$", likes_in),
    frame(r"(?P<v>go to (?:the |an? )?(?:opera|theat(?:re|er)|ballet|cinema|gym|museums?|galler(?:y|ies)|beach|pub quiz|football|races|concerts?|jazz club)) (?:whenever|as often as|every|most|a lot|all the time)\b", one("user::likes")),
    frame(r"(?:have )?(?:been )?(?P<v>playing (?:the )?\w+) (?:since|for)\b", one("user::likes")),
    frame(r"(?P<v>can't (?:hear|see) (?:in|out of|from|with) my (?:left|right) (?:ear|eye))\b", one("user::condition")),
    frame(r"live at (?P<v>\d.+|[A-Z][\w' ]+ \d+.*)", one("user::address", lambda v: tidy(re.split(r" (?:now|with|since|and)\b", v)[0]))),
    frame(r"(?:live|lived(?= .*\b(?:for|since|all (?:of )?(?:my|our) li(?:fe|ves)|my whole life|forever|my entire life|years)\b)|reside|stay|spend most of the year)(?: (?:alone|together|happily|here|full[- ]time|with \w+ \w+|up|down|over|out|way))*(?: right)? (?:in (?:an? )?(?:(?:small|tiny|little|big|rented|shared|old|new|cosy|studio|two-bed) )*(?:flat|house|apartment|place|studio|cottage|cabin|farm|condo|bungalow|houseshare|townhouse) )?(?:in|near|outside|just outside|close to|on(?= (?:(?-i:[A-Z])|the (?:coast|island)|an? ))|not far from) (?P<v>.+)", one("user::home", home_in)),
    frame(r"(?:(?:just|recently|finally|only|actually|eventually) )*(?:moved|relocated|emigrated|immigrated|migrated|upped sticks|move)(?: (?:here|over|back|out|up|down|away|in|house|all the way|with \w+ \w+|from [A-Z][\w ]{2,20}?))* (?:to|into) (?P<v>.+)", one("user::home", home_in)),
    frame(r"(?:settled(?: down)?|ended up) in (?P<v>.+)", one("user::home", home_in)),
    frame(r"(?:just |recently |finally )*(?:bought|rent|rented|own|found|got|share)(?: \w+){0,2} (?:flat|apartment|house|place|condo|studio|cottage|home)(?: together)? (?:in|near|outside) (?P<v>.+)", one("user::home", home_in)),
    frame(r"(?:originally )?(?:come|hail) from (?P<v>.+)", one("user::hometown", place_in)),
    frame(r"(?:was |were )?(?:born and )?(?:grew up|raised|brought up|bred)(?: (?:mostly|partly))? (?:in|near|outside|on) (?P<v>.+)", one("user::hometown", place_in)),
    frame(r"was born (?P<v>.+)", born_in),
    frame(r"(?:work|worked(?= .*\b(?:since|for (?:\w+ ){1,3}(?:years|months) now))|intern|freelance|volunteer(?= .*\bas\b)|temp)(?: (?:remotely|nights|part[- ]time|full[- ]time|mostly|here|shifts|from home|down|over))* (?:at|for) (?P<v>.+)", employer_in),
    frame(r"work (?:\w+ )?in (?P<v>(?:a|an|the) .+)", employer_in),
    frame(r"(?:head(?: up)?|lead|manage|direct|oversee|run) (?:the )?[\w ]{2,24}? (?:at|for) (?P<v>(?:an? )?[\w&' .-]+)", employer_in),
    frame(r"(?:do|pull|work|have) (?:\w+ )?(?:shifts?|nights|days|weekends) (?:at|for|in) (?P<v>[A-Z].+)", employer_in),
    frame(r"(?:got|accepted|took|signed|landed) (?:the |an? |my )?(?:\w+ )?(?:offer|contract|gig|position|role) (?:from|at|with) (?P<v>(?-i:[A-Z]).+)", employer_in),
    frame(r"do (?P<job>(?!(?:(?-i:it)|this|that|my|the|a|an|some|what|not|all|so)\b)[a-z][\w ]{2,28}?) (?:for|at) (?P<v>(?-i:[A-Z]).+|an? (?:[\w-]+ ){0,3}(?:firm|company|startup|agency|bank|hospital|clinic|school|charity|university|studio|shop|store)\b.*)", lambda m: [("user::job", m["job"]), ("user::work", org)] if (org := org_in(m["v"])) and re.search(r"ing$|ment$|PR|support|sales|research|design|security|ops|QA|IT$|law$|accounts|finance", m["job"]) else []),
    frame(r"work (?:\w+ )?in (?P<v>.+)", one("user::job", field_in)),
    frame(r"(?:work|worked(?= .*\bfor \w+ years now)|earn a living|got promoted|got hired|started(?: working)?|serve|got a job|got a new job|now work|do shifts)(?: (?:at|for|in) [\w &'.-]+?)?(?: (?:nights|days|part[- ]time|full[- ]time|mostly|remotely))* (?:as|to) (?:an?|the)? ?(?P<v>.+)", lambda m: job_and_employer_in(m["v"]) or one("user::job", lambda v: (role_in(v) if not re.match(r"(?:learn|feel|work|think|see|like|get|make|eat|read|be|do|have|usual|cook|use|run|go|look|play|write|watch|exercise)\b", v) else None))(m)),
    frame(r"(?:make|earn) (?:my|a) living (?:as an?|as|by|from) (?P<v>.+)", one("user::job", lambda v: job_in(v) or role_in(v))),
    frame(r"(?P<v>(?:drive|fix|sell|design|build|write|clean|paint|bake|cook|make|repair|translate|teach|edit|walk|train|grow|install|deliver|do (?:nails|hair|makeup|tattoos|windows|lawns)|program|restore|tune|groom|catch|count|move|code)\b(?: [\w'/-]+){0,4}?) (?:for a living|for work|as my job|professionally)", one("user::job")),
    frame(r"(?P<v>(?:run|own|manage) (?:a|an|my own|our own|the) (?:\w+ ){0,3}(?:bakery|shop|store|café|cafe|restaurant|bar|pub|hotel|farm|company|business|studio|salon|agency|startup|bookshop|clinic|practice|gym|garage|brewery|winery|b&b|guesthouse|nursery|food truck|workshop|daycare|kennel|florist|deli|vineyard|gallery|school|firm|consultancy|hostel|pharmacy|bookstore|boutique|barbershop|tattoo \w+|dental practice))\b", one("user::job")),
    frame(r"(?P<v>teach (?!my|him|her|you|them|me|people how|the dog)[\w' -]+?)(?= (?:at|in|to|for|on|and|online|part)\b|$)(?P<rest>.*)", lambda m: [("user::job", tidy(m["v"])), *([("user::work", org)] if (at := re.match(r" (?:at|in) (?P<v>(?!a |an ).+)", m["rest"])) and (org := org_in(at["v"])) and at.group().startswith(" at") else [])]),
    frame(r"(?:just |recently |finally )*(?:joined|accepted (?:an|the|a) (?:job )?(?:offer|position|role|job) (?:from|at|with)|started(?: (?:a|my) new job| a job| working| a new role| my \w+ job)? (?:at|with|for)|got (?:a|the|my) (?:new )?(?:job|position|offer|role) (?:at|with)|switched to|landed a job (?:at|with)|signed with|transferred to) (?P<v>.+)", lambda m: [] if re.match(r"(?:a|an|the|my|our|uni|university|school|college|team)\b", m["v"]) and not re.search("job|position|role|working|offer", m.group()[: m.start("v") - m.start()]) else [f for f in employer_in(m) if not re.search(r"\b(?:gym|club|choir|band|gym|class|discord|group|netflix|android|linux|mac|iphone|windows)\b", m["v"], re.IGNORECASE)]),
    frame(r"(?:study|major in|am reading|minor in) (?P<v>.+)", one("user::studies", subject_in)),
    frame(r"(?:go to|attend) (?P<v>(?:the )?[A-Z][\w' ]*(?:University|College|School)(?: of [A-Z]\w+)?)", one("user::studies")),
    frame(r"(?:also |can |mostly |only |fluently )*speak (?P<v>.+)", each("user::speaks", languages_in)),
    frame(r"grew up speaking (?P<v>.+)", each("user::speaks", languages_in)),
    frame(rf"(?:just |recently |finally )*(?:went|turned|became|go|do|have gone|eat|keep|follow|cook|only eat|eat only|have been|stay|converted to) (?:an? |fully |completely |mostly |strictly |only |totally |full )*(?P<v>(?:{DIETS}|veganism|vegetarianism))(?=$|\W)", one("user::diet")),
    frame(r"(?:follow|keep to|stick to|eat) an? (?P<v>[\w-]+(?: [\w-]+)? diet)\b", one("user::diet")),
    frame(rf"(?P<v>(?:gave up|have given up|given up|quit|cut out|stopped (?:eating|drinking)|swore off|have cut out|have stopped (?:eating|drinking)|have quit|don't touch|never touch|stay away from|steer clear of|avoid|don't do|stay off) (?P<what>{FOODS}))\b", lambda m: [(f"user::diet::{slug(m['what'])}", m["v"])]),
    frame(r"(?P<v>(?:don't|do not|dont|never|can't|cannot|cant|won't) (?:ever |usually |really |actually )?(?:eat|drink|consume) (?P<what>[\w', -]+))", diet_item_in),
    frame(r"(?P<v>(?:haven't|have not) (?:eaten|touched|had|drunk) (?P<what>meat|alcohol|sugar|dairy|gluten|red meat|pork|beef|fish|coffee|caffeine|a drink|booze|carbs|bread))\b(?=.*\b(?:since|in|for)\b)", lambda m: [(f"user::diet::{slug(m['what'])}", m["v"])]),
    frame(r"(?P<v>(?:only eat|eat only|mostly eat|only drink|stick to|live on) (?P<what>(?:fish|vegetables|plants|white meat|chicken|organic|raw food|soft foods?|decaf|herbal tea|plant milk|oat milk|halal meat|home-?cooked food)\b[\w ,]*))", one("user::diet")),
    frame(r"(?P<v>(?:stopped|quit|gave up|have stopped|have quit|have given up) (?:drinking|alcohol))\b", lambda m: [("user::diet::alcohol", m["v"])]),
    frame(r"(?P<v>(?:don't|do not|dont|never) drink)(?: at all| any ?more| myself)?$", lambda m: [("user::diet::alcohol", m["v"])]),
    frame(r"(?P<v>avoid (?:eating|drinking) (?P<what>[\w', -]+))", diet_item_in),
    frame(r"(?:can't|cannot|don't|cant) (?:tolerate|digest|process) (?P<v>(?:lactose|gluten|dairy|milk|wheat|fructose|onions?|garlic|eggs?|soy|alcohol|caffeine|nuts?)\b.*)", each("user::allergy", allergens_in)),
    frame(r"(?:always |usually )*(?:break out(?: in \w+(?: \w+)?)?|come out in \w+|get (?:a |an )?(?:\w+ )?(?:hives|rash(?:es)?|itchy|allergic|reaction|swollen lips)|swell up|go into shock|end up in hospital|start wheezing|get sick)(?: (?:from|when|whenever|if|every time|after|as soon as|the moment))+ (?:I )?(?:(?:eat|have|touch|drink|wear|inhale|smell|am near|go near|eating|having|touching|drinking|around|consume) )?(?P<v>.+)", each("user::allergy", allergens_in)),
    frame(r"(?:carry|need|have) (?:an? )?epi-?pen (?:for|because of|due to) (?:my )?(?P<v>.+?)(?: allergy)?$", each("user::allergy", allergens_in)),
    frame(r"(?:can't|cannot|cant|mustn't|am not allowed to|shouldn't) (?:eat|have|touch|go near|be near|be around) (?P<v>.+?),? (?:or|otherwise) (?:else )?(?:I|my) .*(?:hives|swell\w*|rash|die|hospital|shock|react|itch\w*|throat|sick|wheez\w*).*", each("user::allergy", allergens_in)),
    frame(r"(?:swell|puff|blow|come|break) (?:up|out)(?: like an? \w+| in \w+)?(?: if| when| whenever| as soon as) (?:there'?s|I have|I eat|I touch|I so much as \w+) (?:any |even |some |an? )?(?P<v>[\w' -]+?)(?: in (?:it|an? \w+|the \w+|something|anything)| around| about| near(?: me)?)?$", each("user::allergy", allergens_in)),
    frame(r"(?:react|reacted) (?:badly|terribly|horribly|strongly|violently) to (?P<v>.+)", each("user::allergy", allergens_in)),
    frame(rf"(?:suffer from|live with|struggle with|was (?:recently |just )?diagnosed with|got (?:recently |just )?diagnosed with|have been diagnosed with|been diagnosed with|deal with|have had|have got|am living with|take \w+ for|'m on meds for|have) (?:really |very |a bit of |mild |severe |chronic |bad |some |serious |terrible |early |also |a \w+ form of )*(?P<v>{ILLNESSES})(?=$|\W)", one("user::condition")),
    frame(r"(?P<v>take (?:insulin|blood thinners|antidepressants|statins|warfarin|lithium|beta blockers)|use a wheelchair|wear (?:a )?hearing aids?|use a cane|walk with a cane|use crutches|have a pacemaker|wear glasses|have a prosthetic \w+)", one("user::condition")),
    frame(rf"(?:just |recently |will |have just )*(?:turned|turn|hit|be|reached) (?P<v>{DIGIT_OR_WORD})(?=$| (?:years|in|on|this|next|last|today|yesterday|tomorrow|and|soon|a|two|three|already|now)\b|[;:!)(]| ?[\U0001F300-\U0001FAFF])", one("user::age", age_in)),
    frame(r"(?:usually |mostly |also |just )*go by (?:the name (?:of )?)?(?P<v>.+)", named_in),
    frame(r"(?:have (?:finally |just )?|finally |just |both |all |now |'ve )*(?:decided|agreed|chosen|resolved) (?:to|on|that|in favou?r of|(?=not to|against)) ?(?P<v>(?!(?:have|eat|order|watch|take) (?:an? |some )\w+$).+)", one("user::decision")),
    frame(r"(?:have |finally |just )*(?:settled on|opted for|made up (?:my|our) minds? to|went with|picked|chose|have chosen) (?P<v>(?!me|him|her|them|up|it|on|the flow)\w.{2,80})", lambda m: [("user::decision", tidy(m["v"]))] if not m.group().lower().startswith(("picked", "chose", "went", "finally")) or re.search(r"\bfor (?:our|the|my)\b|in the end|eventually|after all|finally|instead", m.string) else []),
    frame(r"(?:can't|cannot|cant|can not|couldn't) get enough of (?P<v>.+)", likes_in),
    frame(r"(?:have|'ve) (?:never|not) (?:really |ever |much )*(?:liked|enjoyed|cared for|understood the appeal of|been (?:keen on|into|fond of|a (?:big |huge )?fan of|one for)) (?P<v>.+)", dislikes_in),
    frame(r"(?:never (?:really |ever |much )*(?:liked|enjoyed|cared for)) (?P<v>.+)", dislikes_in),
    frame(r"find (?P<v>[\w' -]{2,30}?) (?:really |so |very |absolutely |utterly |pretty |quite )*(?:unbearable|boring|disgusting|gross|annoying|tedious|insufferable|revolting|unwatchable|awful|dull)\b", dislikes_in),
    frame(r"live for (?!\w*days?\b|this|that|the|weekends|it|today|now|free|years|\w+ (?:years|months))(?P<v>.+)", likes_in),
    frame(r"(?P<v>(?:sing|dance|act|perform|drum|play) (?:\w+ )?(?:in|with) (?:an?|the|my|our|two) (?:[\w-]+ ){0,3}(?:choir|band|quartet|quintet|trio|orchestra|ensemble|theat(?:re|er)|troupe|league|team|group|club|company|chorus|big band|jazz band))\b", one("user::likes")),
    frame(r"(?P<v>(?!\w+ (?:out|into|up|off|over|down|away|through|late|low|errands|around)\b)(?:sing|dance|paint|knit|crochet|garden|hike|climb|surf|ski|skate|cycle|run|swim|bake|fish|sew|draw|row|box|bird-?watch|juggle|meditate|camp|kayak|sail|brew beer|do (?:yoga|pottery|karate|judo|pilates|crosswords|ceramics|calligraphy|origami|jigsaws|parkour|archery|crossfit|ballet)|build (?:model \w+|lego)|restore [\w ]{3,20}|write (?:poetry|poems|short stories)|read (?:sci-?fi|fantasy|manga|comics|crime novels|poetry|thrillers|romance))(?: [\w-]+){0,3}?)(?: (?:for fun|as a hobby|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|every (?:day|morning|evening|weekend|week|night|\w+day)|on (?:the )?weekends?|at weekends|most (?:weekends|days|evenings|mornings)|in my (?:free|spare) time|to (?:relax|unwind|de-?stress)))", one("user::likes")),
    frame(r"(?:can't|couldn't) live without (?P<v>.+)", likes_in),
    frame(r"(?:have|'ve got) an? (?:\w+ )?(?:soft spot|weakness|passion|love|thing|sweet spot) for (?P<v>.+)", likes_in),
    frame(r"(?:spend|spent) (?:all |most of |every )?(?:my |our )?(?:\w+ )?(?:weekends?|free time|spare time|evenings?|sundays?|holidays|summers?) (?P<v>(?:\w+ )?\w+ing\b.*)", likes_in),
    frame(r"(?:have )?(?:just |recently |lately |finally )*(?:gotten|got|picked up|taken up|took up|discovered)(?: really| back)?(?: into)? (?P<v>(?:(?!trouble|a|the|into)\w+ )?(?!being|something|anything|nothing|everything|thing|morning|evening|meeting|king|going|getting|having|doing|parking|boring)\w+ing|chess|pottery|yoga|jazz|golf|tennis|padel|anime|poetry|photography|ceramics|origami|calligraphy|crochet|guitar|piano|gardening|baking|cycling)(?= (?:last|this|again|lately|recently|in|during|after|over)\b|$)", likes_in),
    frame(r"go with (?P<v>(?:the|option|plan) [\w' ]{2,40})$", one("user::decision")),
    frame(r"(?:collect|binge|stan|geek out (?:over|about)|nerd out (?:over|about)|swear by|am a sucker for) (?P<v>(?!my (?:kids?|son|daughter|stuff|things)\b|the (?:kids|mail|package|parcel)|data\b|taxes\b|dust\b|evidence\b).+)", likes_in),
    frame(r"(?:love|like|enjoy|adore|prefer|dig|cherish|fancy|appreciate)(?! (?:to be|if|it|how|that you|when|the way|your|you)\b)(?: to)?(?: (?:eating|drinking) (?=\w))? (?P<v>.+)", likes_in),
    frame(r"(?P<v>play (?:the |a bit of |some |competitive )?(?:piano|guitar|violin|cello|viola|oboe|flute|drums|bass|saxophone|sax|trumpet|harp|ukulele|banjo|accordion|clarinet|trombone|organ|bagpipes|tennis|football|soccer|basketball|volleyball|badminton|chess|golf|rugby|hockey|cricket|table tennis|squash|handball|poker|bridge|padel|netball|five-a-side|darts|pool|snooker|pickleball|lacrosse|water polo|floorball|futsal|go|D&D|dungeons and dragons))\b", one("user::likes")),
    frame(r"(?:hate|dislike|dread|detest|loathe|despise|abhor|(?:can't|cannot|cant|can not|couldn't) (?:stand|bear|abide|stomach)|(?:don't|do not|dont|never) (?:really |particularly |much |actually |even |exactly |especially |at all )*(?:like|enjoy|care for|love|dig|fancy))(?! (?:it|that|this|when|how|your|you|being late)\b)(?: to)? (?P<v>.+)", dislikes_in),
)  # fmt: skip
_I_HAVE: tuple[Frame, ...] = (
    frame(r"(?:(?:an?|this|some)\b)?(?: ?(?:really |very |quite |pretty |life-?threatening |\w+ly |bad |severe |serious |mild |terrible |nasty |known |food |slight |strong |rare )*) ?(?P<v>(?!(?:an?|bad|food|severe)\b)[\w-]+(?: [\w-]+)?) (?:allergy|allergies|intolerance)\b(?! (?:tests?|clinic|season|pills?|medication|meds|tablets|shots?))", lambda m: [("user::allergy", tidy(v)) for v in re.split(r" and | or ", m["v"]) if not NOT_ALLERGENS.search(v) and v.lower() not in ("no", "many", "lots", "some", "food", "any", "several", "seasonal", "multiple", "weird", "a few", "other", "lots of", "no known", "no food")]),
    frame(r"(?:an? )?(?:\w+ )?(?:allergy|allergies|allergic reaction|intolerance|reaction) to (?P<v>.+)", each("user::allergy", allergens_in)),
    frame(rf"(?:really |very |a bit of |mild |severe |chronic |bad |some |serious |terrible |early |also |a \w+ form of |pretty bad )*(?P<v>{ILLNESSES})(?=$|\W)", one("user::condition")),
    frame(r"an? (?:degree|phd|master's|masters|bachelor's|BA|MSc) in (?P<v>.+)", one("user::studies", subject_in)),
    frame(r"an? (?:\w+ )?(?:soft spot|weakness|passion|love|thing) for (?P<v>.+)", likes_in),
    frame(r"an? (?:new |part-time |full-time )?(?:job|position|role) (?:at|with) (?P<v>.+)", employer_in),
    frame(r"(?:an? )?(?:flat|apartment|house|place|studio) in (?P<v>.+)", one("user::home", place_in)),
)  # fmt: skip


def am(rest: str, *, may_name: bool = False, listed: bool = False) -> Facts:
    """What “I'm” is followed by. `listed`: it stands in a list such as “38, electrician, from Graz”."""
    out: Facts = []
    for _ in range(6):
        rest = re.sub(
            r"^(?:(?:also|now|just|currently|actually|really|still(?! (?:in|teaching)\b)|both|well|basically|only|happily|a proud|kind of|sort of|definitely|officially) )+",
            "",
            rest.strip(),
        )
        if (
            may_name
            and (named := name_in(rest))
            and re.match(
                r"$|,? (?:from|and|by the way|btw|here|but|the|now)\b|[,;:(!~]|\s*[\U0001F300-\U0001FAFF]",
                named[1],
            )
        ):
            out.append(("user::name", named[0]))
            rest = re.sub(r"^,? ?(?:and |but )?", "", named[1])
            may_name = False
            if not rest:
                break
            continue
        if found := first(_I_AM, rest):
            return out + found
        head, _, tail = rest.partition(" and ")
        found = first(_I_AM_PART, head)
        if (
            not found
            and (
                listed
                or re.match(
                    r"(?:[A-Z]{2,4}|head of|\w+ (?:engineer|developer|manager|officer|nurse|chef|designer)) (?:at|of|for)\b",
                    head,
                )
            )
            and job_in(head)
        ):
            found = job_and_employer_in(head)
        if (
            not found
            and re.match(r"(?:an?|just an?|your|the) ", head)
            and (
                origin := re.match(
                    r".{2,40}? (?:originally )?from (?P<v>(?:rural |small-town |northern |southern )?[A-Z].+)",
                    head,
                )
            )
            and (place := place_in(origin["v"]))
        ):
            found = [("user::hometown", place)]
        out += found
        if not tail:
            break
        rest = tail
    return out


def do(rest: str) -> Facts:
    return first(_I_DO, rest)


def have(rest: str) -> Facts:
    return first(_I_HAVE, rest)
